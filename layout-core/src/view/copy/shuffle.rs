//! One value a record, and many values of one leaf together: the loops that turn one into the other.
//!
//! All of this is about bytes at addresses, and knows neither leaves nor layouts: it is compiled once.

use super::places::MAX_SEGMENTS;

/// A leaf of several elements: where the first lies, and how far apart they lie in bytes.
#[derive(Clone, Copy)]
pub(super) struct Spaced<P> {
    pub(super) first: P,
    pub(super) stride: isize,
}

impl Spaced<*const u8> {
    #[inline(always)]
    fn at(self, k: usize) -> *const u8 {
        self.first.wrapping_offset(self.stride.wrapping_mul(k.cast_signed()))
    }
}

impl Spaced<*mut u8> {
    #[inline(always)]
    fn at(self, k: usize) -> *mut u8 {
        self.first.wrapping_offset(self.stride.wrapping_mul(k.cast_signed()))
    }
}

/// Copies segments of these lengths, of values of `size` bytes one after another.
///
/// # Safety
///
/// The values can be read and written, are initialized, and do not overlap.
pub(super) unsafe fn runs(size: usize, from: &[*mut u8], to: &[*mut u8], lens: &[usize]) {
    let first = lens.first().map_or(0, |len| len * size);
    let whole = lens.iter().all(|len| *len == lens[0]);
    match first {
        // Whole blocks of usual AoSoA layouts: of a size that the compiler knows.
        // SAFETY: the conditions are the caller's, here and below.
        32 if whole => unsafe { runs_of::<[u64; 4]>(from, to, lens.len()) },
        // SAFETY: as above.
        64 if whole => unsafe { runs_of::<[u64; 8]>(from, to, lens.len()) },
        // SAFETY: as above.
        128 if whole => unsafe { runs_of::<[u64; 16]>(from, to, lens.len()) },
        _ => {
            for ((from, to), len) in from.iter().zip(to).zip(lens) {
                let (from, to) = (Spaced { first: from.cast_const(), stride: 0 }, Spaced { first: *to, stride: 0 });
                match len * size {
                    // SAFETY: as above.
                    bytes @ 16..=512 => unsafe { each_in::<[u64; 2]>(bytes, from, to, 1) },
                    // SAFETY: as above.
                    bytes => unsafe { to.first.copy_from_nonoverlapping(from.first, bytes) },
                }
            }
        }
    }
}

/// Copies the first `count` runs, of the size of `T`, of which any bytes are a value.
///
/// # Safety
///
/// As [`runs`].
#[inline(always)]
unsafe fn runs_of<T: Copy>(from: &[*mut u8], to: &[*mut u8], count: usize) {
    for (from, to) in from.iter().zip(to).take(count) {
        // SAFETY: the caller vouches for the run.
        let run = unsafe { from.cast::<T>().read_unaligned() };
        // SAFETY: as above.
        unsafe { to.cast::<T>().write_unaligned(run) };
    }
}

/// Copies `n` values of `size` bytes, at least one.
///
/// # Safety
///
/// Each value can be read and written at any alignment, is initialized, and no written one overlaps another
/// value.
#[inline(never)]
pub(super) unsafe fn each(size: usize, from: Spaced<*const u8>, to: Spaced<*mut u8>, n: usize) {
    match size {
        // SAFETY: the conditions are the caller's, here and below.
        1 => unsafe { each_of::<u8>(from, to, n) },
        // SAFETY: as above.
        2 => unsafe { each_of::<u16>(from, to, n) },
        // SAFETY: as above.
        4 => unsafe { each_of::<u32>(from, to, n) },
        // SAFETY: as above.
        8 => unsafe { each_of::<u64>(from, to, n) },
        // SAFETY: as above; two overlapping halves make up a value.
        9..=15 => unsafe { each_in::<u64>(size, from, to, n) },
        // SAFETY: as above; the last of several pieces may overlap the one before.
        16.. => unsafe { each_in::<[u64; 2]>(size, from, to, n) },
        // SAFETY: as above.
        _ => unsafe { each_in::<u8>(size, from, to, n) },
    }
}

/// [`each`], for values of the size of `T`, of which any bytes are a value.
///
/// # Safety
///
/// As [`each`].
#[inline(always)]
unsafe fn each_of<T: Copy>(from: Spaced<*const u8>, to: Spaced<*mut u8>, n: usize) {
    for k in 0..n {
        // SAFETY: the caller vouches for value `k`.
        let value = unsafe { from.at(k).cast::<T>().read_unaligned() };
        // SAFETY: as above.
        unsafe { to.at(k).cast::<T>().write_unaligned(value) };
    }
}

/// [`each`], for values of `size` bytes, no fewer than those of `T`, in pieces of which the last two may overlap.
///
/// # Safety
///
/// As [`each`].
#[inline(always)]
unsafe fn each_in<T: Copy>(size: usize, from: Spaced<*const u8>, to: Spaced<*mut u8>, n: usize) {
    let last = size - size_of::<T>();
    for k in 0..n {
        let (from, to) = (from.at(k), to.at(k));
        let mut piece = 0;
        while piece < last {
            // SAFETY: the caller vouches for value `k`, of which this is a part.
            let value = unsafe { from.wrapping_add(piece).cast::<T>().read_unaligned() };
            // SAFETY: as above.
            unsafe { to.wrapping_add(piece).cast::<T>().write_unaligned(value) };
            piece += size_of::<T>();
        }
        // SAFETY: as above.
        let value = unsafe { from.wrapping_add(last).cast::<T>().read_unaligned() };
        // SAFETY: as above.
        unsafe { to.wrapping_add(last).cast::<T>().write_unaligned(value) };
    }
}

/// Where the segments of the values that go together lie.
type Places = [[*mut u8; MAX_SEGMENTS]; MAX_TOGETHER];

/// The most fields that are copied at once.
pub(super) const MAX_TOGETHER: usize = 4;

/// The number of values of `size` bytes, side by side in a record, that [`gather`] and [`scatter`] take at a time;
/// zero if they do not take such values.
pub(super) const fn together(size: usize) -> usize {
    match size {
        4 | 8 if cfg!(target_arch = "x86_64") => 16 / size,
        _ => 0,
    }
}

/// Copies segments of these lengths, of records of values of `size` bytes side by side, to a column a value.
///
/// # Safety
///
/// `size` is one that goes [`together`]: records start at `from[0]`, and as many of `to` are columns as do. Each value
/// can be read and written at any alignment, is initialized, and no written one overlaps another value.
pub(super) unsafe fn gather(size: usize, stride: isize, from: &Places, to: &Places, lens: &[usize]) {
    #[cfg(target_arch = "x86_64")]
    match size {
        // SAFETY: the conditions are the caller's.
        4 => unsafe { x86::gather::<4, x86::Four>(stride, from, to, lens) },
        // SAFETY: as above.
        8 => unsafe { x86::gather::<2, x86::Two>(stride, from, to, lens) },
        _ => (),
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (size, stride, from, to, lens);
}

/// Copies segments of these lengths, of a column a value, to records of values of `size` bytes side by side.
///
/// # Safety
///
/// As [`gather`], with `from` and `to` in each other's place.
pub(super) unsafe fn scatter(size: usize, stride: isize, from: &Places, to: &Places, lens: &[usize]) {
    #[cfg(target_arch = "x86_64")]
    match size {
        // SAFETY: the conditions are the caller's.
        4 => unsafe { x86::scatter::<4, x86::Four>(stride, from, to, lens) },
        // SAFETY: as above.
        8 => unsafe { x86::scatter::<2, x86::Two>(stride, from, to, lens) },
        _ => (),
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (size, stride, from, to, lens);
}

/// Transposes in registers: the compiler does not find these by itself where strides are known at run time only.
///
/// A vector holds 16 bytes of one record, or with AVX2 of two: neighbours in a column then are a vector apart.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Places, Spaced, each};

    #[cfg(not(target_feature = "avx2"))]
    use core::arch::x86_64::{
        __m128i as Vector, _mm_loadu_si128 as load, _mm_storeu_si128 as store, _mm_unpackhi_epi32 as unpack_high_4,
        _mm_unpackhi_epi64 as unpack_high_8, _mm_unpacklo_epi32 as unpack_low_4, _mm_unpacklo_epi64 as unpack_low_8,
    };
    #[cfg(target_feature = "avx2")]
    use core::arch::x86_64::{
        __m256i as Vector, _mm256_loadu_si256 as load, _mm256_loadu2_m128i, _mm256_storeu_si256 as store,
        _mm256_storeu2_m128i, _mm256_unpackhi_epi32 as unpack_high_4, _mm256_unpackhi_epi64 as unpack_high_8,
        _mm256_unpacklo_epi32 as unpack_low_4, _mm256_unpacklo_epi64 as unpack_low_8,
    };

    /// Instructions on two vectors, as functions that are safe.
    macro_rules! instructions {
        ($($name:ident $instruction:ident)+) => {$(
            #[inline(always)]
            fn $name(a: Vector, b: Vector) -> Vector {
                // SAFETY: it works on values, and the compiler was told that the processor has it.
                unsafe { $instruction(a, b) }
            }
        )+};
    }

    instructions! { low_4 unpack_low_4 high_4 unpack_high_4 low_8 unpack_low_8 high_8 unpack_high_8 }

    /// How many records lie in a vector.
    const RECORDS: usize = size_of::<Vector>() / 16;

    /// The values of `N` records (or `N` pairs of them) as vectors, and the other way round.
    pub(super) trait Transpose<const N: usize> {
        fn transpose(vectors: [Vector; N]) -> [Vector; N];
    }

    /// Four values of four bytes a record.
    pub(super) struct Four;

    impl Transpose<4> for Four {
        #[inline(always)]
        fn transpose([a, b, c, d]: [Vector; 4]) -> [Vector; 4] {
            let (low, high) = ((low_4(a, b), low_4(c, d)), (high_4(a, b), high_4(c, d)));
            [low_8(low.0, low.1), high_8(low.0, low.1), low_8(high.0, high.1), high_8(high.0, high.1)]
        }
    }

    /// Two values of eight bytes a record.
    pub(super) struct Two;

    impl Transpose<2> for Two {
        #[inline(always)]
        fn transpose([a, b]: [Vector; 2]) -> [Vector; 2] {
            [low_8(a, b), high_8(a, b)]
        }
    }

    /// 16 bytes of a record, and of one `further` bytes away where a vector holds two.
    #[inline(always)]
    unsafe fn load_records(at: *const u8, further: isize) -> Vector {
        #[cfg(target_feature = "avx2")]
        // SAFETY: the caller vouches for the bytes; these loads take any alignment.
        unsafe {
            _mm256_loadu2_m128i(at.wrapping_offset(further).cast(), at.cast())
        }
        #[cfg(not(target_feature = "avx2"))]
        // SAFETY: the caller vouches for the bytes; this load takes any alignment.
        unsafe {
            let _ = further;
            load(at.cast())
        }
    }

    #[inline(always)]
    unsafe fn store_records(at: *mut u8, further: isize, vector: Vector) {
        #[cfg(target_feature = "avx2")]
        // SAFETY: the caller vouches for the bytes; these stores take any alignment.
        unsafe {
            _mm256_storeu2_m128i(at.wrapping_offset(further).cast(), at.cast(), vector);
        }
        #[cfg(not(target_feature = "avx2"))]
        // SAFETY: the caller vouches for the bytes; this store takes any alignment.
        unsafe {
            let _ = further;
            store(at.cast(), vector);
        }
    }

    /// [`super::gather`], for `N` values that fill 16 bytes.
    #[inline(never)]
    pub(super) unsafe fn gather<const N: usize, T: Transpose<N>>(
        stride: isize,
        from: &Places,
        to: &Places,
        lens: &[usize],
    ) {
        let further = stride.wrapping_mul(N.cast_signed());
        for (segment, n) in lens.iter().copied().enumerate() {
            let records = Spaced { first: from[0][segment].cast_const(), stride };
            let columns: [*mut u8; N] = core::array::from_fn(|value| to[value][segment]);
            let steps = n / (N * RECORDS);
            for step in 0..steps {
                let rows = core::array::from_fn(|k| {
                    // SAFETY: the caller vouches for all records, of which the step reads `N * RECORDS`.
                    unsafe { load_records(records.at(step * N * RECORDS + k), further) }
                });
                for (column, vector) in columns.into_iter().zip(T::transpose(rows)) {
                    // SAFETY: as above, for a vector of values; this store takes any alignment.
                    unsafe { store(column.cast::<Vector>().wrapping_add(step), vector) };
                }
            }
            let done = steps * N * RECORDS;
            if done < n {
                for (value, column) in columns.into_iter().enumerate() {
                    let from = Spaced { first: records.at(done).wrapping_add(value * 16 / N), stride };
                    let to = Spaced { first: column.wrapping_add(done * 16 / N), stride: (16 / N).cast_signed() };
                    // SAFETY: as above, for the values that are left.
                    unsafe { each(16 / N, from, to, n - done) };
                }
            }
        }
    }

    /// [`super::scatter`], for `N` values that fill 16 bytes.
    #[inline(never)]
    pub(super) unsafe fn scatter<const N: usize, T: Transpose<N>>(
        stride: isize,
        from: &Places,
        to: &Places,
        lens: &[usize],
    ) {
        let further = stride.wrapping_mul(N.cast_signed());
        for (segment, n) in lens.iter().copied().enumerate() {
            let columns: [*const u8; N] = core::array::from_fn(|value| from[value][segment].cast_const());
            let records = Spaced { first: to[0][segment], stride };
            let steps = n / (N * RECORDS);
            for step in 0..steps {
                let vectors = columns.map(|column| {
                    // SAFETY: the caller vouches for all values, of which this is a vector; this load takes any
                    // alignment.
                    unsafe { load(column.cast::<Vector>().wrapping_add(step)) }
                });
                for (k, vector) in T::transpose(vectors).into_iter().enumerate() {
                    // SAFETY: the caller vouches for all records, of which the step writes `N * RECORDS`.
                    unsafe { store_records(records.at(step * N * RECORDS + k), further, vector) };
                }
            }
            let done = steps * N * RECORDS;
            if done < n {
                for (value, column) in columns.into_iter().enumerate() {
                    let from = Spaced { first: column.wrapping_add(done * 16 / N), stride: (16 / N).cast_signed() };
                    let to = Spaced { first: records.at(done).wrapping_add(value * 16 / N), stride };
                    // SAFETY: as above, for the values that are left.
                    unsafe { each(16 / N, from, to, n - done) };
                }
            }
        }
    }
}

//! Bit-packed values through views, beside the algorithm that LLAMA has for them, written by hand: one value at a time,
//! from the word of 32 bits that it starts in and, if need be, the next.
//!
//! `cargo bench --bench bitpack`; with `-- ratio`, only the ratios of views to hand-written loops.

#[path = "kernels/ratio.rs"]
mod ratio;

use core::hint::black_box;
use core::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput};
use layout::prelude::*;
use layout::{BitPackedFloatSoA, BitPackedIntSoA, Bits, DynBits, DynFloatBits, FloatBits, KeepSign, Lanes, Wrap};

const W: usize = 16;

/// Words of 32 bits with values of `bits` bits each, as LLAMA has them.
#[derive(Clone)]
struct Words {
    words: Vec<u32>,
    bits: u32,
}

impl Words {
    fn new(count: usize, bits: u32) -> Self {
        Self { words: vec![0; (count * bits as usize).div_ceil(32)], bits }
    }

    #[inline(always)]
    fn mask(bits: u32) -> u32 {
        u32::MAX >> (32 - bits)
    }

    /// Value `i`, without sign.
    #[inline(always)]
    fn get(&self, i: usize, bits: u32) -> u32 {
        let bit = i * bits as usize;
        let (word, offset) = (bit / 32, (bit % 32) as u32);
        // SAFETY: there are words for all values.
        let mut value = unsafe { self.words.get_unchecked(word) } >> offset;
        if offset + bits > 32 {
            // SAFETY: as above.
            value |= unsafe { self.words.get_unchecked(word + 1) } << (32 - offset);
        }
        value & Self::mask(bits)
    }

    /// Value `i`, with its sign.
    #[inline(always)]
    fn get_signed(&self, i: usize, bits: u32) -> i32 {
        let value = self.get(i, bits);
        let sign = 1 << (bits - 1);
        (if value & sign == 0 { value } else { value | !Self::mask(bits) }).cast_signed()
    }

    #[inline(always)]
    fn set(&mut self, i: usize, bits: u32, value: u32) {
        let bit = i * bits as usize;
        let (word, offset) = (bit / 32, (bit % 32) as u32);
        let (mask, value) = (Self::mask(bits), value & Self::mask(bits));
        // SAFETY: there are words for all values.
        let low = unsafe { self.words.get_unchecked_mut(word) };
        *low = *low & !(mask << offset) | value << offset;
        if offset + bits > 32 {
            // SAFETY: as above.
            let high = unsafe { self.words.get_unchecked_mut(word + 1) };
            *high = *high & !(mask >> (32 - offset)) | value >> (32 - offset);
        }
    }
}

/// A float of other widths, as LLAMA repacks it: the mantissa cut, too small exponents as zero.
#[inline(always)]
fn repack(bits: u32, from: (u32, u32), to: (u32, u32)) -> u32 {
    let ((from_e, from_m), (to_e, to_m)) = (from, to);
    let ones = |bits: u32| (1_u32 << bits) - 1;
    let (sign, exponent, mantissa) =
        (bits >> (from_e + from_m) & 1, bits >> from_m & ones(from_e), bits & ones(from_m));
    let mut mantissa = if from_m > to_m { mantissa >> (from_m - to_m) } else { mantissa << (to_m - from_m) };
    let exponent = if exponent == ones(from_e) {
        ones(to_e)
    } else if exponent == 0 {
        0
    } else {
        let exponent = (exponent + ones(to_e - 1)).cast_signed() - ones(from_e - 1).cast_signed();
        if exponent <= 0 {
            mantissa = 0;
            0
        } else if exponent >= ones(to_e).cast_signed() {
            mantissa = 0;
            ones(to_e)
        } else {
            exponent.cast_unsigned()
        }
    };
    sign << (to_e + to_m) | exponent << to_m | mantissa
}

type Vector<T, L> = Owned<Mapped<T, DynExtents<1>, L>>;

/// The kernels over views, of a type that is a leaf by name: none is inlined.
macro_rules! kernels {
    ($type:ident, $one:literal, |$a:ident, $b:ident| $plus:expr) => {
        #[inline(never)]
        fn read_lanes<L: RecordLayout<Self>>(from: &Vector<Self, L>, to: &mut Vector<Self, SoA>) {
            zip((from, to))
                .for_each_lanes::<W>(|(from, mut to)| to.set(from.get()), |(from, mut to)| to.set(from.get()));
        }

        #[inline(never)]
        fn read_loop<L: RecordLayout<Self>>(from: &Vector<Self, L>, to: &mut Vector<Self, SoA>) {
            zip((from, to)).for_each(|(from, mut to)| to.set(from.get()));
        }

        #[inline(never)]
        fn write_lanes<L: RecordLayout<Self>>(to: &mut Vector<Self, L>, from: &Vector<Self, SoA>) {
            zip((from, to))
                .for_each_lanes::<W>(|(from, mut to)| to.set(from.get()), |(from, mut to)| to.set(from.get()));
        }

        #[inline(never)]
        fn write_loop<L: RecordLayout<Self>>(to: &mut Vector<Self, L>, from: &Vector<Self, SoA>) {
            zip((from, to)).for_each(|(from, mut to)| to.set(from.get()));
        }

        #[inline(never)]
        fn update_lanes<L: RecordLayout<Self>>(view: &mut Vector<Self, L>) {
            view.for_each_lanes_mut::<W>(
                |mut slot| slot += Lanes::splat($one),
                |mut slot| slot.set(slot.get().plus($one)),
            );
        }

        #[inline(never)]
        fn update_loop<L: RecordLayout<Self>>(view: &mut Vector<Self, L>) {
            view.for_each_mut(|mut slot| slot.set(slot.get().plus($one)));
        }

        const ONE: Self = $one;

        #[inline(always)]
        fn plus(self, other: Self) -> Self {
            let ($a, $b) = (self, other);
            $plus
        }
    };
}

/// What the loops need to know of a type.
trait Value: Leaf + Default + PartialEq + core::fmt::Debug {
    const ONE: Self;
    fn sample(i: usize, bits: u32) -> Self;
    fn get(words: &Words, i: usize, how: How) -> Self;
    fn set(words: &mut Words, i: usize, how: How, value: Self);
    fn plus(self, other: Self) -> Self;
    fn read_lanes<L: RecordLayout<Self>>(from: &Vector<Self, L>, to: &mut Vector<Self, SoA>);
    fn read_loop<L: RecordLayout<Self>>(from: &Vector<Self, L>, to: &mut Vector<Self, SoA>);
    fn write_lanes<L: RecordLayout<Self>>(to: &mut Vector<Self, L>, from: &Vector<Self, SoA>);
    fn write_loop<L: RecordLayout<Self>>(to: &mut Vector<Self, L>, from: &Vector<Self, SoA>);
    fn update_lanes<L: RecordLayout<Self>>(view: &mut Vector<Self, L>);
    fn update_loop<L: RecordLayout<Self>>(view: &mut Vector<Self, L>);
}

/// How values are stored: bits of the whole, and of the parts of a float.
#[derive(Clone, Copy)]
struct How {
    bits: u32,
    float: (u32, u32),
}

macro_rules! integers {
    ($($type:ident $get:ident)+) => {$(
        impl Value for $type {
            fn sample(i: usize, bits: u32) -> Self {
                let value = (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
                // Within the range with and without sign.
                (value % (1 << (bits - 1))) as Self
            }
            #[inline(always)]
            fn get(words: &Words, i: usize, how: How) -> Self {
                words.$get(i, how.bits) as Self
            }
            #[inline(always)]
            fn set(words: &mut Words, i: usize, how: How, value: Self) {
                words.set(i, how.bits, value as u32);
            }
            kernels!($type, 1, |a, b| a.wrapping_add(b));
        }
    )+};
}

integers!(u16 get u32 get i32 get_signed);

impl Value for f32 {
    fn sample(i: usize, _: u32) -> Self {
        // Few bits, so that both sides store them without loss.
        (i % 61) as f32 * 0.5 - 15.0
    }
    #[inline(always)]
    fn get(words: &Words, i: usize, how: How) -> Self {
        Self::from_bits(repack(words.get(i, how.bits), how.float, (8, 23)))
    }
    #[inline(always)]
    fn set(words: &mut Words, i: usize, how: How, value: Self) {
        words.set(i, how.bits, repack(value.to_bits(), (8, 23), how.float));
    }
    kernels!(f32, 1.0, |a, b| a + b);
}

/// Runs each kernel over a view, and over words. Both know the number of bits at compile time, or neither.
struct Kernels<'c> {
    count: usize,
    group: Option<BenchmarkGroup<'c, WallTime>>,
}

#[inline(never)]
fn hand_read<T: Value, const BITS: u32, const E: u32, const M: u32>(words: &Words, to: &mut [T], how: How) {
    let how = if BITS == 0 { how } else { How { bits: BITS, float: (E, M) } };
    for (i, to) in to.iter_mut().enumerate() {
        *to = T::get(words, i, how);
    }
}

#[inline(never)]
fn hand_write<T: Value, const BITS: u32, const E: u32, const M: u32>(words: &mut Words, from: &[T], how: How) {
    let how = if BITS == 0 { how } else { How { bits: BITS, float: (E, M) } };
    for (i, from) in from.iter().enumerate() {
        T::set(words, i, how, *from);
    }
}

#[inline(never)]
fn hand_update<T: Value, const BITS: u32, const E: u32, const M: u32>(words: &mut Words, count: usize, how: How) {
    let how = if BITS == 0 { how } else { How { bits: BITS, float: (E, M) } };
    for i in 0..count {
        let value = T::get(words, i, how).plus(T::ONE);
        T::set(words, i, how, value);
    }
}

impl Kernels<'_> {
    fn pair<S>(&mut self, name: &str, state: &mut S, mut view: impl FnMut(&mut S), mut hand: impl FnMut(&mut S)) {
        if let Some(group) = &mut self.group {
            group.bench_function(format!("{name}/view"), |b| b.iter(|| view(state)));
            group.bench_function(format!("{name}/hand"), |b| b.iter(|| hand(state)));
        } else {
            ratio::print(&format!("bitpack {} {name}", self.count), state, view, hand);
        }
    }

    /// All kernels of one layout. `BITS` is zero if the number is known at run time only.
    fn run<T: Value, L: RecordLayout<T>, const BITS: u32, const E: u32, const M: u32>(
        &mut self,
        name: &str,
        layout: L,
        how: How,
    ) {
        let count = self.count;
        let samples: Vec<T> = (0..count).map(|i| T::sample(i, how.bits)).collect();
        let from = alloc_from_fn::<T, SoA, _>(count, |[i]| samples[i]).expect("memory");
        let mapping = Mapped::with(extents!(dyn count), layout, RowMajor).expect("bits that fit");
        let mut packed: Vector<T, L> = View::zeroed(mapping).expect("memory");
        let mut words = Words::new(count, how.bits);

        // Both store and read the same.
        let (mut to, mut vec) = (alloc::<T, SoA, _>(count).expect("memory"), vec![T::default(); count]);
        for lanes in [false, true] {
            if lanes {
                T::write_lanes(&mut packed, &from);
                T::read_lanes(&packed, &mut to);
            } else {
                T::write_loop(&mut packed, &from);
                T::read_loop(&packed, &mut to);
            }
            assert_eq!(to.to_vec(), samples, "{name}");
            to.fill(T::default());
        }
        hand_write::<T, BITS, E, M>(&mut words, &samples, how);
        hand_read::<T, BITS, E, M>(&words, &mut vec, how);
        assert_eq!(vec, samples, "{name}, by hand");

        let mut state = (packed, words, to, vec);
        for lanes in [true, false] {
            let access = if lanes { "lanes" } else { "loop" };
            self.pair(
                &format!("read {name}/{access}"),
                &mut state,
                |(packed, _, to, _)| {
                    if lanes {
                        T::read_lanes(black_box(packed), to);
                    } else {
                        T::read_loop(black_box(packed), to);
                    }
                },
                |(_, words, _, vec)| hand_read::<T, BITS, E, M>(black_box(words), vec, black_box(how)),
            );
            self.pair(
                &format!("write {name}/{access}"),
                &mut state,
                |(packed, ..)| {
                    if lanes {
                        T::write_lanes(black_box(packed), &from);
                    } else {
                        T::write_loop(black_box(packed), &from);
                    }
                },
                |(_, words, ..)| hand_write::<T, BITS, E, M>(black_box(words), &samples, black_box(how)),
            );
            self.pair(
                &format!("update {name}/{access}"),
                &mut state,
                |(packed, ..)| {
                    if lanes {
                        T::update_lanes(black_box(packed));
                    } else {
                        T::update_loop(black_box(packed));
                    }
                },
                |(_, words, ..)| hand_update::<T, BITS, E, M>(black_box(words), count, black_box(how)),
            );
        }
    }

    fn integers<T: Value, const BITS: u32>(&mut self, name: &str) {
        let how = How { bits: BITS, float: (0, 0) };
        let name = format!("{name} {BITS} bits");
        let layout = BitPackedIntSoA::<Bits<BITS>, KeepSign, Wrap>::default();
        self.run::<T, _, BITS, 0, 0>(&format!("{name} const"), layout, how);
        let layout = BitPackedIntSoA::<_, KeepSign, Wrap>::new(DynBits(black_box(BITS)));
        self.run::<T, _, 0, 0, 0>(&format!("{name} dyn"), layout, how);
    }

    fn floats<const BITS: u32, const E: u32, const M: u32>(&mut self) {
        let how = How { bits: BITS, float: (E, M) };
        self.run::<f32, _, BITS, E, M>(
            &format!("f32 e{E}m{M} const"),
            BitPackedFloatSoA::<FloatBits<E, M>>::default(),
            how,
        );
        let layout = BitPackedFloatSoA::new(black_box(DynFloatBits { exponent: E, mantissa: M }));
        self.run::<f32, _, 0, 0, 0>(&format!("f32 e{E}m{M} dyn"), layout, how);
    }

    fn all(&mut self) {
        self.integers::<u16, 7>("u16");
        self.integers::<u16, 12>("u16");
        self.integers::<u32, 7>("u32");
        self.integers::<u32, 12>("u32");
        self.integers::<u32, 19>("u32");
        self.integers::<i32, 7>("i32");
        self.integers::<i32, 12>("i32");
        self.integers::<i32, 19>("i32");
        self.floats::<16, 5, 10>();
        self.floats::<16, 8, 7>();
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let count = if cfg!(debug_assertions) { 200 } else { 1 << 14 };
    if ratio::wanted() {
        Kernels { count, group: None }.all();
    }
    let mut group = criterion.benchmark_group(format!("bitpack/{count}"));
    group.sample_size(10).warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_millis(500));
    group.throughput(Throughput::Elements(count as u64));
    Kernels { count, group: Some(group) }.all();
    criterion.final_summary();
}

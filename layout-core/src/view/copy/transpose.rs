//! Leaves that lie side by side in records, and in a column each elsewhere: transposed in registers.
//!
//! ```text
//! for 16 (or 8) records at a time:
//!     load the bytes of the group from each record      at most 32, by a mask where there are fewer
//!     transpose words of 4 (or 8) bytes                 a vector for each word
//!     store each vector to its column                   words of several leaves are taken apart first
//! ```
//!
//! The other direction goes the same way backwards. The compiler finds none of this by itself, since strides are known
//! at run time only, and since it cannot know that columns do not overlap.
//!
//! What failed: writing columns past the cache (1.5 to 2 times as slow on Zen 5), addresses of records computed one by
//! one (1.2 times: instructions are what such a loop runs out of), masks of single bytes where words would do (1.1).

use core::arch::x86_64::__m256i;
#[cfg(all(target_feature = "avx512bw", target_feature = "avx512vl"))]
use core::arch::x86_64::__m512i;
use core::ops::Range;

use super::each::{Spaced, each};
use super::places::Line;
use super::plan::Field;
use super::vector::{ALL, BYTES, Mask, Vector, WORDS};

/// The most words of four bytes in a group.
pub(super) const MAX_WORDS: usize = 8;
/// The most leaves in a group.
pub(super) const MAX_COLUMNS: usize = 4 * MAX_WORDS;

/// Leaves that lie side by side in a record, and in a column each on the other side.
pub(super) struct Group {
    /// The size of a word in bytes: 4, or 8 if all leaves have that size.
    pub(super) word: usize,
    /// The number of words: at most eight, or four of eight bytes.
    pub(super) words: usize,
    /// The size of the leaves in each word.
    pub(super) sizes: [usize; MAX_WORDS],
    /// Whether each word is one leaf.
    pub(super) plain: bool,
    /// The number of leaves; the last word may lack some.
    pub(super) leaves: usize,
    /// The bytes of all leaves in a record.
    pub(super) mask: Mask,
    /// How many more records must follow before 32 bytes of a record can be read, where all bytes of records are leaves
    /// that are copied: bytes of the next records then.
    pub(super) more: Option<usize>,
    /// Where each column has the value of position 0.
    pub(super) columns: [*mut u8; MAX_COLUMNS],
}

/// The elements of a copy of a group: where they start on the side of the columns, and how many they are.
#[derive(Clone, Copy)]
pub(super) struct Span {
    /// What is to be added to the address of each column, for the run of the first element.
    pub(super) run: isize,
    /// The lane of the first element in its run.
    pub(super) lane: usize,
    /// The number of lanes of a run, and the distance between runs in bytes.
    pub(super) lanes: usize,
    pub(super) block: isize,
    pub(super) len: usize,
}

impl Span {
    /// Where a column of values of `size` bytes has the element `k` further in the run.
    #[inline(always)]
    fn of(&self, column: *mut u8, size: usize, k: usize) -> *mut u8 {
        column.wrapping_offset(self.run).wrapping_add((self.lane + k) * size)
    }
}

/// How many of the fields, from the first one on, go together: at least three, or 1. `sides` gives the side of the records
/// first, which is even; neighbours on the other side are `step` positions apart. The last word lacks some of its leaves only
/// if it `may_lack` them: stores of single bytes by a mask take longer than those of two or three leaves, but not of more.
pub(super) fn together<'f>(
    fields: &'f [Field],
    step: isize,
    may_lack: bool,
    sides: impl Fn(&'f Field) -> (&'f Line, &'f Line),
) -> usize {
    let (_, first) = sides(&fields[0]);
    let goes = |k: usize, size: usize| {
        let (Some(field), Some(last)) = (fields.get(k), fields.get(k.wrapping_sub(1)).or(fields.first())) else {
            return false;
        };
        let ((record, column), (before, _)) = (sides(field), sides(last));
        field.size == size
            && column.stride.wrapping_mul(step) == size.cast_signed()
            && (column.lanes, column.block) == (first.lanes, first.block)
            && (k == 0 || before.is_before(record, last.size))
    };
    let mut count = 0;
    if fields[0].size == 8 {
        while count < MAX_WORDS / 2 && goes(count, 8) {
            count += 1;
        }
    } else {
        for _ in 0..MAX_WORDS {
            let size = fields.get(count).map_or(0, |field| field.size);
            let parts = if matches!(size, 1 | 2 | 4) { 4 / size } else { 0 };
            let fitting = (0..parts).take_while(|part| goes(count + part, size)).count();
            count += if fitting == parts || (may_lack || fields[0].size < 4) && Mask::ANY { fitting } else { 0 };
            if fitting == 0 || fitting < parts {
                break;
            }
        }
    }
    if count < 3 { 1 } else { count }
}

impl Group {
    /// The group of these columns, each with the size of its values, that go [`together`]; `dense` is the distance of
    /// records that consist of such leaves only, one after another.
    pub(super) fn new(columns: impl Iterator<Item = (*mut u8, usize)>, dense: Option<usize>) -> Self {
        let mut group = Self {
            word: 4,
            words: 0,
            sizes: [4; MAX_WORDS],
            plain: true,
            leaves: 0,
            mask: Mask::first(0),
            more: None,
            columns: [core::ptr::null_mut(); MAX_COLUMNS],
        };
        let mut bytes = 0;
        for (column, size) in columns {
            group.word = size.max(4);
            group.plain &= size >= 4;
            group.sizes[bytes / group.word] = size;
            group.columns[group.leaves] = column;
            group.leaves += 1;
            bytes += size;
        }
        group.words = bytes.div_ceil(group.word);
        group.mask = Mask::first(bytes);
        group.more = dense.map(|stride| (32 - bytes).div_ceil(stride));
        group
    }

    /// Copies from records to columns if `GATHER`, and else from columns to records.
    ///
    /// # Safety
    ///
    /// The bytes of the group can be read on one side, where they are initialized, and be written on the other, for all
    /// elements; both do not overlap.
    #[inline(never)]
    pub(super) unsafe fn copy<const GATHER: bool>(&self, records: Spaced, mut span: Span) {
        let mut done = 0;
        while done < span.len {
            let (records, len) = (records.from(done), (span.lanes - span.lane).min(span.len - done));
            let k = 0;
            #[cfg(all(target_feature = "avx512bw", target_feature = "avx512vl"))]
            // SAFETY: the conditions are the caller's, for the elements of this run.
            let k = unsafe { self.tiles::<__m512i, GATHER>(records, &span, k..len, span.len - done) };
            // SAFETY: as above.
            let k = unsafe { self.tiles::<__m256i, GATHER>(records, &span, k..len, span.len - done) };
            if k < len {
                let mut record = records.from(k);
                for (column, size) in self.leaves() {
                    let column = Spaced { first: span.of(column, size, k), stride: size.cast_signed() };
                    let (to, from) = if GATHER { (column, record) } else { (record, column) };
                    // SAFETY: as above, for one leaf.
                    unsafe { each(size, to, from, len - k) };
                    record.first = record.first.wrapping_add(size);
                }
            }
            done += len;
            span.run = span.run.wrapping_add(span.block);
            span.lane = 0;
        }
    }

    /// The columns, each with the size of its values, in the order of the record.
    fn leaves(&self) -> impl Iterator<Item = (*mut u8, usize)> {
        let sizes = self.sizes[..self.words].iter().flat_map(|size| core::iter::repeat_n(*size, self.word / size));
        self.columns[..self.leaves].iter().copied().zip(sizes)
    }

    /// Copies the elements `range` of a run, as many as fill whole vectors; gives the number of the first that is left.
    /// There are `count` records.
    ///
    /// # Safety
    ///
    /// As [`copy`](Self::copy).
    #[inline(always)]
    unsafe fn tiles<V: Vector, const GATHER: bool>(
        &self,
        records: Spaced,
        span: &Span,
        range: Range<usize>,
        count: usize,
    ) -> usize {
        let elements = V::SIZE / self.word;
        let mut k = range.start;
        if range.len() < elements {
            return k;
        }
        let mut records = records.from(k);
        macro_rules! all {
            ($tile:ident $form:ident) => {
                all!($tile $form range.end)
            };
            ($tile:ident $form:ident $end:expr) => {
                while k + elements <= $end {
                    // SAFETY: the conditions are the caller's, for so many elements.
                    unsafe { self.$tile::<V, GATHER, $form>(records, span, k) };
                    records = records.from(elements);
                    k += elements;
                }
            };
        }
        if let Some(more) = self.more
            && GATHER
            && self.plain
            && self.word == 4
        {
            all!(tile_4 ALL range.end.min(count.saturating_sub(more)));
        }
        match (self.word, self.plain, self.mask.form()) {
            (8, _, ALL) => all!(tile_8 ALL),
            (8, _, _) => all!(tile_8 WORDS),
            (_, true, ALL) => all!(tile_4 ALL),
            (_, true, _) => all!(tile_4 WORDS),
            (_, false, BYTES) => all!(tile_of_parts BYTES),
            (_, false, _) => all!(tile_of_parts WORDS),
        }
        k
    }

    /// One tile of words of eight bytes.
    ///
    /// # Safety
    ///
    /// As [`tiles`](Self::tiles).
    #[inline(always)]
    unsafe fn tile_8<V: Vector, const GATHER: bool, const FORM: usize>(&self, records: Spaced, span: &Span, k: usize) {
        let rows = rows_of::<V>(records, 2);
        if GATHER {
            let rows: [V; 4] = core::array::from_fn(|row| {
                // SAFETY: the conditions are the caller's.
                unsafe { V::load_records::<FORM>(rows[row].0, rows[row].1, self.mask) }
            });
            for (word, vector) in to_columns_8(rows).into_iter().enumerate() {
                if word < self.words {
                    // SAFETY: as above.
                    unsafe { vector.store(span.of(self.columns[word], 8, k)) };
                }
            }
        } else {
            let columns: [V; 4] = core::array::from_fn(|word| {
                // SAFETY: as above; what is beyond the last column is not stored.
                unsafe { V::load(span.of(self.columns[word.min(self.words - 1)], 8, k)) }
            });
            for (vector, (first, second)) in to_rows_8(columns).into_iter().zip(rows) {
                // SAFETY: as above.
                unsafe { vector.store_records::<FORM>(first, second, self.mask) };
            }
        }
    }

    /// One tile of words of four bytes, a leaf each.
    ///
    /// # Safety
    ///
    /// As [`tiles`](Self::tiles).
    #[inline(always)]
    unsafe fn tile_4<V: Vector, const GATHER: bool, const FORM: usize>(&self, records: Spaced, span: &Span, k: usize) {
        if GATHER {
            // SAFETY: the conditions are the caller's.
            let columns = unsafe { self.load_4::<V, FORM>(records) };
            for (word, vector) in columns.into_iter().enumerate() {
                if word < self.words {
                    // SAFETY: as above.
                    unsafe { vector.store(span.of(self.columns[word], 4, k)) };
                }
            }
        } else {
            let columns: [V; 8] = core::array::from_fn(|word| {
                // SAFETY: as above; what is beyond the last column is not stored.
                unsafe { V::load(span.of(self.columns[word.min(self.words - 1)], 4, k)) }
            });
            // SAFETY: as above.
            unsafe { self.store_4::<V, FORM>(columns, records) };
        }
    }

    /// One tile of words of four bytes, of one leaf or several.
    ///
    /// # Safety
    ///
    /// As [`tiles`](Self::tiles).
    #[inline(always)]
    unsafe fn tile_of_parts<V: Vector, const GATHER: bool, const FORM: usize>(
        &self,
        records: Spaced,
        span: &Span,
        k: usize,
    ) {
        let elements = V::SIZE / 4;
        let mut leaf = 0;
        if GATHER {
            // SAFETY: the conditions are the caller's.
            let columns = unsafe { self.load_4::<V, FORM>(records) };
            for (vector, size) in columns.into_iter().zip(self.sizes).take(self.words) {
                let vector = match size {
                    4 => {
                        // SAFETY: as above.
                        unsafe { vector.store(span.of(self.columns[leaf], 4, k)) };
                        leaf += 1;
                        continue;
                    }
                    2 => vector.planes_2(),
                    _ => vector.planes_1(),
                };
                let mut planes = Planes([0; 64]);
                // SAFETY: there is room for the largest vector.
                unsafe { vector.store(planes.0.as_mut_ptr()) };
                for plane in 0..(4 / size).min(self.leaves - leaf) {
                    let from = planes.0.as_mut_ptr().wrapping_add(plane * size * elements);
                    // SAFETY: as above.
                    unsafe { copy_plane(span.of(self.columns[leaf], size, k), from, size * elements) };
                    leaf += 1;
                }
            }
        } else {
            let columns: [V; 8] = core::array::from_fn(|word| {
                // What is beyond the last leaf is not stored.
                let size = self.sizes[word.min(self.words - 1)];
                let plane =
                    |part: usize| span.of(self.columns[(leaf + part).min(self.leaves - 1)], size, k).cast_const();
                let vector = match size {
                    // SAFETY: as above.
                    4 => unsafe { V::load(plane(0)) },
                    // SAFETY: as above.
                    2 => unsafe { V::join_2([0, 1].map(plane)) },
                    // SAFETY: as above.
                    _ => unsafe { V::join_1([0, 1, 2, 3].map(plane)) },
                };
                leaf += 4 / size;
                vector
            });
            // SAFETY: as above.
            unsafe { self.store_4::<V, FORM>(columns, records) };
        }
    }

    /// The words of four bytes of some records, as columns.
    ///
    /// # Safety
    ///
    /// As [`tiles`](Self::tiles).
    #[inline(always)]
    unsafe fn load_4<V: Vector, const FORM: usize>(&self, records: Spaced) -> [V; 8] {
        let rows = rows_of::<V>(records, 4);
        to_columns_4(core::array::from_fn(|row| {
            // SAFETY: the conditions are the caller's.
            unsafe { V::load_records::<FORM>(rows[row].0, rows[row].1, self.mask) }
        }))
    }

    /// Writes columns to the words of four bytes of some records.
    ///
    /// # Safety
    ///
    /// As [`tiles`](Self::tiles).
    #[inline(always)]
    unsafe fn store_4<V: Vector, const FORM: usize>(&self, columns: [V; 8], records: Spaced) {
        for (vector, (first, second)) in to_rows_4(columns).into_iter().zip(rows_of::<V>(records, 4)) {
            // SAFETY: the conditions are the caller's.
            unsafe { vector.store_records::<FORM>(first, second, self.mask) };
        }
    }
}

/// Four rows of four values of four bytes in each lane, transposed.
#[inline(always)]
fn in_lanes<V: Vector>([a, b, c, d]: [V; 4]) -> [V; 4] {
    let ([ab, ab_high], [cd, cd_high]) = (a.unpack_4(b), c.unpack_4(d));
    let ([first, second], [third, fourth]) = (ab.unpack_8(cd), ab_high.unpack_8(cd_high));
    [first, second, third, fourth]
}

/// Words of eight rows (see [`rows_of`]), as columns.
#[inline(always)]
fn to_columns_4<V: Vector>([a, b, c, d, e, f, g, h]: [V; 8]) -> [V; 8] {
    let ([a, b, c, d], [e, f, g, h]) = (in_lanes([a, b, c, d]), in_lanes([e, f, g, h]));
    let ([a, e], [b, f], [c, g], [d, h]) = (a.split_lanes(e), b.split_lanes(f), c.split_lanes(g), d.split_lanes(h));
    [a, b, c, d, e, f, g, h]
}

/// Eight columns, as rows.
#[inline(always)]
fn to_rows_4<V: Vector>([a, b, c, d, e, f, g, h]: [V; 8]) -> [V; 8] {
    let ([a, e], [b, f], [c, g], [d, h]) = (a.weave_lanes(e), b.weave_lanes(f), c.weave_lanes(g), d.weave_lanes(h));
    let ([a, b, c, d], [e, f, g, h]) = (in_lanes([a, b, c, d]), in_lanes([e, f, g, h]));
    [a, b, c, d, e, f, g, h]
}

/// Words of eight bytes of four rows (see [`rows_of`]), as columns.
#[inline(always)]
fn to_columns_8<V: Vector>([a, b, c, d]: [V; 4]) -> [V; 4] {
    let ([a, b], [c, d]) = (a.unpack_8(b), c.unpack_8(d));
    let ([a, c], [b, d]) = (a.split_lanes(c), b.split_lanes(d));
    [a, b, c, d]
}

/// Four columns, as rows.
#[inline(always)]
fn to_rows_8<V: Vector>([a, b, c, d]: [V; 4]) -> [V; 4] {
    let ([a, c], [b, d]) = (a.weave_lanes(c), b.weave_lanes(d));
    let ([a, b], [c, d]) = (a.unpack_8(b), c.unpack_8(d));
    [a, b, c, d]
}

/// The addresses of the records that each row of a transpose starts with. A vector of two records has as its second one
/// that which lies as many records further as a lane has `values`.
#[inline(always)]
fn rows_of<V: Vector>(records: Spaced, values: usize) -> [(*mut u8, *mut u8); 8] {
    let low = records.eight();
    let high = if V::RECORDS == 1 { low } else { records.from(8).eight() };
    core::array::from_fn(|row| match (V::RECORDS, values) {
        (1, _) => (low[row], low[row]),
        (_, 4) if row < 4 => (low[row], low[row + 4]),
        (_, 4) => (high[row - 4], high[row]),
        _ => (low[(row + row / 2 * 2) % 8], low[(row + row / 2 * 2 + 2) % 8]),
    })
}

/// Copies one part of a vector, of a size that a vector may have for values of one, two or four bytes.
///
/// # Safety
///
/// The bytes can be read and written, and are initialized.
#[inline(always)]
unsafe fn copy_plane(to: *mut u8, from: *mut u8, size: usize) {
    match size {
        // SAFETY: the conditions are the caller's, here and below.
        8 => unsafe { to.copy_from_nonoverlapping(from, 8) },
        // SAFETY: as above.
        16 => unsafe { to.copy_from_nonoverlapping(from, 16) },
        // SAFETY: as above.
        32 => unsafe { to.copy_from_nonoverlapping(from, 32) },
        // SAFETY: as above.
        64 => unsafe { to.copy_from_nonoverlapping(from, 64) },
        _ => unreachable!("parts of vectors"),
    }
}

/// A vector in memory.
#[repr(C, align(64))]
struct Planes([u8; 64]);

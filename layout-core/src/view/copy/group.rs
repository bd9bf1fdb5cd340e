//! Leaves that lie near each other in records, and in a column each elsewhere: transposed in registers.
//!
//! ```text
//! for 16 (or 8) records at a time:
//!     load the window of the group from each record     32 bytes, by a mask where some are in no leaf
//!     transpose words of 4 (or 8) bytes                 a vector for each word
//!     store each vector to its column                   shorter leaves are cut out of words, longer ones put together
//! ```
//!
//! The other direction goes the same way backwards. The compiler finds none of this by itself, since strides are known
//! at run time only, and since it cannot know that columns do not overlap.
//!
//! What failed: writing columns past the cache (1.5 to 2 times as slow on Zen 5), addresses of records computed one by
//! one (1.2 times: instructions are what such a loop runs out of), masks of single bytes where words would do (1.1).

#[cfg(all(target_feature = "avx512bw", target_feature = "avx512vl"))]
use core::arch::x86_64::__m512i;
use core::arch::x86_64::{__m256i, _MM_HINT_T0, _mm_prefetch};
use core::ops::Range;

use super::each::{Grid, Spaced, each};
use super::narrow::Narrow;
use super::transpose::{
    halves, joined, rows_of, to_columns_1, to_columns_4, to_columns_8, to_rows_1, to_rows_4, to_rows_8,
};
use super::vector::{ALL, BYTES, Mask, Vector, WORDS};

/// The bytes of a record that a group is of; and so the most leaves in a group.
pub(super) const WINDOW: usize = 32;
/// The number of words of four bytes in them.
const WORDS_IN: usize = WINDOW / 4;

/// The bytes of a line of the cache.
const LINE: usize = 64;

/// A leaf in a group.
#[derive(Clone, Copy)]
pub(super) struct Part {
    /// Where its column has the value of position 0.
    pub(super) column: *mut u8,
    /// The size of a value: 1, 2, 4 or 8.
    pub(super) size: usize,
    /// Where it lies in the window.
    pub(super) at: usize,
}

/// How leaves are copied that lie within 32 bytes of a record, the *window*, and in a column each on the other side.
#[derive(Clone, Copy)]
pub(super) struct Group {
    /// The size of a word in bytes: 4, or 8 if all leaves have that size.
    word: usize,
    /// Whether each word is one leaf, without gaps between.
    plain: bool,
    /// The bytes of all leaves.
    mask: Mask,
    /// How many more records must follow before all of the window can be read, where all bytes of records are leaves that are
    /// copied: bytes of the next records then.
    more: Option<usize>,
    /// Whether records are a few leaves of one byte or two each, and nothing else.
    narrow: Option<Narrow>,
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
    /// Where the column of a leaf has the element `k` further in the run, of values of `size` bytes: as a constant, which is
    /// quicker than the size that the part says.
    #[inline(always)]
    pub(super) fn of(&self, part: &Part, size: usize, k: usize) -> *mut u8 {
        part.column.wrapping_offset(self.run).wrapping_add((self.lane + k) * size)
    }
}

/// What is fetched into the cache while a block is copied: what the next block needs, which lies so far away that the
/// processor does not notice in time.
#[derive(Clone, Copy)]
pub(super) struct Ahead {
    /// The next line of records.
    pub(super) records: *const u8,
    /// How many bytes of records are fetched for each element that is copied.
    pub(super) bytes: usize,
    /// How many elements further columns are fetched, and how many bytes beyond that; 0 and 0 if they are not.
    pub(super) columns: (usize, isize),
}

impl Ahead {
    /// Nothing.
    pub(super) const NONE: Self = Self { records: core::ptr::null(), bytes: 0, columns: (0, 0) };

    /// How many lines of records are fetched for so many elements.
    #[inline(always)]
    fn lines_of(self, elements: usize) -> usize {
        (self.bytes * elements).div_ceil(LINE)
    }

    /// Fetches so many more lines of records.
    #[inline(always)]
    fn fetch_records(&mut self, lines: usize) {
        for _ in 0..lines {
            fetch(self.records);
            self.records = self.records.wrapping_add(LINE);
        }
    }
}

/// Fetches the line of the cache at an address, if it can be read.
#[inline(always)]
fn fetch(at: *const u8) {
    // SAFETY: this is a hint, which changes no memory, and does nothing where there is none.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) };
}

/// Columns of values of one size.
struct Columns {
    /// Where they have the value of the first lane, in the first `count`.
    starts: [*mut u8; WORDS_IN],
    count: usize,
}

impl Group {
    /// The group of these leaves, in the order of the record, that go [`together`](super::groups); `dense` is the distance of
    /// records that consist of such leaves only, one after another.
    pub(super) fn new(parts: &[Part], dense: Option<usize>) -> Self {
        let mut group = Self {
            word: if parts[0].size == 8 { 8 } else { 4 },
            plain: true,
            mask: Mask::NONE,
            more: None,
            narrow: dense.and_then(|stride| Narrow::new(parts, stride)),
        };
        let mut end = 0;
        for part in parts {
            group.plain &= part.size == group.word && part.at == end;
            group.mask = group.mask.with(part.at, part.size);
            end = part.at + part.size;
        }
        if group.plain {
            group.more = dense.map(|stride| (WINDOW - end).div_ceil(stride));
        }
        group
    }

    /// Copies from records to columns if `GATHER`, and else from columns to records.
    ///
    /// # Safety
    ///
    /// The parts are those of the group, whose bytes can be read on one side, where they are initialized, and be written on the other, for all
    /// elements; both do not overlap.
    #[inline(never)]
    pub(super) unsafe fn copy<const GATHER: bool>(
        &self,
        parts: &[Part],
        records: Spaced,
        mut span: Span,
        mut ahead: Ahead,
    ) {
        let mut done = 0;
        while done < span.len {
            let (records, len) = (records.from(done), (span.lanes - span.lane).min(span.len - done));
            let k = 0;
            #[cfg(all(target_feature = "avx512bw", target_feature = "avx512vl"))]
            // SAFETY: the conditions are the caller's, for the elements of this run.
            let k = unsafe { self.tiles_of_bytes::<__m512i, GATHER>(parts, records, &span, k..len) };
            // SAFETY: as above.
            let k = unsafe { self.tiles_of_bytes::<__m256i, GATHER>(parts, records, &span, k..len) };
            let k = match self.narrow {
                // SAFETY: as above; all records from this one on follow.
                Some(narrow) => unsafe { narrow.tiles::<GATHER>(parts, records, &span, k..len, span.len - done) },
                None => k,
            };
            #[cfg(all(target_feature = "avx512bw", target_feature = "avx512vl"))]
            // SAFETY: as above.
            let k =
                unsafe { self.tiles::<__m512i, GATHER>(parts, records, &span, k..len, span.len - done, &mut ahead) };
            // SAFETY: as above.
            let k =
                unsafe { self.tiles::<__m256i, GATHER>(parts, records, &span, k..len, span.len - done, &mut ahead) };
            if k < len {
                for part in parts {
                    let column = Spaced { first: span.of(part, part.size, k), stride: part.size.cast_signed() };
                    let record = Spaced { first: records.at(k).wrapping_add(part.at), ..records };
                    let (to, from) = if GATHER { (column, record) } else { (record, column) };
                    // SAFETY: as above, for one leaf.
                    unsafe { each(part.size, to, from, Grid::row(len - k)) };
                }
            }
            done += len;
            span.run = span.run.wrapping_add(span.block);
            span.lane = 0;
        }
    }

    /// Copies the elements `range` of a run, if records are four leaves of a byte each and nothing else, as many as fill four vectors;
    /// gives the number of the first that is left.
    ///
    /// # Safety
    ///
    /// As [`copy`](Self::copy).
    #[inline(always)]
    unsafe fn tiles_of_bytes<V: Vector, const GATHER: bool>(
        &self,
        parts: &[Part],
        records: Spaced,
        span: &Span,
        range: Range<usize>,
    ) -> usize {
        let mut k = range.start;
        if records.stride != 4 || !self.mask.is_one_word() || parts.len() != 4 {
            return k;
        }
        let columns: [*mut u8; 4] = core::array::from_fn(|byte| span.of(&parts[byte], 1, 0));
        while k + V::SIZE <= range.end {
            let rows: [*mut u8; 4] = core::array::from_fn(|row| records.first.wrapping_add(4 * k + row * V::SIZE));
            let columns = columns.map(|column| column.wrapping_add(k));
            let (to, from) = if GATHER { (columns, rows) } else { (rows, columns) };
            // SAFETY: the conditions are the caller's, for as many elements as a vector has bytes.
            let vectors = from.map(|from| unsafe { V::load(from) });
            let vectors = if GATHER { to_columns_1(vectors) } else { to_rows_1(vectors) };
            for (vector, to) in vectors.into_iter().zip(to) {
                // SAFETY: as above.
                unsafe { vector.store(to) };
            }
            k += V::SIZE;
        }
        k
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
        parts: &[Part],
        records: Spaced,
        span: &Span,
        range: Range<usize>,
        count: usize,
        ahead: &mut Ahead,
    ) -> usize {
        let elements = V::SIZE / if self.plain { self.word } else { 4 };
        let mut k = range.start;
        if range.len() < elements || !Mask::ANY && self.mask.form() == BYTES {
            return k;
        }
        let mut records = records.from(k);
        let lines = ahead.lines_of(elements);
        // Of words that are a leaf each: here, where no store can change them. What is beyond the last one is not used.
        let columns = core::array::from_fn(|word| span.of(&parts[word.min(parts.len() - 1)], self.word, 0));
        let columns = Columns { starts: columns, count: parts.len() };
        macro_rules! all {
            (@ tile_4) => {
                &columns
            };
            (@ tile_8) => {
                &columns
            };
            (@ $tile:ident) => {
                (parts, span)
            };
            ($tile:ident $form:ident) => {
                all!($tile $form range.end)
            };
            ($tile:ident $form:ident $end:expr) => {
                while k + elements <= $end {
                    ahead.fetch_records(lines);
                    if !GATHER && ahead.columns != (0, 0) {
                        for part in parts {
                            fetch(span.of(part, part.size, k + ahead.columns.0).wrapping_offset(ahead.columns.1));
                        }
                    }
                    // SAFETY: the conditions are the caller's, for so many elements.
                    unsafe { self.$tile::<V, GATHER, $form>(records, all!(@ $tile), k) };
                    records = records.from(elements);
                    k += elements;
                }
            };
        }
        if let Some(more) = self.more
            && GATHER
            && self.word == 4
        {
            all!(tile_4 ALL range.end.min(count.saturating_sub(more)));
        }
        if records.stride == 4 && self.mask.is_one_word() {
            all!(tile_of_one_word ALL);
        }
        match (self.plain, self.word, self.mask.form()) {
            (true, 8, ALL) => all!(tile_8 ALL),
            (true, 8, _) => all!(tile_8 WORDS),
            (true, _, ALL) => all!(tile_4 ALL),
            (true, _, _) => all!(tile_4 WORDS),
            (false, _, BYTES) => all!(tile_of_parts BYTES),
            (false, _, _) => all!(tile_of_parts WORDS),
        }
        k
    }

    /// One tile of words of eight bytes.
    ///
    /// # Safety
    ///
    /// As [`tiles`](Self::tiles).
    #[inline(always)]
    unsafe fn tile_8<V: Vector, const GATHER: bool, const FORM: usize>(
        &self,
        records: Spaced,
        columns: &Columns,
        k: usize,
    ) {
        let rows = rows_of::<V>(records, 2);
        if GATHER {
            let rows: [V; 4] = core::array::from_fn(|row| {
                // SAFETY: the conditions are the caller's.
                unsafe { V::load_records::<FORM>(rows[row].0, rows[row].1, self.mask) }
            });
            for (word, vector) in to_columns_8(rows).into_iter().enumerate() {
                if word < columns.count {
                    // SAFETY: as above.
                    unsafe { vector.store(columns.starts[word].wrapping_add(8 * k)) };
                }
            }
        } else {
            let vectors: [V; 4] = core::array::from_fn(|word| {
                // SAFETY: as above; what is beyond the last column is not stored.
                unsafe { V::load(columns.starts[word].wrapping_add(8 * k)) }
            });
            for (vector, (first, second)) in to_rows_8(vectors).into_iter().zip(rows) {
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
    unsafe fn tile_4<V: Vector, const GATHER: bool, const FORM: usize>(
        &self,
        records: Spaced,
        columns: &Columns,
        k: usize,
    ) {
        if GATHER {
            // SAFETY: the conditions are the caller's.
            let vectors = unsafe { self.load_4::<V, FORM>(records) };
            for (word, vector) in vectors.into_iter().enumerate() {
                if word < columns.count {
                    // SAFETY: as above.
                    unsafe { vector.store(columns.starts[word].wrapping_add(4 * k)) };
                }
            }
        } else {
            let vectors: [V; 8] = core::array::from_fn(|word| {
                // SAFETY: as above; what is beyond the last column is not stored.
                unsafe { V::load(columns.starts[word].wrapping_add(4 * k)) }
            });
            // SAFETY: as above.
            unsafe { self.store_4::<V, FORM>(vectors, records) };
        }
    }

    /// One tile of words of four bytes, each of one leaf or several or a half of one, with gaps or none.
    ///
    /// # Safety
    ///
    /// As [`tiles`](Self::tiles).
    #[inline(always)]
    unsafe fn tile_of_parts<V: Vector, const GATHER: bool, const FORM: usize>(
        &self,
        records: Spaced,
        (parts, span): (&[Part], &Span),
        k: usize,
    ) {
        let mut next = 0;
        // Written out for each word: vectors then stay in registers.
        macro_rules! words {
            ($($word:literal)+; |$low:ident, $high:ident, $part:ident| $do:expr) => {$(
                while let Some($part) = parts.get(next)
                    && $part.at / 4 == $word
                {
                    next += 1;
                    let ($low, $high): (usize, usize) = ($word, ($word + 1) % WORDS_IN);
                    $do;
                }
            )+};
        }
        if GATHER {
            // SAFETY: the conditions are the caller's.
            let columns = unsafe { self.load_4::<V, FORM>(records) };
            words!(0 1 2 3 4 5 6 7; |low, high, part| {
                // SAFETY: as above.
                unsafe { store_part(columns[low], columns[high], part, span, k) }
            });
        } else {
            // What is in no leaf is not stored.
            let mut columns = [V::zero(); WORDS_IN];
            words!(0 1 2 3 4 5 6 7; |low, high, part| {
                // SAFETY: as above.
                [columns[low], columns[high]] = unsafe { load_part(columns[low], columns[high], part, span, k) }
            });
            // SAFETY: as above.
            unsafe { self.store_4::<V, FORM>(columns, records) };
        }
    }

    /// One tile of records of one word, of several leaves without gaps: they are a vector as they are.
    ///
    /// # Safety
    ///
    /// As [`tiles`](Self::tiles).
    #[inline(always)]
    unsafe fn tile_of_one_word<V: Vector, const GATHER: bool, const FORM: usize>(
        &self,
        records: Spaced,
        (parts, span): (&[Part], &Span),
        k: usize,
    ) {
        if GATHER {
            // SAFETY: the conditions are the caller's.
            let vector = unsafe { V::load(records.first) };
            for part in parts {
                // SAFETY: as above.
                unsafe { store_part(vector, vector, part, span, k) };
            }
        } else {
            let mut vector = V::zero();
            for part in parts {
                // SAFETY: as above.
                [vector, _] = unsafe { load_part(vector, vector, part, span, k) };
            }
            // SAFETY: as above.
            unsafe { vector.store(records.first) };
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

/// Writes the leaf of a word, which may go on in the next word, to its column from element `k` on.
///
/// # Safety
///
/// As many values as a vector has words can be written there.
#[inline(always)]
unsafe fn store_part<V: Vector>(word: V, next: V, part: &Part, span: &Span, k: usize) {
    match part.size {
        // SAFETY: the condition is the caller's, here and below.
        1 => unsafe { word.store_1(part.at % 4, span.of(part, 1, k)) },
        // SAFETY: as above.
        2 => unsafe { word.store_2(part.at % 4, span.of(part, 2, k)) },
        // SAFETY: as above.
        4 => unsafe { word.store(span.of(part, 4, k)) },
        _ => {
            let ([first, second], to) = (joined(word, next), span.of(part, 8, k));
            // SAFETY: as above.
            unsafe { first.store(to) };
            // SAFETY: as above.
            unsafe { second.store(to.wrapping_add(V::SIZE)) };
        }
    }
}

/// The word, and the next one, with what [`store_part`] wrote.
///
/// # Safety
///
/// As many values as a vector has words can be read there, and are initialized.
#[inline(always)]
unsafe fn load_part<V: Vector>(word: V, next: V, part: &Part, span: &Span, k: usize) -> [V; 2] {
    match part.size {
        // SAFETY: the condition is the caller's, here and below.
        1 => [word.or(unsafe { V::load_1(part.at % 4, span.of(part, 1, k)) }), next],
        // SAFETY: as above.
        2 => [word.or(unsafe { V::load_2(part.at % 4, span.of(part, 2, k)) }), next],
        // SAFETY: as above.
        4 => [unsafe { V::load(span.of(part, 4, k)) }, next],
        _ => {
            let from = span.of(part, 8, k);
            // SAFETY: as above.
            let first = unsafe { V::load(from) };
            // SAFETY: as above.
            let second = unsafe { V::load(from.wrapping_add(V::SIZE)) };
            halves(first, second)
        }
    }
}

//! Copies of leaves that lie near each other in records and in a column each on the other side, by transposes in registers.
//!
//! ```text
//! for 16 (or 8) records at a time:
//!     load the window of the group from each record     32 bytes, by a mask where some are in no leaf
//!     transpose words of 4 (or 8) bytes                 a vector for each word
//!     store each vector to its column                   shorter leaves are cut out of words, longer ones put together
//! ```
//!
//! The other direction uses the same steps backwards. The compiler finds none of this by itself: strides are known only
//! at run time, and it cannot know that columns do not overlap.
//!
//! Attempts that failed: writing columns past the cache (1.5 to 2 times as slow on Zen 5), computing the addresses of records one by one
//! (1.2 times: such a loop is limited by instructions), masks of single bytes where words would do (1.1). Records of seven words as whole
//! vectors, rotated by blends so that one permutation a column is left, were as fast as this on Zen 5: the columns' stores are the limit.

use core::arch::x86_64::__m256i;
#[cfg(all(target_feature = "avx512bw", target_feature = "avx512vl"))]
use core::arch::x86_64::__m512i;
use core::ops::Range;

use super::each::{Grid, LINE, Spaced, each, fetch};
use super::narrow::Narrow;
use super::transpose::{
    halves, joined, rows_of, to_columns_1, to_columns_4, to_columns_8, to_rows_1, to_rows_4, to_rows_8,
};
use super::vector::{ALL, BYTES, Mask, Vector, WORDS};

/// The number of bytes of a record that a group covers, and so the most leaves in a group.
pub(super) const WINDOW: usize = 32;
/// The number of words of four bytes in a window.
const WORDS_IN: usize = WINDOW / 4;

/// A leaf in a group.
#[derive(Clone, Copy)]
pub(super) struct Part {
    /// The address of the value of position 0 in the leaf's column.
    pub(super) column: *mut u8,
    /// The size of a value: 1, 2, 4 or 8.
    pub(super) size: usize,
    /// The offset of the leaf in the window.
    pub(super) at: usize,
}

/// The way to copy leaves that lie within 32 bytes of a record, the *window*, and in a column each on the other side.
#[derive(Clone, Copy)]
pub(super) struct Group {
    /// The size of a word in bytes: 4, or 8 if all leaves have that size.
    word: usize,
    /// `true` if each word is one leaf, without gaps between.
    plain: bool,
    /// The bytes of all leaves.
    mask: Mask,
    /// If records consist only of copied leaves: the number of records that must follow a record so that its whole
    /// window can be read, which then includes bytes of the next records.
    more: Option<usize>,
    /// `Some` if records consist of a few leaves of one or two bytes each, and nothing else.
    narrow: Option<Narrow>,
}

/// The elements to copy for a group: their start on the side of the columns, and their number.
#[derive(Clone, Copy)]
pub(super) struct Span {
    /// The offset of the run of the first element, which is added to the address of each column.
    pub(super) run: isize,
    /// The lane of the first element in its run.
    pub(super) lane: usize,
    /// The number of lanes of a run, and the distance between runs in bytes.
    pub(super) lanes: usize,
    pub(super) block: isize,
    pub(super) len: usize,
}

impl Span {
    /// The address of the element `k` further in the run, in the column of a leaf with values of `size` bytes. A
    /// constant `size` is faster than that of the part.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) fn of(&self, part: &Part, size: usize, k: usize) -> *mut u8 {
        part.column.wrapping_offset(self.run).wrapping_add((self.lane + k) * size)
    }

    /// Goes on by `elements` elements, in this run or to another one.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn further(&mut self, elements: usize) {
        self.lane += elements;
        if self.lane >= self.lanes {
            self.run = self.run.wrapping_add(self.block.wrapping_mul((self.lane / self.lanes).cast_signed()));
            self.lane %= self.lanes;
        }
    }
}

/// The memory to prefetch while a block is copied: it is needed for the next block, and lies too far away for the
/// processor to fetch it in time.
#[derive(Clone, Copy)]
pub(super) struct Ahead {
    /// The next line of records.
    pub(super) records: *const u8,
    /// The number of bytes of records to prefetch for each copied element.
    pub(super) bytes: usize,
    /// The distance of the prefetched part of columns: in elements, and in bytes beyond that; 0 and 0 for no prefetch.
    pub(super) columns: (usize, isize),
}

impl Ahead {
    /// No prefetch.
    pub(super) const NONE: Self = Self { records: core::ptr::null(), bytes: 0, columns: (0, 0) };

    /// The number of cache lines of records to prefetch for `elements` elements.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn lines_of(self, elements: usize) -> usize {
        (self.bytes * elements).div_ceil(LINE)
    }

    /// Prefetches the next `lines` cache lines of records.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn fetch_records(&mut self, lines: usize) {
        for _ in 0..lines {
            fetch(self.records);
            self.records = self.records.wrapping_add(LINE);
        }
    }
}

/// Columns whose values have one size.
struct Columns {
    /// The addresses of the values of position 0; the first `count` are used.
    starts: [*mut u8; WORDS_IN],
    count: usize,
}

impl Columns {
    /// The address of the first value of the span, in the column of a word of `size` bytes.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn at(&self, word: usize, span: &Span, size: usize) -> *mut u8 {
        self.starts[word].wrapping_offset(span.run).wrapping_add(size * span.lane)
    }
}

impl Group {
    /// The group of these leaves, in the order of the record; they must go [`together`](super::groups). `dense` is the
    /// distance between records, if they consist only of such leaves and follow one another without gaps.
    pub(super) fn new(parts: &[Part], dense: Option<usize>) -> Self {
        let word = if parts[0].size == 8 { 8 } else { 4 };
        let (mut plain, mut bytes, mut end) = (true, 0, 0);
        for part in parts {
            plain &= part.size == word && part.at == end;
            bytes |= (u32::MAX >> (32 - part.size)) << part.at;
            end = part.at + part.size;
        }
        Self {
            word,
            plain,
            mask: Mask::new(bytes),
            more: dense.filter(|_| plain).map(|stride| (WINDOW - end).div_ceil(stride)),
            narrow: dense.and_then(|stride| Narrow::new(parts, stride)),
        }
    }

    /// Copies from records to columns if `GATHER`, otherwise from columns to records.
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
            // The elements in this run, and in all.
            let (len, left) = ((span.lanes - span.lane).min(span.len - done), span.len - done);
            let (records, k) = (records.from(done), 0);
            #[cfg(all(target_feature = "avx512bw", target_feature = "avx512vl"))]
            // SAFETY: the conditions are the caller's, for the elements of this run.
            let k = unsafe { self.tiles_of_bytes::<__m512i, GATHER>(parts, records, &span, k..len) };
            // SAFETY: as above.
            let k = unsafe { self.tiles_of_bytes::<__m256i, GATHER>(parts, records, &span, k..len) };
            let k = match self.narrow {
                // SAFETY: as above; all records from this one on follow.
                Some(narrow) => unsafe { narrow.tiles::<GATHER>(parts, records, &span, k..len, left) },
                None => k,
            };
            #[cfg(all(target_feature = "avx512bw", target_feature = "avx512vl"))]
            // SAFETY: as above.
            let k = unsafe { self.tiles::<__m512i, GATHER>(parts, records, &span, k..len, left, &mut ahead) };
            // SAFETY: as above, if elements of this run are left.
            let k = unsafe { self.tiles::<__m256i, GATHER>(parts, records, &span, k..len, left, &mut ahead) };
            if k < len {
                for part in parts {
                    let column = Spaced { first: span.of(part, part.size, k), stride: part.size.cast_signed() };
                    let record = Spaced { first: records.at(k).wrapping_add(part.at), ..records };
                    let (to, from) = if GATHER { (column, record) } else { (record, column) };
                    // SAFETY: as above, for one leaf.
                    unsafe { each(part.size, to, from, Grid::row(len - k)) };
                }
            }
            let k = k.max(len);
            span.further(k);
            done += k;
        }
    }

    /// If records are four leaves of one byte each and nothing else, copies as many of the elements `range` of a run as
    /// fill four vectors. Returns the number of the first element that is left.
    ///
    /// # Safety
    ///
    /// As [`copy`](Self::copy).
    #[cfg_attr(not(unoptimized), inline(always))]
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

    /// Copies as many of the elements `range` of a run as fill whole vectors, and, if vectors fill whole runs, of all `count` elements that
    /// are left. Returns the number of the first element that is left.
    ///
    /// # Safety
    ///
    /// As [`copy`](Self::copy).
    #[cfg_attr(not(unoptimized), inline(always))]
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
        let (mut records, mut span) = (records.from(k), Span { lane: span.lane + k, ..*span });
        let fills_runs = (span.lanes | span.lane) & (elements - 1) == 0;
        let end = if fills_runs { count } else { range.end };
        let lines = ahead.lines_of(elements);
        // The columns, for words that are one leaf each. They are computed here, where no store can change them;
        // entries beyond the last leaf are not used.
        let columns = core::array::from_fn(|word| parts[word.min(parts.len() - 1)].column);
        let columns = Columns { starts: columns, count: parts.len() };
        macro_rules! all {
            (@ tile_4) => {
                &columns
            };
            (@ tile_8) => {
                &columns
            };
            (@ $tile:ident) => {
                parts
            };
            ($tile:ident $form:ident) => {
                all!($tile $form end)
            };
            ($tile:ident $form:ident $end:expr) => {
                while k + elements <= $end {
                    ahead.fetch_records(lines);
                    if !GATHER && ahead.columns != (0, 0) {
                        for part in parts {
                            fetch(span.of(part, part.size, ahead.columns.0).wrapping_offset(ahead.columns.1));
                        }
                    }
                    // SAFETY: the conditions are the caller's, for so many elements, which lie in one run: `range` does, or a whole number
                    // of vectors fills a run.
                    unsafe { self.$tile::<V, GATHER, $form>(records, all!(@ $tile), &span) };
                    records = records.from(elements);
                    k += elements;
                    span.lane += elements;
                    if span.lane == span.lanes {
                        (span.run, span.lane) = (span.run.wrapping_add(span.block), 0);
                    }
                }
            };
        }
        if let Some(more) = self.more
            && GATHER
            && self.word == 4
        {
            all!(tile_4 ALL end.min(count.saturating_sub(more)));
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

    /// Copies one tile of words of eight bytes.
    ///
    /// # Safety
    ///
    /// As [`tiles`](Self::tiles).
    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn tile_8<V: Vector, const GATHER: bool, const FORM: usize>(
        &self,
        records: Spaced,
        columns: &Columns,
        span: &Span,
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
                    unsafe { vector.store(columns.at(word, span, 8)) };
                }
            }
        } else {
            let vectors: [V; 4] = core::array::from_fn(|word| {
                // SAFETY: as above; what is beyond the last column is not stored.
                unsafe { V::load(columns.at(word, span, 8)) }
            });
            for (vector, (first, second)) in to_rows_8(vectors).into_iter().zip(rows) {
                // SAFETY: as above.
                unsafe { vector.store_records::<FORM>(first, second, self.mask) };
            }
        }
    }

    /// Copies one tile of words of four bytes, each of one leaf.
    ///
    /// # Safety
    ///
    /// As [`tiles`](Self::tiles).
    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn tile_4<V: Vector, const GATHER: bool, const FORM: usize>(
        &self,
        records: Spaced,
        columns: &Columns,
        span: &Span,
    ) {
        if GATHER {
            // SAFETY: the conditions are the caller's.
            let vectors = unsafe { self.load_4::<V, FORM>(records) };
            for (word, vector) in vectors.into_iter().enumerate() {
                if word < columns.count {
                    // SAFETY: as above.
                    unsafe { vector.store(columns.at(word, span, 4)) };
                }
            }
        } else {
            let vectors: [V; 8] = core::array::from_fn(|word| {
                // SAFETY: as above; what is beyond the last column is not stored.
                unsafe { V::load(columns.at(word, span, 4)) }
            });
            // SAFETY: as above.
            unsafe { self.store_4::<V, FORM>(vectors, records) };
        }
    }

    /// Copies one tile of words of four bytes; a word holds one or several leaves, or half a leaf, with or without gaps.
    ///
    /// # Safety
    ///
    /// As [`tiles`](Self::tiles).
    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn tile_of_parts<V: Vector, const GATHER: bool, const FORM: usize>(
        &self,
        records: Spaced,
        parts: &[Part],
        span: &Span,
    ) {
        let mut next = 0;
        // Unrolled for each word, so that vectors stay in registers.
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
                unsafe { store_part(columns[low], columns[high], part, span) }
            });
        } else {
            // Bytes outside leaves are not stored.
            let mut columns = [V::zero(); WORDS_IN];
            words!(0 1 2 3 4 5 6 7; |low, high, part| {
                // SAFETY: as above.
                [columns[low], columns[high]] = unsafe { load_part(columns[low], columns[high], part, span) }
            });
            // SAFETY: as above.
            unsafe { self.store_4::<V, FORM>(columns, records) };
        }
    }

    /// Copies one tile of records of one word, with several leaves without gaps: such records already form a vector.
    ///
    /// # Safety
    ///
    /// As [`tiles`](Self::tiles).
    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn tile_of_one_word<V: Vector, const GATHER: bool, const FORM: usize>(
        &self,
        records: Spaced,
        parts: &[Part],
        span: &Span,
    ) {
        if GATHER {
            // SAFETY: the conditions are the caller's.
            let vector = unsafe { V::load(records.first) };
            for part in parts {
                // SAFETY: as above.
                unsafe { store_part(vector, vector, part, span) };
            }
        } else {
            let mut vector = V::zero();
            for part in parts {
                // SAFETY: as above.
                [vector, _] = unsafe { load_part(vector, vector, part, span) };
            }
            // SAFETY: as above.
            unsafe { vector.store(records.first) };
        }
    }

    /// Loads the words of four bytes of some records, as columns.
    ///
    /// # Safety
    ///
    /// As [`tiles`](Self::tiles).
    #[cfg_attr(not(unoptimized), inline(always))]
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
    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn store_4<V: Vector, const FORM: usize>(&self, columns: [V; 8], records: Spaced) {
        for (vector, (first, second)) in to_rows_4(columns).into_iter().zip(rows_of::<V>(records, 4)) {
            // SAFETY: the conditions are the caller's.
            unsafe { vector.store_records::<FORM>(first, second, self.mask) };
        }
    }
}

/// Writes a leaf, which starts in a word and may continue in the next word, to the start of the span in its column.
///
/// # Safety
///
/// As many values as a vector has words can be written there.
#[cfg_attr(not(unoptimized), inline(always))]
unsafe fn store_part<V: Vector>(word: V, next: V, part: &Part, span: &Span) {
    match part.size {
        // SAFETY: the condition is the caller's, here and below.
        1 => unsafe { word.store_1(part.at % 4, span.of(part, 1, 0)) },
        // SAFETY: as above.
        2 => unsafe { word.store_2(part.at % 4, span.of(part, 2, 0)) },
        // SAFETY: as above.
        4 => unsafe { word.store(span.of(part, 4, 0)) },
        _ => {
            let ([first, second], to) = (joined(word, next), span.of(part, 8, 0));
            // SAFETY: as above.
            unsafe { first.store(to) };
            // SAFETY: as above.
            unsafe { second.store(to.wrapping_add(V::SIZE)) };
        }
    }
}

/// Reads a leaf that [`store_part`] wrote into the word and the next word.
///
/// # Safety
///
/// As many values as a vector has words can be read there, and are initialized.
#[cfg_attr(not(unoptimized), inline(always))]
unsafe fn load_part<V: Vector>(word: V, next: V, part: &Part, span: &Span) -> [V; 2] {
    match part.size {
        // SAFETY: the condition is the caller's, here and below.
        1 => [word.or(unsafe { V::load_1(part.at % 4, span.of(part, 1, 0)) }), next],
        // SAFETY: as above.
        2 => [word.or(unsafe { V::load_2(part.at % 4, span.of(part, 2, 0)) }), next],
        // SAFETY: as above.
        4 => [unsafe { V::load(span.of(part, 4, 0)) }, next],
        _ => {
            let from = span.of(part, 8, 0);
            // SAFETY: as above.
            let first = unsafe { V::load(from) };
            // SAFETY: as above.
            let second = unsafe { V::load(from.wrapping_add(V::SIZE)) };
            halves(first, second)
        }
    }
}

//! Plans: the work for each element of a copy, determined once from the places of the leaves.

use core::ops::Range;

use super::each::{Grid, LINE, Spaced, each, fetch};
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
use super::group::{Ahead, Group, Part, Span};
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
use super::groups::Groups;
use super::list::List;
use super::places::{Line, further};

/// The most leaves in a plan; records with more leaves are copied by several plans.
pub(super) const MAX_FIELDS: usize = 256;
/// The number of bytes of a block on each side, for leaves that are copied one after another: both sides fit a
/// second-level cache. With less, columns would be too short for prefetching.
const BLOCK: usize = 384 << 10;
/// Copies of at least this number of bytes on a side find their data in no cache. Blocks are then shorter, and the next block is prefetched
/// while one is copied: with 12 to 16 MiB on a side 0.9 to 1.8 times as fast, and with 5 to 8 MiB, which a third-level cache of 32 MiB holds
/// twice, 0.5 to 1.0 times (7 to 100 leaves, Zen 5).
pub(super) const FAR: usize = 10 << 20;
const FAR_BLOCK: usize = 128 << 10;
/// Blocks have a multiple of this number of elements, so that columns are cut at the ends of cache lines.
const ALIGN: usize = 64;
/// The most elements of a tile, along rows of the target and across them. The longer the pieces of target rows, the less memory waits: tiles
/// of 16 by 128 took 1.1 to 5 times as long (`f32`, `f64` and records of them, 20 to 4096 rows, Zen 5); 512 gains up to 8 % more, but the
/// lines of a tile then fill a first-level cache of 32 KiB.
pub(super) const TILE: usize = 256;
pub(super) const ACROSS: usize = 128;
/// Cache lines at addresses that differ by a multiple of `WAY` bytes displace each other: a first-level cache has room for `WAYS` of them, or
/// for a few more.
const WAY: usize = 4 << 10;
const WAYS: usize = 8;
/// The rows of a tile that are copied while the target of as many rows after them is fetched. Stores wait for lines that no near cache has:
/// with it, `f32` and `f64` take 0.5 to 1.0 of the time from 500 rows of 500 on, and records of 3 to 12 bytes 0.5 to 1.1. The target of a whole
/// tile at once gains as much; four rows of `f32`, half a transpose, took up to five times as long (Sapphire Rapids).
const STRIP: usize = 8;
/// The processor finds pieces of this many bytes by itself: fetched, records of 28 bytes took 1.1 to 1.3 times as long. Values of one and two
/// bytes take longer to copy than lines take to arrive: fetched, they took 1.1 times as long.
const LONG: usize = 4 << 10;

/// One leaf, or several leaves that are contiguous on both sides.
#[derive(Clone, Copy)]
pub(super) struct Field {
    pub(super) to: Line,
    pub(super) from: Line,
    /// The total size in bytes.
    pub(super) size: usize,
    pub(super) work: Work,
    /// The number of fields, from this one on, that are copied together.
    group: usize,
}

/// The way to copy a field.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    /// A whole row is one piece of memory on both sides.
    Row,
    /// Neighbors in a run are one piece of memory on both sides.
    Run,
    /// Copies value by value, along rows.
    Each,
    /// Copies from values side by side in each element to one column for each.
    Gather,
    /// Copies from one column for each to values side by side in each element.
    Scatter,
}

/// The number of values this number of bytes apart whose cache lines stay in the first-level cache until all their bytes are copied: at most
/// those of a tile.
pub(super) fn lines_in_cache(distance: isize) -> usize {
    let apart = 1 << distance.trailing_zeros().min(WAY.ilog2());
    (WAYS * (WAY / apart)).min(TILE)
}

/// Returns `true` if tiles of values of `size` bytes are transposed in registers: neighbors in a row are side by side in the target, and
/// neighbors across rows in the source. The distances of both are in bytes.
fn by_vectors(size: usize, to_along: isize, from_across: isize) -> bool {
    cfg!(all(target_arch = "x86_64", target_feature = "avx2"))
        && matches!(size, 4 | 8)
        && (to_along, from_across) == (size.cast_signed(), size.cast_signed())
}

/// Fetches the cache lines of `count` values in each of some rows: row 0 starts at a value of `along` and of `across`.
fn fetch_rows(along: Spaced, across: Spaced, count: usize, rows: Range<usize>) {
    let bytes = along.stride.unsigned_abs() * count;
    for row in rows {
        let start = across.at(row).min(Spaced { first: across.at(row), ..along }.at(count - 1));
        (0..bytes + start.addr() % LINE).step_by(LINE).for_each(|at| fetch(start.wrapping_add(at)));
    }
}

/// Copies values of `size` bytes: `count` values along each of `rows` rows. Both sides, the target first, start at one
/// value; `along` gives the distance of neighbors in a row, and `across` the distance of rows.
///
/// # Safety
///
/// As [`each`], for all values.
unsafe fn tile(size: usize, along: (Spaced, Spaced), across: (Spaced, Spaced), count: usize, rows: usize) {
    let distance = along.0.stride.unsigned_abs();
    let is_fetched = size > 2 && distance <= LINE && count * distance < LONG;
    let fetch = |rows: Range<usize>| {
        if is_fetched {
            fetch_rows(along.0, across.0, count, rows);
        }
    };
    fetch(0..STRIP.min(rows));
    let mut row = 0;
    while row < rows {
        let left = rows - row;
        let some = if is_fetched && left >= 2 * STRIP { STRIP } else { left };
        fetch(row + some..rows.min(row + some + STRIP));
        let start = |along: Spaced, across: Spaced| (Spaced { first: across.at(row), ..along }, across.from(row));
        let (to, from) = (start(along.0, across.0), start(along.1, across.1));
        // SAFETY: the conditions are the caller's.
        unsafe { strip(size, (to.0, from.0), (to.1, from.1), count, some) };
        row += some;
    }
}

/// The same as [`tile`], without fetching.
///
/// # Safety
///
/// As [`tile`].
unsafe fn strip(size: usize, along: (Spaced, Spaced), across: (Spaced, Spaced), count: usize, rows: usize) {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    if by_vectors(size, along.0.stride, across.1.stride) {
        let words = 32 / size;
        if count >= words && rows >= words {
            // SAFETY: the conditions are the caller's, and what the function asks for was checked.
            return unsafe { transpose(size, along, across, count, rows) };
        }
    }
    let grid = Grid { rows, len: count, across: (across.0.stride, across.1.stride) };
    // SAFETY: the conditions are the caller's.
    unsafe { each(size, along.0, along.1, grid) };
}

/// The same as [`strip`], by transposes in registers. If no whole number of them fills the tile, the last ones copy some values again.
///
/// # Safety
///
/// As [`strip`]; moreover, it is done [by vectors](by_vectors), with as many values as a vector holds in both directions.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
unsafe fn transpose(size: usize, along: (Spaced, Spaced), across: (Spaced, Spaced), count: usize, rows: usize) {
    let words = 32 / size;
    let mut parts = [Part { column: across.0.first, size, at: 0 }; 8];
    (0..words).for_each(|k| parts[k].at = k * size);
    let parts = &mut parts[..words];
    let group = Group::new(parts, None);
    let mut row = 0;
    loop {
        for (k, part) in parts.iter_mut().enumerate() {
            part.column = across.0.at(row + k);
        }
        let records = Spaced { first: across.1.at(row), ..along.1 };
        let copy = |first: usize, len: usize| {
            let span = Span { run: 0, lane: first, lanes: usize::MAX, block: 0, len };
            // SAFETY: the conditions are the caller's; of as many rows as there are words, values at one place of the row
            // lie side by side in the source.
            unsafe { group.copy::<true>(parts, records.from(first), span, Ahead::NONE) };
        };
        copy(0, count - count % words);
        if !count.is_multiple_of(words) {
            copy(count - words, words);
        }
        if row + words == rows {
            return;
        }
        row = (row + words).min(rows - words);
    }
}

/// Fields that are copied together; there are none on targets without vectors.
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
struct Groups;

#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
impl Groups {
    const fn new() -> Self {
        Self
    }

    fn add(&mut self, _: &[Field], _: bool, _: (isize, isize), _: bool) -> usize {
        1
    }

    unsafe fn copy(&self, _: usize, _: (usize, isize), _: usize, _: usize, _: usize) {
        unreachable!("fields go together where vectors are")
    }
}

/// The bytes of an element in these fields.
fn bytes_of(fields: &[Field]) -> usize {
    fields.iter().map(|field| field.size).sum()
}

/// Returns `true` if the fields on a side, of `bytes` bytes together, fill records that follow one another: no byte between the first and
/// the last value is of another leaf.
fn are_records(fields: &[Field], bytes: usize, line: impl Fn(&Field) -> &Line) -> bool {
    let Some(first) = fields.first().map(&line) else { return false };
    let (mut start, mut end) = (usize::MAX, 0);
    for field in fields {
        let line = line(field);
        if !line.is_even() || (line.stride, line.blob) != (bytes.cast_signed(), first.blob) {
            return false;
        }
        start = start.min(line.first.addr());
        end = end.max(line.first.addr() + field.size);
    }
    // Leaves of two arrays of records in one blob can be as long together as one of them, and lie far apart.
    end - start == bytes
}

/// The fields to copy, along rows.
pub(super) struct Plan {
    fields: List<Field, MAX_FIELDS>,
    groups: Groups,
    /// The distance between neighbors of a row, in positions of the target and of the source.
    step: (isize, isize),
    /// `true` if the copy is so large that the next block is prefetched while one is copied.
    is_far: bool,
}

// SAFETY: it has addresses, which are numbers until they are used; that is `unsafe`.
unsafe impl Sync for Plan {}

impl Plan {
    /// A plan for rows with these distances between neighbors in positions, without fields; touches no memory.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) const fn new(step: (isize, isize)) -> Self {
        Self { fields: List::new(), groups: Groups::new(), step, is_far: false }
    }

    /// Returns `true` if there is room for one more field.
    pub(super) const fn has_room(&self) -> bool {
        self.fields.has_room()
    }

    /// Adds a leaf of `size` bytes. There must be room for it.
    pub(super) fn push(&mut self, to: Line, from: Line, size: usize) {
        if size == 0 {
            return;
        }
        if let Some(last) = self.fields.as_mut_slice().last_mut()
            && last.to.is_before(&to, last.size)
            && last.from.is_before(&from, last.size)
        {
            last.size += size;
            return;
        }
        self.fields.push(Field { to, from, size, work: Work::Each, group: 1 });
    }

    /// Chooses the way to copy each field of `elements` elements. All fields must have been added.
    pub(super) fn choose(&mut self, elements: usize) {
        let (to_step, from_step) = self.step;
        let fields = self.fields.as_mut_slice();
        let bytes = bytes_of(fields);
        self.is_far = elements >= FAR / bytes.max(1);
        let to_dense = to_step == 1 && are_records(fields, bytes, |field| &field.to);
        let from_dense = from_step == 1 && are_records(fields, bytes, |field| &field.from);
        let mut k = 0;
        while k < fields.len() {
            let Field { to, from, size, .. } = fields[k];
            let is_column = |line: &Line, step: isize| line.stride.wrapping_mul(step) == size.cast_signed();
            let (to_column, from_column) = (is_column(&to, to_step), is_column(&from, from_step));
            let (work, group) = match (to_column, from_column) {
                (true, true) if to.is_even() && from.is_even() => (Work::Row, 1),
                (true, true) => (Work::Run, 1),
                // Fields with blocks are copied alone.
                (true, false) => (Work::Gather, self.groups.add(&fields[k..], true, (from_step, to_step), from_dense)),
                (false, true) => (Work::Scatter, self.groups.add(&fields[k..], false, (to_step, from_step), to_dense)),
                (false, false) => (Work::Each, 1),
            };
            let work = if group == 1 && matches!(work, Work::Gather | Work::Scatter) { Work::Each } else { work };
            for field in &mut fields[k..k + group] {
                field.work = work;
            }
            fields[k].group = group;
            k += group;
        }
    }

    /// Copies the `len` elements of a row from these positions on.
    ///
    /// # Safety
    ///
    /// The lines are those of leaves of views that are borrowed, the target mutably, and the elements are of the views.
    /// The plan was [chosen](Self::choose).
    pub(super) unsafe fn row(&self, flats: (usize, usize), len: usize) {
        let fields = self.fields.as_slice();
        let (mut blocks, mut bytes) = (0, 0);
        let mut k = 0;
        while k < fields.len() {
            let field = &fields[k];
            match field.work {
                Work::Row => {
                    let (to, from) = (field.to.at(flats.0), field.from.at(flats.1));
                    // SAFETY: neighbors lie one after another on both sides: these are the bytes of their leaves, and
                    // the leaves of two views of which one is borrowed mutably do not overlap.
                    unsafe { to.copy_from_nonoverlapping(from, len * field.size) };
                }
                _ => {
                    blocks += 1;
                    bytes += fields[k..k + field.group].iter().map(|field| field.size).sum::<usize>();
                }
            }
            k += field.group;
        }
        let block = |size: usize| (size / bytes.max(1) / ALIGN * ALIGN).max(ALIGN);
        let is_far = self.is_far && len > 2 * block(FAR_BLOCK);
        let (most, ahead) = match blocks {
            0 => return,
            1 if !is_far => (len, 0),
            _ if is_far => (block(FAR_BLOCK), block(FAR_BLOCK)),
            _ => (block(BLOCK), 0),
        };
        let mut done = 0;
        while done < len {
            let flats = further(flats, self.step, done);
            let count = most.min(len - done);
            let (mut k, mut group) = (0, 0);
            while k < fields.len() {
                let fields = &fields[k..k + fields[k].group];
                match fields[0].work {
                    Work::Row => {}
                    // SAFETY: the conditions are the caller's.
                    Work::Run | Work::Each => unsafe { self.each(&fields[0], flats, count) },
                    work => {
                        let (to, from) = ((flats.0, self.step.0), (flats.1, self.step.1));
                        let (record, (column, _)) = if work == Work::Gather { (from, to) } else { (to, from) };
                        // SAFETY: as above; the fields go together.
                        unsafe { self.groups.copy(group, record, column, count, ahead) };
                        group += 1;
                    }
                }
                k += fields.len();
            }
            done += count;
        }
    }

    /// Copies the rows of `len` elements with these numbers, in tiles; row number 0 starts at these positions. `across` is the distance of rows.
    ///
    /// # Safety
    ///
    /// As [`row`](Self::row), for all elements of the rows; all lines are even.
    pub(super) unsafe fn tiles(
        &self,
        flats: (usize, usize),
        len: usize,
        numbers: Range<usize>,
        across: (isize, isize),
    ) {
        let most = |field: &Field| {
            let (to, from) = (|step| field.to.stride.wrapping_mul(step), |step| field.from.stride.wrapping_mul(step));
            if by_vectors(field.size, to(self.step.0), from(across.1)) {
                TILE
            } else {
                lines_in_cache(from(self.step.1))
            }
        };
        let most = self.fields.as_slice().iter().map(most).min().unwrap_or(TILE);
        for first in (0..len).step_by(most) {
            let count = most.min(len - first);
            let flats = further(flats, self.step, first);
            for row in numbers.clone().step_by(ACROSS) {
                let rows = ACROSS.min(numbers.end - row);
                let (to, from) = further(flats, across, row);
                for field in self.fields.as_slice() {
                    let spaced = |step: (isize, isize)| (field.to.spaced(to, step.0), field.from.spaced(from, step.1));
                    // SAFETY: the conditions are the caller's.
                    unsafe { tile(field.size, spaced(self.step), spaced(across), count, rows) };
                }
            }
        }
    }

    /// Copies a field of `len` elements, run by run.
    ///
    /// # Safety
    ///
    /// As [`row`](Self::row).
    unsafe fn each(&self, field: &Field, mut flats: (usize, usize), mut len: usize) {
        while len > 0 {
            // Only rows of neighbors contain ends of runs.
            let count = len.min(field.to.reach(flats.0, 1)).min(field.from.reach(flats.1, 1));
            let (to, from) = (field.to.spaced(flats.0, self.step.0), field.from.spaced(flats.1, self.step.1));
            if field.work == Work::Run {
                // SAFETY: neighbors in a run lie one after another on both sides.
                unsafe { to.first.copy_from_nonoverlapping(from.first, count * field.size) };
            } else {
                // SAFETY: the conditions are the caller's, for leaves of neighbors in a run.
                unsafe { each(field.size, to, from, Grid::row(count)) };
            }
            flats = further(flats, self.step, count);
            len -= count;
        }
    }
}

#[cfg(test)]
mod tests {
    use core::ptr::without_provenance_mut;

    use super::{Field, Line, Work, are_records, bytes_of};

    fn field(first: usize, stride: isize, size: usize) -> Field {
        let line = Line { first: without_provenance_mut(first), stride, lanes: usize::MAX, block: 0, blob: 0 };
        Field { to: line, from: line, size, work: Work::Each, group: 1 }
    }

    #[test]
    fn records_are_filled_by_all_their_leaves_and_by_no_others() {
        let filled = |fields: &[Field]| are_records(fields, bytes_of(fields), |field| &field.from);
        assert!(filled(&[field(64, 24, 12), field(76, 24, 12)]));
        assert!(filled(&[field(76, 24, 4), field(64, 24, 12), field(80, 24, 8)]));
        assert!(!filled(&[field(64, 24, 12)]));
        // Halves of the records of two arrays in one blob.
        assert!(!filled(&[field(64, 24, 12), field(64 + 24 * 4096, 24, 12)]));
        // The second field is of the record before.
        assert!(!filled(&[field(64, 24, 12), field(52 + 24 * 2, 24, 12)]));
    }
}

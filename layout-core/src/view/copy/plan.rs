//! What there is to copy for each element, found out once from where the mappings place its leaves.

use super::each::{Grid, Spaced, each};
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
use super::group::{Ahead, Group, Part, Span};
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
use super::groups::Groups;
use super::list::List;
use super::places::{Line, further};

/// The most leaves in a plan; records with more are copied so many leaves at a time.
pub(super) const MAX_FIELDS: usize = 256;
/// Bytes of a block on each side, of leaves that are copied one after another: both fit a second-level cache. Less
/// makes columns too short to be fetched ahead.
const BLOCK: usize = 384 << 10;
/// Copies of so many bytes on a side, or more, find them in no cache. Then blocks are shorter, and while one is copied the next one
/// is fetched: 1.2 to 1.9 times as fast on Zen 5, and 1.1 to 1.4 times as slow where the third-level cache has both sides.
const FAR: usize = 4 << 20;
const FAR_BLOCK: usize = 128 << 10;
/// Blocks have a multiple of so many elements, so that columns are cut where lines of the cache end.
const ALIGN: usize = 64;
/// Elements of a tile: values of eight bytes then fill two lines of the cache, and the lines of a tile fit a first-level cache
/// also where they lie a power of two apart.
const TILE: usize = 16;
/// Elements of a tile in the other direction.
const ACROSS: usize = 128;

/// One leaf, or several that lie side by side on both sides.
#[derive(Clone, Copy)]
pub(super) struct Field {
    pub(super) to: Line,
    pub(super) from: Line,
    /// The size of all of them in bytes.
    pub(super) size: usize,
    pub(super) work: Work,
    /// How many fields, from this one on, are copied together.
    group: usize,
}

/// How a field is copied.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    /// A whole row is one piece of memory on both sides.
    Row,
    /// Neighbours in a run are one piece of memory on both sides.
    Run,
    /// Value by value, along rows.
    Each,
    /// From values side by side in each element to a column each.
    Gather,
    /// The other way round.
    Scatter,
}

/// Rows beside each other: how far apart in positions of the target and of the source, and how many.
pub(super) struct Across {
    pub(super) step: (isize, isize),
    pub(super) count: usize,
}

/// Copies values of `size` bytes: `count` of them along each of `rows` rows. Both sides, the target first, start at one value;
/// neighbours in a row lie apart as `along` says, and rows as `across` says.
///
/// # Safety
///
/// As [`each`], for all values.
unsafe fn tile(size: usize, along: (Spaced, Spaced), across: (Spaced, Spaced), count: usize, rows: usize) {
    #[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
    let row = 0;
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    let mut row = 0;
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    if matches!(size, 4 | 8) && (along.0.stride, across.1.stride) == (size.cast_signed(), size.cast_signed()) {
        let words = 32 / size;
        let mut parts = [Part { column: across.0.first, size, at: 0 }; 8];
        (0..words).for_each(|k| parts[k].at = k * size);
        let parts = &mut parts[..words];
        let group = Group::new(parts, None);
        let span = Span { run: 0, lane: 0, lanes: usize::MAX, block: 0, len: count };
        while row + words <= rows {
            for (k, part) in parts.iter_mut().enumerate() {
                part.column = across.0.at(row + k);
            }
            let records = Spaced { first: across.1.at(row), ..along.1 };
            // SAFETY: the conditions are the caller's; of as many rows as there are words, values at one place of the row
            // lie side by side in the source.
            unsafe { group.copy::<true>(parts, records, span, Ahead::NONE) };
            row += words;
        }
    }
    let (to, from) = (Spaced { first: across.0.at(row), ..along.0 }, Spaced { first: across.1.at(row), ..along.1 });
    let grid = Grid { rows: rows - row, len: count, across: (across.0.stride, across.1.stride) };
    // SAFETY: the conditions are the caller's.
    unsafe { each(size, to, from, grid) };
}

/// Fields that are copied together: none, where there are no vectors.
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

/// The fields to copy, along rows.
pub(super) struct Plan {
    fields: List<Field, MAX_FIELDS>,
    groups: Groups,
    /// The distance between neighbours of a row in positions of the target and of the source.
    step: (isize, isize),
    /// Whether there is so much to copy that the next block is fetched while one is copied.
    is_far: bool,
}

// SAFETY: it has addresses, which are numbers until they are used; that is `unsafe`.
unsafe impl Sync for Plan {}

impl Plan {
    /// A plan for rows with these distances between neighbours in positions; without fields, and they touch no memory.
    #[inline(always)]
    pub(super) const fn new(step: (isize, isize)) -> Self {
        Self { fields: List::new(), groups: Groups::new(), step, is_far: false }
    }

    /// Whether there is room for one more field.
    pub(super) const fn has_room(&self) -> bool {
        self.fields.has_room()
    }

    /// Adds a leaf of `size` bytes, of which there is room for one.
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

    /// Chooses how each field of so many elements is copied, when all are there.
    pub(super) fn choose(&mut self, elements: usize) {
        let (to_step, from_step) = self.step;
        let fields = self.fields.as_mut_slice();
        let bytes = fields.iter().map(|field| field.size).sum::<usize>().cast_signed();
        self.is_far = elements >= FAR / bytes.unsigned_abs().max(1);
        let are_dense = |step: isize, line: fn(&Field) -> Line| {
            let blob = fields.first().map(|field| line(field).blob);
            let is_dense = |line: Line| line.is_even() && line.stride == bytes && Some(line.blob) == blob;
            step == 1 && fields.iter().all(|field| is_dense(line(field)))
        };
        let (to_dense, from_dense) = (are_dense(to_step, |field| field.to), are_dense(from_step, |field| field.from));
        let mut k = 0;
        while k < fields.len() {
            let Field { to, from, size, .. } = fields[k];
            let is_column = |line: &Line, step: isize| line.stride.wrapping_mul(step) == size.cast_signed();
            let (to_column, from_column) = (is_column(&to, to_step), is_column(&from, from_step));
            let (work, group) = match (to_column, from_column) {
                (true, true) if to.is_even() && from.is_even() => (Work::Row, 1),
                (true, true) => (Work::Run, 1),
                // Those of blocks go alone.
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
                    // SAFETY: neighbours lie one after another on both sides: these are the bytes of their leaves, and
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

    /// Copies `across.count` rows of `len` elements each, the first of which start at these positions, in tiles.
    ///
    /// # Safety
    ///
    /// As [`row`](Self::row), for all elements of the rows; all lines are even.
    pub(super) unsafe fn tiles(&self, flats: (usize, usize), len: usize, across: &Across) {
        for first in (0..len).step_by(TILE) {
            let count = TILE.min(len - first);
            let flats = further(flats, self.step, first);
            for row in (0..across.count).step_by(ACROSS) {
                let rows = ACROSS.min(across.count - row);
                let (to, from) = further(flats, across.step, row);
                for field in self.fields.as_slice() {
                    let spaced = |step: (isize, isize)| (field.to.spaced(to, step.0), field.from.spaced(from, step.1));
                    // SAFETY: the conditions are the caller's.
                    unsafe { tile(field.size, spaced(self.step), spaced(across.step), count, rows) };
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
            let count = len.min(field.to.reach(flats.0)).min(field.from.reach(flats.1));
            let (to, from) = (field.to.spaced(flats.0, self.step.0), field.from.spaced(flats.1, self.step.1));
            if field.work == Work::Run {
                // SAFETY: neighbours in a run lie one after another on both sides.
                unsafe { to.first.copy_from_nonoverlapping(from.first, count * field.size) };
            } else {
                // SAFETY: the conditions are the caller's, for leaves of neighbours in a run.
                unsafe { each(field.size, to, from, Grid::row(count)) };
            }
            flats = further(flats, self.step, count);
            len -= count;
        }
    }
}

//! Groups of leaves that are copied together, because they lie near each other in records and in a column each on the other side.

use super::group::{Ahead, Group, Part, Span, WINDOW};
use super::list::List;
use super::narrow::Narrow;
use super::places::Line;
use super::plan::{Field, MAX_FIELDS};
use super::vector::Mask;

/// The least number of leaves in a group.
const LEAST: usize = 3;

/// The groups of a plan.
pub(super) struct Groups {
    placed: List<Placed, { MAX_FIELDS / LEAST }>,
    /// The leaves of all groups, one group after another.
    parts: List<Part, MAX_FIELDS>,
}

/// A group and its places.
#[derive(Clone, Copy)]
struct Placed {
    group: Group,
    /// `true` if the group is copied from records to columns.
    gather: bool,
    /// The group's window in the records, and the column of its first leaf.
    records: Line,
    column: Line,
    /// The group's leaves in the list of all parts.
    first: usize,
    count: usize,
    /// The start of the group's part of a record, and the number of bytes in it; the part reaches up to the next group
    /// or the end of the record.
    start: usize,
    bytes: usize,
}

impl Groups {
    /// A list without groups; touches no memory.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) const fn new() -> Self {
        Self { placed: List::new(), parts: List::new() }
    }

    /// Makes a group of the fields that go together, from the first one on, and returns their number, or 1 if there is
    /// no group. `record` and `column` are the distances of neighbors in positions, on the side of the records and on
    /// the other side. `is_dense` says that all bytes of the records are copied leaves.
    pub(super) fn add<'f>(
        &mut self,
        fields: &'f [Field],
        gather: bool,
        (record, column): (isize, isize),
        is_dense: bool,
    ) -> usize {
        let sides = |field: &'f Field| if gather { (&field.from, &field.to) } else { (&field.to, &field.from) };
        let (first_record, first_column) = sides(&fields[0]);
        let stride = first_record.stride.wrapping_mul(record).unsigned_abs();
        let count = together(fields, column, is_dense.then_some(stride), sides);
        if count < LEAST {
            return 1;
        }
        let records = Line { first: first_record.first.wrapping_sub(before(first_record)), ..*first_record };
        let first = self.parts.as_slice().len();
        for field in &fields[..count] {
            let (record, column) = sides(field);
            self.parts.push(Part {
                column: column.first,
                size: field.size,
                at: record.first.addr() - records.first.addr(),
            });
        }
        let is_dense = is_dense && records.first == first_record.first;
        let group = Group::new(&self.parts.as_slice()[first..], is_dense.then_some(stride));
        let mut start = 0;
        if let Some(last) = self.placed.as_mut_slice().last_mut()
            && (last.gather, last.records.stride, last.records.blob) == (gather, records.stride, records.blob)
        {
            last.bytes = records.first.addr().wrapping_sub(last.records.first.addr());
            start = last.start.wrapping_add(last.bytes);
        }
        self.placed.push(Placed {
            group,
            gather,
            records,
            column: *first_column,
            first,
            count,
            start,
            bytes: stride.wrapping_sub(start),
        });
        count
    }

    /// Returns `true` if there are several groups.
    pub(super) fn are_several(&self) -> bool {
        self.placed.as_slice().len() > 1
    }

    /// Copies `len` elements of a group, from these positions on: those of the records, with the distance of neighbors, and those of the
    /// columns. Meanwhile it prefetches elements, from the one that is `ahead` further on, unless `ahead` is 0.
    ///
    /// # Safety
    ///
    /// The bytes of the group can be read on one side, where they are initialized, and be written on the other, for all
    /// elements; both do not overlap.
    pub(super) unsafe fn copy(
        &self,
        index: usize,
        (flat, step): (usize, isize),
        column: usize,
        len: usize,
        ahead: usize,
    ) {
        let placed = &self.placed.as_slice()[index];
        let parts = &self.parts.as_slice()[placed.first..][..placed.count];
        let records = placed.records.spaced(flat, step);
        let (run, lane) = placed.column.run_and_lane(column);
        let (lanes, block) = (placed.column.lanes, placed.column.block);
        let span = Span { run: block.wrapping_mul(run.cast_signed()), lane, lanes, block, len };
        // All groups together prefetch the next block of records, line by line, unless records have large gaps.
        let ahead = if ahead > 0 && records.stride > 0 && placed.bytes <= 2 * WINDOW {
            Ahead {
                records: records.at(ahead).wrapping_add(placed.start * len),
                bytes: placed.bytes,
                columns: match placed.column.is_even() {
                    true if self.are_several() => (ahead, 0),
                    true => (0, 0),
                    false => (0, block.wrapping_mul((ahead / lanes).cast_signed())),
                },
            }
        } else {
            Ahead::NONE
        };
        if placed.gather {
            // SAFETY: the conditions are the caller's; the fields lie side by side in the source.
            unsafe { placed.group.copy::<true>(parts, records, span, ahead) };
        } else {
            // SAFETY: as above, in the target.
            unsafe { placed.group.copy::<false>(parts, records, span, ahead) };
        }
    }
}

/// The distance of a group's first leaf from the start of its window. The window starts where a word of the record
/// starts, if that is known.
fn before(record: &Line) -> usize {
    // The window then contains bytes outside leaves, which only byte masks can leave out.
    if Mask::ANY && record.stride % 4 == 0 { record.first.addr() % 4 } else { 0 }
}

/// The number of fields, from the first one on, that go together: at least [`LEAST`], or 1. `sides` returns the side of
/// the records first, which must be even. On the other side, neighbors are `step` positions apart. `dense` is the
/// distance between records, if they consist only of copied leaves.
fn together<'f>(
    fields: &'f [Field],
    step: isize,
    dense: Option<usize>,
    sides: impl Fn(&'f Field) -> (&'f Line, &'f Line),
) -> usize {
    let (start, first) = sides(&fields[0]);
    let start_address = start.first.addr() - before(start);
    let fits = |field: &'f Field| {
        let ((record, column), size) = (sides(field), field.size);
        matches!(size, 1 | 2 | 4 | 8)
            && (record.stride, record.blob, record.is_even()) == (start.stride, start.blob, true)
            && column.stride.wrapping_mul(step) == size.cast_signed()
            && (column.lanes, column.block) == (first.lanes, first.block)
    };
    // Leaves end at `end`. A complete group ends with a word.
    let (mut count, mut complete, mut end, mut alike) = (0, 0, 0, true);
    for field in fields {
        let size = field.size;
        let at = sides(field).0.first.addr().wrapping_sub(start_address);
        let goes = fits(field)
            && (end..=WINDOW - size).contains(&at)
            && at.is_multiple_of(size.min(4))
            && (Mask::ANY || at == end || at.is_multiple_of(4) && end.is_multiple_of(4));
        // Words of eight bytes are copied by themselves if shorter leaves are enough for a group of their own.
        let next = || fields[count..].iter().take_while(|next| next.size == size).count();
        if !goes || alike && fields[0].size == 8 && size < 8 && count >= LEAST && next() >= LEAST {
            break;
        }
        (count, end) = (count + 1, at + size);
        alike &= size == fields[0].size;
        if Mask::ANY || end.is_multiple_of(4) || alike && dense == Some(end) && Narrow::takes(size, count) {
            complete = count;
        }
    }
    let size = fields[0].size;
    if size >= 4 && alike && complete * size == WINDOW {
        complete = balanced(fields.iter().take_while(|field| field.size == size && fits(field)).count(), complete);
    }
    if complete < LEAST { 1 } else { complete }
}

/// The number of leaves in the first of the groups that `leaves` leaves are cut into, of at most `most` leaves each: fewer than `most` if
/// leaves would be left in the end that are too few for a group, and cost as much as one.
fn balanced(leaves: usize, most: usize) -> usize {
    let (groups, left) = (leaves.div_ceil(most), leaves % most);
    if (1..LEAST).contains(&left) && leaves >= groups * LEAST { leaves.div_ceil(groups) } else { most }
}

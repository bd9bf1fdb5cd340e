//! Pieces of memory that repeat: runs of AoSoA, and fields of structs that are copied as they are.
//!
//! Where blocks of both sides end together, which pieces there are is the same from there on. So it is found out once:
//!
//! ```text
//! for each period of the row:                 one element, or as many as fill whole blocks on both sides
//!     for each batch of pieces:               of one size, and equally far from their like in the next period
//!         for each piece of the batch:        a load and a store, or a few, of a size that the compiler knows
//! ```
//!
//! What failed: a loop over periods for each piece, block by block (1.3 times as long for seven leaves, several times for
//! a hundred: setting up the loops takes longer than they run).

use super::list::List;
use super::places::Line;
use super::plan::{Field, Plan, Work};

/// The most pieces that are copied in one go; and batches of them.
const MAX_PIECES: usize = 512;
const MAX_BATCHES: usize = 64;
/// Pieces of more bytes are left to `memcpy`.
const LONG: usize = 256;

/// Where a piece lies in the first period.
#[derive(Clone, Copy)]
struct Piece {
    to: *mut u8,
    from: *mut u8,
}

/// Pieces of one size, up to number `end`.
#[derive(Clone, Copy)]
struct Batch {
    end: usize,
    bytes: usize,
    /// The distance to the same piece of the next period.
    to_period: isize,
    from_period: isize,
}

/// What tells fields of different batches apart.
fn key(field: &Field) -> (usize, isize, usize, isize, isize, usize, isize) {
    let Field { to, from, .. } = field;
    (field.size, to.stride, to.lanes, to.block, from.stride, from.lanes, from.block)
}

/// Puts fields that can share a batch side by side, if all are copied in pieces.
pub(super) fn sort(fields: &mut [Field]) {
    let work = fields.first().map_or(Work::Each, |field| field.work);
    if matches!(work, Work::Run | Work::Piece) && fields.iter().all(|field| field.work == work) {
        fields.sort_unstable_by_key(key);
    }
}

/// Copies fields of which pieces are copied, of the `len` elements of a row from these positions on.
///
/// # Safety
///
/// As [`Plan::row`].
pub(super) unsafe fn row(plan: &Plan, fields: &[Field], mut to_flat: usize, mut from_flat: usize, len: usize) {
    let lanes = |line: fn(&Field) -> &Line| fields.iter().map(line).map(|line| line.lanes).min().unwrap_or(1);
    let (to_lanes, from_lanes) = match fields[0].work {
        Work::Piece => (1, 1),
        _ => (lanes(|field| &field.to), lanes(|field| &field.from)),
    };
    let period = common(to_lanes, from_lanes);
    let periods = len.checked_div(period).unwrap_or(0);
    let mut done = 0;
    if periods > 1 && (fields.len() > 1 || fields[0].work == Work::Run) {
        let mut pieces = Pieces { list: List::new(), batches: List::new(), periods };
        for alike in fields.chunk_by(|a, b| key(a) == key(b)) {
            let mut element = 0;
            while element < period {
                let (to_flat, from_flat) = plan.further(to_flat, from_flat, element);
                let reach = (to_lanes - to_flat % to_lanes).min(from_lanes - from_flat % from_lanes);
                let count = reach.min(period - element);
                // SAFETY: the conditions are the caller's; neighbours in a run lie one after another on both sides.
                unsafe { pieces.add(plan, alike, to_flat, from_flat, (count, period)) };
                element += count;
            }
        }
        // SAFETY: as above.
        unsafe { pieces.copy() };
        done = periods * period;
        (to_flat, from_flat) = plan.further(to_flat, from_flat, done);
    }
    if done < len {
        for field in fields {
            // SAFETY: the conditions are the caller's, for the elements that are left.
            unsafe { plan.each(field, to_flat, from_flat, len - done) };
        }
    }
}

/// The least common multiple of two numbers of lanes, of which `usize::MAX` is none; at most one is none.
fn common(a: usize, b: usize) -> usize {
    match (a, b) {
        (usize::MAX, lanes) | (lanes, usize::MAX) => lanes,
        _ => (a / crate::view::walk::common_run(a, b)).saturating_mul(b),
    }
}

/// Pieces of memory in a period, and how many periods there are.
struct Pieces {
    list: List<Piece, MAX_PIECES>,
    batches: List<Batch, MAX_BATCHES>,
    periods: usize,
}

impl Pieces {
    /// Adds the pieces of `count` neighbours in one run.
    ///
    /// # Safety
    ///
    /// As [`row`]; the pieces can be copied, in all periods.
    unsafe fn add(&mut self, plan: &Plan, alike: &[Field], to_flat: usize, from_flat: usize, elements: (usize, usize)) {
        let (count, period) = elements;
        let Field { to, from, size, .. } = alike[0];
        let bytes = count * size;
        // In units of a size that the compiler knows; the last one may overlap the one before.
        let unit = if bytes > LONG { bytes } else { LINE.min(1 << bytes.ilog2()) };
        let unit = if bytes.is_power_of_two() { bytes } else { unit };
        let (to_period, from_period) = plan.distances(&to, &from, period);
        for field in alike {
            let (to, from) = (field.to.at(to_flat), field.from.at(from_flat));
            let mut offset = 0;
            loop {
                if !(self.list.has_room(1) && self.batches.has_room(1)) {
                    // SAFETY: the caller vouches for the pieces.
                    unsafe { self.copy() };
                    self.list.clear();
                    self.batches.clear();
                }
                self.list.push(Piece { to: to.wrapping_add(offset), from: from.wrapping_add(offset) });
                let batch = Batch { end: self.list.as_slice().len(), bytes: unit, to_period, from_period };
                match self.batches.as_mut_slice().last_mut() {
                    Some(last) if (last.bytes, last.to_period, last.from_period) == (unit, to_period, from_period) => {
                        *last = batch;
                    }
                    _ => self.batches.push(batch),
                }
                if offset + unit == bytes {
                    break;
                }
                offset = (offset + unit).min(bytes - unit);
            }
        }
    }

    /// Copies all pieces, in all periods.
    ///
    /// # Safety
    ///
    /// The pieces can be copied.
    unsafe fn copy(&self) {
        for period in 0..self.periods.cast_signed() {
            let mut first = 0;
            for batch in self.batches.as_slice() {
                let pieces = &self.list.as_slice()[first..batch.end];
                first = batch.end;
                let further = (batch.to_period.wrapping_mul(period), batch.from_period.wrapping_mul(period));
                match batch.bytes {
                    // SAFETY: the condition is the caller's, here and below.
                    4 => unsafe { copy_all::<4>(pieces, further) },
                    // SAFETY: as above.
                    8 => unsafe { copy_all::<8>(pieces, further) },
                    // SAFETY: as above.
                    16 => unsafe { copy_all::<16>(pieces, further) },
                    // SAFETY: as above.
                    32 => unsafe { copy_all::<32>(pieces, further) },
                    // SAFETY: as above.
                    64 => unsafe { copy_all::<64>(pieces, further) },
                    // SAFETY: as above.
                    128 => unsafe { copy_all::<128>(pieces, further) },
                    // SAFETY: as above.
                    256 => unsafe { copy_all::<256>(pieces, further) },
                    bytes => {
                        for piece in pieces {
                            let (to, from) =
                                (piece.to.wrapping_offset(further.0), piece.from.wrapping_offset(further.1));
                            // SAFETY: as above.
                            unsafe { to.copy_from_nonoverlapping(from, bytes) };
                        }
                    }
                }
            }
        }
    }
}

/// Bytes of the largest unit.
const LINE: usize = 64;

/// Copies pieces of `N` bytes, so much further.
///
/// # Safety
///
/// They can be read and written, are initialized, and do not overlap.
#[inline(always)]
unsafe fn copy_all<const N: usize>(pieces: &[Piece], (to_further, from_further): (isize, isize)) {
    for piece in pieces {
        let (to, from) = (piece.to.wrapping_offset(to_further), piece.from.wrapping_offset(from_further));
        // SAFETY: the conditions are the caller's.
        unsafe { to.copy_from_nonoverlapping(from, N) };
    }
}

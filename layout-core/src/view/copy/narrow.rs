//! Transposes of records that consist of up to eight leaves of one byte each, or of two bytes each, and nothing else.
//!
//! A record is read and written as if it had eight leaves. Extra values that are read are dropped; extra bytes that are
//! written belong to the next records, which are written later. So the last records of a copy are left to the caller.

use core::arch::x86_64::{__m128i, _mm_unpackhi_epi8, _mm_unpackhi_epi16, _mm_unpacklo_epi8, _mm_unpacklo_epi16};
use core::ops::Range;

use super::each::Spaced;
use super::group::{Part, Span};

/// The number of leaves of a record as it is read and written.
const LEAVES: usize = 8;

/// The size of the leaves of such records, and the number of records that must follow a record that is read or written.
#[derive(Clone, Copy)]
pub(super) struct Narrow {
    size: usize,
    more: usize,
}

impl Narrow {
    /// Returns `true` if records may have this number of leaves of this size.
    pub(super) const fn takes(size: usize, leaves: usize) -> bool {
        size <= 2 && leaves <= LEAVES
    }

    /// Makes it for records that are these leaves and nothing else, `stride` bytes apart.
    pub(super) fn new(parts: &[Part], stride: usize) -> Option<Self> {
        let size = parts[0].size;
        let narrow = Self::takes(size, parts.len()) && parts.len() * size == stride;
        let is_next = |(k, part): (usize, &Part)| (part.size, part.at) == (size, k * size);
        (narrow && parts.iter().enumerate().all(is_next))
            .then(|| Self { size, more: (LEAVES * size - stride).div_ceil(stride) })
    }

    /// Copies as many of the elements `range` of a run as fill whole vectors and are followed by enough of the `count` records. Returns the
    /// number of the first element that is left. Copies from records to columns if `GATHER`, otherwise from columns to records.
    ///
    /// # Safety
    ///
    /// The parts are those that this was made for. Their bytes can be read on one side, where they are initialized, and be
    /// written on the other, for all of the `count` records and for as many elements of the columns as the run has. Both do not
    /// overlap. Records are written in ascending order.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) unsafe fn tiles<const GATHER: bool>(
        self,
        parts: &[Part],
        records: Spaced,
        span: &Span,
        range: Range<usize>,
        count: usize,
    ) -> usize {
        let range = range.start..range.end.min(count.saturating_sub(self.more));
        if self.size == 1 {
            // SAFETY: the conditions are the caller's.
            unsafe { tiles_of::<1, GATHER>(parts, records, span, range) }
        } else {
            // SAFETY: as above.
            unsafe { tiles_of::<2, GATHER>(parts, records, span, range) }
        }
    }
}

/// # Safety
///
/// As [`Narrow::tiles`], and eight leaves can be read or written from the start of each record of the range.
#[cfg_attr(not(unoptimized), inline(always))]
unsafe fn tiles_of<const SIZE: usize, const GATHER: bool>(
    parts: &[Part],
    records: Spaced,
    span: &Span,
    range: Range<usize>,
) -> usize {
    let (elements, mut k) = (16 / SIZE, range.start);
    // A record of fewer leaves is read and written as if its last leaf were repeated.
    let columns: [*mut u8; LEAVES] = core::array::from_fn(|leaf| span.of(&parts[leaf.min(parts.len() - 1)], SIZE, 0));
    while k + elements <= range.end {
        let record = |row: usize| records.first.wrapping_add((k + row) * records.stride.unsigned_abs());
        let columns = columns.map(|column| column.wrapping_add(k * SIZE));
        if GATHER {
            // SAFETY: the conditions are the caller's.
            let rows = core::array::from_fn(|pair| unsafe { load_rows::<SIZE>(record, pair) });
            let values = if SIZE == 1 { turned::<SIZE>(to_rows::<SIZE>(rows)) } else { to_rows::<SIZE>(rows) };
            for (leaf, (vector, column)) in values.into_iter().zip(columns).enumerate() {
                if leaf < parts.len() {
                    // SAFETY: the conditions are the caller's.
                    unsafe { column.cast::<__m128i>().write_unaligned(vector) };
                }
            }
        } else {
            // SAFETY: the conditions are the caller's.
            let vectors = columns.map(|column| unsafe { column.cast::<__m128i>().read_unaligned() });
            for (pair, vector) in to_rows::<SIZE>(vectors).into_iter().enumerate() {
                // SAFETY: the conditions are the caller's.
                unsafe { store_rows::<SIZE>(record, pair, vector) };
            }
        }
        k += elements;
    }
    k
}

/// Loads vector number `number`: one row of leaves of two bytes, or two rows of leaves of one byte.
///
/// # Safety
///
/// Eight leaves can be read where `record` says that the rows are, and are initialized.
#[cfg_attr(not(unoptimized), inline(always))]
unsafe fn load_rows<const SIZE: usize>(record: impl Fn(usize) -> *mut u8, number: usize) -> __m128i {
    if SIZE == 2 {
        // SAFETY: the condition is the caller's.
        return unsafe { record(number).cast::<__m128i>().read_unaligned() };
    }
    // SAFETY: the condition is the caller's, here and below.
    let rows = [2 * number, 2 * number + 1].map(|row| unsafe { record(row).cast::<u64>().read_unaligned() });
    // SAFETY: both are 16 bytes, of which any are a value.
    unsafe { core::mem::transmute(rows) }
}

/// Writes the rows of vector number `number`; see [`load_rows`].
///
/// # Safety
///
/// Eight leaves can be written where `record` says that the rows are.
#[cfg_attr(not(unoptimized), inline(always))]
unsafe fn store_rows<const SIZE: usize>(record: impl Fn(usize) -> *mut u8, number: usize, vector: __m128i) {
    if SIZE == 2 {
        // SAFETY: the condition is the caller's.
        return unsafe { record(number).cast::<__m128i>().write_unaligned(vector) };
    }
    // SAFETY: both are 16 bytes, of which any are a value.
    let rows = unsafe { core::mem::transmute::<__m128i, [u64; 2]>(vector) };
    for (row, bytes) in rows.into_iter().enumerate() {
        // SAFETY: the condition is the caller's.
        unsafe { record(2 * number + row).cast::<u64>().write_unaligned(bytes) };
    }
}

/// Eight columns as consecutive rows.
#[cfg_attr(not(unoptimized), inline(always))]
fn to_rows<const SIZE: usize>(vectors: [__m128i; LEAVES]) -> [__m128i; LEAVES] {
    turned::<SIZE>(turned::<SIZE>(turned::<SIZE>(vectors)))
}

/// Reorders the values of eight vectors: the value whose number among all values has the bits `abc...z` moves to number `bc...za`. Three
/// such steps move the number of the vector to the end, which transposes eight vectors of eight values.
#[cfg_attr(not(unoptimized), inline(always))]
fn turned<const SIZE: usize>(vectors: [__m128i; LEAVES]) -> [__m128i; LEAVES] {
    core::array::from_fn(|number| {
        let (low, high) = (vectors[number / 2], vectors[number / 2 + LEAVES / 2]);
        match (SIZE, number % 2) {
            (1, 0) => instruction!(_mm_unpacklo_epi8(low, high)),
            (1, _) => instruction!(_mm_unpackhi_epi8(low, high)),
            (_, 0) => instruction!(_mm_unpacklo_epi16(low, high)),
            _ => instruction!(_mm_unpackhi_epi16(low, high)),
        }
    })
}

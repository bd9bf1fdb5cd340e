//! The copies that the compiler's loop over elements does faster than a [`Plan`](super::plan::Plan).
//!
//! The compiler vectorizes a loop between a few columns, or a few runs of a block, and records: it knows their number and distances, and a
//! plan does not. The limits here come from tables of 3 to 32 equal leaves of 1 to 16 bytes and of mixed records, in columns and in blocks of
//! 4 to 32 lanes, of 1000 to 10^6 elements, on Zen 5, with AVX-512, with AVX2 and with neither; one is of Sapphire Rapids. Within them, a plan took up to 15 times as
//! long as the loop; beyond them, the loop took up to 5 times as long as a plan.

use super::pairs::Pairs;
use crate::leaf_table::LeafTable;
use crate::mapping::{Mapping, RecordLayout, step};
use crate::view::ArrayOf;
use crate::view::elements::Elements;
use crate::view::rows::Rows;

/// Blocks of fewer lanes are copied by the loop, whatever their records: the vectors of a plan are longer than their runs.
const FEW_LANES: usize = 8;
/// Up to this number of records of a single row become columns, or columns become records, one by one; where the loop is vectorized, up to
/// five a leaf. A vectorized loop starts with a check of each pair of columns and records, which takes longer than copying these.
const ONE_BY_ONE: usize = 64;
/// `true` if the target can load any bytes of a vector, and leave out the others.
pub(super) const ANY_BYTES: bool = cfg!(all(target_feature = "avx512bw", target_feature = "avx512vl"));

/// `true` if a plan transposes leaves in registers.
const TRANSPOSES: bool = cfg!(all(target_arch = "x86_64", target_feature = "avx2"));

/// The sizes of the leaves of a record that have some.
struct Sizes {
    least: usize,
    alike: bool,
    /// `true` if a plan copies some of them by vectors.
    in_vectors: bool,
}

impl Sizes {
    const fn of(table: &LeafTable) -> Self {
        let (mut least, mut most, mut in_vectors, mut leaf) = (usize::MAX, 0, false, 0);
        while leaf < table.count() {
            let size = table.leaf(leaf).size();
            if size > 0 && size < least {
                least = size;
            }
            if size > most {
                most = size;
            }
            in_vectors |= matches!(size, 1 | 2 | 4 | 8);
            leaf += 1;
        }
        Self { least, alike: least == most, in_vectors }
    }

    /// The most leaves that the loop copies faster than a plan, between records and blocks with so many lanes, or columns (`usize::MAX`).
    const fn most_leaves(&self, lanes: usize, to_records: bool, is_far: bool) -> usize {
        let is_far = is_far && lanes > FEW_LANES;
        match self.least {
            _ if lanes < FEW_LANES || !self.in_vectors => usize::MAX,
            // A plan without transposes copies leaf by leaf.
            _ if !TRANSPOSES && lanes < usize::MAX => usize::MAX,
            1 if !TRANSPOSES && self.alike && !to_records => 12,
            2 if !TRANSPOSES && self.alike && !to_records => 0,
            _ if !TRANSPOSES && is_far => 64,
            _ if !TRANSPOSES => usize::MAX,
            // Runs of a few bytes.
            1 | 2 if ANY_BYTES && self.alike && to_records && lanes == FEW_LANES => 16,
            // Groups end at leaves that fill no words, and leaves between groups are copied one by one: 20 and 100 leaves took 1.4 to 2.1 times
            // as long as the loop, columns 1.2 to 1.8 times, and with masks of bytes 20 from blocks took 1.4 times, 100 as long (Sapphire Rapids).
            1 | 2 if !ANY_BYTES && !self.alike && to_records && (lanes < usize::MAX || !is_far) => usize::MAX,
            1 | 2 if !self.alike && to_records && lanes < usize::MAX && !is_far => 24,
            1 | 2 if ANY_BYTES || lanes < usize::MAX => 8,
            8 if is_far => 6,
            _ if is_far => 3,
            8 if ANY_BYTES => 7,
            8 => 12,
            4 if ANY_BYTES => 8,
            _ if self.alike && (self.least == 2 || !to_records) => 4,
            _ => 7,
        }
    }
}

/// Returns `true` if the target's record has so few leaves that the compiler's loop is faster than a plan.
const fn has_few_leaves<M: Mapping, N: Mapping>(is_far: bool) -> bool {
    let table = LeafTable::of::<M::Record>();
    let (run, other) = (M::Layout::RUN, N::Layout::RUN);
    let lanes = if run < other { run } else { other };
    table.count() <= Sizes::of(table).most_leaves(lanes, has_records::<M>(), is_far)
}

/// Returns `true` if the compiler makes a loop over neighboring elements that is faster than a plan, for copies that are
/// [`FAR`](super::plan::FAR) or not.
pub(super) const fn is_vectorized<P, M: Mapping, N: Mapping, const IS_FAR: bool>() -> bool
where
    P: Pairs<M::Record, N::Record>,
{
    let table = LeafTable::of::<M::Record>();
    // Records of four bytes become columns by transposes that the compiler does not find.
    let bytes = table.count() == 4 && table.packed() == 4 && M::Layout::RUN == usize::MAX;
    // The compiler knows that neighbors are one position apart.
    let by_one = Elements::<M>::INNER.is_some() && Elements::<N>::INNER.is_some();
    P::WHOLE && differ::<M, N>() && by_one && has_few_leaves::<M, N>(IS_FAR) && !(bytes && has_records::<N>())
}

/// Returns `true` if a copy record by record is faster when it is not vectorized.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn is_one_by_one<P, M: Mapping, N: Mapping>(rows: &Rows<ArrayOf<M>>) -> bool
where
    P: Pairs<M::Record, N::Record>,
{
    let most = const {
        let leaves = LeafTable::of::<M::Record>().count();
        let whole = M::Layout::RUN == usize::MAX && N::Layout::RUN == usize::MAX;
        match (differ::<M, N>() && whole, has_records::<M>()) {
            (false, _) => 0,
            // Columns that are only read are checked against the records alone.
            (true, true) if P::WHOLE && leaves <= 8 => 0,
            (true, false) if P::WHOLE && has_few_leaves::<M, N>(false) => 5 * leaves,
            (true, _) => ONE_BY_ONE,
        }
    };
    rows.left == 1 && rows.len <= most
}

/// Returns `true` if one side has records side by side, and the other one columns or blocks.
pub(super) const fn differ<M: Mapping, N: Mapping>() -> bool {
    has_records::<M>() != has_records::<N>()
}

/// Returns `true` if the mapping has records side by side.
const fn has_records<M: Mapping>() -> bool {
    step::<M::Record, M::Layout>().is_some()
}

//! Memory of which each bit has an owner, and the lists of positions that every composition is tested with.

use layout::{ColMajor, Dim, IndexArray, Linearization, RowMajor, Strided};

use support::buffer::{Buffer, PATTERN};
use support::listed::Listed;

/// Asserts that no bit has changed but those that `owned` has.
pub(crate) fn assert_written_within(buffer: &Buffer, owned: &[u8]) {
    assert_eq!(buffer.bytes().len(), owned.len());
    for (byte, (value, owned)) in buffer.bytes().iter().zip(owned).enumerate() {
        assert_eq!(value & !owned, PATTERN & !owned, "byte {byte} has bits that no leaf owns");
    }
}

/// Bits of a blob that are taken by leaves.
pub(crate) fn claim(taken: &mut [u8], bits: core::ops::Range<usize>) {
    assert!(bits.end <= 8 * taken.len(), "bits {bits:?} are within {} bytes", taken.len());
    for bit in bits {
        assert_eq!(taken[bit / 8] >> (bit % 8) & 1, 0, "bit {bit} has one owner");
        taken[bit / 8] |= 1 << (bit % 8);
    }
}

/// No element, one, as many as no block has; rows, columns, strides with gaps, and backwards.
pub(crate) fn lists() -> Vec<Listed> {
    fn list<A: IndexArray>(linearization: impl Linearization<A>, extents: A) -> Listed {
        Listed::of(&linearization.fit(extents).unwrap(), extents)
    }
    vec![
        list(RowMajor, [0]),
        list(RowMajor, [1]),
        list(RowMajor, [13]),
        list(RowMajor, [3, 4]),
        list(ColMajor, [3, 4]),
        list(Strided::<Dim<2>>::new(3, [9, 2]), [2, 4]),
        list(Strided::<Dim<1>>::new(20, [-2]), [9]),
    ]
}

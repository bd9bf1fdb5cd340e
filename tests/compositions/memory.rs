//! Memory that is watched, and the positions of elements from a list.

use bytemuck::{Pod, Zeroable};
use layout::{ColMajor, Dim, ExtentsError, IndexArray, Linearization, RowMajor, Strided};

/// What no test writes by chance.
const PATTERN: u8 = 0xa5;

/// Bytes at a multiple of 128 plus an offset.
pub(crate) struct Buffer {
    lines: Vec<Line>,
    offset: usize,
    len: usize,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(128))]
struct Line([u8; 128]);

impl Buffer {
    pub(crate) fn new(len: usize) -> Self {
        Self::at(0, len)
    }

    pub(crate) fn at(offset: usize, len: usize) -> Self {
        Self { lines: vec![Line([PATTERN; 128]); (offset + len).div_ceil(128)], offset, len }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.lines)[self.offset..][..self.len]
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.lines)[self.offset..][..self.len]
    }

    /// Asserts that no bit has changed but those that `owned` has.
    pub(crate) fn assert_written_within(&self, owned: &[u8]) {
        assert_eq!(self.len, owned.len());
        for (byte, (value, owned)) in self.bytes().iter().zip(owned).enumerate() {
            assert_eq!(value & !owned, PATTERN & !owned, "byte {byte} has bits that no leaf owns");
        }
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

/// Pseudo-random numbers, the same in every run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }
}

/// A linearization without constant strides, whose positions are those of another one, index by index in row-major
/// order: a composition is then compiled for one linearization, and tested with many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Listed {
    positions: &'static [usize],
    span: usize,
}

impl Listed {
    fn of<const N: usize>(linearization: impl Linearization<[usize; N]>, extents: [usize; N]) -> Self
    where
        [usize; N]: IndexArray,
    {
        let fitted = linearization.fit(extents).unwrap();
        let volume = extents.iter().product();
        let index = |mut k: usize| {
            let mut index = [0; N];
            for (entry, extent) in index.iter_mut().zip(extents).rev() {
                (*entry, k) = (k % extent, k / extent);
            }
            index
        };
        let positions = (0..volume).map(|k| fitted.position(extents, index(k))).collect();
        Self { positions: Vec::leak(positions), span: fitted.span(extents).unwrap() }
    }

    pub(crate) fn len(self) -> usize {
        self.positions.len()
    }

    /// No element, one, as many as no block has; rows, columns, strides with gaps, and backwards.
    pub(crate) fn all() -> Vec<Self> {
        vec![
            Self::of(RowMajor, [0]),
            Self::of(RowMajor, [1]),
            Self::of(RowMajor, [13]),
            Self::of(RowMajor, [3, 4]),
            Self::of(ColMajor, [3, 4]),
            Self::of(Strided::<Dim<2>>::new(3, [9, 2]), [2, 4]),
            Self::of(Strided::<Dim<1>>::new(20, [-2]), [9]),
        ]
    }
}

// SAFETY: the positions are those of a linearization whose span this is, which are below it and different.
unsafe impl Linearization<[usize; 1]> for Listed {
    const INNER: Option<usize> = None;
    const UNIQUE: Option<bool> = Some(true);
    const EXHAUSTIVE: bool = false;
    const STRIDED: bool = false;

    fn fit(self, extents: [usize; 1]) -> Result<Self, ExtentsError> {
        assert_eq!(extents, [self.positions.len()]);
        Ok(self)
    }

    fn span(&self, _: [usize; 1]) -> Option<usize> {
        Some(self.span)
    }

    fn position(&self, _: [usize; 1], [index]: [usize; 1]) -> usize {
        // A walk over no elements asks for the first.
        self.positions.get(index).copied().unwrap_or(0)
    }

    fn stride(&self, _: [usize; 1], _: usize) -> isize {
        0
    }

    fn nest(&self, _: [usize; 1]) -> [usize; 1] {
        [0]
    }

    fn is_unique(&self, _: [usize; 1]) -> bool {
        true
    }
}

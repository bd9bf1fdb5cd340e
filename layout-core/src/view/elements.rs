//! The elements of a row: their positions, for one mapping and for several.

use super::opened::Walk;
use super::rows::Rows;
use super::{ArrayOf, PositionOf};
use crate::extents::{Extents, IndexArray};
use crate::linearization::Linearization;
use crate::mapping::{Mapping, Position, RecordLayout, step};

/// One mapping, for a traversal in rows along one dimension.
pub(super) struct Elements<M: Mapping> {
    pub(super) mapping: M,
    pub(super) inner: usize,
    /// The distance between neighbors of a row, in positions. Without constant strides, 1 if neighbors within runs have that distance.
    pub(super) step: isize,
    /// `true` if there is one row whose element `k` has position `k`, whatever the linearization says of its index.
    flat: bool,
    /// The number of the first element of rows, counted from the element at their index.
    first: usize,
}

copied!([M: Mapping] Elements<M>);

/// The linearization of a mapping.
type LinOf<M> = <M as Mapping>::Linearization;

/// Returns `true` for a linearization without constant strides that uses each position from zero to the last once: the
/// walk is then one row of all positions.
///
/// Returns `false` for constant strides, where the type tells.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn is_flat<M: Mapping>(mapping: &M) -> bool {
    if Elements::<M>::STRIDED {
        return false;
    }
    // No two indices share a position, and there are as many positions as indices, so no position is left out.
    matches!(<LinOf<M> as Linearization<ArrayOf<M>>>::UNIQUE, Some(true))
        && mapping.extents().volume() == Some(mapping.span())
}

impl<M: Mapping> Elements<M> {
    pub(super) const INNER: Option<usize> = <LinOf<M> as Linearization<ArrayOf<M>>>::INNER;
    pub(super) const STRIDED: bool = <LinOf<M> as Linearization<ArrayOf<M>>>::STRIDED;
    /// `true` if all rows form one: positions are then consecutive, and the next one is found by stepping.
    pub(super) const EXHAUSTIVE: bool = Self::STRIDED && <LinOf<M> as Linearization<ArrayOf<M>>>::EXHAUSTIVE;

    /// Prepares a traversal in these rows, which are the mapping's own rows.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) fn own(mapping: M, rows: &Rows<ArrayOf<M>>) -> Self {
        let elements = Self::along_or_own(mapping, rows.nest, true);
        if !Self::STRIDED && rows.flat { Self { step: 1, flat: true, ..elements } } else { elements }
    }

    /// Prepares a traversal along a dimension.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) fn along(mapping: M, dimension: usize) -> Self {
        let step = if Self::INNER == Some(dimension) {
            1
        } else if ArrayOf::<M>::RANK == 0 || !Self::STRIDED {
            0
        } else {
            mapping.linearization().stride(mapping.extents().array(), dimension)
        };
        Self { mapping, inner: dimension, step, flat: false, first: 0 }
    }

    /// Prepares a traversal along the innermost dimension of `nest`. With `own`, the dimension of stride one that the
    /// type names is that dimension, and is used as a constant.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) fn along_or_own(mapping: M, nest: ArrayOf<M>, own: bool) -> Self {
        match Self::INNER {
            // Constants, so that neighbors are contiguous by type.
            Some(inner) if own => Self { mapping, inner, step: 1, flat: false, first: 0 },
            _ => {
                let inner = nest.as_ref().last().copied().unwrap_or(0);
                let elements = Self::along(mapping, inner);
                // Positions follow one another, also if the innermost dimension has one index, from which there is no step.
                let joined = Self::EXHAUSTIVE && ArrayOf::<M>::RANK > 0 && mapping.extents().array().entry(inner) <= 1;
                if joined { Self { step: 1, ..elements } } else { elements }
            }
        }
    }

    /// The same elements, in rows that start with element `first`. With `own`, rows lie along the dimension of stride
    /// one that the type names.
    #[cfg_attr(not(unoptimized), inline(always))]
    #[cfg(feature = "rayon")]
    pub(super) fn from(self, first: usize, own: bool) -> Self {
        match Self::INNER {
            Some(inner) if own => Self { inner, step: 1, flat: !Self::STRIDED && self.flat, first, ..self },
            _ => Self { first, ..self },
        }
    }

    /// Returns `true` if all neighbors of a row lie the same number of positions apart.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) fn is_even(&self) -> bool {
        Self::STRIDED || self.flat
    }

    /// The flat position of element `k` of a row.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) fn flat(&self, (flat, index): (usize, ArrayOf<M>), k: usize) -> usize {
        if !self.is_even() {
            let index = index.moved(self.inner, k);
            self.mapping.linearization().position(self.mapping.extents().array(), index)
        } else if self.step == 1 {
            debug_assert!(k < isize::MAX.cast_unsigned() - flat, "a row lies within the span");
            // SAFETY: rows lie within the span of the linearization, which fits `isize`.
            unsafe { flat.unchecked_add(k) }
        } else {
            flat.wrapping_add_signed(k.cast_signed().wrapping_mul(self.step))
        }
    }
}

impl<M: Mapping> Walk for Elements<M> {
    type Index = ArrayOf<M>;
    type Row = (usize, ArrayOf<M>);
    type Position = PositionOf<M>;
    const RUN: usize = common_run(<LinOf<M> as Linearization<ArrayOf<M>>>::RUN, M::Layout::RUN);
    const INNER: Option<usize> = Self::INNER;
    const WRITES: bool = false;
    const SEVERAL: bool = false;
    const LEAVES: usize = 0;

    #[cfg_attr(not(unoptimized), inline(always))]
    fn row(&self, index: ArrayOf<M>) -> Self::Row {
        let flat =
            if self.flat { 0 } else { self.mapping.linearization().position(self.mapping.extents().array(), index) };
        let flat = if self.is_even() { self.flat((flat, index), self.first) } else { flat };
        let index = index.moved(self.inner, self.first);
        // A part of one dimension, as one of many in a loop of the user. The compiler would hoist its checks of addresses out of that loop.
        // Two parts that do not overlap would then look as if they did, and the vectorized code would never run.
        let part = const {
            ArrayOf::<M>::RANK == 1
                && (Self::RUN == usize::MAX && Self::STRIDED && !Self::EXHAUSTIVE)
                && step::<M::Record, M::Layout>().is_none()
        };
        (if part { opaque(flat) } else { flat }, index)
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn ahead(&self, row: Self::Row, k: usize, run: usize) -> Option<usize> {
        if self.step != 1 {
            return None;
        }
        Some(if Self::RUN == usize::MAX { usize::MAX } else { run - self.flat(row, k) % run })
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn position(&self, row: Self::Row, k: usize) -> PositionOf<M> {
        M::position(self.flat(row, k))
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn run(&self, row: Self::Row, first: usize, len: usize, number: usize) -> PositionOf<M> {
        if Self::RUN == usize::MAX || !self.is_even() {
            // The runs belong to another view, and this view need not start at a multiple of their length; or positions
            // jump between runs.
            return self.position(row, first + number * len);
        }
        let start = self.flat(row, first) / len;
        // SAFETY: it numbers a run of the span, which fits `isize`.
        let number = unsafe { start.unchecked_add(number) };
        // SAFETY: it is a flat position within the span.
        M::position(unsafe { element(0, number, len) })
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn within(position: PositionOf<M>, steps: usize) -> PositionOf<M> {
        position.within(steps)
    }
}

/// The common run length of two mappings that are walked together.
pub(super) const fn common_run(a: usize, b: usize) -> usize {
    if a == usize::MAX {
        return b;
    }
    if b == usize::MAX {
        return a;
    }
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// `first + number * size`, which the compiler may assume not to overflow.
///
/// # Safety
///
/// It does not.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) unsafe fn element(first: usize, number: usize, size: usize) -> usize {
    // SAFETY: the condition is the caller's.
    let further = unsafe { number.unchecked_mul(size) };
    // SAFETY: as above.
    unsafe { first.unchecked_add(further) }
}

/// Returns the number unchanged, but hides its origin from the compiler.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn opaque(number: usize) -> usize {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))]
    {
        let mut number = number;
        // SAFETY: the assembly is empty.
        unsafe {
            core::arch::asm!("/* {0} */", inout(reg) number, options(pure, nomem, nostack, preserves_flags));
        }
        number
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]
    number
}

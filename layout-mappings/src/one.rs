//! One: a single element for all indices.

use core::fmt;
use core::marker::PhantomData;

use layout_core::{Along, Apart, LeafTable, Path, Place, Record, RecordLayout};

use crate::aos::{AoS, FieldOrder, InOrder};
use crate::padding::{Aligned, Padding};

/// One element, which every index shows: a constant that kernels read like any view.
///
/// ```text
/// offset = start[i], for every position
/// ```
///
/// It lies as in [`AoS<P, O>`](AoS). The view is not unique, so that it can be read, and written only if it has no more
/// than one element; [`View::constant`](layout_core::View::constant) makes one.
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
/// use layout::One;
///
/// let mapping = Mapped::<[f32; 2], _, One>::new(extents!(dyn 1000))?;
/// let field = View::constant(mapping, [1.0, 2.0])?;
/// assert_eq!(mapping.blob_size(0), 8);
/// assert_eq!(field.load(999), [1.0, 2.0]);
/// assert_eq!(View::zeroed(mapping).err(), Some(ViewError::NotUnique)); // could be written
/// # Ok::<(), ViewError>(())
/// ```
pub struct One<P = Aligned, O = InOrder>(PhantomData<(P, O)>);

// SAFETY: the one element is the first of an `AoS`, of one slot. Positions share it, as `UNIQUE` says, and lie 0 bytes
// apart.
unsafe impl<R: Record, P: Padding, O: FieldOrder> RecordLayout<R> for One<P, O> {
    type Frame = ();
    type Position = ();
    const BLOBS: usize = 1;
    const RUN: usize = usize::MAX;
    const ALIGNED: bool = <AoS<P, O> as RecordLayout<R>>::ALIGNED;
    const UNIQUE: bool = LeafTable::of::<R>().count() == 0;
    type Sharing = Apart;

    #[inline(always)]
    fn frame(self, _: usize) {}

    fn blob_size(self, _: usize, _: usize) -> Option<usize> {
        Some(AoS::<P, O>::element_size::<R>())
    }

    fn region_size(self, slots: usize) -> Option<usize> {
        RecordLayout::<R>::blob_size(self, slots, 0)
    }

    #[inline(always)]
    fn position(_: usize) {}

    #[inline(always)]
    fn within((): (), _: usize) {}

    #[inline(always)]
    fn place<Q: Path<Root = R>>((): (), (): ()) -> (usize, Along) {
        (0, <Self as RecordLayout<R>>::in_region::<Q>((), ()))
    }

    fn place_of((): (), (): (), leaf: usize) -> Place {
        <AoS<P, O> as RecordLayout<R>>::place_of((), 0, leaf)
    }

    #[inline(always)]
    fn in_region<Q: Path<Root = R>>((): (), (): ()) -> Along {
        let Along { start, .. } = <AoS<P, O> as RecordLayout<R>>::in_region::<Q>((), 0);
        Along { start, lane: 0, stride: 0 }
    }

    fn in_region_of((): (), (): (), leaf: usize) -> usize {
        <AoS<P, O> as RecordLayout<R>>::in_region_of((), 0, leaf)
    }
}

impl<P, O> Default for One<P, O> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<P, O> Clone for One<P, O> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<P, O> Copy for One<P, O> {}

impl<P, O> PartialEq for One<P, O> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<P: Padding, O: FieldOrder> fmt::Debug for One<P, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "One<{:?}, {:?}>", P::default(), O::default())
    }
}

//! One: a single element for all indices.

use core::fmt;
use core::marker::PhantomData;

use layout_core::{Apart, LeafPlace, LeafTable, Physical, Record, RecordLayout, sized};

use crate::aos::{AoS, FieldOrder, InOrder};
use crate::padding::{Aligned, Padding};

/// One element that all indices share: a constant that kernels read like any view.
///
/// ```text
/// offset = start[i], for every position
/// ```
///
/// The element has the layout of [`AoS<P, O>`](AoS). The view is not unique: it is read-only, unless it has at most one
/// element. [`View::constant`](layout_core::View::constant) makes one.
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

/// The same places for every position.
const fn places<const N: usize>(first: &[LeafPlace]) -> [LeafPlace; N] {
    let (mut places, mut leaf) = ([LeafPlace::NOWHERE; N], 0);
    while leaf < N {
        places[leaf].start = first[leaf].start;
        leaf += 1;
    }
    places
}

// SAFETY: the one element is the first of an `AoS`, of one slot. Positions share it, as `UNIQUE` says, and lie 0 bytes
// apart.
unsafe impl<R: Record, P: Padding, O: FieldOrder> RecordLayout<R> for One<P, O> {
    type Frame = ();
    type Position = usize;
    type Codec = Physical;
    type Sharing = Apart;
    const BLOBS: usize = 1;
    const PLACES: &'static [LeafPlace] =
        sized!(LeafTable::of::<R>().count(), N => places::<N>(<AoS<P, O> as RecordLayout<R>>::PLACES));
    const ALIGNED: bool = <AoS<P, O> as RecordLayout<R>>::ALIGNED;
    const UNIQUE: bool = LeafTable::of::<R>().count() == 0;
    const MOST: [usize; 2] = [0, AoS::<P, O>::element_size::<R>()];

    const CHECKED: () = <AoS<P, O> as RecordLayout<R>>::CHECKED;

    #[inline(always)]
    fn frame(self, _: usize) {}

    #[inline(always)]
    fn blob_size(self, _: usize, _: usize) -> usize {
        AoS::<P, O>::element_size::<R>()
    }
}

stateless!([P, O] One<P, O>);

impl<P: Padding, O: FieldOrder> fmt::Debug for One<P, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "One<{:?}, {:?}>", P::default(), O::default())
    }
}

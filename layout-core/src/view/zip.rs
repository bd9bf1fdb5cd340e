//! Traversals of several views of equal extents at once.

use core::iter::FusedIterator;

use super::access::Kind;
use super::cursor::{Cursor, IterOf};
use super::elements::Elements;
use super::lanes_at::{Partial, Whole};
use super::opened::{Bind, Opened, Starts, Walk, tuples};
use super::rows::Rows;
use super::slice_args::SliceArgs;
use super::walk;
use super::{ArrayOf, View};
use crate::blob::{Address, Blobs, BlobsMut};
use crate::error::{List, ZipError};
use crate::extents::{Extents, IndexArray};
use crate::lanes::Mask;
use crate::linearization::Linearization;
use crate::mapping::Mapping;

/// A view in a [`zip`]: `&View` to read, or `&mut View` to read and write.
///
/// # Safety
///
/// Implementors must ensure that the address is of blobs that fit the mapping, borrowed as `Kind` says
/// (`&'v ()` or `&'v mut ()`), and that the mapping is unique if `Kind` is mutable.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no view that can be zipped",
    note = "borrow each view: `&view` to read, `&mut view` to write"
)]
pub unsafe trait Part {
    /// The view's mapping.
    type Mapping: Mapping;
    /// The kind of address.
    type Address: Address;
    /// `&'v ()` or `&'v mut ()`.
    type Kind: Kind;

    /// The mapping and the address.
    #[doc(hidden)]
    fn open(self) -> (Self::Mapping, Self::Address);
}

// SAFETY: a view's blobs fit its mapping, and it is borrowed for `'v`.
unsafe impl<'v, M: Mapping, B: Blobs> Part for &'v View<M, B> {
    type Mapping = M;
    type Address = B::Address;
    type Kind = &'v ();

    #[cfg_attr(not(unoptimized), inline(always))]
    fn open(self) -> (M, B::Address) {
        (self.mapping, self.blobs.address())
    }
}

// SAFETY: a view's blobs fit its mapping, which is unique if they can be written; it is borrowed mutably for `'v`.
unsafe impl<'v, M: Mapping, B: BlobsMut> Part for &'v mut View<M, B> {
    type Mapping = M;
    type Address = B::Address;
    type Kind = &'v mut ();

    #[cfg_attr(not(unoptimized), inline(always))]
    fn open(self) -> (M, B::Address) {
        (self.mapping, self.blobs.address_mut())
    }
}

/// A tuple of two to sixteen views of one rank, each `&View` or `&mut View`.
///
/// This is the argument of [`zip`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be zipped",
    note = "give a tuple of two to sixteen views of one rank, each borrowed: `zip((&a, &mut b))`"
)]
pub trait Zipped {
    /// The opened views.
    #[doc(hidden)]
    type Walk: Bind;

    /// Opens the views, or returns an error if their extents differ.
    #[doc(hidden)]
    fn open(self) -> Result<Zip<Self::Walk>, ZipError>;
}

/// Views of equal extents, opened for one traversal; see [`zip`]. A single view is opened as a zip of one view.
///
/// Each method consumes the `Zip`: it is walked once.
pub struct Zip<S: Walk> {
    pub(super) walk: S,
    pub(super) rows: Rows<S::Index>,
    /// The rows for traversals with indices.
    pub(super) indexed: Rows<S::Index>,
}

/// Walks several views together. `views` is a tuple of two to sixteen views, each borrowed as `&View` or `&mut View`.
///
/// Elements are visited row by row, in the order of the first view's mapping. Over `Tiled` and `Morton` that is not the order in which
/// one view is walked if each position has an element, which is that of positions.
///
/// # Panics
///
/// Panics if the extents differ; see [`try_zip`].
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
///
/// let x = alloc_from_fn::<f64, SoA, _>([10, 10], |[i, j]| (i + j) as f64)?;
/// let mut y = alloc::<f64, AoSoA<8>, _>([10, 10])?;
/// zip((&x, &mut y)).for_each(|(x, mut y)| y += 2.0 * x.get());
/// assert_eq!(y.get([9, 9]), 36.0);
/// # Ok::<(), ViewError>(())
/// ```
#[cfg_attr(not(unoptimized), inline(always))]
#[track_caller]
pub fn zip<Z: Zipped>(views: Z) -> Zip<Z::Walk> {
    match try_zip(views) {
        Ok(zip) => zip,
        Err(error) => refused(&error),
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn refused(error: &ZipError) -> ! {
    panic!("{error}")
}

/// Walks several views together; see [`zip`].
///
/// # Errors
///
/// Returns an error if the extents differ.
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
///
/// let (a, b) = (alloc::<u8, SoA, _>(3)?, alloc::<u8, SoA, _>(4)?);
/// let error = try_zip((&a, &b)).err().unwrap();
/// assert_eq!(error.to_string(), "the views have extents [3] and [4], which must be equal");
/// # Ok::<(), ViewError>(())
/// ```
#[cfg_attr(not(unoptimized), inline(always))]
pub fn try_zip<Z: Zipped>(views: Z) -> Result<Zip<Z::Walk>, ZipError> {
    views.open()
}

impl<S: Bind> Zip<S> {
    /// Calls `f` with a tuple of slots for each index: the slots of that element in each view.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let x = alloc_from_fn::<u32, SoA, _>(4, |[i]| i as u32)?;
    /// let mut sum = 0;
    /// zip((&x, &x)).for_each(|(a, b)| sum += a.get() * b.get());
    /// assert_eq!(sum, 14);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn for_each(self, mut f: impl FnMut(S::Slots)) {
        let walk = self.walk;
        // SAFETY: the walk gives the positions of each element once, and views that are written are unique.
        walk::each::<0, _>(&walk, self.rows, |walk, position| f(unsafe { walk.bind(position) }));
    }

    /// Calls `f` with the slots of each element, in a loop unrolled by `UNROLL`.
    ///
    /// Use it for a loop whose steps take long and depend little on earlier steps, such as a sum of square roots: the
    /// processor then works on several steps at once. For other loops [`for_each`](Self::for_each) is as fast.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn for_each_unrolled<const UNROLL: usize>(self, mut f: impl FnMut(S::Slots)) {
        let walk = self.walk;
        // SAFETY: as in `for_each`.
        walk::each::<UNROLL, _>(&walk, self.rows, |walk, position| f(unsafe { walk.bind(position) }));
    }

    /// Calls `f` with the index and the slots of each element.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let a = alloc::<u8, SoA, _>(3)?;
    /// let mut b = alloc::<usize, SoA, _>(3)?;
    /// zip((&a, &mut b)).for_each_indexed(|[i], (_, mut b)| b.set(i));
    /// assert_eq!(b.to_vec(), [0, 1, 2]);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn for_each_indexed(self, mut f: impl FnMut(S::Index, S::Slots)) {
        let walk = self.walk;
        // SAFETY: as in `for_each`.
        walk::each_indexed(&walk, self.indexed, |walk, index, position| f(index, unsafe { walk.bind(position) }));
    }

    /// Calls `f` with the index and the slots of each element whose index lies within `ranges`, one range for each
    /// dimension; see [`View::for_each_in`].
    ///
    /// # Panics
    ///
    /// Panics if a range is not within the extents.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let a = alloc_from_fn::<usize, SoA, _>([3, 4], |[i, j]| 10 * i + j)?;
    /// let mut b = alloc::<usize, AoS, _>([3, 4])?;
    /// zip((&a, &mut b)).for_each_in((1.., ..2), |_, (a, mut b)| b.set(a.get()));
    /// assert_eq!(b.to_vec(), [0, 0, 0, 0, 10, 11, 0, 0, 20, 21, 0, 0]);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    #[track_caller]
    pub fn for_each_in(
        self,
        ranges: impl SliceArgs<<S::Index as IndexArray>::Dim>,
        mut f: impl FnMut(S::Index, S::Slots),
    ) {
        let (walk, rows) = (self.walk, self.indexed.cut(ranges));
        // SAFETY: as in `for_each`.
        walk::each_indexed(&walk, rows, |walk, index, position| f(index, unsafe { walk.bind(position) }));
    }

    /// Calls `lanes` with the slots of `W` neighboring elements at a time, and `rest` with the slots of each element
    /// that is left over; see [`View::for_each_lanes`].
    ///
    /// The blocks of the views may start at different elements (halves of one view, shifted slices). Groups then start with the blocks of the
    /// view that is written, or of the first view that has blocks. A group that lies in two blocks of another view:
    /// * is loaded from both at once, if the target has AVX2, at most one view that has blocks is written, leaves are contiguous in blocks, and
    ///   `W` divides the blocks or is a multiple of them; `W` and the blocks are 4 or multiples of 8. Leaves of 4 or 8 bytes are loaded by
    ///   vectors, others by integers of 16 bytes;
    /// * or else is collected element by element, if blocks have at most 8 elements;
    /// * or else is no group: all elements are left over, and their loop is vectorized in pieces of blocks.
    ///
    /// For short rows, [`for_each_lanes_masked`](Self::for_each_lanes_masked) is faster: it walks no elements one by one.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let x = alloc_from_fn::<f32, SoA, _>(10, |[i]| i as f32)?;
    /// let mut y = alloc::<f32, SoA, _>(10)?;
    /// zip((&x, &mut y)).for_each_lanes::<4>(
    ///     |(x, mut y)| y += x.get() * 2.0, // `Lanes<f32, 4>`
    ///     |(x, mut y)| y += x.get() * 2.0, // `f32`
    /// );
    /// assert_eq!(y.get(9), 18.0);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn for_each_lanes<const W: usize>(self, lanes: impl FnMut(S::Lanes<W, Whole>), rest: impl FnMut(S::Slots)) {
        const { assert!(W > 0, "lanes need a width of at least one") };
        self.lanes(lanes, rest);
    }

    /// The same as [`for_each_lanes`](Self::for_each_lanes). The public function rejects `W = 0`, so that the error names the user's call.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) fn lanes<const W: usize>(self, lanes: impl FnMut(S::Lanes<W, Whole>), rest: impl FnMut(S::Slots)) {
        let walk = self.walk;
        // SAFETY: as in `for_each`.
        unsafe { walk::each_lanes::<W, _>(&walk, self.rows, lanes, rest) };
    }

    /// Calls `lanes` with the slots of `W` neighboring elements at a time, and with a mask of the lanes that hold
    /// elements; see [`View::for_each_lanes_masked`].
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let x = alloc_from_fn::<f32, SoA, _>(10, |[i]| i as f32)?;
    /// let mut y = alloc::<f32, SoA, _>(10)?;
    /// zip((&x, &mut y)).for_each_lanes_masked::<4>(|(x, mut y), _| y += x.get() * 2.0);
    /// assert_eq!(y.get(9), 18.0);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn for_each_lanes_masked<const W: usize>(self, lanes: impl FnMut(S::Lanes<W, Partial>, Mask<W>)) {
        const { assert!(W > 0, "lanes need a width of at least one") };
        self.lanes_masked(lanes);
    }

    /// The same as [`lanes`](Self::lanes), without the check of `W`.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) fn lanes_masked<const W: usize>(self, lanes: impl FnMut(S::Lanes<W, Partial>, Mask<W>)) {
        let walk = self.walk;
        // SAFETY: as in `for_each`.
        unsafe { walk::each_lanes_masked::<W, _>(&walk, self.rows, lanes) };
    }

    /// Calls `lanes` with the slots of `W` elements at a time whose indices are consecutive in `dimension`, and `rest`
    /// with the slots of each element that is left over; see [`View::for_each_lanes_along`].
    ///
    /// # Panics
    ///
    /// Panics if there is no such dimension.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let x = alloc_from_fn::<f32, AoS, _>([10, 3], |[i, j]| (10 * i + j) as f32)?;
    /// let mut y = alloc::<f32, SoA, _>([10, 3])?;
    /// zip((&x, &mut y)).for_each_lanes_along::<8>(0, |(x, mut y)| y.set(x.get()), |(x, mut y)| y.set(x.get()));
    /// assert_eq!(x, y);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    #[track_caller]
    pub fn for_each_lanes_along<const W: usize>(
        self,
        dimension: usize,
        lanes: impl FnMut(S::Lanes<W, Whole>),
        rest: impl FnMut(S::Slots),
    ) {
        const { assert!(W > 0, "lanes need a width of at least one") };
        self.lanes_along(dimension, lanes, rest);
    }

    /// The same as [`lanes`](Self::lanes), without the check of `W`.
    #[cfg_attr(not(unoptimized), inline(always))]
    #[track_caller]
    pub(super) fn lanes_along<const W: usize>(
        self,
        dimension: usize,
        mut lanes: impl FnMut(S::Lanes<W, Whole>),
        mut rest: impl FnMut(S::Slots),
    ) {
        let walk = self.walk;
        walk::each_lanes_along::<W, _>(
            &walk,
            &self.indexed,
            dimension,
            |walk, row| {
                // SAFETY: as in `for_each`.
                lanes(unsafe { walk.bind_lanes::<W, _>(row, 0, walk.position(row, 0), Starts::Anywhere, Whole) });
            },
            // SAFETY: as in `for_each`.
            |walk, position| rest(unsafe { walk.bind(position) }),
        );
    }

    /// Iterates over tuples of slots, one for each index: the slots of that element in each view; see [`View::iter`]. The order is
    /// that of [`zip`].
    ///
    /// Methods that fold (`sum`, `fold`, `for_each`, `count`, `max`) are as fast as [`for_each`](Self::for_each).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let x = alloc_from_fn::<u32, SoA, _>(4, |[i]| i as u32)?;
    /// let y = alloc_from_fn::<u32, AoSoA<8>, _>(4, |[i]| 10 * i as u32)?;
    /// assert_eq!(zip((&x, &y)).iter().map(|(x, y)| x.get() * y.get()).sum::<u32>(), 140);
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn iter(self) -> IterOf<S> {
        IterOf::new(Cursor::all(self))
    }

    /// Iterates over the index and the slots of each element, row by row; see [`View::iter_indexed`].
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let a = alloc_from_fn::<i32, SoA, _>([2, 3], |[i, j]| (10 * i + j) as i32)?;
    /// let mut b = alloc::<i32, AoS, _>([2, 3])?;
    /// for ([i, _], (a, mut b)) in zip((&a, &mut b)).iter_indexed() {
    ///     b.set(a.get() - 10 * i as i32);
    /// }
    /// assert_eq!(b.to_vec(), [0, 1, 2, 0, 1, 2]);
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn iter_indexed(
        self,
    ) -> impl DoubleEndedIterator<Item = (S::Index, S::Slots)> + ExactSizeIterator + FusedIterator {
        Cursor::<_, true>::all(self)
    }
}

impl<S: Bind> IntoIterator for Zip<S> {
    type Item = S::Slots;
    type IntoIter = IterOf<S>;

    fn into_iter(self) -> IterOf<S> {
        self.iter()
    }
}

macro_rules! zipped {
    ($(($first:ident $($p:ident)*: $d0:tt $($d:tt)*))+) => {$(
        impl<$first: Part, $($p: Part<Mapping: Mapping<Extents: Extents<Array = ArrayOf<$first::Mapping>>>>),*>
            Zipped for ($first, $($p,)*)
        {
            type Walk = (
                Opened<$first::Kind, $first::Mapping, $first::Address>,
                $(Opened<$p::Kind, $p::Mapping, $p::Address>,)*
            );

            #[cfg_attr(not(unoptimized), inline(always))]
            fn open(self) -> Result<Zip<Self::Walk>, ZipError> {
                let opened = (self.$d0.open(), $(self.$d.open(),)*);
                let mapping = opened.$d0.0;
                let extents = mapping.extents().array();
                let nest = mapping.linearization().nest(extents);
                // Stride one in one dimension by type, and no gaps in the same order: true for all views, or assumed for none.
                let unit = const { <Self::Walk as Walk>::INNER.is_some() };
                let mut collapse = Elements::<$first::Mapping>::EXHAUSTIVE;
                $(
                    let other = opened.$d.0;
                    let other_extents = other.extents().array();
                    if other_extents != extents {
                        return Err(ZipError { first: List::of(extents.as_ref()), other: List::of(other_extents.as_ref()) });
                    }
                    collapse &= Elements::<$p::Mapping>::EXHAUSTIVE && other.linearization().nest(extents) == nest;
                )*
                let walk = (
                    // SAFETY: `Part` promises that the blobs fit the mapping and are borrowed as `Kind` says.
                    unsafe { Opened::new(Elements::along_or_own(opened.$d0.0, nest, unit), opened.$d0.1) },
                    $(
                        // SAFETY: as above.
                        unsafe { Opened::new(Elements::along_or_own(opened.$d.0, nest, unit), opened.$d.1) },
                    )*
                );
                Ok(Zip {
                    walk,
                    rows: Rows::new(extents, nest, collapse),
                    indexed: Rows::new(extents, nest, false),
                })
            }
        }
    )+};
}

tuples!(zipped);

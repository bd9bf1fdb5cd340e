//! Iteration over slots, for reading or writing, and over values.

use core::iter::FusedIterator;
use core::ops::Range;

use super::{RecordSlice, RecordVec, Room};
use crate::blob::RegionAddress;
use crate::mapping::RecordLayout;
use crate::record::Record;
use crate::view::{Iter, IterMut, Owned};

/// An iterator over the values of a vector; see [`RecordVec::values`].
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
///
/// let vec = RecordVec::<u8, SoA>::from(&[1, 2, 3]);
/// let values: layout::iter::Values<'_, u8, SoA> = vec.values();
/// assert_eq!((values.len(), values.sum::<u8>()), (3, 6));
/// ```
pub struct Values<'v, R: Record, L: RecordLayout<R>> {
    view: RecordSlice<'v, R, L>,
    left: Range<usize>,
}

/// An iterator over the values of a vector that consumes the vector.
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
///
/// let values: layout::iter::IntoValues<u8, SoA> = RecordVec::from(&[1, 2, 3]).into_iter();
/// assert!(values.rev().eq([3, 2, 1]));
/// ```
pub struct IntoValues<R: Record, L: RecordLayout<R>> {
    view: Owned<Room<R, L>>,
    left: Range<usize>,
}

macro_rules! iterator {
    ([$($generics:tt)*] $iter:ty) => {
        impl<$($generics)* R: Record, L: RecordLayout<R>> Iterator for $iter {
            type Item = R;

            #[inline]
            fn next(&mut self) -> Option<R> {
                let index = self.left.next()?;
                Some(self.view.load(index))
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                self.left.size_hint()
            }

            #[inline]
            fn nth(&mut self, n: usize) -> Option<R> {
                let index = self.left.nth(n)?;
                Some(self.view.load(index))
            }

            /// Runs the same loop as `for_each`, without a division for each record of a layout in blocks.
            #[inline]
            fn fold<T, F: FnMut(T, R) -> T>(self, init: T, mut f: F) -> T {
                let mut so_far = Some(init);
                self.view.slice((self.left,)).for_each(|slots| {
                    so_far = so_far.take().map(|so_far| f(so_far, R::load(&slots)));
                });
                so_far.unwrap_or_else(|| unreachable!("each step leaves a value"))
            }
        }

        impl<$($generics)* R: Record, L: RecordLayout<R>> DoubleEndedIterator for $iter {
            #[inline]
            fn next_back(&mut self) -> Option<R> {
                let index = self.left.next_back()?;
                Some(self.view.load(index))
            }
        }

        impl<$($generics)* R: Record, L: RecordLayout<R>> ExactSizeIterator for $iter {}
        impl<$($generics)* R: Record, L: RecordLayout<R>> FusedIterator for $iter {}
    };
}

iterator!(['v,] Values<'v, R, L>);
iterator!([] IntoValues<R, L>);

impl<R: Record, L: RecordLayout<R>> RecordVec<R, L> {
    /// Iterates over copies of all records.
    ///
    /// If a loop uses only some fields of the records, the compiler usually reads only these fields.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let vec = RecordVec::<[f32; 2], SoA>::from(&[[1.0, 2.0], [3.0, 4.0]]);
    /// assert_eq!(vec.values().map(|[x, _]| x).sum::<f32>(), 4.0);
    /// assert_eq!(vec.values().next_back(), Some([3.0, 4.0]));
    /// ```
    #[inline]
    pub fn values(&self) -> Values<'_, R, L> {
        Values { view: self.as_view(), left: 0..self.len }
    }

    /// Iterates over read-only slots of all records; see [`values`](Self::values) for copies of the records.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let vec = RecordVec::<[f32; 2], SoA>::from(&[[1.0, 2.0], [3.0, 4.0]]);
    /// let mut sum = 0.0;
    /// for pair in &vec {
    ///     sum += pair.at(0).get();
    /// }
    /// assert_eq!(sum, 4.0);
    /// ```
    pub fn iter(&self) -> Iter<'_, Room<R, L>, RegionAddress> {
        self.room.iter_of(0..self.len)
    }

    /// Iterates over writable slots of all records.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut vec = RecordVec::<u8, SoA>::from(&[1, 2, 3]);
    /// for mut slot in &mut vec {
    ///     slot += 1;
    /// }
    /// assert_eq!(vec.iter_mut().len(), 3);
    /// assert_eq!(vec.to_vec(), [2, 3, 4]);
    /// ```
    pub fn iter_mut(&mut self) -> IterMut<'_, Room<R, L>, RegionAddress> {
        self.room.iter_mut_of(0..self.len)
    }
}

impl<R: Record, L: RecordLayout<R>> IntoIterator for RecordVec<R, L> {
    type Item = R;
    type IntoIter = IntoValues<R, L>;

    fn into_iter(self) -> IntoValues<R, L> {
        IntoValues { left: 0..self.len, view: self.room }
    }
}

impl<'v, R: Record, L: RecordLayout<R>> IntoIterator for &'v RecordVec<R, L> {
    type Item = <Self::IntoIter as Iterator>::Item;
    type IntoIter = Iter<'v, Room<R, L>, RegionAddress>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'v, R: Record, L: RecordLayout<R>> IntoIterator for &'v mut RecordVec<R, L> {
    type Item = <Self::IntoIter as Iterator>::Item;
    type IntoIter = IterMut<'v, Room<R, L>, RegionAddress>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

//! Properties of a view's mapping: unique, exhaustive, strided.

use super::View;
use crate::blob::Blobs;
use crate::mapping::Mapping;

impl<M: Mapping, B: Blobs> View<M, B> {
    /// Returns `true` if no two elements share a bit; see [`Mapping::is_unique`].
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::One;
    /// use layout::prelude::*;
    ///
    /// assert!(alloc::<u8, SoA, _>([3, 4])?.is_unique());
    /// assert!(!View::constant(Mapped::<u8, _, One>::new(extents!(dyn 3))?, 7)?.is_unique());
    /// # Ok::<(), ViewError>(())
    /// ```
    #[must_use]
    pub fn is_unique(&self) -> bool {
        self.mapping.is_unique()
    }

    /// Returns `true` if there is no gap between elements; see [`Mapping::is_exhaustive`].
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let grid = alloc::<u8, SoA, _>([3, 4])?;
    /// assert!(grid.is_exhaustive());
    /// assert!(grid.slice((1..3, ..)).is_exhaustive());
    /// assert!(!grid.slice((.., 1..3)).is_exhaustive());
    /// # Ok::<(), ViewError>(())
    /// ```
    #[must_use]
    pub fn is_exhaustive(&self) -> bool {
        self.mapping.is_exhaustive()
    }

    /// Returns `true` if positions depend on the index by constant strides; see [`Mapping::is_strided`].
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// assert!(alloc::<u8, SoA, _>([3, 4])?.is_strided());
    /// assert!(!View::zeroed(Mapped::<u8, _, SoA, Morton>::new(extents!(dyn 3, dyn 4))?)?.is_strided());
    /// # Ok::<(), ViewError>(())
    /// ```
    #[must_use]
    pub fn is_strided(&self) -> bool {
        self.mapping.is_strided()
    }

    /// The distance between neighbors along a dimension, in positions and not in bytes; see [`Mapping::stride`].
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
    /// let grid = alloc::<[u8; 3], AoS, _>([3, 4])?;
    /// assert_eq!((grid.stride(0), grid.stride(1)), (Some(4), Some(1)));
    /// assert_eq!(grid.slice((step(.., -2), 1)).stride(0), Some(-8));
    /// # Ok::<(), ViewError>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn stride(&self, dimension: usize) -> Option<isize> {
        self.mapping.stride(dimension)
    }
}

//! Vectors as structs of columns, and conversions from and to them.

use super::RecordVec;
use crate::columns::{Columns, Slices, SlicesMut, Vecs, column_bytes};
use crate::error::ColumnsError;
use crate::mapping::RecordLayout;
use crate::portable::load_from;

impl<R: Columns, L: RecordLayout<R>> RecordVec<R, L> {
    /// The values of all leaves as a struct of slices. Returns `None` if the values of one leaf are not contiguous and
    /// aligned.
    ///
    /// The struct is `ParticleColumns` for a record `Particle`; `#[record(columns)]` beside the derive defines it.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// #[derive(Clone, Copy, Debug, PartialEq, Record)]
    /// #[record(columns)]
    /// struct Point { x: f32, y: f32 }
    ///
    /// let points = RecordVec::<Point, SoA>::from(&[Point { x: 1.0, y: 2.0 }, Point { x: 3.0, y: 4.0 }]);
    /// let PointColumns { x, y } = points.columns().expect("SoA has columns");
    /// assert_eq!((x, y), (&[1.0, 3.0][..], &[2.0, 4.0][..]));
    /// ```
    pub fn columns(&self) -> Option<R::Columns<'_, Slices>> {
        self.room.columns_to(self.len)
    }

    /// The values of all leaves as a struct of mutable slices; see [`columns`](Self::columns).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// #[derive(Clone, Copy, Debug, PartialEq, Record)]
    /// #[record(columns)]
    /// struct Point { x: f32, y: f32 }
    ///
    /// let mut points = RecordVec::<Point, SoA>::from(&[Point { x: 1.0, y: 2.0 }, Point { x: 3.0, y: 4.0 }]);
    /// let columns = points.columns_mut().expect("SoA has columns");
    /// columns.x.swap_with_slice(columns.y);
    /// assert_eq!(points.load(1), Point { x: 4.0, y: 3.0 });
    /// ```
    pub fn columns_mut(&mut self) -> Option<R::Columns<'_, SlicesMut>> {
        self.room.columns_mut_to(self.len)
    }

    /// Copies columns into a new vector of records, in any layout.
    ///
    /// A vector has one allocation for all leaves, and room to grow, which several `Vec`s do not have together.
    /// [`View::from_columns`](crate::View::from_columns) makes a view of the columns, and copies nothing.
    ///
    /// # Errors
    ///
    /// Returns an error if the columns have different lengths.
    ///
    /// # Panics
    ///
    /// Panics if there is not enough memory.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// #[derive(Clone, Copy, Debug, PartialEq, Record)]
    /// #[record(columns)]
    /// struct Point { x: f32, y: f32 }
    ///
    /// let points = RecordVec::<Point, AoSoA<8>>::from_columns(PointColumns { x: &[1.0, 3.0], y: &[2.0, 4.0] })?;
    /// assert_eq!(points.to_vec(), [Point { x: 1.0, y: 2.0 }, Point { x: 3.0, y: 4.0 }]);
    ///
    /// let error = RecordVec::<Point, SoA>::from_columns(PointColumns { x: &[1.0, 3.0], y: &[2.0] }).unwrap_err();
    /// assert_eq!(error.to_string(), "the columns of `x` and `y` have lengths 2 and 1: all columns must have one length");
    /// # Ok::<(), layout::error::ColumnsError>(())
    /// ```
    pub fn from_columns(columns: R::Columns<'_, Slices>) -> Result<Self, ColumnsError>
    where
        L: Default,
    {
        let (columns, len) = column_bytes::<R>(columns)?;
        Ok((0..len).map(|at| load_from::<R>(&|leaf: usize, size| &columns[leaf][at * size..][..size])).collect())
    }

    /// The values of all leaves as a struct of vectors, one for each leaf. The values are copied, from any layout.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// #[derive(Clone, Copy, Debug, PartialEq, Record)]
    /// #[record(columns)]
    /// struct Point { x: f32, y: f32 }
    ///
    /// let points = RecordVec::<Point, AoS>::from(&[Point { x: 1.0, y: 2.0 }, Point { x: 3.0, y: 4.0 }]);
    /// let mut columns = points.into_columns();
    /// columns.x.reverse();
    /// let points = RecordVec::<Point, AoS>::from_columns(columns.as_slices())?;
    /// assert_eq!(points.to_vec(), [Point { x: 3.0, y: 2.0 }, Point { x: 1.0, y: 4.0 }]);
    /// # Ok::<(), layout::error::ColumnsError>(())
    /// ```
    #[must_use]
    pub fn into_columns(self) -> R::Columns<'static, Vecs> {
        self.as_view().to_columns()
    }
}

//! Columns: the leaves of many elements as a struct of slices, with the record's own field names.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
#[cfg(feature = "alloc")]
use core::marker::PhantomData;

use bytemuck::TransparentWrapper;

#[cfg(feature = "alloc")]
use crate::error::ColumnsError;
use crate::leaf::Leaf;
use crate::plain::{PlainData, PodLeaf};
use crate::record::Record;
use crate::sealed::Sealed;

/// A record that has a struct of columns. Implement this trait with `#[record(columns)]` beside `#[derive(Record)]`.
///
/// The derive defines the struct `ParticleColumns<'a, K>` for a record `Particle`. Its fields have the names of the
/// record's fields. The field of a leaf is a slice or a `Vec`, as the [`ColumnKind`] `K` says; the field of a branch is the
/// struct of columns of that branch; the field of an array is an array of columns. [`View::columns`](crate::View::columns) and
/// `RecordVec::columns` return such a struct of slices, and `RecordVec::from_columns` takes one.
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
///
/// #[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
/// #[record(columns)]
/// struct Vec2 { x: f32, y: f32 }
///
/// #[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
/// #[record(columns)]
/// struct Particle { pos: Vec2, mass: f32 }
///
/// fn push(ParticleColumns { pos, mass }: ParticleColumns<'_, layout::columns::SlicesMut>) {
///     for ((x, y), m) in pos.x.iter_mut().zip(pos.y).zip(mass) {
///         *x += *m;
///         *y -= *m;
///     }
/// }
///
/// let mut particles = alloc_from_fn::<Particle, SoA, _>(5, |[i]| Particle { mass: i as f32, ..Default::default() })?;
/// push(particles.columns_mut().expect("SoA has columns"));
/// assert_eq!(particles.load(4), Particle { pos: Vec2 { x: 4.0, y: -4.0 }, mass: 4.0 });
/// # Ok::<(), ViewError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no struct of columns",
    label = "this type has no columns",
    note = "a record has columns by `#[record(columns)]` beside `#[derive(Record)]`, if all its fields have; a generic parameter by the bound `T: Columns`"
)]
pub trait Columns: Record {
    /// The struct of columns, borrowed for `'a`.
    type Columns<'a, K: ColumnKind>;

    /// Takes the columns of all leaves, one after another. Returns `None` if one is missing.
    #[doc(hidden)]
    fn take<'a, K: ColumnKind>(next: &mut impl TakeColumn<'a, K>) -> Option<Self::Columns<'a, K>>;

    /// The columns, borrowed as slices.
    #[doc(hidden)]
    fn as_slices<'c, K: ColumnKind>(columns: &'c Self::Columns<'_, K>) -> Self::Columns<'c, Slices>;

    /// Gives the columns of all leaves, one after another.
    #[doc(hidden)]
    fn give<'c>(columns: Self::Columns<'c, Slices>, each: &mut impl GiveColumn<'c>);
}

/// The kind of the columns of a struct of [`Columns`]: [`Slices`], [`SlicesMut`] or `Vecs`.
///
/// # Examples
///
/// ```
/// use layout::columns::{ColumnKind, Slices};
///
/// let column: <Slices as ColumnKind>::Column<'_, f32> = &[1.0, 2.0];
/// assert_eq!(column.len(), 2);
/// ```
pub trait ColumnKind: Sealed + 'static {
    /// The values of one leaf of type `T`, in all elements.
    type Column<'a, T: 'static>;

    /// The values as a slice.
    #[doc(hidden)]
    fn as_slice<'c, T>(column: &'c Self::Column<'_, T>) -> &'c [T];

    /// The values of the column, each without the wrapper [`PodLeaf`].
    // `'a: 'a`: a lifetime without a bound is another kind of parameter here than in the impls.
    #[doc(hidden)]
    fn peel<'a: 'a, F: PlainData>(column: Self::Column<'a, PodLeaf<F>>) -> Self::Column<'a, F>;
}

/// Columns that are shared slices: the default.
#[derive(Clone, Copy, Debug)]
pub struct Slices(());

/// Columns that are mutable slices.
#[derive(Clone, Copy, Debug)]
pub struct SlicesMut(());

/// Columns that are vectors, one for each leaf.
#[cfg(feature = "alloc")]
#[derive(Clone, Copy, Debug)]
pub struct Vecs(());

/// The columns of a struct as bytes, and the number of values in each.
#[cfg(feature = "alloc")]
pub(crate) fn column_bytes<'c, R: Columns>(
    columns: R::Columns<'c, Slices>,
) -> Result<(Vec<&'c [u8]>, usize), ColumnsError> {
    struct Given<'c, R> {
        columns: Vec<&'c [u8]>,
        /// The number of values in the first column.
        len: Option<usize>,
        error: Option<ColumnsError>,
        record: PhantomData<R>,
    }

    impl<'c, R: Record> GiveColumn<'c> for Given<'c, R> {
        fn give<T: Leaf>(&mut self, column: &'c [T]) {
            let (leaf, first, given) = (self.columns.len(), *self.len.get_or_insert(column.len()), column.len());
            if given != first && self.error.is_none() {
                let name = |leaf| R::TREE.leaf_name(leaf);
                self.error = Some(ColumnsError { leaf: name(leaf), given, first: name(0), needed: first });
            }
            self.columns.push(bytemuck::cast_slice(column));
        }
    }

    let mut given = Given { columns: Vec::new(), len: None, error: None, record: PhantomData::<R> };
    R::give(columns, &mut given);
    given.error.map_or(Ok((given.columns, given.len.unwrap_or(0))), Err)
}

impl ColumnKind for Slices {
    type Column<'a, T: 'static> = &'a [T];

    fn as_slice<'c, T>(column: &'c &[T]) -> &'c [T] {
        column
    }

    fn peel<'a: 'a, F: PlainData>(column: &'a [PodLeaf<F>]) -> &'a [F] {
        PodLeaf::peel_slice(column)
    }
}

impl ColumnKind for SlicesMut {
    type Column<'a, T: 'static> = &'a mut [T];

    fn as_slice<'c, T>(column: &'c &mut [T]) -> &'c [T] {
        column
    }

    fn peel<'a: 'a, F: PlainData>(column: &'a mut [PodLeaf<F>]) -> &'a mut [F] {
        PodLeaf::peel_slice_mut(column)
    }
}

#[cfg(feature = "alloc")]
impl ColumnKind for Vecs {
    type Column<'a, T: 'static> = Vec<T>;

    fn as_slice<T>(column: &Vec<T>) -> &[T] {
        column
    }

    fn peel<'a: 'a, F: PlainData>(column: Vec<PodLeaf<F>>) -> Vec<F> {
        column.into_iter().map(|leaf| leaf.0).collect()
    }
}

/// A source of columns, in the order of the leaves.
#[doc(hidden)]
pub trait TakeColumn<'a, K: ColumnKind> {
    /// The column of the next leaf, which must be of type `T`. Returns `None` if the leaf has no such column.
    fn take<T: Leaf>(&mut self) -> Option<K::Column<'a, T>>;
}

/// A receiver of columns, in the order of the leaves.
#[doc(hidden)]
pub trait GiveColumn<'c> {
    /// Receives the column of the next leaf.
    fn give<T: Leaf>(&mut self, column: &'c [T]);
}

impl<T: Columns, const N: usize> Columns for [T; N] {
    type Columns<'a, K: ColumnKind> = [T::Columns<'a, K>; N];

    fn take<'a, K: ColumnKind>(next: &mut impl TakeColumn<'a, K>) -> Option<Self::Columns<'a, K>> {
        // A leaf that is missing leaves `next` within an element, from which no other element can be taken.
        let mut is_there = true;
        let columns = [(); N].map(|()| {
            let column = if is_there { T::take(next) } else { None };
            is_there = column.is_some();
            column
        });
        is_there.then(|| columns.map(|column| column.unwrap_or_else(|| unreachable!("all are there"))))
    }

    fn as_slices<'c, K: ColumnKind>(columns: &'c Self::Columns<'_, K>) -> Self::Columns<'c, Slices> {
        columns.each_ref().map(T::as_slices)
    }

    fn give<'c>(columns: Self::Columns<'c, Slices>, each: &mut impl GiveColumn<'c>) {
        for column in columns {
            T::give(column, each);
        }
    }
}

/// Implements [`Columns`] for a leaf.
macro_rules! leaf_columns {
    ($leaf:ty) => {
        impl crate::columns::Columns for $leaf {
            type Columns<'a, K: crate::columns::ColumnKind> = K::Column<'a, Self>;

            fn take<'a, K: crate::columns::ColumnKind>(
                next: &mut impl crate::columns::TakeColumn<'a, K>,
            ) -> Option<K::Column<'a, Self>> {
                next.take()
            }

            fn as_slices<'c, K: crate::columns::ColumnKind>(columns: &'c K::Column<'_, Self>) -> &'c [Self] {
                K::as_slice(columns)
            }

            fn give<'c>(columns: &'c [Self], each: &mut impl crate::columns::GiveColumn<'c>) {
                each.give(columns);
            }
        }
    };
}
pub(crate) use leaf_columns;

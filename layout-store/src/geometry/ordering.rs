//! Dimension orderings: the fastest dimension in memory, and so on. An order of the dimensions of a view is translated to an order of the
//! dimensions of its root.

use core::fmt;

use super::transform::is_permutation;
use super::{OrderingError, Step, Transform};

/// An order of dimensions in memory.
///
/// # Examples
///
/// ```
/// use layout::store::{DimOrdering, Transform};
///
/// // Fortran order of a transposed store is C order of the store underneath.
/// let transposed = Transform::identity([10, 11].into())?.transpose(&[1, 0])?;
/// assert_eq!(DimOrdering::Fortran.inverted(&transposed)?, [1, 0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DimOrdering {
    /// The last dimension fastest.
    C,
    /// The first dimension fastest.
    Fortran,
    /// The dimensions, fastest first.
    Custom(Vec<usize>),
}

impl DimOrdering {
    /// The dimensions of a store of `rank` dimensions, fastest first.
    ///
    /// # Errors
    ///
    /// Returns an error if a custom order does not name each dimension once.
    pub fn fastest_first(&self, rank: usize) -> Result<Vec<usize>, OrderingError> {
        match self {
            Self::C => Ok((0..rank).rev().collect()),
            Self::Fortran => Ok((0..rank).collect()),
            Self::Custom(dims) if is_permutation(dims, rank) => Ok(dims.clone()),
            Self::Custom(dims) => Err(OrderingError { given: dims.clone(), rank }),
        }
    }

    /// The dimensions of the root, the fastest first, in which the view `transform` has this order.
    ///
    /// Dimensions of the root that the view does not show are left out, and may lie anywhere: an existing instance of the root can be used.
    /// The dimensions that a delinearized dimension was cut into cannot be reordered among themselves.
    ///
    /// # Errors
    ///
    /// The errors of [`fastest_first`](Self::fastest_first).
    pub fn inverted(&self, transform: &Transform) -> Result<Vec<usize>, OrderingError> {
        let mut dims = self.fastest_first(transform.rank())?;
        for step in transform.steps().iter().rev() {
            match step {
                Step::Promote { dim, .. } => remove(&mut dims, *dim, 1),
                Step::Project { dim, .. } => dims.iter_mut().filter(|d| **d >= *dim).for_each(|d| *d += 1),
                Step::Transpose { axes } => dims.iter_mut().for_each(|d| *d = axes[*d]),
                Step::Delinearize { dim, extents } => remove(&mut dims, dim + 1, extents.len() - 1),
                Step::Shift { .. } | Step::Stride { .. } | Step::Broadcast { .. } => {}
            }
        }
        Ok(dims)
    }

    /// All dimensions of the root, the fastest first, in which the view `transform` has this order. Dimensions that the view does not show
    /// come last.
    ///
    /// # Errors
    ///
    /// The errors of [`fastest_first`](Self::fastest_first).
    pub(crate) fn of_root(&self, transform: &Transform) -> Result<Vec<usize>, OrderingError> {
        let mut dims = self.inverted(transform)?;
        let hidden: Vec<usize> = (0..transform.root_extents().len()).rev().filter(|dim| !dims.contains(dim)).collect();
        dims.extend(hidden);
        Ok(dims)
    }
}

/// Writes the kind of order, or the dimensions, the fastest first.
impl fmt::Display for DimOrdering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::C => f.write_str("C"),
            Self::Fortran => f.write_str("Fortran"),
            Self::Custom(dims) => write!(f, "{dims:?}"),
        }
    }
}

/// Leaves out `count` dimensions, starting with `first`.
fn remove(dims: &mut Vec<usize>, first: usize, count: usize) {
    dims.retain(|dim| !(first..first + count).contains(dim));
    dims.iter_mut().filter(|dim| **dim >= first).for_each(|dim| *dim -= count);
}

//! Errors of arrays.

use layout_core::ViewError;
use layout_domain::DomainError;
use layout_store::{Store, StoreError};
use thiserror::Error;

/// The error of a call on an array, or of a task that the call waited for.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum ArrayError {
    /// Indices or a distribution that do not fit.
    #[error(transparent)]
    Domain(#[from] DomainError),
    /// An error of the store that holds the elements.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An index that the array does not have.
    #[error("index {index:?} is not in {domain}, the domain of the array")]
    Index {
        /// The index.
        index: Vec<i128>,
        /// The domain of the array.
        domain: String,
    },
    /// An index that was to be written, but at which a sparse array has no element.
    #[error("index {index:?} is not one of the {count} of the sparse array; `insert` it before it is written")]
    Absent {
        /// The index.
        index: Vec<i128>,
        /// The number of indices of the array.
        count: usize,
    },
    /// Sparse arrays in one loop that do not share their indices.
    #[error("sparse arrays are zipped that do not share their indices; make one from the other by `like` or `sample`")]
    OtherIndices,
    /// A loop whose first array is read with its halo: the parts of the loop would overlap.
    #[error(
        "a loop is led by an array that is read with its halo, and its parts would overlap; zip it to another array: \
             `next.write().zip(now.read_halo())`"
    )]
    HaloLeads,
    /// A loop that reads a halo and is led by an array whose parts have steps: there is no halo around such a part.
    #[error(
        "a loop reads an array with its halo, and the parts of the array that leads have steps along dimension {dim}, as those of a \
         cyclic distribution have; let an array in blocks lead, and `assign` it to the other array"
    )]
    HaloSteps {
        /// The dimension.
        dim: usize,
    },
    /// Two arrays that cannot exchange their memory.
    #[error(
        "arrays that exchange their memory must have equal domains and distributions; one is {one}, the other {other}"
    )]
    Unlike {
        /// One array.
        one: String,
        /// The other one.
        other: String,
    },
    /// An axis that an array does not have.
    #[error("there is no axis {axis}: the array has dimensions 0 to {}", rank.saturating_sub(1))]
    Axis {
        /// The axis.
        axis: usize,
        /// The number of dimensions of the array.
        rank: usize,
    },
    /// Matrices and vectors whose shapes do not fit.
    #[error(
        "the product of arrays over {one} and {other} was to become one over {to}; the second of them needs as many rows as the \
         first one has columns, and the product has the rows of the first one and the columns of the second one"
    )]
    Product {
        /// The domain of the first matrix.
        one: String,
        /// The domain of the other matrix or vector.
        other: String,
        /// The domain of the product.
        to: String,
    },
    /// Two arrays with elements in common, one of which is written and the other read.
    #[error(
        "an array over {written} is to be set from one over {read}, and both show some of the same elements; copy one first"
    )]
    Overlap {
        /// The domain of the array that is written.
        written: String,
        /// The domain of the array that is read.
        read: String,
    },
    /// Arrays of a kind that several locales cannot write if elements share bytes, since one locale then writes all elements.
    #[error(
        "{what} on {locales} locales in a layout in which elements share bytes, as in bit-packed ones: one locale would write the elements \
         of all; take another layout, or an `Array`"
    )]
    SharedBytes {
        /// The kind of arrays.
        what: &'static str,
        /// The number of locales.
        locales: usize,
    },
    /// Text that could not be written or read.
    #[error("text on locale {locale}: {why}")]
    Text {
        /// The locale that writes or reads.
        locale: usize,
        /// The cause, and the element.
        why: String,
    },
    /// New values of a [`HashedArray`](crate::HashedArray) that cannot be stored: the layout refuses one of them, or there is not enough
    /// memory for them.
    #[error("locale {locale} cannot store new values: {why}")]
    Unstored {
        /// The locale that owns the values.
        locale: usize,
        /// The cause, and the key if the layout refuses its value.
        why: String,
    },
    /// Values whose number differs from the number of elements.
    #[error("{given} values for an array over {domain}, which has {needed} elements")]
    Values {
        /// The number of values.
        given: usize,
        /// The number of elements.
        needed: usize,
        /// The domain of the array.
        domain: String,
    },
}

impl From<ViewError> for ArrayError {
    fn from(error: ViewError) -> Self {
        Self::Store(error.into())
    }
}

impl ArrayError {
    /// Returns an error on several locales if elements of a store share bytes.
    pub(crate) fn check_apart_bytes<R, D, L>(store: &Store<R, D, L>, what: &'static str) -> Result<(), Self> {
        match store.runtime().locales() {
            locales if locales > 1 && store.shares_bytes() => Err(Self::SharedBytes { what, locales }),
            _ => Ok(()),
        }
    }
}

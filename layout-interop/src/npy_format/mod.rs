//! The types and the headers of NumPy's files, shared by this crate and the files of stores. Not for direct use.

mod dtype;
mod error;
mod framed;
mod literal;

pub use dtype::{Dtype, Moved, Rows, check, descr, leaf_descr, leaf_name, lens, shape};
pub use error::DtypeError;
#[cfg(feature = "npy")]
pub(crate) use error::shown;
pub use framed::{MAGIC, framed, text};
pub use literal::Literal;

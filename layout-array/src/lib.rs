//! Global arrays: domains of indices, distributions of them, and stores of the elements.
//!
//! An [`Array`] has an element at each index of a [`Domain`](layout_domain::Domain), on the locale that a
//! [`DomainMap`](layout_domain::DomainMap) names. [`Loop`]s run where elements lie. Views, whole-array expressions and copies between
//! distributions send elements between locales, many in one message. The chapter `layout::guide::arrays` of the guide of `layout-dsl`
//! introduces arrays; `layout-dsl` re-exports this crate as `layout::array` with feature `array`.
//!
//! ```
//! use layout::array::Array;
//! use layout::domain::{Block, Domain, Targets};
//! use layout::store::Runtime;
//!
//! let rt = Runtime::new()?;
//! let grid = Domain::new([1..=3, 1..=4]);
//! let a: Array<f64, 2> = Array::from_fn(&rt, &grid, Block::over(&grid, Targets::all(1)?)?, |[i, j]| (i * j) as f64)?;
//! let row = a.slice(&Domain::new([2..=2, 1..=4]))?;
//! assert_eq!(row.to_vec()?, [2.0, 4.0, 6.0, 8.0]);
//! # Ok::<(), layout::array::ArrayError>(())
//! ```
//!
//! ```text
//! positions     from indices to positions in the store, and to the tiles of locales
//! array         a domain, a distribution, a store; views of them
//! loops         one array leads, others follow
//! elements      single elements, all of them, those of this locale; text: the same by one locale, as text
//! halo          blocks with the elements around each; replicas: a copy on each locale
//! expressions   whole arrays: map, reduce, dot; count, scan, ordered, rearrange, product, sort: one family each
//! sparse        elements at some indices; hashed: at keys; agree: values that all locales must give alike; values: refused by a layout
//! ```
mod agree;
mod aliased;
mod array;
mod count;
mod elements;
mod error;
mod expressions;
mod halo;
mod hashed;
mod loops;
mod ordered;
mod positions;
mod product;
mod rearrange;
mod replicas;
mod scan;
mod sort;
mod sparse;
mod text;
mod values;

pub use array::Array;
pub use error::ArrayError;
pub use halo::HaloArray;
pub use hashed::HashedArray;
pub use loops::{Append, Chunk, Loop};
pub use product::MatrixElement;
pub use replicas::Replicas;
pub use scan::Scan;
pub use sort::SortReport;
pub use sparse::{SparseArray, SparseChunk, SparseLoop};

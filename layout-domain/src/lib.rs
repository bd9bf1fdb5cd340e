//! Domains and distributions: sets of indices, and maps from indices to the locales that own them.
//!
//! A [`Domain`] is a box of indices with one [`StridedRange`] for each dimension. A [`DomainMap`] names the locale of every index, inside a
//! domain or not, and the part of a domain that a locale has. Both are arithmetic: they hold no elements, send no messages, and give
//! answers for any number of locales, even for locales that do not run.
//!
//! ```
//! use layout::domain::{Block, Cyclic, Domain, DomainMap, Targets};
//!
//! let grid = Domain::new([1..=8, 1..=8]);
//! let blocks = Block::over(&grid, Targets::all(6)?)?; // 3 by 2 locales
//! assert_eq!(blocks.owner([4, 5], 0), Some(3));
//! assert_eq!(blocks.local(3, &grid), [Domain::new([4..=6, 5..=8])]);
//!
//! let cards = Cyclic::new([1, 1], Targets::all(6)?);
//! let odd_rows = grid.by([2, 1])?;
//! assert_eq!(cards.local(0, &odd_rows)[0].to_string(), "{1..=8 by 6, 1..=8 by 2}");
//! # Ok::<(), layout::domain::DomainError>(())
//! ```
//!
//! The distributions are those of Chapel: [`Block`], [`Cyclic`], [`BlockCyclic`], [`Stencil`], [`Replicated`], [`Dimensional`],
//! [`PerLocale`] and [`Hashed`]. To write another distribution, implement [`DomainMap`], or [`Axis`] for a distribution of one dimension.
//! [`check_map`] checks that every index has one owner, and [`OwnerPicture`] draws the owners.
//!
//! The formulas are those of Chapel's standard distributions, with five differences: [`BlockCyclic`] owns indices below its start, by floor
//! division; owners are computed without overflow; a halo that is wider than a neighbor is an error; ranges of unequal lengths that are
//! walked together are an error; and an index outside the index type is an error.
#![no_std]

extern crate alloc;

mod axis;
mod chunks;
mod domain;
mod error;
mod hashed;
mod index;
mod map;
mod per_dimension;
mod per_locale;
mod picture;
mod range;
mod replicated;
mod sparse;
mod stencil;
mod targets;
mod view;

pub use axis::{AnyAxis, Axis, BlockAxis, BlockCyclicAxis, CyclicAxis, ReplicatedAxis};
pub use domain::{Domain, DomainIndices, Pick};
pub use error::DomainError;
pub use hashed::Hashed;
pub use index::Index;
pub use map::{DomainMap, PartGrid, check_map};
pub use per_dimension::{Block, BlockCyclic, Cyclic, Dimensional, PerDimension};
pub use per_locale::PerLocale;
pub use picture::OwnerPicture;
pub use range::{Indices, StridedRange};
pub use replicated::Replicated;
pub use sparse::{CompressedRows, SparseDomain};
pub use stencil::{HaloUpdate, Stencil};
pub use targets::Targets;
pub use view::DomainView;

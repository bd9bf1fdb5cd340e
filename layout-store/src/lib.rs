//! Stores of `layout-dsl`: arrays of records in main memory or in a file, seen through transforms, cut into partitions, and
//! computed on by tasks.
//!
//! The chapters `stores`, `tasks` and `locales` of the guide of `layout-dsl` (`layout::guide::stores`) introduce all of this. `layout-dsl`
//! re-exports this crate as `layout::store` with feature `store`.
//!
//! ```
//! use layout::store::{Runtime, Store, StoreError, Sum, read, write};
//!
//! let rt = Runtime::new()?; // a thread for each processor
//! let angles: Store<f64, _> = rt.create_from_fn([100, 100], |at| (at[0] * at[1]) as f64)?;
//! let waves: Store<f64, _> = rt.create([100, 100])?;
//! rt.task("waves")
//!     .args((read(&angles), write(&waves)))
//!     .align_all() // both are cut into the same tiles
//!     .launch(|_, (angles, mut waves)| {
//!         waves.copy_from(&angles)?; // views of a tile: see `layout::View`
//!         Ok(waves.update(f64::cos))
//!     })?; // returns at once
//! let energy = rt.task("energy").args((read(&waves),)).reduce(Sum, |_, (waves,)| {
//!     Ok(waves.values().map(|wave| wave * wave).sum::<f64>())
//! })?;
//! assert!((0.0..=10_000.0).contains(&energy.get()?)); // waits
//! # Ok::<(), StoreError>(())
//! ```
//!
//! The crate is made of rooms. A room uses only rooms above it in this list; `cargo xtask test rooms` builds each room with only those:
//!
//! ```text
//! sync         synchronization of threads
//! geometry     points, rectangles, runs, ranks, transforms, dimension orderings
//! partition    tilings and distributions; constraints between the tiles of several stores, and their solver
//! memory       the memory of stores, or of boxes of them: any number of readers, or one writer; the budget
//! graph        nodes, edges from the uses of elements, and the threads that run nodes
//! profile      the tasks that ran, and their times
//! file         headers of `.npy` files, and the places of boxes of elements in a file
//! error        the errors of calls
//! locale       one of several locales: the roots of its stores, instances, versions, messages, fences
//! task         arguments, constraints by handle, plans, launches, reductions, futures
//! store        handles of stores and of partitions, and views of them
//! ops          fills, copies, gathers, scatters, trees, files
//! runtime      the creation of stores, and the launch of tasks
//! ```

mod error;
mod file;
mod geometry;
mod graph;
mod locale;
mod memory;
mod ops;
mod partition;
mod profile;
mod runtime;
mod store;
mod sync;
mod task;

pub use error::StoreError;
pub use file::FileError;
pub use geometry::{
    Bound, Coordinate, Coordinates, Delinearizable, DimOrdering, DynRank, IntoShape, MAX_RANK, OrderingError, Point,
    Projectable, Promotable, Rect, Step, StoreIndexError, StoreRank, Transform, TransformError,
};
pub use graph::{Cause, TaskBodyError, TaskError};
pub use layout_core::Dim;
pub use locale::{Buffer, Inbox, PlannedLaunch, PlannedMessage, Traffic, Transport};
#[doc(hidden)] // What messages of elements are made by, for its benchmark.
pub use locale::{pack, unpack};
pub use memory::{FileBytes, MemoryError, StoreTarget, Tile, TileMapping, TileMut};
pub use ops::IndexOf;
#[doc(hidden)] // Constraints as values, for arrays and for tests.
pub use partition::{Constraint, OwnMap, TileMap, colors_for};
pub use partition::{Distribution, Fewer, ImageHint, Mapper, OwnerMap, PartitionError, Single, Tiling};
pub use profile::{Profile, ProfileEntry, ProfileTimes};
#[doc(hidden)]
pub use runtime::Standing;
pub use runtime::{Builder, MemoryUse, Planner, ProfileRange, Runtime, StoreMemory};
pub use store::{AttachError, Attached, BySize, ProjectedPartition, Store, StorePartition};
pub use task::{
    And, Argument, Arguments, Contributions, Emit, Emitted, Emitter, Exchange, Explanation, Future, Handle, Launched,
    Max, Min, Or, OrderPolicy, PointsTo, Product, Read, Reason, Reduce, Reducer, Reduction, Returned, Rule, SendTo,
    Sender, Source, Sum, Task, TaskBuilder, Unbound, Value, Write, Xor, align, align_axes, bloat, bloat_faces,
    bloat_periodic, broadcast, broadcast_axes, cut_by, emit, emitted, follow, image, min_extents, must_partition, read,
    reduce, scale, send, update, value, write,
};

/// The solver, for the tests that compare its answers with those of others. Not part of the public API.
#[doc(hidden)]
pub mod solver {
    pub use crate::partition::{Access, Argument, Partition, PerDimension, Solution, solve};
}

/// Items that macros name. Not part of the public API.
#[doc(hidden)]
pub mod __private {
    use layout_core::{Blobs, Extents, Mapping, Rank, Strided, UnitStride, View};

    /// The same view, with a type that says that the stride of its last dimension is one.
    #[inline(always)]
    pub fn unit_stride<M, D, B>(view: View<M, B>) -> View<M::Relinearized<M::Extents, UnitStride<D>>, B>
    where
        D: Rank,
        M: Mapping<Extents: Extents<Rank = D, Array = D::Array>, Linearization = Strided<D>>,
        B: Blobs,
    {
        view.into_unit_stride().unwrap_or_else(|| unreachable!("a view that was asked for its stride"))
    }
}

//! Errors of stores, launches and operations.

use std::path::PathBuf;

use layout_core::{LeafName, ViewError};
use thiserror::Error;

use super::{OrderingError, PartitionError, TransformError};
use crate::fault::TaskError;
use crate::point::Point;
use crate::rect::Rect;

/// What a call on a store, or a launch, refuses, or was told by a task.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A view of a store that does not exist.
    #[error(transparent)]
    Transform(#[from] TransformError),
    /// A partition or constraint that does not fit.
    #[error(transparent)]
    Partition(#[from] PartitionError),
    /// An order of dimensions that is none.
    #[error(transparent)]
    Ordering(#[from] OrderingError),
    /// Extents that memory cannot have, or no memory.
    #[error(transparent)]
    View(#[from] ViewError),
    /// A task failed, and what is asked for depends on what it was to write.
    #[error(transparent)]
    Failed(#[from] TaskError),
    /// Records that zero is no value of.
    #[error("leaf `{leaf}` has no value of which all bytes are zero, as those of a new store are")]
    Zero {
        /// The leaf.
        leaf: LeafName,
    },
    /// A store that has another rank than is asked for.
    #[error("a store of {given} dimensions is none of {expected}")]
    Rank {
        /// The dimensions of the store.
        given: usize,
        /// The dimensions that are asked for.
        expected: usize,
    },
    /// A list of records that does not fill a store.
    #[error("{given} records were given for a store of extents {extents}, which has {needed}")]
    Records {
        /// Records that were given.
        given: usize,
        /// Elements of the store.
        needed: usize,
        /// Its extents.
        extents: Point,
    },
    /// The threads of a runtime cannot be started.
    #[error("{threads} threads cannot be started: {why}")]
    Threads {
        /// The number of threads.
        threads: usize,
        /// Why not.
        why: String,
    },
    /// A call that waits, or launches, from inside a task.
    #[error("a task can neither launch tasks nor wait for stores: do so in the program, and pass values by capture")]
    Nested,
    /// A task that would read what nobody wrote.
    #[error("task `{task}` reads {rect} of argument {argument}, which nobody wrote yet: write or fill the store first")]
    Uninitialised {
        /// The task.
        task: String,
        /// The number of the argument.
        argument: usize,
        /// The elements, in the root of the store.
        rect: Rect,
    },
    /// Two points of a launch would write to the same elements.
    #[error(
        "task `{task}` would write {rect} of argument {argument} at two points, {} and {}: the tiles of what \
         is written must be disjoint; `reduce` combines contributions to the same elements",
        .colors[0], .colors[1]
    )]
    Overlap {
        /// The task.
        task: String,
        /// The number of the argument.
        argument: usize,
        /// The points of the launch.
        colors: Box<[Point; 2]>,
        /// The elements, in the root of the store.
        rect: Box<Rect>,
    },
    /// One store is written through one argument, and reached through another one.
    #[error(
        "task `{task}` writes {rect} through argument {written} at point {} and reaches it through argument \
         {other} at {}: use `update` to read and write the same elements",
        .colors[0], .colors[1]
    )]
    Aliased {
        /// The task.
        task: String,
        /// The number of the argument that writes.
        written: usize,
        /// The number of the other argument.
        other: usize,
        /// The points of the launch, that of the first argument first.
        colors: Box<[Point; 2]>,
        /// The elements, in the root of the store.
        rect: Box<Rect>,
    },
    /// A store in which nothing changes along a dimension is to be written.
    #[error(
        "task `{task}` writes argument {argument}, a store with dimension {dim} promoted or broadcast, so that several \
         indices are one element: write the store underneath, or use `fill`"
    )]
    Promoted {
        /// The task.
        task: String,
        /// The number of the argument.
        argument: usize,
        /// The dimension.
        dim: usize,
    },
    /// An argument that belongs to another runtime.
    #[error("argument {argument} of task `{task}` belongs to another runtime")]
    Foreign {
        /// The task.
        task: String,
        /// The number of the argument.
        argument: usize,
    },
    /// Constraints beside points or partitions that were given.
    #[error(
        "task `{task}` has constraints, and is given its points, or a partition, by hand: none would apply; leave out the \
         one or the other"
    )]
    ByHand {
        /// The task.
        task: String,
    },
    /// A launch domain without points.
    #[error("task `{task}` is to run over {domain}, which has no points")]
    NoPoints {
        /// The task.
        task: String,
        /// The launch domain.
        domain: Rect,
    },
    /// An argument of a launch over a domain that is cut by nobody.
    #[error(
        "task `{task}` runs over {domain}, and argument {argument} {what}: give a partition, or the whole store to read"
    )]
    Manual {
        /// The task.
        task: String,
        /// The number of the argument.
        argument: usize,
        /// The launch domain.
        domain: Box<Rect>,
        /// What is wrong.
        what: &'static str,
    },
    /// More main memory than stores may use.
    #[error("{needed} bytes of memory are needed; allowed are {limit}, of which {used} are in use")]
    Memory {
        /// The bytes that are needed.
        needed: usize,
        /// Those that are in use.
        used: usize,
        /// Those that may be in use.
        limit: usize,
    },
    /// A file for a store cannot be made.
    #[error("no file of {size} bytes can be made in {}: {why}", .folder.display())]
    File {
        /// The folder.
        folder: PathBuf,
        /// The size of the file in bytes.
        size: usize,
        /// Why not.
        why: String,
    },
    /// Memory that moves with its owner cannot be attached.
    #[error("the bytes of `{what}` move with it, and cannot be attached: put them into a box")]
    Moves {
        /// The type of the owner.
        what: &'static str,
    },
    /// Memory that the program gave stays where it is.
    #[error("a store in attached memory cannot be moved to other memory: detach it, or copy the store")]
    Given,
    /// Records whose bytes cannot be taken for other records.
    #[error("records `{from}` cannot be taken for `{to}`: {why}")]
    Reinterpret {
        /// The records that there are.
        from: &'static str,
        /// Those that are asked for.
        to: &'static str,
        /// Why not.
        why: String,
    },
    /// A tree of no branches.
    #[error("a tree of radix {given}; allowed are 2 or more")]
    Radix {
        /// The radix that was given.
        given: usize,
    },
    /// A function of which not only the first and the last value bound what all point to.
    #[error(
        "a value points to {indices}, beyond {bounds}, the box around what the first and the last one point to: sort \
         the values, or ask for `ImageHint::MinMax`"
    )]
    Image {
        /// What it points to.
        indices: Box<Rect>,
        /// The box.
        bounds: Box<Rect>,
    },
    /// Boxes that points emitted and that do not fit together.
    #[error(
        "point {point} emitted a box of {extents}, and others in line with it have extent {expected} in dimension {dim}: \
         boxes beside each other must be equally long"
    )]
    Emitted {
        /// The point of the launch.
        point: Point,
        /// The extents of its box; zero if it emitted none.
        extents: Point,
        /// The dimension.
        dim: usize,
        /// The extent that the others have.
        expected: i64,
    },
    /// A store whose memory was given back to the program.
    #[error("argument {argument} of task `{task}` has been detached: its memory is no longer there")]
    Detached {
        /// The task.
        task: String,
        /// The number of the argument.
        argument: usize,
    },
    /// A store in memory that may only be read is to be written.
    #[error("task `{task}` writes argument {argument}, a store in memory that was attached to be read only")]
    ReadOnly {
        /// The task.
        task: String,
        /// The number of the argument.
        argument: usize,
    },
    /// An unbound store that no task wrote.
    #[error("an unbound store has neither extents nor elements before a task has emitted to it")]
    Unbound,
    /// An unbound store that a task wrote already.
    #[error("a task has emitted to this unbound store already; make a new one")]
    Bound,
    /// Programs of several locales that did not do the same.
    #[error(
        "locale {locale} is at its operation {operations}, and another locale did other ones, or ended: with several \
         locales every one must launch, wait and fence in the same order"
    )]
    Diverged {
        /// The locale that noticed.
        locale: usize,
        /// The number of its operations so far.
        operations: u64,
    },
    /// A number of locales, threads or pieces that there cannot be.
    #[error("{given} {what}; allowed are 1 or more")]
    Count {
        /// What there is a number of.
        what: &'static str,
        /// The number.
        given: usize,
    },
}

//! Errors of stores, launches and operations.

use core::any::type_name;

use layout_core::{Portable, PortableError, ViewError};
use thiserror::Error;

use crate::file::FileError;
use crate::geometry::{DimOrdering, IndexError, OrderingError, Point, Rect, TransformError, count};
use crate::graph::{Nested, TaskError};
use crate::memory::MemoryError;
use crate::partition::PartitionError;

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
    /// Memory that a store cannot have.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// A file that cannot be read or written, or is none of the elements of the store.
    #[error(transparent)]
    File(#[from] FileError),
    /// A view that does not fit its extents.
    #[error(transparent)]
    View(#[from] ViewError),
    /// A task failed, and what is asked for depends on what it was to write.
    #[error(transparent)]
    Failed(#[from] TaskError),
    /// An index that a store has not.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// An index with too few or too many numbers.
    #[error("an index of {} for a store of {}", count(*.given, "number"), count(*.expected, "dimension"))]
    IndexRank {
        /// The numbers of the index.
        given: usize,
        /// The dimensions of the store.
        expected: usize,
    },
    /// A store that has another rank than is asked for.
    #[error("a store of {} is none of {expected}", count(*.given, "dimension"))]
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
    /// A call that waits for the closure from which it is made.
    #[error(
        "this call waits for tasks that wait for the end of the `read` or `update` in whose closure it is made: make it after \
         that"
    )]
    WaitsForItself,
    /// A task, or a call of the program, that would read what nobody wrote.
    #[error("{}, which nobody wrote yet: write or fill the store first", reads(task, *argument, rect))]
    Uninitialised {
        /// The task, or the call.
        task: String,
        /// The number of the argument; `None` for a call, which has one store.
        argument: Option<usize>,
        /// The elements, in the root of the store.
        rect: Box<Rect>,
    },
    /// Two points of a launch would write to the same elements.
    #[error(
        "task `{task}` would write {} of argument {argument} at two points, {} and {}: the tiles of what \
         is written must be disjoint; `reduce` combines contributions to the same elements",
        elements(rect), .colors[0], .colors[1]
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
    /// A mapper that puts a point on a locale that is not there.
    #[error(
        "the mapper of task `{task}` puts point {point} on locale {locale}, and there are {locales}, numbered from 0"
    )]
    MapperLocale {
        /// The task.
        task: String,
        /// The point of the launch.
        point: Box<Point>,
        /// The locale.
        locale: usize,
        /// How many there are.
        locales: usize,
    },
    /// A locale may not use as much memory as its part of a store takes; the same error on each locale.
    #[error(
        "task `{task}` uses {needed} bytes of argument {argument}, store {store}, on locale {locale}; a locale may use {limit}: \
         cut the store into more pieces, use more locales, or put it into a file"
    )]
    PartTooLarge {
        /// The task.
        task: String,
        /// The number of the argument.
        argument: usize,
        /// The number of the store.
        store: u64,
        /// The locale that would need most.
        locale: usize,
        /// The bytes of its part.
        needed: usize,
        /// Those that it may use.
        limit: usize,
    },
    /// A store is too large to be shown on each of several locales; the same error on each.
    #[error(
        "`{call}` would bring {needed} bytes of store {store} to each locale, and {limit} are allowed: see this locale's part by \
         `read_local` or `update_local`, `gather` the store on one locale, or raise `Builder::shown_limit`"
    )]
    ShownWhole {
        /// The call of the program.
        call: &'static str,
        /// The number of the store.
        store: u64,
        /// The bytes of the elements.
        needed: usize,
        /// Those that are allowed.
        limit: usize,
    },
    /// Memory that is to be used as it is, and has its dimensions in another order than a task asks for; the same error on each
    /// locale.
    #[error(
        "task `{task}` asks for argument {argument}, store {store}, in place in order {asked}, and its memory has the dimensions \
         {found:?}, the fastest first: create the store in that order, or ask by `OrderPolicy::Ordered`, which copies"
    )]
    Order {
        /// The task.
        task: String,
        /// The number of the argument.
        argument: usize,
        /// The number of the store.
        store: u64,
        /// The order of the dimensions of the view.
        asked: DimOrdering,
        /// The dimensions of the view as they lie in memory, the fastest first, without those along which nothing changes.
        found: Vec<usize>,
    },
    /// A locale has no memory for what a task body emitted or sent.
    #[error(
        "{needed} bytes of memory are needed on locale {locale} for what was emitted or sent; allowed are {limit}, of which {used} are \
         in use: cut the work into more launches, use more locales, or allow more"
    )]
    Kept {
        /// The locale.
        locale: usize,
        /// The bytes that are needed.
        needed: usize,
        /// Those that are in use.
        used: usize,
        /// Those that may be in use.
        limit: usize,
    },
    /// A store of which each point gets all is to be written.
    #[error(
        "task `{task}` writes argument {argument}, of which every point gets all: give a partition of it where the task \
         runs `over` a domain, and leave out `broadcast` where it does not; `reduce` combines contributions to the same \
         elements"
    )]
    WrittenWhole {
        /// The task.
        task: String,
        /// The number of the argument.
        argument: usize,
    },
    /// One store is written through one argument, and reached through another one.
    #[error(
        "task `{task}` writes {} through argument {written} at point {} and reaches it through argument \
         {other} at {}: use `update` to read and write the same elements, or write into a second store",
        elements(rect), .colors[0], .colors[1]
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
    /// A launch domain of more points than a graph can hold.
    #[error("task `{task}` is to run over {domain}; at most {most} points are allowed")]
    ManyPoints {
        /// The task.
        task: String,
        /// The launch domain.
        domain: Box<Rect>,
        /// The most points.
        most: i64,
    },
    /// A launch domain without points.
    #[error("task `{task}` is to run over {domain}, which has no points")]
    NoPoints {
        /// The task.
        task: String,
        /// The launch domain.
        domain: Box<Rect>,
    },
    /// A launch over a domain whose points are no colours of an argument.
    #[error(
        "task `{task}` runs over {}, and argument {argument} is a partition with colours {colors}: run it `over({colors})`, \
         or say by `.by(..)` which colour each point gets", .domain.extents()
    )]
    Manual {
        /// The task.
        task: String,
        /// The number of the argument.
        argument: usize,
        /// The launch domain.
        domain: Box<Rect>,
        /// The colour shape of the partition.
        colors: Point,
    },
    /// A projection to a colour that the partition has not.
    #[error(
        "the projection of argument {argument} of task `{task}` gives point {} the colour {}; the partition has colours {}",
        .colors[0], .colors[1], .colors[2]
    )]
    Projection {
        /// The task.
        task: String,
        /// The number of the argument.
        argument: usize,
        /// The point of the launch, the colour that it was given, and the colour shape of the partition.
        colors: Box<[Point; 3]>,
    },
    /// Stores that a copy walks together, and that have different extents.
    #[error("the {what} have extents {} and {}, which must be equal", .extents[0], .extents[1])]
    Extents {
        /// What the stores are to the copy.
        what: &'static str,
        /// Their extents.
        extents: Box<[Point; 2]>,
    },
    /// A copy between stores with common elements.
    #[error(
        "a store cannot be copied onto itself, nor onto another one with which it has elements in common: copy it to a \
         third store first"
    )]
    Onto,
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
    #[error("{} has been detached: its memory is no longer there", used(task, *argument))]
    Detached {
        /// The task, or the call of the program.
        task: String,
        /// The number of the argument; `None` for a call, which has one store.
        argument: Option<usize>,
    },
    /// A store in memory that may only be read is to be written.
    #[error("{} lies in memory that was attached to be read only, and is to be written", used(task, *argument))]
    ReadOnly {
        /// The task, or the call of the program.
        task: String,
        /// The number of the argument; `None` for a call, which has one store.
        argument: Option<usize>,
    },
    /// An unbound store that no task wrote.
    #[error("an unbound store has neither extents nor elements before a task has emitted to it")]
    Unbound,
    /// An unbound store that a task wrote already.
    #[error("a task has emitted to this unbound store already; make a new one")]
    Bound,
    /// Elements that were emitted on other locales than those of the points that are to take them.
    #[error(
        "argument {argument} of task `{task}` was emitted on other locales than those on which its points run: by point it is \
         taken where it was emitted; make a `store` of it, or launch both tasks by the same mapper"
    )]
    EmittedElsewhere {
        /// The task.
        task: String,
        /// The number of the argument.
        argument: usize,
    },
    /// An element that was sent to a point that the launch has not.
    #[error("an element was sent to point {point}; the points of the launch are {domain}")]
    NoSuchPoint {
        /// The point.
        point: Point,
        /// The launch domain.
        domain: Box<Rect>,
    },
    /// An unbound store whose elements are in the store that was made of it.
    #[error(
        "the elements of this unbound store went into the store that was made of it: read that one, or launch tasks that get \
         what was `emitted` by point before `store` is called"
    )]
    Moved,
    /// Programs of several locales that did not do the same operations; the same error on each.
    #[error(
        "the programs of the locales differ in operation {operation}{}: locale {} {}; locale {} {}{}; with several locales, \
         every program must do the same operations in the same order",
        if *.exact { "" } else { ", or in one before it" },
        .locales[0], .did[0], .locales[1], .did[1],
        if .did[0] == .did[1] { ", with other tiles" } else { "" }
    )]
    Diverged {
        /// The number of the first operation that differs; the first one of a program is 1.
        operation: u64,
        /// Whether it is the first one. A locale remembers a thousand operations: if the programs parted earlier, an earlier
        /// one differs, too.
        exact: bool,
        /// Two locales that differ there, the lower number first.
        locales: [usize; 2],
        /// What each of them did.
        did: Box<[String; 2]>,
    },
    /// A program that ended by a panic, so that the others cannot go on.
    #[error("the program on locale {locale} panicked, and the others cannot go on without it")]
    Panicked {
        /// The locale.
        locale: usize,
    },
    /// A locale that was lost, with its process or the way to it.
    #[error("locale {locale} was lost, and the others cannot go on without it")]
    Gone {
        /// The locale.
        locale: usize,
    },
    /// An operation that does not come from the thread that runs the program.
    #[error(
        "with several locales, operations come from the thread that runs the program, so that they have the same order on \
         every locale; this one comes from another thread, or from a task"
    )]
    OtherThread,
    /// An operation inside of [`Runtime::local`](crate::Runtime::local) for which locales would send each other something; the same error on
    /// each locale.
    #[error(
        "{operation}{} would send {what}{} to other locales, and inside of `Runtime::local` no locale sends anything: do it before \
         or after the scope",
        if let (None, Some(store)) = (argument, store) { format!(" on store {store}") } else { String::new() },
        if let (Some(argument), Some(store)) = (argument, store) {
            format!(" of argument {argument}, store {store},")
        } else {
            String::new()
        }
    )]
    NotLocal {
        /// The task or the call, as text.
        operation: String,
        /// What would be sent.
        what: &'static str,
        /// The number of the argument whose elements, or contributions to them, would be sent; `None` for all else.
        argument: Option<usize>,
        /// The number of the store, or of the first one of a task whose values would be sent; `None` where there is none.
        store: Option<u64>,
    },
    /// A locale that is not there.
    #[error("locale {given} of {locales} is asked for; locales are numbered from 0")]
    NoLocale {
        /// The locale.
        given: usize,
        /// How many there are.
        locales: usize,
    },
    /// A call that would wait for tasks, where launches are only planned.
    #[error(
        "this call waits for what tasks compute, and a `Planner` runs none: leave calls out of the program that show elements or \
         values (`get`, `to_vec`, `read`, `update`, images)"
    )]
    OnlyPlanned,
    /// Bytes that came to a locale and are no message of this version of the library.
    #[error("locale {locale} got bytes that are no message: {why}; all locales must run the same program")]
    BadMessage {
        /// The locale.
        locale: usize,
        /// Why they are none.
        why: String,
    },
    /// All locales wait, and what they wait for never comes, though their programs did the same operations: a message was lost or changed on
    /// its way, or what is not compared, as a function that a mapper calls, gave other results on another locale.
    #[error(
        "what all locales wait for never comes: {waits}; the transport lost or changed a message, or a function of the program, as that of a \
         mapper, gave different results on two locales"
    )]
    NeverCame {
        /// Where each locale waits.
        waits: String,
    },
    /// An error of another locale, in its words.
    #[error("{0}")]
    Elsewhere(String),
    /// A number of locales, threads or pieces that there cannot be.
    #[error("{given} {what}; allowed are 1 or more")]
    Count {
        /// What there is a number of.
        what: &'static str,
        /// The number.
        given: usize,
    },
}

/// As an error of one locale that all are told. Those that a task body may tell keep their kind, others their text.
impl Portable for StoreError {
    fn write(&self, to: &mut impl Extend<u8>) {
        match self {
            Self::Failed(error) => (0_u8, error.clone()).write(to),
            Self::Image { indices, bounds } => (1_u8, **indices, **bounds).write(to),
            Self::Diverged { operation, exact, locales, did } => {
                (3_u8, *operation, *exact, *locales, (**did).clone()).write(to);
            }
            Self::Panicked { locale } => (4_u8, *locale).write(to),
            Self::Gone { locale } => (5_u8, *locale).write(to),
            Self::BadMessage { locale, why } => (6_u8, *locale, why.clone()).write(to),
            Self::WaitsForItself => 7_u8.write(to),
            Self::NeverCame { waits } => (8_u8, waits.clone()).write(to),
            error => (2_u8, error.to_string()).write(to),
        }
    }

    fn read(from: &mut &[u8]) -> Result<Self, PortableError> {
        match u8::read(from)? {
            0 => Ok(Self::Failed(Portable::read(from)?)),
            1 => Ok(Self::Image { indices: Portable::read(from)?, bounds: Portable::read(from)? }),
            2 => Ok(Self::Elsewhere(Portable::read(from)?)),
            3 => {
                let (operation, exact, locales, did) = Portable::read(from)?;
                Ok(Self::Diverged { operation, exact, locales, did: Box::new(did) })
            }
            4 => Ok(Self::Panicked { locale: Portable::read(from)? }),
            5 => Ok(Self::Gone { locale: Portable::read(from)? }),
            6 => Ok(Self::BadMessage { locale: Portable::read(from)?, why: Portable::read(from)? }),
            7 => Ok(Self::WaitsForItself),
            8 => Ok(Self::NeverCame { waits: Portable::read(from)? }),
            _ => Err(PortableError::Invalid(type_name::<Self>())),
        }
    }
}

/// What a task, or a call of the program, reads.
fn reads(task: &str, argument: Option<usize>, rect: &Rect) -> String {
    match argument {
        Some(argument) => format!("task `{task}` reads {} of argument {argument}", elements(rect)),
        None => format!("`{task}` reads {}", elements(rect)),
    }
}

/// Elements of the root of a store, in words where an index has no numbers.
fn elements(rect: &Rect) -> String {
    if rect.rank() == 0 { "the one element".to_owned() } else { rect.to_string() }
}

/// What a task, or a call of the program, uses.
fn used(task: &str, argument: Option<usize>) -> String {
    match argument {
        Some(argument) => format!("argument {argument} of task `{task}`"),
        None => format!("the store of this `{task}`"),
    }
}

impl From<Nested> for StoreError {
    fn from(_: Nested) -> Self {
        Self::Nested
    }
}

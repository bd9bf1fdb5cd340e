//! Errors of stores, launches and operations.

use core::any::type_name;

use layout_core::{Portable, PortableError, ViewError};
use thiserror::Error;

use crate::file::FileError;
use crate::geometry::{DimOrdering, OrderingError, Point, Rect, StoreIndexError, TransformError, count};
use crate::graph::{Nested, TaskError};
use crate::memory::MemoryError;
use crate::partition::PartitionError;

/// The error of a call on a store, of a launch, or of a task that the call waited for.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A transform that has no result.
    #[error(transparent)]
    Transform(#[from] TransformError),
    /// A partition or constraint that does not fit.
    #[error(transparent)]
    Partition(#[from] PartitionError),
    /// An order of dimensions that does not name each dimension once.
    #[error(transparent)]
    Ordering(#[from] OrderingError),
    /// Memory that a store cannot get.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// A file that cannot be read or written, or that does not hold elements of the store.
    #[error(transparent)]
    File(#[from] FileError),
    /// A view whose mapping does not fit its extents.
    #[error(transparent)]
    View(#[from] ViewError),
    /// A task failed that was to write elements on which the call depends.
    #[error(transparent)]
    Failed(#[from] TaskError),
    /// An index beyond the extents of a store.
    #[error(transparent)]
    Index(#[from] StoreIndexError),
    /// An index whose rank differs from that of the store.
    #[error("an index of {} for a store of {}", count(*.given, "number"), count(*.expected, "dimension"))]
    IndexRank {
        /// The numbers of the index.
        given: usize,
        /// The dimensions of the store.
        expected: usize,
    },
    /// A store whose rank differs from the rank that was asked for.
    #[error("a store of {} is none of {expected}", count(*.given, "dimension"))]
    Rank {
        /// The dimensions of the store.
        given: usize,
        /// The dimensions that were asked for.
        expected: usize,
    },
    /// A list whose number of records differs from the number of elements of the store.
    #[error("{given} records were given for a store of extents {extents}, which has {needed}")]
    Records {
        /// The number of records.
        given: usize,
        /// The number of elements of the store.
        needed: usize,
        /// The extents of the store.
        extents: Point,
    },
    /// The threads of a runtime cannot be started.
    #[error("{threads} threads cannot be started: {why}")]
    Threads {
        /// The number of threads.
        threads: usize,
        /// The reason.
        why: String,
    },
    /// A call from inside a task that waits or launches.
    #[error("a task can neither launch tasks nor wait for stores: do so in the program, and pass values by capture")]
    Nested,
    /// A call that waits for the end of the closure from which it is made.
    #[error(
        "this call waits for tasks that wait for the end of the `read` or `update` in whose closure it is made: make it after \
         that"
    )]
    WaitsForItself,
    /// Elements that a task or a call reads and that are unwritten.
    #[error("{}, which nobody wrote yet: write or fill the store first", reads(task, *argument, rect))]
    Uninitialized {
        /// The task, or the call.
        task: String,
        /// The number of the argument; `None` for a call, which has one store.
        argument: Option<usize>,
        /// The elements, as a box of the root of the store.
        rect: Box<Rect>,
    },
    /// Two points of a launch that would write to the same elements.
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
        /// The elements, as a box of the root of the store.
        rect: Box<Rect>,
    },
    /// A mapper that puts a point on a locale that does not exist.
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
        /// The number of locales.
        locales: usize,
    },
    /// A part of a store that takes more memory than a locale may use; the same error on each locale.
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
        /// The locale whose part is the largest.
        locale: usize,
        /// The bytes of the part.
        needed: usize,
        /// The bytes that each locale may use: the smallest limit of all.
        limit: usize,
    },
    /// A store that is too large to be shown on each of several locales; the same error on each locale.
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
        /// The bytes that are allowed.
        limit: usize,
    },
    /// An argument whose memory has another order of dimensions than [`InPlace`](crate::OrderPolicy::InPlace) asks for; the same error on
    /// each locale.
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
        /// The order that was asked for, in dimensions of the view.
        asked: DimOrdering,
        /// The dimensions of the view in the order of its memory, the fastest first; dimensions along which nothing changes are left out.
        found: Vec<usize>,
    },
    /// Memory for elements that task bodies emitted or sent, which a locale does not have.
    #[error(
        "{needed} bytes of memory are needed on locale {locale} for what was emitted or sent; allowed are {limit}, of which {used} are \
         in use: cut the work into more launches, use more locales, or allow more"
    )]
    Kept {
        /// The locale.
        locale: usize,
        /// The bytes that are needed.
        needed: usize,
        /// The bytes that are in use.
        used: usize,
        /// The bytes that may be in use.
        limit: usize,
    },
    /// A write to a store of which each point gets all elements.
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
    /// A store that is written through one argument and used through another one.
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
        /// The points of the launch: that of `written`, and that of `other`.
        colors: Box<[Point; 2]>,
        /// The elements, as a box of the root of the store.
        rect: Box<Rect>,
    },
    /// A write to a store in which nothing changes along a dimension.
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
    /// Constraints on a task whose points, or the partition of an argument, are given.
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
        /// The number of points that is allowed.
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
    /// A launch domain whose points are not the colors of a partition.
    #[error(
        "task `{task}` runs over {}, and argument {argument} is a partition with colors {colors}: run it `over({colors})`, \
         or say by `.by(..)` which color each point gets", .domain.extents()
    )]
    Manual {
        /// The task.
        task: String,
        /// The number of the argument.
        argument: usize,
        /// The launch domain.
        domain: Box<Rect>,
        /// The number of colors of the partition along each dimension.
        colors: Point,
    },
    /// A projection that gives a color that the partition does not have.
    #[error(
        "the projection of argument {argument} of task `{task}` gives point {} the color {}; the partition has colors {}",
        .colors[0], .colors[1], .colors[2]
    )]
    Projection {
        /// The task.
        task: String,
        /// The number of the argument.
        argument: usize,
        /// The point of the launch, the color that the projection gives, and the number of colors along each dimension.
        colors: Box<[Point; 3]>,
    },
    /// Stores of different extents that a copy walks together.
    #[error("the {what} have extents {} and {}, which must be equal", .extents[0], .extents[1])]
    Extents {
        /// The roles of the stores in the copy.
        what: &'static str,
        /// The extents of the stores.
        extents: Box<[Point; 2]>,
    },
    /// A copy between stores that have elements in common.
    #[error(
        "a store cannot be copied onto itself, nor onto another one with which it has elements in common: copy it to a \
         third store first"
    )]
    Onto,
    /// Records whose bytes cannot be read as other records.
    #[error("records `{from}` cannot be taken for `{to}`: {why}")]
    Reinterpret {
        /// The record type of the store.
        from: &'static str,
        /// The record type that was asked for.
        to: &'static str,
        /// The reason.
        why: String,
    },
    /// A tree whose radix is below 2.
    #[error("a tree of radix {given}; allowed are 2 or more")]
    Radix {
        /// The radix that was given.
        given: usize,
    },
    /// A value of an image with `ImageHint::FirstLastChecked` that points beyond the box of the first and the last value.
    #[error(
        "a value points to {indices}, beyond {bounds}, the box around what the first and the last one point to: sort \
         the values, or ask for `ImageHint::MinMax`"
    )]
    Image {
        /// The indices that the value points to.
        indices: Box<Rect>,
        /// The box around the indices of the first and the last value.
        bounds: Box<Rect>,
    },
    /// Boxes that points emitted and that do not form a store.
    #[error(
        "point {point} emitted a box of {extents}, and others in line with it have extent {expected} in dimension {dim}: \
         boxes beside each other must be equally long"
    )]
    Emitted {
        /// The point of the launch.
        point: Point,
        /// The extents of the point's box; zero if the point emitted none.
        extents: Point,
        /// The dimension.
        dim: usize,
        /// The extent of the other boxes.
        expected: i64,
    },
    /// A store without dimensions that several points, or none, emitted.
    #[error(
        "a store without dimensions has one element, and {emitted} of {} emitted one: launch the task that emits `over` one point",
        count(*points, "point")
    )]
    EmittedScalar {
        /// The number of points of the launch.
        points: usize,
        /// The number of points that emitted an element.
        emitted: usize,
    },
    /// A store whose memory went back to the program.
    #[error("{} has been detached: its memory is no longer there", used(task, *argument))]
    Detached {
        /// The task, or the call of the program.
        task: String,
        /// The number of the argument; `None` for a call, which has one store.
        argument: Option<usize>,
    },
    /// A write to a store in memory that may only be read.
    #[error("{} lies in memory that was attached to be read only, and is to be written", used(task, *argument))]
    ReadOnly {
        /// The task, or the call of the program.
        task: String,
        /// The number of the argument; `None` for a call, which has one store.
        argument: Option<usize>,
    },
    /// An unbound store to which no task emitted yet.
    #[error("an unbound store has neither extents nor elements before a task has emitted to it")]
    Unbound,
    /// An unbound store to which a task emitted already, or that two arguments of a task emit to.
    #[error("a task has emitted to this unbound store already, or emits to it by two arguments; make a new one")]
    Bound,
    /// Elements that were emitted on other locales than those of the points that are to get them.
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
    /// An element that was sent to a point that the launch does not have.
    #[error("an element was sent to point {point}; the points of the launch are {domain}")]
    NoSuchPoint {
        /// The point.
        point: Point,
        /// The launch domain.
        domain: Box<Rect>,
    },
    /// An unbound store whose elements are already in a store that was made of it.
    #[error(
        "the elements of this unbound store went into the store that was made of it: read that one, or launch tasks that get \
         what was `emitted` by point before `store` is called"
    )]
    Moved,
    /// Programs on several locales that did different operations; the same error on each locale.
    #[error(
        "the programs of the locales differ in operation {operation}{}: locale {} {}; locale {} {}{}; with several locales, \
         every program must do the same operations in the same order",
        if *.exact { "" } else { ", or in one before it" },
        .locales[0], .did[0], .locales[1], .did[1],
        if .did[0] == .did[1] { ", with other tiles" } else { "" }
    )]
    Diverged {
        /// The number of the first operation that differs; the operations of a program are counted from 1.
        operation: u64,
        /// `true` if this is surely the first one. A locale remembers a thousand operations: if the programs differed before that, an
        /// earlier operation differs, too.
        exact: bool,
        /// Two locales whose operations differ, the lower number first.
        locales: [usize; 2],
        /// The operation of each of the two locales.
        did: Box<[String; 2]>,
    },
    /// A program that panicked, so the other locales cannot go on.
    #[error("the program on locale {locale} panicked, and the others cannot go on without it")]
    Panicked {
        /// The locale.
        locale: usize,
    },
    /// A locale that was lost: its process ended, or the connection to it broke.
    #[error("locale {locale} was lost, and the others cannot go on without it")]
    Gone {
        /// The locale.
        locale: usize,
    },
    /// An operation on a thread that does not run the program.
    #[error(
        "with several locales, operations come from the thread that runs the program, so that they have the same order on \
         every locale; this one comes from another thread, or from a task"
    )]
    OtherThread,
    /// An operation inside [`Runtime::local`](crate::Runtime::local) for which locales would send something; the same error on each locale.
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
        /// The task or the call.
        operation: String,
        /// The kind of data that would be sent.
        what: &'static str,
        /// The number of the argument whose elements or contributions would be sent; `None` for other data.
        argument: Option<usize>,
        /// The number of the store, or of the first store of a task whose values would be sent; `None` without a store.
        store: Option<u64>,
    },
    /// A locale that does not exist.
    #[error("locale {given} of {locales} is asked for; locales are numbered from 0")]
    NoLocale {
        /// The locale.
        given: usize,
        /// The number of locales.
        locales: usize,
    },
    /// A call that would wait for tasks, in a [`Planner`](crate::Planner), which runs no tasks.
    #[error(
        "this call waits for what tasks compute, and a `Planner` runs none: leave calls out of the program that show elements or \
         values (`get`, `to_vec`, `read`, `update`, images)"
    )]
    OnlyPlanned,
    /// Bytes that a locale received and that are not a message of this version of the library.
    #[error("locale {locale} got bytes that are no message: {why}; all locales must run the same program")]
    BadMessage {
        /// The locale.
        locale: usize,
        /// The reason.
        why: String,
    },
    /// A message that never comes: all locales wait, though their programs did the same operations. A message was lost or changed on its
    /// way, or a function that is not compared, such as that of a mapper, gave different results on two locales.
    #[error(
        "what all locales wait for never comes: {waits}; the transport lost or changed a message, or a function of the program, as that of a \
         mapper, gave different results on two locales"
    )]
    NeverCame {
        /// The operation for which each locale waits.
        waits: String,
    },
    /// An error of another locale, as text.
    #[error("{0}")]
    Elsewhere(String),
    /// More locales than are allowed.
    #[error("{given} locales; allowed are 1 to {most}")]
    ManyLocales {
        /// The number of locales.
        given: usize,
        /// The largest number that is allowed.
        most: usize,
    },
    /// A number of locales, threads or pieces that is not allowed.
    #[error("{given} {what}; allowed are 1 or more")]
    Count {
        /// The things that are counted.
        what: &'static str,
        /// The number.
        given: usize,
    },
}

/// The form in which one locale sends an error to all. Errors that a task body can cause, and a limit of memory, keep
/// their variant; all others become text.
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
            Self::Memory(MemoryError::Limit { needed, used, limit }) => (9_u8, *needed, *used, *limit).write(to),
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
            9 => {
                let (needed, used, limit) = Portable::read(from)?;
                Ok(Self::Memory(MemoryError::Limit { needed, used, limit }))
            }
            _ => Err(PortableError::Invalid(type_name::<Self>())),
        }
    }
}

/// The text for a task, or a call of the program, that reads elements.
fn reads(task: &str, argument: Option<usize>, rect: &Rect) -> String {
    match argument {
        Some(argument) => format!("task `{task}` reads {} of argument {argument}", elements(rect)),
        None => format!("`{task}` reads {}", elements(rect)),
    }
}

/// The text for elements of the root of a store; an index of rank 0 has no numbers.
fn elements(rect: &Rect) -> String {
    if rect.rank() == 0 { "the one element".to_owned() } else { rect.to_string() }
}

/// The text for the argument of a task, or the store of a call.
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

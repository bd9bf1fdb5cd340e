//! Operations: everything that every locale must do alike, in a form that can be compared and named in errors.

use core::fmt;
use core::hash::{Hash, Hasher};
use std::borrow::Cow;
use std::sync::Arc;

use super::fingerprint;
use crate::geometry::{Point, Rect, count};
use crate::partition::{Constraint, Placement, Tiling};

/// An operation of a program: everything that decides which messages locales send.
///
/// Values are left out, for example those of a fill or of the captures of a task body.
#[derive(Hash)]
pub(crate) enum Operation {
    /// The beginning of a program, before its first operation, with the settings of the runtime.
    Begin {
        version: &'static str,
        /// `None` if it is the number of threads of all locales.
        pieces: Option<usize>,
        min_chunk: i64,
        whole_below: usize,
        shown_limit: usize,
        /// `true` if there is a limit of memory.
        limited: bool,
    },
    /// A new store.
    Create {
        store: u64,
        record: &'static str,
        extents: Point,
        /// The tiles of the store until a task writes it by other tiles.
        tiling: Option<Tiling>,
    },
    /// A launch.
    Launch {
        task: Cow<'static, str>,
        launch: Arc<Launch>,
        /// `true` if all locales get the values of all points.
        tells: bool,
    },
    /// A call of the program that uses the elements of a store.
    Access {
        call: &'static str,
        store: u64,
        rect: Rect,
        write: bool,
        /// The locale that is shown the elements; `None` for each locale.
        on: Option<usize>,
    },
    /// The locales ask each other for the elements that their points reach through an image.
    Ask {
        task: Cow<'static, str>,
        /// The store to which values point.
        store: u64,
    },
    Fence,
    /// The fence at the end of a program.
    End,
}

/// A launch without the name of its task; in a loop, the same again and again.
pub(crate) struct Launch {
    pub(crate) domain: Rect,
    pub(crate) arguments: Box<[Argument]>,
    pub(crate) constraints: Box<[Constraint]>,
    pub(crate) placement: Placement,
    /// The [fingerprint](super::fingerprint) of the other fields.
    hash: u64,
}

impl Launch {
    pub(crate) fn new(
        domain: Rect,
        arguments: Box<[Argument]>,
        constraints: Box<[Constraint]>,
        placement: Placement,
    ) -> Self {
        let hash = fingerprint((domain, &arguments, &constraints, &placement));
        Self { domain, arguments, constraints, placement, hash }
    }
}

impl Hash for Launch {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.hash.hash(state);
    }
}

/// An argument of a launch.
#[derive(Hash, PartialEq)]
pub(crate) struct Argument {
    /// The function that makes the argument.
    pub(crate) call: &'static str,
    /// The store; `None` for values that are in no store.
    pub(crate) store: Option<u64>,
    /// The smallest box in the root around the elements of the argument.
    pub(crate) shown: Rect,
    /// The extents of the tile at the first point.
    pub(crate) tile: Point,
    /// The [fingerprint](super::fingerprint) of all tiles.
    pub(crate) tiles: u64,
    /// The tiles whose locales combine contributions, if they are given.
    pub(crate) owners: Option<Arc<Tiling>>,
}

impl Operation {
    /// The creation of a store that is cut into the tiles of `tiling` until a task writes it by other tiles.
    pub(crate) fn new<R>(store: u64, extents: Point, tiling: Option<Tiling>) -> Self {
        Self::Create { store, record: core::any::type_name::<R>(), extents, tiling }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Begin { version, pieces, min_chunk, whole_below, shown_limit, limited } => {
                match pieces {
                    Some(pieces) => write!(f, "began with {}", count(*pieces, "piece"))?,
                    None => f.write_str("began with a piece for each thread")?,
                }
                write!(
                    f,
                    ", `min_chunk` {min_chunk}, `whole_below` {whole_below}, `shown_limit` {shown_limit}, {}version {version}",
                    if *limited { "a `memory_limit`, " } else { "" }
                )
            }
            Self::Create { store, record, extents, tiling } => {
                write!(f, "created store {store} of `{record}` with extents {extents}")?;
                tiling.as_ref().map_or(Ok(()), |tiling| write!(f, " in tiles of {}", tiling.tile()))
            }
            Self::Launch { task, launch, tells } => {
                let Launch { domain, arguments, constraints, placement, .. } = &**launch;
                write!(
                    f,
                    "launched task `{task}` on {}",
                    count(usize::try_from(domain.volume()).unwrap_or(usize::MAX), "point")
                )?;
                for (number, argument) in arguments.iter().enumerate() {
                    write!(f, "{} {argument}", if number == 0 { ":" } else { "," })?;
                }
                if !constraints.is_empty() {
                    write!(f, " with {constraints:?}")?;
                }
                placement.fmt(f)?;
                f.write_str(if *tells { ", whose values all get" } else { "" })
            }
            Self::Access { call, store, rect, on, .. } => {
                write!(f, "called `{call}` on {rect} of store {store}")?;
                on.map_or(Ok(()), |locale| write!(f, " for locale {locale}"))
            }
            Self::Ask { task, store } => {
                write!(f, "looked at what values point to in store {store}, for task `{task}`")
            }
            Self::Fence => f.write_str("called `fence`"),
            Self::End => f.write_str("ended its program"),
        }
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.store {
            Some(store) => write!(f, "{} {} of store {store} in tiles of {}", self.call, self.shown, self.tile)?,
            None => f.write_str(self.call)?,
        }
        self.owners.as_ref().map_or(Ok(()), |owners| write!(f, " owned by {owners:?}"))
    }
}

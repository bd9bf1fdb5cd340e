//! Elements as the bytes of a message: box after box, and nothing between.
//!
//! ```text
//! records   each after the one before, as its leaves without padding: where leaves of an element lie together, where boxes are
//!           small, and where not all bits are values, so that each is looked at
//! columns   all of the first leaf, then all of the second one, and so on: where leaves lie apart
//! ```
//!
//! Sender and receiver have the same record, layout and boxes, and so choose alike.
//!
//! Where the elements of a message lie is found once, and kept with the message: the next launch of the same plan copies pieces of
//! memory. What has no pieces is copied by views.

use std::sync::Arc;

use layout_core::{DynExtents, LeafTable, Mapped, Record, RecordLayout, View, ViewError};
use layout_mappings::{AoS, Packed, SoASingle};
use smallvec::SmallVec;

use super::Root;
use super::instances::hold;
use super::message::Bytes;
use crate::geometry::{DynRank, MAX_RANK, Rect};
use crate::graph::{Cause, TaskBodyError};
use crate::memory::{Hold, Packing, Pieced, Region, Tile, TileMut, row_major, try_row_major};
use crate::sync::Mutex;

/// How boxes of elements of a root become a message, and back, and how they come from one memory to another: functions that know its
/// record and layout.
pub(crate) struct Mover {
    /// The bytes of an element in a message.
    pub(super) element: usize,
    packing: fn(&Region, &[Rect]) -> Packing,
    pack: fn(&Hold<'_>, &Rect, &mut &mut [u8]) -> Done,
    unpack: fn(&mut Hold<'_>, &Rect, &mut &[u8]) -> Done,
    pub(super) copy: fn(&Region, &Region, &[Rect]) -> Done,
}

type Done = Result<(), Cause>;

/// Where the elements of a message were found in the memory that it came from or went to last.
#[derive(Default)]
pub(super) struct Kept(Mutex<Option<Arc<Packing>>>);

/// Of a message of more boxes nothing is kept: many small ones come from an image, and few of these come again.
const KEPT: usize = 16;

impl Kept {
    fn of(&self, mover: &Mover, region: &Region, rects: &[Rect]) -> Option<Arc<Packing>> {
        if rects.len() > KEPT {
            return None;
        }
        let mut kept = self.0.lock();
        if !kept.as_ref().is_some_and(|packing| region.lies_so(packing)) {
            *kept = Some(Arc::new((mover.packing)(region, rects)));
        }
        kept.clone()
    }
}

/// A box of elements that is held, to be packed or unpacked: by pieces or by a view.
enum HeldBox<'r, 'p> {
    Pieces(Pieced<'r, 'p>),
    View(Hold<'r>, Rect),
}

impl<'r, 'p> HeldBox<'r, 'p> {
    fn held(
        region: &'r Region,
        (number, rect): (usize, &Rect),
        packing: Option<&'p Packing>,
        write: bool,
    ) -> Result<Self, Cause> {
        let hold = hold(region, rect, write)?;
        Ok(match packing {
            Some(packing) => hold.pieced(packing, number).map_or_else(|hold| Self::View(hold, *rect), Self::Pieces),
            None => Self::View(hold, *rect),
        })
    }

    #[inline]
    fn pack(&self, mover: &Mover, message: &mut &mut [u8]) -> Done {
        match self {
            Self::Pieces(pieced) => pieced.pack(first(message, pieced.bytes())?),
            Self::View(hold, rect) => (mover.pack)(hold, rect, message)?,
        }
        Ok(())
    }

    #[inline]
    fn unpack(&mut self, mover: &Mover, message: &mut &[u8]) -> Done {
        match self {
            Self::Pieces(pieced) => pieced.unpack(next(message, pieced.bytes())?),
            Self::View(hold, rect) => (mover.unpack)(hold, rect, message)?,
        }
        Ok(())
    }
}

impl Mover {
    pub(super) fn of<R: Record, L: RecordLayout<R> + Default>() -> &'static Self {
        const {
            &Self {
                element: size_of_packed::<R>(),
                packing: |region, rects| {
                    let columns = |rect: &Rect| matches!(Form::of::<R, L>(volume(rect)), Form::Columns);
                    region.packing::<R, L>(rects, columns)
                },
                pack: |hold, rect, message| pack::<R, L>(&hold.view::<R, DynRank, L>(None, rect)?, message),
                unpack: |hold, rect, message| unpack::<R, L>(&mut hold.view_mut::<R, DynRank, L>(None, rect)?, message),
                copy: |from, to, rects| {
                    for rect in rects {
                        let (from, mut to) = (hold(from, rect, false)?, hold(to, rect, true)?);
                        let source = from.view::<R, DynRank, L>(None, rect)?;
                        to.view_mut::<R, DynRank, L>(None, rect)?.copy_from(&source)?;
                    }
                    Ok(())
                },
            }
        }
    }

    /// Writes the elements of some boxes to a message.
    pub(super) fn pack(&self, region: &Region, rects: &[Rect], kept: &Kept, mut message: &mut [u8]) -> Done {
        let packing = kept.of(self, region, rects);
        let mut boxes = rects.iter().enumerate();
        boxes.try_for_each(|of| HeldBox::held(region, of, packing.as_deref(), false)?.pack(self, &mut message))
    }

    /// Sets the elements of some boxes to the first ones of a message, which then are those after them.
    pub(super) fn unpack(&self, region: &Region, rects: &[Rect], kept: &Kept, message: &mut &[u8]) -> Done {
        let packing = kept.of(self, region, rects);
        let mut boxes = rects.iter().enumerate();
        boxes.try_for_each(|of| HeldBox::held(region, of, packing.as_deref(), true)?.unpack(self, message))
    }
}

/// The number of elements in a box.
fn volume(rect: &Rect) -> usize {
    usize::try_from(rect.volume()).unwrap_or(usize::MAX)
}

/// Packer of elements of a store on one locale, as a message has them: for the tests and the benchmark of messages.
#[doc(hidden)]
pub struct Packer {
    root: Arc<Root>,
    rects: Vec<Rect>,
    packing: Arc<Packing>,
}

/// [`Packer`] that are held, to be packed and unpacked again and again.
#[doc(hidden)]
pub struct HeldPacker<'b> {
    mover: &'static Mover,
    held: SmallVec<[HeldBox<'b, 'b>; 1]>,
}

impl Packer {
    /// Packer of the elements of the root of a store, which no task uses: whoever holds them waits for none.
    ///
    /// # Errors
    ///
    /// Where no memory has all of its elements.
    pub(crate) fn of(root: &Arc<Root>, rects: Vec<Rect>) -> Result<Self, Cause> {
        let root = root.clone();
        let packing = (root.mover.packing)(root.region(None)?, &rects).into();
        Ok(Self { root, rects, packing })
    }

    /// The bytes of a message.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.rects.iter().map(volume).sum::<usize>() * self.root.mover.element
    }

    /// Takes hold of the elements, to pack or, if `write` says so, to unpack them.
    ///
    /// # Errors
    ///
    /// Where somebody else holds some of them.
    pub fn hold(&self, write: bool) -> Result<HeldPacker<'_>, Cause> {
        let region = self.root.region(None)?;
        let held = self.rects.iter().enumerate().map(|of| HeldBox::held(region, of, Some(&self.packing), write));
        Ok(HeldPacker { mover: self.root.mover, held: held.collect::<Result<_, _>>()? })
    }
}

impl HeldPacker<'_> {
    /// Whether all are copied by pieces.
    #[must_use]
    pub fn are_pieces(&self) -> bool {
        self.held.iter().all(|held| matches!(held, HeldBox::Pieces(_)))
    }

    /// Writes the elements to a message.
    ///
    /// # Errors
    ///
    /// Where it has too few bytes.
    #[inline]
    pub fn pack(&self, mut message: &mut [u8]) -> Result<(), Cause> {
        self.held.iter().try_for_each(|held| held.pack(self.mover, &mut message))
    }

    /// Sets the elements to those of a message.
    ///
    /// # Errors
    ///
    /// Where it has too few bytes.
    #[inline]
    pub fn unpack(&mut self, mut message: &[u8]) -> Result<(), Cause> {
        self.held.iter_mut().try_for_each(|held| held.unpack(self.mover, &mut message))
    }
}

/// The bytes of a record in a message.
pub(crate) const fn size_of_packed<R: Record>() -> usize {
    let table = LeafTable::of::<R>();
    table.packed_size(table.count())
}

/// A box of fewer elements is copied one by one: a view of them would cost more than that.
const FEW: usize = 16;

/// How the elements of a box lie in a message.
enum Form {
    OneByOne,
    Records,
    Columns,
}

impl Form {
    fn of<R: Record, L: RecordLayout<R>>(volume: usize) -> Self {
        if volume < FEW || !LeafTable::of::<R>().any_bits() {
            Self::OneByOne
        } else if const { lie_apart::<R, L>() } {
            Self::Columns
        } else {
            Self::Records
        }
    }
}

/// Whether leaves of neighboring elements are nearer than those of one element.
const fn lie_apart<R: Record, L: RecordLayout<R>>() -> bool {
    let (table, mut leaf, mut apart) = (LeafTable::of::<R>(), 0, false);
    while leaf < table.count() && leaf < L::PLACES.len() {
        apart |= L::PLACES[leaf].stride < size_of_packed::<R>();
        leaf += 1;
    }
    apart
}

/// So many of the first bytes; the others are left.
fn first<'m>(bytes: &mut &'m mut [u8], count: usize) -> Result<&'m mut [u8], Cause> {
    Ok(bytes.split_off_mut(..count).ok_or_else(|| TaskBodyError::new("a message without room for its elements"))?)
}

/// So many of the first bytes, and none of them later.
fn next<'m>(bytes: &mut &'m [u8], count: usize) -> Result<&'m [u8], Cause> {
    let found = bytes.len();
    Ok(bytes.split_off(..count).ok_or_else(|| {
        TaskBodyError::new(format!("the message has {found} bytes of them, and {count} or more are needed"))
    })?)
}

/// The only dimension along which there are several indices.
fn line(extents: [usize; MAX_RANK]) -> Option<usize> {
    let mut long = (0..MAX_RANK).filter(|dim| extents[*dim] > 1);
    long.next().filter(|_| long.next().is_none())
}

/// Does something with the elements along dimension `dim` of a view that has one index along each other one.
macro_rules! along {
    ($dim:expr, $view:ident.$slice:ident, |$line:ident| $do:expr) => {
        match $dim {
            0 => {
                let $line = $view.$slice((.., 0, 0, 0, 0, 0));
                $do
            }
            1 => {
                let $line = $view.$slice((0, .., 0, 0, 0, 0));
                $do
            }
            2 => {
                let $line = $view.$slice((0, 0, .., 0, 0, 0));
                $do
            }
            3 => {
                let $line = $view.$slice((0, 0, 0, .., 0, 0));
                $do
            }
            4 => {
                let $line = $view.$slice((0, 0, 0, 0, .., 0));
                $do
            }
            _ => {
                let $line = $view.$slice((0, 0, 0, 0, 0, ..));
                $do
            }
        }
    };
}

/// The elements of these extents in a message, which are these bytes.
macro_rules! in_message {
    ($layout:ty, $rank:expr, $extents:expr, $bytes:expr) => {{
        let extents = DynExtents::<$rank>::new($extents).map_err(ViewError::from)?;
        View::from_bytes(Mapped::<R, _, $layout>::new(extents).map_err(ViewError::from)?, $bytes)?
    }};
}

/// Writes the elements of a box to the first bytes of a message; the others are left.
fn pack<R: Record, L: RecordLayout<R>>(from: &Tile<'_, R, DynRank, L>, message: &mut &mut [u8]) -> Done {
    let (extents, volume) = (from.extents(), from.len());
    let bytes = first(message, volume * size_of_packed::<R>())?;
    match (Form::of::<R, L>(volume), line(extents)) {
        (Form::OneByOne, _) => {
            let mut bytes = Bytes(bytes.iter_mut());
            row_major(extents, |index| from.load(index).write(&mut bytes));
        }
        (Form::Columns, Some(dim)) => along!(dim, from.slice, |line| {
            in_message!(SoASingle<Packed>, 1, [volume], bytes).copy_from(&line)?;
        }),
        (Form::Records, Some(dim)) => along!(dim, from.slice, |line| {
            in_message!(AoS<Packed>, 1, [volume], bytes).copy_from(&line)?;
        }),
        (Form::Columns, None) => {
            in_message!(SoASingle<Packed>, MAX_RANK, extents, bytes).copy_from(from)?;
        }
        (Form::Records, None) => {
            in_message!(AoS<Packed>, MAX_RANK, extents, bytes).copy_from(from)?;
        }
    }
    Ok(())
}

/// Sets the elements of a box to the first ones of a message, which then are those after them.
fn unpack<R: Record, L: RecordLayout<R>>(to: &mut TileMut<'_, R, DynRank, L>, message: &mut &[u8]) -> Done {
    let (extents, volume) = (to.extents(), to.len());
    let bytes = next(message, volume * size_of_packed::<R>())?;
    match (Form::of::<R, L>(volume), line(extents)) {
        (Form::OneByOne, _) => {
            let mut bytes = bytes;
            try_row_major(extents, |index| -> Done {
                to.set(index, R::read(&mut bytes)?);
                Ok(())
            })?;
        }
        (Form::Columns, Some(dim)) => along!(dim, to.slice_mut, |line| {
            { line }.copy_from(&in_message!(SoASingle<Packed>, 1, [volume], bytes))?;
        }),
        (Form::Records, Some(dim)) => along!(dim, to.slice_mut, |line| {
            { line }.copy_from(&in_message!(AoS<Packed>, 1, [volume], bytes))?;
        }),
        (Form::Columns, None) => {
            to.copy_from(&in_message!(SoASingle<Packed>, MAX_RANK, extents, bytes))?;
        }
        (Form::Records, None) => {
            to.copy_from(&in_message!(AoS<Packed>, MAX_RANK, extents, bytes))?;
        }
    }
    Ok(())
}

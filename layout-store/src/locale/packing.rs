//! Packing: elements as the bytes of a message, box after box, without gaps.
//!
//! ```text
//! records   one after another, as their leaves without padding: if the leaves of an element lie together, if boxes are small, and
//!           if not all bits are values, because each record is then checked
//! columns   all of the first leaf, then all of the second one, and so on: if leaves lie apart
//! ```
//!
//! Sender and receiver have the same record, layout and boxes, so they choose the same form. Each may copy in its own way: as bytes if
//! neighbors are side by side in memory, otherwise by a view of the message.

use layout_core::{DynExtents, LeafTable, Mapped, Record, RecordLayout, View, ViewError, is_packable};
use layout_mappings::{AoS, Packed, SoASingle};

use super::instances::hold;
use super::message::Bytes;
use crate::geometry::{DynRank, MAX_RANK, Rect};
use crate::graph::{Cause, TaskBodyError};
use crate::memory::{Region, Tile, TileMut, row_major, try_row_major};

/// Functions that know the record and layout of a root: they pack boxes of elements into a message, unpack them, and copy them from one
/// memory to another.
pub(crate) struct Mover {
    /// The bytes of an element in a message.
    pub(super) element: usize,
    pub(super) pack: fn(&Region, &[Rect], &mut [u8]) -> Done,
    pub(super) unpack: fn(&Region, &[Rect], &mut &[u8]) -> Done,
    pub(super) copy: fn(&Region, &Region, &[Rect]) -> Done,
}

type Done = Result<(), Cause>;

impl Mover {
    pub(super) fn of<R: Record, L: RecordLayout<R> + Default>() -> &'static Self {
        const {
            &Self {
                element: size_of_packed::<R>(),
                pack: |region, rects, mut message| {
                    for rect in rects {
                        let hold = hold(region, rect, false)?;
                        pack::<R, L>(&hold.view::<R, DynRank, L>(None, rect)?, &mut message)?;
                    }
                    Ok(())
                },
                unpack: |region, rects, message| {
                    for rect in rects {
                        let mut hold = hold(region, rect, true)?;
                        unpack::<R, L>(&mut hold.view_mut::<R, DynRank, L>(None, rect)?, message)?;
                    }
                    Ok(())
                },
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
}

/// The bytes of a record in a message.
pub(crate) const fn size_of_packed<R: Record>() -> usize {
    let table = LeafTable::of::<R>();
    table.packed_size(table.count())
}

/// A box of fewer elements is copied one by one if it is not copied as bytes: a view would cost more.
const FEW: usize = 16;

/// The form of the elements of a box in a message.
enum Form {
    OneByOne,
    Records,
    Columns,
}

impl Form {
    fn of<R: Record, L: RecordLayout<R>>(volume: usize) -> Self {
        let columns = const { lie_apart::<R, L>() };
        if !LeafTable::of::<R>().any_bits() || volume < FEW && !const { is_packable::<R, L>(lie_apart::<R, L>()) } {
            Self::OneByOne
        } else if columns {
            Self::Columns
        } else {
            Self::Records
        }
    }
}

/// Returns `true` if the distance of neighboring elements of a leaf is smaller than an element.
const fn lie_apart<R: Record, L: RecordLayout<R>>() -> bool {
    let (table, mut leaf, mut apart) = (LeafTable::of::<R>(), 0, false);
    while leaf < table.count() && leaf < L::PLACES.len() {
        apart |= L::PLACES[leaf].stride < size_of_packed::<R>();
        leaf += 1;
    }
    apart
}

/// Takes the first `count` bytes, and leaves the others.
fn first<'m>(bytes: &mut &'m mut [u8], count: usize) -> Result<&'m mut [u8], Cause> {
    Ok(bytes.split_off_mut(..count).ok_or_else(|| TaskBodyError::new("a message without room for its elements"))?)
}

/// The only dimension along which there are several indices, if there is just one.
fn line(extents: [usize; MAX_RANK]) -> Option<usize> {
    let mut long = (0..MAX_RANK).filter(|dim| extents[*dim] > 1);
    long.next().filter(|_| long.next().is_none())
}

/// Runs code on the elements along dimension `dim` of a view that has one index along each other dimension.
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

/// A view of these bytes of a message as elements of these extents.
macro_rules! in_message {
    ($layout:ty, $rank:expr, $extents:expr, $bytes:expr) => {{
        let extents = DynExtents::<$rank>::new($extents).map_err(ViewError::from)?;
        View::from_bytes(Mapped::<R, _, $layout>::new(extents).map_err(ViewError::from)?, $bytes)?
    }};
}

/// Writes the elements of a box to the first bytes of a message, and leaves the others.
pub fn pack<R: Record, L: RecordLayout<R>>(from: &Tile<'_, R, DynRank, L>, message: &mut &mut [u8]) -> Done {
    let (extents, volume) = (from.extents(), from.len());
    let bytes = first(message, volume * size_of_packed::<R>())?;
    let form = Form::of::<R, L>(volume);
    let done = match form {
        Form::OneByOne => false,
        Form::Records => layout_core::pack::<_, _, false>(from, bytes),
        Form::Columns => layout_core::pack::<_, _, true>(from, bytes),
    };
    if done {
        return Ok(());
    }
    match (form, line(extents)) {
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

/// Sets the elements of a box from the first bytes of a message, and leaves the others.
pub fn unpack<R: Record, L: RecordLayout<R>>(to: &mut TileMut<'_, R, DynRank, L>, message: &mut &[u8]) -> Done {
    let (extents, volume) = (to.extents(), to.len());
    let needed = volume * size_of_packed::<R>();
    let found = message.len();
    let bytes = message.split_off(..needed).ok_or_else(|| {
        TaskBodyError::new(format!("the message has {found} bytes of them, and {needed} or more are needed"))
    })?;
    let form = Form::of::<R, L>(volume);
    let done = match form {
        Form::OneByOne => false,
        Form::Records => layout_core::unpack::<_, _, false>(to, bytes),
        Form::Columns => layout_core::unpack::<_, _, true>(to, bytes),
    };
    if done {
        return Ok(());
    }
    match (form, line(extents)) {
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

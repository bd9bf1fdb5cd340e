//! Elements as the bytes of a message: box after box, and nothing between.
//!
//! ```text
//! records   each after the one before, as its leaves without padding: where leaves of an element lie together, where boxes are
//!           small, and where not all bits are values, so that each is looked at
//! columns   all of the first leaf, then all of the second one, and so on: where leaves lie apart
//! ```
//!
//! Sender and receiver have the same record, layout and boxes, and so choose alike.

use layout_core::{DynExtents, LeafTable, Mapped, PortableError, Record, RecordLayout, View, ViewError};
use layout_mappings::{AoS, Packed, SoASingle};

use super::instances::hold;
use crate::geometry::{DynRank, MAX_RANK, Rect};
use crate::graph::{Cause, TaskBodyError};
use crate::memory::{Region, Tile, TileMut, row_major, try_row_major};

/// How boxes of elements of a root become a message, and back, and how they come from one memory to another: functions that know its
/// record and layout.
pub(crate) struct Mover {
    /// The bytes of an element in a message.
    pub(super) element: usize,
    pub(super) pack: fn(&Region, &[Rect], &mut Vec<u8>) -> Done,
    pub(super) unpack: fn(&Region, &[Rect], &[u8]) -> Done,
    pub(super) copy: fn(&Region, &Region, &[Rect]) -> Done,
}

type Done = Result<(), Cause>;

impl Mover {
    pub(super) fn of<R: Record, L: RecordLayout<R> + Default>() -> &'static Self {
        const {
            &Self {
                element: size_of_packed::<R>(),
                pack: |region, rects, message| {
                    for rect in rects {
                        let hold = hold(region, rect, false)?;
                        pack::<R, L>(&hold.view::<R, DynRank, L>(None, rect)?, message)?;
                    }
                    Ok(())
                },
                unpack: |region, rects, mut message| {
                    for rect in rects {
                        let mut hold = hold(region, rect, true)?;
                        unpack::<R, L>(&mut hold.view_mut::<R, DynRank, L>(None, rect)?, &mut message)?;
                    }
                    if !message.is_empty() {
                        return Err(TaskBodyError::new("a message of more elements than were expected").into());
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

const fn size_of_packed<R: Record>() -> usize {
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

/// The elements of a box in a message.
type InMessage<R, P> = Mapped<R, DynExtents<MAX_RANK>, P>;

fn mapping<R: Record, P: RecordLayout<R> + Default>(extents: [usize; MAX_RANK]) -> Result<InMessage<R, P>, ViewError> {
    Ok(Mapped::new(DynExtents::<MAX_RANK>::new(extents)?)?)
}

fn pack<R: Record, L: RecordLayout<R>>(from: &Tile<'_, R, DynRank, L>, message: &mut Vec<u8>) -> Result<(), Cause> {
    let (extents, volume) = (from.extents(), from.len());
    let form = Form::of::<R, L>(volume);
    if let Form::OneByOne = form {
        row_major(extents, |index| from.load(index).write(message));
        return Ok(());
    }
    let start = message.len();
    message.resize(start + volume * size_of_packed::<R>(), 0);
    let room = &mut message[start..];
    match form {
        Form::Columns => View::from_bytes(mapping::<R, SoASingle<Packed>>(extents)?, room)?.copy_from(from)?,
        _ => View::from_bytes(mapping::<R, AoS<Packed>>(extents)?, room)?.copy_from(from)?,
    }
    Ok(())
}

fn unpack<R: Record, L: RecordLayout<R>>(
    to: &mut TileMut<'_, R, DynRank, L>,
    message: &mut &[u8],
) -> Result<(), Cause> {
    let (extents, volume) = (to.extents(), to.len());
    let bytes = message
        .split_off(..volume * size_of_packed::<R>())
        .ok_or_else(|| PortableError::Short(core::any::type_name::<R>()))?;
    match Form::of::<R, L>(volume) {
        Form::OneByOne => {
            let mut bytes = bytes;
            try_row_major(extents, |index| -> Result<(), Cause> {
                to.set(index, R::read(&mut bytes)?);
                Ok(())
            })?;
        }
        Form::Records => to.copy_from(&View::from_bytes(mapping::<R, AoS<Packed>>(extents)?, bytes)?)?,
        Form::Columns => to.copy_from(&View::from_bytes(mapping::<R, SoASingle<Packed>>(extents)?, bytes)?)?,
    }
    Ok(())
}

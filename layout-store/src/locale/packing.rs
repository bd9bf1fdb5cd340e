//! Packing: elements as the bytes of a message, box after box, without gaps.
//!
//! ```text
//! records   one after another, as their leaves without padding: if the leaves of an element lie together, if boxes are small, and
//!           if not all bits are values, because each record is then checked
//! columns   all of the first leaf, then all of the second one, and so on: if leaves lie apart
//! ```
//!
//! Sender and receiver have the same record, layout and boxes, so they choose the same form. Each may copy in its own way: as bytes if
//! neighbors are side by side in memory, otherwise by a view of the message. Elements that are one row in memory are packed as such:
//! a view of six dimensions takes longer to look through than a small row takes to copy.

use layout_core::{Dim, LeafTable, Mapped, Mapping, Record, RecordLayout, View, ViewError, is_packable};
use layout_mappings::{AoS, Packed, SoASingle};

use super::instances::hold_tiles;
use super::message::Bytes;
use crate::geometry::{DynRank, StoreRank};
use crate::graph::{Cause, TaskBodyError, Tiles};
use crate::memory::{Boxed, Region, Tile, TileMut, row_major, try_row_major};

/// Functions that know the record and layout of a root: they pack boxes of elements into a message, unpack them, and copy them from one
/// memory to another.
pub(crate) struct Mover {
    /// The bytes of an element in a message.
    pub(super) element: usize,
    pub(super) pack: fn(&Region, &Tiles, &mut [u8]) -> Done,
    pub(super) unpack: fn(&Region, &Tiles, &mut &[u8]) -> Done,
    pub(super) copy: fn(&Region, &Region, &Tiles) -> Done,
}

type Done = Result<(), Cause>;

impl Mover {
    pub(super) fn of<R: Record, L: RecordLayout<R> + Default>() -> &'static Self {
        const {
            &Self {
                element: size_of_packed::<R>(),
                pack: |region, tiles, mut message| {
                    let hold = hold_tiles(region, tiles, false)?;
                    for (number, rect) in tiles.rects().iter().enumerate() {
                        match hold.boxed(number, rect)? {
                            Boxed::Row(row) => pack::<R, Dim<1>, L>(&row, &mut message)?,
                            Boxed::Rows(rows) => pack::<R, DynRank, L>(&rows, &mut message)?,
                        }
                    }
                    Ok(())
                },
                unpack: |region, tiles, message| {
                    let mut hold = hold_tiles(region, tiles, true)?;
                    for (number, rect) in tiles.rects().iter().enumerate() {
                        match hold.boxed_mut(number, rect)? {
                            Boxed::Row(mut row) => unpack::<R, Dim<1>, L>(&mut row, message)?,
                            Boxed::Rows(mut rows) => unpack::<R, DynRank, L>(&mut rows, message)?,
                        }
                    }
                    Ok(())
                },
                copy: |from, to, tiles| {
                    let (from, mut to) = (hold_tiles(from, tiles, false)?, hold_tiles(to, tiles, true)?);
                    for (number, rect) in tiles.rects().iter().enumerate() {
                        if let (Boxed::Row(from), Boxed::Row(mut to)) =
                            (from.boxed::<R, L>(number, rect)?, to.boxed_mut::<R, L>(number, rect)?)
                        {
                            to.copy_from(&from)?;
                        } else {
                            to.rows_mut::<R, L>(number, rect)?.copy_from(&from.rows::<R, L>(number, rect)?)?;
                        }
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
    table.packed()
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

/// A view of these bytes of a message as elements of these extents.
macro_rules! in_message {
    ($layout:ty, $extents:expr, $bytes:expr) => {{
        let mapping = Mapped::<R, _, $layout>::new($extents).map_err(ViewError::from)?;
        View::from_bytes(mapping, $bytes)?
    }};
}

/// Writes the elements of a box to the first bytes of a message, and leaves the others.
pub fn pack<R, D, L>(from: &Tile<'_, R, D, L>, message: &mut &mut [u8]) -> Done
where
    R: Record,
    D: StoreRank,
    L: RecordLayout<R>,
{
    let (volume, found) = (from.len(), message.len());
    let needed = volume * size_of_packed::<R>();
    let Some(bytes) = message.split_off_mut(..needed) else { return Err(too_short(found, needed)) };
    let form = Form::of::<R, L>(volume);
    match form {
        Form::Columns if layout_core::pack::<_, _, true>(from, bytes) => Ok(()),
        Form::Records if layout_core::pack::<_, _, false>(from, bytes) => Ok(()),
        _ => pack_view::<R, D, L>(from, bytes, &form),
    }
}

/// [`pack`], where elements are not copied as bytes.
///
/// A function of its own, since it takes registers and stack from a copy of a few bytes.
#[inline(never)]
fn pack_view<R, D, L>(from: &Tile<'_, R, D, L>, bytes: &mut [u8], form: &Form) -> Done
where
    R: Record,
    D: StoreRank,
    L: RecordLayout<R>,
{
    match form {
        Form::OneByOne => {
            let mut bytes = Bytes(bytes.iter_mut());
            row_major(from.extents(), |index| from.load(index).write(&mut bytes));
        }
        Form::Columns => in_message!(SoASingle<Packed>, from.mapping().extents(), bytes).copy_from(from)?,
        Form::Records => in_message!(AoS<Packed>, from.mapping().extents(), bytes).copy_from(from)?,
    }
    Ok(())
}

/// Sets the elements of a box from the first bytes of a message, and leaves the others.
pub fn unpack<R, D, L>(to: &mut TileMut<'_, R, D, L>, message: &mut &[u8]) -> Done
where
    R: Record,
    D: StoreRank,
    L: RecordLayout<R>,
{
    let (volume, found) = (to.len(), message.len());
    let needed = volume * size_of_packed::<R>();
    let Some(bytes) = message.split_off(..needed) else { return Err(too_short(found, needed)) };
    let form = Form::of::<R, L>(volume);
    match form {
        Form::Columns if layout_core::unpack::<_, _, true>(to, bytes) => Ok(()),
        Form::Records if layout_core::unpack::<_, _, false>(to, bytes) => Ok(()),
        _ => unpack_view::<R, D, L>(to, bytes, &form),
    }
}

/// [`unpack`], where elements are not copied as bytes.
#[inline(never)]
fn unpack_view<R, D, L>(to: &mut TileMut<'_, R, D, L>, mut bytes: &[u8], form: &Form) -> Done
where
    R: Record,
    D: StoreRank,
    L: RecordLayout<R>,
{
    match form {
        Form::OneByOne => try_row_major(to.extents(), |index| -> Done {
            to.set(index, R::read(&mut bytes)?);
            Ok(())
        })?,
        Form::Columns => to.copy_from(&in_message!(SoASingle<Packed>, to.mapping().extents(), bytes))?,
        Form::Records => to.copy_from(&in_message!(AoS<Packed>, to.mapping().extents(), bytes))?,
    }
    Ok(())
}

#[cold]
fn too_short(found: usize, needed: usize) -> Cause {
    TaskBodyError::new(format!("the message has {found} bytes of elements, and {needed} or more are needed")).into()
}

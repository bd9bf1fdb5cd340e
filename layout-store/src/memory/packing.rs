//! Where the elements of boxes lie in memory and in a message: found once, for messages of the same boxes again and again.

use core::any::TypeId;

use layout_core::{LeafTable, Pieces, Record, RecordLayout};

use super::Region;
use super::region::{Hold, Placed, whole};
use super::strides::Strides;
use crate::geometry::{DynRank, Rect, StoreRank};

/// Where the elements of some boxes lie in a region, and in any other region whose elements lie alike.
pub(crate) struct Packing {
    types: TypeId,
    strides: Strides,
    /// The boxes; of those whose views are copied in less time there are no pieces.
    boxes: Box<[(Rect, Option<Pieces>)]>,
}

/// A box of elements that is held, and where they lie.
///
/// Invariant: the pieces are those of the elements that are held.
pub(crate) struct Pieced<'r, 'p> {
    hold: Hold<'r>,
    pieces: &'p Pieces,
}

impl Region {
    /// Where the elements of some boxes lie, in messages by columns or record by record as `columns` says.
    pub(crate) fn packing<R: Record, L: RecordLayout<R> + Default>(
        &self,
        rects: &[Rect],
        columns: impl Fn(&Rect) -> bool,
    ) -> Packing {
        let pieces = |rect: &Rect| {
            if !LeafTable::of::<R>().any_bits() || self.is_joined() || rect.is_empty() || !self.rect().covers(rect) {
                return None;
            }
            let Placed { extents, offset, strides } = self.place::<R, DynRank, L>(rect, None, rect);
            let whole = whole::<R, L>(self.shape.slots).ok()?;
            Pieces::of::<_, <DynRank as StoreRank>::Rank>(&whole, extents, offset, strides, columns(rect))
        };
        let boxes = rects.iter().map(|rect| (*rect, pieces(rect))).collect();
        Packing { types: self.shape.types, strides: self.shape.strides, boxes }
    }

    /// Whether elements lie here as this says.
    pub(crate) fn lies_so(&self, packing: &Packing) -> bool {
        (self.shape.types, &self.shape.strides) == (packing.types, &packing.strides)
    }
}

impl<'r> Hold<'r> {
    /// This, with the pieces of box number `number`, if it is a hold on that box, and there are some.
    pub(crate) fn pieced<'p>(self, packing: &'p Packing, number: usize) -> Result<Pieced<'r, 'p>, Self> {
        let pieces = match packing.boxes.get(number) {
            Some((rect, Some(pieces))) if *rect == self.rect && self.region.lies_so(packing) => pieces,
            _ => return Err(self),
        };
        Ok(Pieced { hold: self, pieces })
    }
}

impl Pieced<'_, '_> {
    /// The bytes of the elements in a message.
    #[inline]
    pub(crate) fn bytes(&self) -> usize {
        self.pieces.bytes()
    }

    /// Writes the elements to a message of as many bytes.
    #[inline]
    pub(crate) fn pack(&self, message: &mut [u8]) {
        // SAFETY: the memory lies there as long as there is the hold, for as many elements, record and layout as the pieces
        // were made for: regions whose elements lie alike have boxes of one size. It has values only. The elements are held, so that
        // nothing writes to them; the message is borrowed, and memory of the program that was given to the region is not.
        unsafe { self.pieces.pack(self.hold.base, message) }
    }

    /// Sets the elements to those of a message of as many bytes.
    ///
    /// # Panics
    ///
    /// Panics if they are held to read.
    #[inline]
    pub(crate) fn unpack(&mut self, message: &[u8]) {
        assert!(self.hold.write, "held to read");
        // SAFETY: as in `pack`; what is held to write is held by nobody else, `self` is borrowed mutably, and of records whose
        // leaves are not values for all bytes there are no pieces.
        unsafe { self.pieces.unpack(self.hold.base, message) }
    }
}

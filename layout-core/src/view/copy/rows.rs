//! Whether a copy can be done by bytes at addresses, and the rows that it consists of.

use core::any::{Any, TypeId};
use core::marker::PhantomData;
use core::ops::Range;

use super::block::Blocks;
use super::pairs::Pairs;
use super::places::{Mapped, Side};
use super::plan::{MAX_FIELDS, Plan};
use super::{advance, stream};
use crate::blob::Address;
use crate::extents::Extents;
use crate::mapping::{Mapping, RecordLayout};
use crate::tree::LeafTable;
use crate::view::ArrayOf;
use crate::view::opened::Opened;
use crate::view::walk::{Elements, Rows, Walk};
use crate::view::zip::Zip;

/// Copies to a target of at least so many bytes are written past the cache.
///
/// Some tens of times the second-level cache of today's processors, and a part of the last one: what was copied is
/// then still there when it is read next, unless it is too much for that.
const LARGE: usize = 8 << 20;
/// Shorter runs and rows are copied record by record.
const SHORT: usize = 8;

/// Two views opened together, the first to be written and the second to be read.
pub(super) type Both<'t, 'f, M, A, N, B> = (Opened<&'t mut (), M, A>, Opened<&'f (), N, B>);

/// Copies these elements of each of these rows.
pub(super) type CopyPart<'f, A> = &'f (dyn Fn(Rows<A>, Range<usize>) + Sync);

/// Whether every leaf of both mappings lies at an address, as the plain bytes of its value.
const fn are_addressed<M: Mapping, A: Address, N: Mapping, B: Address>() -> bool {
    M::Layout::COMPUTED.is_empty()
        && N::Layout::COMPUTED.is_empty()
        && !A::NOTES
        && !B::NOTES
        && Elements::<M>::STRIDED
        && Elements::<N>::STRIDED
}

/// A copy by rows.
///
/// Invariant: the views are borrowed for `'z`, the leaves of each pair are of one type.
pub(super) struct ByRows<'z, P, M: Mapping, A, N: Mapping, B> {
    to: Elements<M>,
    from: Elements<N>,
    to_side: Mapped<M, A>,
    from_side: Mapped<N, B>,
    rows: Rows<ArrayOf<M>>,
    /// Whether there is one row, of all positions from 0 on.
    one: bool,
    /// The number of elements of the one row that are copied as bytes of the one blob, and how many bytes these are.
    head: usize,
    head_bytes: usize,
    past_cache: bool,
    borrow: PhantomData<&'z ()>,
    pairs: PhantomData<fn() -> P>,
}

impl<'z, P, M, A, N, B> ByRows<'z, P, M, A, N, B>
where
    P: Pairs<M::Record, N::Record>,
    M: Mapping,
    A: Address,
    N: Mapping<Extents: Extents<Array = ArrayOf<M>>>,
    B: Address,
{
    /// The copy between these views, unless it had better be done record by record.
    ///
    /// # Safety
    ///
    /// The leaves of each pair are of one type.
    pub(super) unsafe fn of(zip: &'z Zip<Both<'_, '_, M, A, N, B>>) -> Option<Self> {
        if const { !are_addressed::<M, A, N, B>() } {
            return None;
        }
        let (to, from) = &zip.walk;
        let (to_mapping, from_mapping) = (to.elements.mapping, from.elements.mapping);
        let one = have_same_positions(&to_mapping, &from_mapping);
        let extents = to_mapping.extents().array();
        let rows = if one { Rows::new(extents, zip.rows.nest(), true) } else { zip.rows };
        let (to_step, from_step) = if one { (1, 1) } else { (to.elements.step, from.elements.step) };
        let head = if one { gapless::<M, N>(&to_mapping, &from_mapping) } else { 0 };
        let runs = M::Layout::RUN.min(N::Layout::RUN) >= SHORT && rows.row_len() >= SHORT;
        let strided = one || Elements::<M>::STRIDED && Elements::<N>::STRIDED;
        // Distances are found from two positions.
        let several = to_mapping.slots() > 1 && from_mapping.slots() > 1;
        if !(runs && strided && several) && (head == 0 || head < rows.row_len()) {
            return None;
        }
        let table = LeafTable::of::<M::Record>();
        let bytes = (0..P::COUNT).map(|pair| table.leaf(P::pair(pair).0).size()).sum::<usize>();
        Some(Self {
            to: to.elements,
            from: from.elements,
            to_side: Mapped { address: to.address, frame: to.frame, step: to_step },
            from_side: Mapped { address: from.address, frame: from.frame, step: from_step },
            rows,
            one,
            head,
            head_bytes: head * bytes,
            past_cache: bytes.saturating_mul(rows.left() * rows.row_len()) >= LARGE,
            borrow: PhantomData,
            pairs: PhantomData,
        })
    }

    /// Copies those of the bytes of the elements of the head that lie from `first` on, at most `len`.
    ///
    /// # Safety
    ///
    /// Nobody else copies any of these bytes at the same time.
    pub(super) unsafe fn blob(&self, first: usize, len: usize) {
        let len = len.min(self.head_bytes.saturating_sub(first));
        if len == 0 {
            return;
        }
        let mut spots = [core::ptr::null_mut(); 2];
        // SAFETY: the views are borrowed, and there is a position and a leaf: they have bytes.
        unsafe { self.to_side.spots(&[0], 0, &mut spots[..1]) };
        // SAFETY: as above.
        unsafe { self.from_side.spots(&[0], 0, &mut spots[1..]) };
        let offset = M::Layout::place_of(self.to_side.frame, M::Layout::position(0), 0).offset;
        let [to, from] = spots.map(|spot| spot.wrapping_sub(offset).wrapping_add(first));
        if self.past_cache {
            // SAFETY: both blobs start `offset` bytes before their leaf 0; their first `head_bytes` bytes are all
            // bytes of leaves, which do not overlap, since the target is borrowed mutably.
            unsafe { stream::copy(from, to, len, &mut stream::Ahead::none()) };
            stream::finish();
        } else {
            // SAFETY: as above.
            unsafe { to.copy_from_nonoverlapping(from, len) };
        }
    }

    /// The number of bytes that [`blob`](Self::blob) copies.
    #[cfg(feature = "rayon")]
    pub(super) fn blob_len(&self) -> usize {
        self.head_bytes
    }

    /// Copies the elements after the head, in parts that `divide` makes of the rows and their elements.
    ///
    /// # Safety
    ///
    /// The parts are of these rows and elements, and no element is in two that are copied at the same time.
    pub(super) unsafe fn parts(&self, divide: impl Fn(Rows<ArrayOf<M>>, Range<usize>, CopyPart<'_, ArrayOf<M>>)) {
        if self.head >= self.rows.row_len() {
            return;
        }
        let table = LeafTable::of::<M::Record>();
        for first in (0..P::COUNT).step_by(MAX_FIELDS) {
            let pairs = (first..P::COUNT.min(first + MAX_FIELDS)).map(|pair| {
                let (to, from) = P::pair(pair);
                (to, from, table.leaf(to).size())
            });
            let mut pairs = pairs.filter(|(_, _, size)| *size > 0);
            // SAFETY: the views are borrowed; their mappings have two positions or more, and runs are not short.
            let plan = unsafe { Plan::new(&self.to_side, &self.from_side, &mut pairs) };
            let blocks = Blocks { to: &self.to_side, from: &self.from_side, plan: &plan, past_cache: self.past_cache };
            divide(self.rows, self.head..self.rows.row_len(), &|mut rows, elements| {
                let mut workspace = blocks.workspace();
                while let Some((index, _)) = rows.next() {
                    let (to, from) = if self.one { (0, 0) } else { (self.to.row(index).0, self.from.row(index).0) };
                    let to = advance(to, elements.start, self.to_side.step);
                    let from = advance(from, elements.start, self.from_side.step);
                    // SAFETY: the positions are those of elements of the row.
                    unsafe { blocks.row(&mut workspace, to, from, elements.len()) };
                }
                if self.past_cache {
                    stream::finish();
                }
            });
        }
    }
}

/// Whether both mappings give each index the same position, and every position has its index.
fn have_same_positions<M: Mapping, N: Mapping>(to: &M, from: &N) -> bool {
    let (ours, theirs) = (to.linearization(), from.linearization());
    let ours: &dyn Any = &ours;
    ours.downcast_ref::<N::Linearization>() == Some(&theirs)
        && to.extents().volume() == Some(to.slots())
        && to.slots() == from.slots()
}

/// How many positions, from 0 on, fill the first bytes of a blob without gaps, at equal offsets on both sides; if there
/// is one blob.
fn gapless<M: Mapping, N: Mapping>(to: &M, from: &N) -> usize {
    let (ours, theirs) = (to.layout(), from.layout());
    let ours: &dyn Any = &ours;
    let same = TypeId::of::<M::Record>() == TypeId::of::<N::Record>()
        && ours.downcast_ref::<N::Layout>() == Some(&theirs)
        && M::Layout::BLOBS == 1;
    let table = LeafTable::of::<M::Record>();
    let is_gapless = |slots: &usize| {
        let bytes = table.packed_size(table.count()).checked_mul(*slots);
        bytes.is_some() && to.layout().blob_size(*slots, 0) == bytes
    };
    let slots = to.slots();
    // Where a frame says nothing, that of fewer positions is the same, and places are: the last block may have gaps.
    let whole_runs = if size_of::<<M::Layout as RecordLayout<M::Record>>::Frame>() == 0 {
        slots - slots % M::Layout::RUN
    } else {
        0
    };
    if same { [slots, whole_runs].into_iter().find(is_gapless).unwrap_or(0) } else { 0 }
}

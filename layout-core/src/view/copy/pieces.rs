//! Elements of a part of some memory as the bytes of a message, and back: by a list of pieces that is made once.
//!
//! ```text
//! bytes      neighbors without gaps on both sides: one piece
//! spaced     values, parts of records, blocks or rows of one size at equal distances on both sides: one piece, too
//! ```
//!
//! 1. A list tells nothing of records and layouts: what copies by it is compiled once, and a short message takes a few
//!    instructions besides its loads and stores.
//! 2. Short pieces are copied by a few loads and stores that overlap, and longer ones line by line. `memcpy` of so many bytes takes
//!    longer to begin than the copy takes.
//! 3. Parts of records with gaps between go one after another, in blocks that fit the first-level cache. Only bytes of leaves are
//!    read and written, so that nothing has to be known of the gaps.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range;

use super::each::{Grid, Spaced, each};
use crate::blob::{Address, RegionAddress};
use crate::extents::{IndexArray, Rank};
use crate::leaf_table::LeafTable;
use crate::linearization::Linearization;
use crate::mapping::{LeafPlace, Mapping, RecordLayout, in_region_of, is_physical, leaf_place};
use crate::view::FrameOf;
use crate::view::raw::part;

/// A list may have so many pieces however few bytes there are, and else one for so many bytes.
const FEW: usize = 64;
const PER_PIECE: usize = 512;
/// Bytes of records whose parts are copied one after another: with as many bytes of the message they fit a first-level cache.
const BLOCK: usize = 8 << 10;
/// Pieces of more bytes are copied by `memcpy`. That of glibc takes up to 30 times as long on Zen 5 for shorter ones whose target starts
/// up to a line after the source in their pages.
const LONG: usize = 64 << 10;
/// The bytes that are loaded and stored at once. Four lines loaded before any is stored were slower: the compiler puts them on the stack.
const LINE: usize = 64;

/// Where the elements of a part of some memory lie there and in the bytes of a message.
#[doc(hidden)]
#[derive(Debug)]
pub struct Pieces {
    list: Box<[Piece]>,
    bytes: usize,
}

/// So many values of `size` bytes: where the first one lies in the memory and in the message, and how far apart they lie.
#[derive(Clone, Copy, Debug)]
struct Piece {
    memory: usize,
    message: usize,
    size: usize,
    count: usize,
    apart: (isize, isize),
}

/// A list that is made, from so many pieces more at most.
struct Pushed {
    list: Vec<Piece>,
    left: usize,
}

impl Pushed {
    /// Adds a piece, where possible to the one before it. `None` if there are too many.
    fn push(&mut self, piece: Piece) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        if let Some(last) = self.list.last_mut() {
            let (memory, message) = (piece.memory.wrapping_sub(last.memory), piece.message.wrapping_sub(last.message));
            let apart = (memory.cast_signed(), message.cast_signed());
            if (last.count, piece.count) == (1, 1) && (memory, message) == (last.size, last.size) {
                last.size += piece.size;
                return Some(());
            }
            let times = |apart: isize| apart.wrapping_mul(last.count.cast_signed());
            if piece.count == 1
                && piece.size == last.size
                && (last.count == 1 || apart == (times(last.apart.0), times(last.apart.1)))
            {
                if last.count == 1 {
                    last.apart = apart;
                }
                last.count += 1;
                return Some(());
            }
        }
        self.list.push(piece);
        Some(())
    }
}

/// A leaf, or several that lie side by side in memory and in a message: where they lie there, the bytes of one element, and how
/// neighbors lie in memory.
struct Part {
    memory: usize,
    message: usize,
    size: usize,
    place: LeafPlace,
}

/// Elements one after another in a message, `step` positions apart in memory.
#[derive(Clone, Copy)]
struct Row {
    flat: usize,
    step: isize,
    len: usize,
}

impl Pieces {
    /// The pieces of the elements of a part of the whole, which has these extents, and starts and goes on at these positions. In the
    /// message they lie row by row: all of a leaf before the next one in `columns`, or record after record.
    ///
    /// `None` where leaves have no address, where the part reaches beyond the whole or several of its elements are one, where
    /// neighbors in the message lie farther apart in memory than rows do, and where there are too many pieces: views are copied in
    /// less time then.
    #[must_use]
    pub fn of<M: Mapping, D: Rank>(
        whole: &M,
        extents: D::Array,
        offset: usize,
        strides: <D::Array as IndexArray>::Strides,
        columns: bool,
    ) -> Option<Self> {
        if !is_physical::<M::Record, M::Layout>() {
            return None;
        }
        let part = part::<M, D>(whole, extents, offset, strides).ok()?;
        let table = LeafTable::of::<M::Record>();
        let size = table.packed_size(table.count());
        let volume = extents.product()?;
        let bytes = volume.checked_mul(size)?;
        if bytes == 0 {
            return Some(Self { list: Box::default(), bytes: 0 });
        }
        if !part.is_unique() {
            return None;
        }
        let mut pushed = Pushed { list: Vec::new(), left: FEW.max(bytes / PER_PIECE) };
        let (mut message, leaves) = (0, table.count());
        let mut all = |leaves: Range<usize>| {
            let mut leaves = Leaves::<M>::new(whole.frame(), leaves);
            rows(extents, &part.linearization(), strides, |row| {
                leaves.add(&mut pushed, row, message)?;
                message += row.len * leaves.packed;
                Some(())
            })
        };
        if columns {
            (0..leaves).try_for_each(|leaf| all(leaf..leaf + 1))?;
        } else {
            all(0..leaves)?;
        }
        Some(Self { list: pushed.list.into(), bytes })
    }

    /// The bytes in a message.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Writes the elements to a message.
    ///
    /// # Panics
    ///
    /// Panics if the message has another number of bytes.
    ///
    /// # Safety
    ///
    /// Memory for the whole that this was made of lies at the address. The leaves of the part are initialized, and nothing
    /// writes to them meanwhile. The message is no part of the memory.
    #[inline]
    pub unsafe fn pack(&self, address: RegionAddress, message: &mut [u8]) {
        assert!(message.len() == self.bytes, "a message of {} bytes, and not {}", message.len(), self.bytes);
        // SAFETY: the memory lies there, as the caller promises.
        let start = unsafe { address.blob(0, 0) };
        for piece in &self.list {
            let memory = start.wrapping_add(piece.memory);
            let message = message.as_mut_ptr().wrapping_add(piece.message);
            // SAFETY: the values are leaves of the part and bytes of the message, which is as long as all are; no two of the
            // message overlap, as `of` put them one after another.
            unsafe { piece.copy((message, piece.apart.1), (memory, piece.apart.0)) };
        }
    }

    /// Sets the elements to those of a message.
    ///
    /// # Panics
    ///
    /// Panics if the message has another number of bytes.
    ///
    /// # Safety
    ///
    /// Memory for the whole that this was made of lies at the address, and nothing else reaches the leaves of the part
    /// meanwhile, of which any bytes are a value. The message is no part of the memory.
    #[inline]
    pub unsafe fn unpack(&self, address: RegionAddress, message: &[u8]) {
        assert!(message.len() == self.bytes, "a message of {} bytes, and not {}", message.len(), self.bytes);
        // SAFETY: the memory lies there, as the caller promises.
        let start = unsafe { address.blob(0, 0) };
        for piece in &self.list {
            let memory = start.wrapping_add(piece.memory);
            let message = message.as_ptr().cast_mut().wrapping_add(piece.message);
            // SAFETY: as in `pack`; no two leaves of the part overlap, since each element has a position of its own.
            unsafe { piece.copy((memory, piece.apart.0), (message, piece.apart.1)) };
        }
    }
}

impl Piece {
    /// Copies the values; the target is first.
    ///
    /// # Safety
    ///
    /// All values of the source can be read and are initialized, all of the target can be written, and none overlaps another one.
    #[inline(always)]
    unsafe fn copy(&self, (to, to_apart): (*mut u8, isize), (from, from_apart): (*mut u8, isize)) {
        if self.count == 1 {
            // SAFETY: the conditions are the caller's.
            return unsafe { bytes(to, from, self.size) };
        }
        let (to, from) = (Spaced { first: to, stride: to_apart }, Spaced { first: from, stride: from_apart });
        if self.size <= LINE {
            // SAFETY: as above.
            return unsafe { each(self.size, to, from, Grid::row(self.count)) };
        }
        for k in 0..self.count {
            // SAFETY: as above.
            unsafe { bytes(to.at(k), from.at(k), self.size) };
        }
    }
}

/// Copies some bytes.
///
/// # Safety
///
/// The source can be read and is initialized, the target can be written, and both do not overlap.
#[inline(always)]
unsafe fn bytes(to: *mut u8, from: *const u8, len: usize) {
    if len > LONG {
        // SAFETY: the conditions are the caller's.
        return unsafe { to.copy_from_nonoverlapping(from, len) };
    }
    if len >= LINE {
        let (last, mut at) = (len - LINE, 0);
        while at < last {
            // SAFETY: the conditions are the caller's, here and below.
            unsafe { one::<[u8; LINE]>(to, from, at) };
            at += LINE;
        }
        // SAFETY: as above; it ends with the bytes.
        return unsafe { one::<[u8; LINE]>(to, from, last) };
    }
    match len {
        0 => {}
        // SAFETY: as above.
        1 => unsafe { one::<u8>(to, from, 0) },
        // SAFETY: as above; two values overlap, of which one starts and one ends with the bytes. Here and below.
        2..=3 => unsafe { two::<u16>(to, from, len) },
        // SAFETY: as above.
        4..=7 => unsafe { two::<u32>(to, from, len) },
        // SAFETY: as above.
        8..=15 => unsafe { two::<u64>(to, from, len) },
        // SAFETY: as above.
        16..=31 => unsafe { two::<[u8; 16]>(to, from, len) },
        // SAFETY: as above.
        _ => unsafe { two::<[u8; 32]>(to, from, len) },
    }
}

/// Copies the bytes of a value of type `T`, of which any are one, that starts after `at` bytes.
///
/// # Safety
///
/// As [`bytes`], for these bytes.
#[inline(always)]
unsafe fn one<T: Copy>(to: *mut u8, from: *const u8, at: usize) {
    // SAFETY: the conditions are the caller's.
    let value = unsafe { from.wrapping_add(at).cast::<T>().read_unaligned() };
    // SAFETY: as above.
    unsafe { to.wrapping_add(at).cast::<T>().write_unaligned(value) };
}

/// Copies `len` bytes as two values of type `T`, of which any bytes are one: as many as it has, or up to twice as many.
///
/// # Safety
///
/// As [`bytes`].
#[inline(always)]
unsafe fn two<T: Copy>(to: *mut u8, from: *const u8, len: usize) {
    let last = len - size_of::<T>();
    // SAFETY: the conditions are the caller's.
    unsafe { one::<T>(to, from, 0) };
    // SAFETY: as above.
    unsafe { one::<T>(to, from, last) };
}

/// Calls `f` for each row of the elements of these extents, as long as they may be; `None` if it does, or if rows lie closer together
/// than the elements of a row.
fn rows<A: IndexArray>(
    extents: A,
    linearization: &impl Linearization<A>,
    strides: A::Strides,
    mut f: impl FnMut(Row) -> Option<()>,
) -> Option<()> {
    // The dimensions with several indices, those joined that are one walk.
    let (mut lens, mut steps, mut count) = (extents, strides, 0);
    for dim in 0..A::RANK {
        let (len, step) = (extents.as_ref()[dim], strides.as_ref()[dim]);
        if len == 1 {
            continue;
        }
        let joined = count > 0 && steps.as_ref()[count - 1] == step.wrapping_mul(len.cast_signed());
        count += usize::from(!joined);
        lens.as_mut()[count - 1] = if joined { lens.as_ref()[count - 1] * len } else { len };
        steps.as_mut()[count - 1] = step;
    }
    let start = linearization.position(extents, A::ZERO);
    let Some(inner) = count.checked_sub(1) else { return f(Row { flat: start, step: 1, len: 1 }) };
    let (len, step) = (lens.as_ref()[inner], steps.as_ref()[inner]);
    if steps.as_ref()[..inner].iter().any(|outer| outer.unsigned_abs() < step.unsigned_abs()) {
        return None;
    }
    let mut index = A::ZERO;
    loop {
        let moved = (0..inner).map(|dim| steps.as_ref()[dim].wrapping_mul(index.as_ref()[dim].cast_signed()));
        f(Row { flat: start.wrapping_add_signed(moved.sum()), step, len })?;
        let mut dim = inner;
        loop {
            let Some(before) = dim.checked_sub(1) else { return Some(()) };
            dim = before;
            index.as_mut()[dim] += 1;
            if index.as_ref()[dim] < lens.as_ref()[dim] {
                break;
            }
            index.as_mut()[dim] = 0;
        }
    }
}

/// Some leaves that lie one after another in each element of a message.
struct Leaves<M: Mapping> {
    frame: FrameOf<M>,
    leaves: Range<usize>,
    /// The bytes of all of them.
    packed: usize,
    /// Whether neighbors always lie equally far apart.
    are_even: bool,
    /// Where they lie at position `flat`.
    parts: Vec<Part>,
    flat: usize,
}

impl<M: Mapping> Leaves<M> {
    const RUN: usize = <M::Layout as RecordLayout<M::Record>>::RUN;

    fn new(frame: FrameOf<M>, leaves: Range<usize>) -> Self {
        let table = LeafTable::of::<M::Record>();
        let packed = table.packed_size(leaves.end) - table.packed_size(leaves.start);
        let is_even = |leaf: usize| {
            let LeafPlace { stride, block, group, .. } = leaf_place::<M::Record, M::Layout>(leaf);
            // Blocks that lie as far apart as their lanes do are none.
            Self::RUN == usize::MAX || group == 1 && Self::RUN.checked_mul(stride) == Some(block)
        };
        let are_even = leaves.clone().all(is_even);
        let mut all = Self { frame, leaves, packed, are_even, parts: Vec::new(), flat: 0 };
        all.find(0);
        all
    }

    /// Finds the parts at position `flat`.
    fn find(&mut self, flat: usize) {
        let table = LeafTable::of::<M::Record>();
        self.flat = flat;
        self.parts.clear();
        let mut message = 0;
        for leaf in self.leaves.clone() {
            let memory = in_region_of::<M::Record, M::Layout>(self.frame, M::position(flat), leaf);
            let (place, size) = (leaf_place::<M::Record, M::Layout>(leaf), table.leaf(leaf).size());
            let alike = |place: &LeafPlace| (place.stride, place.block, place.group);
            match self.parts.last_mut() {
                Some(last) if last.memory + last.size == memory && alike(&last.place) == alike(&place) => {
                    last.size += size;
                }
                _ if size > 0 => self.parts.push(Part { memory, message, size, place }),
                _ => {}
            }
            message += size;
        }
    }

    /// Adds the pieces of a row, which starts at this byte of the message. `None` if there are too many.
    fn add(&mut self, pushed: &mut Pushed, row: Row, message: usize) -> Option<()> {
        let mut done = 0;
        while done < row.len {
            let flat = row.flat.wrapping_add_signed(row.step.wrapping_mul(done.cast_signed()));
            let (message, left) = (message + done * self.packed, row.len - done);
            if !self.are_even {
                self.find(flat);
            }
            if let Some((part, count)) = self.blocks(row.step, left) {
                let size = part.size * Self::RUN;
                let apart = (part.place.block.cast_signed(), size.cast_signed());
                pushed.push(Piece { memory: part.memory, message, size, count, apart })?;
                done += count * Self::RUN;
                continue;
            }
            // Up to where the run ends, and of several parts as many as fit the cache.
            let reach = match row.step {
                _ if self.are_even => usize::MAX,
                1.. => (Self::RUN - flat % Self::RUN).div_ceil(row.step.unsigned_abs()),
                _ => 1,
            };
            let most = if self.parts.len() > 1 { (BLOCK / self.packed).max(1) } else { usize::MAX };
            let len = left.min(reach).min(most);
            for part in &self.parts {
                let memory = part.memory + (flat - self.flat) * part.place.stride;
                let message = message + part.message;
                let apart = (part.place.stride.cast_signed().wrapping_mul(row.step), self.packed.cast_signed());
                let is_one = len == 1 || apart == (part.size.cast_signed(), part.size.cast_signed());
                let (size, count) = if is_one { (part.size * len, 1) } else { (part.size, len) };
                pushed.push(Piece { memory, message, size, count, apart })?;
            }
            done += len;
        }
        Some(())
    }

    /// The only part, and how many whole blocks of it start here, each of which is one piece on both sides: two or more.
    fn blocks(&self, step: isize, left: usize) -> Option<(&Part, usize)> {
        let [part] = &self.parts[..] else { return None };
        let (size, count) = (self.packed, left / Self::RUN);
        let is_whole = !self.are_even && step == 1 && self.flat.is_multiple_of(Self::RUN);
        let is_one = (part.size, part.place.stride, part.place.group) == (size, size, 1);
        (is_whole && is_one && count > 1).then_some((part, count))
    }
}

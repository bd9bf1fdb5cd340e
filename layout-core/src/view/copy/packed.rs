//! Elements as plain bytes and back, row by row and nothing between: what messages have.
//!
//! ```text
//! records   each after the one before, as its leaves: where they lie one after another in memory, too
//! columns   all of the first leaf, then all of the second one, and so on
//! ```
//!
//! This is a copy to a view of such bytes, and takes less time before its first byte: a view of 64 elements takes longer to make, to check
//! and to look through than its elements take to copy.
//!
//! 1. Dimensions that are one walk are joined. Two are left of most boxes: neighbors along rows, and rows.
//! 2. Where neighbors lie side by side, a row of a leaf is a few loads and stores that overlap, or line after line. `memcpy` of so few
//!    bytes takes longer to begin than they take to copy.
//! 3. Blocks, records with gaps and single rows of elements that lie apart go by [`copy_from`](View::copy_from), where the compiler
//!    knows the sizes of all leaves.

use super::each::{Grid, LINE, Spaced, each, fetch};
use super::places::Side;
use crate::blob::{Address, Blobs, BlobsMut};
use crate::extents::{Extents, IndexArray};
use crate::leaf_table::LeafTable;
use crate::linearization::Linearization;
use crate::mapping::{LeafPlace, Mapping, RecordLayout, is_physical};
use crate::record::Record;
use crate::view::elements::{Elements, opaque};
use crate::view::{ArrayOf, View};

/// Runs of more bytes are copied by `memcpy`. That of glibc takes up to 30 times as long on Zen 3 to 5 for shorter ones whose target
/// starts up to a line after the source in their pages.
const LONG: usize = 64 << 10;
/// The compiler has no vector as long as a line, and `memcpy` may have one: that of glibc asks the processor.
const NARROW: bool = cfg!(all(target_arch = "x86_64", not(target_feature = "avx512f")));
/// Runs of more bytes than a line, and of no more than these, are then copied by `memcpy`: that of glibc takes vectors for them everywhere.
const SHORT: usize = 2 << 10;
/// Lines of the target are then fetched so many bytes ahead: stores of parts of a line that is in no cache wait for it, and fill the buffer
/// of stores four times as fast as whole lines do.
const AHEAD: usize = 1 << 10;
/// A line as the widest vector there is. The compiler takes two of 32 bytes for processors that have 64, with 0.7 to 0.95 of the speed.
#[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
type Line = core::arch::x86_64::__m512i;
/// A line, in as many vectors as the compiler takes.
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx512f")))]
type Line = [u8; LINE];
/// Bytes of as many lines at most are copied as two values, and the last ones of more. The target of more is aligned to lines: a store that
/// lies in two lines takes as long as two, so that 1 to 64 KiB took up to twice as long (Sapphire Rapids, messages that start 16 bytes after
/// a line).
const FOUR: usize = 4 * LINE;
/// Rows that lie nearer together than the neighbors of a row are copied in tiles by others, where there are more bytes than these.
const FEW: usize = 4 << 10;

/// Returns `true` if [`pack`] and [`unpack`] can copy elements of the record `R` in the layout `L`, by columns or record by record:
/// neighbors lie side by side, in columns or as whole records, and any bytes are values.
#[doc(hidden)]
#[must_use]
pub const fn is_packable<R: Record, L: RecordLayout<R>>(columns: bool) -> bool {
    let table = LeafTable::of::<R>();
    let packed = table.packed();
    let (mut packable, mut leaf) = (is_physical::<R, L>() && table.any_bits() && (columns || L::BLOBS == 1), 0);
    while leaf < table.count() {
        let place = LeafPlace::of(L::PLACES, leaf);
        // Blocks that lie as far apart as their lanes do are none.
        packable &= place.is_even(L::RUN);
        packable &= if columns {
            place.stride == table.leaf(leaf).size()
        } else {
            place.stride == packed && place.start == LeafPlace::of(L::PLACES, 0).start + table.packed_size(leaf)
        };
        leaf += 1;
    }
    packable
}

/// Writes all elements of a view to bytes, by columns or record by record, the last dimension fastest; `false`, and nothing is written,
/// where [`copy_from`](View::copy_from) to a view of the bytes takes less time, or the layout is not [packable](is_packable).
///
/// # Panics
///
/// Panics if these are not as many bytes as the leaves of the elements have.
#[doc(hidden)]
#[inline]
pub fn pack<M: Mapping, B: Blobs, const COLUMNS: bool>(view: &View<M, B>, bytes: &mut [u8]) -> bool {
    // SAFETY: the blobs of a view fit its mapping, and its leaves are initialized; it is borrowed, and the bytes are borrowed mutably.
    unsafe { copy::<M, _, COLUMNS, true>(&view.mapping, view.blobs.address(), bytes.as_mut_ptr(), bytes.len()) }
}

/// Sets all elements of a view to those of bytes that [`pack`] wrote, of a view of the same record and extents; `false`, and nothing is
/// written, as there.
///
/// # Panics
///
/// As [`pack`].
#[doc(hidden)]
#[inline]
pub fn unpack<M: Mapping, B: BlobsMut, const COLUMNS: bool>(view: &mut View<M, B>, bytes: &[u8]) -> bool {
    let address = view.blobs.address_mut();
    // SAFETY: as in `pack`, the other way round; the mapping of a view that can be written is unique. The bytes are only read.
    unsafe { copy::<M, _, COLUMNS, false>(&view.mapping, address, bytes.as_ptr().cast_mut(), bytes.len()) }
}

/// [`pack`] if `PACK`, and else [`unpack`].
///
/// # Safety
///
/// The address is that of a view of this mapping, whose memory is borrowed, mutably and with a unique mapping unless `PACK`. The message has
/// so many bytes; it can be written if `PACK`, and is initialized otherwise, and nothing else reaches it meanwhile or writes to it.
#[cfg_attr(not(unoptimized), inline(always))]
unsafe fn copy<M: Mapping, A: Address, const COLUMNS: bool, const PACK: bool>(
    mapping: &M,
    address: A,
    message: *mut u8,
    bytes: usize,
) -> bool {
    let leaves = const { LeafTable::of::<M::Record>().count() };
    let packed = const { LeafTable::of::<M::Record>().packed() };
    if const { !is_packable::<M::Record, M::Layout>(COLUMNS) || A::NOTES || !Elements::<M>::STRIDED } || packed == 0 {
        return false;
    }
    let side = Side::<M, A> { address, frame: mapping.frame(), slots: mapping.span() };
    // Leaves that are one part of a record in the table are one in memory, if nothing that is known now puts them elsewhere.
    let base = |leaf: usize| M::Layout::base(side.frame, leaf);
    if !COLUMNS && (1..leaves).any(|leaf| base(leaf) != base(0)) {
        return false;
    }
    let (extents, linearization) = (mapping.extents().array(), mapping.linearization());
    let start = linearization.position(extents, IndexArray::ZERO);
    let row = Row::last(mapping, ArrayOf::<M>::RANK);
    if row.before == 0 && row.len > 0 && (row.step == 1 || row.len == 1) {
        // One row of neighbors.
        let Row { len, .. } = row;
        expect_bytes(bytes, len, packed);
        let mut to_or_from = message;
        for leaf in 0..if COLUMNS { leaves } else { 1 } {
            // SAFETY: the conditions are the caller's; the record has that leaf, which is physical, and there are elements.
            let line = unsafe { side.line(leaf) };
            // Side by side, values or records lie as far apart as they are long.
            let (memory, size) =
                (line.first.wrapping_offset(line.stride.wrapping_mul(start.cast_signed())), line.stride);
            let column = len.wrapping_mul(size.unsigned_abs());
            let (to, from) = turned::<_, PACK>(memory, to_or_from);
            // SAFETY: these are the values of one leaf, or all leaves, of all elements, and as many bytes of the message, which has
            // one column after another.
            unsafe { run(to, from, column) };
            to_or_from = to_or_from.wrapping_add(column);
        }
        return true;
    }
    let volume = extents.product().unwrap_or(0);
    expect_bytes(bytes, volume, packed);
    // SAFETY: the conditions are the caller's; the message has the bytes of the elements.
    bytes == 0 || unsafe { planes::<M, A, COLUMNS, PACK>(mapping, address, message) }
}

/// Panics if these are not as many bytes as so many elements have.
#[cfg_attr(not(unoptimized), inline(always))]
#[track_caller]
fn expect_bytes(bytes: usize, elements: usize, packed: usize) {
    // By value: what a message borrows has to lie in memory, whether it is written or not.
    #[cold]
    #[track_caller]
    fn fail(bytes: usize, elements: usize, packed: usize) -> ! {
        panic!("{bytes} bytes for {elements} elements of {packed} bytes")
    }
    if elements.checked_mul(packed) != Some(bytes) {
        fail(bytes, elements, packed);
    }
}

/// As [`copy`], of one element or more that are not one row of neighbors.
///
/// A function of its own, since it takes registers from what is done for such a row. It finds out again what [`copy`] knows, which would
/// have to lie in memory for it.
///
/// # Safety
///
/// As [`copy`]; the message has as many bytes as the elements.
#[inline(never)]
unsafe fn planes<M: Mapping, A: Address, const COLUMNS: bool, const PACK: bool>(
    mapping: &M,
    address: A,
    message: *mut u8,
) -> bool {
    let side = Side::<M, A> { address, frame: mapping.frame(), slots: mapping.span() };
    let row = Row::last(mapping, ArrayOf::<M>::RANK);
    let table = LeafTable::of::<M::Record>();
    let packed = const { LeafTable::of::<M::Record>().packed() };
    let (extents, linearization) = (mapping.extents().array(), mapping.linearization());
    let volume = extents.product().unwrap_or(0);
    let rows = Row::last(mapping, row.before);
    let is_dense = row.step == 1 || row.len == 1;
    if !is_dense
        && (rows.len == 1
            || packed > LINE
            || rows.step.unsigned_abs() < row.step.unsigned_abs() && volume * packed > FEW)
    {
        return false;
    }
    let (mut index, mut done) = (ArrayOf::<M>::ZERO, 0);
    let mut plane = Plane { flat: linearization.position(extents, index), rows, row };
    loop {
        for leaf in 0..if COLUMNS { table.count() } else { 1 } {
            // SAFETY: the conditions are the caller's; the record has that leaf, which is physical, and there are elements.
            let line = unsafe { side.line(leaf) };
            let (column, size) = if COLUMNS { (table.packed_size(leaf), table.leaf(leaf).size()) } else { (0, packed) };
            let message = message.wrapping_add(column * volume + done * size);
            // SAFETY: neighbors always lie as far apart as the line says, in a layout that is packable. These are values of elements
            // of the view, and the bytes that the message has for them: a column of each leaf, or all leaves, plane after plane.
            unsafe { plane.copy::<PACK>(size, Spaced { first: line.first, stride: line.stride }, message) };
        }
        done += rows.len * row.len;
        let mut dim = rows.before;
        loop {
            let Some(last) = dim.checked_sub(1) else { return true };
            dim = last;
            index.as_mut()[dim] += 1;
            if index.as_ref()[dim] < extents.as_ref()[dim] {
                break;
            }
            index.as_mut()[dim] = 0;
        }
        plane.flat = linearization.position(extents, index);
    }
}

/// Some indices, one after another: how many, how far apart in positions, and how many dimensions come before theirs.
#[derive(Clone, Copy)]
struct Row {
    len: usize,
    step: isize,
    before: usize,
}

/// Rows beside each other, of elements of a view; the first one has position `flat`.
#[derive(Clone, Copy)]
struct Plane {
    flat: usize,
    rows: Row,
    row: Row,
}

impl Row {
    /// The last ones of so many dimensions that are one walk.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn last<M: Mapping>(mapping: &M, dimensions: usize) -> Self {
        let (extents, linearization) = (mapping.extents().array(), mapping.linearization());
        let mut row = Self { len: 1, step: 1, before: dimensions };
        while let Some(dim) = row.before.checked_sub(1) {
            let (extent, stride) = (extents.as_ref()[dim], linearization.stride(extents, dim));
            match (extent, row.len) {
                (1, _) => {}
                (_, 1) => (row.len, row.step) = (extent, stride),
                _ if stride == row.step.wrapping_mul(row.len.cast_signed()) => row.len = row.len.wrapping_mul(extent),
                _ => break,
            }
            row.before = dim;
        }
        row
    }
}

impl Plane {
    /// Copies values of `size` bytes from memory to a message if `PACK`, and else the other way. In memory they start at position 0
    /// and lie so far apart; in the message they start here and lie one after another.
    ///
    /// # Safety
    ///
    /// These are values of the elements of the plane. All can be read on one side, where they are initialized, and be written on the other;
    /// none overlaps another one.
    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn copy<const PACK: bool>(self, size: usize, memory: Spaced, message: *mut u8) {
        let Self { flat, rows, row } = self;
        let apart = |positions: isize| memory.stride.wrapping_mul(positions);
        let first = memory.first.wrapping_offset(apart(flat.cast_signed()));
        let (along, across) = (apart(row.step), apart(rows.step));
        let (value, bytes) = (size.cast_signed(), row.len.wrapping_mul(size));
        let spaced = |stride, bytes: isize| {
            turned::<_, PACK>(Spaced { first, stride }, Spaced { first: message, stride: bytes })
        };
        if along == value || row.len == 1 {
            // The values of a row lie side by side.
            let (to, from) = spaced(across, bytes.cast_signed());
            if bytes <= LINE {
                // SAFETY: the conditions are the caller's; a row is a value.
                return unsafe { each(bytes, to, from, Grid::row(rows.len)) };
            }
            for k in 0..rows.len {
                // SAFETY: as above.
                unsafe { run(to.at(k), from.at(k), bytes) };
            }
            return;
        }
        // Along the dimension of more indices.
        let mut grid = Grid { rows: rows.len, len: row.len, across: turned::<_, PACK>(across, bytes.cast_signed()) };
        let (mut to, mut from) = spaced(along, value);
        if grid.len < grid.rows {
            (grid.rows, grid.len) = (grid.len, grid.rows);
            grid.across = turned::<_, PACK>(along, value);
            (to, from) = spaced(across, bytes.cast_signed());
        }
        // SAFETY: as above.
        unsafe { each(size, to, from, grid) };
    }
}

/// The target first, and then the source.
#[cfg_attr(not(unoptimized), inline(always))]
fn turned<T, const PACK: bool>(memory: T, message: T) -> (T, T) {
    if PACK { (message, memory) } else { (memory, message) }
}

/// Copies some bytes.
///
/// # Safety
///
/// The source can be read and is initialized, the target can be written, and both do not overlap.
#[cfg_attr(not(unoptimized), inline(always))]
unsafe fn run(to: *mut u8, from: *const u8, len: usize) {
    if len > LONG || NARROW && len > LINE && len <= SHORT {
        // SAFETY: the conditions are the caller's.
        return unsafe { to.copy_from_nonoverlapping(from, len) };
    }
    if len > 2 * FOUR {
        let (last, beyond) = (len - FOUR, to.addr() % LINE);
        let mut at = 0;
        if beyond > 0 {
            // SAFETY: the conditions are the caller's, here and below.
            unsafe { one::<Line>(to, from, 0) };
            at = LINE - beyond;
        }
        while at < last {
            if NARROW {
                (0..4).for_each(|line| fetch(to.wrapping_add(at + AHEAD + line * LINE)));
            }
            // SAFETY: as above.
            unsafe { lines::<4>(to, from, at) };
            // The compiler would make one `memcpy` of the loop, where it knows that both sides do not overlap.
            at = opaque(at + FOUR);
        }
        // SAFETY: as above; these overlap the ones before, and end with the bytes.
        return unsafe { lines::<4>(to, from, last) };
    }
    if len > FOUR {
        // SAFETY: as above; two times four lines overlap, of which one starts and one ends with the bytes.
        unsafe { lines::<4>(to, from, 0) };
        // SAFETY: as above.
        return unsafe { lines::<4>(to, from, len - FOUR) };
    }
    if len > 2 * LINE {
        // SAFETY: as above; two pairs of lines overlap, of which one starts and one ends with the bytes.
        unsafe { lines::<2>(to, from, 0) };
        // SAFETY: as above.
        return unsafe { lines::<2>(to, from, len - 2 * LINE) };
    }
    // The longest first: they are what messages have most.
    if len > LINE {
        // SAFETY: as above, of two values. Here and below.
        return unsafe { two::<Line>(to, from, len) };
    }
    match len {
        // SAFETY: as above.
        32.. => unsafe { two::<[u8; 32]>(to, from, len) },
        // SAFETY: as above.
        16.. => unsafe { two::<[u8; 16]>(to, from, len) },
        // SAFETY: as above.
        8.. => unsafe { two::<u64>(to, from, len) },
        // SAFETY: as above.
        4.. => unsafe { two::<u32>(to, from, len) },
        // SAFETY: as above.
        2.. => unsafe { two::<u16>(to, from, len) },
        // SAFETY: as above.
        1 => unsafe { one::<u8>(to, from, 0) },
        0 => {}
    }
}

/// Copies the bytes of a value of type `T`, of which any are one, that starts after `at` bytes.
///
/// # Safety
///
/// As [`run`], for these bytes.
#[cfg_attr(not(unoptimized), inline(always))]
unsafe fn one<T: Copy>(to: *mut u8, from: *const u8, at: usize) {
    // SAFETY: the conditions are the caller's.
    let value = unsafe { from.wrapping_add(at).cast::<T>().read_unaligned() };
    // SAFETY: as above.
    unsafe { to.wrapping_add(at).cast::<T>().write_unaligned(value) };
}

/// Copies some lines that start after `at` bytes, one by one: the compiler copies an array of them by vectors of 32 bytes.
///
/// # Safety
///
/// As [`run`], for these bytes.
#[cfg_attr(not(unoptimized), inline(always))]
unsafe fn lines<const COUNT: usize>(to: *mut u8, from: *const u8, at: usize) {
    for line in 0..COUNT {
        // SAFETY: the conditions are the caller's.
        unsafe { one::<Line>(to, from, at + line * LINE) };
    }
}

/// Copies `len` bytes as two values of type `T`, of which any bytes are one: as many as it has, or up to twice as many.
///
/// # Safety
///
/// As [`run`].
#[cfg_attr(not(unoptimized), inline(always))]
unsafe fn two<T: Copy>(to: *mut u8, from: *const u8, len: usize) {
    let last = len - size_of::<T>();
    // SAFETY: the conditions are the caller's.
    unsafe { one::<T>(to, from, 0) };
    // SAFETY: as above.
    unsafe { one::<T>(to, from, last) };
}

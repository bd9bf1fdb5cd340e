//! Array of structs: the leaves of one element lie together.

use core::fmt;
use core::marker::PhantomData;

use layout_core::{Apart, LeafPlace, LeafTable, Physical, Record, RecordLayout, sized};

use crate::padding::{Aligned, Padding, bytes};
use crate::sealed::{OrderRule, Sealed};

/// Array of structs: one blob that holds one element after another.
///
/// ```text
/// offset of leaf i at position r  =  r * size + offset[i]
/// ```
///
/// `P` is [`Aligned`] or [`Packed`](crate::Packed). `O` orders the leaves of an element: [`InOrder`] keeps the
/// declaration order, [`MinPadding`] and [`DecreasingAlignment`] sort by alignment, and [`Native`] uses the offsets
/// that the compiler chose for the struct, as views of `&[T]` need.
///
/// # Examples
///
/// ```
/// use layout::{AoS, Packed};
/// use layout::{Mapped, Mapping, Place, extents};
///
/// // Three `u16` are 6 bytes an element; leaf 2 of element 1 starts at byte 6 + 4.
/// let mapping = Mapped::<[u16; 3], _, AoS>::new(extents!(dyn 5))?;
/// assert_eq!(mapping.place_of([1], 2), Place { blob: 0, offset: 10 });
/// assert_eq!(mapping.blob_size(0), 30);
/// # Ok::<(), layout::error::ExtentsError>(())
/// ```
pub struct AoS<P = Aligned, O = InOrder>(PhantomData<(P, O)>);

/// The order in which the leaves of an element lie.
///
/// [`InOrder`], [`MinPadding`], [`DecreasingAlignment`] and [`Native`] implement it.
///
/// # Examples
///
/// ```
/// use layout::options::DecreasingAlignment;
/// use layout::{Aligned, AoS, Record};
///
/// #[derive(Clone, Copy, Record)]
/// struct Event { kind: u8, time: u64, channel: u8 }
///
/// assert_eq!(AoS::<Aligned>::element_size::<Event>(), 24);
/// assert_eq!(AoS::<Aligned, DecreasingAlignment>::element_size::<Event>(), 16);
/// ```
pub trait FieldOrder: Sealed + Default {
    #[doc(hidden)]
    const RULE: OrderRule;
}

/// Leaves in declaration order.
///
/// # Examples
///
/// ```
/// use layout::{AoS, Mapped, Mapping, Record, extents};
///
/// #[derive(Clone, Copy, Record)]
/// struct Event { kind: u8, time: u64, channel: u8 }
///
/// let mapping = Mapped::<Event, _, AoS>::new(extents!(dyn 5))?;
/// assert_eq!([0, 1, 2].map(|leaf| mapping.place_of([0], leaf).offset), [0, 8, 16]);
/// # Ok::<(), layout::error::ExtentsError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InOrder;

/// Leaves sorted by increasing alignment; equal alignments keep the declaration order. The total padding is at most
/// what the largest alignment needs.
///
/// # Examples
///
/// ```
/// use layout::options::MinPadding;
/// use layout::{Aligned, AoS, Mapped, Mapping, Record, extents};
///
/// #[derive(Clone, Copy, Record)]
/// struct Event { kind: u8, time: u64, channel: u8 }
///
/// // kind at 0, channel at 1, time at 8.
/// let mapping = Mapped::<Event, _, AoS<Aligned, MinPadding>>::new(extents!(dyn 5))?;
/// assert_eq!([0, 1, 2].map(|leaf| mapping.place_of([0], leaf).offset), [0, 8, 1]);
/// # Ok::<(), layout::error::ExtentsError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MinPadding;

/// Leaves sorted by decreasing alignment; equal alignments keep the declaration order. There is padding at the end only.
///
/// # Examples
///
/// ```
/// use layout::options::DecreasingAlignment;
/// use layout::{Aligned, AoS, Mapped, Mapping, Record, extents};
///
/// #[derive(Clone, Copy, Record)]
/// struct Event { kind: u8, time: u64, channel: u8 }
///
/// // time at 0, kind at 8, channel at 9.
/// let mapping = Mapped::<Event, _, AoS<Aligned, DecreasingAlignment>>::new(extents!(dyn 5))?;
/// assert_eq!([0, 1, 2].map(|leaf| mapping.place_of([0], leaf).offset), [8, 0, 9]);
/// # Ok::<(), layout::error::ExtentsError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DecreasingAlignment;

/// Leaves at the offsets that the compiler chose for the struct: a `[T]` in memory has this layout.
///
/// # Examples
///
/// ```
/// use layout::{Aligned, AoS, Native, Record};
///
/// #[derive(Clone, Copy, Record)]
/// struct Event { kind: u8, time: u64, channel: u8 }
///
/// assert_eq!(AoS::<Aligned, Native>::element_size::<Event>(), size_of::<Event>());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Native;

options!(FieldOrder::RULE: OrderRule;
    InOrder = OrderRule::InOrder, MinPadding = OrderRule::Increasing, DecreasingAlignment = OrderRule::Decreasing, Native = OrderRule::Native);

/// The places of the leaves in an element, and the element's size so far.
struct Laid<const N: usize> {
    places: [LeafPlace; N],
    size: usize,
}

/// The places of all leaves; elements are contiguous.
const fn places<const N: usize>(
    table: &LeafTable,
    native_size: usize,
    aligned: bool,
    rule: OrderRule,
) -> [LeafPlace; N] {
    let mut laid = Laid { places: [LeafPlace::NOWHERE; N], size: 0 };
    match rule {
        OrderRule::Native => {
            // `check` refuses a record that is not a struct.
            let mut leaf = if table.is_struct() { 0 } else { table.count() };
            while leaf < table.count() {
                laid.places[leaf].start = table.native_offset(leaf);
                leaf += 1;
            }
            laid.size = native_size;
        }
        OrderRule::InOrder => laid.push_all(table, aligned, None),
        // One pass for each alignment keeps leaves of equal alignment in declaration order.
        OrderRule::Increasing => {
            let mut align = 1;
            while align <= table.max_align() {
                laid.push_all(table, aligned, Some(align));
                align *= 2;
            }
        }
        OrderRule::Decreasing => {
            let mut align = table.max_align();
            while align > 0 {
                laid.push_all(table, aligned, Some(align));
                align /= 2;
            }
        }
    }
    if aligned && !matches!(rule, OrderRule::Native) {
        laid.size = laid.size.next_multiple_of(table.max_align());
    }
    let mut leaf = 0;
    while leaf < N {
        laid.places[leaf].stride = laid.size;
        leaf += 1;
    }
    laid.places
}

impl<const N: usize> Laid<N> {
    /// Appends the leaves of alignment `only`, or all leaves, in declaration order.
    const fn push_all(&mut self, table: &LeafTable, aligned: bool, only: Option<usize>) {
        let mut i = 0;
        while i < table.count() {
            let leaf = table.leaf(i);
            let chosen = match only {
                Some(align) => leaf.align() == align,
                None => true,
            };
            if chosen {
                if aligned {
                    self.size = self.size.next_multiple_of(leaf.align());
                }
                self.places[i].start = self.size;
                self.size += leaf.size();
            }
            i += 1;
        }
    }
}

impl<P: Padding, O: FieldOrder> AoS<P, O> {
    /// The size of an element in bytes, which is also the distance between elements.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(layout::AoS::<layout::Packed>::element_size::<[u16; 3]>(), 6);
    /// ```
    #[must_use]
    pub const fn element_size<R: Record>() -> usize {
        <Self as RecordLayout<R>>::PLACES[0].stride
    }

    /// The number of bytes that `slots` positions take in one allocation.
    ///
    /// # Panics
    ///
    /// Panics if the number overflows `usize`; in a constant this is a compile error.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::{AoS, Packed};
    ///
    /// assert_eq!(AoS::<Packed>::region_bytes::<[u16; 3]>(10), 60);
    /// ```
    #[must_use]
    pub const fn region_bytes<R: Record>(slots: usize) -> usize {
        bytes(slots.checked_mul(Self::element_size::<R>()))
    }
}

// SAFETY: an element's leaves lie one after another without overlap, within `size`, at multiples of their
// alignment if `P` says so or where the compiler put them (`Native`, whose offsets are those of the struct
// itself); elements lie `size` apart, and `size` is then a multiple of every alignment.
unsafe impl<R: Record, P: Padding, O: FieldOrder> RecordLayout<R> for AoS<P, O> {
    type Frame = ();
    type Position = usize;
    type Codec = Physical;
    type Sharing = Apart;
    const BLOBS: usize = 1;
    const PLACES: &'static [LeafPlace] = sized!(LeafTable::of::<R>().count(), N => places::<N>(LeafTable::of::<R>(), size_of::<R>(), P::ALIGNED, O::RULE));
    const ALIGNED: bool = match O::RULE {
        // In a `repr(packed)` struct, the compiler places fields without alignment.
        OrderRule::Native => native_is_aligned::<R>(),
        _ => P::ALIGNED,
    };
    const MOST: [usize; 2] = [Self::element_size::<R>(), 0];

    const CHECKED: () = assert!(
        LeafTable::of::<R>().is_struct() || !matches!(O::RULE, OrderRule::Native),
        "`Native` is for whole structs: in a part of a `Split`, use `InOrder`"
    );

    #[inline(always)]
    fn frame(self, _: usize) {}

    #[inline(always)]
    fn blob_size(self, slots: usize, _: usize) -> usize {
        slots * const { Self::element_size::<R>() }
    }
}

/// Returns `true` if the compiler places every leaf of `R` at a multiple of its alignment, wherever it places an `R`.
const fn native_is_aligned<R: Record>() -> bool {
    let table = LeafTable::of::<R>();
    // `check` refuses a record that is not a struct.
    let mut leaf = if table.is_struct() { 0 } else { table.count() };
    while leaf < table.count() {
        let align = table.leaf(leaf).align();
        let is_aligned = table.native_offset(leaf).is_multiple_of(align) && size_of::<R>().is_multiple_of(align);
        // A field may be stored as a type that is more aligned than the struct.
        if !is_aligned || align_of::<R>() < align {
            return false;
        }
        leaf += 1;
    }
    true
}

stateless!([P, O] AoS<P, O>);

impl<P: Padding, O: FieldOrder> fmt::Debug for AoS<P, O> {
    /// Writes the type as in source code, without default parameters.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (P::ALIGNED, O::RULE) {
            (true, OrderRule::InOrder) => f.write_str("AoS"),
            (false, OrderRule::InOrder) => write!(f, "AoS<{:?}>", P::default()),
            _ => write!(f, "AoS<{:?}, {:?}>", P::default(), O::default()),
        }
    }
}

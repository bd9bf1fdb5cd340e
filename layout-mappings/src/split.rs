//! Split: some leaves in one layout, and the rest in another.

use core::fmt;
use core::marker::PhantomData;

use layout_core::{
    Address, BitRange, Codec, Element, Invariant, LayoutError, Leaf, LeafEntry, LeafPlace, LeafSet, LeafTable,
    Position, REGION_ALIGN, Record, RecordLayout, RegionAddress, Selection, Sharing, Stored, StoredLeaves, ValueError,
    check_value, sized,
};

use crate::sealed::Sealed;

/// Stores the leaves that `S` selects in the layout `A`, and the rest in the layout `B`.
///
/// `S` is a path to a leaf or a branch, by [`path!`](layout_core::path!), or a tuple of paths. Splits nest; a selection
/// is always a selection of the whole record. Each part may have any layout, also one that computes its leaves.
///
/// ```text
/// Split<S, A, B, SeparateBlobs>   the blobs of A, then those of B
/// Split<S, A, B, FusedBlobs>      one blob: the region of A, rounded up to 64 bytes or to the alignment that B
///                                 needs, if that is more; then the region of B
/// ```
///
/// # Examples
///
/// ```
/// use layout::composed::Split;
/// use layout::path;
/// use layout::prelude::*;
///
/// #[derive(Clone, Copy, Debug, PartialEq, Record)]
/// struct Particle { pos: [f32; 3], vel: [f32; 3], mass: f32 }
///
/// // Positions and the mass, which the force loop reads, in arrays of their own; velocities as structs.
/// type Hot = (path!(Particle, pos), path!(Particle, mass));
/// type Layout = Split<Hot, SoA, AoS>;
///
/// let mapping = Mapped::<Particle, _, Layout>::new(extents!(dyn 10))?;
/// assert_eq!(mapping.place_of([5], 6), Place { blob: 3, offset: 5 * 4 }); // mass: the fourth selected leaf
/// assert_eq!(mapping.place_of([5], 4), Place { blob: 4, offset: 5 * 12 + 4 }); // vel[1]
///
/// let mut particles = alloc::<Particle, Layout, _>(10)?;
/// particles.at_mut(5).vel.store([1.0, 2.0, 3.0]);
/// assert_eq!(particles.load(5).vel, [1.0, 2.0, 3.0]);
/// # Ok::<(), ViewError>(())
/// ```
pub struct Split<S, A, B, P = SeparateBlobs> {
    first: A,
    second: B,
    selection: Invariant<(S, P)>,
}

/// The blobs of both parts of a [`Split`] stay separate: those of the first part, then those of the second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeparateBlobs;

/// Both parts of a [`Split`] share one blob; the second part is aligned to 64 bytes or more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FusedBlobs;

/// The arrangement of the blobs of the two parts of a [`Split`]. [`SeparateBlobs`] and [`FusedBlobs`] implement it.
pub trait SplitBlobs: Sealed + Default {
    #[doc(hidden)]
    const FUSED: bool;
}

options!(SplitBlobs::FUSED: bool; SeparateBlobs = false, FusedBlobs = true);

impl<S, A, B, P> Split<S, A, B, P> {
    /// Makes a split from these layouts.
    pub const fn new(first: A, second: B) -> Self {
        Self { first, second, selection: PhantomData }
    }
}

/// The leaves of `R` that `S` selects if `CHOSEN`; otherwise all other leaves.
pub struct PartOf<R, S, const CHOSEN: bool>(Invariant<(R, S)>);

impl<R: Record, S: Selection<R::Origin>, const CHOSEN: bool> PartOf<R, S, CHOSEN> {
    /// The number of leaves in this part.
    const COUNT: usize = {
        let (mut count, mut leaf) = (0, 0);
        while leaf < LeafTable::of::<R>().count() {
            count += Self::has(leaf) as usize;
            leaf += 1;
        }
        count
    };

    /// Returns `true` if leaf `leaf` of the record is in this part. It is defined for every number, since constants of
    /// code that never runs need it.
    const fn has(leaf: usize) -> bool {
        leaf < Self::NUMBERS.len() && Self::NUMBERS[leaf] != u16::MAX
    }

    /// For each leaf of the record, its number in this part, or `u16::MAX` if it is in the other part; entries beyond
    /// the leaves are `u16::MAX` too.
    const NUMBERS: &'static [u16] = sized!(LeafTable::of::<R>().count(), N => Self::numbers::<N>());

    /// Numbers the leaves of this part, among the `N` entries of the record.
    const fn numbers<const N: usize>() -> [u16; N] {
        let (all, selected) = (LeafTable::of::<R>(), S::LEAVES);
        let (mut numbers, mut leaf, mut number) = ([u16::MAX; N], 0, 0);
        while leaf < all.count() {
            if selected.contains(all.origin(leaf)) == CHOSEN {
                numbers[leaf] = number;
                number += 1;
            }
            leaf += 1;
        }
        numbers
    }

    /// Lists the leaves of this part, at most `N`.
    const fn table<const N: usize>() -> LeafTable<[LeafEntry; N]> {
        let (all, mut table, mut leaf) = (LeafTable::of::<R>(), LeafTable::<[LeafEntry; N]>::EMPTY, 0);
        while leaf < all.count() {
            if Self::has(leaf) {
                table.append(all.leaf(leaf), all.origin(leaf));
            }
            leaf += 1;
        }
        table
    }
}

impl<R: Record, S: Selection<R::Origin>, const CHOSEN: bool> StoredLeaves for PartOf<R, S, CHOSEN> {
    type Of = R;
    const TABLE: &'static LeafTable = sized!(Self::COUNT, N => Self::table::<N>());
}

/// The selected leaves.
type Chosen<R, S> = PartOf<R, S, true>;
/// All other leaves.
type Rest<R, S> = PartOf<R, S, false>;
/// The record of the selected leaves.
type First<R, S> = Stored<Chosen<R, S>>;
/// The record of all other leaves.
type Second<R, S> = Stored<Rest<R, S>>;

/// The frames of both parts, and the start of the second part in one allocation.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Frames<A, B> {
    first: A,
    second: B,
    start: usize,
}

/// The alignment of the start of the second part in one allocation, if the part needs the alignment `align`.
const fn start_align(align: usize) -> usize {
    if align > REGION_ALIGN { align } else { REGION_ALIGN }
}

/// The run of two layouts together: the greatest common divisor of their runs, where `usize::MAX` is a multiple of every number.
const fn common_run(a: usize, b: usize) -> usize {
    if a == usize::MAX {
        return b;
    }
    let (mut a, mut b) = if b == usize::MAX { (a, 0) } else { (a, b) };
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The part that contains a leaf, and the leaf's number in that part.
enum Part {
    First(usize),
    Second(usize),
}

impl Part {
    #[inline(always)]
    const fn of<R: Record, S: Selection<R::Origin>>(leaf: usize) -> Self {
        if Chosen::<R, S>::has(leaf) {
            Self::First(Chosen::<R, S>::NUMBERS[leaf] as usize)
        } else {
            Self::Second(Rest::<R, S>::NUMBERS[leaf] as usize)
        }
    }
}

/// The places of the leaves of both parts; computed leaves have none.
const fn places<const N: usize, R, S, A, B, P>() -> [LeafPlace; N]
where
    R: Record,
    S: Selection<R::Origin>,
    A: RecordLayout<First<R, S>>,
    B: RecordLayout<Second<R, S>>,
    P: SplitBlobs,
{
    let (mut places, mut leaf) = ([LeafPlace::NOWHERE; N], 0);
    while leaf < LeafTable::of::<R>().count() {
        places[leaf] = match Part::of::<R, S>(leaf) {
            Part::First(number) => LeafPlace::of(A::PLACES, number).in_blocks(A::RUN, common_run(A::RUN, B::RUN)),
            Part::Second(number) => {
                let place = LeafPlace::of(B::PLACES, number).in_blocks(B::RUN, common_run(A::RUN, B::RUN));
                LeafPlace { blob: A::BLOBS + place.blob, ..place }
            }
        };
        if P::FUSED {
            places[leaf].blob = 0;
        }
        leaf += 1;
    }
    places
}

// SAFETY: each leaf is in one part, whose layout promises the same for it. The blobs of the second part come after those
// of the first, in one allocation at the next multiple of 64 or of the second's alignment; so its region is aligned if the
// whole is, and no byte of one part is one of the other. Fused, the one blob is that allocation. A run of both is one of
// each.
unsafe impl<R, S, A, B, P> RecordLayout<R> for Split<S, A, B, P>
where
    R: Record,
    S: Selection<R::Origin>,
    A: RecordLayout<First<R, S>>,
    B: RecordLayout<Second<R, S>>,
    P: SplitBlobs,
{
    type Frame = Frames<A::Frame, B::Frame>;
    type Position = <A::Position as Position>::With<B::Position>;
    type Codec = Self;
    type Sharing = <A::Sharing as Sharing>::And<B::Sharing>;
    const BLOBS: usize = if P::FUSED { 1 } else { A::BLOBS + B::BLOBS };
    const RUN: usize = common_run(A::RUN, B::RUN);
    const PLACES: &'static [LeafPlace] = sized!(LeafTable::of::<R>().count(), N => places::<N, R, S, A, B, P>());
    const ALIGNED: bool = A::ALIGNED && B::ALIGNED;
    const ALIGN: usize = if A::ALIGN > B::ALIGN { A::ALIGN } else { B::ALIGN };
    const UNIQUE: bool = A::UNIQUE && B::UNIQUE;
    const MOST: [usize; 2] = [
        A::MOST[0].saturating_add(B::MOST[0]),
        A::MOST[1].saturating_add(B::MOST[1]).saturating_add(start_align(B::ALIGN)),
    ];

    const CHECKED: () = {
        let () = A::CHECKED;
        B::CHECKED
    };

    fn check(self) -> Result<(), LayoutError> {
        self.first.check()?;
        self.second.check()
    }

    #[inline(always)]
    fn frame(self, slots: usize) -> Self::Frame {
        let start = self.first.region_size(slots).next_multiple_of(const { start_align(B::ALIGN) });
        Frames { first: self.first.frame(slots), second: self.second.frame(slots), start }
    }

    #[inline(always)]
    fn blob_size(self, slots: usize, blob: usize) -> usize {
        if P::FUSED {
            RecordLayout::<R>::region_size(self, slots)
        } else if blob < A::BLOBS {
            self.first.blob_size(slots, blob)
        } else {
            self.second.blob_size(slots, blob - A::BLOBS)
        }
    }

    #[inline(always)]
    fn region_size(self, slots: usize) -> usize {
        RecordLayout::<R>::frame(self, slots).start + self.second.region_size(slots)
    }

    #[inline(always)]
    fn blob_start(frame: Self::Frame, blob: usize) -> usize {
        if P::FUSED {
            0
        } else if blob < A::BLOBS {
            A::blob_start(frame.first, blob)
        } else {
            frame.start.wrapping_add(B::blob_start(frame.second, blob - A::BLOBS))
        }
    }

    #[inline(always)]
    fn base(frame: Self::Frame, leaf: usize) -> usize {
        match Part::of::<R, S>(leaf) {
            Part::First(leaf) => {
                let before = if P::FUSED { A::blob_start(frame.first, LeafPlace::of(A::PLACES, leaf).blob) } else { 0 };
                before.wrapping_add(A::base(frame.first, leaf))
            }
            Part::Second(leaf) => {
                let before = if P::FUSED {
                    frame.start.wrapping_add(B::blob_start(frame.second, LeafPlace::of(B::PLACES, leaf).blob))
                } else {
                    0
                };
                before.wrapping_add(B::base(frame.second, leaf))
            }
        }
    }
}

/// Runs `$do` for the part that contains the leaf, with the element in the layout of that part, and the number of the leaf there.
macro_rules! in_part {
    ($element:ident, $leaf:ident: |$part:ident, $number:ident| $do:expr) => {{
        let Element { address, frame, position } = $element;
        match Part::of::<R, S>($leaf) {
            Part::First($number) => {
                let position = position.in_part(const { common_run(A::RUN, B::RUN) }, A::RUN);
                if P::FUSED {
                    // SAFETY: there is one blob, which starts at 0 in one allocation.
                    let address = RegionAddress::new(unsafe { address.blob(0, 0) });
                    let $part = Element::<First<R, S>, A, _>::new(address, frame.first, position);
                    $do
                } else {
                    let $part = Element::<First<R, S>, A, _>::new(address, frame.first, position);
                    $do
                }
            }
            Part::Second($number) => {
                let position = position.in_part(const { common_run(A::RUN, B::RUN) }, B::RUN);
                if P::FUSED {
                    // SAFETY: the blob has the region of the second part there.
                    let address = RegionAddress::new(unsafe { address.blob(0, 0) }.wrapping_add(frame.start));
                    let $part = Element::<Second<R, S>, B, _>::new(address, frame.second, position);
                    $do
                } else {
                    // SAFETY: the blobs of the second part come after those of the first, in one allocation at `start`.
                    let address = unsafe { address.skip(A::BLOBS, frame.start) };
                    let $part = Element::<Second<R, S>, B, _>::new(address, frame.second, position);
                    $do
                }
            }
        }
    }};
}

/// The leaves of the record that a set of leaves of either part has.
const fn joined<R: Record, S: Selection<R::Origin>>(first: &LeafSet, second: &LeafSet) -> LeafSet {
    let (mut set, mut leaf) = (LeafSet::EMPTY, 0);
    while leaf < LeafTable::of::<R>().count() {
        if match Part::of::<R, S>(leaf) {
            Part::First(number) => first.contains(number),
            Part::Second(number) => second.contains(number),
        } {
            set = set.with(leaf, 1);
        }
        leaf += 1;
    }
    set
}

// SAFETY: each leaf is read and written by the layout of its part.
unsafe impl<R, S, A, B, P> Codec<R, Self> for Split<S, A, B, P>
where
    R: Record,
    S: Selection<R::Origin>,
    A: RecordLayout<First<R, S>>,
    B: RecordLayout<Second<R, S>>,
    P: SplitBlobs,
{
    const COMPUTED: &'static LeafSet =
        &joined::<R, S>(<A::Codec as Codec<First<R, S>, A>>::COMPUTED, <B::Codec as Codec<Second<R, S>, B>>::COMPUTED);
    const KEEPS_BITS: bool =
        <A::Codec as Codec<First<R, S>, A>>::KEEPS_BITS && <B::Codec as Codec<Second<R, S>, B>>::KEEPS_BITS;
    const REFUSES: &'static LeafSet =
        &joined::<R, S>(<A::Codec as Codec<First<R, S>, A>>::REFUSES, <B::Codec as Codec<Second<R, S>, B>>::REFUSES);

    // SAFETY (of what follows): the conditions are the caller's; the leaf is in that part, of the same type, and a run of
    // the whole lies in one of the part.

    #[inline]
    unsafe fn read<T: Leaf, M: Address>(element: Element<R, Self, M>, leaf: usize) -> T {
        // SAFETY: as said above.
        in_part!(element, leaf: |part, number| unsafe { part.read(number) })
    }

    #[inline]
    unsafe fn write<T: Leaf, M: Address>(element: Element<R, Self, M>, leaf: usize, value: T) {
        // SAFETY: as said above.
        in_part!(element, leaf: |part, number| unsafe { part.write(number, value) });
    }

    #[inline]
    unsafe fn read_lanes<T: Leaf, M: Address, const W: usize>(element: Element<R, Self, M>, leaf: usize) -> [T; W] {
        // SAFETY: as said above.
        in_part!(element, leaf: |part, number| unsafe { part.read_lanes(number) })
    }

    #[inline]
    unsafe fn write_lanes<T: Leaf, M: Address, const W: usize>(
        element: Element<R, Self, M>,
        leaf: usize,
        values: [T; W],
    ) {
        // SAFETY: as said above.
        in_part!(element, leaf: |part, number| unsafe { part.write_lanes(number, values) });
    }

    unsafe fn is_valid<M: Address>(element: Element<R, Self, M>, leaf: usize) -> bool {
        // SAFETY: as said above.
        in_part!(element, leaf: |part, number| unsafe { part.is_valid(number) })
    }

    fn bits_of(
        frame: <Self as RecordLayout<R>>::Frame,
        position: <Self as RecordLayout<R>>::Position,
        leaf: usize,
        each: &mut dyn FnMut(BitRange),
    ) {
        let run = common_run(A::RUN, B::RUN);
        match Part::of::<R, S>(leaf) {
            Part::First(leaf) => A::Codec::bits_of(frame.first, position.in_part(run, A::RUN), leaf, &mut |bits| {
                let before = if P::FUSED { A::blob_start(frame.first, bits.blob) } else { 0 };
                let blob = if P::FUSED { 0 } else { bits.blob };
                each(BitRange { blob, start: before.saturating_mul(8).saturating_add(bits.start), ..bits });
            }),
            Part::Second(leaf) => B::Codec::bits_of(frame.second, position.in_part(run, B::RUN), leaf, &mut |bits| {
                let before = if P::FUSED { frame.start + B::blob_start(frame.second, bits.blob) } else { 0 };
                let blob = if P::FUSED { 0 } else { A::BLOBS + bits.blob };
                each(BitRange { blob, start: before.saturating_mul(8).saturating_add(bits.start), ..bits });
            }),
        }
    }

    fn check_value<T: Leaf>(frame: <Self as RecordLayout<R>>::Frame, leaf: usize, value: T) -> Result<(), ValueError> {
        match Part::of::<R, S>(leaf) {
            Part::First(leaf) => check_value::<First<R, S>, A, T>(frame.first, leaf, value),
            Part::Second(leaf) => check_value::<Second<R, S>, B, T>(frame.second, leaf, value),
        }
    }
}

of_parts!([S, A, B, P] Split<S, A, B, P> { first: A, second: B; selection });

impl<S, A: fmt::Debug, B: fmt::Debug, P: fmt::Debug + Default> fmt::Debug for Split<S, A, B, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Split<_, {:?}, {:?}, {:?}>", self.first, self.second, P::default())
    }
}

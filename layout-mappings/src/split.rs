//! Split: some leaves in one layout, the rest in another.

use core::fmt;
use core::marker::PhantomData;

use layout_core::{
    Address, Along, BitRange, LayoutError, Leaf, LeafEntry, LeafSet, LeafTable, Path, Place, REGION_ALIGN, Record,
    RecordLayout, RegionAddress, Selection, Sharing, Stored, StoredAt, StoredLeaves, ValueError, sized,
};

use crate::padding::{checked_round_up, round_up};

/// The leaves that `S` selects in the layout `A`, the rest in the layout `B`.
///
/// `S` is a path, by [`path!`](layout_core::path!), or a tuple of paths: leaves and branches. Splits nest: a selection
/// is always one of the whole record. Each part may be any layout, also one that computes its leaves.
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
/// use layout::prelude::*;
/// use layout::{Split, path};
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
    selection: PhantomData<fn() -> (S, P)>,
}

/// The blobs of both parts of a [`Split`], one after another.
#[derive(Clone, Copy, Debug, Default)]
pub struct SeparateBlobs;

/// One blob for both parts of a [`Split`], the second aligned to 64 bytes or more.
#[derive(Clone, Copy, Debug, Default)]
pub struct FusedBlobs;

/// What becomes of the blobs of the parts of a [`Split`]. Implemented by [`SeparateBlobs`] and [`FusedBlobs`].
pub trait SplitBlobs: Copy + fmt::Debug + Default + sealed::Sealed + 'static {
    #[doc(hidden)]
    const FUSED: bool;
}

impl SplitBlobs for SeparateBlobs {
    const FUSED: bool = false;
}

impl SplitBlobs for FusedBlobs {
    const FUSED: bool = true;
}

mod sealed {
    #[expect(unnameable_types, reason = "seals `SplitBlobs`: its implementors are listed here")]
    pub trait Sealed {}
    impl Sealed for super::SeparateBlobs {}
    impl Sealed for super::FusedBlobs {}
}

impl<S, A, B, P> Split<S, A, B, P> {
    /// The split of these layouts.
    pub const fn new(first: A, second: B) -> Self {
        Self { first, second, selection: PhantomData }
    }
}

/// The leaves of `R` that `S` selects, for `CHOSEN`; else the others.
pub struct PartOf<R, S, const CHOSEN: bool>(PhantomData<fn() -> (R, S)>);

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

    /// Whether leaf `leaf` of the record is in this part; total, as constants for code that never runs need it.
    const fn has(leaf: usize) -> bool {
        leaf < Self::NUMBERS.len() && Self::NUMBERS[leaf] != u16::MAX
    }

    /// Numbers the leaves of this part, among `N` of the record.
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

// SAFETY: the table has the leaves of this part in their order, and each of those the number of those before it.
unsafe impl<R: Record, S: Selection<R::Origin>, const CHOSEN: bool> StoredLeaves for PartOf<R, S, CHOSEN> {
    type Of = R;
    const TABLE: &'static LeafTable = sized!(Self::COUNT, N => Self::table::<N>());
    const NUMBERS: &'static [u16] = sized!(LeafTable::of::<R>().count(), N => Self::numbers::<N>());
}

/// The selected leaves.
type Chosen<R, S> = PartOf<R, S, true>;
/// The others.
type Rest<R, S> = PartOf<R, S, false>;
/// The place of leaf `P` among the selected ones.
type InChosen<P, S> = StoredAt<Chosen<<P as Path>::Root, S>, P, <P as Path>::Type>;
/// The place of leaf `P` among the others.
type InRest<P, S> = StoredAt<Rest<<P as Path>::Root, S>, P, <P as Path>::Type>;

/// The frames of both parts, and where the second starts in one allocation.
#[doc(hidden)]
#[expect(unnameable_types, reason = "frames are passed on and never named")]
#[derive(Clone, Copy, Debug)]
pub struct Frames<A, B> {
    first: A,
    second: B,
    start: usize,
}

/// Where the second part starts in one allocation: at a multiple of this, if it needs the alignment `align`.
const fn start_align(align: usize) -> usize {
    if align > REGION_ALIGN { align } else { REGION_ALIGN }
}

/// The run of two layouts together: the greatest common divisor, where `usize::MAX` is a multiple of everything.
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

/// Whether leaf `P` is among the selected ones.
struct Goes<P, S>(PhantomData<(P, S)>);

impl<P: Path, S: Selection<<P::Root as Record>::Origin>> Goes<P, S> {
    const FIRST: bool = Chosen::<P::Root, S>::has(P::LEAF);
}

/// Whether a leaf is in the first part, and its number in its own.
struct Part;

impl Part {
    #[inline(always)]
    fn of<R: Record, S: Selection<R::Origin>>(leaf: usize) -> (bool, usize) {
        if Chosen::<R, S>::has(leaf) {
            (true, usize::from(Chosen::<R, S>::NUMBERS[leaf]))
        } else {
            (false, usize::from(Rest::<R, S>::NUMBERS[leaf]))
        }
    }
}

/// Does one of two things, each with the address of the blobs of its part.
macro_rules! in_part {
    ($address:ident, $frame:ident: if ($first:expr) |$part:ident| $do_first:expr; else $do_second:expr) => {
        if P::FUSED {
            // SAFETY: there is one blob, which starts at 0 in one allocation.
            let blob = RegionAddress::new(unsafe { $address.blob(0, 0) });
            if $first {
                let $part = blob;
                $do_first
            } else {
                // SAFETY: the blob has the region of the second part there.
                let $part = unsafe { blob.skip(0, $frame.start) };
                $do_second
            }
        } else if $first {
            let $part = $address;
            $do_first
        } else {
            // SAFETY: the blobs of the second part come after those of the first, in one allocation at `start`.
            let $part = unsafe { $address.skip(A::BLOBS, $frame.start) };
            $do_second
        }
    };
}

// SAFETY: each leaf is in one part, whose layout promises the same for it. The blobs of the second part come after those
// of the first, in one allocation at the next multiple of 64 or of the second's alignment; so its region is aligned if the
// whole is, and no byte of one part is one of the other. Fused, the one blob is that allocation, in both
// forms. A run of both is one of each.
unsafe impl<R, S, A, B, P> RecordLayout<R> for Split<S, A, B, P>
where
    R: Record,
    S: Selection<R::Origin>,
    A: RecordLayout<Stored<PartOf<R, S, true>>>,
    B: RecordLayout<Stored<PartOf<R, S, false>>>,
    P: SplitBlobs,
{
    type Frame = Frames<A::Frame, B::Frame>;
    type Position = (A::Position, B::Position);
    const BLOBS: usize = if P::FUSED { 1 } else { A::BLOBS + B::BLOBS };
    const RUN: usize = common_run(A::RUN, B::RUN);
    const ALIGNED: bool = A::ALIGNED && B::ALIGNED;
    const ALIGN: usize = if A::ALIGN > B::ALIGN { A::ALIGN } else { B::ALIGN };
    const UNIQUE: bool = A::UNIQUE && B::UNIQUE;
    const COMPUTED: &'static LeafSet = &{
        let (mut set, mut leaf) = (LeafSet::EMPTY, 0);
        while leaf < LeafTable::of::<R>().count() {
            let computed = if Chosen::<R, S>::has(leaf) {
                A::COMPUTED.contains(Chosen::<R, S>::NUMBERS[leaf] as usize)
            } else {
                B::COMPUTED.contains(Rest::<R, S>::NUMBERS[leaf] as usize)
            };
            if computed {
                set = set.with(leaf, 1);
            }
            leaf += 1;
        }
        set
    };
    const KEEPS_BITS: bool = A::KEEPS_BITS && B::KEEPS_BITS;
    type Sharing = <A::Sharing as Sharing>::And<B::Sharing>;

    fn check(self) -> Result<(), LayoutError> {
        self.first.check()?;
        self.second.check()
    }

    #[inline(always)]
    fn frame(self, slots: usize) -> Self::Frame {
        let start = round_up(self.first.region_end(slots), const { start_align(B::ALIGN) });
        Frames { first: self.first.frame(slots), second: self.second.frame(slots), start }
    }

    fn blob_size(self, slots: usize, blob: usize) -> Option<usize> {
        if P::FUSED {
            RecordLayout::<R>::region_size(self, slots)
        } else if blob < A::BLOBS {
            self.first.blob_size(slots, blob)
        } else {
            self.second.blob_size(slots, blob - A::BLOBS)
        }
    }

    fn region_size(self, slots: usize) -> Option<usize> {
        let start = checked_round_up(self.first.region_size(slots)?, const { start_align(B::ALIGN) })?;
        start.checked_add(self.second.region_size(slots)?)
    }

    #[inline(always)]
    fn region_end(self, slots: usize) -> usize {
        RecordLayout::<R>::frame(self, slots).start.wrapping_add(self.second.region_end(slots))
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
    fn position(flat: usize) -> Self::Position {
        (A::position(flat), B::position(flat))
    }

    #[inline(always)]
    fn within((first, second): Self::Position, steps: usize) -> Self::Position {
        (A::within(first, steps), B::within(second, steps))
    }

    #[inline(always)]
    fn place<Q: Path<Root = R>>(frame: Self::Frame, position: Self::Position) -> (usize, Along) {
        if P::FUSED {
            (0, <Self as RecordLayout<R>>::in_region::<Q>(frame, position))
        } else if const { Goes::<Q, S>::FIRST } {
            A::place::<InChosen<Q, S>>(frame.first, position.0)
        } else {
            let (blob, along) = B::place::<InRest<Q, S>>(frame.second, position.1);
            (A::BLOBS + blob, along)
        }
    }

    fn place_of(frame: Self::Frame, position: Self::Position, leaf: usize) -> Place {
        if P::FUSED {
            Place { blob: 0, offset: <Self as RecordLayout<R>>::in_region_of(frame, position, leaf) }
        } else {
            match Part::of::<R, S>(leaf) {
                (true, leaf) => A::place_of(frame.first, position.0, leaf),
                (false, leaf) => {
                    let Place { blob, offset } = B::place_of(frame.second, position.1, leaf);
                    Place { blob: A::BLOBS + blob, offset }
                }
            }
        }
    }

    #[inline(always)]
    fn in_region<Q: Path<Root = R>>(frame: Self::Frame, position: Self::Position) -> Along {
        if const { Goes::<Q, S>::FIRST } {
            A::in_region::<InChosen<Q, S>>(frame.first, position.0)
        } else {
            let along = B::in_region::<InRest<Q, S>>(frame.second, position.1);
            Along { start: frame.start.wrapping_add(along.start), ..along }
        }
    }

    fn in_region_of(frame: Self::Frame, position: Self::Position, leaf: usize) -> usize {
        match Part::of::<R, S>(leaf) {
            (true, leaf) => A::in_region_of(frame.first, position.0, leaf),
            (false, leaf) => frame.start.wrapping_add(B::in_region_of(frame.second, position.1, leaf)),
        }
    }

    // SAFETY (of what follows): the conditions are the caller's; the leaf is in that part, of the same type.

    #[inline(always)]
    unsafe fn read<Q: Path<Root = R, Type: Leaf>, M: Address>(
        address: M,
        frame: Self::Frame,
        position: Self::Position,
    ) -> Q::Type {
        in_part!(address, frame: if (const { Goes::<Q, S>::FIRST })
            // SAFETY: as said above.
            |part| unsafe { A::read::<InChosen<Q, S>, _>(part, frame.first, position.0) };
            // SAFETY: as said above.
            else unsafe { B::read::<InRest<Q, S>, _>(part, frame.second, position.1) })
    }

    #[inline(always)]
    unsafe fn write<Q: Path<Root = R, Type: Leaf>, M: Address>(
        address: M,
        frame: Self::Frame,
        position: Self::Position,
        value: Q::Type,
    ) {
        in_part!(address, frame: if (const { Goes::<Q, S>::FIRST })
            // SAFETY: as said above.
            |part| unsafe { A::write::<InChosen<Q, S>, _>(part, frame.first, position.0, value) };
            // SAFETY: as said above.
            else unsafe { B::write::<InRest<Q, S>, _>(part, frame.second, position.1, value) });
    }

    #[inline(always)]
    unsafe fn read_of<T: Leaf, M: Address>(address: M, frame: Self::Frame, position: Self::Position, leaf: usize) -> T {
        let (first, leaf) = Part::of::<R, S>(leaf);
        in_part!(address, frame: if (first)
            // SAFETY: as said above.
            |part| unsafe { A::read_of(part, frame.first, position.0, leaf) };
            // SAFETY: as said above.
            else unsafe { B::read_of(part, frame.second, position.1, leaf) })
    }

    #[inline(always)]
    unsafe fn write_of<T: Leaf, M: Address>(
        address: M,
        frame: Self::Frame,
        position: Self::Position,
        leaf: usize,
        value: T,
    ) {
        let (first, leaf) = Part::of::<R, S>(leaf);
        in_part!(address, frame: if (first)
            // SAFETY: as said above.
            |part| unsafe { A::write_of(part, frame.first, position.0, leaf, value) };
            // SAFETY: as said above.
            else unsafe { B::write_of(part, frame.second, position.1, leaf, value) });
    }

    #[inline(always)]
    unsafe fn read_lanes<Q: Path<Root = R, Type: Leaf>, M: Address, const W: usize>(
        address: M,
        frame: Self::Frame,
        position: Self::Position,
    ) -> [Q::Type; W] {
        in_part!(address, frame: if (const { Goes::<Q, S>::FIRST })
            // SAFETY: as said above; a run of the whole lies in one of the part.
            |part| unsafe { A::read_lanes::<InChosen<Q, S>, _, W>(part, frame.first, position.0) };
            // SAFETY: as said above.
            else unsafe { B::read_lanes::<InRest<Q, S>, _, W>(part, frame.second, position.1) })
    }

    #[inline(always)]
    unsafe fn write_lanes<Q: Path<Root = R, Type: Leaf>, M: Address, const W: usize>(
        address: M,
        frame: Self::Frame,
        position: Self::Position,
        values: [Q::Type; W],
    ) {
        in_part!(address, frame: if (const { Goes::<Q, S>::FIRST })
            // SAFETY: as said above; a run of the whole lies in one of the part.
            |part| unsafe { A::write_lanes::<InChosen<Q, S>, _, W>(part, frame.first, position.0, values) };
            // SAFETY: as said above.
            else unsafe { B::write_lanes::<InRest<Q, S>, _, W>(part, frame.second, position.1, values) });
    }

    unsafe fn is_valid_of<M: Address>(address: M, frame: Self::Frame, position: Self::Position, leaf: usize) -> bool {
        let (first, leaf) = Part::of::<R, S>(leaf);
        in_part!(address, frame: if (first)
            // SAFETY: as said above.
            |part| unsafe { A::is_valid_of(part, frame.first, position.0, leaf) };
            // SAFETY: as said above.
            else unsafe { B::is_valid_of(part, frame.second, position.1, leaf) })
    }

    fn bits_of(frame: Self::Frame, position: Self::Position, leaf: usize, each: &mut dyn FnMut(BitRange)) {
        let (first, leaf) = Part::of::<R, S>(leaf);
        let mut each = |bits: BitRange| {
            let (blob, before) = match (P::FUSED, first) {
                (true, true) => (0, A::blob_start(frame.first, bits.blob)),
                (true, false) => (0, frame.start + B::blob_start(frame.second, bits.blob)),
                (false, true) => (bits.blob, 0),
                (false, false) => (A::BLOBS + bits.blob, 0),
            };
            each(BitRange { blob, start: 8 * before + bits.start, ..bits });
        };
        if first {
            A::bits_of(frame.first, position.0, leaf, &mut each);
        } else {
            B::bits_of(frame.second, position.1, leaf, &mut each);
        }
    }

    fn check_value<T: Leaf>(frame: Self::Frame, leaf: usize, value: T) -> Result<(), ValueError> {
        match Part::of::<R, S>(leaf) {
            (true, leaf) => A::check_value(frame.first, leaf, value),
            (false, leaf) => B::check_value(frame.second, leaf, value),
        }
    }
}

impl<S, A: Default, B: Default, P> Default for Split<S, A, B, P> {
    fn default() -> Self {
        Self::new(A::default(), B::default())
    }
}

impl<S, A: Copy, B: Copy, P> Clone for Split<S, A, B, P> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<S, A: Copy, B: Copy, P> Copy for Split<S, A, B, P> {}

impl<S, A: PartialEq, B: PartialEq, P> PartialEq for Split<S, A, B, P> {
    fn eq(&self, other: &Self) -> bool {
        self.first == other.first && self.second == other.second
    }
}

impl<S, A: fmt::Debug, B: fmt::Debug, P: fmt::Debug + Default> fmt::Debug for Split<S, A, B, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Split<_, {:?}, {:?}, {:?}>", self.first, self.second, P::default())
    }
}

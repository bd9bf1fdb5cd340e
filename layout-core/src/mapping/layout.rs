//! Record layouts: they turn a flat position and a leaf into a place.

use core::fmt;

use super::codec::{Codec, Sharing};
use super::place::{LeafPlace, Position};
use crate::error::LayoutError;
use crate::leaf_table::LeafTable;
use crate::record::Record;

/// A record layout turns a flat position and a leaf into a place: AoS, SoA, AoSoA and so on.
///
/// A layout has two parts. Its *placement*, which this trait describes, is data: the places of all leaves as constants
/// ([`PLACES`](Self::PLACES)), and a few numbers that depend on the number of positions. Its [`Codec`](Self::Codec)
/// reads and writes leaves that have no bytes of their own; most layouts need none.
///
/// The byte of leaf `i` of the element at flat position `r`, where `n` is the number of positions, is
///
/// ```text
/// blob_start(n, blob[i]) + base(n, i) + start[i] + (r / RUN) * block[i] + (r % RUN) * stride[i]
/// ```
///
/// in one allocation for all blobs. Views own memory in this form: they need one base address, and load no table of blobs. For separate
/// blobs the first term is dropped. A **position** is the pair `r / RUN` and `r % RUN`: a traversal divides once for each run of
/// [`RUN`](Self::RUN) elements, and then steps within the run. A **frame** holds the numbers that a place depends on beside the position:
/// they follow from `n`, and from the layout's own state if it has any.
///
/// The record may be a list of leaves that another layout [stores](crate::Stored). Such a list has a [`LeafTable`], but
/// no struct.
///
/// # Safety
///
/// Implementors must ensure, for every number of positions for which [`MOST`](Self::MOST) fits `isize`, every position below
/// it, and every leaf of `R`:
/// * there is a place in [`PLACES`](Self::PLACES) for each leaf that is not computed, by its number;
/// * [`Position`](Self::Position) is [`BlockLane`](super::BlockLane) if [`RUN`](Self::RUN) is not `usize::MAX`, and `RUN` is not zero;
/// * the place lies, with all bytes of the leaf, within [`blob_size`](Self::blob_size), and that many bytes from
///   [`blob_start`](Self::blob_start) on within [`region_size`](Self::region_size), without overlap of blobs; that is no more
///   than [`MOST`](Self::MOST), and none of the products and sums above overflows;
/// * if [`ALIGNED`](Self::ALIGNED), each place is aligned for its leaf, and what computed leaves are made of for its
///   type, if blobs and the region are aligned to [`ALIGN`](Self::ALIGN);
/// * no two leaves of one position share a bit, nor, if [`UNIQUE`](Self::UNIQUE), of two; and no byte, if
///   [`Sharing`](Self::Sharing) is [`Apart`](super::Apart);
/// * if the frame is of size zero, leaves lie where they do for any other number of positions;
/// * layouts that are equal place equally.
///
/// Callers may rely on all of that.
///
/// # Examples
///
/// ```
/// use layout::{RecordLayout, SoA, AoSoA};
///
/// // Fast paths ask for the number of blobs, and for the number of neighbors that are equally far apart.
/// assert_eq!(<SoA as RecordLayout<[f32; 3]>>::BLOBS, 3);
/// assert_eq!(<AoSoA<8> as RecordLayout<[f32; 3]>>::RUN, 8);
/// ```
///
/// The guide of the facade shows an implementation, in the chapter "Writing a layout".
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no record layout for `{R}`",
    note = "use `AoS`, `SoA` or `AoSoA<L>`, or a layout of them in `layout::composed`, such as `Split<S, A, B>` or `ChangeType<L, V, S>`"
)]
pub unsafe trait RecordLayout<R: Record>: Copy + PartialEq + fmt::Debug + Send + Sync + 'static {
    /// The numbers that places depend on beside the position; zero-sized if places do not depend on the number of positions.
    type Frame: Copy + Send + Sync + 'static;
    /// The type of positions: `usize`, or [`BlockLane`](super::BlockLane) in a layout whose [`RUN`](Self::RUN) is not `usize::MAX` for every record.
    type Position: Position;
    /// The codec of computed leaves: [`Physical`](super::Physical) if there are none.
    type Codec: Codec<R, Self>;
    /// The marker for different leaves in one byte: [`Apart`](super::Apart) if that never happens, else [`Joined`](super::Joined).
    type Sharing: Sharing;
    /// The number of blobs.
    const BLOBS: usize;
    /// The number of positions after which the distance between neighbors changes; `usize::MAX` if it never changes.
    const RUN: usize = usize::MAX;
    /// The place of each leaf.
    const PLACES: &'static [LeafPlace];
    /// `true` if every physical leaf lies at a multiple of its alignment.
    const ALIGNED: bool;
    /// The alignment in bytes that blobs and the region need if the layout is [`ALIGNED`](Self::ALIGNED). It is the
    /// alignment of the stored values, which can differ from that of the record.
    const ALIGN: usize = LeafTable::of::<R>().max_align();
    /// `true` if no two positions share a bit of a leaf.
    const UNIQUE: bool = true;
    /// A limit for [`region_size`](Self::region_size), as two numbers: bytes for each position, and bytes beside them.
    ///
    /// A mapping is refused if that limit does not fit `isize`. So no function below needs to check whether a sum of
    /// sizes overflows; such a check would run at each access.
    const MOST: [usize; 2];

    /// Fails to compile if the layout's type does not fit `R`, such as blocks without lanes.
    ///
    /// Every function that makes a mapping evaluates this constant, so the compiler names the line that asked for the layout.
    const CHECKED: () = ();

    /// Checks the layout's state against `R`, such as a number of bits, which must not be zero.
    ///
    /// # Errors
    ///
    /// Returns an error in the cases that the layout documents.
    fn check(self) -> Result<(), LayoutError> {
        Ok(())
    }

    /// The frame for `slots` positions.
    fn frame(self, slots: usize) -> Self::Frame;

    /// The size of a blob in bytes.
    fn blob_size(self, slots: usize, blob: usize) -> usize;

    /// The size in bytes of one allocation for all blobs.
    ///
    /// Layouts of several blobs must implement it; the default, for one blob, is the size of that blob.
    #[inline(always)]
    fn region_size(self, slots: usize) -> usize {
        const { assert!(Self::BLOBS == 1, "a layout of several blobs, or of none, says the size of all of them") };
        self.blob_size(slots, 0)
    }

    /// The offset of a blob in one allocation for all blobs; 0 for a layout of one blob.
    #[inline(always)]
    fn blob_start(frame: Self::Frame, blob: usize) -> usize {
        let _ = (frame, blob);
        0
    }

    /// The part of the place of leaf number `leaf` that depends on the number of positions; the place is the sum of
    /// this number and the constants.
    #[inline(always)]
    fn base(frame: Self::Frame, leaf: usize) -> usize {
        let _ = (frame, leaf);
        0
    }
}

/// Writes most items of [`RecordLayout`] for a layout around another one: they forward to the inner layout.
///
/// In `placement_of!(L; S; this => inner)`, `L` is the type of the inner layout, `S` the record that it stores, and `inner` the inner
/// layout of the value `this`. Checks of the outer layout follow: constants (`; CHECKED: assert_fits::<R>()`), then what `check` does first
/// (`; check: refuse()?`). The caller still writes `Codec` and `PLACES`, and `base` if there are places.
///
/// # Examples
///
/// `Byteswap` and `Bytesplit` in `layout-mappings` use it.
#[macro_export]
macro_rules! placement_of {
    ($layout:ty; $record:ty; $this:ident => $inner:expr $(; CHECKED: $checked:expr)? $(; check: $check:expr)?) => {
        type Frame = <$layout as $crate::RecordLayout<$record>>::Frame;
        type Position = <$layout as $crate::RecordLayout<$record>>::Position;
        type Sharing = <$layout as $crate::RecordLayout<$record>>::Sharing;
        const BLOBS: $crate::__private::usize = <$layout as $crate::RecordLayout<$record>>::BLOBS;
        const RUN: $crate::__private::usize = <$layout as $crate::RecordLayout<$record>>::RUN;
        const ALIGNED: $crate::__private::bool = <$layout as $crate::RecordLayout<$record>>::ALIGNED;
        const ALIGN: $crate::__private::usize = <$layout as $crate::RecordLayout<$record>>::ALIGN;
        const UNIQUE: $crate::__private::bool = <$layout as $crate::RecordLayout<$record>>::UNIQUE;
        const MOST: [$crate::__private::usize; 2] = <$layout as $crate::RecordLayout<$record>>::MOST;
        const CHECKED: () = {
            $(let () = $checked;)?
            <$layout as $crate::RecordLayout<$record>>::CHECKED
        };

        fn check(self) -> $crate::__private::Result<(), $crate::LayoutError> {
            $($check;)?
            let $this = self;
            $crate::RecordLayout::<$record>::check($inner)
        }

        #[inline(always)]
        fn frame(self, slots: $crate::__private::usize) -> Self::Frame {
            let $this = self;
            $crate::RecordLayout::<$record>::frame($inner, slots)
        }

        #[inline(always)]
        fn blob_size(self, slots: $crate::__private::usize, blob: $crate::__private::usize) -> $crate::__private::usize {
            let $this = self;
            $crate::RecordLayout::<$record>::blob_size($inner, slots, blob)
        }

        #[inline(always)]
        fn region_size(self, slots: $crate::__private::usize) -> $crate::__private::usize {
            let $this = self;
            $crate::RecordLayout::<$record>::region_size($inner, slots)
        }

        #[inline(always)]
        fn blob_start(frame: Self::Frame, blob: $crate::__private::usize) -> $crate::__private::usize {
            <$layout as $crate::RecordLayout<$record>>::blob_start(frame, blob)
        }
    };
}

/// The alignment in bytes of allocations: that of a cache line, and of every vector of today's processors.
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
///
/// let view = alloc::<u8, SoA, _>(1)?;
/// assert!(core::ptr::from_ref(view.at(0).as_ref()).addr().is_multiple_of(layout::author::REGION_ALIGN));
/// # Ok::<(), ViewError>(())
/// ```
pub const REGION_ALIGN: usize = 64;

/// The alignment in bytes of one allocation for leaves of `R`: 64, or more if a leaf needs more.
///
/// # Examples
///
/// ```
/// assert_eq!(layout::author::region_align::<f64>(), 64);
/// ```
#[must_use]
pub const fn region_align<R: Record>() -> usize {
    let align = LeafTable::of::<R>().max_align();
    if align > REGION_ALIGN { align } else { REGION_ALIGN }
}

/// The alignment in bytes of one allocation for the leaves that the layout `L` stores for `R`.
pub(crate) const fn allocation_align<R: Record, L: RecordLayout<R>>() -> usize {
    if L::ALIGN > REGION_ALIGN { L::ALIGN } else { REGION_ALIGN }
}

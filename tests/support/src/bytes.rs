//! Layouts of a user's own for records of one byte: with a state, and with zero as no value.

use core::sync::atomic::{AtomicUsize, Ordering};

use layout::author::{Apart, Codec, Element, LeafPlace};
use layout::blob::Address;
use layout::record::LeafSet;
use layout::{Leaf, RecordLayout};

/// Bytes with gaps between them. [`Default`] gives the distance that was set last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    distance: usize,
}

static DISTANCE: AtomicUsize = AtomicUsize::new(1);

impl Spread {
    /// Sets the distance of layouts that [`Default`] makes from now on.
    pub fn set_default(distance: usize) {
        DISTANCE.store(distance, Ordering::Relaxed);
    }

    /// The distance of two bytes.
    #[must_use]
    pub fn distance(self) -> usize {
        self.distance
    }
}

impl Default for Spread {
    fn default() -> Self {
        Self { distance: DISTANCE.load(Ordering::Relaxed) }
    }
}

/// A `bool` as the byte 2 or 3.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Marked;

macro_rules! bytes {
    ($Layout:ty, $R:ty, $this:ident => $distance:expr, $of_byte:expr, $to_byte:expr, $valid:expr) => {
        // SAFETY: each element has a byte of its own below `slots * distance`, as many as the blob has. The leaf is computed.
        unsafe impl RecordLayout<$R> for $Layout {
            type Frame = usize;
            type Position = usize;
            type Codec = Self;
            type Sharing = Apart;
            const BLOBS: usize = 1;
            const PLACES: &'static [LeafPlace] = &[];
            const ALIGNED: bool = true;
            const MOST: [usize; 2] = [8, 0];

            fn frame($this, _: usize) -> usize {
                $distance
            }

            fn blob_size($this, slots: usize, _: usize) -> usize {
                slots * $distance
            }
        }

        // SAFETY: reads and writes use the element's byte; `is_valid` says which bytes give values.
        unsafe impl Codec<$R, Self> for $Layout {
            const COMPUTED: &'static LeafSet = &LeafSet::all::<$R>();

            unsafe fn read<T: Leaf, A: Address>(element: Element<$R, Self, A>, _: usize) -> T {
                // SAFETY: there is one blob, at 0, which has the byte and is borrowed.
                let byte: u8 = unsafe { *element.address.blob(0, 0).add(element.position * element.frame) };
                layout::author::leaf_from_bytes(&[$of_byte(byte)]).expect("a value, as `is_valid` says")
            }

            unsafe fn write<T: Leaf, A: Address>(element: Element<$R, Self, A>, _: usize, value: T) {
                let byte = $to_byte(layout::author::leaf_bytes(&value)[0]);
                // SAFETY: as in `read`; nothing else reaches the byte.
                unsafe { *element.address.blob(0, 0).add(element.position * element.frame) = byte };
            }

            unsafe fn is_valid<A: Address>(element: Element<$R, Self, A>, _: usize) -> bool {
                // SAFETY: as in `read`.
                $valid(unsafe { *element.address.blob(0, 0).add(element.position * element.frame) })
            }
        }
    };
}

bytes!(Spread, u8, self => self.distance, |byte| byte, |byte| byte, |_: u8| true);
bytes!(Marked, bool, self => 1, |byte: u8| byte - 2, |byte| byte + 2, |byte| matches!(byte, 2 | 3));

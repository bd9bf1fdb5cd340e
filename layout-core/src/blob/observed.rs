//! Blobs that report their uses to an observer.

use super::{Address, Blobs, BlobsMut, Use};
use crate::mapping::{BitRange, Codec, Element, Position, RecordLayout};
use crate::record::Record;

/// An observer sees each use of a leaf of a view; attach it with [`View::observe`](crate::View::observe).
///
/// The library has two observers, `Trace` and `Heat`. An observer of your own must keep its state in atomics or behind
/// a lock: views are used from several threads.
///
/// # Examples
///
/// An observer that records which elements were written, in a view of fewer than 64 elements:
///
/// ```
/// use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
/// use layout::observe::{Noted, Observer, Use};
/// use layout::prelude::*;
///
/// #[derive(Default)]
/// struct Written(AtomicU64);
///
/// impl Observer for Written {
///     fn note(&self, noted: Noted<'_>) {
///         if noted.used == Use::Write {
///             self.0.fetch_or(1 << noted.position, Relaxed);
///         }
///     }
/// }
///
/// let mut view = alloc::<[f32; 2], SoA, _>(10)?.observe(Written::default());
/// view.at_mut(3).at_mut(1).set(1.0);
/// view.set(5, view.load(4));
/// assert_eq!(view.observer().0.load(Relaxed), 1 << 3 | 1 << 5);
/// # Ok::<(), ViewError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no observer of a view",
    note = "implement `layout::observe::Observer`, or use `View::trace` or `View::heat_map`"
)]
pub trait Observer: Send + Sync + 'static {
    /// Called just before each use.
    fn note(&self, noted: Noted<'_>);
}

/// A use of one leaf of one element.
#[derive(Clone, Copy)]
pub struct Noted<'n> {
    /// The use: a read or a write.
    pub used: Use,
    /// The number of the leaf, in declaration order of the observed view's record.
    pub leaf: usize,
    /// The flat position of the element, in the observed view's mapping.
    pub position: usize,
    bits: &'n EachBits<'n>,
}

/// A function that calls its argument with each range of bits of a leaf.
type EachBits<'n> = dyn Fn(&mut dyn FnMut(BitRange)) + 'n;

impl Noted<'_> {
    /// Calls `each` with the ranges of bits that hold the leaf; see [`Mapping::bits_of`](crate::Mapping::bits_of).
    pub fn bits(&self, each: &mut dyn FnMut(BitRange)) {
        (self.bits)(each);
    }
}

impl core::fmt::Debug for Noted<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{:?} of leaf {} at position {}", self.used, self.leaf, self.position)
    }
}

/// Blobs that report their uses to an observer. [`View::observe`](crate::View::observe) makes them.
#[derive(Debug)]
pub struct Observed<B, O> {
    pub(crate) blobs: B,
    pub(crate) observer: O,
}

/// The address of [`Observed`] blobs.
#[derive(Debug)]
pub struct ObservedAddress<A, O> {
    address: A,
    observer: *const O,
    /// The number, in the whole record, of the first leaf of the part that the view shows.
    first: usize,
}

copied!([A: Copy, O] ObservedAddress<A, O>);

// SAFETY: an address is numbers until it is used; observers may be shared.
unsafe impl<A: Address, O: Observer> Send for ObservedAddress<A, O> {}
// SAFETY: as above.
unsafe impl<A: Address, O: Observer> Sync for ObservedAddress<A, O> {}

// SAFETY: the address is that of the blobs inside; the observer lies in `self`, which is borrowed while the address is used.
unsafe impl<B: Blobs, O: Observer> Blobs for Observed<B, O> {
    type Address = ObservedAddress<B::Address, O>;
    const MUTABLE: bool = B::MUTABLE;

    #[cfg_attr(not(unoptimized), inline(always))]
    fn address(&self) -> Self::Address {
        ObservedAddress { address: self.blobs.address(), observer: &raw const self.observer, first: 0 }
    }
}

// SAFETY: as for `Blobs`; the blobs inside are borrowed mutably.
unsafe impl<B: BlobsMut, O: Observer> BlobsMut for Observed<B, O> {
    #[cfg_attr(not(unoptimized), inline(always))]
    fn address_mut(&mut self) -> Self::Address {
        ObservedAddress { address: self.blobs.address_mut(), observer: &raw const self.observer, first: 0 }
    }
}

// SAFETY: places are those of the address inside.
unsafe impl<A: Address, O: Observer> Address for ObservedAddress<A, O> {
    const NOTES: bool = true;

    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn blob(self, blob: usize, start: usize) -> *mut u8 {
        // SAFETY: the conditions are the caller's.
        unsafe { self.address.blob(blob, start) }
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn skip(self, blobs: usize, start: usize) -> Self {
        // SAFETY: the conditions are the caller's.
        Self { address: unsafe { self.address.skip(blobs, start) }, ..self }
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn part(self, leaf: usize) -> Self {
        Self { address: self.address.part(leaf), first: self.first + leaf, ..self }
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn note<R: Record, L: RecordLayout<R>>(self, used: Use, element: Element<R, L, Self>, leaf: usize) {
        let Element { frame, position, .. } = element;
        let flat = if L::RUN == usize::MAX { position.lane() } else { position.block() * L::RUN + position.lane() };
        let bits = |each: &mut dyn FnMut(BitRange)| L::Codec::bits_of(frame, position, leaf, each);
        // SAFETY: the observer is borrowed with the blobs.
        unsafe { &*self.observer }.note(Noted { used, leaf: self.first + leaf, position: flat, bits: &bits });
        // SAFETY: the conditions are the caller's.
        unsafe { self.address.note::<R, L>(used, Element::new(self.address, frame, position), leaf) };
    }
}

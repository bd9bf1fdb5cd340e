//! The access to the leaves of one element, which all slots of a view use.

use core::marker::PhantomData;

use super::{ElementOf, FrameOf, PositionOf, SharingOf, View};
use crate::blob::{Address, Blobs, BlobsMut, Exclusive, Shared, Use};
use crate::error::ValueError;
use crate::extents::Keep;
use crate::leaf::Leaf;
use crate::mapping::{Codec, Element, Mapping, RecordLayout, Sharing, check_value as refuse, computes};
use crate::path::Path;
use crate::record::{Access, AccessMut, Record, scalar};
use crate::slot::Slot;

/// The borrow of an element: `&'v ()` for reading, `&'v mut ()` for reading and writing.
#[expect(unnameable_types, reason = "an argument of `At`, given by views")]
pub trait Kind: Send + Sync {
    /// The marker that keeps slots on their thread: the layout's own marker for slots that write, else `()`.
    type Stay<S: Sharing>;
    /// `true` if slots write.
    const WRITES: bool;
    /// The blobs of a view that borrows them so.
    type Blobs<A: Address>: Blobs<Address = A>;

    /// The blobs of a view.
    ///
    /// # Safety
    ///
    /// The leaves that the result is used for are borrowed so, and if mutably, nothing else reaches them.
    unsafe fn blobs<A: Address>(address: A) -> Self::Blobs<A>;
}

impl<'v> Kind for &'v () {
    const WRITES: bool = false;
    type Stay<S: Sharing> = ();
    type Blobs<A: Address> = Shared<'v, A>;

    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn blobs<A: Address>(address: A) -> Shared<'v, A> {
        // SAFETY: the caller promises that the blobs are borrowed for `'v`.
        unsafe { Shared::new(address) }
    }
}

impl<'v> Kind for &'v mut () {
    const WRITES: bool = true;
    type Stay<S: Sharing> = S;
    type Blobs<A: Address> = Exclusive<'v, A>;

    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn blobs<A: Address>(address: A) -> Exclusive<'v, A> {
        // SAFETY: the caller promises that the leaves are borrowed mutably for `'v`, and that nothing else reaches them.
        unsafe { Exclusive::new(address) }
    }
}

/// The access to one element of a view: `K = &'v ()` reads, `K = &'v mut ()` reads and writes. Writable slots can be
/// sent to another thread only if no two leaves of the layout share a byte.
///
/// Invariant: the element is one of a mapping `M` that its blobs were checked for, and they are borrowed as `K` says. For
/// `&mut`, nothing else reaches the leaves whose slots are made from this.
pub struct At<K: Kind, M: Mapping, A> {
    pub(crate) element: ElementOf<M, A>,
    pub(super) kind: PhantomData<(K, K::Stay<SharingOf<M>>)>,
}

copied!([K: Kind, M: Mapping, A: Copy] At<K, M, A>);

impl<M: Mapping, B: Blobs> View<M, B> {
    /// The access to the element at this position, which must be the position of an element.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(crate) fn access(&self, position: PositionOf<M>) -> At<&(), M, B::Address> {
        let frame = self.mapping.layout().frame(self.slots.get(|| self.mapping.span()));
        // The invariant: a view's blobs fit its mapping, and are borrowed with it.
        At { element: Element { address: self.blobs.address(), frame, position }, kind: PhantomData }
    }

    /// The writable access to the element at this position, which must be the position of an element.
    ///
    /// If elements share bytes, the caller makes no other slots meanwhile.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(crate) fn access_mut(&mut self, position: PositionOf<M>) -> At<&mut (), M, B::Address>
    where
        B: BlobsMut,
    {
        let frame = self.mapping.layout().frame(self.slots.get(|| self.mapping.span()));
        // The invariant: as in `access`, and borrowed mutably.
        At { element: Element { address: self.blobs.address_mut(), frame, position }, kind: PhantomData }
    }
}

impl<K: Kind, M: Mapping, A: Address> At<K, M, A> {
    /// # Safety
    ///
    /// The arguments keep the invariant of the type.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) unsafe fn new(address: A, frame: FrameOf<M>, position: PositionOf<M>) -> Self {
        Self { element: Element { address, frame, position }, kind: PhantomData }
    }

    /// The address of leaf `P`; for a leaf of size zero, any address that is aligned for its type.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) fn pointer<P: Path<Root = M::Record>>(self) -> *mut P::Type {
        if size_of::<P::Type>() == 0 {
            return core::ptr::dangling_mut();
        }
        // SAFETY: the invariant of the type is what the function asks for.
        unsafe { self.element.place::<P>() }
    }

    /// The pointer to the leaf that lies `leaves` leaves after `P`.
    ///
    /// # Safety
    ///
    /// There is one.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) unsafe fn pointer_further<P: Path<Root = M::Record>>(self, leaves: usize) -> *mut P::Type {
        // SAFETY: the invariant of the type, and the caller, vouch for what the function asks for.
        unsafe { self.element.place_of(P::LEAF + leaves) }.cast()
    }

    /// Reports the use of leaf number `leaf` to the observer of the address.
    ///
    /// # Safety
    ///
    /// There is one.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) unsafe fn note(self, used: Use, leaf: usize) {
        if A::NOTES {
            // SAFETY: the invariant of the type, and the caller, vouch for what the function asks for.
            unsafe { self.element.address.note(used, self.element, leaf) };
        }
    }
}

impl<K: Kind, M: Mapping, A: Address> Access for At<K, M, A> {
    type Record = M::Record;
    type Value<T: Leaf> = T;

    #[cfg_attr(not(unoptimized), inline(always))]
    fn read<P: Path<Root = M::Record, Type: Leaf>>(self) -> P::Type {
        // SAFETY: a path is of a leaf that exists.
        unsafe { self.note(Use::Read, P::LEAF) };
        // Physical leaves are read here directly, from the place in the table; only computed leaves go to the layout's codec.
        if const { computes::<M::Record, M::Layout>(P::LEAF) } {
            // SAFETY: the invariant of the type is what the function asks for.
            unsafe { <M::Layout as RecordLayout<M::Record>>::Codec::read(self.element, P::LEAF) }
        } else {
            // SAFETY: as above.
            let place = unsafe { self.element.place::<P>() };
            if M::Layout::ALIGNED && size_of::<P::Type>() > 0 {
                // SAFETY: the bytes of the leaf are a value of its type, and aligned, since layout and blobs are, of which
                // only those without bytes need not be.
                unsafe { place.read() }
            } else {
                // SAFETY: as above, at any alignment.
                unsafe { place.read_unaligned() }
            }
        }
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn read_further<P: Path<Root = M::Record, Type: Leaf>>(self, leaves: usize) -> P::Type {
        // SAFETY: the caller vouches for the leaf.
        unsafe { self.note(Use::Read, P::LEAF + leaves) };
        // SAFETY: the invariant of the type, and the caller, vouch for what the function asks for.
        unsafe { self.element.read(P::LEAF + leaves) }
    }
}

impl<M: Mapping, A: Address> AccessMut for At<&mut (), M, A> {
    #[cfg_attr(not(unoptimized), inline(always))]
    fn write<P: Path<Root = M::Record, Type: Leaf>>(self, value: P::Type) {
        // SAFETY: a path is of a leaf that exists.
        unsafe { self.note(Use::Write, P::LEAF) };
        if const { computes::<M::Record, M::Layout>(P::LEAF) } {
            // SAFETY: the invariant of the type is what the function asks for.
            unsafe { <M::Layout as RecordLayout<M::Record>>::Codec::write(self.element, P::LEAF, value) };
        } else {
            // SAFETY: as above.
            let place = unsafe { self.element.place::<P>() };
            if M::Layout::ALIGNED && size_of::<P::Type>() > 0 {
                // SAFETY: it is the place of the leaf, aligned as in `read`, and nothing else reaches it.
                unsafe { place.write(value) };
            } else {
                // SAFETY: as above, at any alignment.
                unsafe { place.write_unaligned(value) };
            }
        }
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn write_further<P: Path<Root = M::Record, Type: Leaf>>(self, leaves: usize, value: P::Type) {
        // SAFETY: the caller vouches for the leaf.
        unsafe { self.note(Use::Write, P::LEAF + leaves) };
        // SAFETY: the invariant of the type, and the caller, vouch for what the function asks for.
        unsafe { self.element.write(P::LEAF + leaves, value) };
    }

    #[inline]
    fn check<P: Path<Root = M::Record, Type: Leaf>>(self, leaves: usize, value: P::Type) -> Result<(), ValueError> {
        check_value::<M, _>(self.element.frame, P::LEAF + leaves, value)
    }
}

/// Returns an error if the layout cannot store the value in leaf number `leaf`.
#[inline]
pub(super) fn check_value<M: Mapping, T: Leaf>(frame: FrameOf<M>, leaf: usize, value: T) -> Result<(), ValueError> {
    // Layouts of layouts know the leaf by another name.
    refuse::<M::Record, M::Layout, _>(frame, leaf, value)
        .map_err(|error| ValueError { leaf: M::Record::TREE.leaf_name(leaf), ..error })
}

scalar!([K: Kind, M: Mapping, A: Address] At<K, M, A>);

/// Fails to compile for leaves that give no references: computed, unaligned or observed ones.
#[track_caller]
const fn assert_reference<M: Mapping, A: Address, P: Path>() {
    assert!(
        !computes::<M::Record, M::Layout>(P::LEAF),
        "this layout computes the leaf: it has no bytes to refer to; use `get` and `set`"
    );
    assert!(
        M::Layout::ALIGNED,
        "this layout is packed: its leaves are not aligned and give no references; use `get` and `set`"
    );
    assert!(!A::NOTES, "the uses of this view are observed: its leaves give no references; use `get` and `set`");
}

#[allow(clippy::should_implement_trait, reason = "`AsRef` cannot give a reference that outlives the slot")]
impl<'v, M: Mapping, A: Address, P: Path<Root = M::Record, Type: Leaf>> Slot<At<&'v (), M, A>, P> {
    /// A reference to the value; does not compile for a packed layout or a computed leaf.
    #[cfg_attr(not(unoptimized), inline(always))]
    #[must_use]
    pub fn as_ref(&self) -> &'v P::Type {
        const { assert_reference::<M, A, P>() };
        // SAFETY: the leaf is a value of its type, aligned, and borrowed for `'v`, while nothing writes it.
        unsafe { &*self.access().pointer::<P>() }
    }
}

#[allow(clippy::should_implement_trait, reason = "`AsRef` would compile for packed layouts")]
impl<'v, M: Mapping, A: Address, P: Path<Root = M::Record, Type: Leaf>> Slot<At<&'v mut (), M, A>, P> {
    /// A reference to the value; does not compile for a packed layout or a computed leaf.
    #[cfg_attr(not(unoptimized), inline(always))]
    #[must_use]
    pub fn as_ref(&self) -> &P::Type {
        const { assert_reference::<M, A, P>() };
        // SAFETY: the leaf is a value of its type and aligned; the slot, its only way, is borrowed.
        unsafe { &*self.access().pointer::<P>() }
    }

    /// A mutable reference to the value; does not compile for a packed layout or a computed leaf.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut view = alloc::<u8, SoA, _>(3)?;
    /// let old = core::mem::replace(view.at_mut(2).as_mut(), 7);
    /// assert_eq!((old, view.get(2)), (0, 7));
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    #[must_use]
    pub fn as_mut(&mut self) -> &mut P::Type {
        const { assert_reference::<M, A, P>() };
        // SAFETY: as in `as_ref`; the slot is borrowed mutably.
        unsafe { &mut *self.access().pointer::<P>() }
    }

    /// A mutable reference to the value for as long as the view is borrowed; does not compile for a packed
    /// layout or a computed leaf.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut view = alloc::<u32, SoA, _>(3)?;
    /// let value: &mut u32 = view.at_mut(1).into_mut();
    /// *value += 7;
    /// assert_eq!(view.to_vec(), [0, 7, 0]);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    #[must_use]
    pub fn into_mut(self) -> &'v mut P::Type {
        const { assert_reference::<M, A, P>() };
        // SAFETY: as in `as_ref`; the slot, the only way to the leaf, is used up.
        unsafe { &mut *self.access().pointer::<P>() }
    }
}

//! Reading and writing the leaves of one element: what the slots of a view are made over.

use core::marker::PhantomData;

use super::{FrameOf, PositionOf};
use crate::blob::Address;
use crate::leaf::Leaf;
use crate::mapping::{Mapping, RecordLayout};
use crate::path::Path;
use crate::record::{Access, AccessMut, Record, Scalar};
use crate::slot::Slot;

/// The access to one element of a view: to read for `K = &'v ()`, to write too for `K = &'v mut ()`.
///
/// Invariant: the address is of blobs that were checked for `M` and are borrowed as `K` says; the frame is
/// theirs; the position is of an element; the shifted leaf exists. For `&mut`, nothing else reaches the
/// leaves whose slots are made from this.
pub struct At<K, M: Mapping, A> {
    pub(super) address: A,
    pub(super) frame: FrameOf<M>,
    pub(super) position: PositionOf<M>,
    pub(super) kind: PhantomData<K>,
}

impl<K, M: Mapping, A: Copy> Clone for At<K, M, A> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, M: Mapping, A: Copy> Copy for At<K, M, A> {}

impl<K, M: Mapping, A: Address> At<K, M, A> {
    /// # Safety
    ///
    /// The arguments keep the invariant of the type.
    #[inline(always)]
    pub(super) unsafe fn new(address: A, frame: FrameOf<M>, position: PositionOf<M>) -> Self {
        Self { address, frame, position, kind: PhantomData }
    }

    #[inline(always)]
    pub(super) fn pointer<P: Path<Root = M::Record>>(self) -> *mut P::Type {
        // SAFETY: the invariant of the type is what the function asks for.
        unsafe { self.address.leaf::<M::Record, M::Layout, P>(self.frame, self.position) }.cast()
    }

    /// The pointer to the leaf that lies `leaves` leaves after `P`.
    ///
    /// # Safety
    ///
    /// There is one.
    #[inline(always)]
    pub(super) unsafe fn pointer_further<P: Path<Root = M::Record>>(self, leaves: usize) -> *mut P::Type {
        // SAFETY: the invariant of the type, and the caller, vouch for what the function asks for.
        unsafe { self.address.leaf_of::<M::Record, M::Layout>(self.frame, self.position, P::LEAF + leaves) }.cast()
    }
}

/// Reads a leaf of the layout `L`.
///
/// # Safety
///
/// The pointer is to the bytes of a leaf of type `T` in blobs that were checked for the layout, and borrowed.
#[inline(always)]
unsafe fn read<T: Leaf, R: Record, L: RecordLayout<R>>(pointer: *mut T) -> T {
    if L::ALIGNED {
        // SAFETY: the leaf's bytes are initialized, were checked to be a value of its type or written as one,
        // and are aligned, since blobs and layout are.
        unsafe { pointer.read() }
    } else {
        // SAFETY: as above, at any alignment.
        unsafe { pointer.read_unaligned() }
    }
}

/// Writes a leaf of the layout `L`.
///
/// # Safety
///
/// As [`read`], and nothing else reaches the leaf.
#[inline(always)]
unsafe fn write<T: Leaf, R: Record, L: RecordLayout<R>>(pointer: *mut T, value: T) {
    if L::ALIGNED {
        // SAFETY: the pointer is to the leaf's bytes, which nothing else reaches, and aligned.
        unsafe { pointer.write(value) };
    } else {
        // SAFETY: as above, at any alignment.
        unsafe { pointer.write_unaligned(value) };
    }
}

impl<K, M: Mapping, A: Address> Access for At<K, M, A> {
    type Record = M::Record;
    type Value<T: Leaf> = T;

    #[inline(always)]
    fn read<P: Path<Root = M::Record, Type: Leaf>>(self) -> P::Type {
        // SAFETY: the pointer is to the leaf.
        unsafe { read::<P::Type, M::Record, M::Layout>(self.pointer::<P>()) }
    }

    #[inline(always)]
    unsafe fn read_further<P: Path<Root = M::Record, Type: Leaf>>(self, leaves: usize) -> P::Type {
        // SAFETY: the caller vouches for the leaf.
        let pointer = unsafe { self.pointer_further::<P>(leaves) };
        // SAFETY: the pointer is to that leaf, which is of the same type.
        unsafe { read::<P::Type, M::Record, M::Layout>(pointer) }
    }
}

impl<M: Mapping, A: Address> AccessMut for At<&mut (), M, A> {
    #[inline(always)]
    fn write<P: Path<Root = M::Record, Type: Leaf>>(self, value: P::Type) {
        // SAFETY: the pointer is to the leaf, which nothing else reaches.
        unsafe { write::<P::Type, M::Record, M::Layout>(self.pointer::<P>(), value) };
    }

    #[inline(always)]
    unsafe fn write_further<P: Path<Root = M::Record, Type: Leaf>>(self, leaves: usize, value: P::Type) {
        // SAFETY: the caller vouches for the leaf.
        let pointer = unsafe { self.pointer_further::<P>(leaves) };
        // SAFETY: the pointer is to that leaf, which is of the same type, and which nothing else reaches.
        unsafe { write::<P::Type, M::Record, M::Layout>(pointer, value) };
    }
}

impl<K, M: Mapping, A: Address> Scalar for At<K, M, A> {
    #[inline(always)]
    fn value<T: Leaf>(value: T) -> T {
        value
    }

    #[inline(always)]
    fn wrap<T: Leaf>(value: T) -> T {
        value
    }
}

/// Refuses references to leaves that may lie at any address.
const fn assert_aligned<M: Mapping>() {
    assert!(
        M::Layout::ALIGNED,
        "this layout is packed: its leaves are not aligned and give no references; use `get` and `set`"
    );
}

#[allow(clippy::should_implement_trait, reason = "`AsRef` cannot give a reference that outlives the slot")]
impl<'v, M: Mapping, A: Address, P: Path<Root = M::Record, Type: Leaf>> Slot<At<&'v (), M, A>, P> {
    /// A reference to the value; does not compile for a packed layout.
    #[inline(always)]
    #[must_use]
    pub fn as_ref(&self) -> &'v P::Type {
        const { assert_aligned::<M>() };
        // SAFETY: the leaf is a value of its type, aligned, and borrowed for `'v`, while nothing writes it.
        unsafe { &*self.access().pointer::<P>() }
    }
}

#[allow(clippy::should_implement_trait, reason = "`AsRef` would compile for packed layouts")]
impl<'v, M: Mapping, A: Address, P: Path<Root = M::Record, Type: Leaf>> Slot<At<&'v mut (), M, A>, P> {
    /// A reference to the value; does not compile for a packed layout.
    #[inline(always)]
    #[must_use]
    pub fn as_ref(&self) -> &P::Type {
        const { assert_aligned::<M>() };
        // SAFETY: the leaf is a value of its type and aligned; the slot, its only way, is borrowed.
        unsafe { &*self.access().pointer::<P>() }
    }

    /// A mutable reference to the value; does not compile for a packed layout.
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
    #[inline(always)]
    #[must_use]
    pub fn as_mut(&mut self) -> &mut P::Type {
        const { assert_aligned::<M>() };
        // SAFETY: as in `as_ref`; the slot is borrowed mutably.
        unsafe { &mut *self.access().pointer::<P>() }
    }

    /// A mutable reference to the value for as long as the view is borrowed; does not compile for a packed
    /// layout.
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
    #[inline(always)]
    #[must_use]
    pub fn into_mut(self) -> &'v mut P::Type {
        const { assert_aligned::<M>() };
        // SAFETY: as in `as_ref`; the slot, the only way to the leaf, is used up.
        unsafe { &mut *self.access().pointer::<P>() }
    }
}

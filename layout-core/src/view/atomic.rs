//! Atomic access to the leaves of a view from several threads, for histograms and scattered sums.

use core::marker::PhantomData;
use core::sync::atomic::{
    AtomicBool, AtomicI8, AtomicI16, AtomicI32, AtomicIsize, AtomicU8, AtomicU16, AtomicU32, AtomicUsize, Ordering,
};
#[cfg(target_has_atomic = "64")]
use core::sync::atomic::{AtomicI64, AtomicU64};

use super::{ArrayOf, ElementOf, IndexOf, PositionOf, RankOf, SlotsAt, View, index};
use crate::array::ArraySlots;
use crate::blob::{Address, BlobsMut, Use};
use crate::error::IndexError;
use crate::extents::IntoIndex;
use crate::leaf::Leaf;
use crate::mapping::{Element, Mapping, RecordLayout, computes};
use crate::path::{Child, Path};
use crate::record::{Field, Record};
use crate::sealed::Sealed;
use crate::slot::Slot;
use crate::tree::Node;

/// The elements of a view, whose leaves any number of threads may read and write at once. [`View::atomics`] makes it.
///
/// It is `Copy`, `Send` and `Sync`.
pub struct Atomics<'v, M, A> {
    mapping: M,
    address: A,
    view: PhantomData<&'v mut ()>,
}

copied!([M: Copy, A: Copy] Atomics<'_, M, A>);

/// The access to one element by atomic operations.
///
/// Invariant: as for [`At`](super::At); all other access to the leaves for `'v` is atomic.
pub struct AtomicAt<'v, M: Mapping, A> {
    element: ElementOf<M, A>,
    /// The distance of this access's leaf from the leaf of a path, in leaves.
    further: usize,
    view: PhantomData<&'v ()>,
}

/// The slots of an element of a view with mapping `M`, for atomic operations.
pub type AtomicSlots<'v, M, A> = SlotsAt<M, AtomicAt<'v, M, A>>;

copied!([M: Mapping, A: Copy] AtomicAt<'_, M, A>);

/// Fails to compile for leaves that have no aligned bytes of their own.
#[track_caller]
const fn assert_atomic<M: Mapping, P: Path>(align: usize) {
    assert!(
        !computes::<M::Record, M::Layout>(P::LEAF),
        "this layout computes the leaf: it has no bytes for atomic operations"
    );
    assert!(M::Layout::ALIGNED, "this layout is packed: its leaves are not aligned for atomic operations");
    assert!(align_of::<P::Type>() >= align, "this target aligns the leaf's type less than atomic operations need");
}

/// Fails to compile if the layout computes a leaf in some elements of the array `P` only: what is known of a leaf of
/// element 0 must hold for the same leaf in all elements.
#[track_caller]
const fn assert_alike<M: Mapping, P: Path>() {
    let Node::Array { element, len } = <P::Type as Record>::TREE else { panic!("slots of an array") };
    let (leaves, mut leaf) = (element.leaves(), 0);
    while leaf < leaves * *len {
        assert!(
            computes::<M::Record, M::Layout>(P::LEAF + leaf)
                == computes::<M::Record, M::Layout>(P::LEAF + leaf % leaves),
            "this layout computes a leaf of some elements of the array, which then have no bytes for atomic operations"
        );
        leaf += 1;
    }
}

impl<M: Mapping, A: Address> AtomicAt<'_, M, A> {
    /// The address of leaf `P`.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn pointer<P: Path<Root = M::Record>>(self, used: Use) -> *mut P::Type {
        let leaf = P::LEAF + self.further;
        if A::NOTES {
            // SAFETY: the invariant of the type is what the function asks for.
            unsafe { self.element.address.note(used, self.element, leaf) };
        }
        if self.further == 0 {
            // SAFETY: the invariant of the type is what the function asks for.
            unsafe { self.element.place::<P>() }
        } else {
            // SAFETY: as above; the leaf is in the array whose slots these are.
            unsafe { self.element.place_of(leaf) }.cast()
        }
    }
}

impl<M: Mapping, B: BlobsMut> View<M, B> {
    /// Gives atomic access to the elements, from several threads, while this view is borrowed.
    ///
    /// Computed leaves and unaligned (packed) leaves have no atomic operations: using one does not compile.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::sync::atomic::Ordering::Relaxed;
    /// use layout::prelude::*;
    ///
    /// #[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
    /// struct Bin { count: u32, sum: f64 }
    ///
    /// let mut histogram = alloc::<Bin, SoA, _>(10)?;
    /// let bins = histogram.atomics();
    /// std::thread::scope(|scope| {
    ///     for thread in 0..4 {
    ///         scope.spawn(move || {
    ///             for value in (thread..1000).step_by(4) {
    ///                 let bin = bins.at(value % 10);
    ///                 bin.count.fetch_add(1, Relaxed);
    ///                 bin.sum.fetch_add(value as f64, Relaxed);
    ///             }
    ///         });
    ///     }
    /// });
    /// assert_eq!(histogram.load(3), Bin { count: 100, sum: 49_800.0 });
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn atomics(&mut self) -> Atomics<'_, M, B::Address> {
        Atomics { mapping: self.mapping, address: self.blobs.address_mut(), view: PhantomData }
    }
}

impl<'v, M: Mapping, A: Address> Atomics<'v, M, A> {
    /// The number of elements along each dimension.
    pub fn extents(&self) -> ArrayOf<M> {
        use crate::extents::Extents;
        self.mapping.extents().array()
    }

    /// The slots of the element at `index`, for atomic operations.
    ///
    /// # Panics
    ///
    /// Panics if the index is not within the extents.
    #[cfg_attr(not(unoptimized), inline(always))]
    #[track_caller]
    pub fn at<I>(&self, index: I) -> AtomicSlots<'v, M, A>
    where
        I: IntoIndex<IndexOf<M>, RankOf<M>, Array = ArrayOf<M>>,
    {
        let index = index.into_index();
        match self.mapping.locate(index) {
            Some(position) => self.bind(position),
            None => index::out_of_range_of::<IndexOf<M>, _>(index, self.extents()),
        }
    }

    /// The slots of the element at `index`, for atomic operations.
    ///
    /// # Errors
    ///
    /// Returns an error if the index is not within the extents.
    #[inline]
    pub fn try_at<I>(&self, index: I) -> Result<AtomicSlots<'v, M, A>, IndexError>
    where
        I: IntoIndex<IndexOf<M>, RankOf<M>, Array = ArrayOf<M>>,
    {
        let index = index.into_index();
        match self.mapping.locate(index) {
            Some(position) => Ok(self.bind(position)),
            None => Err(index::index_error::<IndexOf<M>, _>(index, self.extents())),
        }
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn bind(&self, position: PositionOf<M>) -> AtomicSlots<'v, M, A> {
        let frame = self.mapping.frame();
        M::Record::bind(AtomicAt {
            element: Element::new(self.address, frame, position),
            further: 0,
            view: PhantomData,
        })
    }
}

impl<'v, M: Mapping, A: Address, P: Path<Root = M::Record>> ArraySlots<AtomicAt<'v, M, A>, P> {
    /// The slots of element `index`, for atomic operations.
    ///
    /// # Panics
    ///
    /// Panics if `index` is not below the array's length.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::sync::atomic::Ordering::Relaxed;
    /// use layout::prelude::*;
    ///
    /// let mut view = alloc::<[u32; 3], SoA, _>(4)?;
    /// view.atomics().at(1).atomic_at(2).store(7, Relaxed);
    /// assert_eq!(view.load(1), [0, 0, 7]);
    /// # Ok::<(), ViewError>(())
    /// ```
    ///
    /// An array of which the layout computes some elements does not compile: those elements have no bytes of that type.
    ///
    /// ```compile_fail,E0080
    /// use core::sync::atomic::Ordering::Relaxed;
    /// use layout::composed::{ChangeType, Split};
    /// use layout::path;
    /// use layout::prelude::*;
    ///
    /// type Narrow = Split<path!([f64; 2], [1]), ChangeType<SoA, f64, f32>, SoA>;
    /// let mut view = alloc::<[f64; 2], Narrow, _>(4).unwrap();
    /// view.atomics().at(1).atomic_at(1).store(1.0, Relaxed);
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    #[must_use]
    #[track_caller]
    pub fn atomic_at(
        &self,
        index: usize,
    ) -> <<Child<P, 0> as Path>::Type as Record>::Slots<AtomicAt<'v, M, A>, Child<P, 0>>
    where
        P::Type: Field<0>,
    {
        const { assert_alike::<M, P>() };
        let Node::Array { element, len } = <P::Type as Record>::TREE else { unreachable!("slots of an array") };
        assert!(index < *len, "index {index} is out of range for an array of length {len}");
        let access = self.access();
        <<Child<P, 0> as Path>::Type as Record>::bind(AtomicAt {
            further: access.further + index * element.leaves(),
            ..access
        })
    }
}

/// Leaves with atomic operations: integers up to the size of a pointer or 64 bits, `f32`, `f64` and `bool`.
pub trait AtomicLeaf: Leaf + Sealed {
    #[doc(hidden)]
    const ALIGN: usize;

    #[doc(hidden)]
    unsafe fn atomic_load(place: *mut Self, order: Ordering) -> Self;

    #[doc(hidden)]
    unsafe fn atomic_store(place: *mut Self, value: Self, order: Ordering);

    #[doc(hidden)]
    unsafe fn compare_exchange(
        place: *mut Self,
        current: Self,
        new: Self,
        success: Ordering,
        failure: Ordering,
    ) -> Result<Self, Self>;

    #[doc(hidden)]
    unsafe fn swap(place: *mut Self, value: Self, order: Ordering) -> Self;
}

/// Numbers with atomic operations.
pub trait AtomicNumber: AtomicLeaf {
    #[doc(hidden)]
    unsafe fn fetch_add(place: *mut Self, value: Self, order: Ordering) -> Self;

    #[doc(hidden)]
    unsafe fn fetch_min(place: *mut Self, value: Self, order: Ordering) -> Self;

    #[doc(hidden)]
    unsafe fn fetch_max(place: *mut Self, value: Self, order: Ordering) -> Self;
}

/// The operations of [`core::sync::atomic`], on the leaf's own bytes.
impl<M: Mapping, A: Address, P: Path<Root = M::Record, Type: AtomicLeaf>> Slot<AtomicAt<'_, M, A>, P> {
    /// Fails to compile if the leaf has no aligned bytes of its own. Each operation evaluates it, so that the compiler
    /// names the line that calls the operation.
    const CHECKED: () = assert_atomic::<M, P>(P::Type::ALIGN);

    #[cfg_attr(not(unoptimized), inline(always))]
    fn place(&self, used: Use) -> *mut P::Type {
        let () = Self::CHECKED;
        self.access().pointer::<P>(used)
    }

    /// Reads the value.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn load(&self, order: Ordering) -> P::Type {
        let () = Self::CHECKED;
        // SAFETY: it is the aligned place of the leaf, which is used by atomic operations only.
        unsafe { P::Type::atomic_load(self.place(Use::Read), order) }
    }

    /// Writes the value.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn store(&self, value: P::Type, order: Ordering) {
        let () = Self::CHECKED;
        // SAFETY: as in `load`.
        unsafe { P::Type::atomic_store(self.place(Use::Write), value, order) };
    }

    /// Writes the value, and returns the old value.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn swap(&self, value: P::Type, order: Ordering) -> P::Type {
        let () = Self::CHECKED;
        // SAFETY: as in `load`.
        unsafe { P::Type::swap(self.place(Use::Write), value, order) }
    }

    /// Writes `new` if the value equals `current` bit by bit, and returns the old value.
    ///
    /// # Errors
    ///
    /// Returns the value as an error if it differs from `current`.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn compare_exchange(
        &self,
        current: P::Type,
        new: P::Type,
        success: Ordering,
        failure: Ordering,
    ) -> Result<P::Type, P::Type> {
        let () = Self::CHECKED;
        // SAFETY: as in `load`.
        unsafe { P::Type::compare_exchange(self.place(Use::Write), current, new, success, failure) }
    }

    /// Adds to the value, and returns the old value; integers wrap.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn fetch_add(&self, value: P::Type, order: Ordering) -> P::Type
    where
        P::Type: AtomicNumber,
    {
        let () = Self::CHECKED;
        // SAFETY: as in `load`.
        unsafe { P::Type::fetch_add(self.place(Use::Write), value, order) }
    }

    /// Writes the smaller of the old value and `value`, and returns the old value; a NaN counts as missing.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn fetch_min(&self, value: P::Type, order: Ordering) -> P::Type
    where
        P::Type: AtomicNumber,
    {
        let () = Self::CHECKED;
        // SAFETY: as in `load`.
        unsafe { P::Type::fetch_min(self.place(Use::Write), value, order) }
    }

    /// Writes the greater of the old value and `value`, and returns the old value; a NaN counts as missing.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn fetch_max(&self, value: P::Type, order: Ordering) -> P::Type
    where
        P::Type: AtomicNumber,
    {
        let () = Self::CHECKED;
        // SAFETY: as in `load`.
        unsafe { P::Type::fetch_max(self.place(Use::Write), value, order) }
    }
}

macro_rules! atomic {
    ($($leaf:ty: $atomic:ident, $bits:ty, |$from:ident| $to_bits:expr, |$back:ident| $of_bits:expr;)+) => {$(
        // SAFETY (of what follows): the caller gives the aligned place of a leaf that all use by atomic operations.
        impl AtomicLeaf for $leaf {
            const ALIGN: usize = align_of::<$atomic>();

            #[cfg_attr(not(unoptimized), inline(always))]
            unsafe fn atomic_load(place: *mut Self, order: Ordering) -> Self {
                // SAFETY: as said above.
                let $back = unsafe { $atomic::from_ptr(place.cast()) }.load(order);
                $of_bits
            }

            #[cfg_attr(not(unoptimized), inline(always))]
            unsafe fn atomic_store(place: *mut Self, $from: Self, order: Ordering) {
                // SAFETY: as said above.
                unsafe { $atomic::from_ptr(place.cast()) }.store($to_bits, order);
            }

            #[cfg_attr(not(unoptimized), inline(always))]
            unsafe fn swap(place: *mut Self, $from: Self, order: Ordering) -> Self {
                // SAFETY: as said above.
                let $back = unsafe { $atomic::from_ptr(place.cast()) }.swap($to_bits, order);
                $of_bits
            }

            #[cfg_attr(not(unoptimized), inline(always))]
            unsafe fn compare_exchange(
                place: *mut Self,
                current: Self,
                new: Self,
                success: Ordering,
                failure: Ordering,
            ) -> Result<Self, Self> {
                let bits = |$from: Self| $to_bits;
                let value = |$back| $of_bits;
                // SAFETY: as said above.
                let place = unsafe { $atomic::from_ptr(place.cast()) };
                place.compare_exchange(bits(current), bits(new), success, failure).map(value).map_err(value)
            }
        }
    )+};
}

macro_rules! integers {
    ($($leaf:ty: $atomic:ident;)+) => {
        atomic! { $($leaf: $atomic, $leaf, |value| value, |bits| bits;)+ }
        $(
            // SAFETY (of what follows): as for `AtomicLeaf`.
            impl AtomicNumber for $leaf {
                #[cfg_attr(not(unoptimized), inline(always))]
                unsafe fn fetch_add(place: *mut Self, value: Self, order: Ordering) -> Self {
                    // SAFETY: as said above.
                    unsafe { $atomic::from_ptr(place) }.fetch_add(value, order)
                }

                #[cfg_attr(not(unoptimized), inline(always))]
                unsafe fn fetch_min(place: *mut Self, value: Self, order: Ordering) -> Self {
                    // SAFETY: as said above.
                    unsafe { $atomic::from_ptr(place) }.fetch_min(value, order)
                }

                #[cfg_attr(not(unoptimized), inline(always))]
                unsafe fn fetch_max(place: *mut Self, value: Self, order: Ordering) -> Self {
                    // SAFETY: as said above.
                    unsafe { $atomic::from_ptr(place) }.fetch_max(value, order)
                }
            }
        )+
    };
}

macro_rules! floats {
    ($($leaf:ty: $atomic:ident, $bits:ty;)+) => {
        atomic! { $($leaf: $atomic, $bits, |value| value.to_bits(), |bits| <$leaf>::from_bits(bits);)+ }
        $(
            // SAFETY (of what follows): as for `AtomicLeaf`.
            impl AtomicNumber for $leaf {
                #[cfg_attr(not(unoptimized), inline(always))]
                unsafe fn fetch_add(place: *mut Self, value: Self, order: Ordering) -> Self {
                    // SAFETY: as said above.
                    unsafe { update(place, order, |old| old + value) }
                }

                #[cfg_attr(not(unoptimized), inline(always))]
                unsafe fn fetch_min(place: *mut Self, value: Self, order: Ordering) -> Self {
                    // SAFETY: as said above.
                    unsafe { update(place, order, |old: Self| old.min(value)) }
                }

                #[cfg_attr(not(unoptimized), inline(always))]
                unsafe fn fetch_max(place: *mut Self, value: Self, order: Ordering) -> Self {
                    // SAFETY: as said above.
                    unsafe { update(place, order, |old: Self| old.max(value)) }
                }
            }
        )+
    };
}

/// Replaces the value by the result of `f` for it, and returns the old value.
///
/// # Safety
///
/// The place is an aligned one of a leaf that all use by atomic operations.
#[cfg_attr(not(unoptimized), inline(always))]
unsafe fn update<T: AtomicLeaf>(place: *mut T, order: Ordering, f: impl Fn(T) -> T) -> T {
    // SAFETY: the condition is the caller's.
    let mut old = unsafe { T::atomic_load(place, Ordering::Relaxed) };
    loop {
        // SAFETY: the condition is the caller's.
        match unsafe { T::compare_exchange(place, old, f(old), order, Ordering::Relaxed) } {
            Ok(old) => return old,
            Err(other) => old = other,
        }
    }
}

integers! {
    u8: AtomicU8; u16: AtomicU16; u32: AtomicU32; usize: AtomicUsize;
    i8: AtomicI8; i16: AtomicI16; i32: AtomicI32; isize: AtomicIsize;
}
#[cfg(target_has_atomic = "64")]
integers! { u64: AtomicU64; i64: AtomicI64; }
floats! { f32: AtomicU32, u32; }
#[cfg(target_has_atomic = "64")]
floats! { f64: AtomicU64, u64; }
atomic! { bool: AtomicBool, bool, |value| value, |bits| bits; }

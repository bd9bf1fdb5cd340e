//! Views: access to elements in memory by index and by the field names of their record.

/// An instruction on values.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
macro_rules! instruction {
    ($($call:tt)+) => {{
        // SAFETY: it works on values, and the compiler was told that the processor has it.
        unsafe { $($call)+ }
    }};
}

// The first module, because the documentation of `View` lists methods in the order of modules: constructors come first.
mod own;

mod access;
#[cfg(feature = "alloc")]
mod allocate;
mod atomic;
mod blocks;
mod bulk;
mod bytes;
mod column;
mod copy;
mod cursor;
mod elements;
#[cfg(feature = "alloc")]
mod fill;
mod index;
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
mod interleaved;
mod iterate;
mod lanes;
mod lanes_at;
mod lasting;
mod non_temporal;
mod observe;
mod opened;
mod properties;
mod raw;
mod refused;
mod rows;
mod slice;
mod slice_args;
mod split;
mod streaming;
mod walk;
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
mod words;
mod zip;

#[cfg(feature = "rayon")]
mod parallel;
mod partial;
#[cfg(feature = "serde")]
mod serde;

pub use access::At;
#[cfg(feature = "alloc")]
pub use allocate::{Alloc, alloc, alloc_from_fn};
pub use atomic::{AtomicAt, AtomicLeaf, AtomicNumber, AtomicSlots, Atomics};
#[doc(hidden)]
pub use blocks::each_block;
pub use copy::{AllFields, FieldChoice, SharedFields, SourceFields, TargetFields};
#[doc(hidden)]
pub use copy::{copy_values, is_packable, pack, unpack};
pub use cursor::{Iter, IterMut, IterOf};
#[cfg(feature = "alloc")]
pub(crate) use index::index_error;
pub use lanes_at::{Count, LanesAt, Partial, Whole};
pub use lasting::{BorrowedBlobs, Lasting};
#[cfg(feature = "alloc")]
pub use own::{Owned, OwnedIn};
#[cfg(feature = "alloc")]
#[doc(hidden)]
pub use own::{zeroed_for, zeroed_or};
#[cfg(feature = "rayon")]
pub use parallel::SendSlots;
#[doc(hidden)]
pub use raw::{PartOf, WithinOf, block_of, block_of_mut, copy_to_block, part_of, part_of_mut};
#[cfg(feature = "serde")]
pub(crate) use refused::check_refused_records;
#[doc(hidden)]
pub use refused::{check_records, check_refused, check_values, refuses};
#[cfg(feature = "check")]
pub(crate) use rows::indices;
pub use slice::{BlockOf, PermutedOf, SlicedBy, TransposedOf};
pub use slice_args::{SliceArg, SliceArgs, StaticRange, Stepped, static_range, step};
pub use split::SplitPaths;
pub use zip::{Part, Zip, Zipped, try_zip, zip};

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

#[cfg(feature = "alloc")]
use crate::blob::SeparateList;
use crate::blob::{
    Address, Blobs, BlobsMut, Bytes, CloneBlobs, Exclusive, NewBlobs, Region, Separate, SeparateMut, Shared,
};
use crate::error::{List, ViewError};
use crate::extents::{Extents, IndexArray, Keep};
use crate::leaf_table::LeafTable;
use crate::mapping::{Element, Mapping, RecordLayout, Viewed};
use crate::path::{Path, Root, Select, assert_exists};
use crate::record::Record;

/// `[usize; N]`: an index of a view with mapping `M`.
pub(crate) type ArrayOf<M> = <<M as Mapping>::Extents as Extents>::Array;
/// The numbers that the layout of `M` derives from the number of positions.
pub(crate) type FrameOf<M> = <<M as Mapping>::Layout as RecordLayout<<M as Mapping>::Record>>::Frame;
/// The position of an element, in the form that the layout of `M` uses.
pub(crate) type PositionOf<M> = <<M as Mapping>::Layout as RecordLayout<<M as Mapping>::Record>>::Position;
/// The codec for the leaves that the layout of `M` computes.
pub(crate) type CodecOf<M> = <<M as Mapping>::Layout as RecordLayout<<M as Mapping>::Record>>::Codec;
/// An element of a view with mapping `M`.
pub(crate) type ElementOf<M, A> = Element<<M as Mapping>::Record, <M as Mapping>::Layout, A>;
/// The marker type that says whether leaves may share bytes.
pub(crate) type SharingOf<M> = <<M as Mapping>::Layout as RecordLayout<<M as Mapping>::Record>>::Sharing;
/// The integer type of indices.
type IndexOf<M> = <<M as Mapping>::Extents as Extents>::Index;
/// The rank of the extents.
type RankOf<M> = <<M as Mapping>::Extents as Extents>::Rank;

/// The read-only slots of one element of a view with mapping `M` and blobs `B`.
///
/// The closures of [`View::for_each`] receive these slots, and [`View::at`] returns them. For a known record, the type
/// is the struct of slots that the derive generates; see [`Record::Slots`].
pub type Slots<'v, M, B> = SlotsAt<M, At<&'v (), M, <B as Blobs>::Address>>;
/// The writable slots of one element of a view with mapping `M` and blobs `B`.
pub type SlotsMut<'v, M, B> = SlotsAt<M, At<&'v mut (), M, <B as Blobs>::Address>>;
/// The slots of one element of a view with mapping `M`, over the access `A`.
pub type SlotsAt<M, A> = <<M as Mapping>::Record as Record>::Slots<A, Root<<M as Mapping>::Record>>;

/// A read-only view, borrowed from a view with blobs `B`.
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
///
/// fn borrowed<'v, M: Mapping, B: Blobs>(view: &'v View<M, B>) -> ViewRef<'v, M, B> {
///     view.as_ref()
/// }
/// assert_eq!(borrowed(&alloc::<u8, SoA, _>(3)?).len(), 3);
/// # Ok::<(), ViewError>(())
/// ```
pub type ViewRef<'v, M, B> = View<M, Shared<'v, <B as Blobs>::Address>>;
/// A mutable view, borrowed from a view with blobs `B` or from a part of one.
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
///
/// fn zero<M: Mapping<Record = u8>, B: BlobsMut>(mut view: View<M, B>) {
///     view.fill(0);
/// }
/// let mut view = alloc_from_fn::<u8, SoA, _>(3, |_| 1)?;
/// zero(view.as_mut());
/// assert_eq!(view.to_vec(), [0; 3]);
/// # Ok::<(), ViewError>(())
/// ```
pub type ViewMut<'v, M, B> = View<M, Exclusive<'v, <B as Blobs>::Address>>;

/// Elements in memory: the mapping `M` says where each leaf lies, and the blobs `B` hold the bytes.
///
/// A `View` can only be made after checks, so its existence proves three facts: the blobs fit the mapping, all leaves
/// hold values of their types, and no two elements share a bit if the blobs can be written.
///
/// [`alloc`](crate::alloc()) and [`from_fn`](Self::from_fn) make views that own their memory. Four constructors use
/// existing memory: [`from_bytes`](Self::from_bytes), [`from_blobs`](Self::from_blobs),
/// [`from_records`](Self::from_records) and [`inline`](Self::inline). [`new`](Self::new) takes blobs of your own type.
///
/// | To | Methods |
/// |---|---|
/// | reach one element | [`at`](Self::at), [`get`](Self::get), [`set`](Self::set), [`try_at`](Self::try_at) |
/// | walk all | [`for_each`](Self::for_each), [`for_each_lanes`](Self::for_each_lanes), [`iter`](Self::iter), [`zip`](crate::zip) |
/// | see a part | [`field`](Self::field), [`column`](Self::column), [`slice`](Self::slice), [`transposed`](Self::transposed) |
/// | write to several parts | [`split`](Self::split), [`split_at`](Self::split_at) |
/// | hand to other code | [`blob_bytes`](Self::blob_bytes), [`as_ptr`](Self::as_ptr), [`Mapping::byte_strides`] |
/// | change or copy all | [`fill`](Self::fill), [`update`](Self::update), [`map`](Self::map), [`copy_from`](Self::copy_from), [`to_vec`](Self::to_vec) |
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
///
/// #[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
/// struct Particle { pos: [f32; 2], mass: f32 }
///
/// let mut particles = alloc::<Particle, SoA, _>([10, 10])?;
/// particles.at_mut([3, 4]).mass.set(2.0);
/// particles.for_each_mut(|mut p| p.mass += 1.0);
/// assert_eq!(particles.field(Particle::PATHS.mass).get([3, 4]), 3.0);
/// assert_eq!(particles.slice((3, ..)).load(4), Particle { pos: [0.0; 2], mass: 3.0 });
/// # Ok::<(), ViewError>(())
/// ```
// The mapping is the first field: the compiler then sees one address for its extents, both where a kernel reads them
// and where an access by index does, even before it simplifies addresses. It needs that to drop index checks.
#[repr(C)]
pub struct View<M: Viewed, B> {
    mapping: M,
    /// The number of positions. It is a product, and every access by index reads it.
    slots: M::Kept,
    blobs: B,
}

impl<M: Mapping, B: Blobs> View<M, B> {
    /// # Safety
    ///
    /// The blobs fit the mapping, as [`NewBlobs::check`] would say; all leaves that the mapping reaches are
    /// values of their types; the mapping is unique if the blobs can be written.
    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn trusted(mapping: M, blobs: B) -> Self {
        Self { slots: Keep::keep(mapping.span()), mapping, blobs }
    }

    /// Checks the preconditions of [`trusted`](Self::trusted), and makes the view.
    fn checked(mapping: M, blobs: B) -> Result<Self, ViewError>
    where
        B: NewBlobs,
    {
        blobs.check::<M::Record, M::Layout>(mapping.layout(), mapping.span())?;
        if B::MUTABLE && !mapping.is_unique() {
            return Err(ViewError::NotUnique);
        }
        let view = Self { slots: Keep::keep(mapping.span()), mapping, blobs };
        if !LeafTable::of::<M::Record>().any_bits() {
            view.validate()?;
        }
        Ok(view)
    }

    /// Checks that all bytes are values of their leaves' types. The blobs must fit the mapping.
    fn validate(&self) -> Result<(), ViewError> {
        let table = LeafTable::of::<M::Record>();
        let (address, frame) = (self.blobs.address(), self.mapping.frame());
        // Leaf by leaf: most leaves of most records need no check.
        for leaf in (0..table.count()).filter(|leaf| !table.leaf(*leaf).any_bits()) {
            let mut bad = None;
            walk::each_index(&self.mapping, |index, position| {
                // SAFETY: the caller checked the blobs; frame, position and leaf are of the mapping.
                let valid = unsafe { Element::<_, M::Layout, _>::new(address, frame, position).is_valid(leaf) };
                if !valid && bad.is_none() {
                    bad = Some(List::of(index.as_ref()));
                }
            });
            if let Some(index) = bad {
                return Err(ViewError::InvalidValue { leaf: M::Record::TREE.leaf_name(leaf), index });
            }
        }
        Ok(())
    }

    /// The mapping.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let view = alloc::<u16, SoA, _>(10)?;
    /// assert_eq!(view.mapping().place_of([3], 0), Place { blob: 0, offset: 6 });
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn mapping(&self) -> M {
        self.mapping
    }

    /// The blobs.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mapping = Mapped::<u8, _, AoS>::new(extents!(dyn 3))?;
    /// let view = View::from_bytes(mapping, vec![1, 2, 3])?;
    /// let blobs = view.into_blobs();
    /// assert_eq!(format!("{blobs:?}"), "Region([1, 2, 3])");
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn into_blobs(self) -> B {
        self.blobs
    }

    /// The number of elements along each dimension.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// assert_eq!(alloc::<u8, AoS, _>([3, 4])?.extents(), [3, 4]);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn extents(&self) -> ArrayOf<M> {
        self.mapping.extents().array()
    }

    /// Checks that the view has these extents.
    ///
    /// A kernel over several views calls this before its loops. The compiler then knows that an index within one view
    /// is within the others too, and drops the checks inside the loops. `assert_eq!` compares in memory, so it does not
    /// tell the compiler.
    ///
    /// # Panics
    ///
    /// Panics if an extent differs.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let (a, b) = (alloc::<f32, SoA, _>(100)?, alloc::<f32, SoA, _>(100)?);
    /// let [len] = a.extents();
    /// b.assert_extents([len]);
    /// assert_eq!((0..len).map(|i| a.get(i) * b.get(i)).sum::<f32>(), 0.0);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    #[track_caller]
    pub fn assert_extents(&self, extents: ArrayOf<M>) {
        let own = self.extents();
        if !own.same(extents) {
            extents_differ(own.reversed(), extents.reversed());
        }
    }

    /// The number of elements.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// assert_eq!(alloc::<u8, AoS, _>([3, 4])?.len(), 12);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        // The product fits `usize` or is zero: the constructor of the mapping checked it.
        self.mapping.extents().volume().unwrap_or(0)
    }

    /// Returns `true` if the view has no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Borrows this view as a read-only view.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let view = alloc::<u8, AoS, _>(4)?;
    /// let (a, b) = (view.as_ref(), view.as_ref());
    /// assert_eq!(a, b);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn as_ref(&self) -> ViewRef<'_, M, B> {
        // SAFETY: the blobs are borrowed for the lifetime of the result.
        let blobs = unsafe { Shared::new(self.blobs.address()) };
        // SAFETY: the blobs are the same, and cannot be written.
        unsafe { View::trusted(self.mapping, blobs) }
    }

    /// The read-only view of one leaf or branch of every element.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// #[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
    /// struct Particle { pos: [f32; 2], mass: f32 }
    ///
    /// let particles = alloc::<Particle, AoS, _>(5)?;
    /// assert_eq!(particles.field(Particle::PATHS.pos).load(4), [0.0, 0.0]); // a branch
    /// assert_eq!(particles.field(Particle::PATHS.pos.element::<1>()).get(4), 0.0); // a leaf
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn field<S>(&self, _: S) -> ViewRef<'_, M::Below<S::Path>, B>
    where
        S: Select<Path: Path<Root = M::Record>>,
    {
        const { assert_exists::<S::Path>() };
        // SAFETY: the blobs are borrowed for the lifetime of the result.
        let blobs = unsafe { Shared::new(self.blobs.address().part(S::Path::LEAF)) };
        // SAFETY: the leaves are some of those of the whole record, at the same places.
        unsafe { View::trusted(self.mapping.below::<S::Path>(), blobs) }
    }

    /// Borrows this view as a mutable view.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut view = alloc::<u8, AoS, _>(4)?;
    /// let mut borrowed = view.as_mut();
    /// borrowed.fill(1);
    /// assert_eq!(view.to_vec(), [1; 4]);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn as_mut(&mut self) -> ViewMut<'_, M, B>
    where
        B: BlobsMut,
    {
        // SAFETY: the blobs are borrowed mutably for the lifetime of the result.
        let blobs = unsafe { Exclusive::new(self.blobs.address_mut()) };
        // SAFETY: blobs and mapping are the same.
        unsafe { View::trusted(self.mapping, blobs) }
    }

    /// The mutable view of one leaf or branch of every element.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// #[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
    /// struct Particle { pos: [f32; 2], mass: f32 }
    ///
    /// let mut particles = alloc::<Particle, AoS, _>(5)?;
    /// particles.field_mut(Particle::PATHS.mass).fill(1.0);
    /// assert_eq!(particles.load(4).mass, 1.0);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn field_mut<S>(&mut self, _: S) -> ViewMut<'_, M::Below<S::Path>, B>
    where
        B: BlobsMut,
        S: Select<Path: Path<Root = M::Record>>,
    {
        const { assert_exists::<S::Path>() };
        // SAFETY: the blobs are borrowed mutably for the lifetime of the result.
        let blobs = unsafe { Exclusive::new(self.blobs.address_mut().part(S::Path::LEAF)) };
        // SAFETY: the leaves are some of those of the whole record, at the same places.
        unsafe { View::trusted(self.mapping.below::<S::Path>(), blobs) }
    }
}

impl<M: Mapping, B: NewBlobs> View<M, B> {
    /// Makes a view of blobs of any type, such as a type of your own that implements [`Blobs`] and [`NewBlobs`], and
    /// [`BlobsMut`] if they can be written.
    ///
    /// For bytes in one piece or a slice for each blob, there are [`from_bytes`](Self::from_bytes),
    /// [`from_blobs`](Self::from_blobs) and [`from_blob_list`](Self::from_blob_list).
    ///
    /// # Errors
    ///
    /// Returns an error if [`NewBlobs::check`] does, if the bytes are not values of their leaves' types (`bool`, `char`), or
    /// if they can be written and elements share bytes.
    ///
    /// # Complexity
    ///
    /// The same as [`from_bytes`](Self::from_bytes), and that of the check.
    ///
    /// # Examples
    ///
    /// Blobs in memory that the type aligns itself, and that can be written:
    ///
    /// ```
    /// use layout::blob::{NewBlobs, RegionAddress};
    /// use layout::prelude::*;
    ///
    /// #[repr(align(64))]
    /// struct Window([u8; 1024]);
    /// struct Boxed(Box<Window>);
    ///
    /// // SAFETY: the box lies elsewhere, so its address stays when the value is moved, and while it is borrowed.
    /// unsafe impl Blobs for Boxed {
    ///     type Address = RegionAddress;
    ///     const MUTABLE: bool = true;
    ///     fn address(&self) -> RegionAddress {
    ///         RegionAddress::new(self.0.0.as_ptr().cast_mut())
    ///     }
    /// }
    /// // SAFETY: the box is borrowed mutably with the value.
    /// unsafe impl BlobsMut for Boxed {
    ///     fn address_mut(&mut self) -> RegionAddress {
    ///         RegionAddress::new(self.0.0.as_mut_ptr())
    ///     }
    /// }
    /// // SAFETY: the size and the alignment are those of the type, and are compared with what the layout asks for.
    /// unsafe impl NewBlobs for Boxed {
    ///     fn check<R: Record, L: RecordLayout<R>>(&self, layout: L, slots: usize) -> Result<(), ViewError> {
    ///         let (given, needed) = (size_of::<Window>(), layout.region_size(slots));
    ///         if given < needed {
    ///             return Err(ViewError::BlobSize { blob: 0, given, needed });
    ///         }
    ///         if L::ALIGN > align_of::<Window>() {
    ///             return Err(ViewError::BlobAlignment { blob: 0, needed: L::ALIGN });
    ///         }
    ///         Ok(())
    ///     }
    /// }
    ///
    /// let boxed = Boxed(Box::new(Window([0; 1024])));
    /// let mut view = View::new(Mapped::<[f32; 2], _, SoA>::new(extents!(dyn 100))?, boxed)?;
    /// view.set(99, [1.0, 2.0]);
    /// assert_eq!(view.load(99), [1.0, 2.0]);
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn new(mapping: M, blobs: B) -> Result<Self, ViewError> {
        Self::checked(mapping, blobs)
    }
}

impl<M: Mapping, B: Bytes> View<M, Region<B>> {
    /// Makes a view of contiguous bytes: `&[u8]`, `&mut [u8]`, `Vec<u8>`, `Arc<[u8]>`, [`Inline`](crate::Inline) and
    /// similar types.
    ///
    /// Several blobs lie one after another, as they do in memory that a view allocates.
    ///
    /// # Errors
    ///
    /// Returns an error if there are too few bytes, if they are not aligned or memory of a `Heap` was allocated for less, if they are not
    /// values of their leaves' types (`bool`, `char`), or if they can be written and elements share bytes.
    ///
    /// # Complexity
    ///
    /// Constant if every bit pattern is a value of every leaf; otherwise linear in the number of elements.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mapping = Mapped::<[u8; 2], _, SoASingle<Packed>>::new(extents!(dyn 3))?;
    /// let view = View::from_bytes(mapping, &[1, 2, 3, 4, 5, 6][..])?;
    /// assert_eq!(view.load(1), [2, 5]);
    /// assert!(matches!(View::from_bytes(mapping, &[1, 2][..]).err(), Some(ViewError::BlobSize { needed: 6, .. })));
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn from_bytes(mapping: M, bytes: B) -> Result<Self, ViewError> {
        Self::checked(mapping, Region(bytes))
    }
}

impl<'a, M: Mapping, const N: usize> View<M, Separate<'a, N>> {
    /// Makes a read-only view of one slice of bytes for each blob.
    ///
    /// # Errors
    ///
    /// Returns an error if the number of slices is wrong, or if a slice is too small, not aligned, or holds bytes that
    /// are not values of their leaves' types.
    ///
    /// # Complexity
    ///
    /// The same as [`from_bytes`](Self::from_bytes).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mapping = Mapped::<[u8; 2], _, SoA>::new(extents!(dyn 3))?;
    /// let view = View::from_blobs(mapping, [&[1, 2, 3], &[4, 5, 6]])?;
    /// assert_eq!(view.load(1), [2, 5]);
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn from_blobs(mapping: M, blobs: [&'a [u8]; N]) -> Result<Self, ViewError> {
        Self::checked(mapping, blobs.into())
    }
}

#[cfg(feature = "alloc")]
impl<M: Mapping, B: Bytes> View<M, SeparateList<B>> {
    /// Makes a read-only view of one `B` for each blob, as [`from_blobs`](View::from_blobs) does, for code that does not know the
    /// number of blobs by type. The view owns the list.
    ///
    /// A blob needs to be aligned for the leaves that lie in it, even if others need more.
    ///
    /// # Errors
    ///
    /// Returns an error in the cases of [`from_blobs`](View::from_blobs).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// fn from_columns<R: Record>(len: usize, columns: Vec<&[u8]>) -> Result<R, ViewError> {
    ///     let view = View::from_blob_list(Mapped::<R, _, SoA>::new(extents!(dyn len))?, columns)?;
    ///     Ok(view.load(1))
    /// }
    /// assert_eq!(from_columns::<[u8; 2]>(3, vec![&[1, 2, 3], &[4, 5, 6]])?, [2, 5]);
    /// assert!(from_columns::<bool>(2, vec![&[1, 2]]).is_err());
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn from_blob_list(mapping: M, blobs: Vec<B>) -> Result<Self, ViewError> {
        Self::checked(mapping, SeparateList::new(blobs))
    }
}

impl<'a, M: Mapping, const N: usize> View<M, SeparateMut<'a, N>> {
    /// Makes a mutable view of one mutable slice of bytes for each blob.
    ///
    /// # Errors
    ///
    /// Returns an error in the cases of [`from_blobs`](View::from_blobs), and if elements share bytes.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mapping = Mapped::<[u8; 2], _, SoA>::new(extents!(dyn 3))?;
    /// let (mut first, mut second) = ([0; 3], [0; 3]);
    /// View::from_blobs_mut(mapping, [&mut first, &mut second])?.set(1, [2, 5]);
    /// assert_eq!((first, second), ([0, 2, 0], [0, 5, 0]));
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn from_blobs_mut(mapping: M, blobs: [&'a mut [u8]; N]) -> Result<Self, ViewError> {
        Self::checked(mapping, blobs.into())
    }
}

/// Copies owned memory; borrowed blobs are not copied.
impl<M: Mapping, B: CloneBlobs> Clone for View<M, B> {
    fn clone(&self) -> Self {
        Self { mapping: self.mapping, slots: self.slots, blobs: self.blobs.clone() }
    }
}

impl<M: Mapping, B: CloneBlobs + Copy> Copy for View<M, B> {}

// The arguments are in reverse: see `index.rs`.
#[cold]
#[inline(never)]
#[track_caller]
fn extents_differ<A: IndexArray>(reversed_own: A, reversed_expected: A) -> ! {
    let (own, expected) = (reversed_own.reversed(), reversed_expected.reversed());
    panic!("the view has extents {}, and {} were expected", List::of(own.as_ref()), List::of(expected.as_ref()))
}

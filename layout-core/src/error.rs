//! Errors. Each says what was given and what is allowed.

use core::fmt;

use thiserror::Error;

use crate::extents::{IndexArray, IndexType};
use crate::tree::LeafName;

/// Up to eight numbers for display: an index, extents or strides.
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
///
/// let error = alloc::<u8, SoA, _>([3, 4])?.try_at([3, 0]).err().unwrap();
/// assert_eq!((error.index.as_ref(), error.index.to_string()), (&[3, 0][..], "[3, 0]".to_owned()));
/// # Ok::<(), ViewError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct List {
    values: [isize; 8],
    len: u8,
    /// `signed`: the type of the numbers has negative values. `wide`: it is wider than `usize`.
    signed: bool,
    wide: bool,
}

impl List {
    pub(crate) fn of(values: &[usize]) -> Self {
        Self::of_indices::<usize>(values)
    }

    /// The list of numbers of type `I`, as [`IndexType::to_usize`] gives them.
    pub(crate) fn of_indices<I: IndexType>(values: &[usize]) -> Self {
        let mut list = Self { values: [0; 8], len: 0, signed: I::SIGNED, wide: size_of::<I>() > size_of::<usize>() };
        for (to, from) in list.values.iter_mut().zip(values) {
            *to = from.cast_signed();
            list.len += 1;
        }
        list
    }
}

/// The numbers as `isize`; a number above `isize::MAX` keeps its bits and so becomes negative.
impl AsRef<[isize]> for List {
    fn as_ref(&self) -> &[isize] {
        &self.values[..self.len.into()]
    }
}

impl fmt::Display for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.as_ref().iter().map(|value| Shown { value: *value, list: self })).finish()
    }
}

/// One number of a list, for display.
struct Shown<'l> {
    value: isize,
    list: &'l List,
}

impl fmt::Debug for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { value, list: List { signed, wide, .. } } = *self;
        match (signed, wide) {
            (false, true) if value == -1 => write!(f, "{} or more", usize::MAX),
            (false, _) => write!(f, "{}", value.cast_unsigned()),
            (true, true) if value == isize::MIN => write!(f, "{} or more", value.unsigned_abs()),
            (true, true) if value == -isize::MAX => write!(f, "{value} or less"),
            (true, _) => write!(f, "{value}"),
        }
    }
}

impl fmt::Debug for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The words for an extent that is refused although it is not negative.
const MORE: &str = "more than its index type or `isize` can count";

/// The error for extents that no view can have.
///
/// # Examples
///
/// ```
/// use layout::error::ExtentsError;
/// use layout::{ArrayExtents, Dyn};
///
/// let error = ArrayExtents::<i32, (Dyn,)>::new([-1]);
/// assert_eq!(error, Err(ExtentsError::Extent { dimension: 0, given: -1 }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ExtentsError {
    /// An extent differs from the static extent.
    #[error("extent {given} was given for dimension {dimension}, whose extent is {fixed} by type")]
    Static {
        /// The dimension.
        dimension: usize,
        /// The extent that was given.
        given: i128,
        /// The static extent.
        fixed: usize,
    },
    /// An extent is negative, or does not fit the index type or `isize`.
    #[error("extent {given} of dimension {dimension} is {}", if *given < 0 { "negative" } else { MORE })]
    Extent {
        /// The dimension.
        dimension: usize,
        /// The extent that was given.
        given: i128,
    },
    /// The elements need more bytes than the index type or `isize` can count.
    #[error(
        "a view with extents {extents} needs more bytes than {}: at most {most}",
        if *most < isize::MAX.cast_unsigned() { "its index type can count" } else { "an allocation can have" }
    )]
    TooLarge {
        /// The extents.
        extents: List,
        /// The most bytes a blob may have.
        most: usize,
    },
    /// A stride that must be one by type was given as another number.
    #[error("stride {given} was given for dimension {dimension}, whose stride is 1 by type")]
    UnitStride {
        /// The dimension.
        dimension: usize,
        /// The stride that was given.
        given: isize,
    },
    /// The layout cannot be used for this record.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// A strided linearization reaches positions below zero.
    #[error("offset {offset} and strides of extents {extents} reach positions below zero")]
    BelowZero {
        /// The extents.
        extents: List,
        /// The offset of the linearization.
        offset: usize,
    },
    /// A linearization is not for these extents; [`unfit`](Self::unfit) makes this error.
    #[error("extents {extents} do not fit the linearization: {reason}")]
    Unfit {
        /// The extents.
        extents: List,
        /// The reason, in the words of the linearization.
        reason: &'static str,
    },
}

impl ExtentsError {
    /// Makes the error of a linearization of your own that is not for these extents, for its
    /// [`fit`](crate::Linearization::fit).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::error::ExtentsError;
    ///
    /// let error = ExtentsError::unfit([3, 4], "the curve fills squares only");
    /// assert_eq!(error.to_string(), "extents [3, 4] do not fit the linearization: the curve fills squares only");
    /// ```
    #[must_use]
    pub fn unfit<A: IndexArray>(extents: A, reason: &'static str) -> Self {
        Self::Unfit { extents: List::of(extents.as_ref()), reason }
    }
}

/// The error for a layout whose numbers do not fit a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// A leaf cannot be stored in that many bits.
    #[error("leaf `{leaf}` was to be stored in {bits} bits; allowed are {least} to {most}")]
    Bits {
        /// The leaf.
        leaf: LeafName,
        /// The number of bits that was given.
        bits: u32,
        /// The fewest bits that are allowed.
        least: u32,
        /// The most bits that are allowed.
        most: u32,
    },
    /// A float cannot be stored with that many bits of exponent.
    #[error("leaf `{leaf}` was to be stored with an exponent of {bits} bits; allowed are {least} to {most}")]
    Exponent {
        /// The leaf.
        leaf: LeafName,
        /// The number of bits that was given.
        bits: u32,
        /// The fewest bits that are allowed.
        least: u32,
        /// The most bits that are allowed.
        most: u32,
    },
    /// A float cannot be stored with that many bits of mantissa.
    #[error("leaf `{leaf}` was to be stored with a mantissa of {bits} bits; allowed are {least} to {most}")]
    Mantissa {
        /// The leaf.
        leaf: LeafName,
        /// The number of bits that was given.
        bits: u32,
        /// The fewest bits that are allowed.
        least: u32,
        /// The most bits that are allowed.
        most: u32,
    },
    /// The layout does not store leaves of this type.
    #[error("leaf `{leaf}` is no {wanted}: store it in another layout, by `Split`")]
    Type {
        /// The leaf.
        leaf: LeafName,
        /// The kind of leaves that the layout stores.
        wanted: &'static str,
    },
    /// The projection is for leaves of another type.
    #[error("leaf `{leaf}` is of type `{given}`, and its projection is one of `{wanted}`")]
    Projection {
        /// The leaf.
        leaf: LeafName,
        /// The leaf's type.
        given: &'static str,
        /// The projection's `Value`.
        wanted: &'static str,
    },
}

/// The error for a value that a layout cannot store in a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("value {value} does not fit leaf `{leaf}`, which stores {least} to {most}")]
pub struct ValueError {
    /// The leaf.
    pub leaf: LeafName,
    /// The value.
    pub value: i128,
    /// The least value that is allowed.
    pub least: i128,
    /// The greatest value that is allowed.
    pub most: i128,
}

/// The error of constructors of views.
///
/// # Examples
///
/// ```
/// use layout::{AoS, Mapped, View, ViewError, extents};
///
/// let mapping = Mapped::<u32, _, AoS>::new(extents!(dyn 4))?;
/// let error = View::from_bytes(mapping, &[0; 15][..]).err();
/// assert_eq!(error, Some(ViewError::BlobSize { blob: 0, given: 15, needed: 16 }));
/// # Ok::<(), ViewError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ViewError {
    /// The extents cannot be mapped.
    #[error(transparent)]
    Extents(#[from] ExtentsError),
    /// The number of blobs differs from that of the mapping.
    #[error("{given} blobs were given to a mapping that has {needed}")]
    BlobCount {
        /// The number of blobs that were given.
        given: usize,
        /// The number of blobs that the mapping has.
        needed: usize,
    },
    /// A blob is too small.
    #[error("blob {blob} has {given} bytes and needs {needed}")]
    BlobSize {
        /// The blob.
        blob: usize,
        /// The blob's size in bytes.
        given: usize,
        /// The size in bytes that the blob needs.
        needed: usize,
    },
    /// One piece of memory is too small for all blobs.
    #[error(
        "{given} bytes are too few for {blobs} blobs in one piece, which need {needed} with the padding between them"
    )]
    RegionSize {
        /// The number of blobs.
        blobs: usize,
        /// The size in bytes that was given.
        given: usize,
        /// The size in bytes that is needed: [`Mapping::region_size`](crate::Mapping::region_size).
        needed: usize,
    },
    /// A blob that starts at an address which is not aligned, or memory that is aligned by chance: it was allocated for less.
    #[error(
        "blob {blob} starts at an address that is no multiple of {needed}, or was allocated for a smaller alignment"
    )]
    BlobAlignment {
        /// The blob.
        blob: usize,
        /// The alignment in bytes that the blob needs.
        needed: usize,
    },
    /// There are fewer records than elements.
    #[error("{given} records were given for {needed} elements")]
    RecordCount {
        /// The number of records that were given.
        given: usize,
        /// The number of elements of the view.
        needed: usize,
    },
    /// The layout puts a leaf at another offset than the compiler does in the struct.
    #[error("leaf `{leaf}` does not lie where the struct has it: use `AoS<Aligned, Native>` for records in a slice")]
    RecordLayout {
        /// The leaf.
        leaf: LeafName,
    },
    /// Bytes are no value of a leaf's type.
    #[error("the bytes of leaf `{leaf}` at index {index} are no valid value of its type")]
    InvalidValue {
        /// The leaf.
        leaf: LeafName,
        /// The index of the element.
        index: List,
    },
    /// Elements share bytes, and the view would be mutable.
    #[error("two elements share bytes: such a mapping can be read and not written; give it shared bytes (`&[u8]`)")]
    NotUnique,
    /// The allocator returned no memory.
    #[error("no memory for {bytes} bytes")]
    OutOfMemory {
        /// The number of bytes that were requested.
        bytes: usize,
    },
    /// The layout cannot store a value that is to be copied to it.
    #[error("{error}, at index {index}")]
    Value {
        /// The index of the element with the value.
        index: List,
        /// The value, and the leaf that it does not fit.
        error: ValueError,
    },
    /// The alignment that was asked for is none.
    #[error("memory aligned to {align} bytes was asked for: use a power of two")]
    Alignment {
        /// The number that was given.
        align: usize,
    },
}

impl ViewError {
    /// The same error of another index, which `f` makes of that in a block of elements.
    #[doc(hidden)]
    #[must_use]
    pub fn map_index<I: AsRef<[usize]>>(mut self, f: impl FnOnce(&[isize]) -> I) -> Self {
        if let Self::InvalidValue { index, .. } | Self::Value { index, .. } = &mut self {
            *index = List::of(f(index.as_ref()).as_ref());
        }
        self
    }
}

/// The error for an index that is not within the extents.
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
///
/// let error = alloc::<u8, SoA, _>([3, 4])?.try_at([3, 0]).err().unwrap();
/// assert_eq!(error.to_string(), "index [3, 0] is out of range for a view with extents [3, 4]");
/// # Ok::<(), ViewError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("index {index} is out of range for a view with extents {extents}")]
pub struct IndexError {
    /// The index that was given.
    pub index: List,
    /// The extents of the view.
    pub extents: List,
}

/// The error for a slice that does not lie within the view.
///
/// # Examples
///
/// ```
/// use layout::error::SliceError;
/// use layout::prelude::*;
///
/// let view = alloc::<u8, SoA, _>(4)?;
/// assert_eq!(view.try_slice((step(.., 0),)).err(), Some(SliceError::Step { dimension: 0 }));
/// # Ok::<(), ViewError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SliceError {
    /// There is no such dimension.
    #[error("dimension {dimension} is out of range for a view of rank {rank}")]
    Dimension {
        /// The dimension that was given.
        dimension: usize,
        /// The rank of the view.
        rank: usize,
    },
    /// A single index is out of range.
    #[error("index {index} is out of range for dimension {dimension} of extent {extent}")]
    Index {
        /// The dimension.
        dimension: usize,
        /// The index that was given.
        index: usize,
        /// The extent of that dimension.
        extent: usize,
    },
    /// A range is out of range, or ends before it starts.
    #[error("range {start}..{end} is not within dimension {dimension} of extent {extent}")]
    Range {
        /// The dimension.
        dimension: usize,
        /// The start of the range.
        start: usize,
        /// The end of the range.
        end: usize,
        /// The extent of that dimension.
        extent: usize,
    },
    /// A step is zero.
    #[error("the step of dimension {dimension} is zero; it may be any other number, negative to walk back")]
    Step {
        /// The dimension.
        dimension: usize,
    },
    /// A list of dimensions is not a permutation.
    #[error("{order} does not name each of the {rank} dimensions once")]
    Order {
        /// The list that was given.
        order: List,
        /// The rank of the view.
        rank: usize,
    },
}

/// The error for views with different extents that were to be zipped, or copied from one to the other.
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
///
/// let (a, b) = (alloc::<u8, SoA, _>(3)?, alloc::<u8, SoA, _>(4)?);
/// assert_eq!(try_zip((&a, &b)).err().unwrap().other.as_ref(), [4]);
/// # Ok::<(), ViewError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the views have extents {first} and {other}, which must be equal")]
pub struct ZipError {
    /// The extents of the first view.
    pub first: List,
    /// The extents of the view that differs.
    pub other: List,
}

/// The error for columns of different lengths.
///
/// # Examples
///
/// See [`RecordVec::from_columns`](crate::RecordVec::from_columns).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the columns of `{first}` and `{leaf}` have lengths {needed} and {given}: all columns must have one length")]
pub struct ColumnsError {
    /// The leaf of the column.
    pub leaf: LeafName,
    /// The number of values in the column.
    pub given: usize,
    /// The first leaf.
    pub first: LeafName,
    /// The number of values in the column of the first leaf.
    pub needed: usize,
}

/// The error for offsets and values that form no lists, or for lists that cannot be zipped with other records.
///
/// # Examples
///
/// ```
/// use layout::error::JaggedError;
/// use layout::prelude::*;
///
/// let error = Jagged::from_parts(vec![0_i32, 3], RecordVec::<u8, SoA>::from(&[1, 2])).unwrap_err();
/// assert_eq!(error, JaggedError::Last { position: 1, given: 3, values: 2 });
/// assert_eq!(error.to_string(), "offset 1, the last, is 3: it must be the number of values, which is 2");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum JaggedError {
    /// There are no offsets.
    #[error("no offsets were given: there must be one more than there are lists")]
    NoOffsets,
    /// The first offset is not zero.
    #[error("offset 0 is {given}: it must be 0")]
    First {
        /// The first offset.
        given: i128,
    },
    /// An offset is less than the offset before it.
    #[error("offset {position} is {given}: it must be no less than the one before it, which is {least}")]
    Backwards {
        /// The position of the offset.
        position: usize,
        /// The offset.
        given: i128,
        /// The offset before it.
        least: i128,
    },
    /// The last offset differs from the number of values.
    #[error("offset {position}, the last, is {given}: it must be the number of values, which is {values}")]
    Last {
        /// The position of the offset.
        position: usize,
        /// The offset.
        given: i128,
        /// The number of values.
        values: usize,
    },
    /// There would be more values than the type of offsets can count.
    #[error("the lists have more values than their offsets can count: at most {most}")]
    TooMany {
        /// The most values that the lists can have.
        most: usize,
    },
    /// The number of records differs from the number of lists they were to be zipped with.
    #[error("{given} items were given to be joined with {lists} lists: there must be one for each list")]
    Zip {
        /// The number of records that were given.
        given: usize,
        /// The number of lists.
        lists: usize,
    },
}

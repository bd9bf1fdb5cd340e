//! Copies of all elements from one view to another, whatever their layouts.
//!
//! ```text
//! whole memory   one layout and one order on both sides, without gaps or with free ones: one piece
//! whole rows     leaves that lie one after another on both sides: a piece each
//! steps          runs of blocks, and records as they are: pieces of sizes that the compiler knows
//! groups         records to columns and back: by transposes in registers
//! values         the rest, leaf by leaf in blocks that fit the first-level cache
//! records        element by element, through slots: where leaves have no address, records have few leaves, or there is
//!                little to copy
//! ```
//!
//! The places of a leaf determine how it is copied: the distance of neighbors on either side, other leaves beside it,
//! the ends of runs. No layout is known by its name.

mod each;
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
mod group;
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
mod groups;
mod list;
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
mod narrow;
mod packed;
mod pairs;
#[cfg(feature = "rayon")]
mod parallel;
mod places;
mod plan;
mod rows;
mod runs;
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
mod transpose;
mod values;
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
mod vector;
mod vectorized;

#[doc(hidden)]
pub use packed::{is_packable, pack, unpack};
pub use pairs::{AllFields, FieldChoice, SharedFields, SourceFields, TargetFields};
#[doc(hidden)]
pub use values::copy_values;

use pairs::{ByPath, Pairs, Same};
use rows::{Both, ByRows, One, Start};
use vectorized::is_one_by_one;

use super::zip::{Zip, try_zip};
use super::{ArrayOf, View, walk};
use crate::blob::{Address, Blobs, BlobsMut};
use crate::error::ZipError;
use crate::extents::Extents;
use crate::mapping::Mapping;

impl<M: Mapping, B: Blobs> View<M, B> {
    /// Copies all elements of `source`, whose layout and order may differ.
    ///
    /// Between most layouts, this takes about as long as a copy of plain memory. Bytes between the leaves of the target
    /// keep their values, unless both views own their memory and have the same layout.
    ///
    /// # Errors
    ///
    /// Returns an error if the extents differ; nothing is written then.
    ///
    /// # Complexity
    ///
    /// Linear in the number of elements. No memory is allocated.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let aos = alloc_from_fn::<[u32; 2], AoS, _>(100, |[i]| [i as u32, 7])?;
    /// let mut soa = alloc::<[u32; 2], SoA, _>(100)?;
    /// assert!(soa.copy_from(&aos).is_ok());
    /// assert_eq!(soa, aos);
    /// // A part, to a part.
    /// assert!(soa.slice_mut((..10,)).copy_from(&aos.slice((90..,))).is_ok());
    /// assert_eq!(soa.load(0), [90, 7]);
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn copy_from<N, C>(&mut self, source: &View<N, C>) -> Result<(), ZipError>
    where
        B: BlobsMut,
        N: Mapping<Record = M::Record, Extents: Extents<Array = ArrayOf<M>>>,
        C: Blobs,
    {
        // SAFETY: each leaf is copied to itself.
        unsafe { copy::<Same, _, _, _, _>(try_zip((self, source))?, const { B::HAS_FREE_GAPS && C::HAS_FREE_GAPS }) };
        Ok(())
    }

    /// Copies, for all elements, the fields that this view's record and that of `source` share.
    ///
    /// Fields with the same path, such as `pos.x` or `tags[2]`, are shared. `fields` says what happens to all other
    /// fields:
    ///
    /// | `fields` | copied | left over |
    /// |---|---|---|
    /// | [`AllFields`] | all | nothing: does not compile |
    /// | [`TargetFields`] | all of the target | fields of the source are left out |
    /// | [`SourceFields`] | all of the source | fields of the target keep their values |
    /// | [`SharedFields`] | those in both | both |
    ///
    /// It is a compile error if the records share no field, or if a path has leaves of different size, alignment or
    /// valid bytes.
    ///
    /// # Errors
    ///
    /// Returns an error if the extents differ; nothing is written then.
    ///
    /// # Panics
    ///
    /// Panics if a path has leaves of two types that agree in size, alignment and valid bytes, such as `u32` and `f32`;
    /// nothing is written then. If a layout computes leaves, or an observer sees the uses of a view, both records are read whole and
    /// that of the target is written whole: a leaf that cannot be read, such as `NonZero` in `Null`, panics in any field.
    ///
    /// # Complexity
    ///
    /// The same as [`copy_from`](Self::copy_from).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::part::{SourceFields, TargetFields};
    /// use layout::prelude::*;
    ///
    /// #[derive(Clone, Copy, Record)]
    /// struct Body { pos: [f32; 3], vel: [f32; 3], mass: f32 }
    /// #[derive(Clone, Copy, Debug, PartialEq, Record)]
    /// struct Point { mass: f32, pos: [f32; 3] }
    ///
    /// let bodies = alloc_from_fn::<Body, SoA, _>(9, |[i]| Body { pos: [i as f32; 3], vel: [1.0; 3], mass: 2.0 })?;
    /// let mut points = alloc::<Point, AoS, _>(9)?;
    /// points.copy_fields_from(&bodies, TargetFields).expect("as many bodies as points");
    /// assert_eq!(points.load(8), Point { mass: 2.0, pos: [8.0; 3] });
    ///
    /// let mut others = alloc::<Body, AoSoA<8>, _>(9)?;
    /// others.copy_fields_from(&points, SourceFields).expect("as many bodies as points");
    /// assert_eq!((others.load(8).pos, others.load(8).vel), ([8.0; 3], [0.0; 3]));
    /// # Ok::<(), ViewError>(())
    /// ```
    ///
    /// A field that the source lacks keeps its value only if the caller says so:
    ///
    /// ```compile_fail,E0080
    /// use layout::prelude::*;
    ///
    /// #[derive(Clone, Copy, Record)]
    /// struct Full { a: u8, b: u8 }
    /// #[derive(Clone, Copy, Record)]
    /// struct Half { a: u8 }
    ///
    /// let half = alloc::<Half, SoA, _>(3).unwrap();
    /// alloc::<Full, SoA, _>(3).unwrap().copy_fields_from(&half, layout::part::AllFields).unwrap();
    /// ```
    pub fn copy_fields_from<N, C, F>(&mut self, source: &View<N, C>, _fields: F) -> Result<(), ZipError>
    where
        B: BlobsMut,
        N: Mapping<Extents: Extents<Array = ArrayOf<M>>>,
        C: Blobs,
        F: FieldChoice,
    {
        // Here, so that an error names the line of the call.
        const { ByPath::<F>::assert_fields::<M::Record, N::Record>() };
        ByPath::<F>::assert_types::<M::Record, N::Record>();
        // SAFETY: the types were checked.
        unsafe { copy::<ByPath<F>, _, _, _, _>(try_zip((self, source))?, false) };
        Ok(())
    }
}

/// Copies all elements. `has_free_gaps` says that each view owns its memory, in one piece, so that bytes outside leaves may be copied.
///
/// # Safety
///
/// The leaves of each pair are of one type, and what `has_free_gaps` says is so.
#[inline]
unsafe fn copy<P, M, A, N, B>(zip: Zip<Both<'_, '_, M, A, N, B>>, has_free_gaps: bool)
where
    P: Pairs<M::Record, N::Record>,
    M: Mapping,
    A: Address,
    N: Mapping<Extents: Extents<Array = ArrayOf<M>>>,
    B: Address,
{
    if has_free_gaps && let Some(all) = Start::of_all(&zip) {
        // SAFETY: this is the only thread that copies.
        unsafe { all.copy(0, usize::MAX) };
        return;
    }
    // SAFETY: the condition is the caller's.
    match unsafe { ByRows::<P, M, A, N, B>::of(&zip) } {
        Some(copy) => {
            // SAFETY: this is the only thread that copies.
            unsafe { copy.start().copy(0, usize::MAX) };
            // SAFETY: as above.
            unsafe { copy.parts(&One) };
        }
        None if is_one_by_one::<P, M, N>(&zip.rows) => {
            zip.for_each(|(mut to, from)| {
                walk::fence();
                // SAFETY: the condition is the caller's.
                unsafe { P::copy(&mut to, &from) };
            });
        }
        None => zip.for_each(|(mut to, from)| {
            // SAFETY: the condition is the caller's.
            unsafe { P::copy(&mut to, &from) };
        }),
    }
}

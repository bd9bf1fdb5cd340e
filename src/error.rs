//! Errors of views, mappings and containers.
//!
//! [`ViewError`](crate::ViewError), the error of constructors of views, is at the root; the errors of mappings convert into it.
//!
//! * Making a mapping: [`ExtentsError`], [`LayoutError`].
//! * Indices, slices and zips: [`IndexError`], [`SliceError`], [`ZipError`].
//! * Values, columns and lists: [`ValueError`], [`ColumnsError`], [`JaggedError`], [`PortableError`].
//! * The name of a layout: `UnknownLayout`. [`List`] is a few numbers inside an error.
//!
//! # Examples
//!
//! ```
//! use layout::error::{ExtentsError, IndexError};
//! use layout::{AoS, Mapped, Mapping, View, ViewError, extents};
//!
//! let mapping = Mapped::<u8, _, AoS>::new(extents!(dyn 4))?;
//! let view = View::from_bytes(mapping, &[1, 2, 3, 4][..])?;
//! let error: IndexError = view.try_load(4).unwrap_err();
//! assert_eq!(error.to_string(), "index [4] is out of range for a view with extents [4]");
//!
//! let error = Mapped::<u64, _, AoS>::new(extents!(dyn usize::MAX / 4)).unwrap_err();
//! assert!(matches!(error, ExtentsError::TooLarge { .. }));
//! # Ok::<(), ViewError>(())
//! ```

#[cfg(feature = "alloc")]
#[doc(inline)]
pub use layout_core::UnknownLayout;
#[doc(inline)]
pub use layout_core::{
    ColumnsError, ExtentsError, IndexError, JaggedError, LayoutError, List, PortableError, SliceError, ValueError,
    ZipError,
};

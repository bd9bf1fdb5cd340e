//! Views as `.npy` and `.npz` files of NumPy, and back.
//!
//! | From | To | Function | Elements |
//! |---|---|---|---|
//! | view in any layout | `.npy`, an array of structured elements | [`write_npy`] | copied and written, 256 KiB at a time |
//! | view in any layout | `.npz`, an array for each leaf | [`write_npz`] | written as they lie, if they lie as in the file; otherwise copied twice, 256 KiB at a time |
//! | bytes of a `.npy` file | view that owns its memory, in any layout | [`read_npy`] | copied once; twice if the file has padding, another order of leaves or another order of bytes |
//! | bytes of a `.npz` file | view that owns its memory, in any layout | [`read_npz`] | copied twice |
//! | bytes of a `.npy` file, such as a mapped file | view of the bytes, in the layout that the file has | [`map_npy`], [`map_npy_mut`] | not copied |
//!
//! ```
//! use layout::interop::npy::{map_npy, read_npy, write_npy};
//! use layout::prelude::*;
//! use layout::DynExtents;
//!
//! #[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
//! struct Vec3 { x: f32, y: f32, z: f32 }
//!
//! #[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
//! struct Particle { pos: Vec3, charge: [i16; 2], mass: f64 }
//!
//! let particles = alloc_from_fn::<Particle, SoA, _>([2, 3], |[i, j]| Particle { mass: (10 * i + j) as f64, ..Particle::default() })?;
//! let mut file = Vec::new(); // or a file
//! write_npy(&particles, &mut file)?;
//! // In Python: np.load(...)['pos']['x'], np.load(...)['charge'][:, :, 1]
//! # #[cfg(target_endian = "little")]
//! assert!(String::from_utf8_lossy(&file).contains(
//!     "'descr': [('pos', [('x', '<f4'), ('y', '<f4'), ('z', '<f4')]), ('charge', '<i2', (2,)), ('mass', '<f8')]"
//! ));
//!
//! // Into any layout, by a copy...
//! let blocks: View<Mapped<Particle, DynExtents<2>, AoSoA<8>>, _> = read_npy(&file)?;
//! assert_eq!(blocks.load([1, 2]), particles.load([1, 2]));
//! // ... or as it lies in the file, here without padding.
//! let mapped: View<Mapped<Particle, DynExtents<2>, AoS<Packed>>, _> = map_npy(&file)?;
//! assert_eq!(mapped.load([1, 2]).mass, 12.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Types
//!
//! | Record | NumPy |
//! |---|---|
//! | integers, floats, `bool`, `f16` of the crate `half` | `u1` to `u8`, `i1` to `i8`, `f2`, `f4`, `f8`, `b1`; `usize` is as large as on this machine |
//! | `char` | `u4` |
//! | `NonZero` integers of at most 64 bits, and `Option`s of them | the integer; zero is `None`, and an error for a `NonZero` integer |
//! | struct | structured type with the names of the fields; a struct in a struct is a structured type in another |
//! | field `[T; N]` | subarray; a field `[[T; N]; M]` has the shape `(M, N)` |
//! | record that is an array | one more dimension of the file, the last one, for each array |
//! | integers of 128 bits, `bf16`, leaves of your own | none: [`DtypeError::NoDtype`] |
//!
//! A file is written with the offsets and the padding of the view's layout if that is an [`AoS`](layout_mappings::AoS) with
//! fields in order, and otherwise without padding. The file is in Fortran order if the first dimension of the view is the fastest by
//! type, as in `ColMajor`, and the record of a `.npy` file is no array; otherwise the file is in C order.
//!
//! Leaves are found by their names, in any order. A leaf of the file must have the type of the leaf in the record: no function converts
//! numbers. [`read_npy`] and [`read_npz`] change the order of bytes.
//!
//! # Files that cannot be trusted
//!
//! The functions check everything that a file says before they rely on it, and return an [`NpyError`] for a file that is
//! damaged or malicious. No memory is allocated for elements that a file claims and does not have. Beside the elements, a file takes
//! up to 30 times the size of its header, which may have 1 MiB, and up to 10 MiB for the names of leaves.
//! A compressed member of a `.npz` file can be a thousand times larger than the file, so [`read_npz`] takes a limit.
//!
//! A view takes the memory that its layout and its order need for the shape in the file. Orders with gaps, such as `Morton`, need much
//! more than the elements if the shape is narrow; read files that cannot be trusted in an order without gaps.

mod error;
mod header;
mod map;
mod pieces;
mod read;
mod write;
mod zip;

pub use crate::npy_format::DtypeError;
pub use error::NpyError;
pub use map::{map_npy, map_npy_mut};
pub use read::{read_npy, read_npz};
pub use write::{write_npy, write_npz};

use layout_core::{ArrayExtents, Extents, ExtentsError, IndexArray, Mapped, Rank, Record, RecordLayout, Strided};

/// Dynamic extents of the rank of `E`.
type Dynamic<E> = ArrayExtents<usize, <<E as Extents>::Rank as Rank>::Dynamic<usize>>;
/// A mapping of a copy of the elements of a file, in the order of the file.
type Ordered<R, E, L> = Mapped<R, Dynamic<E>, L, Strided<<E as Extents>::Rank>>;

/// That mapping, for elements in the layout `layout`, in C or Fortran order.
fn ordered<R: Record, E: Extents, L: RecordLayout<R>>(
    extents: E::Array,
    layout: L,
    fortran: bool,
) -> Result<Ordered<R, E, L>, ExtentsError> {
    Ordered::<R, E, L>::with(Dynamic::<E>::from_array(extents)?, layout, Strided::new(0, strides(extents, fortran)))
}

/// The name of the one member of a `.npz` file for a record that is a leaf; NumPy names arrays without a name so.
const UNNAMED: &str = "arr_0";

/// The strides of contiguous elements, in elements.
fn strides<A: IndexArray>(extents: A, fortran: bool) -> A::Strides {
    let (mut strides, mut next) = (A::NO_STRIDES, 1_isize);
    for at in 0..A::RANK {
        let dimension = if fortran { at } else { A::RANK - 1 - at };
        strides.as_mut()[dimension] = next;
        // Of an array without elements, no stride is used.
        next = next.saturating_mul(extents.as_ref()[dimension].cast_signed());
    }
    strides
}

//! Views, and checkpoints of stores, of `layout-dsl` as files of [Zarr](https://zarr-specs.readthedocs.io) of version 3.
//!
//! * [`write_zarr`] writes a view of any record, rank and layout as a group of arrays, and [`read_zarr`] reads such a group into any layout.
//! * A [`Checkpoint`] names stores and values, writes them to a folder, and restores them on any number of locales, in any distribution and
//!   in any record layout.
//!
//! ```
//! use layout::{AoS, Record, SoA};
//! use layout::store::{Dim, Runtime, Store, StoreError};
//! use layout_zarr::{Checkpoint, ZarrError};
//!
//! #[derive(Clone, Copy, Debug, PartialEq, Record)]
//! struct Cell { pos: [f32; 2], alive: bool }
//!
//! # let folder = std::env::temp_dir().join(format!("layout-zarr-{}", std::process::id()));
//! let cell = |at: i64| Cell { pos: [at as f32, 0.5], alive: at % 2 == 0 };
//! let builder = |locales| Runtime::builder().locales(locales).threads(1).pieces(4).min_chunk(1).whole_below(0);
//! let written = builder(4).simulate(|rt| {
//!     let cells = rt.create_from_fn::<Cell, SoA, _>([6, 8], |at| cell(8 * at[0] + at[1]))?;
//!     Checkpoint::new(&folder).store("cells", &cells).value("step", 12_u64).write(rt)
//! })?;
//! let restored = builder(3).simulate(|rt| {
//!     let cells: Store<Cell, Dim<2>, AoS> = rt.create([6, 8])?;
//!     let found = Checkpoint::new(&folder).store("cells", &cells).restore(rt)?.expect("it was written");
//!     Ok::<_, ZarrError>((found.value::<u64>("step")?, cells.to_vec()?))
//! })?;
//! let (step, cells) = restored.into_iter().next().expect("there are three locales")?;
//! assert_eq!((step, cells), (12, (0..48).map(cell).collect()));
//! # std::fs::remove_dir_all(&folder).expect("it was written");
//! # Ok::<(), ZarrError>(())
//! ```
//!
//! # The files
//!
//! ```text
//! FOLDER/
//!   000011/                 a complete checkpoint
//!   000012/                 the newest one: a group of Zarr
//!     zarr.json             names, extents, leaves and types of all stores; values; checksums of the metadata
//!     cells/                a group for each store
//!       zarr.json
//!       pos.0/              an array for each leaf: `pos[0]`; of a record that is one leaf, `value`
//!         zarr.json
//!         c.0.0             a chunk: values of the leaf, and the CRC-32C of their bytes
//!       pos.1/ alive/
//!   000013.partial/         a checkpoint that is being written, or was when its program was killed
//! ```
//!
//! `zarr.open_group("FOLDER/000012")["cells"]["alive"][:]` reads an array in Python.
//!
//! | Leaf | Zarr data type |
//! |---|---|
//! | `u8` to `u64`, `usize`, `char`, `i8` to `i64`, `isize`, `f16`, `f32`, `f64`, `bool` | `uint8`, ... |
//! | `bf16` | `uint16`: its bits |
//! | `NonZero` integers of at most 64 bits, and `Option`s of them | the integer; zero is `None`, and an error for a `NonZero` integer |
//! | integers of 128 bits, leaf types of the program | `uint8`, with one more dimension: the bytes that they have in memory, in the order that the attribute `byte_order` names |
//!
//! A view is written as the group of a store is, without the checkpoint around it: `FOLDER/zarr.json`, `FOLDER/pos.0`.
//!
//! A chunk is a tile of the store or a part of a tile, and has at most 16 MiB, counted over all leaves. If tiles are unequal or have steps,
//! as with `Cyclic`, the chunks are a regular grid over the whole store. A chunk that lies in several tiles is collected on one locale,
//! which writes the chunk. Of a view with a delinearized dimension, it collects elements beyond the chunk where an inner dimension, which
//! cannot be sliced, is longer than the chunk.
//!
//! Paths of folders must be UTF-8. Others are refused with an error, after the folder for partial files was made.
//!
//! # What is kept when a program or a machine stops
//!
//! [`write`](Checkpoint::write) works in four steps:
//!
//! 1. It writes the files to a folder for partial checkpoints, and synchronizes each file with the disk (`fsync`).
//! 2. It synchronizes each folder.
//! 3. It renames the folder to the name of a complete checkpoint, by one call, and synchronizes the parent folder.
//! 4. It removes older checkpoints, except the last [two](Checkpoint::keep).
//!
//! A program that is killed at any moment leaves its complete checkpoints unchanged, and at most one partial checkpoint, which the next
//! `write` removes. What cannot be removed stays, and its number is left out. After a loss of power, this holds if the file system keeps
//! synchronized data. Two programs must not write to one folder at the same time.
//!
//! [`restore`](Checkpoint::restore) reads every file of the stores, and compares its length and checksum before it changes an element. The
//! error for a damaged file names the file; select an older checkpoint by [`generation`](Checkpoint::generation) then. Checksums detect
//! accidental damage. Files that were changed on purpose cause no panic, but may contain any values. Memory for them is limited: the file
//! `zarr.json` of a checkpoint has at most 64 MiB, and reading it takes a small multiple of its length.
//!
//! A view is written to a folder `NAME.partial`, which gets its name when all files are on the disk. A folder that exists is refused,
//! and so is a folder `NAME.partial` that this crate did not begin.
//!
//! # Building
//!
//! The crate needs Rust 1.91. Building it needs a C compiler, or zlib with its headers, because of a build dependency of the crate `zarrs`.
//! The library itself contains no C code: the codecs that use C, which are Blosc, Zstandard and gzip, are left
//! out.

mod agreement;
mod arrays;
mod boxes;
mod checkpoint;
mod chunks;
mod error;
mod folder;
mod leaf;
mod leaf_array;
mod manifest;
mod restored;
mod saved;
mod source;
mod store_arrays;
mod view;

pub use checkpoint::Checkpoint;
pub use error::ZarrError;
pub use restored::Restored;
pub use view::{read_zarr, read_zarr_into, write_zarr, write_zarr_chunked};

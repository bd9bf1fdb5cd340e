//! Elements from files and to files: each point of a launch reads or writes its tile.

use core::ops::Range;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;

use layout_core::{DynExtents, Mapped, Portable, Record, RecordLayout, View, ViewError, check_refused};
use layout_mappings::{AoS, Packed};

use crate::error::StoreError;
use crate::file::{Dtype, Extents, FileError, Header, Moved, blocks, runs, widened};
use crate::geometry::{DynRank, MAX_RANK, Point, Rect, StoreRank};
use crate::graph::TaskBodyError;
use crate::memory::{Tile, TileMut};
use crate::store::Store;
use crate::task::{Launcher, TaskBuilder, read, write};

/// The bytes of a file that are in memory at a time, for each thread.
const BUFFER: usize = 1 << 20;

/// The layout of elements in a file: the leaves of a record without padding.
type InFile = AoS<Packed>;

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Store<R, D, L> {
    /// Writes all elements to a file as raw bytes, and waits until that is done. Elements follow one another, the last dimension fastest,
    /// each as its leaves in order without padding; numbers have the byte order of this machine. An existing file is overwritten.
    ///
    /// With several locales, each writes its own elements to its part of the file. All locales must be able to open the file, and all make
    /// the call. A locale needs only memory for its own elements, and at most 1 MiB more for each thread.
    ///
    /// # Errors
    ///
    /// The errors of [`read`](Self::read). Returns the same error on every locale if the file cannot be written. Bytes that were written
    /// before stay.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store};
    ///
    /// let path = std::env::temp_dir().join(format!("raw-{}", std::process::id()));
    /// let rt = Runtime::new()?;
    /// let grid: Store<u16, _> = rt.create_from([2, 2], &[1, 2, 3, 4])?;
    /// grid.transpose([1, 0])?.write_raw(&path)?;
    /// assert_eq!(std::fs::read(&path)?, [1_u16, 3, 2, 4].map(u16::to_ne_bytes).concat());
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn write_raw(&self, path: impl AsRef<Path>) -> Result<(), StoreError> {
        self.write_to("write_raw", path.as_ref(), Vec::new())
    }

    /// Sets all elements from a file of raw bytes, as [`write_raw`](Self::write_raw) writes it, and waits until that is done.
    ///
    /// # Errors
    ///
    /// Returns the same error on every locale if the file cannot be read, has fewer or more bytes than the elements take, or has bytes that
    /// are not valid values of the types of their leaves, or that the layout of the store refuses, as bit-packed layouts do with numbers of
    /// too many bits. The elements then have the values that were read, or any earlier values.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{FileError, Runtime, Store, StoreError};
    ///
    /// let path = std::env::temp_dir().join(format!("read-raw-{}", std::process::id()));
    /// std::fs::write(&path, [7, 8, 9])?;
    /// let rt = Runtime::new()?;
    /// let bytes: Store<u8, _> = rt.create(3)?;
    /// bytes.read_raw(&path)?;
    /// assert_eq!(bytes.to_vec()?, [7, 8, 9]);
    /// let longer: Store<u8, _> = rt.create(4)?;
    /// let error = longer.read_raw(&path).unwrap_err();
    /// assert!(matches!(error, StoreError::File(FileError::Size { found: 3, needed: 4, .. })));
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read_raw(&self, path: impl AsRef<Path>) -> Result<(), StoreError> {
        let (path, element) = (path.as_ref().to_owned(), InFile::element_size::<R>() as u64);
        let needed = u64::try_from(self.volume()).unwrap_or(u64::MAX).saturating_mul(element);
        let size = move |path: &Path| match std::fs::metadata(path).map_err(|error| FileError::io(path, &error))?.len()
        {
            found if found == needed => Ok(()),
            found => Err(FileError::Size { path: path.to_owned(), found, needed }),
        };
        on_one(&self.launcher, "read_raw", &path, size)?;
        self.read_from("read_raw", &path, InFileAt { start: 0, dtype: None, reversed: false })
    }

    /// Writes all elements to a `.npy` file, which `numpy.load` reads, and waits until that is done. The elements are as in
    /// [`write_raw`](Self::write_raw), after a header that describes them.
    ///
    /// A record becomes a structured type with a field for each leaf, in order and without padding; fields that are structs or arrays keep
    /// their form. A record that is an array adds last dimensions to the array in the file.
    ///
    /// # Errors
    ///
    /// The errors of [`write_raw`](Self::write_raw). Returns an error, too, if numpy has no type for a leaf (`u128`, `bf16`, types of the
    /// program).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::{AoSoA, Record};
    /// use layout::store::{Dim, Runtime, Store};
    ///
    /// #[derive(Clone, Copy, Debug, PartialEq, Record)]
    /// struct Hit { at: [f32; 2], count: u16 }
    ///
    /// let path = std::env::temp_dir().join(format!("hits-{}.npy", std::process::id()));
    /// let rt = Runtime::new()?;
    /// let hits = rt.create_from_fn::<Hit, AoSoA<8>, _>([4, 5], |at| Hit { at: [at[0] as f32, at[1] as f32], count: 7 })?;
    /// hits.write_npy(&path)?;
    /// let header = "{'descr': [('at', '<f4', (2,)), ('count', '<u2')], 'fortran_order': False, 'shape': (4, 5), }";
    /// # #[cfg(target_endian = "little")]
    /// assert_eq!(std::fs::read(&path)?[10..][..header.len()], *header.as_bytes());
    ///
    /// let back: Store<Hit, Dim<2>> = rt.create_from_npy(&path)?;
    /// assert_eq!(back.to_vec()?, hits.to_vec()?);
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn write_npy(&self, path: impl AsRef<Path>) -> Result<(), StoreError> {
        self.write_to("write_npy", path.as_ref(), Header::bytes::<R>(self.extents())?)
    }

    /// Sets all elements from a `.npy` file, and waits until that is done. [`Runtime::create_from_npy`](crate::Runtime::create_from_npy)
    /// also creates the store.
    ///
    /// Fields are found by name, in any order, with or without padding; numbers may have either byte order, and arrays may be in Fortran
    /// order. With several locales, one reads the header, and each reads the elements that it will have.
    ///
    /// # Errors
    ///
    /// Returns the same error on every locale if
    ///
    /// * the file cannot be read, is not a `.npy` file, or ends too early;
    /// * its extents, its fields or their types differ from those of the store; or
    /// * bytes are not valid values of the types of their leaves, or the layout of the store refuses a value, as bit-packed layouts do with
    ///   numbers of too many bits.
    ///
    /// If the header shows the error, the elements do not change. Otherwise they have the values that were read, or any earlier values.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{FileError, Runtime, Store, StoreError};
    ///
    /// let path = std::env::temp_dir().join(format!("read-{}.npy", std::process::id()));
    /// let rt = Runtime::new()?;
    /// let old: Store<f64, _> = rt.create_from_fn([3, 2], |at| at[0] as f64)?;
    /// old.write_npy(&path)?;
    /// let new: Store<f64, _> = rt.create([3, 2])?;
    /// new.read_npy(&path)?;
    /// assert_eq!(new.to_vec()?, [0.0, 0.0, 1.0, 1.0, 2.0, 2.0]);
    /// let floats: Store<f32, _> = rt.create([3, 2])?;
    /// let error = floats.read_npy(&path).unwrap_err();
    /// assert!(matches!(error, StoreError::File(FileError::Dtype { .. })));
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read_npy(&self, path: impl AsRef<Path>) -> Result<(), StoreError> {
        let header = npy_header::<R>(&self.launcher, "read_npy", path.as_ref())?;
        let (found, expected) = (header.extents, self.extents());
        if found != expected {
            return Err(FileError::Extents { path: path.as_ref().to_owned(), found, expected }.into());
        }
        self.read_npy_after(&header, path.as_ref())
    }

    /// Sets all elements from a file with this header, whose extents are those of the store.
    pub(crate) fn read_npy_after(&self, header: &Header, path: &Path) -> Result<(), StoreError> {
        let from = InFileAt { start: header.start, dtype: Some(&header.dtype), reversed: header.fortran };
        if !header.fortran {
            return self.read_from("read_npy", path, from);
        }
        // The file has the dimensions in reverse order, the last one fastest.
        let axes: Vec<usize> = (0..self.rank()).rev().collect();
        let turned: Store<R, DynRank, L> = self.through(self.elements.transform.transpose(&axes)?);
        turned.read_from("read_npy", path, from)
    }

    /// Writes all elements after a header.
    fn write_to(&self, call: &'static str, path: &Path, header: Vec<u8>) -> Result<(), StoreError> {
        let bytes = u64::try_from(self.volume()).unwrap_or(u64::MAX).saturating_mul(InFile::element_size::<R>() as u64);
        let (start, end) = (header.len() as u64, bytes.saturating_add(header.len() as u64));
        let (all, path, extents) = (self.clone().into_dyn(), path.to_owned(), self.extents());
        let task = TaskBuilder::new(&self.launcher, call.into()).args((read(&all),));
        let each = task.map(move |task, (tile,)| {
            let open = || {
                let mut file = OpenOptions::new().write(true).create(true).truncate(false).open(&path)?;
                // The first point to come here cuts off old bytes.
                file.set_len(end)?;
                if task.point() == task.domain().lo() {
                    file.write_all(&header)?;
                }
                Ok(file)
            };
            let mut file = match open() {
                Ok(file) => file,
                Err(error) => return Ok(Some(FileError::io(&path, &error))),
            };
            let place = Place::of(&extents, &task.rect(0), start);
            let written = write_tile(&mut file, &place, &tile)?;
            Ok(written.err().map(|error| FileError::io(&path, &error)))
        })?;
        first(each.get()?)
    }

    /// Reads all elements.
    fn read_from(&self, call: &'static str, path: &Path, from: InFileAt<'_>) -> Result<(), StoreError> {
        let InFileAt { start, dtype, reversed } = from;
        let (all, path, extents) = (self.clone().into_dyn(), path.to_owned(), self.extents());
        // A header without these leaves was refused before.
        let moved = dtype.and_then(|dtype| Some((dtype.moved::<R>().ok()??, dtype.size())));
        let task = TaskBuilder::new(&self.launcher, call.into()).args((write(&all),));
        let each = task.map(move |task, (mut tile,)| {
            let place = Place { reversed, ..Place::of(&extents, &task.rect(0), start) };
            let mut file = match File::open(&path) {
                Ok(file) => file,
                Err(error) => return Ok(Some(FileError::io(&path, &error))),
            };
            Ok(match read_tile(&mut file, &place, moved.as_ref(), &mut tile)? {
                Ok(()) => None,
                Err(Failed::Io(error)) => Some(FileError::io(&path, &error)),
                Err(Failed::Value(error)) => Some(FileError::BadValue { path: path.clone(), why: error.to_string() }),
            })
        })?;
        first(each.get()?)
    }
}

/// The header of a `.npy` file with elements `R`. One locale reads its text and sends it to all.
pub(crate) fn npy_header<R: Record>(
    launcher: &Arc<Launcher>,
    call: &'static str,
    path: &Path,
) -> Result<Header, StoreError> {
    let text = on_one(launcher, call, path, Header::text)?;
    Ok(Header::of::<R>(path, &text)?)
}

/// Calls `f` with a file on one locale, and tells all locales the result.
fn on_one<T: Portable + Clone + Send + Sync + 'static>(
    launcher: &Arc<Launcher>,
    call: &'static str,
    path: &Path,
    f: impl Fn(&Path) -> Result<T, FileError> + Send + Sync + 'static,
) -> Result<T, StoreError> {
    let path = path.to_owned();
    let told = TaskBuilder::new(launcher, call.into()).single().map(move |_, ()| Ok(f(&path)))?.get()?;
    let told = told.into_iter().next().ok_or(StoreError::Unbound)?;
    Ok(told?)
}

/// The first error of all points.
fn first(errors: Vec<Option<FileError>>) -> Result<(), StoreError> {
    errors.into_iter().flatten().next().map_or(Ok(()), |error| Err(error.into()))
}

/// The place and the form of all elements in a file.
struct InFileAt<'d> {
    /// The byte at which the elements start.
    start: u64,
    /// `None` if the elements have the layout of `write_raw`.
    dtype: Option<&'d Dtype>,
    /// `true` if the dimensions of the file are those of the store in reverse order.
    reversed: bool,
}

/// The place of a tile in a file.
struct Place {
    /// The extents of all elements.
    file: Extents,
    /// The first index of the tile, and its steps.
    origin: Extents,
    every: Extents,
    /// The byte at which the elements start.
    start: u64,
    /// The number of dimensions of the file, which are the last ones, and whether an index has them in reverse order.
    rank: usize,
    reversed: bool,
}

impl Place {
    fn of(extents: &Point, tile: &Rect, start: u64) -> Self {
        let (file, origin, every) = (widened(extents, 1), widened(&tile.lo(), 0), widened(&tile.steps(), 1));
        Self { file, origin, every, start, rank: extents.len(), reversed: false }
    }

    /// The index of an element, whose index in a block is this one.
    fn index(&self, block: &Block, index: &[isize]) -> Vec<usize> {
        let at = |dim: usize| self.origin[dim] + (block[dim].start + index[dim].cast_unsigned()) * self.every[dim];
        let mut index: Vec<usize> = (MAX_RANK - self.rank..MAX_RANK).map(at).collect();
        if self.reversed {
            index.reverse();
        }
        index
    }

    /// Calls `f` for the bytes of each row of a block, with its place in the file; each element has `element` bytes.
    fn for_each_row<T>(
        &self,
        (block, element): (&Block, usize),
        bytes: &mut [u8],
        mut f: impl FnMut(u64, &mut [u8]) -> Result<(), T>,
    ) -> Result<(), T> {
        let start = core::array::from_fn(|dim| self.origin[dim] + block[dim].start * self.every[dim]);
        let (length, starts) = runs(self.file, (start, self.every), sides(block));
        let rows = bytes.chunks_exact_mut((length * element).max(1));
        rows.zip(starts).try_for_each(|(row, first)| f(self.start + first * element as u64, row))
    }
}

/// The reason why elements were not read.
enum Failed {
    Io(std::io::Error),
    Value(ViewError),
}

impl From<std::io::Error> for Failed {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

/// A part of a tile.
type Block = [Range<usize>; MAX_RANK];

fn sides(block: &Block) -> Extents {
    block.each_ref().map(|range| range.len())
}

/// The mapping of elements of these extents in a file.
fn packed<R: Record>(extents: Extents) -> Result<Mapped<R, DynExtents<MAX_RANK>, InFile>, ViewError> {
    Ok(Mapped::new(DynExtents::<MAX_RANK>::new(extents)?)?)
}

/// The number of elements of this size that fit the buffer, and a buffer.
fn buffer(extents: Extents, element: usize) -> (usize, Vec<u8>) {
    let most = (BUFFER / element.max(1)).max(1);
    let volume = extents.iter().fold(1, |volume: usize, extent| volume.saturating_mul(*extent));
    (most, vec![0; volume.min(most) * element])
}

fn write_tile<R: Record, L: RecordLayout<R>>(
    file: &mut File,
    place: &Place,
    tile: &Tile<'_, R, DynRank, L>,
) -> Result<std::io::Result<()>, TaskBodyError> {
    let element = InFile::element_size::<R>();
    let (most, mut bytes) = buffer(tile.extents(), element);
    for block in blocks(tile.extents(), most) {
        let bytes = &mut bytes[..sides(&block).iter().product::<usize>() * element];
        let [a, b, c, d, e, f] = block.clone();
        View::from_bytes(packed::<R>(sides(&block))?, &mut *bytes)?.copy_from(&tile.slice((a, b, c, d, e, f)))?;
        let written = place.for_each_row((&block, element), bytes, |at, row| {
            file.seek(SeekFrom::Start(at))?;
            file.write_all(row)
        });
        if written.is_err() {
            return Ok(written);
        }
    }
    Ok(Ok(()))
}

fn read_tile<R: Record, L: RecordLayout<R>>(
    file: &mut File,
    place: &Place,
    moved: Option<&(Vec<Moved>, usize)>,
    tile: &mut TileMut<'_, R, DynRank, L>,
) -> Result<Result<(), Failed>, TaskBodyError> {
    let own = InFile::element_size::<R>();
    let element = moved.map_or(own, |(_, size)| *size);
    let (most, mut bytes) = buffer(tile.extents(), element.max(own));
    let mut unpadded = vec![0; if moved.is_some() { bytes.len() } else { 0 }];
    for block in blocks(tile.extents(), most) {
        let volume = sides(&block).iter().product::<usize>();
        let raw = &mut bytes[..volume * element];
        let read = place.for_each_row((&block, element), raw, |at, row| {
            file.seek(SeekFrom::Start(at))?;
            file.read_exact(row)
        });
        if let Err(error) = read {
            return Ok(Err(error.into()));
        }
        let mut found = &*raw;
        if let Some((leaves, _)) = moved {
            let to = &mut unpadded[..volume * own];
            for (from, to) in raw.chunks_exact(element).zip(to.chunks_exact_mut(own)) {
                leaves.iter().for_each(|leaf| leaf.copy(from, to));
            }
            found = to;
        }
        let [a, b, c, d, e, f] = block.clone();
        let mut part = tile.slice_mut((a, b, c, d, e, f));
        let checked = View::from_bytes(packed::<R>(sides(&block))?, found)
            .and_then(|source| check_refused(part.mapping(), &source).map(|()| source));
        match checked {
            Ok(source) => part.copy_from(&source)?,
            Err(error) => return Ok(Err(Failed::Value(error.map_index(|index| place.index(&block, index))))),
        }
    }
    Ok(Ok(()))
}

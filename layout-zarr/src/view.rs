//! Views as groups of Zarr arrays.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::{fs, io};

use layout_core::{
    ArrayExtents, Blobs, BlobsMut, Extents, ExtentsError, IndexArray, LeafTable, Linearization, Mapped, Mapping, Owned,
    Rank, Record, RecordLayout, Region, RowMajor, View, ViewError, block_of, check_refused, copy_to_block, each_block,
    refuses, zeroed_for, zeroed_or,
};
use layout_mappings::{Packed, SoASingle};

use crate::arrays::Arrays;
use crate::chunks::cut;
use crate::error::{ZarrError, at};
use crate::folder;
use crate::leaf::Leaf;
use crate::leaf_array::Files;
use crate::manifest::{Kept, METADATA};
use crate::source::{Source, is_array};

/// Dynamic extents of the rank of `E`.
type Dynamic<E> = ArrayExtents<usize, <<E as Extents>::Rank as Rank>::Dynamic<usize>>;
/// A chunk in memory: the values of one leaf after those of the one before.
type InChunk<R, E> = Mapped<R, Dynamic<E>, SoASingle<Packed>>;
/// A block that is read.
type Block<R, E> = View<InChunk<R, E>, Region<Vec<u8>>>;
type ArrayOf<M> = <<M as Mapping>::Extents as Extents>::Array;

/// Writes the elements of a view as a group of Zarr arrays: one for each leaf, with the names and types of a
/// [checkpoint](crate#the-files), in chunks of at most 16 MiB.
///
/// The folder `path` must not exist; its parent must. The files are written to a folder `path.partial`, which gets its name when all
/// files are on the disk. A folder of that name that an earlier program left is removed; it has a file `layout-zarr.partial` with the name.
///
/// # Errors
///
/// Returns an error if the folder exists, if there is a folder `path.partial` of somebody else, or if a file cannot be written.
///
/// # Complexity
///
/// Linear in the number of elements. Beside the view, the memory of one chunk is allocated, and of one leaf of the chunk once more.
///
/// # Examples
///
/// ```
/// use layout::{AoS, AoSoA, DynExtents, Mapped, Record, SoA, View, alloc_from_fn};
/// use layout_zarr::{ZarrError, read_zarr, write_zarr};
///
/// #[derive(Clone, Copy, Debug, PartialEq, Record)]
/// struct Cell { flow: [f32; 2], wall: bool }
///
/// # let folder = std::env::temp_dir().join(format!("write-zarr-{}", std::process::id()));
/// let cells = alloc_from_fn::<Cell, SoA, _>([40, 60], |[i, j]| Cell { flow: [i as f32, j as f32], wall: i == 0 })?;
/// write_zarr(&cells, &folder)?; // in Python: `zarr.open_group(folder)["flow.0"][:]`
/// let read: View<Mapped<Cell, DynExtents<2>, AoSoA<8>>, _> = read_zarr(&folder, 1 << 20)?;
/// assert_eq!(read, cells);
/// # std::fs::remove_dir_all(&folder).expect("it was written");
/// # Ok::<(), ZarrError>(())
/// ```
pub fn write_zarr<M: Mapping, B: Blobs>(view: &View<M, B>, path: impl AsRef<Path>) -> Result<(), ZarrError> {
    let table = LeafTable::of::<M::Record>();
    write(view, path.as_ref(), limited(view.extents(), table))
}

/// Writes the elements of a view as [`write_zarr`] does, in chunks of these extents.
///
/// A chunk that is larger than the view is cut to the view. Each chunk is a file for each leaf.
///
/// # Errors
///
/// Returns an error in the cases of [`write_zarr`], and if an extent of a chunk is zero.
///
/// # Examples
///
/// ```
/// use layout::{SoA, alloc_from_fn};
/// use layout_zarr::{ZarrError, write_zarr_chunked};
///
/// # let folder = std::env::temp_dir().join(format!("write-zarr-chunked-{}", std::process::id()));
/// let grid = alloc_from_fn::<f64, SoA, _>([40, 60], |[i, j]| (i + j) as f64)?;
/// write_zarr_chunked(&grid, &folder, [40, 20])?;
/// assert!(folder.join("value/c.0.2").exists());
/// # std::fs::remove_dir_all(&folder).expect("it was written");
/// # Ok::<(), ZarrError>(())
/// ```
pub fn write_zarr_chunked<M: Mapping, B: Blobs>(
    view: &View<M, B>,
    path: impl AsRef<Path>,
    chunk: ArrayOf<M>,
) -> Result<(), ZarrError> {
    if chunk.as_ref().contains(&0) {
        return Err(ZarrError::Chunk { extents: chunk.as_ref().to_vec() });
    }
    let (mut side, extents) = (chunk, view.extents());
    for (side, extent) in side.as_mut().iter_mut().zip(extents.as_ref()) {
        *side = (*side).min(*extent).max(1);
    }
    write(view, path.as_ref(), side)
}

/// The extents of the largest chunks that are written and read, in an array of these extents.
fn limited<A: IndexArray>(extents: A, table: &LeafTable) -> A {
    if extents.as_ref().contains(&0) {
        return array(&vec![1; A::RANK]);
    }
    let mut side: Vec<i64> =
        extents.as_ref().iter().map(|extent| i64::try_from(*extent).unwrap_or(i64::MAX).max(1)).collect();
    cut(&mut side, i64::try_from(table.packed()).unwrap_or(i64::MAX).max(1));
    let mut limited = extents;
    for (to, side) in limited.as_mut().iter_mut().zip(side) {
        *to = usize::try_from(side).unwrap_or(1);
    }
    limited
}

fn write<M: Mapping, B: Blobs>(view: &View<M, B>, path: &Path, side: ArrayOf<M>) -> Result<(), ZarrError> {
    if folder::is_there(path)? {
        return Err(ZarrError::Exists { path: path.to_owned() });
    }
    let Some(name) = path.file_name() else {
        let why = "the path does not end with the name of a new folder".to_owned();
        return Err(ZarrError::Io { path: path.to_owned(), why });
    };
    let partial = path.with_file_name([name, ".partial".as_ref()].into_iter().collect::<OsString>());
    if folder::is_there(&partial)? {
        if !is_left(&partial, name) {
            return Err(ZarrError::Exists { path: partial });
        }
        at(&partial, remove_left(&partial))?;
    }
    folder::make(&partial)?;
    let mark = partial.join(MARK);
    let written = folder::write(&mark, name.as_encoded_bytes())
        .and_then(|()| write_files(view, &partial, side))
        .and_then(|folders| folder::publish(&partial, path, &folders));
    // A mark in the complete view has another name than the mark of a folder that is to get a name, so it may stay.
    let _ = fs::remove_file(path.join(MARK));
    if written.is_err() {
        // What stays the next call removes.
        let _ = remove_left(&partial);
    }
    written
}

/// Removes a folder that is being written, the mark last: if the program is killed, the next call goes on.
fn remove_left(partial: &Path) -> io::Result<()> {
    for entry in fs::read_dir(partial)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else if entry.file_name() != MARK {
            fs::remove_file(entry.path())?;
        }
    }
    fs::remove_dir_all(partial)
}

/// A file in a folder that is being written, with the name that the folder is to get. Without this file, the folder may be somebody else's.
pub(crate) const MARK: &str = "layout-zarr.partial";

/// Returns `true` for a folder that an earlier program left: it has the mark, or the program was killed before it had one, or before the
/// mark had the name.
fn is_left(partial: &Path, name: &OsStr) -> bool {
    let is_folder = partial.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
    let is_empty = || fs::read_dir(partial).is_ok_and(|mut entries| entries.next().is_none());
    let mark = partial.join(MARK);
    let is_file = mark.symlink_metadata().is_ok_and(|mark| mark.is_file());
    let is_mark = |text: Vec<u8>| text.is_empty() || text == name.as_encoded_bytes();
    is_folder && (is_file && folder::read_most(&mark, name.len() as u64).is_ok_and(is_mark) || is_empty())
}

/// Writes all files, and returns the folders.
fn write_files<M: Mapping, B: Blobs>(
    view: &View<M, B>,
    folder: &Path,
    side: ArrayOf<M>,
) -> Result<Vec<PathBuf>, ZarrError> {
    let (leaves, extents) = (Leaf::all::<M::Record>(), view.extents());
    let [numbers, chunk] =
        [extents, side].map(|extents| extents.as_ref().iter().map(|e| *e as u64).collect::<Vec<_>>());
    let arrays = Arrays::new(folder, "", (&leaves, LeafTable::of::<M::Record>()), (&numbers, &chunk))?;
    arrays.create(&Kept { chunk, extents: numbers, leaves }, &mut BTreeMap::new())?;
    if !view.is_empty() {
        let mapping = mapping_of::<M::Record, M::Extents>(side).map_err(ViewError::from)?;
        let mut copy = zeroed_for(mapping, view)?;
        each_block(&extents, &side, false, |start, shape| {
            if shape != side {
                // Beyond the view, chunks have no values of other chunks.
                copy = zeroed_for(mapping, view)?;
            }
            let number: Vec<u64> =
                start.as_ref().iter().zip(side.as_ref()).map(|(start, side)| (start / side) as u64).collect();
            let block = block_of(view, start, shape).map_err(ViewError::from)?;
            copy_to_block(&mut copy, IndexArray::ZERO, &block).map_err(ViewError::from)?;
            arrays.write(&number, &copy.blob_bytes(0)[..arrays.chunk_bytes()])
        })?;
    }
    Ok(arrays.folders().filter(|name| !name.is_empty()).map(PathBuf::from).collect())
}

/// The mapping of a chunk.
fn mapping_of<R: Record, E: Extents>(extents: E::Array) -> Result<InChunk<R, E>, ExtentsError>
where
    RowMajor: Linearization<E::Array>,
{
    Mapped::new(Dynamic::<E>::from_array(extents)?)
}

/// Numbers as files have them.
fn wide(numbers: &[usize]) -> Vec<u64> {
    numbers.iter().map(|number| *number as u64).collect()
}

/// The bytes of elements without padding.
fn bytes_of(extents: &[u64], table: &LeafTable) -> u128 {
    let element = table.packed() as u128;
    extents.iter().fold(element, |bytes, extent| bytes.saturating_mul(u128::from(*extent)))
}

/// The numbers as an array.
fn array<A: IndexArray>(numbers: &[usize]) -> A {
    let mut array = A::ZERO;
    array.as_mut().copy_from_slice(numbers);
    array
}

/// Reads a group of Zarr arrays, one for each leaf, into a new view of any layout and order; `most` is the largest number of bytes that the
/// elements may have.
///
/// `most` says nothing of padding: an order such as `Morton`, or a layout with gaps, may take more memory.
///
/// Arrays are found by the names of leaves. Other arrays in the group are not read. If the record is one leaf, `path` may also be the
/// array. Arrays of other programs, such as zarr-python, may have any regular chunks and no compression; chunks that such a
/// program left out have the fill value. [`write_zarr`] leaves none out, so a missing file of it is an error.
///
/// # Errors
///
/// Returns an error if an array is missing, or has another data type than the leaf; if arrays differ in their extents, or do not fit the
/// extents of the view; if the elements have more bytes than `most`, or a chunk more than `most` and 64 MiB; if a file is damaged; if the
/// chunks are compressed; or if the layout refuses a value, as bit-packed layouts do with numbers of too many bits.
///
/// # Complexity
///
/// Linear in the number of elements, if all arrays have chunks of the same extents; otherwise a chunk may be read several times. Layouts
/// that refuse values read every chunk once more, before the view is written. Beside the view, one chunk of each array is in memory, and
/// a block of at most 16 MiB.
///
/// # Examples
///
/// See [`write_zarr`].
pub fn read_zarr<R, E, L, Lin>(path: impl AsRef<Path>, most: usize) -> Result<Owned<Mapped<R, E, L, Lin>>, ZarrError>
where
    R: Record,
    E: Extents,
    L: RecordLayout<R> + Default,
    Lin: Linearization<E::Array> + Default,
{
    let path = path.as_ref();
    let mut sources = Sources::open::<R>(path, E::RANK, most as u128)?;
    let (found, table) = (sources.extents.clone(), LeafTable::of::<R>());
    let needed = bytes_of(&found, table);
    if needed > most as u128 {
        return Err(ZarrError::TooLarge { path: path.to_owned(), needed, most });
    }
    let shape = |source| ZarrError::Shape { path: path.to_owned(), found: found.clone(), source };
    let extents: Vec<usize> = found.iter().map(|extent| usize::try_from(*extent).unwrap_or(usize::MAX)).collect();
    let mapping = Mapped::new(E::from_array(array(&extents)).map_err(shape)?).map_err(shape)?;
    sources.check(mapping)?;
    let mut view = zeroed_or::<_, ZarrError>(mapping, || {
        Ok(sources.block::<R, E>(&vec![0; E::RANK], &vec![1; E::RANK])?.to_vec()[0])
    })?;
    sources.read(&mut view)?;
    Ok(view)
}

/// Reads a group of Zarr arrays as [`read_zarr`] does, into a view of the same extents, such as a field of a larger view.
///
/// # Errors
///
/// Returns an error in the cases of [`read_zarr`]. If a chunk is damaged, the elements before the chunk may have been read already. If the
/// layout refuses a value, no element has changed.
///
/// # Examples
///
/// ```
/// use layout::{AoS, Record, SoA, alloc, alloc_from_fn};
/// use layout_zarr::{ZarrError, read_zarr_into, write_zarr};
///
/// #[derive(Clone, Copy, Record)]
/// struct Cell { heat: f64, kind: u8 }
///
/// # let folder = std::env::temp_dir().join(format!("read-zarr-into-{}", std::process::id()));
/// write_zarr(&alloc_from_fn::<f64, SoA, _>(50, |[i]| i as f64)?, &folder)?;
/// let mut cells = alloc::<Cell, AoS, _>(50)?;
/// read_zarr_into(&mut cells.field_mut(Cell::PATHS.heat), &folder)?;
/// assert_eq!(cells.at(49).heat.get(), 49.0);
/// # std::fs::remove_dir_all(&folder).expect("it was written");
/// # Ok::<(), ZarrError>(())
/// ```
pub fn read_zarr_into<M: Mapping, B: BlobsMut>(view: &mut View<M, B>, path: impl AsRef<Path>) -> Result<(), ZarrError> {
    let path = path.as_ref();
    let expected: Vec<u64> = view.extents().as_ref().iter().map(|extent| *extent as u64).collect();
    let most = bytes_of(&expected, LeafTable::of::<M::Record>());
    let mut sources = Sources::open::<M::Record>(path, M::Extents::RANK, most)?;
    if sources.extents != expected {
        let (path, found) = (path.to_owned(), sources.extents);
        return Err(ZarrError::Extents { path, name: sources.first, found, expected });
    }
    sources.check(view.mapping())?;
    sources.read(view)
}

/// The arrays of all leaves of a record, which have the same extents.
struct Sources {
    path: PathBuf,
    /// Of each leaf that has bytes.
    leaves: Vec<Option<Source>>,
    table: &'static LeafTable,
    extents: Vec<u64>,
    /// The extents of the chunks of the first array, and its name.
    side: Vec<u64>,
    first: String,
}

impl Sources {
    fn open<R: Record>(path: &Path, rank: usize, most: u128) -> Result<Self, ZarrError> {
        let (table, all) = (LeafTable::of::<R>(), Leaf::all::<R>());
        let files = Files::new(path)?;
        let is_array = is_array(path)? && all.len() == 1 && all[0].name.is_empty();
        let mut leaves = Vec::with_capacity(all.len());
        let mut first: Option<(Vec<u64>, Vec<u64>, String)> = None;
        for (number, leaf) in all.iter().enumerate() {
            let node = table.leaf(number);
            if node.size() == 0 {
                leaves.push(None);
                continue;
            }
            let name = leaf.array();
            let inner = if is_array { "" } else { &name };
            if !folder::is_there(&path.join(inner).join(METADATA))? {
                let found = folder::names(path)?.into_iter().filter(|name| path.join(name).join(METADATA).exists());
                let (path, what) = (path.to_owned(), "array".to_owned());
                return Err(ZarrError::Missing { path, what, name, found: found.collect() });
            }
            let source = Source::open(path, &files, (inner, most), (leaf, node))?;
            let found = source.extents().to_vec();
            match &first {
                _ if found.len() != rank => return Err(ZarrError::Rank { path: path.to_owned(), name, found, rank }),
                Some((expected, ..)) if *expected != found => {
                    let (path, expected) = (path.to_owned(), expected.clone());
                    return Err(ZarrError::Extents { path, name, found, expected });
                }
                Some(_) => {}
                None => first = Some((found, source.side().to_vec(), name)),
            }
            leaves.push(Some(source));
        }
        let Some((extents, side, first)) = first else {
            return Err(ZarrError::Unsupported { path: path.to_owned(), why: "the record has no leaves".to_owned() });
        };
        Ok(Self { path: path.to_owned(), leaves, table, extents, side, first })
    }

    /// Reads a block.
    fn block<R: Record, E: Extents>(&mut self, start: &[usize], shape: &[usize]) -> Result<Block<R, E>, ZarrError>
    where
        RowMajor: Linearization<E::Array>,
    {
        let count: usize = shape.iter().product();
        let mut bytes = vec![0; count * self.table.packed()];
        for (leaf, source) in self.leaves.iter_mut().enumerate() {
            let [from, to] = [leaf, leaf + 1].map(|leaves| count * self.table.packed_size(leaves));
            if let Some(source) = source {
                source.read(start, shape, &mut bytes[from..to])?;
            }
        }
        let mapping = mapping_of::<R, E>(array(shape)).map_err(ViewError::from)?;
        View::from_bytes(mapping, bytes).map_err(|error| ZarrError::of_block(&self.path, &wide(start), error))
    }

    /// Calls `f` with all blocks of elements of these extents, and where each starts.
    fn blocks<R: Record, E: Extents>(
        &mut self,
        extents: E::Array,
        mut f: impl FnMut(E::Array, &Block<R, E>) -> Result<(), ViewError>,
    ) -> Result<(), ZarrError>
    where
        RowMajor: Linearization<E::Array>,
    {
        let mut side = extents;
        for (side, chunk) in side.as_mut().iter_mut().zip(&self.side) {
            *side = usize::try_from(*chunk).unwrap_or(usize::MAX).min(*side).max(1);
        }
        let side = limited(side, self.table);
        each_block(&extents, &side, false, |start, shape| {
            let block = self.block::<R, E>(start.as_ref(), shape.as_ref())?;
            f(start, &block).map_err(|error| ZarrError::of_block(&self.path, &wide(start.as_ref()), error))
        })
    }

    /// Returns an error if views of this mapping refuse an element.
    fn check<M: Mapping>(&mut self, mapping: M) -> Result<(), ZarrError> {
        if !const { refuses::<M>() } {
            return Ok(());
        }
        self.blocks::<M::Record, M::Extents>(mapping.extents().array(), |_, block| check_refused(mapping, block))
    }

    /// Sets all elements of a view of the same extents.
    fn read<M: Mapping, B: BlobsMut>(&mut self, view: &mut View<M, B>) -> Result<(), ZarrError> {
        self.blocks::<M::Record, M::Extents>(view.extents(), |start, block| Ok(copy_to_block(view, start, block)?))
    }
}

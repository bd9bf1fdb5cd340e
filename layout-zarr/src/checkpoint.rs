//! Checkpoints: their contents, and the steps of a write and of a restore.

use core::fmt;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use layout_core::{Portable, Record, RecordLayout};
use layout_store::{Runtime, Store, StoreRank};

use crate::agreement::{agree, check_each, first, on_one};
use crate::chunks::Chunks;
use crate::error::ZarrError;
use crate::folder;
use crate::leaf::Leaf;
use crate::manifest::{Kept, METADATA, Manifest, Value};
use crate::restored::Restored;
use crate::saved::Saved;
use crate::store_arrays::StoreArrays;

/// A set of stores and values with names, which is written to a folder or restored from it.
///
/// Each locale writes the elements that lie on it, and reads the elements that will lie on it. All locales call
/// [`write`](Self::write) and [`restore`](Self::restore) with the same names, and see the same folder.
///
/// # Examples
///
/// A program that continues from its last checkpoint:
///
/// ```
/// use layout::store::{Runtime, Store, update};
/// use layout_zarr::{Checkpoint, ZarrError};
///
/// # let folder = std::env::temp_dir().join(format!("checkpoint-{}", std::process::id()));
/// let run = |last: u64| -> Result<Vec<f64>, ZarrError> {
///     let rt = Runtime::builder().min_chunk(1).build()?;
///     let heat: Store<f64, _> = rt.create_from_fn([4, 6], |at| at[0] as f64)?;
///     let found = Checkpoint::new(&folder).store("heat", &heat).restore(&rt)?;
///     let mut step = found.map_or(Ok(0), |found| found.value::<u64>("step"))?;
///     while step < last {
///         rt.task("step").args((update(&heat),)).launch(|_, (mut heat,)| heat.update(|value| value / 2.0 + 1.0))?;
///         step += 1;
///         if step % 5 == 0 {
///             Checkpoint::new(&folder).store("heat", &heat).value("step", step).write(&rt)?;
///         }
///     }
///     Ok(heat.to_vec()?)
/// };
/// run(7)?; // stopped after step 7; its last checkpoint is that of step 5
/// let restarted = run(12)?;
/// std::fs::remove_dir_all(&folder).expect("it is there");
/// assert_eq!(restarted, run(12)?); // the same as without a stop
/// # std::fs::remove_dir_all(&folder).expect("it is there");
/// # Ok::<(), ZarrError>(())
/// ```
#[must_use = "nothing is written or restored before `write` or `restore` is called"]
pub struct Checkpoint {
    path: PathBuf,
    stores: Vec<(String, Arc<dyn Saved>)>,
    values: Vec<(String, Value)>,
    keep: usize,
    generation: Option<u64>,
}

impl Checkpoint {
    /// Makes a checkpoint without stores, in a folder that need not exist. A name of six or more digits in the folder, alone or before
    /// `.partial` or `.old`, is that of a checkpoint; other names stay as they are.
    pub fn new(path: impl AsRef<Path>) -> Self {
        // An empty path means the folder in which the program runs.
        let path = if path.as_ref().as_os_str().is_empty() { Path::new(".") } else { path.as_ref() };
        Self { path: path.to_owned(), stores: Vec::new(), values: Vec::new(), keep: 2, generation: None }
    }

    /// Adds a store, or a view of a store. The name becomes that of a folder: it is not empty, is neither `.` nor `..`, has no `/` and no
    /// `\`, and does not start with `__`.
    pub fn store<R, D, L>(mut self, name: impl Into<String>, store: &Store<R, D, L>) -> Self
    where
        R: Record,
        D: StoreRank,
        L: RecordLayout<R> + Default,
    {
        self.stores.push((name.into(), Arc::new(store.clone().into_dyn())));
        self
    }

    /// Adds a value, such as the number of a step. The value must be the same on all locales; locale 0 writes it.
    /// [`Restored::value`] returns it after a restore.
    pub fn value<R: Record + Portable>(mut self, name: impl Into<String>, value: R) -> Self {
        let mut bytes = Vec::new();
        value.write(&mut bytes);
        let bytes = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        self.values.push((name.into(), Value { bytes, leaves: Leaf::all::<R>() }));
        self
    }

    /// Sets the number of complete checkpoints that [`write`](Self::write) keeps, at least the new one; by default 2.
    pub fn keep(mut self, count: usize) -> Self {
        self.keep = count.max(1);
        self
    }

    /// Selects the checkpoint of this number for [`restore`](Self::restore), instead of the newest one.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store};
    /// use layout_zarr::{Checkpoint, ZarrError};
    ///
    /// # let folder = std::env::temp_dir().join(format!("generation-{}", std::process::id()));
    /// let rt = Runtime::new()?;
    /// let line: Store<u8, _> = rt.create(3)?;
    /// for value in [7, 8, 9] {
    ///     line.fill(value)?;
    ///     Checkpoint::new(&folder).store("line", &line).write(&rt)?;
    /// }
    /// let checkpoint = Checkpoint::new(&folder).store("line", &line);
    /// assert_eq!(checkpoint.generations()?, [2, 3]); // the last two are kept
    /// checkpoint.generation(2).restore(&rt)?;
    /// assert_eq!(line.to_vec()?, [8, 8, 8]);
    /// # std::fs::remove_dir_all(&folder).expect("it is there");
    /// # Ok::<(), ZarrError>(())
    /// ```
    pub fn generation(mut self, number: u64) -> Self {
        self.generation = Some(number);
        self
    }

    /// The numbers of the complete checkpoints in the folder, the newest last. Only this locale looks.
    ///
    /// # Errors
    ///
    /// An error if the folder exists and cannot be read.
    pub fn generations(&self) -> Result<Vec<u64>, ZarrError> {
        folder::generations(&self.path)
    }

    /// Writes a new checkpoint, waits until all its files are on the disk, and returns its number.
    ///
    /// The files are written to a new folder. The folder gets the name of a complete checkpoint only when every file in it is on the
    /// disk. If the program is killed, earlier checkpoints stay unchanged.
    ///
    /// # Errors
    ///
    /// The errors of [`Runtime::fence`], which is called first. An error if a name is invalid or is used twice, if a store has elements
    /// that were never written, or if a file cannot be written. The error is the same on every locale, and earlier checkpoints stay
    /// unchanged.
    ///
    /// # Complexity
    ///
    /// The locale that has a tile writes the chunks within the tile, with one thread for each tile. All other chunks are gathered on one
    /// locale each, one after another. Beside the stores, each thread takes the memory of one chunk of at most 16 MiB, and of one leaf of
    /// the chunk. The program's thread of a locale takes up to four chunks if tiles cut chunks.
    pub fn write(&self, rt: &Runtime) -> Result<u64, ZarrError> {
        self.check_names()?;
        // A program with an error has no state that is worth a checkpoint.
        rt.fence()?;
        let locales = i64::try_from(rt.locales()).unwrap_or(i64::MAX);
        let mut kept = Vec::with_capacity(self.stores.len());
        for (name, store) in &self.stores {
            let (table, extents) = (store.table(), store.extents());
            let element = i64::try_from(table.packed()).unwrap_or(i64::MAX);
            let tiles = if extents.contains(&0) { Vec::new() } else { store.tiles(rt)? };
            kept.push((name.clone(), store.clone(), Chunks::of(extents, &tiles, element.max(1), locales)));
        }
        let kept = Arc::new(kept);
        let (path, stores, values) = (self.path.clone(), kept.clone(), self.values.iter().cloned().collect());
        let generation = on_one(rt, "checkpoint: begin", move || begin(&path, &stores, &values))?;
        let written = write_stores(rt, &folder::partial(&self.path, generation), &kept);
        if let Err(error @ ZarrError::Store(_)) = written {
            // What the runtime refuses may keep locales from telling one another anything.
            return Err(error);
        }
        let (path, keep, failed) = (self.path.clone(), self.keep, written.err());
        on_one(rt, "checkpoint: end", move || {
            let done = first([failed.clone()]).and_then(|()| {
                let folders = folders(&folder::partial(&path, generation), &kept)?;
                folder::finish(&path, generation, &folders, keep)
            });
            if done.is_err() {
                folder::discard(&path, generation);
            }
            done.map(|()| generation)
        })
    }

    /// Sets all stores to their elements in the newest complete checkpoint, or in the [selected](Self::generation) one. Returns `None` if
    /// there is no checkpoint, and then changes no store.
    ///
    /// Stores and their leaves are found by name. They must have the extents and the record of the checkpoint; the record layout, the
    /// distribution and the number of locales may differ. Stores of the checkpoint that were not added are not read.
    ///
    /// Every file is read twice: all files are checked before any store changes. Files of a store whose layout refuses values are read
    /// three times.
    ///
    /// # Errors
    ///
    /// An error if the checkpoint has another format, or lacks a name, or has other extents or another record for it; if one of its files
    /// is missing, damaged or cannot be read; if the layout of a store refuses a value, as bit-packed layouts do with numbers of too many
    /// bits; if a store shows one element at several indices; or if a locale does not see the checkpoint that the others see. The error is
    /// the same on every locale. No store has changed then, with two exceptions: a file changes or vanishes during the restore; or the
    /// runtime refuses to write a store after others were restored.
    ///
    /// # Complexity
    ///
    /// Each tile of a store reads the chunks that have its elements: all chunks, if tiles have steps. Each thread takes the memory of one
    /// chunk, and of one leaf of the chunk twice.
    pub fn restore(&self, rt: &Runtime) -> Result<Option<Restored>, ZarrError> {
        self.check_names()?;
        let (path, asked) = (self.path.clone(), self.generation);
        let found = on_one(rt, "checkpoint: find", move || find(&path, asked))?;
        let Some((generation, text)) = found else { return Ok(None) };
        let folder = folder::complete(&self.path, generation);
        agree(rt, same_metadata(rt, &folder, &text))?;
        let manifest = Manifest::of(&folder, &text)?;
        let mut stores = Vec::with_capacity(self.stores.len());
        for (name, store) in &self.stores {
            let leaves = store.leaves();
            let chunks = manifest.store(&folder, name, (&store.extents(), &leaves, store.table().packed()))?;
            let arrays = StoreArrays::new(&folder, name, (&leaves, store.table()), chunks)?;
            stores.push((store, Arc::new(arrays)));
        }
        check(rt, &folder, &manifest, stores.iter().map(|(_, arrays)| arrays.clone()).collect())?;
        stores.iter().try_for_each(|(store, arrays)| store.check(rt, arrays))?;
        stores.iter().try_for_each(|(store, arrays)| store.read(rt, arrays))?;
        Ok(Some(Restored { folder, generation, values: manifest.values }))
    }

    fn check_names(&self) -> Result<(), ZarrError> {
        let stores = self.stores.iter().map(|(name, _)| name);
        let mut known = BTreeSet::new();
        for name in stores.chain(self.values.iter().map(|(name, _)| name)) {
            let why = match name.as_str() {
                "" => "it is empty",
                name if name.bytes().all(|byte| byte == b'.') => "it has no other letters than dots",
                name if name.starts_with("__") => "it begins with `__`",
                name if name.contains(['/', '\\', '\0']) => "it has one of `/`, `\\` and the letter of number 0",
                METADATA => "it is the name of the file with the metadata",
                name if !known.insert(name) => "it is there twice",
                _ => continue,
            };
            return Err(ZarrError::Name { name: name.clone(), why: why.to_owned() });
        }
        Ok(())
    }
}

/// A store of a checkpoint that is written, with its name and chunks.
type ToWrite = (String, Arc<dyn Saved>, Chunks);

fn arrays_of(folder: &Path, (name, store, chunks): &ToWrite) -> Result<StoreArrays, ZarrError> {
    StoreArrays::new(folder, name, (&store.leaves(), store.table()), *chunks)
}

/// Makes all folders of a checkpoint and writes all metadata; gives the number of the checkpoint.
fn begin(path: &Path, stores: &[ToWrite], values: &BTreeMap<String, Value>) -> Result<u64, ZarrError> {
    let generation = folder::begin(path)?;
    let folder = folder::partial(path, generation);
    let wrote = || {
        let (mut files, mut all) = (BTreeMap::new(), BTreeMap::new());
        for store in stores {
            let kept = Kept::new(&store.2, store.1.leaves());
            arrays_of(&folder, store)?.arrays.create(&kept, &mut files)?;
            all.insert(store.0.clone(), kept);
        }
        let (path, text) = (folder.join(METADATA), Manifest::new(files, all, values.clone()).text());
        if text.len() as u64 > folder::MOST {
            let why = format!(
                "{} bytes of metadata, more than {}: write fewer stores, or of fewer leaves",
                text.len(),
                folder::MOST
            );
            return Err(ZarrError::Io { path, why });
        }
        folder::write(&path, &text)
    };
    wrote().map(|()| generation).inspect_err(|_| folder::discard(path, generation))
}

fn write_stores(rt: &Runtime, folder: &Path, stores: &[ToWrite]) -> Result<(), ZarrError> {
    // A folder that was made for some of the locales alone would have a part of the files.
    let metadata = folder.join(METADATA);
    agree(rt, folder::length(&metadata).map(|_| ()).map_err(|_| unseen(rt, metadata)))?;
    for store in stores.iter().filter(|store| !store.2.extents.contains(&0)) {
        store.1.write(rt, &Arc::new(arrays_of(folder, store)?))?;
    }
    Ok(())
}

/// The error of a locale that does not see a file of another locale.
fn unseen(rt: &Runtime, path: PathBuf) -> ZarrError {
    ZarrError::Io { path, why: format!("locale {} does not see the file", rt.locale()) }
}

/// Returns an error if this locale does not see the metadata of the locale that found the checkpoint. Its folder may be another one, as on a
/// disk of one machine, and may have another checkpoint of this number.
fn same_metadata(rt: &Runtime, folder: &Path, text: &[u8]) -> Result<(), ZarrError> {
    let path = folder.join(METADATA);
    match folder::has_bytes(&path, text) {
        Ok(true) => Ok(()),
        Ok(false) => Err(ZarrError::Io { path, why: format!("locale {} sees another file", rt.locale()) }),
        Err(_) => Err(unseen(rt, path)),
    }
}

/// The folders of a checkpoint, within its own.
fn folders(folder: &Path, stores: &[ToWrite]) -> Result<Vec<PathBuf>, ZarrError> {
    let mut folders = Vec::new();
    for store in stores {
        let arrays = arrays_of(folder, store)?;
        folders.extend(arrays.arrays.folders().map(PathBuf::from));
    }
    Ok(folders)
}

/// The number of the checkpoint to be read, and the text of its manifest.
fn find(path: &Path, asked: Option<u64>) -> Result<Option<(u64, Vec<u8>)>, ZarrError> {
    let found = folder::generations(path)?;
    let generation = match asked {
        None => found.last().copied(),
        Some(asked) if found.contains(&asked) => Some(asked),
        Some(asked) => return Err(ZarrError::NoGeneration { path: path.to_owned(), asked, found }),
    };
    let Some(generation) = generation else { return Ok(None) };
    Ok(Some((generation, folder::read(&folder::complete(path, generation).join(METADATA))?)))
}

/// Checks that all files of these arrays are whole.
fn check(rt: &Runtime, folder: &Path, manifest: &Manifest, all: Vec<Arc<StoreArrays>>) -> Result<(), ZarrError> {
    let files: Vec<String> = all.iter().flat_map(|arrays| arrays.arrays.files()).collect();
    let (manifest, folder) = (manifest.clone(), folder.to_owned());
    let count = all.iter().fold(files.len(), |count, arrays| count.saturating_add(arrays.count()));
    check_each(rt, count, move |number| {
        if let Some(file) = files.get(number) {
            return manifest.check_file(&folder, file);
        }
        let mut number = number - files.len();
        for arrays in &all {
            match number.checked_sub(arrays.count()) {
                None => return arrays.check(number),
                Some(rest) => number = rest,
            }
        }
        Ok(())
    })
}

impl fmt::Debug for Checkpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stores: Vec<&String> = self.stores.iter().map(|(name, _)| name).collect();
        let values: Vec<&String> = self.values.iter().map(|(name, _)| name).collect();
        f.debug_struct("Checkpoint")
            .field("path", &self.path)
            .field("stores", &stores)
            .field("values", &values)
            .finish()
    }
}

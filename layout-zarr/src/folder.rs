//! The folder of a program's checkpoints.
//!
//! ```text
//! 000011             a complete checkpoint
//! 000012             the newest one
//! 000013.partial     one that is being written, or was when its program was killed
//! 000010.old         one that is being removed
//! ```

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::error::{ZarrError, at};
use crate::manifest::METADATA;

/// A file with metadata has no more bytes than this.
pub(crate) const MOST: u64 = 64 << 20;

/// The numbers of the complete checkpoints, in order.
pub(crate) fn generations(path: &Path) -> Result<Vec<u64>, ZarrError> {
    let mut found = Vec::new();
    for name in names(path)? {
        if is_generation(&name) {
            found.extend(name.parse::<u64>().ok());
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// Returns `true` for the name of a checkpoint. A folder may have others, which are not touched.
fn is_generation(name: &str) -> bool {
    name.parse::<u64>().is_ok_and(|generation| format!("{generation:06}") == name)
}

/// The names in a folder; none if there is no folder.
pub(crate) fn names(path: &Path) -> Result<Vec<String>, ZarrError> {
    let entries = match fs::read_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => at(path, entries)?,
    };
    let names = entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    at(path, names.collect())
}

/// A complete checkpoint.
pub(crate) fn complete(path: &Path, generation: u64) -> PathBuf {
    path.join(format!("{generation:06}"))
}

/// A checkpoint that is being written.
pub(crate) fn partial(path: &Path, generation: u64) -> PathBuf {
    path.join(format!("{generation:06}.partial"))
}

/// Removes what a program left that was killed, and makes the folder of the next checkpoint.
pub(crate) fn begin(path: &Path) -> Result<u64, ZarrError> {
    make_all(path)?;
    for name in names(path)? {
        if name.strip_suffix(".partial").or(name.strip_suffix(".old")).is_some_and(is_generation) {
            // What cannot be removed, such as a folder that somebody reads, is in nobody's way.
            let _ = fs::remove_dir_all(path.join(name));
        }
    }
    let next = generations(path)?.last().map_or(1, |last| last.saturating_add(1));
    // The folder of an earlier write may be there still.
    let is_free = |number: &u64| partial(path, *number).symlink_metadata().is_err();
    let generation = (next..u64::MAX).find(is_free).unwrap_or(u64::MAX);
    make(&partial(path, generation))?;
    Ok(generation)
}

/// Returns `true` if there is a file, a folder or a link. An error does not say that there is none.
pub(crate) fn is_there(path: &Path) -> Result<bool, ZarrError> {
    match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        found => at(path, found.map(|_| true)),
    }
}

/// Makes a folder that is not there.
pub(crate) fn make(path: &Path) -> Result<(), ZarrError> {
    at(path, fs::create_dir(path))
}

/// Makes a folder and the folders above it, and waits until the names of the new ones are on the disk.
fn make_all(path: &Path) -> Result<(), ZarrError> {
    let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    let missing: Vec<&Path> = path.ancestors().take_while(is_missing).collect();
    at(path, fs::create_dir_all(path))?;
    missing.into_iter().try_for_each(sync_parent)
}

/// Gives a folder of which all files are written its name, when its files and these folders in it are on the disk.
pub(crate) fn publish(from: &Path, to: &Path, folders: &[PathBuf]) -> Result<(), ZarrError> {
    folders.iter().try_for_each(|folder| sync(&from.join(folder)))?;
    sync(from)?;
    at(to, fs::rename(from, to))?;
    sync_parent(to)
}

/// Makes the checkpoint of which all files are written the newest one, and removes those before the last `keep`.
pub(crate) fn finish(path: &Path, generation: u64, folders: &[PathBuf], keep: usize) -> Result<(), ZarrError> {
    publish(&partial(path, generation), &complete(path, generation), folders)?;
    sync_parent(path)?;
    // The checkpoint is complete, even if those before it cannot be found.
    let mut all = generations(path).unwrap_or_default();
    // A folder of somebody else may have such a name.
    all.retain(|generation| complete(path, *generation).join(METADATA).is_file());
    for old in &all[..all.len().saturating_sub(keep)] {
        // A checkpoint without some of its files has not the name of a complete one. What cannot be removed now the next call removes.
        let away = path.join(format!("{old:06}.old"));
        let _ = fs::rename(complete(path, *old), &away).and_then(|()| fs::remove_dir_all(&away));
    }
    Ok(())
}

/// Removes a checkpoint that could not be written. What stays the next one removes.
pub(crate) fn discard(path: &Path, generation: u64) {
    let _ = fs::remove_dir_all(partial(path, generation));
}

/// Waits until the names in a folder are on the disk.
fn sync(path: &Path) -> Result<(), ZarrError> {
    // Other systems open no folders.
    if !cfg!(unix) {
        return Ok(());
    }
    match File::open(path) {
        // A folder above that the program may write to and not read. The system writes its names to the disk later.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        folder => at(path, folder.and_then(|folder| folder.sync_all())),
    }
}

fn sync_parent(path: &Path) -> Result<(), ZarrError> {
    match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => sync(Path::new(".")),
        Some(parent) => sync(parent),
        None => Ok(()),
    }
}

/// Writes a file, and waits until it is on the disk.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), ZarrError> {
    let file = File::create(path).and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()));
    at(path, file)
}

/// The bytes of a file, of which not one is read: nothing that could be without an end is opened.
pub(crate) fn length(path: &Path) -> Result<u64, ZarrError> {
    match fs::metadata(path) {
        Ok(file) if file.is_file() => Ok(file.len()),
        Ok(_) => Err(ZarrError::damaged(path, "it is no file")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(ZarrError::damaged(path, "the file is missing")),
        Err(error) => Err(ZarrError::io(path, &error)),
    }
}

/// Reads a file with metadata.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, ZarrError> {
    read_most(path, MOST)
}

/// Returns `true` if a file has exactly these bytes. It is read a few at a time.
pub(crate) fn has_bytes(path: &Path, bytes: &[u8]) -> Result<bool, ZarrError> {
    if length(path)? != bytes.len() as u64 {
        return Ok(false);
    }
    let mut file = at(path, File::open(path))?;
    let mut buffer = [0; 4096];
    for part in bytes.chunks(buffer.len()) {
        let read = &mut buffer[..part.len()];
        match file.read_exact(read) {
            Ok(()) if read == part => {}
            // It became shorter.
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => return Err(ZarrError::io(path, &error)),
            _ => return Ok(false),
        }
    }
    Ok(true)
}

/// Reads a file of at most `most` bytes.
pub(crate) fn read_most(path: &Path, most: u64) -> Result<Vec<u8>, ZarrError> {
    let length = length(path)?;
    if length > most {
        return Err(ZarrError::damaged(path, format!("the file has {length} bytes, more than {most}")));
    }
    let mut bytes = Vec::new();
    at(path, File::open(path).and_then(|file| file.take(length).read_to_end(&mut bytes)))?;
    Ok(bytes)
}

//! Names of the pictures that examples write.

use std::fs::{OpenOptions, remove_file};
use std::io::{Error, ErrorKind};
use std::path::Path;

/// Refuses a name that does not end with `.png` before all work: a file of another format is not written, and one that is there would be lost.
pub(crate) fn check(path: &Path) -> Result<(), Error> {
    if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("png")) {
        return Ok(());
    }
    Err(Error::new(ErrorKind::InvalidInput, format!("{}: give a name that ends with .png", path.display())))
}

/// Checks before all work that the picture can be written, and leaves all files as they are.
pub(crate) fn check_writable(path: &Path) -> Result<(), Error> {
    check(path)?;
    let new = OpenOptions::new().write(true).create_new(true).open(path);
    let opened = match new {
        Ok(_) => remove_file(path),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => OpenOptions::new().append(true).open(path).map(drop),
        Err(error) => Err(error),
    };
    opened.map_err(|error| Error::new(error.kind(), format!("{}: {error}", path.display())))
}

//! Names of the pictures that examples write.

use std::fs::OpenOptions;
use std::io::{Error, ErrorKind};
use std::path::Path;

/// Refuses a name that does not end with `.png` before all work: a file of another format is not written, and one that is there would be lost.
pub(crate) fn check(path: &Path) -> Result<(), Error> {
    if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("png")) {
        return Ok(());
    }
    Err(Error::new(ErrorKind::InvalidInput, format!("{}: give a name that ends with .png", path.display())))
}

/// Checks before all work that the picture can be written; a file that is there stays as it is.
pub(crate) fn create(path: &Path) -> Result<(), Error> {
    check(path)?;
    match OpenOptions::new().append(true).create(true).open(path) {
        Ok(_) => Ok(()),
        Err(error) => Err(Error::new(error.kind(), format!("{}: {error}", path.display()))),
    }
}

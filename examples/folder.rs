//! Directories that examples write to.

use std::fs::create_dir_all;
use std::io::{Error, ErrorKind};
use std::path::Path;

/// Makes a directory, if it is not there.
pub(crate) fn make(path: &Path) -> Result<(), Error> {
    create_dir_all(path).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists | ErrorKind::NotADirectory => {
            let what = "give a directory; this is a file or a device, or is in one";
            Error::new(ErrorKind::InvalidInput, format!("{}: {what}", path.display()))
        }
        kind => Error::new(kind, format!("{}: {error}", path.display())),
    })
}

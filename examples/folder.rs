//! Folders that examples write to.

use std::fs::create_dir_all;
use std::io::ErrorKind;
use std::path::Path;

/// Makes a folder, if it is not there.
pub(crate) fn make(path: &Path) -> Result<(), String> {
    create_dir_all(path).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists | ErrorKind::NotADirectory => {
            format!("{}: give a folder; this is a file or a device, or is in one", path.display())
        }
        _ => format!("{}: {error}", path.display()),
    })
}

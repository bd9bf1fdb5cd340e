//! Names of the pictures that examples write.

use std::path::Path;

/// Refuses a name that does not end with `.png` before all work: a file of another format is not written, and one that is there would be lost.
pub(crate) fn check(path: &Path) -> Result<(), String> {
    let is_png = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("png"));
    if is_png { Ok(()) } else { Err(format!("{}: give a name that ends with .png", path.display())) }
}

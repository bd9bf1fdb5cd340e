//! Pictures that examples read.

use std::fs::metadata;
use std::path::Path;

use image::{DynamicImage, ImageReader};

/// Reads a PNG, whatever its name ends with, for a program that computes with bytes.
pub(crate) fn read(path: &Path) -> Result<DynamicImage, String> {
    let wrong = |what: &dyn core::fmt::Display| format!("{}: give a PNG: {what}", path.display());
    if !metadata(path).map_err(|error| wrong(&error))?.is_file() {
        return Err(wrong(&"this is a folder or a device"));
    }
    let reader = ImageReader::open(path).and_then(ImageReader::with_guessed_format).map_err(|error| wrong(&error))?;
    if reader.format().is_none() {
        return Err(wrong(&"this is no picture"));
    }
    let picture = reader.decode().map_err(|error| wrong(&error))?;
    if picture.color().bytes_per_pixel() > picture.color().channel_count() {
        println!("{}: numbers of more than 8 bits become bytes", path.display());
    }
    Ok(picture)
}

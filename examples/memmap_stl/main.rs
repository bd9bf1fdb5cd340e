//! Area, volume and centroid of a body, from a memory-mapped STL file that is not copied:
//! `cargo run --release --example memmap_stl -- FILE.stl`. Without arguments, the body is a gear.
//!
//! A record with a packed layout describes a file of structs of fixed size. A damaged file gives an error that says what was found. The
//! gear has 14 teeth, and its area is known.

#[path = "../arguments.rs"]
mod arguments;
mod stl;

use core::error::Error;
use core::ops::{Add, Div, Mul, Sub};
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use layout::{Blobs, Mapping, View};
use memmap2::Mmap;
use stl::{Point, Triangle};

/// A point or a vector, in the precision that sums of many need.
#[derive(Clone, Copy, Debug, Default)]
struct Vector([f64; 3]);

impl From<Point> for Vector {
    fn from(point: Point) -> Self {
        Self([point.x, point.y, point.z].map(f64::from))
    }
}

impl Add for Vector {
    type Output = Self;
    fn add(self, Self([x, y, z]): Self) -> Self {
        Self([self.0[0] + x, self.0[1] + y, self.0[2] + z])
    }
}

impl Sub for Vector {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + other * -1.0
    }
}

impl Mul<f64> for Vector {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        Self(self.0.map(|x| x * factor))
    }
}

impl Div<f64> for Vector {
    type Output = Self;
    fn div(self, divisor: f64) -> Self {
        Self(self.0.map(|x| x / divisor))
    }
}

impl Vector {
    fn cross(self, Self([x, y, z]): Self) -> Self {
        let [a, b, c] = self.0;
        Self([b * z - c * y, c * x - a * z, a * y - b * x])
    }

    fn dot(self, other: Self) -> f64 {
        (0..3).map(|i| self.0[i] * other.0[i]).sum()
    }
}

/// Area and volume of a body, and its volume times its centroid; from its triangles, in any layout.
fn measure<M: Mapping<Record = Triangle>>(triangles: &View<M, impl Blobs>) -> (f64, f64, Vector) {
    let (mut area, mut volume, mut moment) = (0.0, 0.0, Vector::default());
    triangles.for_each(|triangle| {
        let [a, b, c] = triangle.corners.load().map(Vector::from);
        let normal = (b - a).cross(c - a) / 2.0;
        area += normal.dot(normal).sqrt();
        // Of the tetrahedron with the origin: those on the far side of the body count, those on the near side uncount.
        let part = a.dot(normal) / 3.0;
        volume += part;
        moment = moment + (a + b + c) / 4.0 * part;
    });
    (area, volume, moment)
}

fn run(path: &Path) -> Result<(), Box<dyn Error>> {
    let named = |error: &dyn Error| format!("{}: {error}", path.display());
    let file = File::open(path).map_err(|error| named(&error))?;
    if !file.metadata().map_err(|error| named(&error))?.is_file() {
        return Err(format!("{}: give a file; this is a folder or a device", path.display()).into());
    }
    // SAFETY: nobody cuts or writes the file while this program reads it, which takes milliseconds. No program can
    // make sure of that, which is why this is unsafe.
    let bytes = unsafe { Mmap::map(&file) }.map_err(|error| named(&error))?;
    let triangles = stl::triangles(&bytes).map_err(|error| named(&error))?;
    let (area, volume, moment) = measure(&triangles);
    if volume == 0.0 {
        return Err(format!("{}: the triangles enclose no volume, so there is no centroid", path.display()).into());
    }
    let Vector([x, y, z]) = moment / volume;
    println!("triangles {}", triangles.len());
    println!("area      {area:.4}");
    println!("volume    {volume:.4}");
    println!("centroid  {x:.4} {y:.4} {z:.4}");
    Ok(())
}

fn main() -> ExitCode {
    let read = |given: &[OsString]| match given {
        [] => Some(PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/memmap_stl/gear.stl"))),
        [path] => Some(path.into()),
        _ => None,
    };
    arguments::run("give one file: a binary STL, or nothing for a gear", read, |path| run(&path))
}

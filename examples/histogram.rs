//! The brightness of a picture, by reductions: `cargo run --release --example histogram -- [PICTURE]`.
#![expect(clippy::cast_possible_truncation, reason = "indices and counts are small")]

mod arguments;
mod picture;

use core::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use layout::store::{Max, Runtime, Store, Sum, broadcast, read, reduce};

const BINS: i64 = 32;
const WIDTH: u64 = 60;

fn main() -> ExitCode {
    let read = |given: &[OsString]| match given {
        [] => Some(PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../image_blur/harbor.png"))),
        [picture] => Some(picture.into()),
        _ => None,
    };
    arguments::run("give a PNG, or nothing for a harbor", read, |path| run(&path))
}

fn run(path: &Path) -> Result<(), Box<dyn Error>> {
    let picture = picture::read(path)?.into_rgb8();
    let pixels: Vec<[u8; 3]> = picture.pixels().map(|pixel| pixel.0).collect();

    let rt = Runtime::builder().min_chunk(1).build()?;
    let extents = [i64::from(picture.height()), i64::from(picture.width())];
    let pixels: Store<[u8; 3], _> = rt.create_from(extents, &pixels)?;

    // For red, green and blue, how many pixels are how bright.
    let counts: Store<u64, _> = rt.create([3, BINS])?;
    counts.fill(0)?;
    rt.task("count").args((read(&pixels), reduce(&counts, Sum))).constrain(|(_, counts)| [broadcast(counts)]).launch(
        |_, (pixels, mut counts)| {
            pixels.for_each(|pixel| {
                for (channel, value) in pixel.load::<u8, 3>().into_iter().enumerate() {
                    counts.reduce([channel, usize::from(value) * BINS as usize / 256], 1);
                }
            });
        },
    )?;
    // The brightest pixel: a reduction to a value.
    let brightest = rt.task("brightest").args((read(&pixels),)).reduce(Max, |_, (pixels,)| {
        let mut most = 0;
        pixels.for_each(|pixel| most = pixel.load::<u8, 3>().map(u32::from).iter().sum::<u32>().max(most));
        Ok(most)
    })?;

    let found = counts.to_vec()?;
    let most = found.iter().copied().max().unwrap_or(1).max(1);
    for (channel, counts) in ["red", "green", "blue"].iter().zip(found.chunks(BINS as usize)) {
        println!("{channel}");
        for (bin, count) in counts.iter().enumerate() {
            let bar = "#".repeat((count * WIDTH).div_ceil(most) as usize);
            println!("  {:>3}.. {count:>7} {bar}", bin * 256 / BINS as usize);
        }
    }
    println!("{} pixels; the brightest has {} of 765", pixels.volume(), brightest.get()?);

    let mut expected = vec![0; found.len()];
    for pixel in picture.pixels() {
        for (channel, value) in pixel.0.iter().enumerate() {
            expected[channel * BINS as usize + usize::from(*value) * BINS as usize / 256] += 1;
        }
    }
    assert_eq!(found, expected);
    Ok(())
}

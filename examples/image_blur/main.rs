//! A Gaussian blur of a picture, in four layouts, from one kernel:
//! `cargo run --release --example image_blur -- IN.png OUT.png 16`. Without arguments, the picture is a harbor, and the result is a file
//! beside the program.
//!
//! A view of packed structs shows the bytes of the decoded PNG without a copy. The blur itself runs in each layout.

#[path = "../arguments.rs"]
mod arguments;
#[path = "../picture.rs"]
mod picture;
#[path = "../png.rs"]
mod png;
#[path = "../nbody/timing.rs"]
#[expect(dead_code, reason = "the fastest of a few runs is enough here")]
mod timing;

use core::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use image::RgbaImage;
use layout::choice::{LayoutList, LayoutTask, layouts};
use layout::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Rgb {
    r: u8,
    g: u8,
    b: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Pixel {
    color: Rgb,
    alpha: u8,
}

layouts! {
    /// The layouts that the blur is timed in.
    struct Layouts of Pixel = [AoS, SoA, SoASingle, AoSoA<32>];
}

/// A row of pixels, one channel after another.
type Line = Owned<Mapped<Pixel, DynExtents<1>, SoA>>;

/// A picture in any layout, by row and column, or a part of one.
trait Picture: MappingOf<Pixel, 2, Linearization: StridedLinearization<[usize; 2]>> {}
impl<M> Picture for M where M: MappingOf<Pixel, 2, Linearization: StridedLinearization<[usize; 2]>> {}

/// The most blurs of a picture. Each rounds to bytes: the root mean square error of 16 is 1.6 of 255, of 32 it is 3.4, and of 200 it is 10.
const MOST: usize = 32;

/// The number of runs, of which the fastest one counts.
const RUNS: usize = 5;

/// The weighted mean of five pixels, rounded.
fn mean(pixels: [Pixel; 5]) -> Pixel {
    let mean = |channel: fn(Pixel) -> u8| {
        let [a, b, c, d, e] = pixels.map(|pixel| u16::from(channel(pixel)));
        u8::try_from((a + e + 4 * (b + d) + 6 * c + 8) / 16).expect("a mean of bytes is one")
    };
    Pixel {
        color: Rgb { r: mean(|p| p.color.r), g: mean(|p| p.color.g), b: mean(|p| p.color.b) },
        alpha: mean(|p| p.alpha),
    }
}

/// The weighted means of five lines, or of a line shifted by up to two pixels each way.
fn means(
    to: &mut View<impl MappingOf<Pixel, 1>, impl BlobsMut>,
    [a, b, c, d, e]: [&View<impl MappingOf<Pixel, 1>, impl Blobs>; 5],
) {
    zip((to, a, b, c, d, e))
        .for_each(|(mut to, a, b, c, d, e)| to.store(mean([a.load(), b.load(), c.load(), d.load(), e.load()])));
}

/// Lines are whole numbers of vectors long, with room for a shift: what lies beyond the row does no harm.
const VECTOR: usize = 64;

/// Rows on their way through a blur: copies, so that the picture can change in place. And whatever the layout of the picture, pixels
/// shifted by one are neighbors in memory here.
struct Lines {
    rows: [Line; 5],
    down: Line,
    along: Line,
}

impl Lines {
    fn new(width: usize) -> Result<Self, ViewError> {
        let width = width.next_multiple_of(VECTOR) + VECTOR;
        let line = || alloc::<Pixel, SoA, _>(width);
        Ok(Self { rows: [line()?, line()?, line()?, line()?, line()?], down: line()?, along: line()? })
    }

    /// Blurs a picture in both directions. Its two outermost rows and columns are no means of five afterwards.
    fn blur<M: Picture>(&mut self, picture: &mut View<M, impl BlobsMut>) {
        let [height, width] = picture.extents();
        let Self { rows, down, along } = self;
        let whole = width.next_multiple_of(VECTOR);
        for i in 0..height {
            rows.rotate_left(1);
            rows[4].slice_mut((..width,)).copy_from(&picture.slice((i, ..))).expect("a line is as long as a row");
            if i >= 4 {
                means(down, rows.each_ref());
                let shifted = [0, 1, 2, 3, 4].map(|first| down.slice((first..first + whole,)));
                means(&mut along.slice_mut((2..2 + whole,)), shifted.each_ref());
                picture.slice_mut((i - 2, ..)).copy_from(&along.slice((..width,))).expect("a line is as long as a row");
            }
        }
    }
}

/// The picture blurred so many times, and how long that took.
///
/// Each blur is the mean of 5 x 5 pixels, weighted by 1 4 6 4 1 in each direction: a variance of one. Variances add up,
/// so that 16 of them are one blur by a Gaussian of a standard deviation of four pixels.
struct Blur<'p>(&'p RgbaImage, usize);

impl LayoutTask<Pixel> for Blur<'_> {
    type Output = Result<(RgbaImage, f64), ViewError>;

    fn run<L: RecordLayout<Pixel> + Default>(self) -> Self::Output {
        let [height, width] = [self.0.height(), self.0.width()].map(|pixels| pixels as usize);
        let pixels = Mapped::<Pixel, _, AoS<Packed>>::new(extents!(dyn height, dyn width))?;
        let picture = View::from_bytes(pixels, self.0.as_raw().as_slice())?;

        // The border goes on with the outermost pixels. Each blur uses up two of them on each side.
        let border = 2 * self.1;
        let inner = |index: usize, len: usize| index.saturating_sub(border).min(len - 1);
        let start = alloc_from_fn::<Pixel, L, _>([height + 2 * border, width + 2 * border], |[i, j]| {
            picture.load([inner(i, height), inner(j, width)])
        })?;
        let (mut blurred, mut lines) = (start.clone(), Lines::new(width + 2 * border)?);
        let mut best = f64::MAX;
        for _ in 0..RUNS {
            blurred.copy_from(&start).expect("the extents are equal");
            best = best.min(timing::seconds(|| (0..self.1).for_each(|_| lines.blur(&mut blurred))));
        }

        let mut bytes = self.0.clone();
        let blurred = blurred.slice((border..border + height, border..border + width));
        View::from_bytes(pixels, &mut bytes.as_mut()[..])?.copy_from(&blurred).expect("the extents are equal");
        Ok((bytes, best))
    }
}

fn run(from: &Path, to: &Path, blurs: usize) -> Result<(), Box<dyn Error>> {
    png::check_writable(to)?;
    let picture = picture::read(from)?.into_rgba8();
    println!("{} x {} pixels, blurs: {blurs}", picture.width(), picture.height());
    let mut blurred: Option<RgbaImage> = None;
    for (number, name) in Layouts::NAMES.iter().enumerate() {
        let (result, time) = Layouts::run_nth(number, Blur(&picture, blurs))?;
        let (time, unit) = if time < 1e-3 { (time * 1e6, "us") } else { (time * 1e3, "ms") };
        println!("  {name:<12} {time:>8.2} {unit}");
        assert!(blurred.as_ref().is_none_or(|blurred| *blurred == result), "{name} gives another picture");
        blurred = Some(result);
    }
    blurred.expect("there are layouts").save(to).map_err(|error| format!("{}: {error}", to.display()))?;
    println!("The same bytes in all layouts: {}", to.display());
    Ok(())
}

fn main() -> ExitCode {
    let read = |given: &[OsString]| {
        let harbor = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../image_blur/harbor.png"));
        let (from, to) = match given {
            [] => (harbor(), std::env::current_exe().unwrap_or_default().with_file_name("blurred.png")),
            [from, to] | [from, to, _] => (from.into(), to.into()),
            _ => return None,
        };
        let blurs = given.get(2).map_or(Some(16), |number| number.to_str()?.parse().ok())?;
        (1..=MOST).contains(&blurs).then_some((from, to, blurs))
    };
    let usage = format!(
        "give the PNG to read, the PNG to write, and how often to blur: 1 to {MOST}, since each blur rounds, or nothing for 16"
    );
    arguments::run(&usage, read, |(from, to, blurs)| run(&from, &to, blurs))
}

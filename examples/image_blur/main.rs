//! A Gaussian blur of a picture, in four layouts, from one kernel:
//! `cargo run --release --example image_blur -- examples/image_blur/harbour.png blurred.png`.
//!
//! The bytes that a PNG decodes to are viewed where they lie, as packed structs. The blur itself runs in the layout
//! that is asked for; its two directions are one function, called with a view and with the same view transposed.

use core::error::Error;
use core::time::Duration;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use image::RgbaImage;
use layout::prelude::*;
use layout::{LayoutList, LayoutTask, layouts};

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

/// A picture in any layout, by row and column; the transposed one, too.
trait Picture: MappingOf<Pixel, 2, Linearization: StridedLinearization<[usize; 2]>> {}
impl<M> Picture for M where M: MappingOf<Pixel, 2, Linearization: StridedLinearization<[usize; 2]>> {}

/// Of so many runs the fastest counts.
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

/// Blurs along the first dimension. The first two and the last two of `to` are left as they are.
fn blur<M: Picture, N: Picture>(from: &View<M, impl Blobs>, to: &mut View<N, impl BlobsMut>) {
    let [height, _] = from.extents();
    let rows = |first: usize| from.slice((first..first + height - 4, ..));
    zip((&mut to.slice_mut((2..height - 2, ..)), &rows(0), &rows(1), &rows(2), &rows(3), &rows(4)))
        .for_each(|(mut to, a, b, c, d, e)| to.store(mean([a.load(), b.load(), c.load(), d.load(), e.load()])));
}

/// The picture blurred so many times, and how long that took.
///
/// Each blur is the mean of 5 x 5 pixels, weighted by 1 4 6 4 1 in each direction: a variance of one. Variances add up,
/// so that 16 of them are one blur by a Gaussian of a standard deviation of four pixels.
struct Blur<'p>(&'p RgbaImage, usize);

impl LayoutTask<Pixel> for Blur<'_> {
    type Output = Result<(RgbaImage, Duration), ViewError>;

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
        let (mut first, mut second) = (start.clone(), start.clone());
        let mut best = Duration::MAX;
        for _ in 0..RUNS {
            first.copy_from(&start).expect("the extents are equal");
            let began = Instant::now();
            for _ in 0..self.1 {
                blur(&first, &mut second);
                blur(&second.transposed(), &mut first.transposed_mut());
            }
            best = best.min(began.elapsed());
        }

        let mut bytes = self.0.clone();
        let blurred = first.slice((border..border + height, border..border + width));
        View::from_bytes(pixels, &mut bytes.as_mut()[..])?.copy_from(&blurred).expect("the extents are equal");
        Ok((bytes, best))
    }
}

fn run(from: &Path, to: &Path, blurs: usize) -> Result<(), Box<dyn Error>> {
    let named = |path: &Path, error: image::ImageError| format!("{}: {error}", path.display());
    let picture = image::open(from).map_err(|error| named(from, error))?.into_rgba8();
    println!("{} x {} pixels, blurred {blurs} times", picture.width(), picture.height());
    let mut blurred: Option<RgbaImage> = None;
    for (number, name) in Layouts::NAMES.iter().enumerate() {
        let (result, time) = Layouts::run_nth(number, Blur(&picture, blurs))?;
        println!("  {name:<12} {:>8.2} ms", time.as_secs_f64() * 1e3);
        assert!(blurred.as_ref().is_none_or(|blurred| *blurred == result), "{name} gives another picture");
        blurred = Some(result);
    }
    blurred.expect("there are layouts").save(to).map_err(|error| named(to, error))?;
    println!("The same bytes in all layouts: {}", to.display());
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let blurs = match arguments.get(2).map(|number| number.to_str().and_then(|number| number.parse().ok())) {
        None => Some(16),
        Some(number) => number.filter(|number| (1..=1000).contains(number)),
    };
    let (Some(blurs), [from, to] | [from, to, _]) = (blurs, &arguments[..]) else {
        eprintln!(
            "image_blur: give the PNG to read, the PNG to write, and how often to blur: 1 to 1000, or nothing for 16"
        );
        return ExitCode::from(2);
    };
    match run(from.as_ref(), to.as_ref(), blurs) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("image_blur: {error}");
            ExitCode::FAILURE
        }
    }
}

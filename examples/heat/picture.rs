//! The plate as a picture: colors, a bar that explains the colors, and the step.

use image::{Rgb, RgbImage};
use layout::store::{Store, StoreError};

/// The pixels along a side of the square that shows a point of the plate, or a dot of a letter.
const SCALE: u32 = 3;
/// Pixels around the plate, and between it and the bar.
const MARGIN: u32 = 12;
/// Pixels above the plate.
const TOP: u32 = 40;
/// The width of the bar, and of the numbers beside it.
const BAR: (u32, u32) = (24, 84);

const WHITE: Rgb<u8> = Rgb([255; 3]);
const BLACK: Rgb<u8> = Rgb([0; 3]);

/// Letters of three by six dots, row by row; the first dot is the highest bit. The last row is below the line.
const LETTERS: [(char, u32); 18] = [
    ('0', 0b111_101_101_101_111_000),
    ('1', 0b010_110_010_010_111_000),
    ('2', 0b111_001_111_100_111_000),
    ('3', 0b111_001_111_001_111_000),
    ('4', 0b101_101_111_001_001_000),
    ('5', 0b111_100_111_001_111_000),
    ('6', 0b111_100_111_101_111_000),
    ('7', 0b111_001_001_001_001_000),
    ('8', 0b111_101_111_101_111_000),
    ('9', 0b111_101_111_001_111_000),
    ('.', 0b000_000_000_000_010_000),
    ('-', 0b000_000_111_000_000_000),
    ('a', 0b000_011_101_101_011_000),
    ('e', 0b000_010_101_110_011_000),
    ('h', 0b100_100_110_101_101_000),
    ('p', 0b000_110_101_101_110_100),
    ('s', 0b000_011_100_001_110_000),
    ('t', 0b010_111_010_010_011_000),
];

/// The color of a temperature from -1 to 1: blue is cold, white is zero, red is hot.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "colors are bytes")]
fn color(heat: f64) -> Rgb<u8> {
    let fade = |part: f64| (255.0 * (1.0 - part * heat.abs()).max(0.0)) as u8;
    if heat > 0.0 { Rgb([fade(0.25), fade(0.9), fade(1.0)]) } else { Rgb([fade(1.0), fade(0.7), fade(0.2)]) }
}

/// Writes letters to a picture; `x` and `y` are the coordinates of the first pixel.
fn write(picture: &mut RgbImage, x: u32, y: u32, text: &str) {
    for (place, letter) in (0..).zip(text.chars()) {
        let dots = LETTERS.iter().find(|(known, _)| *known == letter).map_or(0, |(_, dots)| *dots);
        for dot in (0..18).filter(|dot| dots >> (17 - dot) & 1 == 1) {
            let (left, above) = (x + (4 * place + dot % 3) * SCALE, y + dot / 3 * SCALE);
            square(picture, left, above, BLACK);
        }
    }
}

fn square(picture: &mut RgbImage, left: u32, above: u32, color: Rgb<u8>) {
    for (x, y) in (0..SCALE).flat_map(|x| (0..SCALE).map(move |y| (x, y))) {
        picture.put_pixel(left + x, above + y, color);
    }
}

/// Draws a line around an area below `TOP`.
fn frame(picture: &mut RgbImage, left: u32, wide: u32, high: u32) {
    (left - 1..=left + wide)
        .for_each(|x| [TOP - 1, TOP + high].into_iter().for_each(|y| picture.put_pixel(x, y, BLACK)));
    (TOP..TOP + high).for_each(|y| [left - 1, left + wide].into_iter().for_each(|x| picture.put_pixel(x, y, BLACK)));
}

/// The plate after `step` steps. Colors are those of values from `-most` to `most`.
pub(crate) fn draw(plate: &Store<f64, layout::Dim<2>>, most: f64, step: u64) -> Result<RgbImage, StoreError> {
    plate.read(|view| {
        let [rows, columns] = view.extents().map(|extent| u32::try_from(extent).expect("few pixels"));
        let (wide, high) = (columns * SCALE, rows * SCALE);
        let mut picture = RgbImage::from_pixel(3 * MARGIN + wide + BAR.0 + BAR.1, TOP + high + MARGIN, WHITE);
        for (i, j) in (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))) {
            let heat = view.get([i as usize, j as usize]) / most;
            square(&mut picture, MARGIN + j * SCALE, TOP + i * SCALE, color(heat));
        }
        let bar = 2 * MARGIN + wide;
        for y in 0..high {
            let heat = 1.0 - 2.0 * f64::from(y) / f64::from(high - 1);
            (bar..bar + BAR.0).for_each(|x| picture.put_pixel(x, TOP + y, color(heat)));
        }
        // The rim of the plate is as white as the page.
        frame(&mut picture, MARGIN, wide, high);
        frame(&mut picture, bar, BAR.0, high);
        let letter = 5 * SCALE;
        for (part, value) in [(0, most), (1, most / 2.0), (2, 0.0), (3, -most / 2.0), (4, -most)] {
            let tick = TOP + part * (high - 1) / 4;
            (0..SCALE).for_each(|x| picture.put_pixel(bar + BAR.0 + x, tick, BLACK));
            write(&mut picture, bar + BAR.0 + 2 * SCALE, TOP + part * (high - letter) / 4, &format!("{value:.3}"));
        }
        write(&mut picture, MARGIN, MARGIN, &format!("step {step}"));
        write(&mut picture, bar, MARGIN, "heat");
        picture
    })
}

//! A picture of the vorticity of the flow.

use image::{Rgb, RgbImage};
use layout::{Blobs, View};

use super::kernel::{Cell, Grid, moments};

/// From turning left to turning right; the middle is still.
const COLORS: [[f32; 3]; 7] = [
    [236.0, 252.0, 244.0],
    [94.0, 201.0, 190.0],
    [30.0, 96.0, 138.0],
    [14.0, 18.0, 40.0],
    [140.0, 42.0, 78.0],
    [240.0, 118.0, 60.0],
    [255.0, 240.0, 190.0],
];
const WALL: [f32; 3] = [206.0, 208.0, 214.0];

/// The color for -1 to 1.
fn color(value: f32) -> [f32; 3] {
    let place = (value.clamp(-1.0, 1.0) + 1.0) / 2.0 * (COLORS.len() - 1) as f32;
    let number = (0..COLORS.len() - 2).rev().find(|number| place >= *number as f32).unwrap_or(0);
    let part = place - number as f32;
    core::array::from_fn(|k| COLORS[number][k] * (1.0 - part) + COLORS[number + 1][k] * part)
}

/// The picture of the flow, where `speed` is that of the inflow and `size` that of the obstacle.
#[expect(clippy::cast_possible_truncation, reason = "colors are bytes")]
pub(crate) fn draw(cells: &View<impl Grid, impl Blobs>, speed: f32, size: f32) -> RgbImage {
    let [height, width] = cells.extents();
    let velocity = |i: usize, j: usize| moments(cells.load([i, j]).numbers()).1;
    let [wide, high] = [width, height].map(|pixels| u32::try_from(pixels).expect("few pixels"));
    RgbImage::from_fn(wide, high, |x, y| {
        let (i, j) = (y as usize, x as usize);
        let Cell { wall, .. } = cells.load([i, j]);
        let (above, below) = ((i + height - 1) % height, (i + 1) % height);
        let (left, right) = (j.saturating_sub(1), (j + 1).min(width - 1));
        let curl = velocity(i, right)[0] - velocity(i, left)[0] - velocity(below, j)[1] + velocity(above, j)[1];
        // The power makes weak vortices visible beside strong ones.
        let curl = curl * size / speed / 4.0;
        let shown = if wall { WALL } else { color(curl.abs().powf(0.7).copysign(curl)) };
        Rgb(shown.map(|part| part as u8))
    })
}

//! Pictures of heat maps.

use core::fmt::Write;

use layout_core::Heat;

use crate::names::Escaped;
use crate::palette::{FONT, GRAY, heat};

const CELL: usize = 14;
const LEFT: usize = 72;

/// A picture of a heat map: a cell for each block of bytes, darker the more it was used.
///
/// # Examples
///
/// ```
/// use core::num::NonZero;
/// use layout::prelude::*;
/// use layout::inspect::HeatPicture;
///
/// let mut view = alloc::<[f32; 4], AoS, _>(100)?.heat_map(const { NonZero::new(4).unwrap() });
/// view.for_each_mut(|mut v| v.at_mut(1).set(1.0));
/// let svg = HeatPicture::of(view.observer()).title("every fourth word").blocks_per_row(16).to_svg();
/// assert!(svg.contains("<title>blob 0, bytes 4 to 7: 1 use</title>"));
/// # Ok::<(), ViewError>(())
/// ```
#[derive(Debug)]
pub struct HeatPicture<'h> {
    heat: &'h Heat,
    title: String,
    blocks_per_row: usize,
    rows: usize,
    log_scale: bool,
}

impl<'h> HeatPicture<'h> {
    /// Makes a picture of the counts so far, with 64 blocks in a row, and at most 128 rows of each blob.
    #[must_use]
    pub fn of(heat: &'h Heat) -> Self {
        Self { heat, title: String::from("uses"), blocks_per_row: 64, rows: 128, log_scale: false }
    }

    /// Sets the title.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// Sets the number of blocks in a row, at least 1 and at most 65,536.
    #[must_use]
    pub fn blocks_per_row(mut self, blocks: usize) -> Self {
        self.blocks_per_row = blocks.clamp(1, crate::dump::MOST_IN_ROW);
        self
    }

    /// Sets the most rows of each blob that are drawn.
    #[must_use]
    pub fn rows(mut self, most: usize) -> Self {
        self.rows = most;
        self
    }

    /// Chooses a logarithmic color scale: equal steps of color are then equal factors of use, instead of equal differences.
    #[must_use]
    pub fn log_scale(mut self, log_scale: bool) -> Self {
        self.log_scale = log_scale;
        self
    }

    /// The heat of a block, from 0 for one use to 1 for the most uses.
    fn share(&self, count: usize, most: usize) -> f64 {
        let scale = |count: usize| if self.log_scale { (count as f64).ln() } else { count as f64 - 1.0 };
        if most > 1 { scale(count) / scale(most) } else { 1.0 }
    }

    /// Draws the picture as SVG, for a file or inside a page.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let blobs: Vec<_> = (0..self.heat.blobs()).map(|blob| self.heat.counts(blob)).collect();
        let most = blobs.iter().flatten().copied().max().unwrap_or(0);
        let (mut svg, mut y) = (String::new(), 20);
        // Writing to a string never fails.
        macro_rules! put {
            ($($text:tt)+) => { let _ = writeln!(svg, $($text)+); };
        }
        put!(r#"<text x="8" y="{y}" font-size="13" font-weight="bold">{}</text>"#, Escaped(&self.title));
        for (blob, counts) in blobs.iter().enumerate() {
            let uses: usize = counts.iter().sum();
            y += 26;
            let blocks = counts.len();
            put!(
                r#"<text x="8" y="{y}">blob {blob}: {blocks} blocks of {} bytes, {uses} uses</text>"#,
                self.heat.block()
            );
            y += 8;
            for (row, counts) in counts.chunks(self.blocks_per_row).take(self.rows).enumerate() {
                let first = row * self.blocks_per_row * self.heat.block();
                put!(r#"<text x="{}" y="{}" text-anchor="end">{first}</text>"#, LEFT - 6, y + 11);
                for (i, &count) in counts.iter().enumerate() {
                    let start = first + i * self.heat.block();
                    let end = start + self.heat.block() - 1;
                    let bytes = if start == end { format!("byte {start}") } else { format!("bytes {start} to {end}") };
                    let paint = match count {
                        0 => format!(r#"fill="none" stroke="{GRAY}" stroke-opacity=".4""#),
                        _ => format!(r#"fill="{}""#, heat(self.share(count, most))),
                    };
                    let uses = if count == 1 { "use" } else { "uses" };
                    // Half a pixel of room keeps lines sharp.
                    put!(
                        r#"<rect x="{}.5" y="{y}.5" width="{w}" height="{w}" {paint}><title>blob {blob}, {bytes}: {count} {uses}</title></rect>"#,
                        LEFT + i * CELL,
                        w = CELL - 2
                    );
                }
                y += CELL;
            }
            let shown = self.rows.saturating_mul(self.blocks_per_row);
            if blocks > shown {
                y += 14;
                put!(r#"<text x="{LEFT}" y="{y}">... {} more blocks</text>"#, blocks - shown);
            }
        }
        y += 24;
        self.legend(&mut svg, y, most);
        let width = (LEFT + self.blocks_per_row * CELL + 8).max(480);
        let height = y + 28;
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="{FONT}" font-size="11" fill="{GRAY}" role="img">
{svg}</svg>
"#
        )
    }

    /// Draws the legend, which maps colors to numbers of uses.
    fn legend(&self, svg: &mut String, y: usize, most: usize) {
        const STEPS: usize = 24;
        let _ = writeln!(
            svg,
            r#"<rect x="{LEFT}.5" y="{y}.5" width="{w}" height="{w}" fill="none" stroke="{GRAY}" stroke-opacity=".4"/><text x="{}" y="{}">0</text>"#,
            LEFT + 20,
            y + 11,
            w = CELL - 2
        );
        let left = LEFT + 48;
        for step in 0..STEPS {
            let (x, color) = (left + 10 * step, heat(step as f64 / (STEPS - 1) as f64));
            let _ = write!(svg, r#"<rect x="{x}" y="{y}" width="10" height="{CELL}" fill="{color}"/>"#);
        }
        let right = left + 10 * STEPS;
        let scale = if self.log_scale { " (log scale)" } else { "" };
        let _ = writeln!(
            svg,
            r#"<text x="{left}" y="{low}">1</text><text x="{right}" y="{low}" text-anchor="end">{most}</text><text x="{}" y="{}">uses{scale}</text>"#,
            right + 8,
            y + 11,
            low = y + 25,
        );
    }
}

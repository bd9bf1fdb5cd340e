//! The picture as SVG.

use core::fmt::Write;

use super::labels::Label;
use super::picture::{Bits, Picture, WIDEST, plural};
use super::rows::{Blob, OTHERS, Of, Piece, Row};
use crate::names::Escaped;
use crate::palette::{self, FONT, GRAY, INK};

/// The most leaves in the legend.
const MOST_LISTED: usize = 64;
/// The left edge of rows.
const LEFT: f64 = 56.0;
/// The height of a box with labels in one line, and in two; and the distance between boxes.
const BOX: f64 = 22.0;
const TALL: f64 = 28.0;
const BETWEEN: f64 = 4.0;
const LINE: f64 = 18.0;

/// The SVG while it is written.
struct Canvas<'p> {
    picture: &'p Picture,
    svg: String,
    /// The width of a bit.
    bit: f64,
    /// The height of boxes.
    tall: f64,
    y: f64,
}

/// Writing to a string never fails.
macro_rules! put {
    ($canvas:expr, $($text:tt)+) => { let _ = write!($canvas.svg, $($text)+); };
}

pub(super) fn draw(picture: &Picture) -> String {
    let row_bits = 8 * picture.bytes_per_row;
    // Rows are no wider than necessary, if all blobs are small.
    let longest = picture.blobs.iter().map(|blob| blob.size.saturating_mul(8)).max();
    let longest = longest.unwrap_or(0).clamp(64.min(row_bits), row_bits);
    let bit = (WIDEST / row_bits as f64).clamp(0.25, picture.byte_width / 8.0);
    let two_lines = |blob: &Blob, piece: &Piece| match piece.of {
        Of::Box(number) => {
            let width = (piece.end - piece.start) as f64 * bit;
            matches!(picture.names().label(&blob.boxes[number], width), Some(Label::Lines(..)))
        }
        _ => false,
    };
    let has_two_lines = picture.blobs.iter().any(|blob| {
        blob.rows.iter().any(|row| match row {
            Row::Drawn { pieces, .. } => pieces.iter().any(|piece| two_lines(blob, piece)),
            Row::Skipped { .. } => false,
        })
    });
    let tall = if has_two_lines { TALL } else { BOX };
    let mut canvas = Canvas { picture, svg: String::new(), bit, tall, y: 20.0 };
    let width = (LEFT + bit * longest as f64 + 12.0).max(640.0);
    canvas.text(8.0, &format!(r#"font-size="13" font-weight="bold" fill="{GRAY}""#), &picture.title);
    for blob in &picture.blobs {
        canvas.blob(blob);
    }
    canvas.legend(width);
    for note in &picture.notes {
        canvas.y += LINE;
        canvas.text(8.0, &format!(r#"fill="{GRAY}""#), note);
    }
    let height = canvas.y + 12.0;
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="{FONT}" font-size="11" role="img"><title>{}</title>
<defs><pattern id="padding" width="6" height="6" patternUnits="userSpaceOnUse"><path d="M-1 7L7 -1M-4 4L4 -4M2 10L10 2" stroke="{GRAY}" stroke-opacity=".55"/></pattern></defs>
{}</svg>
"##,
        Escaped(&picture.title),
        canvas.svg
    )
}

impl Canvas<'_> {
    fn text(&mut self, x: f64, attributes: &str, text: &str) {
        put!(self, r#"<text x="{x:.1}" y="{:.1}" {attributes}>{}</text>{}"#, self.y, Escaped(text), '\n');
    }

    fn blob(&mut self, blob: &Blob) {
        self.y += 26.0;
        let mut title = format!("blob {}: {}", blob.number, plural(blob.size, "byte"));
        if let Some(only) = blob.only() {
            title += &format!(", {}", self.picture.names().of_all(only));
        }
        self.text(8.0, &format!(r#"font-weight="bold" fill="{GRAY}""#), &title);
        if blob.rows.iter().any(|row| matches!(row, Row::Drawn { .. })) {
            self.ruler(blob);
        }
        self.y += 4.0;
        for row in &blob.rows {
            match row {
                Row::Drawn { start, pieces } => {
                    let middle = self.tall / 2.0 + 4.0;
                    self.y += middle;
                    self.text(LEFT - 6.0, &format!(r#"text-anchor="end" fill="{GRAY}""#), &(start / 8).to_string());
                    self.y -= middle;
                    for piece in pieces {
                        self.piece(blob, *start, piece);
                    }
                    self.y += self.tall + BETWEEN;
                }
                Row::Skipped { bytes, padding } => {
                    let what = if *padding { "of padding" } else { "not shown" };
                    self.y += 12.0;
                    self.text(LEFT, &format!(r#"fill="{GRAY}""#), &format!("... {} {what}", plural(*bytes, "byte")));
                    self.y += 6.0;
                }
            }
        }
    }

    /// The offsets of bytes in a row.
    fn ruler(&mut self, blob: &Blob) {
        let bytes = self.picture.bytes_per_row.min(blob.size);
        // The numbers need room.
        let step = [1, 2, 4, 8, 16, 32, 64, 128, 256].into_iter().find(|step| *step as f64 * 8.0 * self.bit >= 30.0);
        let step = step.unwrap_or(512);
        self.y += LINE;
        for byte in (0..bytes).step_by(step) {
            let x = LEFT + (8 * byte) as f64 * self.bit;
            self.text(x + 2.0, &format!(r#"font-size="9" fill="{GRAY}""#), &format!("+{byte}"));
            let (from, to) = (self.y - 8.0, self.y + 3.0);
            put!(self, r#"<path d="M{x:.1} {from:.1}V{to:.1}" stroke="{GRAY}"/>"#);
        }
    }

    fn piece(&mut self, blob: &Blob, row: usize, piece: &Piece) {
        let x = LEFT + (piece.start - row) as f64 * self.bit;
        let (y, width, tall) = (self.y, (piece.end - piece.start) as f64 * self.bit, self.tall);
        let bounds = format!(r#"x="{x:.2}" y="{y:.1}" width="{width:.2}" height="{tall}""#);
        match piece.of {
            Of::Box(number) => self.leaf(&blob.boxes[number], piece, x, width),
            Of::Padding => {
                put!(self, r#"<rect {bounds} fill="url(#padding)" stroke="{GRAY}" stroke-opacity=".5"/>{}"#, '\n');
            }
            Of::Others => {
                put!(
                    self,
                    r#"<rect {bounds} fill="none" stroke="{GRAY}" stroke-opacity=".5" stroke-dasharray="2 3"/>{}"#,
                    '\n'
                );
            }
        }
    }

    fn leaf(&mut self, b: &Bits, piece: &Piece, x: f64, width: f64) {
        let (y, tall, fill) = (self.y, self.tall, palette::leaf(b.leaf, b.element % 2 == 1));
        let (right, bottom) = (x + width, y + tall);
        put!(self, r#"<g class="l{}"><title>{}</title>"#, b.leaf, Escaped(self.picture.describe(b)));
        put!(self, r#"<rect x="{x:.2}" y="{y:.1}" width="{width:.2}" height="{tall}" fill="{fill}"/>"#);
        // A box that continues in another row is open at that side.
        let left = if piece.start == b.range.start { format!("M{x:.2} {bottom:.1}V{y:.1}") } else { String::new() };
        let end = piece.end == b.range.start + b.range.bits;
        let right_side = if end { format!("M{right:.2} {y:.1}V{bottom:.1}") } else { String::new() };
        put!(
            self,
            r#"<path d="M{x:.2} {y:.1}H{right:.2}M{x:.2} {bottom:.1}H{right:.2}{left}{right_side}" fill="none" stroke="{INK}" stroke-opacity=".6"/>"#
        );
        match self.picture.names().label(b, width) {
            Some(Label::Line(line)) => self.label(x + width / 2.0, y + tall / 2.0 + 4.0, 10, &line),
            Some(Label::Lines(index, name)) => {
                self.label(x + width / 2.0, y + tall / 2.0 - 2.5, 8, &index);
                self.label(x + width / 2.0, y + tall / 2.0 + 8.5, 8, &name);
            }
            None => {}
        }
        self.svg.push_str("</g>\n");
    }

    /// A line of a label, with its middle at `x`.
    fn label(&mut self, x: f64, y: f64, size: u32, text: &str) {
        if !text.is_empty() {
            put!(
                self,
                r#"<text x="{x:.1}" y="{y:.1}" font-size="{size}" text-anchor="middle" fill="{INK}">{}</text>"#,
                Escaped(text)
            );
        }
    }

    fn legend(&mut self, width: f64) {
        let mut entries: Vec<_> =
            self.picture.leaves.iter().take(MOST_LISTED).map(super::picture::LeafInfo::legend).collect();
        let leaves = entries.len();
        if self.picture.has(Of::Padding) {
            entries.push(self.picture.padding_legend().to_owned());
        }
        let padding = entries.len() > leaves;
        if self.picture.has(Of::Others) {
            entries.push(OTHERS.to_owned());
        }
        let longest = entries.iter().map(|entry| entry.chars().count()).max().unwrap_or(0);
        let column = longest as f64 * 6.8 + 36.0;
        self.y += 12.0;
        let mut x = f64::INFINITY;
        for (i, entry) in entries.iter().enumerate() {
            if x + column > width {
                x = 8.0;
                self.y += LINE;
            }
            let swatch = format!(r#"x="{x:.1}" y="{:.1}" width="14" height="12""#, self.y - 10.0);
            if i < leaves {
                let fill = palette::leaf(i, false);
                put!(self, r#"<g class="l{i}"><rect {swatch} fill="{fill}" stroke="{INK}" stroke-opacity=".6"/>"#);
            } else if i == leaves && padding {
                put!(self, r#"<g><rect {swatch} fill="url(#padding)" stroke="{GRAY}" stroke-opacity=".5"/>"#);
            } else {
                put!(
                    self,
                    r#"<g><rect {swatch} fill="none" stroke="{GRAY}" stroke-opacity=".5" stroke-dasharray="2 3"/>"#
                );
            }
            self.text(x + 20.0, &format!(r#"fill="{GRAY}""#), entry);
            self.svg.push_str("</g>\n");
            x += column;
        }
        if self.picture.leaves.len() > leaves {
            self.y += LINE;
            let more = format!("... {} more leaves", self.picture.leaves.len() - leaves);
            self.text(8.0, &format!(r#"fill="{GRAY}""#), &more);
        }
    }
}

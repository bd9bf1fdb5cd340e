//! Colors that can be told apart and written on, on light and on dark backgrounds.

use core::fmt;

/// A color.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rgb(pub(crate) [f64; 3]);

/// The color of text on colored boxes.
pub(crate) const INK: Rgb = Rgb([0.07; 3]);

/// The color of text and lines on any background: equally far from white and from black.
pub(crate) const GRAY: Rgb = Rgb([0.463; 3]);

/// The fonts of labels, all monospaced.
pub(crate) const FONT: &str = "ui-monospace,Menlo,Consolas,DejaVu Sans Mono,monospace";

/// The color of leaf number `leaf`, the same in every picture. Every other element is a shade darker, so that elements
/// can be told apart.
pub(crate) fn leaf(leaf: usize, odd_element: bool) -> Rgb {
    // Turning by the golden angle keeps neighbors apart, whatever their number.
    let hue = (210.0 + leaf as f64 * 137.507_764) % 360.0;
    let lightness = [0.80, 0.87, 0.75][leaf % 3] - if odd_element { 0.045 } else { 0.0 };
    hsl(hue, 0.68, lightness)
}

/// The color of a share of use, from 0 to 1.
pub(crate) fn heat(share: f64) -> Rgb {
    const STOPS: [Rgb; 4] =
        [Rgb([1.0, 0.96, 0.72]), Rgb([0.99, 0.65, 0.30]), Rgb([0.86, 0.20, 0.16]), Rgb([0.40, 0.02, 0.30])];
    let place = share.clamp(0.0, 1.0) * (STOPS.len() - 1) as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it lies between 0 and 3")]
    let stop = (place as usize).min(STOPS.len() - 2);
    let (Rgb(low), Rgb(high), part) = (STOPS[stop], STOPS[stop + 1], place - stop as f64);
    Rgb(core::array::from_fn(|i| low[i] + (high[i] - low[i]) * part))
}

/// The color with this hue in degrees, saturation and lightness.
fn hsl(hue: f64, saturation: f64, lightness: f64) -> Rgb {
    let chroma = saturation * lightness.min(1.0 - lightness);
    Rgb([0.0, 8.0, 4.0].map(|n| {
        let k = (n + hue / 30.0) % 12.0;
        lightness - chroma * (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0)
    }))
}

impl fmt::Display for Rgb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "channels lie between 0 and 255")]
        let [r, g, b] = self.0.map(|channel| (channel * 255.0).round() as u8);
        write!(f, "#{r:02x}{g:02x}{b:02x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The contrast of two colors, as the web accessibility guidelines define it.
    fn contrast(a: Rgb, b: Rgb) -> f64 {
        let luminance = |Rgb(channels): Rgb| {
            let [r, g, b] = channels.map(|c| if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) });
            0.2126 * r + 0.7152 * g + 0.0722 * b
        };
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn text_can_be_read() {
        for number in 0..4096 {
            for odd in [false, true] {
                assert!(contrast(leaf(number, odd), INK) > 5.5, "leaf {number}");
            }
        }
        assert!(contrast(GRAY, Rgb([1.0; 3])) > 4.5);
        assert!(contrast(GRAY, Rgb([0.0; 3])) > 4.5);
    }

    #[test]
    fn neighbors_differ() {
        for number in 0..100 {
            let (Rgb(a), Rgb(b)) = (leaf(number, false), leaf(number + 1, false));
            assert!(a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<f64>() > 0.2, "leaf {number}");
        }
    }

    #[test]
    fn written_as_numbers() {
        assert_eq!(hsl(120.0, 1.0, 0.5).to_string(), "#00ff00");
        assert_eq!(heat(0.0).to_string(), "#fff5b8");
        assert_eq!(heat(1.0).to_string(), "#66054d");
    }
}

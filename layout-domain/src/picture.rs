//! Pictures of the owners of indices.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Write};

use crate::{Domain, DomainMap, Index};

/// A picture of a domain as SVG or text. Each index has the color of the locale that has it, or stripes in the colors of all locales that
/// have it.
///
/// The last two dimensions are rows and columns; each index of the dimensions before them has a panel of its own. The time grows with the
/// number of indices: a picture is for small domains.
///
/// # Examples
///
/// ```
/// use layout::domain::{BlockCyclic, Domain, OwnerPicture, Targets};
///
/// let map = BlockCyclic::new([1, 1], [2, 3], Targets::all(6)?)?;
/// let picture = OwnerPicture::of(&map, &Domain::new([1..=4, 1..=8])).title("blocks of 2 by 3");
/// assert_eq!(picture.to_string(), "0 0 0 1 1 1 0 0\n0 0 0 1 1 1 0 0\n2 2 2 3 3 3 2 2\n2 2 2 3 3 3 2 2\n");
/// assert!(picture.to_svg().starts_with("<svg"));
/// # Ok::<(), layout::domain::DomainError>(())
/// ```
#[derive(Clone, Debug)]
pub struct OwnerPicture<const R: usize, I: Index = i64> {
    title: String,
    domain: Domain<R, I>,
    holders: BTreeMap<[I; R], Vec<usize>>,
    frames: Vec<(Domain<R, I>, usize)>,
}

/// The side of a cell, the gap around panels, and the height of the title.
const CELL: usize = 22;
const GAP: usize = 14;
const HEAD: usize = 24;
/// The width of the number and the color of a locale.
const NAME: usize = 40;

/// Colors that readers with color blindness can tell apart: the first eight by Okabe and Ito, then lighter ones.
const COLORS: [&str; 12] = [
    "#56b4e9", "#e69f00", "#009e73", "#f0e442", "#cc79a7", "#d55e00", "#0072b2", "#999999", "#a6dcf7", "#f7d68a",
    "#8fd3bd", "#e8bcd4",
];

impl<const R: usize, I: Index> OwnerPicture<R, I> {
    /// A picture of a domain, without frames.
    pub fn of(map: &dyn DomainMap<R, I>, domain: &Domain<R, I>) -> Self {
        let mut holders: BTreeMap<[I; R], Vec<usize>> = BTreeMap::new();
        for &locale in map.locales() {
            for index in map.local(locale, domain).iter().flat_map(Domain::iter) {
                holders.entry(index).or_default().push(locale);
            }
        }
        Self { title: String::new(), domain: *domain, holders, frames: Vec::new() }
    }

    /// A line of text above the picture.
    #[must_use]
    pub fn title(self, title: impl Into<String>) -> Self {
        Self { title: title.into(), ..self }
    }

    /// A dashed frame around some indices, in the color of a locale: for example the indices that a locale has memory for. It is drawn in
    /// each panel with such an index. The part of the frame outside the domain is not drawn.
    #[must_use]
    pub fn frame(mut self, around: &Domain<R, I>, locale: usize) -> Self {
        self.frames.push((self.domain.intersect(around), locale));
        self
    }

    /// The numbers of rows, of columns, and of panels.
    fn sizes(&self) -> (usize, usize, usize) {
        let shape = self.domain.shape();
        let side = |from_end: usize| R.checked_sub(from_end).map_or(1, |dim| shape[dim]);
        let panels = shape.iter().take(R.saturating_sub(2)).product();
        (side(2), side(1), panels)
    }

    /// The panel, row and column of an index.
    fn place(&self, index: [I; R]) -> Option<(usize, usize, usize)> {
        let order = self.domain.order(index)?;
        let (rows, columns, _) = self.sizes();
        Some((order / (rows * columns), order / columns % rows, order % columns))
    }

    /// The lowest and the highest row and column of each frame in each of its panels, and the locale of the frame.
    fn framed(&self) -> impl Iterator<Item = (usize, (usize, usize), (usize, usize), usize)> {
        self.frames.iter().flat_map(|(around, locale)| {
            let mut panels: BTreeMap<usize, [(usize, usize); 2]> = BTreeMap::new();
            for (panel, row, column) in around.iter().filter_map(|index| self.place(index)) {
                let [low, high] = panels.entry(panel).or_insert([(row, column); 2]);
                *low = (low.0.min(row), low.1.min(column));
                *high = (high.0.max(row), high.1.max(column));
            }
            panels.into_iter().map(|(panel, [low, high])| (panel, low, high, *locale))
        })
    }

    /// The picture as SVG, for a file of its own or inside a page.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let (rows, columns, panels) = self.sizes();
        let (width, height) = (columns * CELL + GAP, rows * CELL + GAP);
        // Cells of several locales have no numbers; a line below tells their colors.
        let shared = self.holders.values().any(|holders| holders.len() > 1);
        let named = self.holders.values().flatten().copied().filter(|_| shared).collect::<BTreeSet<_>>();
        let full = (panels * width + GAP).max(GAP + self.title.chars().count() * 8).max(GAP + named.len() * NAME);
        let mut svg = String::new();
        // Writing to a `String` does not fail.
        let _ = writeln!(
            svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{full}\" height=\"{}\" font-family=\"sans-serif\" \
             font-size=\"11\"><rect width=\"100%\" height=\"100%\" fill=\"white\"/>\
             <text x=\"{GAP}\" y=\"18\" font-size=\"14\">{}</text>",
            height + HEAD + if shared { CELL } else { 0 },
            escaped(&self.title)
        );
        let corner = |(panel, row, column)| (GAP + panel * width + column * CELL, HEAD + 4 + row * CELL);
        let mut numbers = String::new();
        let mut cells =
            self.domain.iter().enumerate().map(|(order, index)| (order, self.holders.get(&index))).peekable();
        while let Some((order, holders)) = cells.next() {
            // Cells of one color that are side by side are one rectangle.
            let mut len = 1;
            while cells.next_if(|(next, other)| next % columns != 0 && *other == holders).is_some() {
                len += 1;
            }
            let Some(holders) = holders else { continue };
            let place = |order: usize| corner((order / (rows * columns), order / columns % rows, order % columns));
            let stripes = if holders.len() == 1 { 1 } else { len };
            for stripe in 0..stripes {
                let (x, y) = place(order + stripe);
                for (number, locale) in holders.iter().enumerate() {
                    let [left, right] = [number, number + 1].map(|at| x + at * (len / stripes) * CELL / holders.len());
                    let (width, color) = (right - left, COLORS[locale % COLORS.len()]);
                    let _ = write!(
                        svg,
                        "<rect x=\"{left}\" y=\"{y}\" width=\"{width}\" height=\"{CELL}\" fill=\"{color}\"/>"
                    );
                }
            }
            if let [locale] = holders[..] {
                for (x, y) in (order..order + len).map(place) {
                    let _ = write!(numbers, "<text x=\"{}\" y=\"{}\">{locale}</text>", x + CELL / 2, y + CELL / 2 + 4);
                }
            }
            svg.push('\n');
        }
        // The lines between cells.
        svg.push_str("<path stroke=\"white\" d=\"");
        for panel in 0..panels {
            for row in 0..=rows {
                let (x, y) = corner((panel, row, 0));
                let _ = write!(svg, "M{x} {y}h{}", columns * CELL);
            }
            for column in 0..=columns {
                let (x, y) = corner((panel, 0, column));
                let _ = write!(svg, "M{x} {y}v{}", rows * CELL);
            }
        }
        let _ = writeln!(svg, "\"/>\n<g text-anchor=\"middle\">{numbers}</g>");
        for (panel, low, high, locale) in self.framed() {
            let ((x, y), (to_x, to_y)) = (corner((panel, low.0, low.1)), corner((panel, high.0, high.1)));
            let _ = writeln!(
                svg,
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"black\" stroke-width=\"4\"/>\
                 <rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\" \
                 stroke-dasharray=\"6 3\"/>",
                x + 2,
                y + 2,
                to_x + CELL - x - 4,
                to_y + CELL - y - 4,
                x + 2,
                y + 2,
                to_x + CELL - x - 4,
                to_y + CELL - y - 4,
                COLORS[locale % COLORS.len()]
            );
        }
        for (number, locale) in named.iter().enumerate() {
            let (x, y, color) = (GAP + number * NAME, HEAD + height, COLORS[locale % COLORS.len()]);
            let _ = writeln!(
                svg,
                "<rect x=\"{x}\" y=\"{y}\" width=\"12\" height=\"12\" fill=\"{color}\"/>\
                 <text x=\"{}\" y=\"{}\">{locale}</text>",
                x + 16,
                y + 10
            );
        }
        svg.push_str("</svg>\n");
        svg
    }
}

/// Writes the number of the locale that has each index, row by row; `*` if several locales have it, and `-` if none has it.
impl<const R: usize, I: Index> fmt::Display for OwnerPicture<R, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rows, columns, _) = self.sizes();
        let most = self.holders.values().flatten().max().copied().unwrap_or(0);
        let width = most.checked_ilog10().map_or(1, |digits| digits as usize + 1);
        for (number, index) in self.domain.iter().enumerate() {
            match self.holders.get(&index).map(Vec::as_slice) {
                Some([locale]) => write!(f, "{locale:>width$}")?,
                Some([_, ..]) => write!(f, "{:>width$}", '*')?,
                _ => write!(f, "{:>width$}", '-')?,
            }
            let (ends_row, ends_panel) =
                ((number + 1).is_multiple_of(columns), (number + 1).is_multiple_of(rows * columns));
            f.write_str(if ends_row { "\n" } else { " " })?;
            if ends_panel && number + 1 < self.domain.len() {
                f.write_str("\n")?;
            }
        }
        Ok(())
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

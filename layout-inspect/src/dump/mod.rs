//! Pictures of the places of leaves.

mod html;
mod labels;
mod picture;
mod rows;
mod svg;
mod text;

use core::fmt;

use layout_core::Mapping;

use picture::Picture;

/// The most bytes in a row of a [`Dump`], and blocks in a row of a [`HeatPicture`](crate::HeatPicture).
pub(crate) const MOST_IN_ROW: usize = 1 << 16;

/// A picture of the place of each leaf of each element, for any mapping.
///
/// Bytes are drawn in rows, in the order of the blobs; a leaf has the same color in every picture. Leaves of a few bits
/// are drawn bit by bit. A leaf that lies in several places is drawn in each place, and its places are numbered: in
/// `Bytesplit`, `time:2` is byte 2 of the leaf `time`. A leaf that elements share is drawn once; leaves without memory are
/// listed. Blocks of elements, as `AoSoA` has them for two leaves or more, are drawn whole. The picture is drawn from [`Mapping::bits_of`] alone, so a layout of your
/// own needs nothing more.
///
/// # Examples
///
/// ```
/// use layout::inspect::Dump;
/// use layout::prelude::*;
///
/// #[derive(Clone, Copy, Record)]
/// struct Hit { time: u32, channel: u16 }
///
/// let mapping = Mapped::<Hit, _, AoS>::new(extents!(dyn 1000))?;
/// let dump = Dump::of(&mapping).elements(3).bytes_per_row(16);
/// assert_eq!(dump.to_string(), "\
/// Hit as AoS, RowMajor, extents [1000]
/// blob 0: 8000 bytes
///      0 |a a a a|b b|. .|a a a a|b b|. .  [0].time to [1].channel
///     16 |a a a a|b b|. .|: : : : : :|. .  [2].time to [2].channel
///        ... 7968 bytes not shown
/// a time: u32
/// b channel: u16
/// . no leaf of this mapping: padding
/// : elements that are not shown
/// ... 997 more elements");
/// assert!(dump.to_svg().starts_with("<svg "));
/// assert!(dump.to_html().contains("... 997 more elements"));
/// # Ok::<(), layout::error::ExtentsError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Dump<M> {
    mapping: M,
    options: Options,
}

/// The options of a picture.
#[derive(Clone, Debug)]
struct Options {
    title: Option<String>,
    bytes_per_row: Option<usize>,
    elements: usize,
    rows: usize,
}

impl<M: Mapping> Dump<M> {
    /// Makes the picture of a mapping, with its first 32 elements, and at most 64 rows of each blob.
    #[must_use]
    pub fn of(mapping: &M) -> Self {
        Self { mapping: *mapping, options: Options { title: None, bytes_per_row: None, elements: 32, rows: 64 } }
    }

    /// Sets the title, in place of the one that describes the mapping.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.options.title = Some(title.into());
        self
    }

    /// Sets the number of bytes in a row, at least 1 and at most 65,536. The default is 32. It is less if leaves lie in single bits, and in an SVG
    /// if the names of small leaves need wider boxes.
    #[must_use]
    pub fn bytes_per_row(mut self, bytes: usize) -> Self {
        self.options.bytes_per_row = Some(bytes.clamp(1, MOST_IN_ROW));
        self
    }

    /// Sets the number of elements that are drawn, in row-major order of their indices. Of a layout of blocks, the other
    /// elements in the blocks of these are drawn too.
    #[must_use]
    pub fn elements(mut self, most: usize) -> Self {
        self.options.elements = most;
        self
    }

    /// Sets the most rows of each blob that are drawn. A block of elements that the last row would cut is left out, unless it is
    /// the only one.
    #[must_use]
    pub fn rows(mut self, most: usize) -> Self {
        self.options.rows = most;
        self
    }

    /// Draws the picture as SVG, for a file or inside a page.
    #[must_use]
    pub fn to_svg(&self) -> String {
        svg::draw(&Picture::of(&self.mapping, &self.options, picture::Drawn::Svg))
    }

    /// Draws the picture as a self-contained HTML page.
    #[must_use]
    pub fn to_html(&self) -> String {
        html::page(&Picture::of(&self.mapping, &self.options, picture::Drawn::Svg))
    }
}

/// Writes the picture as text, with a letter for each leaf.
impl<M: Mapping> fmt::Display for Dump<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        text::write(f, &Picture::of(&self.mapping, &self.options, picture::Drawn::Text))
    }
}

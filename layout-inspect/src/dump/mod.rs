//! Pictures of where the leaves of elements lie.

mod html;
mod picture;
mod rows;
mod svg;
mod text;

use core::fmt;

use layout_core::Mapping;

use picture::Picture;

/// A picture of where each leaf of each element lies, for any mapping.
///
/// Bytes are drawn as they lie in the blobs, in rows; a leaf has the same colour in every picture. Leaves that lie in a
/// few bits are drawn bit by bit; those that lie in several places are drawn in each; those that elements share are
/// drawn once, and those without memory are listed. All of it is what [`Mapping::bits_of`] says: a layout of your own
/// needs nothing further.
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
/// use layout::inspect::Dump;
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
/// # Ok::<(), layout::ExtentsError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Dump<M> {
    mapping: M,
    options: Options,
}

/// What is drawn, and how.
#[derive(Clone, Debug)]
struct Options {
    title: Option<String>,
    bytes_per_row: Option<usize>,
    elements: usize,
    rows: usize,
}

impl<M: Mapping> Dump<M> {
    /// The picture of a mapping: of its first 32 elements, and of no more than 64 rows of each blob.
    #[must_use]
    pub fn of(mapping: &M) -> Self {
        Self { mapping: *mapping, options: Options { title: None, bytes_per_row: None, elements: 32, rows: 64 } }
    }

    /// The title, in place of what the mapping itself says.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.options.title = Some(title.into());
        self
    }

    /// How many bytes are drawn in a row, at least 1; by itself 32, and fewer where leaves lie in single bits.
    #[must_use]
    pub fn bytes_per_row(mut self, bytes: usize) -> Self {
        self.options.bytes_per_row = Some(bytes.max(1));
        self
    }

    /// How many elements are drawn at most, by their indices, last dimension fastest.
    #[must_use]
    pub fn elements(mut self, most: usize) -> Self {
        self.options.elements = most;
        self
    }

    /// How many rows of each blob are drawn at most.
    #[must_use]
    pub fn rows(mut self, most: usize) -> Self {
        self.options.rows = most;
        self
    }

    /// The picture as SVG, which can be a file or stand in a page.
    #[must_use]
    pub fn to_svg(&self) -> String {
        svg::draw(&Picture::of(&self.mapping, &self.options, picture::Width { bytes: 32, bits: 8 }))
    }

    /// The picture as a page of HTML that needs nothing else.
    #[must_use]
    pub fn to_html(&self) -> String {
        html::page(&Picture::of(&self.mapping, &self.options, picture::Width { bytes: 32, bits: 8 }))
    }
}

/// The picture as text, a letter for each leaf.
impl<M: Mapping> fmt::Display for Dump<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        text::write(f, &Picture::of(&self.mapping, &self.options, picture::Width { bytes: 32, bits: 4 }))
    }
}

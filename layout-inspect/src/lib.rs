//! What one sees of a layout: pictures of where bytes lie, and pictures of which are used.
//!
//! * [`Dump`] draws any mapping, as SVG, HTML or text.
//! * [`HeatPicture`] draws the counts of a [heat map](layout_core::View::heat_map).

mod dump;
mod heat;
mod names;
mod palette;

pub use dump::Dump;
pub use heat::HeatPicture;

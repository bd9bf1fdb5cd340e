//! Inspection of layouts: pictures of the places of leaves, pictures of their use, and times.
//!
//! * [`Dump`] draws any mapping, as SVG, HTML or text.
//! * [`HeatPicture`] draws the counts of a [heat map](layout_core::View::heat_map).
//! * [`Advisor`] runs a kernel in each layout of a list, and ranks them; in several linearizations on request.

mod advisor;
mod dump;
mod heat;
mod names;
mod palette;

pub use advisor::{Advice, Advisor, Kernel, LinearizationList, LinearizationTask, Ranked, Refused};
pub use dump::Dump;
pub use heat::HeatPicture;

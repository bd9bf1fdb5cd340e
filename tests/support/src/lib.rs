//! Helpers of the tests of several crates: memory that is watched, numbers and indices, layouts of a user's own, clocks, and programs to run.

pub mod blocks;
pub mod buffer;
pub mod bytes;
pub mod cell;
pub mod cells;
pub mod clock;
pub mod counting;
pub mod delaying;
pub mod gapped;
pub mod hit;
pub mod indices;
#[cfg(unix)]
pub mod jobs;
pub mod joined;
pub mod layouts;
pub mod listed;
pub mod locales;
pub mod losing;
pub mod panics;
pub mod processes;
pub mod profiled;
pub mod program;
pub mod random;
pub mod resident;
pub mod rounding;
#[cfg(unix)]
pub mod sockets;
pub mod steps;
pub mod strides;
pub mod tight;
#[cfg(unix)]
pub mod world;

//! Tasks: closures that are run over the tiles of stores.

mod argument;
mod arguments;
mod builder;
mod constrain;
mod context;
mod emit;
mod future;
mod images;
mod launch;
mod launched;
mod plan;
mod plans;
mod reduce;
mod submit;

pub use argument::{Projected, Read, Source, Write, read, update, write};
pub use arguments::{Argument, Arguments};
pub use builder::TaskBuilder;
pub use constrain::{
    Handle, PointsTo, Rule, align, align_axes, bloat, broadcast, broadcast_axes, image, min_extents, must_partition,
    scale,
};
pub use context::Task;
pub use emit::{Emit, Emitter, Unbound, emit};
pub use future::Future;
pub use launched::{Launched, Returned};
pub use reduce::{Contributions, Reduce, Reducer, reduce};

pub(crate) use images::Images;
pub(crate) use launch::{Claim, enlist};
pub(crate) use plans::Plans;

//! Tasks: closures that run over the tiles of stores.
#![expect(unnameable_types, reason = "the hidden sides of `Argument` and `Arguments`, which are sealed")]

mod agree;
mod argument;
mod arguments;
mod bind;
mod builder;
mod checks;
mod combine;
mod constrain;
mod context;
mod contributed;
mod dense;
mod elements;
mod emit;
mod emitted;
mod enqueue;
mod explain;
mod future;
mod image;
mod kept;
mod launcher;
mod local;
mod order;
mod part;
mod plan;
mod plan_cache;
mod points_to;
mod reduce;
mod reduction;
mod report;
mod returned;
mod routed;
mod send;
mod spread;
mod values;

pub(crate) use agree::agree;
pub use argument::{Read, Source, Write, read, update, write};
pub use arguments::{Argument, Arguments};
pub use builder::TaskBuilder;
pub use constrain::{
    Handle, Rule, align, align_axes, bloat, bloat_faces, bloat_periodic, broadcast, broadcast_axes, cut_by, follow,
    min_extents, must_partition, scale,
};
pub use context::Task;
pub use contributed::Contributions;
pub(crate) use elements::Elements;
pub use emit::{Emit, Emitter, Unbound, emit};
pub use emitted::{Emitted, emitted};
pub use explain::{Exchange, Explanation, Reason};
pub use future::{Future, Value, value};
pub use image::image;
pub use order::OrderPolicy;
pub use points_to::PointsTo;
pub use reduce::{Reduce, Reducer, reduce};

pub(crate) use launcher::Launcher;
pub(crate) use plan::Manual;
pub use reduction::{And, Max, Min, Or, Product, Reduction, Sum, Xor};
pub use report::Launched;
pub use returned::Returned;
pub(crate) use routed::{Inbox, Outbox, Routed};
pub use send::{SendTo, Sender, send};

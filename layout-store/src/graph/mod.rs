//! The task graph: what runs when.
//!
//! A [`Node`] is one point of a launch. It counts the nodes that it waits for; when the count is zero it is put into the
//! queue of the [`Engine`], whose threads run it without holding any lock. A node that is done has let go of all that it
//! used, and remembers its outcome only.

mod bodies;
mod engine;
mod fault;
mod meter;
mod node;
mod overlaps;
mod pool;
mod tiles;
mod uses;
mod wake;
mod written;

pub(crate) use bodies::Shared;
pub(crate) use engine::{AWAKE, Engine, Look, NAP, Progress};
pub use fault::{Cause, TaskBodyError, TaskError};
pub(crate) use fault::{Nested, caught};
pub(crate) use node::{Body, Edge, Node, Nodes, Row};
pub(crate) use pool::{NewNodes, Pool};
pub(crate) use tiles::Tiles;
pub(crate) use uses::Uses;
pub(crate) use wake::longer;

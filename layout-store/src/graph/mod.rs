//! The task graph, which orders the points of launches.
//!
//! A [`Node`] is one point of a launch. It counts the nodes that it waits for; at zero it goes into the queue of the [`Engine`], whose
//! threads run it without holding any lock. A node that is done has dropped everything that it used, and keeps only its outcome.

mod bodies;
mod elsewhere;
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
pub(crate) use engine::{AWAKE, Engine, EnlistedUse, Look, NAP, Progress};
pub use fault::{Cause, TaskBodyError, TaskError};
pub(crate) use fault::{Nested, caught};
pub(crate) use node::{Body, Edge, Node, Nodes, Row};
pub(crate) use pool::{NewNodes, Pool};
pub(crate) use tiles::Tiles;
pub(crate) use uses::Uses;
pub(crate) use wake::longer;

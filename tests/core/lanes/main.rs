//! Lanes: groups of elements along any dimension, with ends that are whole or masked, and of records whose leaves lie between others.

mod along;
mod interleaved;
mod masked;

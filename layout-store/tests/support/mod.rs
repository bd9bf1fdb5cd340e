//! What several tests need.

use layout_store::Runtime;

/// A runtime on two threads that cuts stores of any size into so many pieces.
pub(crate) fn runtime(pieces: usize) -> Runtime {
    Runtime::builder().threads(2).pieces(pieces).min_chunk(1).build().unwrap()
}

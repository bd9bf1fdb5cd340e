//! The support of all tests, as far as the tests here use it.

#[path = "../support/src/blocks.rs"]
pub mod blocks;
#[path = "../support/src/buffer.rs"]
pub mod buffer;
#[path = "../support/src/gapped.rs"]
pub mod gapped;
#[path = "../support/src/random.rs"]
pub mod random;

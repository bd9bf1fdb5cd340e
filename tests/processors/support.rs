//! What the tests of copies use of the support of all tests.

#[path = "../support/src/buffer.rs"]
pub mod buffer;
#[path = "../support/src/random.rs"]
pub mod random;

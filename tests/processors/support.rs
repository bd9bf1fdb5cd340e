//! The support of all tests, as far as the tests of copies use it.

#[path = "../support/src/buffer.rs"]
pub mod buffer;
#[path = "../support/src/random.rs"]
pub mod random;

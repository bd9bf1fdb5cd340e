//! Operations on whole stores.

mod fill;


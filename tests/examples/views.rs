//! The examples over views, as `cargo test` builds them: what they compute, and what they say to wrong input.

mod bitpack;
mod hep;
mod nbody;
mod rates;
mod shown;
mod stl;

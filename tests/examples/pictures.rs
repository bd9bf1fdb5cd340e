//! The examples over pictures, as `cargo test` builds them: what they compute, and what they say to wrong input.

mod blur;
mod flow;

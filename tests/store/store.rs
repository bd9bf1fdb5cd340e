//! Stores: launches, constraints, what tasks contribute, faults, memory, locales; random programs against plain arrays.

mod asked;
mod bits;
mod clear_answers;
mod constraints;
mod contributions;
mod costs;
mod cutting;
mod distributed;
mod divergence;
mod faults;
mod images;
mod locales;
mod losses;
mod mappers;
mod memory;
mod messages;
mod model;
mod owners;
mod programs;
mod refused;
mod runtime;
mod shared;
mod shortage;
mod solving;
mod spoiled;
mod strided;
mod transforms;

/// A runtime on two threads that cuts stores of any size into so many pieces.
fn cut_into(pieces: usize) -> layout_store::Runtime {
    layout_store::Runtime::builder().threads(2).pieces(pieces).min_chunk(1).build().unwrap()
}

// Their programs run on one locale, or on threads.
support::with_processes!(
    "bits",
    "clear_answers",
    "costs",
    "cutting",
    "losses",
    "model",
    "refused",
    "shared",
    "solving",
    "spoiled",
    "transforms"
);

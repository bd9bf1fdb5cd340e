//! Checkpoints of stores: written, restored on other locales, refused, and survived.

mod records;
mod refused;
mod round_trips;

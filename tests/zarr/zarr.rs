//! Checkpoints of stores: written, restored on other locales, refused, and survived.

#[cfg(unix)]
mod kills;
mod python;
mod records;
mod refused;
mod round_trips;

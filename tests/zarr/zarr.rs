//! Checkpoints of stores: written, restored on other locales, refused, and survived. Views as groups of arrays.

#[cfg(unix)]
mod heat;
#[cfg(unix)]
mod kills;
mod python;
mod records;
mod refused;
mod round_trips;
#[cfg(target_os = "linux")]
mod syncs;
mod views;

//! The limits of programs: peaks of moves, memory that tasks leave behind, and the cost of plans.
#![allow(clippy::cast_possible_truncation, reason = "a test of numbers that are small")]

use std::sync::{Mutex, MutexGuard, PoisonError};

use support::counting::Counting;

mod behind;
mod kept;
mod peaks;
mod plans;
mod refused;
mod replay;
mod scalars;

#[global_allocator]
static ALLOCATOR: Counting = Counting::new();

/// Locks the counting allocator, for one test at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

//! The text of a panic.

use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;

/// The message of the panic of `f`, which has to panic.
///
/// # Panics
///
/// Panics if `f` returns.
pub fn panic_of<T>(f: impl FnOnce() -> T) -> String {
    let Err(payload) = catch_unwind(AssertUnwindSafe(f)) else { panic!("nothing was refused") };
    payload
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| payload.downcast_ref::<&str>().map(ToString::to_string))
        .expect("the message is a string")
}

//! The text of a panic, and its place.

use core::cell::RefCell;
use core::panic::AssertUnwindSafe;
use std::panic::{self, catch_unwind};
use std::sync::Once;

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

/// The file and the line of the panic of `f`, which has to panic on this thread.
///
/// # Panics
///
/// Panics if `f` returns.
pub fn place_of_panic<T>(f: impl FnOnce() -> T) -> (String, u32) {
    thread_local! {
        static PLACE: RefCell<Option<(String, u32)>> = const { RefCell::new(None) };
    }
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            PLACE.set(panic.location().map(|place| (place.file().to_owned(), place.line())));
            before(panic);
        }));
    });
    assert!(catch_unwind(AssertUnwindSafe(f)).is_err(), "nothing was refused");
    PLACE.take().expect("a panic has a place")
}

//! The text of a panic, and the file that it names.

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

/// The file that the panic of `f` names, which has to panic on this thread.
///
/// # Panics
///
/// Panics if `f` returns.
pub fn file_of_panic<T>(f: impl FnOnce() -> T) -> String {
    thread_local! {
        static FILE: RefCell<Option<String>> = const { RefCell::new(None) };
    }
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            FILE.set(panic.location().map(|place| place.file().to_owned()));
            before(panic);
        }));
    });
    assert!(catch_unwind(AssertUnwindSafe(f)).is_err(), "nothing was refused");
    FILE.take().expect("a panic has a place")
}

//! An allocator that ends the program when too much is asked for at once. libFuzzer has such a limit (`-malloc_limit_mb`) only under a
//! sanitizer, and its limit of resident memory does not see pages that nobody touches.

use core::alloc::{GlobalAlloc, Layout};
use core::sync::atomic::{AtomicUsize, Ordering};
use std::alloc::System;

const MOST: usize = 64 << 20;

/// The system's allocator, up to 64 MiB at once: too much for each of the inputs.
pub struct Limited {
    most: AtomicUsize,
}

impl Limited {
    #[must_use]
    #[expect(clippy::new_without_default, reason = "a static")]
    pub const fn new() -> Self {
        Self { most: AtomicUsize::new(MOST) }
    }

    /// Calls code of another crate, which may ask for any size.
    pub fn without<T>(&self, work: impl FnOnce() -> T) -> T {
        self.most.store(usize::MAX, Ordering::Relaxed);
        let result = work();
        self.most.store(MOST, Ordering::Relaxed);
        result
    }

    fn check(&self, size: usize) {
        if size > self.most.load(Ordering::Relaxed) {
            eprintln!("an allocation of {size} bytes");
            std::process::abort();
        }
    }
}

// SAFETY: all calls are those of the system's allocator.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.check(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.check(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        self.check(size);
        // SAFETY: the caller's promise.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }
}

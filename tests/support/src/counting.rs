//! An allocator that keeps account: declare it as the `#[global_allocator]` of a test program.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::Cell;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::alloc::System;

std::thread_local! {
    /// The number of allocations by this thread.
    static HERE: Cell<usize> = const { Cell::new(0) };
    /// And how often something of a size that is counted apart.
    static APART: Cell<usize> = const { Cell::new(0) };
    /// The bytes that this thread has allocated, less those that it has given back.
    static LIVE: Cell<isize> = const { Cell::new(0) };
}

/// The system's allocator, which counts the bytes that are allocated.
#[derive(Default)]
pub struct Counting {
    live: AtomicUsize,
    peak: AtomicUsize,
    times: AtomicUsize,
    all: AtomicUsize,
    /// Sizes that are counted apart.
    apart: [AtomicUsize; SIZES],
}

/// So many sizes are counted apart at most.
const SIZES: usize = 4;

impl Counting {
    /// Nothing was allocated.
    #[must_use]
    pub const fn new() -> Self {
        let [live, peak, times, all] = [const { AtomicUsize::new(0) }; 4];
        Self { live, peak, times, all, apart: [const { AtomicUsize::new(0) }; SIZES] }
    }

    /// The bytes that are allocated now.
    pub fn live(&self) -> usize {
        self.live.load(Ordering::Relaxed)
    }

    /// The bytes that this thread has allocated, less those that it has given back: other threads, such as that of the test harness, do
    /// not count.
    pub fn live_here(&self) -> isize {
        LIVE.get()
    }

    /// The most bytes at a time since the start, or since [`forget`](Self::forget).
    pub fn peak(&self) -> usize {
        self.peak.load(Ordering::Relaxed)
    }

    /// The peak is what is allocated now, which is given.
    pub fn forget(&self) -> usize {
        let live = self.live();
        self.peak.store(live, Ordering::Relaxed);
        live
    }

    /// The most bytes that `work` has at a time, beyond those that there are, and what it gives.
    pub fn peak_of<T>(&self, work: impl FnOnce() -> T) -> (usize, T) {
        let before = self.forget();
        let result = work();
        (self.peak() - before, result)
    }

    /// The number of allocations so far, and of their bytes, whether they are there or not.
    pub fn so_far(&self) -> (usize, usize) {
        (self.times.load(Ordering::Relaxed), self.all.load(Ordering::Relaxed))
    }

    /// The number of allocations by this thread so far.
    pub fn here(&self) -> usize {
        HERE.get()
    }

    /// Counts things of these sizes apart from now on.
    ///
    /// # Panics
    ///
    /// If there are too many sizes.
    pub fn set_apart(&self, sizes: &[usize]) {
        assert!(sizes.len() <= SIZES, "{sizes:?} are too many sizes");
        self.apart.iter().zip(sizes).for_each(|(apart, size)| apart.store(*size, Ordering::Relaxed));
    }

    /// The number of allocations by this thread so far, except those of a size that is counted apart.
    pub fn here_but_apart(&self) -> usize {
        HERE.get() - APART.get()
    }

    fn count(&self, size: usize) {
        // A thread that ends may allocate when this is gone already.
        let _ = HERE.try_with(|here| here.set(here.get() + 1));
        let _ = LIVE.try_with(|live| live.set(live.get() + size.cast_signed()));
        if self.apart.iter().any(|apart| apart.load(Ordering::Relaxed) == size) {
            let _ = APART.try_with(|apart| apart.set(apart.get() + 1));
        }
        self.times.fetch_add(1, Ordering::Relaxed);
        self.all.fetch_add(size, Ordering::Relaxed);
        let live = self.live.fetch_add(size, Ordering::Relaxed) + size;
        self.peak.fetch_max(live, Ordering::Relaxed);
    }
}

// SAFETY: all calls are those of the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.count(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.count(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        let _ = LIVE.try_with(|live| live.set(live.get() - layout.size().cast_signed()));
        self.live.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }
}

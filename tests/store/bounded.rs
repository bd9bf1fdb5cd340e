//! Many stores and launches in bounded memory: what is done gives its memory back.

use core::alloc::{GlobalAlloc, Layout};
use core::sync::atomic::{AtomicUsize, Ordering};
use std::alloc::System;

use layout_store::{Runtime, Store, Sum, read, update};

/// The system's allocator, which keeps account.
struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all calls are those of the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(live, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Creates stores and launches ten tasks for each; of every size of store there is a plan.
fn work(rt: &Runtime, stores: i64) {
    let mut last: Store<i64, _> = rt.create_from_fn(64, |at| at[0]).unwrap();
    for number in 0..stores {
        let store: Store<i64, _> = rt.create(64 + number % 500).unwrap();
        store.fill(number).unwrap();
        let part = store.slice(0, 0, 64).unwrap();
        part.copy_from(&last).unwrap();
        for _ in 0..7 {
            rt.task("add").args((update(&store),)).launch(|_, (mut x,)| x.update(|x| x + 1)).unwrap();
        }
        rt.task("sum").args((read(&store),)).reduce(Sum, |_, (x,)| Ok(x.values().sum::<i64>())).unwrap();
        last = part;
    }
    assert_eq!(last.get([3]).unwrap(), 3 + 7 * stores);
    rt.fence().unwrap();
}

#[test]
fn memory_stays() {
    let rt = Runtime::builder().threads(2).pieces(4).min_chunk(1).build().unwrap();
    work(&rt, 1000);
    let (before, first_peak) = (LIVE.load(Ordering::Relaxed), PEAK.swap(0, Ordering::Relaxed));
    work(&rt, 10_000);
    let (after, peak) = (LIVE.load(Ordering::Relaxed), PEAK.load(Ordering::Relaxed));
    println!(
        "10,000 stores and 100,000 launches: {before} bytes before, {after} after, at most {peak} ({first_peak} at first)"
    );
    // Plans are kept up to a bound, which ten times as many launches may come nearer to.
    assert!(after < before + (16 << 20), "{before} bytes before, {after} after");
    assert!(peak < 96 << 20, "{peak} bytes at a time");

    // One store, used for ever.
    let store: Store<i64, _> = rt.create(64).unwrap();
    store.fill(0).unwrap();
    rt.fence().unwrap();
    let before = LIVE.load(Ordering::Relaxed);
    for _ in 0..100_000 {
        rt.task("read").args((read(&store),)).single().launch(|_, _| ()).unwrap();
    }
    rt.fence().unwrap();
    let after = LIVE.load(Ordering::Relaxed);
    println!("100,000 launches that read one store: {before} bytes before, {after} after");
    // On a busy machine thousands are in flight at a time, and a store keeps twice as many uses until it looks again; all of
    // them would be over 40 MB.
    assert!(after < before + (8 << 20), "{before} bytes before, {after} after");
}

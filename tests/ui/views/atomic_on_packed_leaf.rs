use core::sync::atomic::Ordering::Relaxed;
use layout::{AoS, Packed, alloc};

fn main() {
    let mut view = alloc::<u32, AoS<Packed>, _>(4).unwrap();
    view.atomics().at(1).fetch_add(1, Relaxed);
}

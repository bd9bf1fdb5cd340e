use core::sync::atomic::Ordering::Relaxed;
use layout::{SoA, alloc};

fn main() {
    let mut view = alloc::<u128, SoA, _>(4).unwrap();
    view.atomics().at(1).fetch_add(1, Relaxed);
}

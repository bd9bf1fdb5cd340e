use core::sync::atomic::Ordering::Relaxed;
use layout::composed::Byteswap;
use layout::{SoA, alloc};

fn main() {
    let mut view = alloc::<u32, Byteswap<SoA>, _>(4).unwrap();
    view.atomics().at(1).fetch_add(1, Relaxed);
}

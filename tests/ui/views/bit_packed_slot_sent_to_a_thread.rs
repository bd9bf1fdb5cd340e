use layout::bits::{BitPackedIntSoA, Bits};
use layout::alloc;

fn main() {
    let mut view = alloc::<u32, BitPackedIntSoA<Bits<12>>, _>(4).unwrap();
    let mut slot = view.at_mut(1);
    std::thread::scope(|scope| {
        scope.spawn(move || slot.set(1));
    });
}

use layout::bits::{BitPackedIntSoA, Bits};
use layout::alloc;

fn main() {
    let mut view = alloc::<u32, BitPackedIntSoA<Bits<12>>, _>(4).unwrap();
    let mut slots = view.iter_mut();
    let mut first = slots.next();
    std::thread::scope(|scope| {
        scope.spawn(move || slots.for_each(|mut slot| slot.set(1)));
        first.iter_mut().for_each(|slot| slot.set(1));
    });
}

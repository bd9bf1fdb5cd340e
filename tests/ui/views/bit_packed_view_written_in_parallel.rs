use layout::bits::{BitPackedIntSoA, Bits};
use layout::alloc;

fn main() {
    let mut view = alloc::<u32, BitPackedIntSoA<Bits<12>>, _>(4).unwrap();
    view.par_for_each_mut(|mut slot| slot.set(1));
}

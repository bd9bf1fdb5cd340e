use layout::bits::{BitPackedIntSoA, Bits};
use layout::{SoA, alloc, zip};
use rayon::iter::ParallelIterator;

fn main() {
    let mut packed = alloc::<u32, BitPackedIntSoA<Bits<12>>, _>(4).unwrap();
    let numbers = alloc::<u32, SoA, _>(4).unwrap();
    zip((&numbers, &mut packed)).par_iter().for_each(|(number, mut slot)| slot.set(number.get()));
}

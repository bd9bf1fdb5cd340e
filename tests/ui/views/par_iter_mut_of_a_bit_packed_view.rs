use layout::bits::{BitPackedIntSoA, Bits};
use layout::{Record, alloc};
use rayon::iter::ParallelIterator;

#[derive(Clone, Copy, Record)]
struct Hit {
    channel: u16,
    charge: u16,
}

fn main() {
    let mut hits = alloc::<Hit, BitPackedIntSoA<Bits<12>>, _>(100).unwrap();
    hits.par_iter_mut().for_each(|mut hit| hit.charge.set(1));
}

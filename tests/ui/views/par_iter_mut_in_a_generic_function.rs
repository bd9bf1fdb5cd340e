use layout::{BlobsMut, Mapping, View};
use rayon::iter::ParallelIterator;

fn clear<M: Mapping<Record = f32>, B: BlobsMut>(view: &mut View<M, B>) {
    view.par_iter_mut().for_each(|mut slot| slot.set(0.0));
}

fn main() {}

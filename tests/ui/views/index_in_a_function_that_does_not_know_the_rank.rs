use layout::{Blobs, Mapping, View};

fn first<M: Mapping<Record = f32>, B: Blobs>(view: &View<M, B>) -> f32 {
    view.get([0, 0])
}

fn main() {}

//! A generic function writes, and asks for `Blobs` where it needs `BlobsMut`.

use layout::prelude::*;

fn clear<M: Mapping<Record = f32>, B: Blobs>(masses: &mut View<M, B>) {
    masses.for_each_mut(|mut mass| mass.set(0.0));
}

fn main() {}

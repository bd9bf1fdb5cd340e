//! Indices one after another.

use layout::index::IndexArray;

/// All indices below the extents, last dimension fastest.
pub fn indices<A: IndexArray>(extents: A) -> Vec<A> {
    let mut indices = vec![A::ZERO];
    for (dimension, &extent) in extents.as_ref().iter().enumerate() {
        let longer = |index: A| {
            (0..extent).map(move |entry| {
                let mut index = index;
                index.as_mut()[dimension] = entry;
                index
            })
        };
        indices = indices.into_iter().flat_map(longer).collect();
    }
    indices
}

//! Counting by brute force.

use core::num::NonZero;
use std::collections::BTreeSet;

use layout::observe::{Heat, Uses};
use layout::prelude::*;

use super::{Event, LEAVES};

/// The number of uses of each leaf, and of each block.
pub(crate) struct Model<M> {
    mapping: M,
    block: usize,
    reads: [usize; LEAVES],
    writes: [usize; LEAVES],
    heat: Vec<Vec<usize>>,
}

impl<M: Mapping<Record = Event, Extents: Extents<Array = [usize; 1]>>> Model<M> {
    pub(crate) fn new(mapping: M, block: NonZero<usize>) -> Self {
        let block = block.get();
        let blocks = |blob| vec![0; mapping.blob_size(blob).div_ceil(block)];
        let heat = (0..M::Layout::BLOBS).map(blocks).collect();
        Self { mapping, block, reads: [0; LEAVES], writes: [0; LEAVES], heat }
    }

    /// A use warms each block in which the leaf has a bit.
    fn warm(&mut self, index: usize, leaf: usize) {
        let mut blocks = BTreeSet::new();
        self.mapping.bits_of([index], leaf, &mut |range| {
            for bit in range.start..range.start + range.bits {
                blocks.insert((range.blob, bit / 8 / self.block));
            }
        });
        for (blob, block) in blocks {
            self.heat[blob][block] += 1;
        }
    }

    pub(crate) fn read(&mut self, index: usize, leaves: impl IntoIterator<Item = usize>) {
        for leaf in leaves {
            self.reads[leaf] += 1;
            self.warm(index, leaf);
        }
    }

    pub(crate) fn write(&mut self, index: usize, leaves: impl IntoIterator<Item = usize>) {
        for leaf in leaves {
            self.writes[leaf] += 1;
            self.warm(index, leaf);
        }
    }

    pub(crate) fn reset_uses(&mut self) {
        (self.reads, self.writes) = ([0; LEAVES], [0; LEAVES]);
    }

    #[track_caller]
    pub(crate) fn check_uses(&self, uses: &Uses) {
        let counted: Vec<_> = uses.leaves().iter().map(|leaf| (leaf.reads, leaf.writes)).collect();
        let name = core::any::type_name::<M>();
        assert_eq!(counted, self.reads.into_iter().zip(self.writes).collect::<Vec<_>>(), "{name}");
        let sizes = [1, 4, 2, 2, 2, 8];
        let bytes = (0..LEAVES).map(|leaf| sizes[leaf] * (self.reads[leaf] + self.writes[leaf])).sum::<usize>();
        assert_eq!(uses.bytes(), bytes);
    }

    #[track_caller]
    pub(crate) fn check_heat(&self, heat: &Heat) {
        let counts: Vec<_> = (0..heat.blobs()).map(|blob| heat.counts(blob)).collect();
        assert_eq!(counts, self.heat, "{}, blocks of {}", core::any::type_name::<M>(), self.block);
    }
}

/// Sizes of blocks: single bytes, some that leaves straddle, and lines.
pub(crate) fn blocks() -> impl Iterator<Item = NonZero<usize>> {
    [1, 3, 8, 64].into_iter().filter_map(NonZero::new)
}

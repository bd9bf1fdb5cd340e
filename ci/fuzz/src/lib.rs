//! Records and starting points that several targets use.

#[cfg(feature = "zarr")]
pub mod folder;
mod limited;

use layout::prelude::*;
use libfuzzer_sys::fuzzer_mutate;
use limited::Limited;

/// The allocator of all targets.
#[global_allocator]
pub static ALLOCATOR: Limited = Limited::new();

/// A record with leaves whose values are restricted, and with an array.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
pub struct Hit {
    pub at: [f32; 2],
    pub good: bool,
    pub id: u64,
}

impl Hit {
    /// Hit number `i`.
    #[must_use]
    pub fn number(i: usize) -> Self {
        Self { at: [1.5, i as f32], good: i.is_multiple_of(2), id: 7 + i as u64 }
    }
}

/// The elements, to be compared bit by bit.
#[must_use]
pub fn bits<M: Mapping<Record = Hit>, B: Blobs>(hits: &View<M, B>) -> Vec<([u32; 2], bool, u64)> {
    hits.to_vec().into_iter().map(|hit| (hit.at.map(f32::to_bits), hit.good, hit.id)).collect()
}

/// Changes an input, as libFuzzer does. Now and then, and at first, the input is one of these valid ones instead.
pub fn mutate(valid: &[Vec<u8>], data: &mut [u8], size: usize, most: usize, seed: u32) -> usize {
    let mut size = size;
    if size < 4 || seed.is_multiple_of(64) {
        let start = &valid[seed as usize / 64 % valid.len()];
        size = start.len().min(most);
        data[..size].copy_from_slice(&start[..size]);
    }
    fuzzer_mutate(data, size, most)
}

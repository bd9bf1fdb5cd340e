//! Bytes as a `.npz` file: elements, which are written and read again, or an error.
#![no_main]

use std::sync::LazyLock;

use layout::interop::npy::{read_npz, write_npz};
use layout::prelude::*;
use layout_fuzz::{Hit, bits, mutate};
use libfuzzer_sys::{fuzz_mutator, fuzz_target};

const MOST: usize = 1 << 20;

/// An archive as `np.savez_compressed("flags.npz", np.zeros((3, 4), dtype=bool))` writes it.
const COMPRESSED: &[u8] = include_bytes!("../seeds/compressed.npz");

static VALID: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let mut files = vec![Vec::new(); 2];
    write_npz(&alloc_from_fn::<Hit, SoA, _>(5, |[i]| Hit::number(i)).unwrap(), &mut files[0]).unwrap();
    write_npz(&alloc::<bool, AoS, _>([3, 4]).unwrap(), &mut files[1]).unwrap();
    files.push(COMPRESSED.to_vec());
    files
});

fuzz_mutator!(|data: &mut [u8], size: usize, most: usize, seed: u32| { mutate(&VALID, data, size, most, seed) });

fuzz_target!(|file: &[u8]| {
    if let Ok(hits) = read_npz::<Hit, DynExtents<1>, AoSoA<8>, RowMajor>(file, MOST) {
        let mut again = Vec::new();
        write_npz(&hits, &mut again).unwrap();
        let found: Owned<Mapped<Hit, DynExtents<1>, SoA>> = read_npz(&again, MOST).unwrap();
        assert_eq!(bits(&found), bits(&hits));
    }
    if let Ok(flags) = read_npz::<bool, DynExtents<2>, SoA, RowMajor>(file, MOST) {
        assert!(flags.values().filter(|flag| *flag).count() <= MOST);
    }
    let _ = read_npz::<u16, DynExtents<2>, AoS, ColMajor>(file, MOST);
});

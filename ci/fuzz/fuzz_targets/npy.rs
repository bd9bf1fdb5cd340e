//! Bytes as a `.npy` file: elements, which are written and read again, or an error.
#![no_main]

use std::sync::LazyLock;

use layout::interop::npy::{map_npy, read_npy, write_npy};
use layout::prelude::*;
use layout_fuzz::{Hit, bits, mutate};
use libfuzzer_sys::{fuzz_mutator, fuzz_target};

type Hits = Owned<Mapped<Hit, DynExtents<1>, SoA>>;

static VALID: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let mut files = vec![Vec::new(); 5];
    write_npy(&alloc_from_fn::<Hit, SoA, _>(5, |[i]| Hit::number(i)).unwrap(), &mut files[0]).unwrap();
    write_npy(&alloc_from_fn::<Hit, AoS, _>(3, |[i]| Hit::number(i)).unwrap(), &mut files[1]).unwrap();
    write_npy(&alloc::<[f32; 2], AoS, _>(3).unwrap(), &mut files[2]).unwrap();
    write_npy(&alloc::<bool, AoS, _>([3, 4]).unwrap(), &mut files[3]).unwrap();
    let mapping = Mapped::<u16, DynExtents<2>, AoS, ColMajor>::new(extents!(dyn 2, dyn 3)).unwrap();
    write_npy(&View::zeroed(mapping).unwrap(), &mut files[4]).unwrap();
    files
});

fuzz_mutator!(|data: &mut [u8], size: usize, most: usize, seed: u32| { mutate(&VALID, data, size, most, seed) });

fuzz_target!(|file: &[u8]| {
    if let Ok(hits) = read_npy::<Hit, DynExtents<1>, SoA, RowMajor>(file) {
        let mut again = Vec::new();
        write_npy(&hits, &mut again).unwrap();
        let found: Hits = read_npy(&again).unwrap();
        assert_eq!(bits(&found), bits(&hits));
    }
    if let Ok(hits) = map_npy::<Hit, DynExtents<1>, AoS<Packed>, RowMajor>(file) {
        let good = hits.field(Hit::PATHS.good).values().filter(|good| *good).count();
        assert_eq!(hits.to_vec().iter().filter(|hit| hit.good).count(), good);
    }
    if let Ok(flags) = map_npy::<bool, DynExtents<2>, AoS, RowMajor>(file) {
        assert!(flags.values().filter(|flag| *flag).count() <= file.len());
    }
    let _ = read_npy::<[f32; 2], DynExtents<1>, AoS, RowMajor>(file);
    let _ = read_npy::<u16, DynExtents<2>, AoSoA<4>, ColMajor>(file);
});

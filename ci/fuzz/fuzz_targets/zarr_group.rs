//! A group of Zarr arrays, one file of which is any bytes: elements or an error.
#![no_main]

use core::num::NonZeroU8;
use std::path::Path;
use std::sync::LazyLock;

use layout::prelude::*;
use layout_fuzz::folder::{Files, new_folder};
use layout_fuzz::mutate;
use layout_zarr::{read_zarr, read_zarr_into, write_zarr_chunked};
use libfuzzer_sys::{fuzz_mutator, fuzz_target};

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Cell {
    heat: f32,
    on: bool,
    id: u128,
    // Zero is no value.
    kind: NonZeroU8,
}

const MOST: usize = 1 << 20;

fn cell([i, j]: [usize; 2]) -> Cell {
    Cell { heat: i as f32, on: j > 1, id: j as u128, kind: NonZeroU8::MIN }
}

static FILES: LazyLock<Files> = LazyLock::new(|| {
    let folder = new_folder("zarr-group");
    write_zarr_chunked(&alloc_from_fn::<Cell, SoA, _>([3, 4], cell).unwrap(), &folder, [3, 2]).unwrap();
    Files::of(&folder)
});

static VALID: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| FILES.valid());

fuzz_mutator!(|data: &mut [u8], size: usize, most: usize, seed: u32| { mutate(&VALID, data, size, most, seed) });

fuzz_target!(|input: &[u8]| {
    FILES.with(input, |group: &Path| {
        if let Ok(cells) = read_zarr::<Cell, DynExtents<2>, AoSoA<4>, RowMajor>(group, MOST) {
            assert!(cells.len() * 22 <= MOST && cells.to_vec().iter().filter(|cell| cell.on).count() <= cells.len());
        }
        let mut cells = alloc_from_fn::<Cell, AoS, _>([3, 4], cell).unwrap();
        if read_zarr_into(&mut cells, group).is_ok() {
            assert_eq!(cells.load([2, 3]).on, cells.at([2, 3]).on.get());
        }
        let _ = read_zarr::<f32, DynExtents<2>, SoA, ColMajor>(group.join("heat"), MOST);
    });
});

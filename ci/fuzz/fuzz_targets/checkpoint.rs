//! A checkpoint, one file of which is any bytes: stores as they were written, or an error after which they are unchanged.
#![no_main]

use std::path::Path;
use std::sync::LazyLock;

use layout::Record;
use layout::store::{Dim, Runtime, Store};
use layout_fuzz::folder::{Files, new_folder};
use layout_fuzz::mutate;
use layout_zarr::Checkpoint;
use libfuzzer_sys::{fuzz_mutator, fuzz_target};

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Cell {
    heat: f32,
    on: bool,
}

const BEFORE: Cell = Cell { heat: -1.0, on: true };

thread_local! {
    static RUNTIME: Runtime = Runtime::builder().threads(0).pieces(1).build().unwrap();
}

static FILES: LazyLock<Files> = LazyLock::new(|| {
    let folder = new_folder("checkpoint");
    RUNTIME.with(|rt| {
        let cells: Store<Cell, Dim<2>> = rt.create_from_fn([3, 4], |at| Cell { heat: 0.5, on: at[1] > 1 }).unwrap();
        Checkpoint::new(&folder).store("cells", &cells).value("step", 3_u16).value("on", true).write(rt).unwrap();
    });
    Files::of(&folder)
});

static VALID: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| FILES.valid());

fuzz_mutator!(|data: &mut [u8], size: usize, most: usize, seed: u32| { mutate(&VALID, data, size, most, seed) });

fuzz_target!(|input: &[u8]| FILES.with(input, |folder: &Path| RUNTIME.with(|rt| {
    let cells: Store<Cell, Dim<2>> = rt.create([3, 4]).unwrap();
    cells.fill(BEFORE).unwrap();
    match Checkpoint::new(folder).store("cells", &cells).restore(rt) {
        Ok(found) => {
            let found = found.expect("the folder is there");
            let _ = (found.value::<u16>("step"), found.value::<bool>("on"), found.value::<[f32; 3]>("step"));
            assert_eq!(cells.to_vec().unwrap().len(), 12);
        }
        Err(_) => assert_eq!(cells.to_vec().unwrap(), [BEFORE; 12]),
    }
})));

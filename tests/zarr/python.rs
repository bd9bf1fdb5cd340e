//! Checkpoints that zarr-python reads.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use layout::{AoSoA, Record};
use layout_store::{Distribution, Runtime, Store, write};
use layout_zarr::Checkpoint;
use support::processes::Folder;

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Event {
    time: f64,
    at: [f32; 2],
    kind: u8,
    good: bool,
    count: i64,
    id: u128,
}

/// Says of each array what a program of another language sees.
const SCRIPT: &str = "
import sys, zarr, numpy
group = zarr.open_group(sys.argv[1], mode='r')
print('zarr', zarr.__version__, 'numpy', numpy.__version__)
layout = group.attrs['layout']
print(sorted(layout['stores']), layout['values']['step']['bytes'])
events = group['events']
for name in sorted(name for name, _ in events.arrays()):
    array = events[name]
    values = array[:]
    print(name, array.dtype, array.shape, array.chunks, array.attrs['leaf'], array.attrs['type'], values.sum(dtype=float), values[3, 4].tolist())
print('scalar', group['scalar']['value'][()], group['empty']['value'].shape)
";

/// A Python with `zarr`, from a virtual environment that is made once; why there is none.
fn python() -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("zarr-python");
    let python = folder.join("bin").join("python");
    let has_zarr =
        || Command::new(&python).args(["-c", "import zarr"]).output().is_ok_and(|output| output.status.success());
    if has_zarr() {
        return Ok(python);
    }
    let run = |program: &Path, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).output();
        let output = output.map_err(|error| format!("{}: {error}", program.display()))?;
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() { Ok(()) } else { Err(format!("{}: {text}", program.display())) }
    };
    let _ = fs::remove_dir_all(&folder);
    run(Path::new("python3"), &["-m", "venv", &folder.display().to_string()])?;
    run(&python, &["-m", "pip", "install", "--quiet", "zarr>=3", "numpy"])?;
    if has_zarr() { Ok(python) } else { Err("zarr is installed, and cannot be imported".to_owned()) }
}

#[test]
fn python_reads_what_was_written() {
    let folder = Folder::new("python");
    let rt = Runtime::builder().threads(1).pieces(6).min_chunk(1).build().unwrap();
    let events: Store<Event, layout::Dim<2>, AoSoA<4>> =
        rt.create_distributed([5, 7], &Distribution::Tiles([2, 7].into())).unwrap();
    let task = rt.task("events").args((write(&events),));
    task.launch(|task, (mut tile,)| {
        let origin = task.origin::<2>(0)[0] * 7;
        for at in 0..tile.extents()[0] * 7 {
            let count = i64::try_from(origin + at).unwrap();
            tile.set(
                [at / 7, at % 7],
                Event { time: 0.5, at: [1.0, 2.0], kind: 3, good: true, count, id: 1 << 120 | 5 },
            );
        }
    })
    .unwrap();
    let scalar: Store<f64, _> = rt.create_from([], &[-2.5]).unwrap();
    let empty: Store<u16, _> = rt.create([0, 3]).unwrap();
    Checkpoint::new(&folder.0)
        .store("events", &events)
        .store("scalar", &scalar)
        .store("empty", &empty)
        .value("step", 258_u16)
        .write(&rt)
        .unwrap();
    let python = match python() {
        Ok(python) => python,
        Err(why) if env::var("LAYOUT_REQUIRE_ALL").is_ok_and(|all| all == "1") => {
            panic!("zarr-python is needed: {why}")
        }
        Err(why) => return eprintln!("skipped: no zarr-python: {why}"),
    };
    let output =
        Command::new(python).args(["-W", "error", "-c", SCRIPT]).arg(folder.0.join("000001")).output().unwrap();
    let (text, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{text}{error}");
    let mut lines = text.lines();
    println!("{}", lines.next().unwrap());
    let expected = [
        "['empty', 'events', 'scalar'] 0201",
        "at.0 float32 (5, 7) (2, 7) at[0] f32 35.0 1.0",
        "at.1 float32 (5, 7) (2, 7) at[1] f32 70.0 2.0",
        "count int64 (5, 7) (2, 7) count i64 595.0 25",
        "good bool (5, 7) (2, 7) good bool 35.0 True",
        "id uint8 (5, 7, 16) (2, 7, 16) id u128 210.0 [5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]",
        "kind uint8 (5, 7) (2, 7) kind u8 105.0 3",
        "time float64 (5, 7) (2, 7) time f64 17.5 0.5",
        "scalar -2.5 (0, 3)",
    ];
    assert!(lines.eq(expected), "{text}");
}

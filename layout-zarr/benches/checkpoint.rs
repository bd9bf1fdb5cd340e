//! Checkpoints beside files of the same bytes, written and read at once: `cargo bench -p layout-zarr --bench checkpoint`.
//!
//! Both take turns, are new files each time, and are on the disk when their time ends. What is read was just written, so that it comes from the system's memory:
//! the time is that of checks and copies. A restore reads each file twice.

use core::hint::black_box;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use layout::{AoS, Dim, Record, RecordLayout, SoA};
use layout_store::{Runtime, Store};
use layout_zarr::Checkpoint;

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Particle {
    pos: [f32; 3],
    vel: [f32; 3],
    mass: f32,
    kind: u32,
}

fn seconds(f: impl FnOnce()) -> f64 {
    let start = Instant::now();
    f();
    start.elapsed().as_secs_f64()
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn measure<L: RecordLayout<Particle> + Default>(name: &str, folder: &Path, (count, rounds): (i64, usize)) {
    let rt = Runtime::builder().pieces(8).build().expect("threads start");
    let store: Store<Particle, Dim<1>, L> = rt
        .create_from_fn(count, |at| Particle { pos: [at[0] as f32; 3], vel: [1.0; 3], mass: 2.0, kind: 3 })
        .expect("there is memory");
    let bytes: Vec<u8> = (0..store.volume() * 32).map(|at| (at % 251) as u8).collect();
    // What the removal of an old checkpoint takes is no part of it.
    let (path, file) = (folder.join(name), folder.join("plain"));
    let checkpoint = Checkpoint::new(&path).store("particles", &store);
    let written = store.to_vec().expect("there is memory");
    let mut times = [const { Vec::new() }; 4];
    for _ in 0..rounds {
        times[0].push(seconds(|| {
            let mut file = File::create(&file).expect("a file can be made");
            file.write_all(&bytes).and_then(|()| file.sync_all()).expect("there is room");
        }));
        times[1].push(seconds(|| _ = checkpoint.write(&rt).expect("there is room")));
        times[2].push(seconds(|| drop(black_box(fs::read(&file).expect("it was written")))));
        store.fill(Particle { pos: [0.0; 3], vel: [0.0; 3], mass: 0.0, kind: 0 }).expect("there is memory");
        rt.fence().expect("no task failed");
        times[3].push(seconds(|| drop(checkpoint.restore(&rt).expect("it was written"))));
        assert!(store.to_vec().expect("there is memory") == written);
        fs::remove_dir_all(&path).and_then(|()| fs::remove_file(&file)).expect("they were written");
    }
    let [plain, write, read, restore] = times.map(|mut times| median(&mut times));
    let mib = bytes.len() as f64 / f64::from(1 << 20);
    println!(
        "{name:<5} {mib:6.1} MiB: file {:6.0} MiB/s, checkpoint {:6.0} ({:.2} of the time); file read {:6.0}, restored {:6.0} ({:.2})",
        mib / plain,
        mib / write,
        write / plain,
        mib / read,
        mib / restore,
        restore / read,
    );
}

fn main() {
    // As a test it is short.
    let size = if std::env::args().any(|argument| argument == "--bench") { (1 << 23, 7) } else { (1 << 10, 1) };
    let folder = std::env::temp_dir().join(format!("layout-checkpoint-{}", std::process::id()));
    fs::create_dir(&folder).expect("there is no such folder");
    measure::<SoA>("SoA", &folder, size);
    measure::<AoS>("AoS", &folder, size);
    fs::remove_dir_all(&folder).expect("it was made here");
}

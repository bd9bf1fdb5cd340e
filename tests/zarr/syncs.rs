//! The state after a loss of power: each file and folder is synchronized with the disk before it gets its name.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use layout::{Dim, Record, SoA, alloc_from_fn};
use layout_store::{Runtime, Store};
use layout_zarr::{Checkpoint, write_zarr_chunked};
use support::processes::Folder;

/// The file in a folder of which the view is not complete.
const MARK: &str = "layout-zarr.partial";

#[derive(Clone, Copy, Record)]
struct Cell {
    heat: f32,
    on: bool,
}

/// Writes a checkpoint, in folders that are not there, and a view.
#[test]
#[ignore = "a process of the other test"]
fn a_write() {
    let Some(folder) = env::var_os("LAYOUT_FOLDER").map(PathBuf::from) else { return };
    let cell = Cell { heat: 1.0, on: true };
    let rt = Runtime::builder().threads(1).pieces(4).min_chunk(1).build().unwrap();
    let cells: Store<Cell, Dim<2>> = rt.create([200, 400]).unwrap();
    cells.fill(cell).unwrap();
    Checkpoint::new(folder.join("runs/2026/heat")).store("cells", &cells).value("step", 3_u32).write(&rt).unwrap();
    let view = alloc_from_fn::<Cell, SoA, _>([4, 6], |_| cell).unwrap();
    write_zarr_chunked(&view, folder.join("view"), [2, 3]).unwrap();
}

/// The files and folders in a folder, and the folder itself.
fn all(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![folder.to_owned()];
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(all(&path)) } else { found.push(path) }
    }
    found
}

#[test]
fn files_are_on_the_disk_before_they_have_their_names() {
    // Containers may forbid it.
    if !Command::new("strace").arg("true").output().is_ok_and(|traced| traced.status.success()) {
        println!("no `strace`: not tested");
        return;
    }
    let folder = Folder::new("syncs");
    // As the system calls name it.
    let path = folder.0.canonicalize().unwrap();
    let log = path.with_extension("log");
    // What a program left that was killed.
    fs::create_dir_all(path.join("view.partial/heat")).unwrap();
    for name in [MARK, "zarr.json", "heat/zarr.json", "heat/c.0.0", "heat/c.0.1", "heat/c.1.0", "heat/c.1.1"] {
        fs::write(path.join("view.partial").join(name), "").unwrap();
    }
    let traced = Command::new("strace")
        .args(["-f", "-y", "-s", "4096", "-e", "trace=fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat", "-o"])
        .arg(&log)
        .arg(env::current_exe().unwrap())
        .args(["--exact", "syncs::a_write", "--include-ignored", "--test-threads", "1"])
        .env("LAYOUT_FOLDER", &path)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(traced.unwrap().success());
    let calls = fs::read_to_string(&log).unwrap();
    fs::remove_file(&log).unwrap();
    let names = [("runs/2026/heat/000001.partial", "runs/2026/heat/000001"), ("view.partial", "view")];
    for (partial, complete) in names.map(|(partial, complete)| (path.join(partial), path.join(complete))) {
        let named = format!("\"{}\"", complete.display());
        let (before, after) = calls.split_once(&named).unwrap();
        let synchronized = |calls: &str| -> BTreeSet<PathBuf> {
            let synchronized = calls.lines().filter(|call| call.contains("sync("));
            synchronized.filter_map(|call| Some(call.split_once('<')?.1.split_once('>')?.0.into())).collect()
        };
        let (before, after) = (synchronized(before), synchronized(after));
        let all = all(&complete);
        assert!(all.len() >= 10, "{all:?}");
        for file in all.iter().map(|file| partial.join(file.strip_prefix(&complete).unwrap())) {
            // The last component of the folder itself is empty.
            assert!(before.iter().any(|path| path.components().eq(file.components())), "{}", file.display());
        }
        assert!(after.contains(complete.parent().unwrap()), "{after:?}");
        // The names of new folders are on the disk, too.
        for above in complete.ancestors().skip(1).take_while(|above| above.starts_with(&path)) {
            assert!(before.contains(above) || after.contains(above), "{}", above.display());
        }
    }
    // Whenever the program is killed, the next one knows the folder `view.partial`: its mark goes last.
    let is_mark = |call: &&str| call.contains("unlink") && call.contains(MARK);
    let (left, begun) = calls.split_once(&format!("{MARK}\"")).unwrap();
    let removed =
        |calls: &str| calls.lines().filter(|call| call.contains("unlink") && call.contains("/view.partial")).count();
    // With the beginning of the call that removes the mark. The other names are those of folders.
    assert_eq!(removed(left), 8, "{left}");
    assert!(removed(begun) <= 1, "{begun}");
    let (writing, after) = begun.split_once(&format!("\"{}\"", path.join("view").display())).unwrap();
    assert_eq!((writing.lines().filter(is_mark).count(), after.lines().filter(is_mark).count()), (0, 1), "{begun}");
}

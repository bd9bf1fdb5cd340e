//! Refusals: damaged and hostile files, other stores than were written, names; and nothing has changed then.

use std::fs;
use std::path::{Path, PathBuf};

use layout::{Dim, Record, SoA, alloc};
use layout_store::{Distribution, Runtime, Store, StoreError, TaskBodyError, update};
use layout_zarr::{Checkpoint, ZarrError, write_zarr};
use support::locales::on_locales;
use support::processes::Folder;

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Cell {
    heat: f32,
    on: bool,
}

const BEFORE: Cell = Cell { heat: -1.0, on: true };

fn cells(rt: &Runtime) -> Store<Cell, Dim<2>> {
    rt.create_distributed([3, 4], &Distribution::Tiles([2, 4].into())).unwrap()
}

fn saved(rt: &Runtime, folder: &Path) {
    let cells = cells(rt);
    cells.fill(Cell { heat: 2.5, on: false }).unwrap();
    Checkpoint::new(folder).store("cells", &cells).value("step", 7_u64).write(rt).unwrap();
}

/// The result of `restore`, after which the store is as before.
fn refused(rt: &Runtime, folder: &Path) -> ZarrError {
    let cells = cells(rt);
    cells.fill(BEFORE).unwrap();
    let error = Checkpoint::new(folder).store("cells", &cells).restore(rt).unwrap_err();
    assert_eq!(cells.to_vec().unwrap(), [BEFORE; 12], "{error}");
    error
}

/// All files in a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

fn alone() -> Runtime {
    Runtime::builder().threads(0).pieces(2).min_chunk(1).build().unwrap()
}

#[test]
fn files_that_are_cut_or_changed_are_refused() {
    let (folder, rt) = (Folder::new("damaged"), alone());
    saved(&rt, &folder.0);
    let all = files(&folder.0.join("000001"));
    let names: Vec<_> = all.iter().map(|path| path.strip_prefix(&folder.0).unwrap().to_str().unwrap()).collect();
    let expected = [
        "000001/cells/heat/c.0.0",
        "000001/cells/heat/c.1.0",
        "000001/cells/heat/zarr.json",
        "000001/cells/on/c.0.0",
        "000001/cells/on/c.1.0",
        "000001/cells/on/zarr.json",
        "000001/cells/zarr.json",
        "000001/zarr.json",
    ];
    assert_eq!(names, expected);
    for path in &all {
        let whole = fs::read(path).unwrap();
        let is_chunk = path.extension().is_none_or(|extension| extension != "json");
        let cut = [0, whole.len() / 2, whole.len() - 1].map(|len| whole[..len].to_vec());
        let longer = [&whole[..], b"\n"].concat();
        let changed = (0..whole.len()).step_by(if is_chunk { 1 } else { 5 }).map(|at| {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (at % 8);
            bytes
        });
        for bytes in cut.into_iter().chain([longer]).chain(changed) {
            fs::write(path, &bytes).unwrap();
            match refused(&rt, &folder.0) {
                ZarrError::Damaged { path: named, why } => {
                    assert!(named == *path && !why.is_empty(), "{named:?}")
                }
                // Of another format nothing is known.
                ZarrError::Format { .. } => assert!(path.ends_with("000001/zarr.json")),
                error => panic!("{error}"),
            }
        }
        fs::remove_file(path).unwrap();
        let missing = format!("`{}` is damaged: the file is missing", path.display());
        assert_eq!(refused(&rt, &folder.0).to_string(), missing);
        fs::create_dir(path).unwrap();
        refused(&rt, &folder.0);
        fs::remove_dir(path).unwrap();
        fs::write(path, &whole).unwrap();
    }
    // Nothing else was changed meanwhile.
    let cells = cells(&rt);
    Checkpoint::new(&folder.0).store("cells", &cells).restore(&rt).unwrap().unwrap();
    assert_eq!(cells.to_vec().unwrap(), [Cell { heat: 2.5, on: false }; 12]);
}

/// The newest checkpoint is damaged: all locales are told the same, and the one before can be asked for.
#[test]
fn all_locales_are_told_the_same_and_the_one_before_is_there() {
    for locales in [1, 2, 3] {
        let folder = Folder::new(&format!("alike-{locales}"));
        let builder = || Runtime::builder().locales(locales).threads(1).pieces(2).min_chunk(1).whole_below(0);
        on_locales(builder(), folder.0.clone(), |rt, folder| {
            saved(rt, &folder);
            saved(rt, &folder);
        })
        .unwrap();
        let damaged = folder.0.join("000002/cells/on/c.1.0");
        let mut bytes = fs::read(&damaged).unwrap();
        bytes[1] = 1;
        fs::write(&damaged, bytes).unwrap();
        let told = on_locales(builder(), folder.0.clone(), |rt, folder| {
            let error = refused(rt, &folder).to_string();
            let cells = cells(rt);
            let last = Checkpoint::new(&folder).store("cells", &cells).generation(1).restore(rt).unwrap().unwrap();
            assert_eq!((last.generation(), last.value::<u64>("step").unwrap()), (1, 7));
            assert_eq!(cells.to_vec().unwrap(), [Cell { heat: 2.5, on: false }; 12]);
            error
        });
        let expected = format!("`{}` is damaged: the checksum is invalid", damaged.display());
        assert_eq!(told.unwrap(), vec![expected; locales]);
    }
}

/// Stores that are not those of the checkpoint: both sides are named, to all locales alike.
#[test]
fn other_stores_are_refused() {
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Wider {
        on: bool,
        heat: f64,
    }
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Renamed {
        heat: f32,
        off: bool,
    }
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Turned {
        on: bool,
        heat: f32,
    }
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Fewer {
        heat: f32,
    }
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct More {
        heat: f32,
        on: bool,
        age: u8,
    }

    for locales in [1, 3] {
        let folder = Folder::new(&format!("others-{locales}"));
        let builder = Runtime::builder().locales(locales).threads(1).pieces(4).min_chunk(1).whole_below(0);
        let told = on_locales(builder, folder.0.clone(), |rt, folder| {
            fn told<R: Record + PartialEq + core::fmt::Debug>(
                rt: &Runtime,
                folder: &Path,
                (name, extents, value): (&str, [i64; 2], R),
            ) -> String {
                let store = rt.create::<R, SoA, _>(extents).unwrap();
                store.fill(value).unwrap();
                let error = Checkpoint::new(folder).store(name, &store).restore(rt).unwrap_err();
                assert!(store.to_vec().unwrap().iter().all(|found| *found == value));
                error.to_string().replace(&folder.display().to_string(), "F")
            }

            saved(rt, &folder);
            let turned = rt.create::<Turned, SoA, _>([3, 4]).unwrap();
            Checkpoint::new(&folder).store("cells", &turned).restore(rt).unwrap().unwrap();
            assert_eq!(turned.to_vec().unwrap(), [Turned { on: false, heat: 2.5 }; 12]);
            let none = Checkpoint::new(&folder).generation(4).restore(rt).unwrap_err().to_string();
            let value = Checkpoint::new(&folder).restore(rt).unwrap().unwrap();
            vec![
                told(rt, &folder, ("cells", [3, 4], Wider { on: true, heat: 1.0 })),
                told(rt, &folder, ("cells", [3, 4], Renamed { heat: 1.0, off: true })),
                told(rt, &folder, ("cells", [3, 4], More { heat: 1.0, on: true, age: 3 })),
                told(rt, &folder, ("cells", [3, 4], Fewer { heat: 1.0 })),
                told(rt, &folder, ("cells", [3, 4], 1_u8)),
                told(rt, &folder, ("cells", [4, 3], BEFORE)),
                told(rt, &folder, ("plate", [3, 4], BEFORE)),
                none.replace(&folder.display().to_string(), "F"),
                value.value::<u64>("time").unwrap_err().to_string().replace(&folder.display().to_string(), "F"),
                value.value::<i64>("step").unwrap_err().to_string().replace(&folder.display().to_string(), "F"),
            ]
        });
        let has = "`F/000001` has `cells` of records {heat: f32, on: bool}; the program has records";
        let expected = [
            format!("{has} {{on: bool, heat: f64}}: leaf `heat` is `f32` (float32), and `f64` (float64) is needed"),
            format!("{has} {{heat: f32, off: bool}}: the checkpoint has no leaf `off`"),
            format!("{has} {{heat: f32, on: bool, age: u8}}: the checkpoint has no leaf `age`"),
            format!("{has} {{heat: f32}}: the checkpoint has a leaf `on`"),
            format!("{has} u8: the checkpoint has no leaf ``"),
            "`F/000001` has `cells` with extents [3, 4]; the program has extents [4, 3]".to_owned(),
            "`F/000001` has no store `plate`; the names there are [\"cells\"]".to_owned(),
            "`F` has no checkpoint 4; complete are [1]".to_owned(),
            "`F/000001` has no value `time`; the names there are [\"step\"]".to_owned(),
            "`F/000001` has `step` of records u64; the program has records i64: leaf `` is `u64` (uint64), and `i64` \
             (int64) is needed"
                .to_owned(),
        ];
        for told in told.unwrap() {
            assert_eq!(told, expected);
        }
    }
}

/// The leaves of a value are bytes one after another, which have no names: a record with another order of leaves is another one.
#[test]
fn values_with_leaves_in_another_order_are_refused() {
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Point {
        x: f32,
        y: f32,
    }
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Sorted {
        y: f32,
        x: f32,
    }
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Turned {
        on: bool,
        heat: f32,
    }

    let (folder, rt) = (Folder::new("turned"), alone());
    let point = Point { x: 1.0, y: 2.0 };
    Checkpoint::new(&folder.0).value("center", point).value("cell", BEFORE).write(&rt).unwrap();
    let found = Checkpoint::new(&folder.0).restore(&rt).unwrap().unwrap();
    assert_eq!((found.value("center").unwrap(), found.value("cell").unwrap()), (point, BEFORE));
    let error = found.value::<Sorted>("center").unwrap_err();
    assert!(matches!(error, ZarrError::Record { .. }), "{error}");
    let expected =
        "`center` of records {x: f32, y: f32}; the program has records {y: f32, x: f32}: the leaves have another order";
    assert!(error.to_string().ends_with(expected), "{error}");
    assert!(matches!(found.value::<Turned>("cell").unwrap_err(), ZarrError::Record { .. }));
}

/// A checkpoint that cannot be written leaves the checkpoint before as it was, and all locales get the error.
#[test]
fn what_cannot_be_written_is_told() {
    for locales in [1, 2] {
        let folder = Folder::new(&format!("unwritten-{locales}"));
        fs::write(folder.0.join("file"), "").unwrap();
        let builder = Runtime::builder().locales(locales).threads(1).pieces(4).min_chunk(1).whole_below(0);
        let told = on_locales(builder, folder.0.clone(), |rt, folder| {
            saved(rt, &folder.join("kept"));
            let cells = cells(rt);
            let store = Checkpoint::new(folder.join("kept")).store("cells", &cells).write(rt).unwrap_err();
            assert!(matches!(store, ZarrError::Store(StoreError::Uninitialized { .. })), "{store}");
            cells.fill(BEFORE).unwrap();
            let name = |name: &str| Checkpoint::new(&folder).store(name, &cells).write(rt).unwrap_err().to_string();
            let names = ["", "..", "a/b", "__a", "zarr.json"].map(name).to_vec();
            let twice = Checkpoint::new(&folder).store("a", &cells).value("a", 1_u8).write(rt).unwrap_err().to_string();
            let file = Checkpoint::new(folder.join("file")).store("cells", &cells).write(rt).unwrap_err().to_string();
            rt.task("fails").args((update(&cells),)).launch(|_, _| Err(TaskBodyError::new("no"))).unwrap();
            let failed = Checkpoint::new(folder.join("kept")).store("cells", &cells).write(rt).unwrap_err();
            assert!(matches!(failed, ZarrError::Store(StoreError::Failed(_))), "{failed}");
            let kept = Checkpoint::new(folder.join("kept"));
            assert_eq!(kept.generations().unwrap(), [1]);
            assert_eq!(kept.restore(rt).unwrap().unwrap().value::<u64>("step").unwrap(), 7);
            (names, twice, file)
        });
        let told = told.unwrap();
        let (names, twice, file) = &told[0];
        assert!(told.iter().all(|other| other == &told[0]), "{told:?}");
        let why = [
            "it is empty",
            "it has no other letters than dots",
            "it has one of",
            "it begins with",
            "it is the name of",
        ];
        assert!(names.iter().zip(why).all(|(text, why)| text.contains(why)), "{names:?}");
        assert!(twice.ends_with("in a checkpoint: it is there twice") && file.contains("unwritten"), "{twice} {file}");
    }
}

/// A folder that the other locales do not see, as one on a disk of one machine.
#[test]
fn a_folder_of_one_locale_is_refused() {
    let folder = Folder::new("unseen");
    let builder = Runtime::builder().locales(3).threads(1).pieces(4).min_chunk(1).whole_below(0);
    let told = on_locales(builder, folder.0.clone(), |rt, folder| {
        let cells = cells(rt);
        cells.fill(BEFORE).unwrap();
        let own = Checkpoint::new(folder.join(rt.locale().to_string()));
        own.store("cells", &cells).write(rt).unwrap_err().to_string()
    });
    let expected =
        format!("`{}`: locale 1 does not see the file", folder.0.join("1/000001.partial/zarr.json").display());
    assert_eq!(told.unwrap(), vec![expected; 3]);
    assert_eq!(fs::read_dir(folder.0.join("0")).unwrap().count(), 0);
}

/// A locale whose folder has no checkpoint, or another one of the same number, and which checks no file: there are fewer files than locales.
#[test]
fn a_checkpoint_that_one_locale_does_not_see_is_refused() {
    fn line(rt: &Runtime, value: u8) -> Store<u8, Dim<1>> {
        let line = rt.create(16).unwrap();
        line.fill(value).unwrap();
        line
    }

    let folder = Folder::new("unseen-by-one");
    let rt = Runtime::builder().threads(0).pieces(1).build().unwrap();
    let write = |name, step: u8| {
        Checkpoint::new(folder.0.join(name)).store("line", &line(&rt, 1)).value("step", step).write(&rt).unwrap();
    };
    write("seen", 1);
    write("other", 2);
    assert_eq!(files(&folder.0.join("seen/000001/line")).len(), 3);
    for (name, why) in [("missing", "does not see the file"), ("other", "sees another file")] {
        let builder = Runtime::builder().locales(8).threads(1).min_chunk(1).whole_below(0);
        let told = on_locales(builder, (folder.0.clone(), name), |rt, (folder, name)| {
            let line = line(rt, 255);
            let own = folder.join(if rt.locale() == 7 { name } else { "seen" });
            let error = Checkpoint::new(own).store("line", &line).restore(rt).unwrap_err();
            assert_eq!(line.to_vec().unwrap(), [255; 16], "{error}");
            error.to_string()
        });
        let path = folder.0.join(name).join("000001/zarr.json");
        assert_eq!(told.unwrap(), vec![format!("`{}`: locale 7 {why}", path.display()); 8]);
    }
}

/// The folder above may be one that the program cannot read, as that of all users.
#[cfg(unix)]
#[test]
fn the_folder_above_may_be_closed() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, rt) = (Folder::new("closed"), alone());
    let mode = |mode| fs::set_permissions(&folder.0, fs::Permissions::from_mode(mode)).unwrap();
    mode(0o311);
    saved(&rt, &folder.0.join("run"));
    let written = write_zarr(&alloc::<f32, SoA, _>(4).unwrap(), folder.0.join("view"));
    mode(0o755);
    written.unwrap();
    assert_eq!(Checkpoint::new(folder.0.join("run")).generations().unwrap(), [1]);
}

/// A folder may have other things than checkpoints, which stay.
#[test]
fn what_is_no_checkpoint_stays() {
    let (folder, rt) = (Folder::new("others"), alone());
    for name in ["run1.old", "flow.partial", "7.old", "00000x.partial", "000009.partial", "000008.old"] {
        fs::create_dir_all(folder.0.join(name)).unwrap();
        fs::write(folder.0.join(name).join("data"), "mine").unwrap();
    }
    fs::write(folder.0.join("notes.old"), "mine").unwrap();
    saved(&rt, &folder.0);
    let mut names: Vec<_> = fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["000001", "00000x.partial", "7.old", "flow.partial", "notes.old", "run1.old"]);
}

/// Folders of others whose names are numbers are no checkpoints that could be kept in place of one.
#[test]
fn numbers_of_others_do_not_count() {
    let (folder, rt) = (Folder::new("numbers"), alone());
    for _ in 0..3 {
        saved(&rt, &folder.0);
    }
    for name in ["20261126", "0000012"] {
        fs::create_dir_all(folder.0.join(name)).unwrap();
    }
    saved(&rt, &folder.0);
    saved(&rt, &folder.0);
    let mut names: Vec<_> = fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["0000012", "20261126", "20261127", "20261128"]);
}

/// A value that the layout of a store refuses is an error before any store changes, on all locales.
#[test]
fn values_that_do_not_fit_are_refused() {
    use layout::bits::{BitPackedIntAoS, Bits, KeepSign, Wrap};

    for locales in [1, 3] {
        let folder = Folder::new(&format!("misfits-{locales}"));
        let builder = Runtime::builder().locales(locales).threads(1).pieces(2).min_chunk(1).whole_below(0);
        let told = on_locales(builder, folder.0.clone(), |rt, path| {
            let first: Store<u16, Dim<1>> = rt.create_from_fn(9, |_| 5).unwrap();
            let of = |at: layout_store::Point| if [at[0], at[1]] == [37, 2] { [3, 256] } else { [1, 255] };
            let wide: Store<[u16; 2], Dim<2>> = rt.create_from_fn([40, 3], of).unwrap();
            Checkpoint::new(&path).store("first", &first).store("wide", &wide).write(rt).unwrap();

            first.fill(6).unwrap();
            let narrow: Store<[u16; 2], Dim<2>, BitPackedIntAoS<Bits<8>>> = rt.create([40, 3]).unwrap();
            narrow.fill([2, 2]).unwrap();
            let error = Checkpoint::new(&path).store("first", &first).store("wide", &narrow).restore(rt).unwrap_err();
            let store = path.join("000001/wide");
            assert!(
                matches!(&error, ZarrError::Value { path, index, .. } if *path == store && *index == [37, 2]),
                "{error}"
            );
            assert_eq!((first.to_vec().unwrap(), narrow.to_vec().unwrap()), (vec![6; 9], vec![[2, 2]; 120]));

            let wraps: Store<[u16; 2], Dim<2>, BitPackedIntAoS<Bits<8>, KeepSign, Wrap>> = rt.create([40, 3]).unwrap();
            Checkpoint::new(&path).store("first", &first).store("wide", &wraps).restore(rt).unwrap();
            assert_eq!(wraps.to_vec().unwrap()[3 * 37 + 1..][..2], [[1, 255], [3, 0]]);
            error.to_string()
        });
        for error in told.unwrap() {
            assert!(error.ends_with("value 256 does not fit leaf `[1]`, which stores 0 to 255"), "{error}");
        }
    }
}

/// Checkpoints that cannot be removed are in nobody's way: old ones, and a partial one, which keeps its number.
#[test]
fn what_cannot_be_removed_stays() {
    let (folder, rt) = (Folder::new("unremoved"), alone());
    saved(&rt, &folder.0);
    // A folder that somebody protects, as far as the user is not the administrator.
    #[cfg(unix)]
    let protect = |mode| {
        use std::os::unix::fs::PermissionsExt;
        for name in ["000001/cells", "000001.old/cells"] {
            let _ = fs::set_permissions(folder.0.join(name), fs::Permissions::from_mode(mode));
        }
    };
    #[cfg(unix)]
    protect(0o555);
    (0..3).for_each(|_| saved(&rt, &folder.0));
    assert_eq!(Checkpoint::new(&folder.0).generations().unwrap(), [3, 4]);
    #[cfg(unix)]
    protect(0o755);
    // Files are no folders that could be removed.
    for name in ["000002.old", "000005.partial"] {
        fs::write(folder.0.join(name), "mine").unwrap();
    }
    (0..2).for_each(|_| saved(&rt, &folder.0));
    assert_eq!(Checkpoint::new(&folder.0).generations().unwrap(), [6, 7]);
    let mut names: Vec<_> = fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["000002.old", "000005.partial", "000006", "000007"]);
}

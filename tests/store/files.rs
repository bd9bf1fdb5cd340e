//! Elements in files: raw, and as numpy has them; every locale its part.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use layout::{AoS, AoSoA, Record, SoA};
use layout_store::{
    Dim, DimOrdering, Distribution, DynRank, FileError, Point, Rect, Runtime, Store, StoreError, update, write,
};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};
use support::counting::Counting;
use support::locales::{meet, on_locales, shared_path};

#[global_allocator]
static ALLOCATOR: Counting = Counting::new();

const LOCALES: [usize; 5] = [1, 2, 3, 4, 6];

/// One test at a time: what is allocated is counted, and files have few names.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file that goes with the test.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str) -> Self {
        Self(shared_path(name))
    }

    fn with(name: &str, bytes: &[u8]) -> Self {
        let file = Self::new(name);
        fs::write(&file.0, bytes).unwrap();
        meet();
        file
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            meet();
        }
        for name in [&self.0, &self.0.with_extension("none")] {
            let _ = fs::remove_file(name);
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
struct Spot {
    x: f32,
    y: f32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
struct Hit {
    kind: u8,
    pos: Spot,
    n: [i16; 2],
}

/// A `.npy` file of version 1.
fn npy(text: &str, elements: &[u8]) -> Vec<u8> {
    let header = format!("{text:<117}\n");
    let len = u16::try_from(header.len()).unwrap().to_le_bytes();
    [b"\x93NUMPY\x01\x00", &len[..], header.as_bytes(), elements].concat()
}

fn bytes_of(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2).map(|at| u8::from_str_radix(&hex[2 * at..][..2], 16).unwrap()).collect()
}

/// Files of numpy 2.4: a record with padding, one with its fields in another order and big-endian numbers, Fortran order, a
/// scalar, truth values.
#[test]
fn files_of_numpy_are_read() {
    let _alone = alone();
    let hits = [
        "{'descr': [('kind', '|u1'), ('', '|V3'), ('pos', [('x', '<f4'), ('y', '<f4')]), ('n', '<i2', (2,))], 'fortran_order': False, 'shape': (3,), }",
        "{'descr': [('n', '>i2', (2,)), ('pos', [('y', '>f4'), ('x', '>f4')]), ('kind', '|u1')], 'fortran_order': False, 'shape': (3,), }",
    ];
    let elements = [
        "010000000000003f000080bf01000200020000000000c03f000000c0030004000300000000002040000040c005000600",
        "00010002bf8000003f0000000100030004c00000003fc000000200050006c04000004020000003",
    ];
    let expected: Vec<Hit> = (0..3_u8)
        .map(|i| {
            let at = f32::from(i);
            Hit { kind: i + 1, pos: Spot { x: at + 0.5, y: -1.0 - at }, n: [1, 2].map(|n| 2 * i16::from(i) + n) }
        })
        .collect();
    for (text, elements) in hits.iter().zip(elements) {
        let file = Temporary::with("hits.npy", &npy(text, &bytes_of(elements)));
        for locales in LOCALES {
            let builder = Runtime::builder().locales(locales).threads(1).pieces(3).min_chunk(1).whole_below(0);
            let read = on_locales(builder, file.0.clone(), |rt, path| {
                let store: Store<Hit, Dim<1>, AoSoA<2>> = rt.create_from_npy(&path).unwrap();
                store.to_vec().unwrap()
            });
            assert!(read.unwrap().iter().all(|read| *read == expected), "{text}");
        }
    }
    let fortran = Temporary::with(
        "fortran.npy",
        &npy(
            "{'descr': '<u2', 'fortran_order': True, 'shape': (3, 4), }",
            &bytes_of("000004000800010005000900020006000a00030007000b00"),
        ),
    );
    for locales in LOCALES {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(5).min_chunk(1).whole_below(0);
        let read = on_locales(builder, fortran.0.clone(), |rt, path| {
            let store: Store<u16, Dim<2>> = rt.create_from_npy(&path).unwrap();
            let columns = rt.create_ordered::<u16, AoS, _>([3, 4], &DimOrdering::Fortran).unwrap();
            columns.read_npy(&path).unwrap();
            [store.to_vec().unwrap(), columns.to_vec().unwrap()]
        });
        let counted: Vec<u16> = (0..12).collect();
        assert!(read.unwrap().concat().iter().all(|read| *read == counted));
    }
    let rt = Runtime::new().unwrap();
    let scalar = Temporary::with(
        "scalar.npy",
        &npy("{'descr': '<f8', 'fortran_order': False, 'shape': (), }", &2.5_f64.to_le_bytes()),
    );
    let scalar: Store<f64, Dim<0>> = rt.create_from_npy(&scalar.0).unwrap();
    assert_eq!(scalar.get([]).unwrap(), 2.5);
    let flags =
        Temporary::with("flags.npy", &npy("{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }", &[1, 0]));
    let flags: Store<bool, DynRank> = rt.create_from_npy(&flags.0).unwrap();
    assert_eq!(flags.to_vec().unwrap(), [true, false]);
    // An array in a record is a dimension of the array in the file; the longer form of the header.
    let text = format!("{:<115}\n", "{'shape': (2, 3, 2), 'fortran_order': False, 'descr': '<i2'}");
    let len = u32::try_from(text.len()).unwrap().to_le_bytes();
    let numbers: Vec<u8> = (0..12_i16).flat_map(i16::to_le_bytes).collect();
    let pairs = Temporary::with("pairs.npy", &[b"\x93NUMPY\x02\x00", &len[..], text.as_bytes(), &numbers].concat());
    let pairs: Store<[i16; 2], Dim<2>> = rt.create_from_npy(&pairs.0).unwrap();
    assert_eq!(pairs.get([1, 2]).unwrap(), [10, 11]);
}

/// The record at an index.
fn hit(at: Point) -> Hit {
    let number: i16 = at.iter().fold(1, |number, at| (31 * number + i16::try_from(*at).unwrap()) % 251);
    let n = [i16::try_from(at[0]).unwrap(), 3];
    Hit { kind: u8::try_from(number).unwrap(), pos: Spot { x: f32::from(number) / 3.0, y: -1.0 }, n }
}

/// A case: extents, an order, numbers of locales and of pieces, and choices.
type Case = (Vec<i64>, Vec<usize>, [usize; 2], usize, (i64, bool, bool));

/// A store of any extents, written through a view on some locales, and read through one on others.
fn round_trip((extents, axes, locales, pieces, (step, whole, raw)): Case) {
    let file = Temporary::new("trip");
    let builder = |locales| {
        let whole_below = if whole { 1 << 20 } else { 0 };
        Runtime::builder().locales(locales).threads(1).pieces(pieces).min_chunk(1).whole_below(whole_below)
    };
    let input = (extents.clone(), axes.clone(), step, raw, file.0.clone());
    on_locales(builder(locales[0]), input.clone(), |rt, (extents, axes, step, raw, path)| {
        let store = rt.create_from_fn::<Hit, SoA, _>(&extents[..], hit).unwrap();
        let view = store.step(0, step).unwrap().transpose(axes).unwrap();
        if raw { view.write_raw(&path).unwrap() } else { view.write_npy(&path).unwrap() }
    })
    .unwrap();
    // As an array of the program has them.
    let whole = Rect::of(extents.iter().copied().collect());
    let stepped = Rect::of(whole.extents().with(0, (extents[0] + step.abs() - 1) / step.abs()));
    let turned: Point = axes.iter().map(|axis| stepped.extents()[*axis]).collect();
    let mut expected = Vec::new();
    for at in Rect::of(turned).points() {
        let mut from = at;
        axes.iter().enumerate().for_each(|(dim, axis)| from = from.with(*axis, at[dim]));
        let first = if step < 0 { extents[0] - 1 } else { 0 };
        from = from.with(0, first + step * from[0]);
        let hit = hit(from);
        expected.push(hit.kind);
        expected.extend([hit.pos.x, hit.pos.y].iter().flat_map(|x| x.to_ne_bytes()));
        expected.extend(hit.n.iter().flat_map(|n| n.to_ne_bytes()));
    }
    let written = fs::read(&file.0).unwrap();
    let start = written.len() - expected.len();
    assert!(written[start..] == expected, "{extents:?} {axes:?} {step} {locales:?} {pieces}");
    assert!(if raw { start == 0 } else { start > 0 && start.is_multiple_of(64) });
    // Into a view of something larger, which keeps what is around it.
    on_locales(builder(locales[1]), input, |rt, (extents, axes, step, raw, path)| {
        let rows = |extents: &[i64]| extents.iter().copied().collect::<Point>();
        let before = Hit { kind: 9, ..Hit::default() };
        let larger = rows(&extents).with(0, extents[0] + 3);
        let store = rt.create_from_fn::<Hit, AoSoA<4>, _>(larger, |_| before).unwrap();
        let inner = store.slice(0, 2, extents[0] + 2).unwrap();
        let view = inner.step(0, step).unwrap().transpose(axes).unwrap();
        if raw {
            view.read_raw(&path).unwrap()
        } else {
            view.read_npy(&path).unwrap()
        }
        for (at, found) in Rect::of(larger).points().zip(store.to_vec().unwrap()) {
            let from = at.with(0, at[0] - 2);
            let first = if step < 0 { extents[0] - 1 } else { 0 };
            let is_there = (0..extents[0]).contains(&from[0]) && (from[0] - first) % step == 0;
            assert_eq!(found, if is_there { hit(from) } else { before }, "{at}");
        }
    })
    .unwrap();
}

#[test]
fn what_is_written_is_read() {
    let _alone = alone();
    let case = prop::collection::vec(1..9_i64, 1..5).prop_flat_map(|extents| {
        let axes = Just((0..extents.len()).collect::<Vec<_>>()).prop_shuffle();
        let locales = prop::array::uniform2(prop::sample::select(&LOCALES[..]));
        let step = prop_oneof![Just(1_i64), Just(2), Just(-1), Just(-3)];
        (Just(extents), axes, locales, 1..8_usize, (step, any::<bool>(), any::<bool>()))
    });
    let config = ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() };
    TestRunner::new(config)
        .run(&case, |case| {
            round_trip(case);
            Ok(())
        })
        .unwrap();
}

/// Nobody has more in memory than its part, and a piece of the file for each thread.
#[test]
fn no_locale_holds_the_whole() {
    let _alone = alone();
    let file = Temporary::new("large.npy");
    for (locales, colors) in [(1, [1, 1]), (2, [1, 4]), (4, [2, 2]), (4, [4, 1]), (4, [1, 4])] {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(4).min_chunk(1);
        let peaks = on_locales(builder, (file.0.clone(), colors), |rt, (path, colors)| {
            let distribution = Distribution::Colors(colors.into());
            let store = rt.create_distributed::<f64, SoA, _>([1024, 1024], &distribution).unwrap();
            store.fill(0.25).unwrap();
            let task = rt.task("rows").args((update(&store),));
            task.launch(|task, (mut tile,)| {
                let row = task.rect(0).lo()[0] as f64;
                tile.update(|value| value + row);
            })
            .unwrap();
            rt.fence().unwrap();
            let (before, sent) = (ALLOCATOR.forget(), rt.traffic().bytes);
            rt.fence().unwrap();
            store.write_npy(&path).unwrap();
            store.read_npy(&path).unwrap();
            rt.fence().unwrap();
            // Headers and errors of points travel, and no elements.
            assert!(rt.traffic().bytes - sent < 4096);
            let peak = ALLOCATOR.peak().saturating_sub(before);
            rt.fence().unwrap();
            let rows = store.read_local(|boxes| boxes.iter().map(|(_, view)| view.values().sum::<f64>()).sum::<f64>());
            let again: Store<f64, Dim<2>> = rt.create_from_npy(&path).unwrap();
            assert_eq!(again.get([1023, 1023]).unwrap(), store.get([1023, 1023]).unwrap());
            (peak, rows.unwrap())
        });
        let peaks = peaks.unwrap();
        let expected: f64 = (0..colors[0]).map(|at| (at * (1024 / colors[0])) as f64 + 0.25).sum::<f64>();
        assert_eq!(peaks.iter().map(|(_, sum)| sum).sum::<f64>(), expected * (1 << 20) as f64 / colors[0] as f64);
        // Of 8 MiB.
        assert!(peaks.iter().all(|(peak, _)| *peak < locales * (5 << 18)), "{locales}: {peaks:?}");
    }
}

/// The same error on each locale, and programs go on after it.
fn refusals(path: PathBuf, read: fn(&Runtime, &Path) -> Result<(), StoreError>) -> StoreError {
    // Where it is another process that is refused, the error is its text.
    let first = read(&Runtime::new().unwrap(), &path).unwrap_err();
    for locales in LOCALES {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(4).min_chunk(1).whole_below(0);
        let told = on_locales(builder, (path.clone(), read), |rt, (path, read)| {
            let error = read(rt, &path).unwrap_err();
            let store: Store<i64, _> = rt.create(8).unwrap();
            store.fill(3).unwrap();
            assert_eq!(store.to_vec().unwrap(), [3; 8]);
            rt.fence().unwrap();
            error
        });
        for error in told.unwrap() {
            assert_eq!(error.to_string(), first.to_string());
        }
    }
    first
}

fn floats(rt: &Runtime, path: &Path) -> Result<(), StoreError> {
    rt.create_from_npy::<f32, Dim<1>, SoA>(path).map(|_| ())
}

#[test]
fn what_is_no_file_of_the_elements_is_refused() {
    let _alone = alone();
    let four = [0; 16];
    let file = |text: &str| npy(text, &four);
    let good = file("{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }");
    let not_npy = |bytes: &[u8]| {
        let file = Temporary::with("bad.npy", bytes);
        match refusals(file.0.clone(), floats) {
            StoreError::File(FileError::NotNpy { why, .. }) => why,
            error => panic!("{error}"),
        }
    };
    assert_eq!(not_npy(&[b'x'; 100]), "it does not start with \\x93NUMPY");
    assert_eq!(not_npy(&[&good[..6], &[9, 1], &good[8..]].concat()), "version 9.1 is not known");
    assert_eq!(not_npy(&[&good[..6], &[3, 0, 100, 0, 0, 0], &[0xff; 200]].concat()), "its header is no text");
    // Each byte is a character before version 3.
    assert_eq!(
        not_npy(&[&good[..10], &[0xff; 200]].concat()),
        "its header has `\\xc3` at byte 0, where a value is expected"
    );
    assert_eq!(
        not_npy(&[&good[..6], &[2, 0, 0, 0, 0, 0x7f], &good[8..]].concat()),
        "its header has 2130706432 bytes, and 4194304 are the most"
    );
    let texts = [
        ("{'descr': '<f4', 'fortran_order': False}", "its header has no `shape`"),
        ("{'descr': '<f4', 'shape': (4,)}", "its header has no `fortran_order`"),
        ("{'fortran_order': False, 'shape': (4,)}", "its header has no `descr`"),
        ("{'descr': '<f4', 'fortran_order': 1, 'shape': (4,)}", "its `fortran_order` is neither True nor False"),
        ("{'descr': '<f4', 'fortran_order': False, 'shape': 4}", "its `shape` is no tuple"),
        ("{'descr': '<f4', 'fortran_order': False, 'shape': (-4,)}", "its `shape` has `-4`"),
        ("{'descr': '<f4', 'fortran_order': False, 'shape': (4, 'a')}", "its `shape` has `'a'`"),
        ("{'descr': '|O', 'fortran_order': False, 'shape': (4,)}", "type `|O` has no known size"),
        (
            "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 1, 4)}",
            "it has 7 dimensions, and 6 are the most",
        ),
        (
            "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}",
            "it would have more bytes than a file can",
        ),
        ("nothing at all", "its header has `n` at byte 0, where a value is expected"),
    ];
    for (text, why) in texts {
        assert_eq!(not_npy(&file(text)), why);
    }

    let size = |bytes: &[u8], read: fn(&Runtime, &Path) -> Result<(), StoreError>| {
        let file = Temporary::with("short.npy", bytes);
        match refusals(file.0.clone(), read) {
            StoreError::File(FileError::Size { found, needed, .. }) => (found, needed),
            error => panic!("{error}"),
        }
    };
    assert_eq!(size(&[], floats), (0, 10));
    assert_eq!(size(&good[..11], floats), (11, 128));
    assert_eq!(size(&good[..143], floats), (143, 144));
    let raw = |rt: &Runtime, path: &Path| rt.create::<f32, SoA, _>([2, 2])?.read_raw(path);
    assert_eq!(size(&four[..15], raw), (15, 16));
    assert_eq!(size(&[0; 17], raw), (17, 16));

    let missing = Temporary::new("missing.npy");
    for read in [floats, |rt: &Runtime, path: &Path| rt.create::<f32, SoA, _>(4)?.read_raw(path)] {
        let error = refusals(missing.0.clone(), read);
        let StoreError::File(FileError::Io { kind: std::io::ErrorKind::NotFound, path, .. }) = error else {
            panic!("{error}")
        };
        assert_eq!(path, missing.0);
    }
    let folder = missing.0.join("folder").join("file.npy");
    let write = |rt: &Runtime, path: &Path| rt.create_from_fn::<f32, SoA, _>(40, |_| 1.0)?.write_npy(path);
    assert!(matches!(refusals(folder, write), StoreError::File(FileError::Io { .. })));
}

#[test]
fn other_records_and_extents_are_refused() {
    let _alone = alone();
    let refused = |text: &str, read: fn(&Runtime, &Path) -> Result<(), StoreError>| {
        let file = Temporary::with("other.npy", &npy(text, &[2; 60]));
        refusals(file.0.clone(), read)
    };
    let record = |text: &str, read: fn(&Runtime, &Path) -> Result<(), StoreError>| match refused(text, read) {
        StoreError::File(FileError::Dtype { why, .. }) => why,
        error => panic!("{error}"),
    };
    let hits: fn(&Runtime, &Path) -> Result<(), StoreError> =
        |rt, path| rt.create_from_npy::<Hit, Dim<1>, SoA>(path).map(|_| ());
    let of = |descr: &str| format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (2,)}}");
    assert_eq!(record(&of("'<f8'"), floats), "the file has `<f8`, the value is `f32`, for which `<f4` is needed");
    assert_eq!(record(&of("'<f4'"), hits), "the record has leaf `kind`, and the file does not: it has the value `<f4`");
    // What has no leaves takes no time, however often it is repeated; nor do dimensions take stack.
    assert_eq!(
        record(&of("[('kind', [], (4096, 4096, 4096, 4096))]"), hits),
        "the record has leaf `kind`, and the file does not: it has no fields"
    );
    let StoreError::File(FileError::NotNpy { why, .. }) =
        refused(&of(&format!("[('kind', '|u1', ({}))]", "1,".repeat(15_000))), hits)
    else {
        panic!("a field of 15,000 dimensions")
    };
    assert_eq!(why, "a field is an array of 15000 dimensions, and 64 are the most");
    let spot = "('pos', [('x', '<f4'), ('y', '<f4')])";
    assert_eq!(
        record(&of(&format!("[('kind', '|u1'), {spot}]")), hits),
        "the record has leaf `n[0]`, and the file does not: it has `kind`, `pos.x`, `pos.y`"
    );
    assert_eq!(
        record(&of(&format!("[('kind', '|u1'), {spot}, ('n', '<i2', (3,))]")), hits),
        "the file has a field `n[2]`, which is no other leaf of the record"
    );
    assert_eq!(
        record(&of(&format!("[('kind', '|i1'), {spot}, ('n', '<i2', (2,))]")), hits),
        "the file has `|i1`, leaf `kind` is `u8`, for which `|u1` is needed"
    );
    assert_eq!(
        record(&of(&format!("[('kind', '|u1'), ('kind', '|u1'), {spot}, ('n', '<i2', (2,))]")), hits),
        "the file has a field `kind`, which is no other leaf of the record"
    );
    let pairs: fn(&Runtime, &Path) -> Result<(), StoreError> =
        |rt, path| rt.create_from_npy::<[f32; 2], Dim<1>, SoA>(path).map(|_| ());
    let fortran = "{'descr': '<f4', 'fortran_order': True, 'shape': (4, 2)}";
    assert_eq!(record(fortran, pairs), "arrays in records lie apart in Fortran order");
    assert_eq!(
        record(&of("'<f4'").replace("(2,)", "(4, 3)"), pairs),
        "the file has a field `[2]`, which is no other leaf of the record"
    );
    let text = refused(&of("'<f8'"), floats).to_string();
    assert!(text.contains("has elements `'<f8'`; the store has `'<f4'`: the file has"), "{text}");

    let extents = |rt: &Runtime, path: &Path| rt.create::<f32, SoA, _>([2, 5])?.read_npy(path);
    let text = of("'<f4'").replace("(2,)", "(5, 2)");
    let error = refused(&text, extents);
    assert!(matches!(error, StoreError::File(FileError::Extents { .. })), "{error}");
    assert!(error.to_string().ends_with("has elements of extents [5, 2]; the store has [2, 5]"), "{error}");
    assert!(matches!(refused(&text, floats), StoreError::Rank { given: 2, expected: 1 }));
    // Bytes that are no values.
    let flags: fn(&Runtime, &Path) -> Result<(), StoreError> =
        |rt, path| rt.create_from_npy::<bool, DynRank, SoA>(path).map(|_| ());
    let error = refused(&of("'|b1'").replace("(2,)", "(5, 4)"), flags);
    assert!(matches!(error, StoreError::File(FileError::BadValue { .. })), "{error}");
    let wide: fn(&Runtime, &Path) -> Result<(), StoreError> =
        |rt, path| rt.create_from_fn::<[i128; 2], SoA, _>(4, |_| [1; 2])?.write_npy(path);
    let error = refusals(Temporary::new("wide.npy").0.clone(), wide);
    let StoreError::File(FileError::NoDtype { leaf, what }) = &error else { panic!("{error}") };
    assert_eq!((&leaf[..], &what[..]), ("[0]", "i128"));
}

/// A value that the layout of the store refuses is an error with the index, and one that it wraps is stored.
#[test]
fn values_that_do_not_fit_are_refused() {
    use layout::bits::{BitPackedIntSoA, Bits, KeepSign, Wrap};

    type Small = BitPackedIntSoA<Bits<4>>;
    let _alone = alone();
    let text =
        |descr: &str, fortran: &str| format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': (300, 5), }}");
    let mut elements = [1; 1500];
    elements[5 * 217 + 3] = 16;
    let by_columns: Vec<u8> = (0..1500).map(|at| elements[at % 300 * 5 + at / 300]).collect();
    let ends = |error: &StoreError, end: &str| {
        assert!(matches!(error, StoreError::File(FileError::BadValue { .. })), "{error}");
        assert!(error.to_string().ends_with(end), "{error}");
    };
    let misfit = "value 16 does not fit leaf `u8`, which stores 0 to 15, at index [217, 3]";
    let small: fn(&Runtime, &Path) -> Result<(), StoreError> =
        |rt, path| rt.create_from_npy::<u8, Dim<2>, Small>(path).map(|_| ());
    // Bytes that are no value have the same index.
    let flags: fn(&Runtime, &Path) -> Result<(), StoreError> =
        |rt, path| rt.create_from_npy::<bool, Dim<2>, SoA>(path).map(|_| ());
    for (fortran, elements) in [("False", &elements[..]), ("True", &by_columns)] {
        let file = Temporary::with("misfit.npy", &npy(&text("|u1", fortran), elements));
        ends(&refusals(file.0.clone(), small), misfit);
        let file = Temporary::with("no-flag.npy", &npy(&text("|b1", fortran), elements));
        ends(&refusals(file.0.clone(), flags), "leaf `bool` at index [217, 3] are no valid value of its type");
    }
    let raw = Temporary::with("misfit.raw", &elements);
    let read: fn(&Runtime, &Path) -> Result<(), StoreError> = |rt, path| {
        let wraps: Store<u8, _, BitPackedIntSoA<Bits<4>, KeepSign, Wrap>> = rt.create([300, 5])?;
        wraps.read_raw(path)?;
        assert_eq!((wraps.get([217, 3])?, wraps.get([217, 4])?), (0, 1));
        rt.create::<u8, Small, _>([300, 5])?.read_raw(path)
    };
    ends(&refusals(raw.0.clone(), read), misfit);
}

/// A longer file that is there is cut off; elements that nobody wrote are not written.
#[test]
fn files_are_as_long_as_their_elements() {
    let _alone = alone();
    let file = Temporary::with("cut.raw", &[9; 1000]);
    for locales in LOCALES {
        meet();
        fs::write(&file.0, [9; 1000]).unwrap();
        meet();
        let builder = Runtime::builder().locales(locales).threads(2).pieces(7).min_chunk(1).whole_below(0);
        on_locales(builder, file.0.clone(), |rt, path| {
            let store: Store<u8, _> = rt.create([10, 10]).unwrap();
            assert!(matches!(store.write_raw(&path), Err(StoreError::Uninitialized { .. })));
            store.fill(4).unwrap();
            store.slice(1, 0, 9).unwrap().write_raw(&path).unwrap();
            let none: Store<u8, _> = rt.create_from_fn([0, 3], |_| 0).unwrap();
            none.write_npy(path.with_extension("none")).unwrap();
            let none: Store<u8, Dim<2>> = rt.create_from_npy(path.with_extension("none")).unwrap();
            assert_eq!((none.extents(), none.to_vec().unwrap()), ([0, 3].into(), Vec::new()));
        })
        .unwrap();
        assert_eq!(fs::read(&file.0).unwrap(), [4; 90]);
    }
}

/// Values that follow from the index are the same on any number of locales, cut into any number of pieces, however they are made.
#[test]
fn random_values_follow_from_the_index() {
    const COLUMNS: usize = 37;
    let seen = |locales, pieces| {
        let builder = Runtime::builder().locales(locales).threads(2).pieces(pieces).min_chunk(1).whole_below(0);
        let values = on_locales(builder, (), |rt, ()| {
            // Two words for each element, one row after another.
            let place = |at: [usize; 2]| 2 * (at[0] * COLUMNS + at[1]) as u128;
            let rows: Store<u64, _> = rt.create([23, COLUMNS]).unwrap();
            let task = rt.task("rows").args((write(&rows),));
            task.launch(move |task, (mut tile,)| {
                let ([row, column], [rows, columns]) = (task.origin(0), tile.extents());
                let mut random = ChaCha8Rng::seed_from_u64(11);
                for i in 0..rows {
                    random.set_word_pos(place([row + i, column]));
                    (0..columns).for_each(|j| tile.set([i, j], random.next_u64()));
                }
            })
            .unwrap();
            let each: Store<u64, _> = rt
                .create_from_fn([23, COLUMNS], |at| {
                    let mut random = ChaCha8Rng::seed_from_u64(11);
                    random.set_word_pos(place([0, 1].map(|dim| usize::try_from(at[dim]).unwrap())));
                    random.next_u64()
                })
                .unwrap();
            let rows = rows.to_vec().unwrap();
            assert_eq!(rows, each.to_vec().unwrap());
            rows
        });
        values.unwrap().swap_remove(0)
    };
    let mut random = ChaCha8Rng::seed_from_u64(11);
    let expected: Vec<u64> = (0..23 * COLUMNS).map(|_| random.next_u64()).collect();
    for locales in LOCALES {
        for pieces in [1, locales, 5, 16] {
            assert_eq!(seen(locales, pieces), expected, "{locales} {pieces}");
        }
    }
}

support::with_processes!();

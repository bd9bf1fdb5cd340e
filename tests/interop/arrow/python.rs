//! Batches that pyarrow reads, and batches that pyarrow wrote. The interpreter is that of `LAYOUT_PYTHON`.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Command;

use arrow_ipc::reader::FileReader;
use arrow_ipc::writer::FileWriter;
use layout::interop::arrow::{Arrays, Nulls, as_lists, as_view, into_batch, with_lists};
use layout::prelude::*;

use crate::records::{All, records};

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Event {
    id: u64,
    pos: [f32; 3],
    good: bool,
    letter: char,
    parent: Option<core::num::NonZeroU32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Electron {
    pt: f64,
    charge: i8,
}

/// Reads the file of the program, checks it, and writes one of its own with the same columns.
const SCRIPT: &str = r#"
import sys
import pyarrow as pa

folder = sys.argv[1]
table = pa.ipc.open_file(folder + "/rust.arrow").read_all()
table.validate(full=True)
assert table.column_names == ["id", "pos", "good", "letter", "parent", "electrons"], table.column_names
rows = table.to_pylist()
assert len(rows) == 4
assert rows[2] == {
    "id": 2,
    "pos": [2.0, 0.5, -2.0],
    "good": True,
    "letter": ord("→"),
    "parent": 2,
    "electrons": [{"pt": 0.25, "charge": -1}, {"pt": 1.25, "charge": 1}],
}, rows[2]
assert rows[0]["parent"] is None and rows[0]["electrons"] == []

schema = pa.schema([
    ("id", pa.uint64()), ("pos", pa.list_(pa.float32(), 3)), ("good", pa.bool_()), ("letter", pa.uint32()), ("parent", pa.uint32()),
    ("electrons", pa.list_(pa.struct([("pt", pa.float64()), ("charge", pa.int8())]))),
])
mine = [
    {"id": 10 + i, "pos": [i, 2.0 * i, 0.0], "good": i == 1, "letter": ord("a") + i, "parent": i or None,
     "electrons": [{"pt": 0.5 * k, "charge": -1} for k in range(i)]}
    for i in range(5)
]
batch = pa.RecordBatch.from_pylist(mine, schema=schema)
with pa.ipc.new_file(folder + "/python.arrow", schema) as file:
    file.write(batch.slice(1))

every = pa.ipc.open_file(folder + "/all.arrow").read_all()
every.validate(full=True)
with pa.ipc.new_file(folder + "/all_python.arrow", every.schema) as file:
    file.write_table(every)
"#;

fn file(folder: &std::path::Path, name: &str) -> File {
    File::open(folder.join(name)).unwrap()
}

#[test]
fn pyarrow_reads_and_writes() {
    let Some(python) = std::env::var_os("LAYOUT_PYTHON") else {
        eprintln!("pyarrow is not asked: set LAYOUT_PYTHON to a Python with pyarrow");
        return;
    };
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("arrow_python");
    fs::create_dir_all(&folder).unwrap();
    let event = |id: u32| Event {
        id: id.into(),
        pos: [id as f32, 0.5, -2.0],
        good: id == 2,
        letter: '→',
        parent: core::num::NonZeroU32::new(id),
    };
    let events: RecordVec<Event, SoA> = (0..4).map(event).collect();
    let electrons =
        (0..4).map(|i| (0..i).map(|k| Electron { pt: f64::from(k) + 0.25, charge: [-1, 1, 1][k as usize] }).collect());
    let electrons: Jagged<Electron, SoA> = electrons.collect::<Vec<Vec<_>>>().into_iter().collect();
    let batch = with_lists(&into_batch(events, Arrays::List).unwrap(), "electrons", electrons, Arrays::List).unwrap();
    let write = |name: &str, batch: &arrow_array::RecordBatch| {
        let mut writer = FileWriter::try_new(File::create(folder.join(name)).unwrap(), batch.schema_ref()).unwrap();
        writer.write(batch).unwrap();
        writer.finish().unwrap();
    };
    write("rust.arrow", &batch);
    let every: Vec<All> = records(30, 3);
    write("all.arrow", &into_batch(RecordVec::<All, SoA>::from(&every[..]), Arrays::Fields).unwrap());

    let output = Command::new(python).args(["-c", SCRIPT]).arg(&folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

    let batches: Vec<_> =
        FileReader::try_new(file(&folder, "python.arrow"), None).unwrap().map(Result::unwrap).collect();
    let [batch] = &batches[..] else { panic!("one batch") };
    let events = as_view::<Event>(&batch.project(&[0, 1, 2, 3, 4]).unwrap(), Nulls::Reject).unwrap();
    let expected = |i: u32| Event {
        id: 10 + u64::from(i),
        pos: [i as f32, 2.0 * i as f32, 0.0],
        good: i == 1,
        letter: char::from_u32(0x61 + i).unwrap(),
        parent: core::num::NonZeroU32::new(i),
    };
    assert_eq!(events.to_vec(), (1..5).map(expected).collect::<Vec<_>>());
    let electrons = as_lists::<Electron>(batch, "electrons", Nulls::Reject).unwrap();
    assert_eq!((electrons.offsets(), electrons.values().len()), (&[0, 1, 3, 6, 10][..], 10));
    assert_eq!(electrons.values().slice((electrons.range(2),)).load(2), Electron { pt: 1.0, charge: -1 });

    let batches: Vec<_> =
        FileReader::try_new(file(&folder, "all_python.arrow"), None).unwrap().map(Result::unwrap).collect();
    let every_again = as_view::<All>(&batches[0], Nulls::Reject).unwrap();
    assert_eq!(every_again.to_vec(), every);
}

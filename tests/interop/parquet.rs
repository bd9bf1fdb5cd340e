//! Events in Parquet and Arrow files: what was written is read; truncated and damaged files are errors.

use std::fs;
use std::path::{Path, PathBuf};

use events::{from_columns, generate, read_arrow, read_parquet, to_batch, write_arrow, write_parquet};
use support::random::Random;

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// The number of events in a file, or that it or a batch of it was refused.
fn count(path: &Path) -> Option<usize> {
    let is_parquet = path.extension().is_some_and(|extension| extension == "parquet");
    let batches = if is_parquet { read_parquet(path, 30) } else { read_arrow(path) };
    batches.ok()?.iter().map(|batch| from_columns(batch).ok().map(|(events, _)| events.len())).sum()
}

#[test]
fn files_come_back() {
    let (events, muons) = generate(100);
    let batch = to_batch((events.clone(), muons.clone())).unwrap();
    let (parquet, arrow) = (file("events.parquet"), file("events.arrow"));
    write_parquet(&parquet, &batch).unwrap();
    write_arrow(&arrow, &batch).unwrap();
    assert_eq!(from_columns(&read_parquet(&parquet, 100).unwrap()[0]).unwrap(), (events.clone(), muons.clone()));
    assert_eq!(from_columns(&read_arrow(&arrow).unwrap()[0]).unwrap(), (events.clone(), muons));
    let batches = read_parquet(&parquet, 30).unwrap();
    assert_eq!(batches.iter().map(arrow_array::RecordBatch::num_rows).collect::<Vec<_>>(), [30, 30, 30, 10]);
    let (part, lists) = from_columns(&batches[3]).unwrap();
    assert_eq!((part.at(0).number.get(), lists.list_len(0)), (90, 2));
}

/// Masses that are moved to the ends of the range would be two peaks of their own.
#[test]
fn no_mass_is_moved_to_an_end_of_the_range() {
    let (events, _) = generate(20_000);
    let masses = || events.values().map(|event| event.pair.mass);
    assert!(masses().all(|mass| mass > 60.0 && mass < 120.0));
    let within = |low: f32, high: f32| masses().filter(|mass| (low..high).contains(mass)).count();
    for (end, beside) in [(within(60.0, 63.0), within(63.0, 66.0)), (within(117.0, 120.0), within(114.0, 117.0))] {
        assert!(end * 10 < beside * 11, "{end} masses beside {beside}");
    }
}

#[test]
fn truncated_and_damaged_files_are_errors() {
    let (events, muons) = generate(40);
    let batch = to_batch((events, muons)).unwrap();
    for name in ["damaged.parquet", "damaged.arrow"] {
        let path = file(name);
        if name.ends_with("parquet") {
            write_parquet(&path, &batch).unwrap()
        } else {
            write_arrow(&path, &batch).unwrap()
        }
        let bytes = fs::read(&path).unwrap();
        assert_eq!(count(&path), Some(40));
        for end in (0..bytes.len()).step_by(61) {
            fs::write(&path, &bytes[..end]).unwrap();
            assert_eq!(count(&path), None, "{name} cut at {end}");
        }
        // Damage anywhere among the values: other events, or an error.
        let (mut random, values) = (Random(3), bytes.len() / 2);
        for _ in 0..200 {
            let mut damaged = bytes.clone();
            damaged[8 + random.below(values - 8)] ^= 1 << random.below(8);
            fs::write(&path, &damaged).unwrap();
            let _ = count(&path);
        }
    }
}

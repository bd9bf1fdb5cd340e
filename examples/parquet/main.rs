//! Events as Parquet and Arrow files, for Python and for every other program that reads them:
//! `cargo run --release -p layout-parquet -- [FOLDER]`, where the folder is `target/events` if none is given.
//!
//! The events lie in `SoA`, whose arrays Arrow uses without a copy. `examples/parquet/plot.py` draws a histogram of the
//! Parquet file; `examples/parquet/check.py` compares both files.

#[path = "../arguments.rs"]
mod arguments;
#[path = "../folder.rs"]
mod folder;

use core::error::Error;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use events::{Event, from_columns, generate, read_arrow, read_parquet, to_batch, write_arrow, write_parquet};
use layout::interop::arrow::{Nulls, as_view};
use layout::prelude::*;

const EVENTS: usize = 20_000;
/// The bins of the histogram, of 3 GeV each from 60 GeV on.
const BINS: usize = 20;

/// The masses of the pairs in one batch, from the buffers of the batch: only the column `pair` is looked at, and nothing is copied.
fn count(histogram: &mut [usize; BINS], batch: &arrow_array::RecordBatch) -> Result<(), Box<dyn Error>> {
    #[derive(Clone, Copy, Record)]
    struct Pairs {
        pair: events::Pair,
    }
    let column = batch.schema_ref().index_of("pair")?;
    let pairs = as_view::<Pairs>(&batch.project(&[column])?, Nulls::Reject)?;
    for mass in pairs.field(Pairs::PATHS.pair.mass).values() {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a bin is a small number")]
        let bin = ((mass - 60.0) / 3.0) as usize;
        *histogram.get_mut(bin).ok_or_else(|| format!("a mass of {mass} GeV"))? += 1;
    }
    Ok(())
}

fn run(folder: &Path) -> Result<(), Box<dyn Error>> {
    folder::make(folder)?;
    let (events, muons) = generate(EVENTS);
    let masses = events.column(Event::PATHS.pair.mass).map(<[f32]>::as_ptr);
    let batch = to_batch((events, muons))?;
    let pairs = batch.column_by_name("pair").ok_or("a column of pairs")?;
    let buffer = arrow_array::Array::to_data(pairs).child_data()[0].buffers()[0].as_ptr();
    let copied = if masses == Some(buffer.cast()) { "not copied" } else { "copied" };
    println!("{EVENTS} events as a record batch; the masses are {copied}");

    let (parquet, arrow) = (folder.join("events.parquet"), folder.join("events.arrow"));
    write_parquet(&parquet, &batch)?;
    write_arrow(&arrow, &batch)?;
    for path in [&parquet, &arrow] {
        println!("{}: {} bytes", path.display(), fs::metadata(path)?.len());
    }

    let (events, muons) = generate(EVENTS);
    let mut histogram = [0; BINS];
    let (mut first, mut lists) = (0, 0);
    for batch in read_parquet(&parquet, 4096)? {
        count(&mut histogram, &batch)?;
        let (part, part_muons) = from_columns(&batch)?;
        if !part.values().eq((first..first + part.len()).map(|i| events.as_view().load(i))) {
            return Err("the events of the Parquet file differ".into());
        }
        for list in part_muons.lists() {
            if list != muons.list(lists) {
                return Err("the muons of the Parquet file differ".into());
            }
            lists += 1;
        }
        first += part.len();
    }
    let [batch] = &read_arrow(&arrow)?[..] else { return Err("the Arrow file has one batch".into()) };
    if first != EVENTS || from_columns(batch)? != (events, muons) {
        return Err("the events of the files differ".into());
    }

    println!("Masses of the muon pairs in the Parquet file, with a peak at 91 GeV:");
    for (bin, count) in histogram.into_iter().enumerate() {
        println!("{:>4} GeV {count:>6} {}", 60 + 3 * bin, "#".repeat(count / 100));
    }
    println!("python examples/parquet/plot.py {} draws them", parquet.display());
    Ok(())
}

fn main() -> ExitCode {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    let usage = "give a folder for the files, or nothing for events in the target folder";
    let read = |given: &[OsString]| match given {
        [] => Some(target.join("events")),
        [folder] => Some(folder.into()),
        _ => None,
    };
    arguments::run(usage, read, |folder| run(&folder))
}

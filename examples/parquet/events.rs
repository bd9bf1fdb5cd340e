//! Generated events of a collider, and files of record batches.

use core::f32::consts::{PI, TAU};
use core::panic::AssertUnwindSafe;
use std::fs::File;
use std::path::Path;

use arrow_array::RecordBatch;
use arrow_ipc::reader::FileReader;
use arrow_ipc::writer::FileWriter;
use arrow_schema::ArrowError;
use layout::interop::arrow::{Arrays, BatchError, Nulls, as_lists, from_batch, into_batch, with_lists};
use layout::prelude::*;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::errors::ParquetError;

/// Two muons that may come from one particle.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
pub struct Pair {
    /// The mass of that particle, in GeV.
    pub mass: f32,
    /// Its momentum across the beam, in GeV.
    pub pt: f32,
}

/// An event: what happened when two bunches of particles met.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
pub struct Event {
    /// The run of the detector.
    pub run: u32,
    /// The number of the event in its run.
    pub number: u64,
    /// The event was kept because of its muons.
    pub triggered: bool,
    /// The pair of muons.
    pub pair: Pair,
    /// The place of the collision, in millimeters.
    pub vertex: [f32; 3],
}

/// A muon of an event.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
pub struct Muon {
    /// The momentum across the beam, in GeV.
    pub pt: f32,
    /// The direction along the beam.
    pub eta: f32,
    /// The direction around the beam.
    pub phi: f32,
    /// The charge.
    pub charge: i8,
}

/// Events, and the muons of each.
pub type Events = (RecordVec<Event, SoA>, Jagged<Muon, SoA, i64>);

/// Numbers between 0 and 1, the same in every run (an MMIX linear congruential generator).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1_u64 << 24) as f32
    }
}

/// The events of a run, and the muons of each: event `i` has `2 + i % 3`.
#[must_use]
pub fn generate(count: usize) -> Events {
    let mut random = Random(7);
    let (mut events, mut muons) = (RecordVec::with_capacity(count), Jagged::new());
    for i in 0..count {
        // A third of the pairs come from a Z boson of 91.2 GeV, the others from anywhere. A mass outside the range is drawn again.
        let mut mass = 0.0;
        while !(60.0..120.0).contains(&mass) {
            let peak = 91.2 + 1.25 * (PI * (random.next() - 0.5)).tan();
            mass = if random.next() < 0.33 { peak } else { 60.0 + 60.0 * random.next() };
        }
        let pt = -20.0 * (1.0 - random.next()).ln();
        let vertex = [0.1 * random.next(), 0.1 * random.next(), 50.0 * (random.next() - 0.5)];
        let triggered = random.next() < 0.9;
        events.push(Event { run: 1, number: i as u64, triggered, pair: Pair { mass, pt }, vertex });
        muons.push_list((0..2 + i % 3).map(|k| Muon {
            pt: 0.5 * mass * (0.5 + random.next()),
            eta: 5.0 * (random.next() - 0.5),
            phi: TAU * random.next(),
            charge: if k % 2 == 0 { 1 } else { -1 },
        }));
    }
    (events, muons)
}

/// The names of the columns of events; the column `muons` is beside them.
const EVENT: [&str; 5] = ["run", "number", "triggered", "pair", "vertex"];

/// One batch: a column for each field of an event, and the muons as lists.
///
/// # Errors
///
/// Returns an error if Arrow refuses the parts, which it does not.
pub fn to_batch((events, muons): Events) -> Result<RecordBatch, BatchError> {
    with_lists(&into_batch(events, Arrays::List)?, "muons", muons, Arrays::List)
}

/// The events and the muons of a batch, checked and copied once.
///
/// # Errors
///
/// Returns an error if the batch is not one of events.
pub fn from_columns(batch: &RecordBatch) -> Result<Events, BatchError> {
    let columns = EVENT.map(|name| batch.schema_ref().index_of(name)).into_iter().collect::<Result<Vec<_>, _>>()?;
    let events = from_batch(&batch.project(&columns)?, Nulls::Reject)?;
    Ok((events, as_lists(batch, "muons", Nulls::Reject)?.to_jagged()?))
}

/// Writes a Parquet file.
///
/// # Errors
///
/// Returns an error if the file cannot be written.
pub fn write_parquet(path: &Path, batch: &RecordBatch) -> Result<(), ParquetError> {
    let mut writer = ArrowWriter::try_new(File::create(path)?, batch.schema(), None)?;
    writer.write(batch)?;
    writer.close().map(drop)
}

/// Writes an Arrow file, also named Feather.
///
/// # Errors
///
/// Returns an error if the file cannot be written.
pub fn write_arrow(path: &Path, batch: &RecordBatch) -> Result<(), ArrowError> {
    let mut writer = FileWriter::try_new(File::create(path)?, batch.schema_ref())?;
    writer.write(batch)?;
    writer.finish()
}

/// The result of a reader of a file from outside. The readers of version 60 panic on some damaged files, which is an error here.
fn guarded<T>(read: impl FnOnce() -> Result<T, ArrowError>) -> Result<T, ArrowError> {
    // The reader is dropped with its panic, so nothing sees it half done.
    let read = std::panic::catch_unwind(AssertUnwindSafe(read));
    read.unwrap_or_else(|_| Err(ArrowError::ParseError("the file is damaged".to_owned())))
}

/// The batches of a Parquet file, of `rows` rows each.
///
/// # Errors
///
/// Returns an error if the file is damaged.
pub fn read_parquet(path: &Path, rows: usize) -> Result<Vec<RecordBatch>, ArrowError> {
    guarded(|| {
        let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path)?)?.with_batch_size(rows);
        reader.build()?.collect()
    })
}

/// The batches of an Arrow file.
///
/// # Errors
///
/// Returns an error if the file is damaged.
pub fn read_arrow(path: &Path) -> Result<Vec<RecordBatch>, ArrowError> {
    guarded(|| FileReader::try_new(File::open(path)?, None)?.collect())
}

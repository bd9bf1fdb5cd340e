//! A program with checkpoints, which tests kill.

use std::path::Path;
use std::time::SystemTime;

use layout::Dim;
use layout_store::{Builder, Runtime, Store, StoreError, bloat, read, write};
use layout_zarr::{Checkpoint, ZarrError};

const EXTENTS: [i64; 2] = [60, 30];

type Heat = Store<f64, Dim<2>>;

pub(crate) fn builder() -> Builder {
    Runtime::builder().threads(1).pieces(5).min_chunk(1).whole_below(0)
}

/// The first state of the program, and memory for the next one.
fn create(rt: &Runtime) -> Result<[Heat; 2], StoreError> {
    Ok([rt.create_from_fn(EXTENTS, |at| 1.0 / (1 + at[0] * EXTENTS[1] + at[1]) as f64)?, rt.create(EXTENTS)?])
}

/// A step of a stencil.
fn step(rt: &Runtime, old: &Heat, new: &Heat) -> Result<(), StoreError> {
    let task = rt.task("step").args((write(new), read(old)));
    task.constrain(|(new, old)| bloat(new, old, [1, 1], [1, 1])).launch(|task, (mut new, old)| {
        let [row, column] = task.offset(0, 1);
        let ([rows, columns], [last_row, last_column]) = (new.extents(), old.extents().map(|extent| extent - 1));
        for i in 0..rows {
            for j in 0..columns {
                let (i0, j0) = (row + i, column + j);
                let near = old.get([i0.saturating_sub(1), j0]) + old.get([(i0 + 1).min(last_row), j0]);
                let near = near + old.get([i0, j0.saturating_sub(1)]) + old.get([i0, (j0 + 1).min(last_column)]);
                new.set([i, j], old.get([i0, j0]) * 0.6 + near * 0.1);
            }
        }
    })?;
    Ok(())
}

/// Tells what the program has done.
pub(crate) enum Event {
    /// It has restored a checkpoint, if there was one.
    Began,
    /// It has written the checkpoint of this number.
    Wrote(u64),
}

/// Steps from the last checkpoint in the folder to step `last`, with a checkpoint after `every` steps; gives the bits of all elements.
pub(crate) fn run(
    rt: &Runtime,
    folder: &Path,
    [last, every]: [u64; 2],
    tell: impl Fn(Event),
) -> Result<Vec<u64>, ZarrError> {
    let [mut old, mut new] = create(rt)?;
    let found = Checkpoint::new(folder).store("heat", &old).restore(rt)?;
    let start = found.map_or(Ok(0), |found| found.value::<u64>("step"))?;
    tell(Event::Began);
    for done in start + 1..=last {
        step(rt, &old, &new)?;
        core::mem::swap(&mut old, &mut new);
        if done % every == 0 {
            tell(Event::Wrote(Checkpoint::new(folder).store("heat", &old).value("step", done).write(rt)?));
        }
    }
    Ok(bits(&old)?)
}

/// The number and the step of the last checkpoint in the folder, zeros if there is none, whose elements are those of a program without
/// checkpoints. Panics if it is older than the last one that was told to be written.
pub(crate) fn kept(folder: &Path, told: u64) -> [u64; 2] {
    let found = builder().run(|rt| restored(rt, folder)).unwrap().unwrap();
    let (generation, done, bits) = found.unwrap_or_default();
    assert!(generation >= told, "{told} was written, {generation} is there");
    if generation > 0 {
        assert_eq!(bits, builder().run(|rt| unbroken(rt, done)).unwrap().unwrap(), "checkpoint {generation}");
    }
    [generation, done]
}

/// The last checkpoint in the folder: its number, its step, and the bits of all elements.
fn restored(rt: &Runtime, folder: &Path) -> Result<Option<(u64, u64, Vec<u64>)>, ZarrError> {
    let [heat, _] = create(rt)?;
    let Some(found) = Checkpoint::new(folder).store("heat", &heat).restore(rt)? else { return Ok(None) };
    Ok(Some((found.generation(), found.value("step")?, bits(&heat)?)))
}

/// The bits of all elements after a step, of the program without checkpoints.
pub(crate) fn unbroken(rt: &Runtime, last: u64) -> Result<Vec<u64>, StoreError> {
    let [mut old, mut new] = create(rt)?;
    for _ in 0..last {
        step(rt, &old, &new)?;
        core::mem::swap(&mut old, &mut new);
    }
    bits(&old)
}

fn bits(heat: &Heat) -> Result<Vec<u64>, StoreError> {
    Ok(heat.to_vec()?.into_iter().map(f64::to_bits).collect())
}

/// The checkpoint that is being written, or was when its program was killed: the time of its last change, which tells one from another.
pub(crate) fn partial(folder: &Path) -> Option<SystemTime> {
    let mut entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let partial = entries.find(|entry| entry.file_name().to_string_lossy().ends_with(".partial"))?;
    // It may have got its name in the meantime.
    partial.metadata().and_then(|folder| folder.modified()).ok()
}

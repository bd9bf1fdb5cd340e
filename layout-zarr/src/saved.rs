//! Stores of any record, rank and layout, as a checkpoint writes and reads them.

use core::ops::Range;
use std::sync::Arc;

use layout_core::{DynExtents, LeafTable, Mapped, Record, RecordLayout, View, ViewError, check_refused, refuses, step};
use layout_mappings::{Aligned, AoS, Native, Packed, SoASingle};
use layout_store::{
    DynRank, MAX_RANK, Point, Rect, Runtime, Store, StoreError, TaskBodyError, TransformError, read, write,
};

use crate::agreement::{agree, check_each, first};
use crate::error::ZarrError;
use crate::leaf::Leaf;
use crate::store_arrays::StoreArrays;

/// A store of a checkpoint.
pub(crate) trait Saved: Send + Sync {
    fn extents(&self) -> Point;
    fn leaves(&self) -> Vec<Leaf>;
    fn table(&self) -> &'static LeafTable;
    /// The tiles that a task which reads the store is given, the same on all locales.
    fn tiles(&self, rt: &Runtime) -> Result<Vec<Rect>, StoreError>;
    /// Writes all chunks.
    fn write(&self, rt: &Runtime, arrays: &Arc<StoreArrays>) -> Result<(), ZarrError>;
    /// Returns an error if the layout of the store refuses an element of the chunks.
    fn check(&self, rt: &Runtime, arrays: &Arc<StoreArrays>) -> Result<(), ZarrError>;
    /// Sets all elements to those of the chunks.
    fn read(&self, rt: &Runtime, arrays: &Arc<StoreArrays>) -> Result<(), ZarrError>;
}

/// Extents, or an index, in as many dimensions as views of a store of any rank have; the first ones are of extent 1.
type Wide = [usize; MAX_RANK];
/// A chunk in memory: the values of one leaf after those of the one before.
type InChunk<R> = Mapped<R, DynExtents<MAX_RANK>, SoASingle<Packed>>;

fn in_chunk<R: Record>(extents: Wide) -> Result<InChunk<R>, ViewError> {
    Ok(Mapped::new(DynExtents::<MAX_RANK>::new(extents)?)?)
}

fn widened(point: &Point, fill: usize) -> Wide {
    let mut wide = [fill; MAX_RANK];
    let more = MAX_RANK - point.len();
    point.iter().enumerate().for_each(|(dim, at)| wide[more + dim] = usize::try_from(*at).unwrap_or(0));
    wide
}

/// The position of a box in a box that contains it: for each dimension the range of members, and their distance.
fn within(part: &Rect, whole: &Rect) -> [(Range<usize>, isize); MAX_RANK] {
    let every = whole.steps();
    let start = widened(&part.lo().zip_with(&whole.lo(), |a, b| a - b).zip_with(&every, |a, b| a / b), 0);
    let (count, by) = (widened(&part.extents(), 1), widened(&part.steps().zip_with(&every, |a, b| (a / b).max(1)), 1));
    core::array::from_fn(|dim| {
        let end = start[dim] + (count[dim].max(1) - 1) * by[dim] + 1;
        (start[dim]..end, isize::try_from(by[dim]).unwrap_or(isize::MAX))
    })
}

/// A slice of a six-dimensional view, by a method of the view.
macro_rules! slice {
    ($view:ident.$slice:ident, $at:expr) => {{
        let [a, b, c, d, e, f] = $at.map(|(range, _)| range);
        $view.$slice((a, b, c, d, e, f))
    }};
    ($view:ident.$slice:ident by steps, $at:expr) => {{
        let [a, b, c, d, e, f] = $at.map(|(range, by)| step(range, by));
        $view.$slice((a, b, c, d, e, f))
    }};
}

/// Writes a chunk whose elements `$source` has, a view of `$rect`.
macro_rules! write_chunk {
    ($R:ty, $arrays:ident, $number:expr, $source:ident of $rect:expr) => {{
        let (rect, whole) = ($arrays.chunks.rect($number), $rect);
        let source = slice!($source.slice, within(&rect, &whole));
        // Zeros are a value of each leaf of a store; beyond the store they stay.
        let mut bytes = vec![0; $arrays.arrays.chunk_bytes()];
        let mapping: InChunk<$R> = in_chunk(widened(&$arrays.chunks.side, 1))?;
        let mut chunk = View::from_bytes(mapping, &mut *bytes)?;
        slice!(chunk.slice_mut, within(&rect, &rect)).copy_from(&source)?;
        $arrays.write($number, &bytes)
    }};
}

impl<R: Record, L: RecordLayout<R> + Default> Saved for Store<R, DynRank, L> {
    fn extents(&self) -> Point {
        Store::extents(self)
    }

    fn leaves(&self) -> Vec<Leaf> {
        Leaf::all::<R>()
    }

    fn table(&self) -> &'static LeafTable {
        LeafTable::of::<R>()
    }

    fn tiles(&self, rt: &Runtime) -> Result<Vec<Rect>, StoreError> {
        let tiles = rt.task("checkpoint: tiles").args((read(self),)).map(|task, _| Ok(parts_of(&task.rect(0))))?;
        Ok(tiles.get()?.iter().map(rect_of).collect())
    }

    fn write(&self, rt: &Runtime, arrays: &Arc<StoreArrays>) -> Result<(), ZarrError> {
        // Chunks that lie in a tile are written where the tile is.
        let shared = arrays.clone();
        let each = rt.task("checkpoint: write").args((read(self),)).map(move |task, (tile,)| {
            let (arrays, rect) = (&*shared, task.rect(0));
            for number in arrays.chunks.within(&rect).points() {
                if let Err(error) = write_chunk!(R, arrays, &number, tile of rect) {
                    return Ok((parts_of(&rect), Some(error)));
                }
            }
            Ok((parts_of(&rect), None))
        })?;
        let (tiles, errors): (Vec<_>, Vec<_>) = each.get()?.into_iter().unzip();
        first(errors)?;
        // Of the others each is brought to one locale, by turns.
        let count = arrays.chunks.count().unwrap_or(usize::MAX);
        let mut written = vec![false; count];
        for number in tiles.iter().flat_map(|tile| arrays.chunks.within(&rect_of(tile)).points()) {
            written[arrays.chunks.place(&number)] = true;
        }
        let others = (0..count).filter(|place| !written[*place]).map(|place| arrays.chunks.at(place));
        let mut own = Ok(());
        let mut any = false;
        for (turn, number) in others.enumerate() {
            any = true;
            let (part, rect) = part_of(self, &arrays.chunks.rect(&number))?;
            let gathered = part.gather(turn % rt.locales());
            // All locales take part in all gathers, whatever went wrong here.
            let wrote = match gathered {
                Ok(Some(records)) if own.is_ok() => write_records(arrays, &number, &records, &rect),
                Ok(_) => Ok(()),
                // Other locales have no such error, and are told of this one by its text.
                Err(error) => Err(ZarrError::Io { path: arrays.named(&number), why: error.to_string() }),
            };
            own = own.and(wrote);
        }
        if any { agree(rt, own) } else { Ok(()) }
    }

    fn check(&self, rt: &Runtime, arrays: &Arc<StoreArrays>) -> Result<(), ZarrError> {
        type Target<R, L> = Mapped<R, DynExtents<MAX_RANK>, L>;
        if !const { refuses::<Target<R, L>>() } || self.extents().contains(&0) {
            return Ok(());
        }
        let arrays = arrays.clone();
        check_each(rt, arrays.chunks.count().unwrap_or(usize::MAX), move |place| {
            let (number, mut bytes) = (arrays.chunks.at(place), vec![0; arrays.arrays.chunk_bytes()]);
            arrays.read(&number, &mut bytes)?;
            let rect = arrays.chunks.rect(&number);
            let refused = || {
                let target = Target::<R, L>::new(DynExtents::<MAX_RANK>::new(widened(&rect.extents(), 1))?)?;
                let chunk = View::from_bytes(in_chunk::<R>(widened(&arrays.chunks.side, 1))?, &*bytes)?;
                check_refused(target, &slice!(chunk.slice, within(&rect, &rect)))
            };
            refused().map_err(|error| arrays.error(&number, error))
        })
    }

    fn read(&self, rt: &Runtime, arrays: &Arc<StoreArrays>) -> Result<(), ZarrError> {
        let arrays = arrays.clone();
        let each = rt.task("checkpoint: read").args((write(self),)).map(move |task, (mut tile,)| {
            let rect = task.rect(0);
            let mut bytes = vec![0; if rect.is_empty() { 0 } else { arrays.arrays.chunk_bytes() }];
            for number in arrays.chunks.around(&rect).points() {
                let chunk = arrays.chunks.rect(&number);
                let shared = rect.intersection(&chunk);
                if shared.is_empty() {
                    continue;
                }
                if let Err(error) = arrays.read(&number, &mut bytes) {
                    return Ok(Some(error));
                }
                let mapping: InChunk<R> = in_chunk(widened(&arrays.chunks.side, 1))?;
                let view = match View::from_bytes(mapping, &*bytes) {
                    Ok(view) => view,
                    Err(error) => {
                        return Ok(Some(arrays.error(&number, error)));
                    }
                };
                let (to, from) = (within(&shared, &rect), within(&shared, &chunk));
                if to.iter().chain(&from).all(|(_, by)| *by == 1) {
                    slice!(tile.slice_mut, to).copy_from(&slice!(view.slice, from))?;
                } else {
                    slice!(tile.slice_mut by steps, to).copy_from(&slice!(view.slice by steps, from))?;
                }
            }
            Ok(None)
        })?;
        first(each.get()?)
    }
}

/// Writes a chunk; the records are the elements of `rect`, a box around the chunk.
fn write_records<R: Record>(arrays: &StoreArrays, number: &Point, records: &[R], rect: &Rect) -> Result<(), ZarrError> {
    let wrote = || -> Result<_, TaskBodyError> {
        let extents = DynExtents::<MAX_RANK>::new(widened(&rect.extents(), 1))?;
        let mapping: Mapped<R, _, AoS<Aligned, Native>> = Mapped::new(extents)?;
        let source = View::from_records(mapping, records)?;
        Ok(write_chunk!(R, arrays, number, source of *rect))
    };
    wrote().map_err(|error| ZarrError::Io { path: arrays.named(number), why: error.to_string() })?
}

/// The elements of a store in a box, and the box: larger along a dimension that cannot be sliced, an inner one of a delinearized view.
fn part_of<R: Record, L>(store: &Store<R, DynRank, L>, rect: &Rect) -> Result<(Store<R, DynRank, L>, Rect), StoreError>
where
    L: RecordLayout<R> + Default,
{
    let (mut part, mut lo, mut hi) = (store.clone(), rect.lo(), rect.hi());
    for dim in 0..rect.rank() {
        match part.slice(dim, lo[dim], hi[dim]) {
            Ok(sliced) => part = sliced,
            Err(StoreError::Transform(TransformError::NonInvertible { .. })) => {
                (lo[dim], hi[dim]) = (0, store.extents()[dim]);
            }
            Err(error) => return Err(error),
        }
    }
    Ok((part, Rect::new(lo, hi)))
}

/// A box as it travels: along each dimension, where it starts, where it ends, and its step.
type Parts = Vec<(i64, i64, i64)>;

fn parts_of(rect: &Rect) -> Parts {
    (0..rect.rank()).map(|dim| (rect.lo()[dim], rect.hi()[dim], rect.steps()[dim])).collect()
}

fn rect_of(parts: &Parts) -> Rect {
    let [lo, hi] =
        [|part: &(i64, i64, i64)| part.0, |part: &(i64, i64, i64)| part.1].map(|end| parts.iter().map(end).collect());
    let steps = parts.iter().enumerate().filter(|(_, part)| part.2 > 1);
    steps.fold(Rect::new(lo, hi), |rect, (dim, part)| rect.step(dim, part.2))
}

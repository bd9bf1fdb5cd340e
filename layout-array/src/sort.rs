//! Sorting by samples.
//!
//! ```text
//! sort       each tile sorts its own elements, and gives some of them, at equal distances: the samples
//! split      every locale sorts all samples, and takes as many of them as there are tiles, but for one: the splitters
//! exchange   each tile sends the elements between two splitters to one tile, which merges the elements it receives
//! place      all elements are assigned to their places
//! ```
//! Equal elements are told apart by the numbers of their tiles and by their places in the tiles. So equal elements do not all go to one
//! tile, and they stay in order.

use core::cmp::Ordering;

use layout_core::{Portable, Record, RecordLayout};
use layout_domain::Index;
use layout_store::{Constraint, Dim, Rule, Store, Unbound, emit, emitted, read, send};

use crate::loops::copy;
use crate::ordered::ordered;
use crate::{Array, ArrayError};

/// The largest number of samples that a tile gives.
const SAMPLES: usize = 256;

/// The distribution of elements over tiles when an array was [sorted](Array::sort_by).
#[derive(Clone, Debug, PartialEq)]
pub struct SortReport<R> {
    /// The elements at which the sorted elements were split between tiles, in order: one fewer than tiles.
    pub splitters: Vec<R>,
    /// The number of elements that each tile received and merged.
    pub shares: Vec<u64>,
}

/// A splitter: an element, the number of its tile, and its place among the sorted elements of that tile.
type Sample<R> = (R, u64, u64);

impl<R: Record + Portable + Send + Sync + 'static, L: RecordLayout<R> + Default, I: Index> Array<R, 1, L, I> {
    /// Sorts the elements by a comparison, which must be a total order, in the order of the domain. Equal elements stay in order. Waits for
    /// the elements; the report says how they were distributed.
    ///
    /// Each element is sent at most twice: to the locale that merges it, and from there to its owner. If tiles do not lie one after
    /// another, as in a cyclic distribution, it is sent once more before that. There is one message for each pair of locales and tile. In
    /// addition, each tile sends up to 256 samples to every locale. If tiles have about equal numbers of elements, a tile merges at
    /// most `n / tiles + n / samples` elements of `n`; `samples` is the number of tiles, and at most 256. Memory holds three times the
    /// elements, spread over the locales.
    ///
    /// The result is the same for any distribution and number of locales.
    ///
    /// # Errors
    ///
    /// Returns an error if elements are unwritten, or a task failed that was to write some of them.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::array::Array;
    /// use layout::domain::{Block, Domain, Targets};
    /// use layout::store::Runtime;
    ///
    /// let rt = Runtime::new()?;
    /// let line = Domain::from(1..=4);
    /// let map = Block::over(&line, Targets::all(1)?)?;
    /// let a: Array<f64, 1> = Array::from_values(&rt, &line, map, &[2.5, -1.0, 7.0, 0.0])?;
    /// a.sort_by(f64::total_cmp)?;
    /// assert_eq!(a.to_vec()?, [-1.0, 0.0, 2.5, 7.0]);
    /// # Ok::<(), layout::array::ArrayError>(())
    /// ```
    pub fn sort_by(
        &self,
        compare: impl Fn(&R, &R) -> Ordering + Clone + Send + Sync + 'static,
    ) -> Result<SortReport<R>, ArrayError> {
        if self.domain.is_empty() {
            return Ok(SortReport { splitters: Vec::new(), shares: Vec::new() });
        }
        let rt = self.runtime();
        let work = ordered(&rt, (&self.store, &self.tiles), None)?;
        if work.tiles != self.tiles {
            copy((&work.store, &work.tiles), &self.store)?;
        }
        let sorted: Unbound<R> = rt.unbound();
        let samples = {
            let (compare, most) = (compare.clone(), work.cuts.count().min(SAMPLES));
            let lead = work.tiles.iter().map(|tiling| Constraint::Cut { argument: 0, tiling: tiling.clone() });
            let lead = lead.map(Rule::from).collect::<Vec<_>>();
            let task = rt.task("sort tiles").args((read(&work.store), emit(&sorted))).constrain(|_| lead);
            task.map(move |_, (tile, mut to)| {
                let mut own: Vec<R> = (0..tile.len()).map(|at| tile.load(at)).collect();
                own.sort_by(&compare);
                let places = (0..most.min(own.len())).map(|number| number * own.len() / most.min(own.len()));
                let samples = places.map(|place| (own[place], place as u64)).collect::<Vec<_>>();
                to.extend(own);
                Ok(samples)
            })?
        };
        let splitters = splitters(samples.get()?, &compare);
        let sent: Unbound<R> = rt.unbound();
        let (known, by) = (splitters.clone(), compare.clone());
        rt.task("sort exchange").args((emitted(&sorted), send(&sent))).launch(move |task, (own, mut to)| {
            let (tile, count) = (number(task.point()[0]), own.len());
            let mut start = 0;
            for (share, splitter) in (0..).zip(known.iter().map(Some).chain([None])) {
                let before = |place: usize| {
                    splitter.is_none_or(|splitter| order((&own.load(place), tile, place as u64), splitter, &by).is_lt())
                };
                let end = splitter.map_or(count, |_| partition_point(start..count, before));
                (start..end).try_for_each(|place| to.push([share], own.load(place)))?;
                start = end;
            }
            Ok(())
        })?;
        let merged: Unbound<R> = rt.unbound();
        let shares = rt.task("sort merge").args((emitted(&sent), emit(&merged))).map(move |_, (own, mut to)| {
            // Sorted runs in the order of tiles: the sort of the standard library finds and merges them.
            let mut own: Vec<R> = (0..own.len()).map(|at| own.load(at)).collect();
            own.sort_by(&compare);
            let count = own.len() as u64;
            to.extend(own);
            Ok(count)
        })?;
        let all: Store<R, Dim<1>> = merged.store()?;
        copy((&self.store, &self.tiles), &all)?;
        let splitters = splitters.into_iter().map(|(splitter, _, _)| splitter).collect();
        Ok(SortReport { splitters, shares: shares.get()? })
    }

    /// Sorts the elements by a key, as [`sort_by`](Self::sort_by) does.
    ///
    /// # Errors
    ///
    /// The errors of [`sort_by`](Self::sort_by).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::Record;
    /// use layout::array::Array;
    /// use layout::domain::{Cyclic, Domain, Targets};
    /// use layout::store::Runtime;
    ///
    /// #[derive(Clone, Copy, Debug, PartialEq, Record)]
    /// struct Word {
    ///     length: u32,
    ///     place: i64,
    /// }
    ///
    /// let rt = Runtime::new()?;
    /// let map = Cyclic::new([0], Targets::all(1)?);
    /// let words: Array<Word, 1> =
    ///     Array::from_fn(&rt, &Domain::from(0..6), map, |[place]| Word { length: [3, 1][place as usize % 2], place })?;
    /// words.sort_by_key(|word| word.length)?;
    /// let places: Vec<i64> = words.to_vec()?.iter().map(|word| word.place).collect();
    /// assert_eq!(places, [1, 3, 5, 0, 2, 4]); // words of one length stay in order
    /// # Ok::<(), layout::array::ArrayError>(())
    /// ```
    pub fn sort_by_key<K: Ord>(
        &self,
        key: impl Fn(&R) -> K + Clone + Send + Sync + 'static,
    ) -> Result<SortReport<R>, ArrayError> {
        self.sort_by(move |one, other| key(one).cmp(&key(other)))
    }
}

/// The splitters, one fewer than tiles: samples at equal distances among the sorted samples of all tiles.
fn splitters<R: Clone>(samples: Vec<Vec<(R, u64)>>, compare: &impl Fn(&R, &R) -> Ordering) -> Vec<Sample<R>> {
    let tiles = samples.len();
    let tile =
        |(tile, samples): (u64, Vec<(R, u64)>)| samples.into_iter().map(move |(value, place)| (value, tile, place));
    let mut all: Vec<Sample<R>> = (0..).zip(samples).flat_map(tile).collect();
    all.sort_by(|one, other| order((&one.0, one.1, one.2), other, compare));
    (1..tiles).filter_map(|number| all.get(number * all.len() / tiles).cloned()).collect()
}

/// The order of elements; equal elements are ordered by tiles, and by places in the tiles.
fn order<R>((one, tile, place): (&R, u64, u64), other: &Sample<R>, compare: &impl Fn(&R, &R) -> Ordering) -> Ordering {
    compare(one, &other.0).then((tile, place).cmp(&(other.1, other.2)))
}

/// The first place of a range for which `before` returns `false`. It must return `true` for all places before that one and `false` after.
fn partition_point(places: core::ops::Range<usize>, before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (places.start, places.end);
    while low < high {
        let middle = low + (high - low) / 2;
        if before(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

fn number(coordinate: i64) -> u64 {
    u64::try_from(coordinate).unwrap_or(0)
}

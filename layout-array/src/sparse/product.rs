//! Sparse arrays with dense ones: products with a vector, and the elements of a dense array at sparse indices.
//!
//! ```text
//! inspect      once for the indices: the position of the column of each element, in a store beside the elements
//! bring        the elements of the vector that the columns of a locale name: an image, known from the second product on
//! multiply     each task its rows; each contributes one value a row
//! combine      the owners of the result add the contributions of the locales that have a part of a row
//! ```

use core::ops::Mul;
use std::sync::Arc;

use layout_core::{IndexArray, Leaf, Record, RecordLayout};
use layout_domain::{Domain, Index};
use layout_store::{
    Constraint, Dim, ImageHint, OwnMap, PointsTo, Rect, Reduction, Rule, Runtime, Store, StoreRank, Sum, TileMap,
    align, image, read, write,
};

use super::SparseArray;
use super::indices::{Indices, TileRows, length, position};
use crate::elements::Operand;
use crate::{Array, ArrayError};

/// The data that a product needs of the indices, by position in the parent.
pub(super) struct Columns {
    numbers: Numbers,
    /// The position of each of this locale's rows.
    rows: Arc<[i64]>,
    /// A map from a tile of elements to its rows.
    tile_rows: TileMap,
}

/// The column of each element, in a store beside the elements. A product reads all of them, and they take no more bytes than they have to.
enum Numbers {
    Narrow(Store<u32, Dim<1>>),
    Wide(Store<i64, Dim<1>>),
}

/// Columns are narrow if there are at most this many. Unit tests have wide ones too.
const MOST_NARROW: i64 = if cfg!(test) { 100 } else { 1 << 32 };

impl<I: Index> Indices<2, I> {
    fn columns(self: &Arc<Self>, rt: &Runtime) -> Result<&Columns, ArrayError> {
        if let Some(columns) = self.columns.get() {
            return Ok(columns);
        }
        let of = |indices: &Self, at: usize| position(indices.parent(), indices.own.as_slice()[at]);
        let column = move |indices: &Self, at: usize| of(indices, at)[1];
        let numbers = if i64::try_from(self.parent().dims()[1].len()).is_ok_and(|columns| columns <= MOST_NARROW) {
            let narrow = move |indices: &Self, at: usize| u32::try_from(column(indices, at)).unwrap_or(u32::MAX);
            Numbers::Narrow(self.store_of(rt, narrow)?)
        } else {
            Numbers::Wide(self.store_of(rt, column)?)
        };
        let starts = &self.rows[..self.rows.len() - 1];
        let rows = starts.iter().map(|start| of(self, *start)[0]).collect();
        let tiles = self.tile_rows.clone();
        let tile_rows = TileMap::Own(OwnMap::new(move |tile| rows_of(&tiles, tile)));
        Ok(self.columns.get_or_init(|| Columns { numbers, rows, tile_rows }))
    }
}

/// The rows of a tile of elements.
fn rows_of(tiles: &[(i64, TileRows)], tile: &Rect) -> Rect {
    let number = tiles.partition_point(|(start, _)| *start < tile.lo()[0]);
    let Some((_, (_, lo, hi, step))) = tiles.get(number).filter(|(start, _)| *start == tile.lo()[0]) else {
        return Rect::new([0].into(), [0].into());
    };
    let rows = Rect::new([*lo].into(), [*hi].into());
    if *step > 1 { rows.step(0, *step) } else { rows }
}

impl<R: Record, L: RecordLayout<R> + Default, I: Index> SparseArray<R, 2, L, I> {
    /// Sets `y` to the product of this matrix with the vector `x`; returns at once. See [`multiply_by`](Self::multiply_by).
    ///
    /// # Errors
    ///
    /// The errors of [`multiply_by`](Self::multiply_by).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::array::{Array, ArrayError, SparseArray};
    /// use layout::domain::{Block, Domain, Targets};
    /// use layout::store::Runtime;
    ///
    /// let products = Runtime::builder().locales(3).threads(1).whole_below(0).min_chunk(1).simulate(|rt| {
    ///     let line = Domain::from(0..9_i64);
    ///     let matrix = Domain::new([line.dims()[0], line.dims()[0]]);
    ///     let rows = Block::over(&matrix, Targets::grid([3, 1], [0, 1, 2])?)?;
    ///     let block = Block::over(&line, Targets::all(3)?)?;
    ///     // Each locale gives two of the entries of its rows: the next element, minus this one.
    ///     let own = block_of(rt.locale()).flat_map(|i| [([i, i], -1.0), ([i, (i + 1) % 9], 1.0)]);
    ///     let next: SparseArray<f64, 2> = SparseArray::from_entries(rt, &matrix, rows, 0.0, own, |a, b| a + b)?;
    ///     let x: Array<f64, 1> = Array::from_fn(rt, &line, block.clone(), |[i]| (i * i) as f64)?;
    ///     let y: Array<f64, 1> = Array::new(rt, &line, block)?;
    ///     next.multiply(&x, &y)?;
    ///     rt.fence()?;
    ///     let before = rt.traffic();
    ///     next.multiply(&x, &y)?; // of each locale one element goes to the one before it; it stays until `x` is written
    ///     rt.fence()?;
    ///     assert_eq!(rt.traffic().bytes - before.bytes, 0);
    ///     y.to_vec()
    /// })?;
    /// # fn block_of(locale: usize) -> core::ops::Range<i64> { 3 * locale as i64..3 * locale as i64 + 3 }
    /// for product in products {
    ///     assert_eq!(product?, [1.0, 3.0, 5.0, 7.0, 9.0, 11.0, 13.0, 15.0, -64.0]);
    /// }
    /// # Ok::<(), ArrayError>(())
    /// ```
    pub fn multiply<K, M>(&self, x: &Array<R, 1, K, I>, y: &Array<R, 1, M, I>) -> Result<(), ArrayError>
    where
        R: Mul<Output = R>,
        Sum: Reduction<R>,
        K: RecordLayout<R> + Default,
        M: RecordLayout<R> + Default,
    {
        self.multiply_by(x, y, Sum, |a, x| a * x)
    }

    /// Adds the product of this matrix with the vector `x` to `y`; returns at once. See [`multiply_onto_by`](Self::multiply_onto_by).
    ///
    /// # Errors
    ///
    /// The errors of [`multiply_onto_by`](Self::multiply_onto_by).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::array::{Array, ArrayError, SparseArray};
    /// use layout::domain::{Block, Domain, Targets};
    /// use layout::store::Runtime;
    ///
    /// let rt = Runtime::new()?;
    /// let line = Domain::from(0..4_i64);
    /// let matrix = Domain::new([line.dims()[0], line.dims()[0]]);
    /// let rows = Block::over(&matrix, Targets::all(1)?)?;
    /// let twice = (0..4).map(|i| ([i, i], 2.0));
    /// let twice: SparseArray<f64, 2> = SparseArray::from_entries(&rt, &matrix, rows, 0.0, twice, |a, b| a + b)?;
    /// let block = Block::over(&line, Targets::all(1)?)?;
    /// let x: Array<f64, 1> = Array::from_fn(&rt, &line, block.clone(), |[i]| i as f64)?;
    /// let y: Array<f64, 1> = Array::filled(&rt, &line, block, 100.0)?;
    /// twice.multiply_onto(&x, &y)?;
    /// assert_eq!(y.to_vec()?, [100.0, 102.0, 104.0, 106.0]);
    /// # Ok::<(), ArrayError>(())
    /// ```
    pub fn multiply_onto<K, M>(&self, x: &Array<R, 1, K, I>, y: &Array<R, 1, M, I>) -> Result<(), ArrayError>
    where
        R: Mul<Output = R>,
        Sum: Reduction<R>,
        K: RecordLayout<R> + Default,
        M: RecordLayout<R> + Default,
    {
        self.multiply_onto_by(x, y, Sum, |a, x| a * x)
    }

    /// Sets each element of `y` to the reduction by `op` of `f(a, x)` over the elements `a` of its row and the elements `x` of their
    /// columns, or to the identity of `op` if the row has no elements; returns at once. Elements of a row are combined from the first to
    /// the last one. If a row lies on several locales, its parts are combined in the order of locales.
    ///
    /// Rows and columns are matched to `y` and `x` by position, whatever their indices and distributions are. The first product makes a list of
    /// columns beside the elements, of four bytes each (eight if there are more than 2^32), and finds the elements of `x` that each locale
    /// needs. If `x` was written in another way since the last product, locales agree again, by a short message for each doubling of their
    /// number. Each locale receives the elements that it lacks or that were written since, once each, in one message from each locale that has
    /// some of them; if they are many and dense, with the elements between them. In memory, `x` takes the range from the first to the last of
    /// these elements. Each locale sends one value for each row of its range of rows to the owner of that element of `y`, or none if it is the
    /// owner. If the layout of `y` does not store every value, as bit-packed layouts do not, the product is computed in memory of its own; each
    /// result has to fit, and the identity for rows without elements.
    ///
    /// # Errors
    ///
    /// Returns an error if the parent has another number of rows than `y` has elements, or of columns than `x`, if `x` and `y` have
    /// elements in common, or if elements of `x` are unwritten.
    pub fn multiply_by<S, T, K, M, O>(
        &self,
        x: &Array<S, 1, K, I>,
        y: &Array<T, 1, M, I>,
        op: O,
        f: impl Fn(R, S) -> T + Send + Sync + 'static,
    ) -> Result<(), ArrayError>
    where
        S: Record,
        T: Record,
        K: RecordLayout<S> + Default,
        M: RecordLayout<T> + Default,
        O: Reduction<T>,
    {
        let operands = self.check_product(x, y)?;
        if !Array::<T, 1, M, I>::KEEPS_VALUES {
            // The identity need not fit the layout of `y`, where a row has elements.
            return y.by_soa(|aside| self.multiply_by(x, aside, op, f));
        }
        y.as_a_whole(operands, |y| {
            if self.indices.tiling.is_some() {
                self.indices.columns(&self.runtime())?;
            }
            y.fill(op.identity())?;
            self.multiply_onto_by(x, y, op, f)
        })
    }

    /// Reduces the elements of each row, as [`multiply_by`](Self::multiply_by) does, onto the element of `y`; returns at once.
    ///
    /// # Errors
    ///
    /// The errors of [`multiply_by`](Self::multiply_by), and an error if the matrix has elements and elements of `y` are unwritten.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::array::{Array, ArrayError, SparseArray};
    /// use layout::domain::{Block, Domain, Targets};
    /// use layout::store::{Min, Runtime};
    ///
    /// // The lengths of roads between places, and the shortest ways from the first place, which one more road may make shorter.
    /// let rt = Runtime::new()?;
    /// let line = Domain::from(0..3_i64);
    /// let places = Domain::new([line.dims()[0], line.dims()[0]]);
    /// let rows = Block::over(&places, Targets::all(1)?)?;
    /// let roads = [([1, 0], 4), ([2, 0], 9), ([2, 1], 3)];
    /// let roads: SparseArray<u32, 2> = SparseArray::from_entries(&rt, &places, rows, 0, roads, |a, _| a)?;
    /// let block = Block::over(&line, Targets::all(1)?)?;
    /// let ways: Array<u32, 1> = Array::from_fn(&rt, &line, block.clone(), |[i]| [0, 4, 9][i as usize])?;
    /// let next: Array<u32, 1> = Array::from_fn(&rt, &line, block, |[i]| [0, 4, 9][i as usize])?;
    /// roads.multiply_onto_by(&ways, &next, Min, |road, way| way + road)?;
    /// assert_eq!(next.to_vec()?, [0, 4, 7]);
    /// # Ok::<(), ArrayError>(())
    /// ```
    pub fn multiply_onto_by<S, T, K, M, O>(
        &self,
        x: &Array<S, 1, K, I>,
        y: &Array<T, 1, M, I>,
        op: O,
        f: impl Fn(R, S) -> T + Send + Sync + 'static,
    ) -> Result<(), ArrayError>
    where
        S: Record,
        T: Record,
        K: RecordLayout<S> + Default,
        M: RecordLayout<T> + Default,
        O: Reduction<T>,
    {
        self.check_product(x, y)?;
        if self.indices.tiling.is_none() {
            return Ok(());
        }
        match &self.indices.columns(&self.runtime())?.numbers {
            Numbers::Narrow(columns) => self.multiply_columns(columns, x, y, op, f),
            Numbers::Wide(columns) => self.multiply_columns(columns, x, y, op, f),
        }
    }

    /// [`multiply_onto_by`](Self::multiply_onto_by), with the column of each element.
    fn multiply_columns<S, T, K, M, O, C>(
        &self,
        columns: &Store<C, Dim<1>>,
        x: &Array<S, 1, K, I>,
        y: &Array<T, 1, M, I>,
        op: O,
        f: impl Fn(R, S) -> T + Send + Sync + 'static,
    ) -> Result<(), ArrayError>
    where
        S: Record,
        T: Record,
        K: RecordLayout<S> + Default,
        M: RecordLayout<T> + Default,
        O: Reduction<T>,
        C: Leaf + PointsTo<Dim<1>> + Into<i64>,
    {
        let Some(tiling) = &self.indices.tiling else { return Ok(()) };
        let rt = self.runtime();
        let Columns { rows, tile_rows, .. } = self.indices.columns(&rt)?;
        let rules = [
            Constraint::Cut { argument: 0, tiling: tiling.clone() },
            Constraint::Follow { source: 0, follower: 3, map: tile_rows.clone() },
        ];
        let (indices, rows) = (self.indices.clone(), rows.clone());
        rt.task("multiply")
            .args((read(self.store()), read(columns), read(x.store()), y.reduced(op.clone())))
            .constrain(|(values, columns, x, _)| {
                let given = [align(values, columns), image(columns, x, ImageHint::Precise)];
                given.into_iter().chain(rules.map(Rule::from))
            })
            .launch(move |task, (values, columns, x, mut y)| {
                let (own, of) = (indices.rows_in(&indices.in_tile(&task.rect(0))), task.rect(3));
                let (first, step, shift) = (of.lo()[0], of.steps()[0], task.rect(2).lo()[0]);
                let positions = &rows[own.clone()];
                let is_full = of.volume() == length(own.clone());
                let place_of = |number: usize| {
                    if is_full {
                        return number;
                    }
                    let at = positions[number] - first;
                    // A division would take as long as several elements.
                    place(if step == 1 { at } else { at / step })
                };
                let starts = &indices.rows[own.start..=own.end];
                let rows = starts.windows(2).map(|row| row[0] - starts[0]..row[1] - starts[0]).enumerate();
                let mut y = y.contributions().as_mut();
                let mut set = |number: usize, product: T| {
                    let at = place_of(number);
                    y.set(at, op.combine(y.load(at), product));
                };
                // This tells the compiler that neighbors are side by side. For each element, only its position in `x` is checked.
                match (values.into_unit_stride(), columns.into_slice(), x.into_unit_stride()) {
                    (Some(values), Some(columns), Some(x)) => rows.for_each(|(number, row)| {
                        let (values, columns) = (values.slice((row.clone(),)), &columns[row]);
                        let product = |k: usize| f(values.load(k), x.load(place(columns[k].into() - shift)));
                        set(number, (0..columns.len()).fold(op.identity(), |sum, k| op.combine(sum, product(k))));
                    }),
                    _ => rows.for_each(|(number, row)| {
                        let product = |k: usize| f(values.load(k), x.load(place(columns.get(k).into() - shift)));
                        set(number, row.fold(op.identity(), |sum, k| op.combine(sum, product(k))));
                    }),
                }
            })?;
        Ok(())
    }

    /// Checks that vectors fit the rows and columns, and that a product with `x` can be written to `y`; returns the arrays that it reads.
    fn check_product<S, T, K, M>(
        &self,
        x: &Array<S, 1, K, I>,
        y: &Array<T, 1, M, I>,
    ) -> Result<[Operand; 2], ArrayError> {
        let [rows, columns] = *self.parent().dims();
        Domain::new([rows]).same_shape(y.domain())?;
        Domain::new([columns]).same_shape(x.domain())?;
        Ok([y.operand(("multiply", 0), &self.elements)?, y.operand(("multiply", 2), x)?])
    }
}

/// A position in a view. The view has all positions that a task names, so none is negative.
#[inline]
fn place(at: i64) -> usize {
    usize::try_from(at.cast_unsigned()).unwrap_or(usize::MAX)
}

impl<R: Record, const N: usize, L: RecordLayout<R> + Default, I: Index> SparseArray<R, N, L, I>
where
    Dim<N>: StoreRank,
    [i64; N]: PointsTo<Dim<N>>,
{
    /// The elements of a dense array at the indices of this array, as a sparse array that shares the indices; returns at once. A loop over
    /// this array can be zipped with the result. Absent indices of the result read as `absent`.
    ///
    /// Elements are matched by position in the parent, whatever the indices and the distribution of the dense array are. If the dense array
    /// has the distribution of the parent, no element is sent. Otherwise each locale receives only the elements that it lacks, in one
    /// message from each locale that has some of them. The first call makes a list of positions beside the elements, of `8 * N` bytes each.
    /// If the dense array was written in another way since the last call, locales agree again, by a short message for each doubling of
    /// their number.
    ///
    /// # Errors
    ///
    /// Returns an error if the dense array has another number of indices along a dimension than the parent, or elements of it are
    /// unwritten, and [`ArrayError::SharedBytes`] on several locales if elements of the dense array share bytes.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::array::{Array, SparseArray};
    /// use layout::domain::{Block, Domain, SparseDomain, Targets};
    /// use layout::store::Runtime;
    ///
    /// let rt = Runtime::new()?;
    /// let grid = Domain::new([1..=4, 1..=9]);
    /// let map = Block::over(&grid, Targets::all(1)?)?;
    /// let dense: Array<i64, 2> = Array::from_fn(&rt, &grid, map.clone(), |[i, j]| 10 * i + j)?;
    /// let mut few = SparseDomain::new(&grid);
    /// few.insert([[4, 2], [1, 5]])?;
    /// let a: SparseArray<i64, 2> = SparseArray::new(&rt, &few, map, 1)?;
    /// a.update().zip(a.sample(&dense, 0)?.read()).for_each(|_, (mut a, dense)| {
    ///     for k in 0..a.len() {
    ///         a.set(k, a.get(k) + dense.get(k));
    ///     }
    /// })?;
    /// assert_eq!(a.to_vec()?, [([1, 5], 16), ([4, 2], 43)]);
    /// # Ok::<(), layout::array::ArrayError>(())
    /// ```
    pub fn sample<S, K>(&self, dense: &Array<S, N, K, I>, absent: S) -> Result<SparseArray<S, N, K, I>, ArrayError>
    where
        S: Record,
        K: RecordLayout<S> + Default,
    {
        self.parent().same_shape(dense.domain())?;
        let rt = self.runtime();
        let sampled = SparseArray::unwritten(&rt, self.indices.clone(), absent)?;
        let Some(tiling) = &self.indices.tiling else { return Ok(sampled) };
        let cut = Constraint::Cut { argument: 0, tiling: tiling.clone() };
        rt.task("sample")
            .args((write(sampled.store()), read(self.indices.places(&rt)?), read(dense.store())))
            .constrain(|(to, places, dense)| [cut.into(), align(to, places), image(places, dense, ImageHint::Precise)])
            .launch(|task, (mut to, places, dense)| {
                let (lo, steps) = (task.rect(2).lo(), task.rect(2).steps());
                for k in 0..to.len() {
                    let mut at = <Dim<N> as StoreRank>::Array::ZERO;
                    for (dim, from) in places.load(k).into_iter().enumerate() {
                        at.as_mut()[dim] = place((from - lo[dim]) / steps[dim].max(1));
                    }
                    to.set(k, dense.load(at));
                }
            })?;
        Ok(sampled)
    }
}

#[cfg(test)]
mod tests {
    use layout_domain::{Block, Domain, Targets};
    use layout_store::Runtime;

    use super::MOST_NARROW;
    use crate::{Array, ArrayError, SparseArray};

    #[test]
    fn wide_columns_have_the_products_of_narrow_ones() {
        let products = |columns: i64| {
            let all = Runtime::builder().locales(2).threads(1).whole_below(0).min_chunk(1).simulate(|rt| {
                let (matrix, line) = (Domain::new([0..7, 0..columns]), Domain::from(0..columns));
                let (rows, block) = (Block::over(&matrix, Targets::grid([2, 1], [0, 1])?)?, Targets::all(2)?);
                // Row 4 has no elements.
                let own = (0..7).filter(|row| row % 2 == rt.locale() as i64 && *row != 4);
                let own = own.flat_map(|row| [([row, row], row + 1), ([row, columns - 1 - row], 10)]);
                let matrix: SparseArray<i64, 2> = SparseArray::from_entries(rt, &matrix, rows, 0, own, |a, b| a + b)?;
                let x = Array::<i64, 1>::from_fn(rt, &line, Block::over(&line, block.clone())?, |[i]| i)?;
                let seven = Domain::from(0..7);
                let y = Array::<i64, 1>::new(rt, &seven, Block::over(&seven, block)?)?;
                matrix.multiply(&x, &y)?;
                y.to_vec()
            });
            all.unwrap().into_iter().collect::<Result<Vec<_>, ArrayError>>().unwrap()
        };
        for columns in [MOST_NARROW, MOST_NARROW + 1] {
            let row = |row: i64| if row == 4 { 0 } else { row * (row + 1) + 10 * (columns - 1 - row) };
            assert_eq!(products(columns), vec![(0..7).map(row).collect::<Vec<_>>(); 2]);
        }
    }
}

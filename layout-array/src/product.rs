//! Products of matrices and vectors.
//!
//! ```text
//! panel     some columns of the left matrix, and as many rows of the right one
//! step      each tile of the product adds the product of its rows of the left panel and its columns of the right one
//! ```
//!
//! This is SUMMA, for tiles of any distribution: each locale receives the part of a panel that its tiles need, from the locales that have
//! it. `ndarray` multiplies the tiles; its kernels for `f32` and `f64` are those of the crate `matrixmultiply`.

use std::borrow::Cow;

use layout_core::{Leaf, Linearization, Mapping, Number, RecordLayout};
use layout_domain::{Domain, Index, StridedRange};
use layout_store::{
    Constraint, Dim, Reduction, Rule, Runtime, Store, Sum, Tile, TileMap, TileMut, read, update, write,
};
use ndarray::linalg::{general_mat_mul, general_mat_vec_mul};
use ndarray::{ArrayView1, ArrayView2, ArrayViewMut2, LinalgScalar, ShapeBuilder};

use crate::loops::copy;
use crate::{Array, ArrayError};

/// The number of columns of the left matrix that one step sends to other locales.
const PANEL: i64 = 256;

/// An element type of matrices that can be multiplied: `f32`, `f64`, and integers, whose products and sums must not overflow.
///
/// Other crates cannot implement it, since they cannot implement [`Number`].
pub trait MatrixElement: Number + LinalgScalar {}

macro_rules! matrix_elements {
    ($($number:ty)*) => {$(
        impl MatrixElement for $number {}
    )*};
}

matrix_elements! { f32 f64 i8 i16 i32 i64 isize u8 u16 u32 u64 usize }

impl<R: MatrixElement, L: RecordLayout<R> + Default, I: Index> Array<R, 2, L, I>
where
    Sum: Reduction<R>,
{
    /// Sets this matrix to the product of two others; returns at once.
    ///
    /// Matrices may have any distributions and layouts, and be [transposed](Array::transpose). A tile that is contiguous in memory, row by
    /// row or column by column, is multiplied in place; any other tile is copied first. Each tile of this matrix is computed on its own
    /// locale, by one thread; more threads need more tiles.
    ///
    /// On several locales, steps of 256 columns of `a` and 256 rows of `b` are copied and sent. A locale receives the rows of `a` and the
    /// columns of `b` that its tiles need and that it lacks, once for each row or column of its tiles. Each step takes one message from
    /// each other locale, and memory while the step runs. With square blocks on `p` locales, each locale receives about
    /// `2 n² / sqrt(p)` elements, as in SUMMA. The order of sums depends on the number of locales, and not on threads. If the layout of this
    /// matrix does not store every value, as bit-packed layouts do not, several steps compute the product in memory of its own.
    ///
    /// # Errors
    ///
    /// [`ArrayError::Product`] if shapes do not fit. Returns an error, too, if this matrix shows elements of `a` or `b`, or elements of
    /// those are unwritten.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::array::Array;
    /// use layout::domain::{Block, Domain, Targets};
    /// use layout::store::Runtime;
    ///
    /// let rt = Runtime::new()?;
    /// let square = Domain::new([1..=2, 1..=2]);
    /// let map = Block::over(&square, Targets::all(1)?)?;
    /// let a: Array<f64, 2> = Array::from_values(&rt, &square, map.clone(), &[1.0, 2.0, 3.0, 4.0])?;
    /// let c: Array<f64, 2> = Array::new(&rt, &square, map)?;
    /// c.matmul_from(&a, &a.transpose([1, 0])?)?;
    /// assert_eq!(c.to_vec()?, [5.0, 11.0, 11.0, 25.0]);
    /// # Ok::<(), layout::array::ArrayError>(())
    /// ```
    pub fn matmul_from<K, J, M, H>(&self, a: &Array<R, 2, K, J>, b: &Array<R, 2, M, H>) -> Result<(), ArrayError>
    where
        K: RecordLayout<R> + Default,
        J: Index,
        M: RecordLayout<R> + Default,
        H: Index,
    {
        let ([rows, inner], [also, columns]) = (a.domain.shape(), b.domain.shape());
        if inner != also || self.domain.shape() != [rows, columns] {
            return Err(misfit((&a.domain, &b.domain), &self.domain));
        }
        let operands = [self.operand(("matmul_from", 1), a)?, self.operand(("matmul_from", 2), b)?];
        if self.domain.is_empty() {
            return Ok(());
        }
        let inner = i64::try_from(inner).unwrap_or(i64::MAX);
        if inner == 0 {
            return self.fill(R::default());
        }
        let rt = self.runtime();
        let width = if rt.locales() == 1 { inner } else { PANEL };
        if !Self::KEEPS_VALUES && width < inner {
            // Sums of some panels need not fit the layout.
            return self.by_soa(|aside| aside.matmul_from(a, b));
        }
        self.as_a_whole(operands, |to| {
            for start in (0..inner).step_by(usize::try_from(width).unwrap_or(1)) {
                let end = inner.min(start + width);
                let (left, right) = (panel(&rt, a, 1, (start, end))?, panel(&rt, b, 0, (start, end))?);
                to.add_product(&rt, (&left, &right), start > 0)?;
            }
            Ok(())
        })
    }

    /// One step: sets the matrix to the product of two panels, or adds the product to it.
    fn add_product<K, M>(
        &self,
        rt: &Runtime,
        (left, right): (&Store<R, Dim<2>, K>, &Store<R, Dim<2>, M>),
        add: bool,
    ) -> Result<(), ArrayError>
    where
        K: RecordLayout<R> + Default,
        M: RecordLayout<R> + Default,
    {
        let lead = self.tiles.iter().map(|tiling| Constraint::Cut { argument: 0, tiling: tiling.clone() });
        let along = |follower, dim| Constraint::Follow { source: 0, follower, map: TileMap::Along(vec![(dim, dim)]) };
        let rules = lead.chain([along(1, 0), along(2, 1)]).map(Rule::from).collect::<Vec<_>>();
        let task = rt.task("matmul_from");
        if add {
            let task = task.args((update(&self.store), read(left), read(right))).constrain(|_| rules);
            task.launch(|_, (mut to, left, right)| multiply(&mut to, (&left, &right), true))?;
        } else {
            let task = task.args((write(&self.store), read(left), read(right))).constrain(|_| rules);
            task.launch(|_, (mut to, left, right)| multiply(&mut to, (&left, &right), false))?;
        }
        Ok(())
    }
}

impl<R: MatrixElement, L: RecordLayout<R> + Default, I: Index> Array<R, 1, L, I>
where
    Sum: Reduction<R>,
{
    /// Sets this vector to the product of a matrix and another vector; returns at once.
    ///
    /// Each tile of the matrix is multiplied on its own locale. It receives the part of `x` that it lacks and sends its part of the product
    /// to the owners of that part, who add the parts up in the order of tiles. At most one message each is sent for each pair of locales
    /// and tile, and no element of the matrix.
    ///
    /// # Errors
    ///
    /// [`ArrayError::Product`] if shapes do not fit. Returns an error, too, if this vector shows elements of `a` or `x`, or elements of
    /// those are unwritten.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::array::Array;
    /// use layout::domain::{Block, Cyclic, Domain, Targets};
    /// use layout::store::Runtime;
    ///
    /// let rt = Runtime::new()?;
    /// let (wide, line) = (Domain::new([1..=2, 1..=3]), Cyclic::new([1], Targets::all(1)?));
    /// let a: Array<i64, 2> = Array::from_fn(&rt, &wide, Block::over(&wide, Targets::all(1)?)?, |[i, j]| i * j)?;
    /// let x: Array<i64, 1> = Array::from_values(&rt, &Domain::from(1..=3), line.clone(), &[1, 1, 2])?;
    /// let y: Array<i64, 1> = Array::new(&rt, &Domain::from(1..=2), line)?;
    /// y.matvec_from(&a, &x)?;
    /// assert_eq!(y.to_vec()?, [9, 18]);
    /// # Ok::<(), layout::array::ArrayError>(())
    /// ```
    pub fn matvec_from<K, J, M, H>(&self, a: &Array<R, 2, K, J>, x: &Array<R, 1, M, H>) -> Result<(), ArrayError>
    where
        K: RecordLayout<R> + Default,
        J: Index,
        M: RecordLayout<R> + Default,
        H: Index,
    {
        let [rows, columns] = a.domain.shape();
        if self.domain.shape() != [rows] || x.domain.shape() != [columns] {
            return Err(misfit((&a.domain, &x.domain), &self.domain));
        }
        let operands = [self.operand(("matvec_from", 0), a)?, self.operand(("matvec_from", 1), x)?];
        self.as_a_whole(operands, |to| {
            to.fill(R::default())?;
            let Some(tiling) = a.tiles.clone() else { return Ok(()) };
            let lead = Constraint::Cut { argument: 0, tiling };
            let along = |follower, dim| Constraint::Follow { source: 0, follower, map: TileMap::Along(vec![(dim, 0)]) };
            self.runtime()
                .task("matvec_from")
                .args((read(&a.store), read(&x.store), to.reduced(Sum)))
                .constrain(|_| [lead, along(1, 1), along(2, 0)].map(Rule::from))
                .launch(|_, (a, x, mut y)| {
                    let (elements, strides) = values(&a);
                    let ([rows, columns], x) = (a.extents(), x.to_vec());
                    let a = ArrayView2::from_shape((rows, columns).strides(strides), &elements)?;
                    let mut sums = ndarray::Array1::from_elem(rows, R::default());
                    if strides.0 == 1 && rows > 1 {
                        // Column by column, because rows would jump from one column to the next with each element.
                        a.columns().into_iter().zip(&x).for_each(|(column, x)| sums.scaled_add(*x, &column));
                    } else {
                        general_mat_vec_mul(R::one(), &a, &ArrayView1::from(&x), R::zero(), &mut sums);
                    }
                    sums.iter().enumerate().for_each(|(row, sum)| y.reduce(row, *sum));
                    Ok(())
                })?;
            Ok(())
        })
    }
}

/// The error for shapes that do not fit.
fn misfit<const N: usize, const M: usize, I: Index, J: Index, H: Index>(
    (one, other): (&Domain<2, I>, &Domain<N, J>),
    to: &Domain<M, H>,
) -> ArrayError {
    ArrayError::Product { one: one.to_string(), other: other.to_string(), to: to.to_string() }
}

/// The elements of a matrix between two positions along a dimension. On several locales the elements are copied, on their own locales: what
/// is sent of the copy is kept as long as the copy is, and what is sent of the matrix until a task writes the matrix.
fn panel<R: MatrixElement, L: RecordLayout<R> + Default, I: Index>(
    rt: &Runtime,
    matrix: &Array<R, 2, L, I>,
    dim: usize,
    (start, end): (i64, i64),
) -> Result<Store<R, Dim<2>, L>, ArrayError> {
    if rt.locales() == 1 {
        return Ok(matrix.store.slice(dim, start, end)?);
    }
    let mut positions =
        matrix.domain.shape().map(|side| StridedRange::from(0..i64::try_from(side).unwrap_or(i64::MAX)));
    positions[dim] = StridedRange::from(start..end);
    let part = matrix.slice(&crate::positions::indices_of(&matrix.domain, &Domain::new(positions))?)?;
    let copied: Store<R, Dim<2>, L> = rt.create(part.store.extents())?.into_rank()?;
    copy((&copied, &part.tiles), &part.store)?;
    Ok(copied)
}

/// The elements of a tile without gaps, and their strides along both dimensions.
fn values<'v, R: Leaf, L: RecordLayout<R>>(tile: &'v Tile<'_, R, Dim<2>, L>) -> (Cow<'v, [R]>, (usize, usize)) {
    let extents = tile.extents();
    let [rows, columns] = extents;
    let stride = |dim| tile.mapping().linearization().stride(extents, dim);
    match tile.as_ref().into_slice() {
        Some(values) if stride(1) == 1 || columns == 1 => (values.into(), (columns, 1)),
        Some(values) => (values.into(), (1, rows)),
        None => {
            let at = (0..rows).flat_map(|row| (0..columns).map(move |column| [row, column]));
            (at.map(|at| tile.get(at)).collect(), (columns, 1))
        }
    }
}

/// Sets a tile to the product of two tiles, or adds the product to it.
fn multiply<R: MatrixElement, L: RecordLayout<R>, K: RecordLayout<R>, M: RecordLayout<R>>(
    to: &mut TileMut<'_, R, Dim<2>, L>,
    (left, right): (&Tile<'_, R, Dim<2>, K>, &Tile<'_, R, Dim<2>, M>),
    add: bool,
) -> Result<(), layout_store::TaskBodyError> {
    let ([rows, inner], [_, columns]) = (left.extents(), right.extents());
    let ((lefts, left), (rights, right)) = (values(left), values(right));
    let left = ArrayView2::from_shape((rows, inner).strides(left), &lefts)?;
    let right = ArrayView2::from_shape((inner, columns).strides(right), &rights)?;
    let keep = if add { R::one() } else { R::zero() };
    let extents = to.extents();
    let by_columns = to.mapping().linearization().stride(extents, 1) != 1 && columns > 1;
    let strides = if by_columns { (1, rows) } else { (columns, 1) };
    if let Some(all) = to.as_mut().into_mut_slice() {
        let mut to = ArrayViewMut2::from_shape((rows, columns).strides(strides), all)?;
        general_mat_mul(R::one(), &left, &right, keep, &mut to);
        return Ok(());
    }
    let mut product = left.dot(&right);
    if add {
        product.indexed_iter_mut().for_each(|((row, column), sum)| *sum = *sum + to.get([row, column]));
    }
    product.indexed_iter().for_each(|((row, column), sum)| to.set([row, column], *sum));
    Ok(())
}

//! Whole-array expressions: element by element, and reductions to one value.

use layout_core::{Lanes, Linearization, Mapping, Number, Record, RecordLayout, zip};
use layout_domain::Index;
use layout_store::{Dim, Future, Reduction, StoreRank, Sum, Tile};

use crate::{Array, ArrayError};

/// The number of partial sums that a kernel adds to in turn, so that the compiler can use vectors.
const LANES: usize = 16;

impl<R: Record, const N: usize, L: RecordLayout<R> + Default, I: Index> Array<R, N, L, I>
where
    Dim<N>: StoreRank,
{
    /// Sets each element to the value of `f` for the element of another array at the same position; returns at once.
    ///
    /// Elements of `other` that lie on other locales are sent, in messages as [`Array::assign`] sends them; `f` runs on the locale of the
    /// element that it computes.
    ///
    /// # Errors
    ///
    /// Returns an error if shapes differ, the arrays have elements in common, or elements of `other` are unwritten.
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
    /// let x: Array<i64, 1> = Array::from_fn(&rt, &line, map.clone(), |[i]| i)?;
    /// let halves: Array<f64, 1> = Array::new(&rt, &line, map)?;
    /// halves.map_from(&x, |x| x as f64 / 2.0)?;
    /// assert_eq!(halves.to_vec()?, [0.5, 1.0, 1.5, 2.0]);
    /// # Ok::<(), layout::array::ArrayError>(())
    /// ```
    pub fn map_from<S, K, J>(
        &self,
        other: &Array<S, N, K, J>,
        f: impl Fn(S) -> R + Send + Sync + 'static,
    ) -> Result<(), ArrayError>
    where
        S: Record,
        K: RecordLayout<S> + Default,
        J: Index,
    {
        self.write().zip(other.read()).named("map_from").for_each(move |_, (mut to, from)| {
            zip((&mut to, &from)).for_each(|(mut to, from)| f(S::load(&from)).store(&mut to));
        })?;
        Ok(())
    }

    /// Sets each element to the value of `f` for the elements of two other arrays at the same position; returns at once. Elements of each
    /// of the two are sent as by [`map_from`](Self::map_from).
    ///
    /// # Errors
    ///
    /// The errors of [`map_from`](Self::map_from).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::array::Array;
    /// use layout::domain::{Block, Domain, Targets};
    /// use layout::store::Runtime;
    ///
    /// let rt = Runtime::new()?;
    /// let line = Domain::from(1..=3);
    /// let map = Block::over(&line, Targets::all(1)?)?;
    /// let x: Array<f64, 1> = Array::from_fn(&rt, &line, map.clone(), |[i]| i as f64)?;
    /// let y: Array<f64, 1> = Array::filled(&rt, &line, map.clone(), 10.0)?;
    /// let triad: Array<f64, 1> = Array::new(&rt, &line, map)?;
    /// triad.zip_map_from(&x, &y, |x, y| x + 3.0 * y)?;
    /// assert_eq!(triad.to_vec()?, [31.0, 32.0, 33.0]);
    /// # Ok::<(), layout::array::ArrayError>(())
    /// ```
    pub fn zip_map_from<S, K, J, T, M, H>(
        &self,
        one: &Array<S, N, K, J>,
        other: &Array<T, N, M, H>,
        f: impl Fn(S, T) -> R + Send + Sync + 'static,
    ) -> Result<(), ArrayError>
    where
        S: Record,
        K: RecordLayout<S> + Default,
        J: Index,
        T: Record,
        M: RecordLayout<T> + Default,
        H: Index,
    {
        let arrays = self.write().zip(one.read()).zip(other.read());
        arrays.named("zip_map_from").for_each(move |_, (mut to, one, other)| {
            zip((&mut to, &one, &other))
                .for_each(|(mut to, one, other)| f(S::load(&one), T::load(&other)).store(&mut to));
        })?;
        Ok(())
    }

    /// Combines all elements by a commutative reduction; the result for an array without elements is the identity. Returns at once; every
    /// locale has the value of the future.
    ///
    /// The elements of each part are combined in sixteen turns, in the order of memory, and then the parts as [`Reduction`] says. An exact
    /// reduction gives the same value for any distribution and number of locales. A floating-point sum is the same for one distribution,
    /// layout and number of pieces. Each locale sends a few messages of one value each.
    ///
    /// # Errors
    ///
    /// Returns an error if elements are unwritten.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::array::Array;
    /// use layout::domain::{Cyclic, Domain, Targets};
    /// use layout::store::{Max, Runtime};
    ///
    /// let rt = Runtime::new()?;
    /// let map = Cyclic::new([0], Targets::all(1)?);
    /// let a: Array<i64, 1> = Array::from_fn(&rt, &Domain::from(-9..=5), map, |[i]| i * i)?;
    /// assert_eq!(a.reduce(Max)?.get()?, 81);
    /// # Ok::<(), layout::array::ArrayError>(())
    /// ```
    pub fn reduce<O: Reduction<R>>(&self, op: O) -> Result<Future<R>, ArrayError>
    where
        R: Send + Sync + 'static,
    {
        let all = op.clone();
        self.read().named("reduce").reduce(op, move |_, (part,)| {
            let (mut turns, mut turn) = ([(); LANES].map(|()| all.identity()), 0);
            part.for_each(|slots| {
                turns[turn] = all.combine(turns[turn], R::load(&slots));
                turn = (turn + 1) % LANES;
            });
            Ok(turns.into_iter().fold(all.identity(), |a, b| all.combine(a, b)))
        })
    }

    /// The sum of all elements, which are numbers; integers wrap around. It is [`reduce`](Self::reduce) with [`Sum`], over vectors: there
    /// are sixteen partial sums, one for each lane, in the order of memory; they are added one after another.
    ///
    /// # Errors
    ///
    /// The errors of [`reduce`](Self::reduce).
    pub fn sum(&self) -> Result<Future<R>, ArrayError>
    where
        R: Number + Send + Sync + 'static,
        Sum: Reduction<R>,
    {
        self.read().named("sum").reduce(Sum, |_, (part,)| {
            let mut sums = Turns::new();
            match part.as_ref().into_slice() {
                Some(values) => sums.add_all(values),
                None => part.for_each(|slots| sums.add_one(R::load(&slots))),
            }
            Ok(sums.total())
        })
    }

    /// The sum of the products of elements at the same positions; integers wrap around. It is computed as in [`sum`](Self::sum). Elements
    /// of `other` that lie on other locales are sent to the elements of this array, in messages as
    /// [`Array::assign`] sends them.
    ///
    /// # Errors
    ///
    /// Returns an error if shapes differ, or elements are unwritten.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::array::Array;
    /// use layout::domain::{Block, Domain, Targets};
    /// use layout::store::Runtime;
    ///
    /// let rt = Runtime::new()?;
    /// let line = Domain::from(1..=100);
    /// let x: Array<f64, 1> = Array::from_fn(&rt, &line, Block::over(&line, Targets::all(1)?)?, |[i]| i as f64)?;
    /// assert_eq!(x.dot(&x)?.get()?, 338_350.0);
    /// # Ok::<(), layout::array::ArrayError>(())
    /// ```
    pub fn dot<K, J>(&self, other: &Array<R, N, K, J>) -> Result<Future<R>, ArrayError>
    where
        R: Number + Send + Sync + 'static,
        Sum: Reduction<R>,
        K: RecordLayout<R> + Default,
        J: Index,
    {
        self.read().zip(other.read()).named("dot").reduce(Sum, |_, (one, other)| {
            let mut sums = Turns::new();
            match alike(&one, &other) {
                Some((one, other)) => sums.add_products(one, other),
                None => zip((&one, &other)).for_each(|(one, other)| {
                    sums.add_one((Lanes::from([R::load(&one)]) * Lanes::from([R::load(&other)])).sum());
                }),
            }
            Ok(sums.total())
        })
    }
}

/// Partial sums, to which elements are added in turn. The compiler uses vectors for them, but not for a floating-point sum in the order of
/// the elements.
struct Turns<R> {
    sums: Lanes<R, LANES>,
    turn: usize,
}

impl<R: Number> Turns<R> {
    fn new() -> Self {
        Self { sums: Lanes::splat(R::default()), turn: 0 }
    }

    #[inline]
    fn add_one(&mut self, value: R) {
        let turn = self.turn;
        self.sums[turn] = (Lanes::from([self.sums[turn]]) + Lanes::from([value])).sum();
        self.turn = (turn + 1) % LANES;
    }

    /// Adds values. No value was added before.
    fn add_all(&mut self, values: &[R]) {
        let (groups, rest) = values.as_chunks::<LANES>();
        for group in groups {
            self.sums += Lanes::from(*group);
        }
        rest.iter().for_each(|value| self.add_one(*value));
    }

    /// Adds products of values. No value was added before.
    fn add_products(&mut self, one: &[R], other: &[R]) {
        let ((ones, one), (others, other)) = (one.as_chunks::<LANES>(), other.as_chunks::<LANES>());
        for (one, other) in ones.iter().zip(others) {
            self.sums += Lanes::from(*one) * Lanes::from(*other);
        }
        for (one, other) in one.iter().zip(other) {
            self.add_one((Lanes::from([*one]) * Lanes::from([*other])).sum());
        }
    }

    fn total(&self) -> R {
        self.sums.sum()
    }
}

/// The elements of two views of equal extents in one order, if both are contiguous in memory in the same order.
fn alike<'v, R: Number, const N: usize, L, K>(
    one: &'v Tile<'_, R, Dim<N>, L>,
    other: &'v Tile<'_, R, Dim<N>, K>,
) -> Option<(&'v [R], &'v [R])>
where
    L: RecordLayout<R>,
    K: RecordLayout<R>,
    Dim<N>: StoreRank,
{
    let extents = one.extents();
    let strides = |dim: usize| {
        let one = one.mapping().linearization().stride(extents, dim);
        (extents.as_ref()[dim] == 1) || one == other.mapping().linearization().stride(extents, dim)
    };
    if !(0..N).all(strides) {
        return None;
    }
    Some((one.as_ref().into_slice()?, other.as_ref().into_slice()?))
}

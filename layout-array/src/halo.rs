//! Arrays with a halo: blocks, and the elements around each block.
//!
//! ```text
//! store        the domain and the halo around it: blocks at the border have the elements outside the domain
//! inside       elements of neighboring blocks: read on demand, kept beside the block until a task writes them
//! outside      boundary values, which the program writes, or, in a periodic array, a copy of the other end
//! ```

use core::array;
use core::cmp::Ordering;
use core::ops::Deref;
use std::sync::Arc;

use layout_core::{Record, RecordLayout};
use layout_domain::{Domain, DomainMap, Index, Stencil, StridedRange};
use layout_mappings::SoA;
use layout_store::{Dim, Point, Runtime, StoreError, StoreRank, TileMap};

use crate::loops::{Loop, ReadOf};
use crate::{Array, ArrayError};

/// An array in blocks. Loops can read each block together with the elements around it, its *halo*.
///
/// It dereferences to an [`Array`] over its domain. [`read_halo`](Self::read_halo) adds a view of each part with the halo around it. The
/// view is wider on each side by the widths of the [`Stencil`], also at the border of the domain, so a kernel needs no test for the border.
///
/// Elements of neighboring blocks are always up to date: a loop receives the elements that were written since the last loop, in one message
/// from each neighbor, and keeps them beside the block. [`update_halo`](Self::update_halo) receives them before the loop. Elements outside
/// the domain keep the values that were written there; in a periodic array, `update_halo` copies them from the other end.
///
/// A kernel that uses no corners of the halo, such as a five-point stencil, should say so with [`Stencil::without_corners`]: then a locale
/// receives messages only from neighbors at the faces of its block. Elements at corners of the view may be out of date, or unwritten.
///
/// # Examples
///
/// The sum of both neighbors, on a ring of ten elements:
///
/// ```
/// use layout::array::{Array, ArrayError, HaloArray};
/// use layout::domain::{Block, Domain, Stencil, Targets};
/// use layout::store::Runtime;
///
/// let sums = Runtime::builder().locales(3).threads(1).min_chunk(1).whole_below(0).simulate(|rt| {
///     let line = Domain::from(0..=9);
///     let ring = Stencil::new(Block::over(&line, Targets::all(3)?)?, [1]).periodic();
///     let now: HaloArray<i64, 1> = HaloArray::from_fn(rt, &line, ring.clone(), |[i]| i)?;
///     let next: HaloArray<i64, 1> = HaloArray::filled(rt, &line, ring, 0)?;
///     now.update_halo()?;
///     next.write().zip(now.read_halo()).for_each(|_, (mut next, now)| {
///         assert_eq!(now.len(), next.len() + 2);
///         for i in 0..next.len() {
///             next.set(i, now.get(i) + now.get(i + 2));
///         }
///     })?;
///     next.to_vec()
/// })?;
/// let expected = vec![10, 2, 4, 6, 8, 10, 12, 14, 16, 8];
/// assert_eq!(sums.into_iter().collect::<Result<Vec<_>, ArrayError>>()?, [(); 3].map(|()| expected.clone()));
/// # Ok::<(), ArrayError>(())
/// ```
///
/// The sum of four neighbors in a plane, without messages for corners:
///
/// ```
/// use layout::array::{Array, ArrayError, HaloArray};
/// use layout::domain::{Block, Domain, Stencil, Targets};
/// use layout::store::Runtime;
///
/// let sent = Runtime::builder().locales(4).threads(1).min_chunk(1).whole_below(0).simulate(|rt| {
///     let plane = Domain::new([0..8, 0..8]);
///     let blocks = Block::over(&plane, Targets::all(4)?)?; // 4 by 4 elements each
///     let star = Stencil::new(blocks.clone(), [1, 1]).without_corners();
///     let now: HaloArray<i64, 2> = HaloArray::from_fn(rt, &plane, star, |[i, j]| 10 * i + j)?;
///     let next: Array<i64, 2> = Array::filled(rt, &plane, blocks, 0)?;
///     rt.fence()?;
///     let before = rt.traffic().bytes;
///     next.write().zip(now.read_halo()).for_each(|_, (mut next, now)| {
///         let [rows, columns] = next.extents();
///         for (i, j) in (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))) {
///             let [up, down] = [now.get([i, j + 1]), now.get([i + 2, j + 1])];
///             next.set([i, j], up + down + now.get([i + 1, j]) + now.get([i + 1, j + 2]));
///         }
///     })?;
///     rt.fence()?;
///     let sent = rt.traffic().bytes - before;
///     assert_eq!(next.get([3, 4])?, 4 * 34);
///     Ok::<_, ArrayError>(sent)
/// })?;
/// // Each locale sends the four elements of two sides.
/// assert_eq!(sent.into_iter().collect::<Result<Vec<_>, _>>()?, [2 * 4 * 8; 4]);
/// # Ok::<(), ArrayError>(())
/// ```
#[derive(Debug)]
pub struct HaloArray<R, const N: usize, L = SoA, I: Index = i64>
where
    Dim<N>: StoreRank,
{
    inner: Array<R, N, L, I>,
    /// The domain and the halo around it.
    expanded: Array<R, N, L, I>,
    stencil: Stencil<N, I>,
    /// The copies of `update_halo` in a periodic array, in order.
    turns: Turns<Array<R, N, L, I>>,
}

/// Pairs of a part outside the domain and the part at the other end that it shows.
type Turns<A> = Vec<[A; 2]>;

impl<R, const N: usize, L, I: Index> Clone for HaloArray<R, N, L, I>
where
    Dim<N>: StoreRank,
{
    fn clone(&self) -> Self {
        let Self { inner, expanded, stencil, turns } = self;
        Self { inner: inner.clone(), expanded: expanded.clone(), stencil: stencil.clone(), turns: turns.clone() }
    }
}

impl<R, const N: usize, L, I: Index> Deref for HaloArray<R, N, L, I>
where
    Dim<N>: StoreRank,
{
    type Target = Array<R, N, L, I>;

    fn deref(&self) -> &Array<R, N, L, I> {
        &self.inner
    }
}

impl<R: Record, const N: usize, L: RecordLayout<R> + Default, I: Index> HaloArray<R, N, L, I>
where
    Dim<N>: StoreRank,
{
    /// Creates an array. Its elements, inside and outside the domain, are unwritten.
    ///
    /// # Errors
    ///
    /// The errors of [`Array::new`], and [`DomainError::Halo`](layout_domain::DomainError::Halo) if the halo of a block reaches beyond its
    /// neighbor.
    pub fn new(rt: &Runtime, domain: &Domain<N, I>, stencil: Stencil<N, I>) -> Result<Self, ArrayError> {
        for &locale in stencil.blocks().locales() {
            stencil.updates(locale, domain)?;
        }
        let blocks = stencil.blocks().clone();
        let expanded = Array::over(rt, &stencil.expanded(domain)?, Arc::new(blocks))?;
        let widths: Point = stencil.halo().iter().map(|width| i64::try_from(*width).unwrap_or(i64::MAX)).collect();
        expanded.store.hint_margin(widths, widths);
        let inner = expanded.slice(domain)?;
        let mut array = Self { inner, expanded, stencil, turns: Vec::new() };
        if array.stencil.is_periodic() {
            array.turns = array.ends()?;
        }
        Ok(array)
    }

    /// Creates an array with one value everywhere, outside the domain, too.
    ///
    /// # Errors
    ///
    /// The errors of [`new`](Self::new).
    pub fn filled(rt: &Runtime, domain: &Domain<N, I>, stencil: Stencil<N, I>, value: R) -> Result<Self, ArrayError> {
        let array = Self::new(rt, domain, stencil)?;
        array.expanded.fill(value)?;
        Ok(array)
    }

    /// Creates an array; `f` computes the element from its index, outside the domain, too. In a periodic array, the next
    /// [`update_halo`](Self::update_halo) replaces the elements outside by those of the other end.
    ///
    /// # Errors
    ///
    /// The errors of [`new`](Self::new).
    pub fn from_fn(
        rt: &Runtime,
        domain: &Domain<N, I>,
        stencil: Stencil<N, I>,
        f: impl Fn([I; N]) -> R + Send + Sync + 'static,
    ) -> Result<Self, ArrayError> {
        let array = Self::new(rt, domain, stencil)?;
        array.expanded.fill_from_fn(f)?;
        Ok(array)
    }

    /// The distribution, with the widths of the halo.
    #[must_use]
    pub fn stencil(&self) -> &Stencil<N, I> {
        &self.stencil
    }

    /// The array over the domain and the halo around it; boundary values are written to this array. An element outside the domain lies on
    /// the locale to which the distribution gives its index: the locale of the nearest block, if the blocks are those of the whole domain.
    /// If the domain is a part of the box that was cut into blocks, the index may be in the block of another locale.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::array::HaloArray;
    /// use layout::domain::{Block, Domain, Stencil, Targets};
    /// use layout::store::Runtime;
    ///
    /// let rt = Runtime::new()?;
    /// let line = Domain::from(1..=4);
    /// let rod: HaloArray<f64, 1> =
    ///     HaloArray::filled(&rt, &line, Stencil::new(Block::over(&line, Targets::all(1)?)?, [1]), 0.0)?;
    /// rod.expanded().put([0], 100.0)?; // hot at one end
    /// assert_eq!(rod.expanded().to_vec()?, [100.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    /// assert_eq!(rod.to_vec()?, [0.0; 4]);
    /// # Ok::<(), layout::array::ArrayError>(())
    /// ```
    #[must_use]
    pub fn expanded(&self) -> &Array<R, N, L, I> {
        &self.expanded
    }

    /// A loop that reads each part together with the halo around it. It follows another array: `next.write().zip(now.read_halo())`. The
    /// element at an index of the leader's view is at that index plus the width of the halo, in each dimension, of this view.
    ///
    /// If the blocks of the leader differ from the blocks of this array, the elements that the parts of the leader need are sent to them.
    /// A leader whose parts have steps along a dimension with a halo, as a cyclic distribution on several locales makes them, is refused
    /// ([`ArrayError::HaloSteps`]): its parts have no halo around them.
    ///
    /// The loop cannot lead: the parts of a leader are the chunks of a loop, each index in one of them, and parts with a halo overlap. A
    /// loop that only reads is led by the array without its halo: `now.read().zip(now.read_halo())`.
    pub fn read_halo(&self) -> Loop<ReadOf<R, N, L>, N, I> {
        let of = |widths: [i64; N]| widths.into_iter().collect();
        let widths = self.stencil.halo().map(|width| i64::try_from(width).unwrap_or(i64::MAX));
        let (low, high) = (of([0; N]), of(widths.map(|width| width.saturating_mul(2))));
        let around = match self.stencil.has_corners() {
            true => TileMap::Bloat { low, high },
            false => TileMap::Faces { low, high, widths: of(widths) },
        };
        Loop::around(&self.inner, &self.expanded, around)
    }

    /// Brings the halo up to date; returns at once. Each locale receives one message from each neighbor whose elements it lacks. In a
    /// periodic array it also receives a message for each end of each dimension, from the locale at the other end. Loops that read the halo then send nothing, until elements are written again.
    ///
    /// # Errors
    ///
    /// Returns an error if elements are unwritten. Inside [`Runtime::local`], a periodic array is refused, too, if both ends of a dimension
    /// lie on different locales.
    pub fn update_halo(&self) -> Result<(), ArrayError> {
        self.check_ends()?;
        if !self.turns.is_empty() && !self.inner.store.is_written() {
            // The loop below would be refused as this one is, but after copies.
            self.inner.read().named("update_halo").for_each(|_, _| ())?;
        }
        for [outside, from] in &self.turns {
            outside.assign(from)?;
        }
        self.inner.read().zip(self.read_halo()).named("update_halo").for_each(|_, _| ())?;
        Ok(())
    }

    /// Inside a scope that sends nothing, refuses an update before its first copy, since a later one would be refused.
    fn check_ends(&self) -> Result<(), ArrayError> {
        // Blocks have consecutive indices along a dimension, so the first and the last index tell the owners of all between them.
        let owners = |part: &Array<R, N, L, I>| [part.domain.first(), part.domain.last()].map(|at| part.owner(at?));
        let are_apart = |[outside, from]: &[Array<R, N, L, I>; 2]| owners(outside) != owners(from);
        if self.runtime().is_local() && self.turns.iter().any(are_apart) {
            let (operation, store) = ("`update_halo`".to_owned(), Some(self.store().number()));
            return Err(StoreError::NotLocal { operation, what: "elements", argument: None, store }.into());
        }
        Ok(())
    }

    /// Exchanges the memory of two arrays with equal domains and stencils, including the halo. Nothing is copied. Views that were made
    /// before still show the memory that they showed.
    ///
    /// # Errors
    ///
    /// [`ArrayError::Unlike`] if domains or stencils differ.
    pub fn swap(&mut self, other: &mut Self) -> Result<(), ArrayError> {
        if self.domain != other.domain || self.stencil != other.stencil {
            let of = |array: &Self| format!("{:?} over {}", array.stencil, array.domain);
            return Err(ArrayError::Unlike { one: of(self), other: of(other) });
        }
        core::mem::swap(self, other);
        Ok(())
    }

    /// The parts outside the domain at both ends of each dimension, each with the part at the other end that it shows. The part of a
    /// dimension includes the halo of the dimensions before it, which is copied first: so corners are copied, too, if the stencil has some.
    fn ends(&self) -> Result<Turns<Array<R, N, L, I>>, ArrayError> {
        let (shape, widths) = (self.inner.domain.shape(), self.stencil.halo());
        let mut ends = Vec::new();
        if self.inner.domain.is_empty() {
            return Ok(ends);
        }
        for dim in (0..N).filter(|dim| widths[*dim] != 0) {
            let (width, len) = (widths[dim], shape[dim]);
            for (outside, from) in [(0, len), (width + len, width)] {
                let part = |start: usize| {
                    let positions = array::from_fn::<_, N, _>(|other| {
                        let (low, high) = match other.cmp(&dim) {
                            Ordering::Less if self.stencil.has_corners() => (0, shape[other] + 2 * widths[other]),
                            Ordering::Equal => (start, start + width),
                            Ordering::Less | Ordering::Greater => (widths[other], widths[other] + shape[other]),
                        };
                        StridedRange::from(low..high)
                    });
                    let indices =
                        crate::positions::indices_of(&self.expanded.domain, &Domain::new(positions).with_type()?)?;
                    self.expanded.slice(&indices)
                };
                ends.push([part(outside)?, part(from)?]);
            }
        }
        Ok(ends)
    }
}

//! Arrays with a halo: blocks, and what lies around each of them.
//!
//! ```text
//! store        the domain with the halo around it: what is outside the domain are elements, too, of the blocks at the border
//! inside       elements of neighboring blocks: read where they are needed, kept beside the block until somebody writes them
//! outside      boundary values, which the program writes, or, in a periodic array, a copy of the other end
//! ```

use core::array;
use core::cmp::Ordering;
use core::ops::Deref;
use std::sync::Arc;

use layout_core::{Record, RecordLayout};
use layout_domain::{Domain, DomainMap, Index, Stencil, StridedRange};
use layout_mappings::SoA;
use layout_store::{Dim, Point, Runtime, StoreRank};

use crate::loops::{Loop, ReadOf};
use crate::{Array, ArrayError};

/// An array in blocks, whose loops see each block with the elements around it: its *halo*.
///
/// It is an [`Array`] over its domain, and has all methods of one. [`read_halo`](Self::read_halo) adds a view of each part with
/// the halo around it, which is wider by the widths of the [`Stencil`] on each side, everywhere, so that a kernel needs no test for
/// the border.
///
/// Elements of neighboring blocks are never out of date: a loop brings those that were written since, one message from each neighbor,
/// and keeps them beside the block. [`update_halo`](Self::update_halo) brings them ahead of the loop. What the halo shows outside
/// the domain stays as it was written; where the stencil is periodic, `update_halo` copies it from the other end.
///
/// # Examples
///
/// The sum of both neighbors, on a ring of ten elements:
///
/// ```
/// use layout_array::{Array, ArrayError, HaloArray};
/// use layout_domain::{Block, Domain, Stencil, Targets};
/// use layout_store::Runtime;
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
#[derive(Debug)]
pub struct HaloArray<R, const N: usize, L = SoA, I: Index = i64>
where
    Dim<N>: StoreRank,
{
    inner: Array<R, N, L, I>,
    /// With what is outside the domain.
    expanded: Array<R, N, L, I>,
    stencil: Stencil<N, I>,
    /// What lies outside, and what is copied there where the stencil is periodic, one after another.
    turns: Turns<Array<R, N, L, I>>,
}

/// Pairs of what lies outside, and the elements at the other end that it shows.
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
    /// An array that nobody has written, outside the domain neither.
    ///
    /// # Errors
    ///
    /// As [`Array::new`]; [`DomainError::Halo`](layout_domain::DomainError::Halo) where the halo of a block reaches beyond its neighbor.
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

    /// An array with one value everywhere, outside the domain, too.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn filled(rt: &Runtime, domain: &Domain<N, I>, stencil: Stencil<N, I>, value: R) -> Result<Self, ArrayError> {
        let array = Self::new(rt, domain, stencil)?;
        array.expanded.fill(value)?;
        Ok(array)
    }

    /// An array with the element at each index that `f` gives for it, outside the domain, too; there a periodic array has the values
    /// of the other end after the next [`update_halo`](Self::update_halo).
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
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

    /// The array over the domain with the halo around it. Its elements outside the domain lie with the nearest block; boundary values
    /// are written there.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout_array::HaloArray;
    /// use layout_domain::{Block, Domain, Stencil, Targets};
    /// use layout_store::Runtime;
    ///
    /// let rt = Runtime::new()?;
    /// let line = Domain::from(1..=4);
    /// let rod: HaloArray<f64, 1> =
    ///     HaloArray::filled(&rt, &line, Stencil::new(Block::over(&line, Targets::all(1)?)?, [1]), 0.0)?;
    /// rod.expanded().put([0], 100.0)?; // hot at one end
    /// assert_eq!(rod.expanded().to_vec()?, [100.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    /// assert_eq!(rod.to_vec()?, [0.0; 4]);
    /// # Ok::<(), layout_array::ArrayError>(())
    /// ```
    #[must_use]
    pub fn expanded(&self) -> &Array<R, N, L, I> {
        &self.expanded
    }

    /// A loop that reads each part together with the halo around it. It follows another array:
    /// `next.write().zip(now.read_halo())`. An element that the leader's view has at an index lies in this view at that index plus the
    /// width of the halo, in each dimension.
    ///
    /// Where the leader has other blocks, what its parts need is brought there.
    pub fn read_halo(&self) -> Loop<ReadOf<R, N, L>, N, I> {
        let widths = self.stencil.halo().map(|width| i64::try_from(width).unwrap_or(i64::MAX));
        Loop::around(&self.inner, &self.expanded, ([0; N], widths.map(|width| width.saturating_mul(2))))
    }

    /// Brings the halo up to date; returns at once. Each locale gets one message from each neighbor whose elements it
    /// lacks, and in a periodic array further ones from the locale at the other end of each dimension: one of the side, and one of each
    /// corner that goes along. Loops that read the halo then send nothing, until elements are written again.
    ///
    /// # Errors
    ///
    /// Where elements were never written.
    pub fn update_halo(&self) -> Result<(), ArrayError> {
        for [outside, from] in &self.turns {
            outside.assign(from)?;
        }
        self.inner.read().zip(self.read_halo()).named("update_halo").for_each(|_, _| ())?;
        Ok(())
    }

    /// Exchanges two arrays with equal domains and stencils: their memory, halo and all. Nothing is copied, and views that were made
    /// earlier go on to show the memory that they showed.
    ///
    /// # Errors
    ///
    /// [`ArrayError::Unlike`] where domains or stencils differ.
    pub fn swap(&mut self, other: &mut Self) -> Result<(), ArrayError> {
        if self.domain != other.domain || self.stencil != other.stencil {
            let of = |array: &Self| format!("{:?} over {}", array.stencil, array.domain);
            return Err(ArrayError::Unlike { one: of(self), other: of(other) });
        }
        core::mem::swap(self, other);
        Ok(())
    }

    /// What lies outside at both ends of each dimension, and the elements at the other end that it shows, in an order in which each
    /// dimension takes along what those before it have brought: the corners.
    fn ends(&self) -> Result<Turns<Array<R, N, L, I>>, ArrayError> {
        let (shape, widths) = (self.inner.domain.shape(), self.stencil.halo());
        let mut ends = Vec::new();
        for dim in (0..N).filter(|dim| widths[*dim] != 0) {
            let (width, len) = (widths[dim], shape[dim]);
            for (outside, from) in [(0, len), (width + len, width)] {
                let part = |start: usize| {
                    let positions = array::from_fn::<_, N, _>(|other| {
                        let (low, high) = match other.cmp(&dim) {
                            Ordering::Less => (0, shape[other] + 2 * widths[other]),
                            Ordering::Equal => (start, start + width),
                            Ordering::Greater => (widths[other], widths[other] + shape[other]),
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

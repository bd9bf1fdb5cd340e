//! Stores: typed handles of arrays of records, and views of stores.

mod attach;
mod data;
mod local;
mod partition;
mod reinterpret;
mod source;
mod target;
mod unbound;
mod views;

use core::fmt;
use std::sync::Arc;

use layout_core::{Record, RecordLayout};
use layout_mappings::SoA;

pub use attach::{AttachError, Attached};
pub use partition::StorePartition;
pub use reinterpret::BySize;
pub use source::ProjectedPartition;

use crate::error::StoreError;
use crate::geometry::{DynRank, Point, Rect, StoreRank, Transform};
use crate::locale::{Key, Operation};
use crate::partition::Tiling;
use crate::task::{Elements, Launcher, agree};

/// A handle of an array of records `R` with rank `D`; the layout `L` says how the records lie in memory.
///
/// A handle holds no data: clones are cheap, and so are views. [`slice`](Self::slice), [`transpose`](Self::transpose) and similar methods
/// return handles of the same elements under other indices. The memory is freed when the last handle is dropped and no task uses it.
///
/// | To | Methods |
/// |---|---|
/// | ask | [`extents`](Self::extents), [`volume`](Self::volume), [`is_written`](Self::is_written), [`overlaps`](Self::overlaps), [`transform`](Self::transform) |
/// | see it otherwise | [`slice`](Self::slice), [`step`](Self::step), [`reversed`](Self::reversed), [`project`](Self::project), [`transpose`](Self::transpose), [`promote`](Self::promote), [`broadcast`](Self::broadcast), [`delinearize`](Self::delinearize) |
/// | cut it | [`partition_by_tiling`](Self::partition_by_tiling) |
/// | compute on it | [`Runtime::task`](crate::Runtime::task), [`fill`](Self::fill), [`copy_from`](Self::copy_from) |
/// | wait for data | [`to_vec`](Self::to_vec), [`get`](Self::get), [`read`](Self::read), [`update`](Self::update) |
/// | on several locales | [`read_local`](Self::read_local), [`update_local`](Self::update_local), [`gather`](Self::gather) |
/// | choose the memory | [`target`](Self::target), [`read_in`](Self::read_in), [`update_in`](Self::update_in), [`offload_to`](Self::offload_to) |
///
/// # Examples
///
/// ```
/// use layout::store::{Bound, Runtime, Store};
///
/// let rt = Runtime::new()?;
/// let grid: Store<i64, _> = rt.create_from_fn([3, 4], |index| 10 * index[0] + index[1])?;
/// let column = grid.slice(0, 1, Bound::Open)?.project(1, 2)?;
/// assert_eq!(column.to_vec()?, [12, 22]);
/// column.fill(-1)?;
/// assert_eq!(grid.to_vec()?, [0, 1, 2, 3, 10, 11, -1, 13, 20, 21, -1, 23]);
/// # Ok::<(), layout::store::StoreError>(())
/// ```
///
/// A mistake in the number of dimensions does not compile:
///
/// ```compile_fail,E0308
/// use layout::store::{Runtime, Store};
/// use layout::Dim;
///
/// let rt = Runtime::new().unwrap();
/// let grid: Store<i64, Dim<2>> = rt.create([3, 4]).unwrap();
/// let row: Store<i64, Dim<2>> = grid.project(0, 1).unwrap(); // it has one dimension
/// ```
pub struct Store<R, D, L = SoA> {
    pub(crate) elements: Elements<R, D, L>,
    pub(crate) launcher: Arc<Launcher>,
}

impl<R, D, L> Store<R, D, L> {
    /// A handle of elements of a root on the locale of this launcher.
    pub(crate) fn of(elements: Elements<R, D, L>, launcher: Arc<Launcher>) -> Self {
        elements.root.take_up();
        Self { elements, launcher }
    }

    /// A handle of the same root through another transform, whose rank is that of `E`.
    pub(crate) fn through<S, E>(&self, transform: impl Into<Arc<Transform>>) -> Store<S, E, L> {
        Store::of(Elements::of(self.elements.root.clone(), transform.into()), self.launcher.clone())
    }

    /// The number of the store, by which errors and [`StoreMemory`](crate::StoreMemory) name it. All views of a store have its number, on
    /// every locale.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.elements.root.id
    }

    /// The number of dimensions.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.elements.transform.rank()
    }

    /// The number of elements along each dimension.
    #[must_use]
    pub fn extents(&self) -> Point {
        self.elements.transform.extents()
    }

    /// The number of elements.
    #[must_use]
    pub fn volume(&self) -> i64 {
        self.elements.transform.volume()
    }

    /// The transform from the indices of this view to those of the root.
    #[must_use]
    pub fn transform(&self) -> &Transform {
        &self.elements.transform
    }

    /// Returns `true` if this view changes the indices of the root by any step of a transform; a slice that starts at 0 is no step.
    #[must_use]
    pub fn is_transformed(&self) -> bool {
        self.elements.transform.is_transformed()
    }

    /// Returns `true` if the root has exactly one element, whatever this view shows. Such a store is never cut, and is sent to each locale
    /// that reads it.
    ///
    /// It supports all operations of larger stores. Up to 64 bytes take no memory of their own. With one locale, such an element is filled
    /// and read without a task if no task uses it.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let scalar: Store<f64, _> = rt.create_from([], &[1.5])?;
    /// assert!(scalar.has_scalar_storage() && scalar.promote(0, 100)?.has_scalar_storage());
    /// assert!(!rt.create::<f64, layout::SoA, _>(2)?.slice(0, 0, 1)?.has_scalar_storage());
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    #[must_use]
    pub fn has_scalar_storage(&self) -> bool {
        self.elements.transform.root_extents().product() == Some(1)
    }

    /// Returns `true` if elements share bytes, as in bit-packed layouts. A launch that writes such a store has one point with all elements,
    /// whatever its constraints say, and on several locales one of them has the elements. No launch writes a part of such a store and uses
    /// another part.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::bits::{BitPackedIntSoA, Bits};
    /// use layout::store::{Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let small: Store<u8, _, BitPackedIntSoA<Bits<3>>> = rt.create(100)?;
    /// assert!(small.shares_bytes());
    /// let plain: Store<u8, _> = rt.create(100)?;
    /// assert!(!plain.shares_bytes());
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    #[must_use]
    pub fn shares_bytes(&self) -> bool {
        self.elements.root.storage.is_joined()
    }

    /// Returns `true` if the extents are not known yet: always `false`. A store to which a task will emit is an [`Unbound`](crate::Unbound),
    /// which is [unbound](crate::Unbound::is_unbound) until the task that emits to it is launched.
    #[must_use]
    pub fn unbound(&self) -> bool {
        false
    }

    /// The box of elements of the root that this view shows.
    pub(crate) fn footprint(&self) -> Rect {
        self.elements.transform.footprint()
    }

    /// Returns `true` if tasks that were launched before write all elements in the smallest box around the elements of this view. A task that reads elements that are unwritten is refused
    /// ([`StoreError::Uninitialized`]).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let line: Store<i64, _> = rt.create(10)?;
    /// let half = line.slice(0, 0, 5)?;
    /// half.fill(1)?;
    /// assert!(half.is_written() && !line.is_written());
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    #[must_use]
    pub fn is_written(&self) -> bool {
        self.volume() == 0 || self.elements.root.uses.lock().unwritten(&self.footprint()).is_none()
    }

    /// Returns `true` if this store and `other` have an element in common.
    ///
    /// Stores that show the same elements overlap even if they have no index, as with a promoted dimension of extent 0.
    #[must_use]
    pub fn overlaps<S, E, K>(&self, other: &Store<S, E, K>) -> bool {
        let full = self.volume() > 0 && other.volume() > 0;
        self.equal_storage(other)
            || Arc::ptr_eq(&self.elements.root, &other.elements.root)
                && full
                && self.footprint().overlaps(&other.footprint())
    }

    /// Returns `true` if this store shows the same elements as `other`, under any indices.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let grid: Store<f64, _> = rt.create([4, 6])?;
    /// let (top, left) = (grid.slice(0, 0, 2)?, grid.slice(1, 0, 3)?);
    /// assert!(top.overlaps(&left) && !top.equal_storage(&left));
    /// assert!(top.equal_storage(&grid.transpose([1, 0])?.slice(1, None, -2)?));
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    #[must_use]
    pub fn equal_storage<S, E, K>(&self, other: &Store<S, E, K>) -> bool {
        Arc::ptr_eq(&self.elements.root, &other.elements.root) && self.footprint() == other.footprint()
    }

    /// The same store, with a number of dimensions that is known only at run time.
    #[must_use]
    pub fn into_dyn(self) -> Store<R, DynRank, L> {
        self.through(self.elements.transform.clone())
    }

    /// The same store, with the rank `E`.
    ///
    /// # Errors
    ///
    /// Returns an error if the store has another number of dimensions.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::Dim;
    /// use layout::store::{Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let some = rt.create::<f64, layout::SoA, _>([3, 4])?.into_dyn();
    /// assert!(some.clone().into_rank::<Dim<2>>().is_ok());
    /// assert_eq!(some.into_rank::<Dim<3>>().unwrap_err().to_string(), "a store of 2 dimensions is none of 3");
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    pub fn into_rank<E: StoreRank>(self) -> Result<Store<R, E, L>, StoreError> {
        match E::RANK {
            Some(expected) if expected != self.rank() => Err(StoreError::Rank { given: self.rank(), expected }),
            _ => Ok(self.through(self.elements.transform.clone())),
        }
    }
}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Store<R, D, L> {
    /// Creates a store, which is unwritten and cut into these tiles until a task writes it by other tiles.
    pub(crate) fn new_in(
        launcher: &Arc<Launcher>,
        extents: Point,
        tiling: Option<&Tiling>,
    ) -> Result<Self, StoreError> {
        let root = launcher.locale.create(&|store| Operation::new::<R>(store, extents, tiling.cloned()))?;
        let elements =
            Elements::new_in(&launcher.locale, extents, root, &|memory, here| agree(launcher, memory, here))?;
        *elements.root.key.lock() = tiling.map(|tiling| Key {
            view: elements.transform.clone(),
            tiling: Arc::new(tiling.clone()),
            complete: true,
            placement: tiling.placement().filter(|_| launcher.locale.net.is_some()).cloned(),
        });
        Ok(Self::of(elements, launcher.clone()))
    }

    /// Creates a view without elements, which has a root of its own with the number of this one. To create it is no operation, since no
    /// other locale ever has to know it.
    fn empty<E: StoreRank>(&self, extents: Point) -> Result<Store<R, E, L>, StoreError> {
        let (locale, number) = (&self.launcher.locale, self.number());
        let elements = Elements::new_in(locale, extents, number, &|_, here| here.map_or(Ok(()), Err))?;
        elements.root.written_everywhere();
        Ok(Store::of(elements, self.launcher.clone()))
    }
}

impl<R: Record, D, L> Store<R, D, L> {
    /// Gives a [`Planner`](crate::Planner) values for the elements of the store, whatever tasks write, so that it can plan reads by an
    /// [`image`](crate::image) of them. The function gets an index of the store as it was created, whatever view this is. On other runtimes
    /// the call does nothing.
    ///
    /// The planner calls the function for the indices of the points of its locale. If the program calls
    /// [`launches`](crate::Planner::launches), it calls the function for the indices of all points, since other locales may ask for
    /// elements. It assumes that any write to a store may change the elements that points reach there.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{ImageHint, Planner, Runtime, Store, image, read};
    ///
    /// let planner = Planner::new(Runtime::builder().locales(1024).pieces(1024).min_chunk(1), 17)?;
    /// let rt = planner.runtime();
    /// let (values, which): (Store<f64, _>, Store<i64, _>) = (rt.create(1 << 20)?, rt.create(1 << 20)?);
    /// values.fill(1.0)?;
    /// which.fill(0)?;
    /// // Each value points to its own element, and those of every 1024th to the first one of all.
    /// which.assume(|at| if at[0] % 1024 == 1023 { 0 } else { at[0] });
    /// rt.task("look")
    ///     .args((read(&which), read(&values)))
    ///     .constrain(|(which, values)| image(which, values, ImageHint::Precise))
    ///     .launch(|_, _| ())?;
    /// let [.., look] = &planner.launches()[..] else { panic!("no launch") };
    /// let received: Vec<_> = look.receives.iter().map(|message| (message.peer, message.bytes)).collect();
    /// assert_eq!((received, look.sends.len()), (vec![(0, 8)], 0));
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    pub fn assume(&self, values: impl Fn(Point) -> R + Send + Sync + 'static) {
        let root = &self.elements.root;
        if let Some(planned) = &root.locale.planned {
            planned.assume::<R>(root.id, Arc::new(values));
        }
    }
}

impl<R, D, L> Clone for Store<R, D, L> {
    fn clone(&self) -> Self {
        Self::of(self.elements.clone(), self.launcher.clone())
    }
}

impl<R, D, L> Drop for Store<R, D, L> {
    fn drop(&mut self) {
        self.elements.root.let_go();
    }
}

impl<R, D, L> fmt::Debug for Store<R, D, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Store of {} of {:?}", core::any::type_name::<R>(), self.elements.transform)
    }
}

//! The memory that the stores of a locale use.

use super::Runtime;
use crate::geometry::Point;
use crate::locale::Root;
use crate::store::Store;

/// The main memory that a locale uses for stores: the result of [`Runtime::memory`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryUse {
    /// All stores, the oldest first.
    pub stores: Vec<StoreMemory>,
    /// The bytes of messages that came here and are not yet unpacked.
    pub messages: usize,
    /// The bytes of message buffers that are kept for the next messages: 1 MiB and their headers at most.
    pub buffers: usize,
    /// All bytes that [`Builder::memory_limit`](crate::Builder::memory_limit) limits: those of stores, also of stores without handles that
    /// tasks still use; of contributions to reductions; of elements that tasks emitted or sent and that can still be taken; of copies in
    /// another [order](crate::Read::ordered); and of elements that the program sees.
    pub charged: usize,
}

/// The main memory that a locale uses for one store, in bytes.
///
/// Memory of the program and files do not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoreMemory {
    /// The number of the store, by which errors name it.
    pub store: u64,
    /// The extents of the whole store.
    pub extents: Point,
    /// For elements that tasks write on this locale, or that are combined here; with one locale, for all elements.
    pub home: usize,
    /// For elements around those, which tasks read together with them, as with [`bloat`](crate::bloat).
    pub margin: usize,
    /// For other elements that tasks read. If memory has no limit, it is kept for a few writes of the elements after the last read.
    pub cache: usize,
}

impl StoreMemory {
    fn of(root: &Root) -> Self {
        let (mut home, mut margin, mut cache) = (0, 0, 0);
        root.storage.for_each(|bytes, own, all| match own {
            None => cache += bytes,
            Some(own) => {
                let share = |own: i64, all: i64| if all == 0 { 1.0 } else { own as f64 / all as f64 };
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of the bytes")]
                let own = ((bytes as f64 * share(own, all)) as usize).min(bytes);
                home += own;
                margin += bytes - own;
            }
        });
        Self { store: root.id, extents: root.extents(), home, margin, cache }
    }

    /// All bytes.
    #[must_use]
    pub fn total(&self) -> usize {
        self.home + self.margin + self.cache
    }
}

impl Runtime {
    /// The main memory that this locale uses for stores now, by store and purpose.
    ///
    /// Tasks that are launched and did not run yet count as if they had run.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store, bloat, read, write};
    ///
    /// let builder = Runtime::builder().locales(4).threads(1);
    /// builder.simulate(|rt| {
    ///     let (old, new): (Store<f64, _>, Store<f64, _>) = (rt.create(1 << 16)?, rt.create(1 << 16)?);
    ///     old.fill(1.0)?;
    ///     rt.task("mean")
    ///         .args((write(&new), read(&old)))
    ///         .constrain(|(new, old)| bloat(new, old, [1], [1]))
    ///         .launch(|task, (mut new, old)| {
    ///             let [at] = task.offset(0, 1);
    ///             for i in 0..new.len() {
    ///                 let (i, last) = (at + i, old.len() - 1);
    ///                 new.set(i - at, (old.get(i.max(1) - 1) + old.get((i + 1).min(last))) / 2.0);
    ///             }
    ///         })?;
    ///     let memory = rt.memory();
    ///     assert_eq!(memory.of(&new).unwrap().home, 8 << 14); // a quarter
    ///     let old = memory.of(&old).unwrap();
    ///     assert!(old.home <= 8 << 14 && old.margin <= 2 * 8 && old.cache == 0); // an element on each side
    ///     rt.fence()
    /// })?;
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    #[must_use]
    pub fn memory(&self) -> MemoryUse {
        let locale = &self.launcher.locale;
        let mut stores: Vec<StoreMemory> = locale.known.all().iter().map(|root| StoreMemory::of(root)).collect();
        // Views without elements have roots of their own.
        stores.dedup_by_key(|memory| memory.store);
        let messages = locale.net.as_ref().map_or(0, |net| net.under_way());
        let buffers = locale.net.as_ref().map_or(0, |net| net.buffers().kept());
        MemoryUse { stores, messages, buffers, charged: locale.budget.used() }
    }
}

impl MemoryUse {
    /// The memory that the locale uses for the root of a store; `None` for a store of another runtime.
    #[must_use]
    pub fn of<R, D, L>(&self, store: &Store<R, D, L>) -> Option<StoreMemory> {
        self.stores.iter().find(|memory| memory.store == store.elements.root.id).copied()
    }
}

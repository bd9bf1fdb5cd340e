//! The memory of a store, lent to tasks. Unsafe code of this crate is here, in `backing.rs` and in `file_bytes.rs`.
//!
//! To use elements, take a [`Hold`] on a box of them first, or on a list of boxes. Holds follow the rule of borrows: any number of readers,
//! or one writer. The task graph orders tasks so that no hold is ever refused. This module checks that each time, for the price of a short
//! lock, and needs to trust nothing else.

use core::any::{Any, TypeId};
// Bytes that views write, and none that order threads: `crate::sync` may put locks in the place of atomic numbers.
use core::sync::atomic::AtomicU64;
use std::sync::Arc;

use layout_core::{
    ArrayExtents, Bytes, Codec, Dim, DynExtents, Exclusive, Heap, IndexArray, LeafTable, Mapped, Mapping, REGION_ALIGN,
    Rank, Record, RecordLayout, RegionAddress, RowMajor, Shared, Sharing, Strided, View, ViewError, part_of,
    part_of_mut,
};
use layout_mappings::SoA;
use smallvec::SmallVec;

use super::strides::Strides;
use super::{Budget, Memory, MemoryError, StoreTarget, Take};
use crate::geometry::{BoxList, DynRank, MAX_RANK, Point, Rect, StoreRank, Transform, push_one};
use crate::sync::Mutex;

/// The message of what cannot happen: types are compared before.
const ANOTHER: &str = "another record or layout than that of the memory";

/// The mapping of the whole memory of a store.
type Whole<R, L> = Mapped<R, DynExtents<1>, L>;
/// The mapping of a tile, which the views of tasks have.
pub type TileMapping<R, D = Dim<1>, L = SoA> = Mapped<
    R,
    ArrayExtents<usize, <<D as StoreRank>::Rank as Rank>::Dynamic<usize>>,
    L,
    Strided<<D as StoreRank>::Rank>,
>;
/// The view of a tile, to read. It is a `View` of `layout`, whose documentation lists its methods.
pub type Tile<'a, R, D = Dim<1>, L = SoA> = View<TileMapping<R, D, L>, Shared<'a, RegionAddress>>;
/// The view of a tile, to write. It is a `View` of `layout`, whose documentation lists its methods.
pub type TileMut<'a, R, D = Dim<1>, L = SoA> = View<TileMapping<R, D, L>, Exclusive<'a, RegionAddress>>;

/// Memory for the elements of a root store in a box: for all elements, or for those of an instance.
pub(crate) struct Region {
    shape: Shape,
    /// `true` if the elements may be written.
    writable: bool,
    /// The reason if there never was memory.
    refused: Option<Box<MemoryError>>,
    /// Other records and layouts that the memory may be read as.
    also: Mutex<SmallVec<[TypeId; 1]>>,
    state: Mutex<State>,
    /// The memory itself, if it is the store's own and a few bytes.
    few: Few,
}

/// Memory to which the elements of a region can be moved.
pub(crate) struct Room {
    memory: Memory,
    base: *mut u8,
    /// The size and the alignment of the region.
    size: (usize, usize),
}

/// A few bytes of memory, which may be written through a shared reference.
#[repr(align(16))]
struct Few([AtomicU64; 8]);

impl Few {
    /// Returns `true` if this number of bytes of this alignment fits.
    fn has_room((size, align): (usize, usize)) -> bool {
        size <= size_of::<Self>() && align <= align_of::<Self>()
    }

    fn zeroed() -> Self {
        Self([const { AtomicU64::new(0) }; 8])
    }

    fn address(&self) -> *mut u8 {
        core::ptr::from_ref(&self.0).cast_mut().cast()
    }
}

/// The shape of the memory.
struct Shape {
    /// The size of the memory, and its alignment.
    size: (usize, usize),
    /// The size of memory for zero elements, with the same alignment.
    none: usize,
    slots: usize,
    /// The record and layout for which the memory was made.
    types: TypeId,
    /// That layout. Another value of its type may have its leaves elsewhere, and `Default` may give one.
    layout: Box<dyn Any + Send + Sync>,
    /// `true` if elements share bytes, so that an access to one is an access to all.
    joined: bool,
    /// The box of all elements in the memory, and their places.
    strides: Strides,
}

/// The memory, and the active holds.
struct State {
    /// `None` after the memory went back to the program.
    memory: Option<Memory>,
    /// The address of the memory, unless the memory is in the region itself, which may move while there are no holds.
    base: RegionAddress,
    next: u64,
    active: Vec<(u64, Held, bool)>,
}

/// The elements of a hold.
#[derive(Clone)]
enum Held {
    Box(Rect),
    List(Arc<BoxList>),
}

impl Held {
    /// Returns `true` if all elements are in a box.
    fn is_within(&self, whole: &Rect) -> bool {
        match self {
            Self::Box(rect) => whole.covers(rect),
            // The box around elements of a box with steps may have others between.
            Self::List(list) => {
                whole.is_plain() && whole.covers(list.hull()) || list.rects().iter().all(|rect| whole.covers(rect))
            }
        }
    }

    /// Returns `true` if the two have common elements.
    fn meets(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Box(rect), Self::Box(other)) => rect.overlaps(other),
            (Self::Box(rect), Self::List(list)) | (Self::List(list), Self::Box(rect)) => list.overlaps(rect),
            (Self::List(list), Self::List(other)) => list.meets(other),
        }
    }
}

impl Shape {
    /// The shape for the elements of a store in a box, with the dimensions in this order in memory, the fastest first.
    fn new<R: Record, L: RecordLayout<R> + Default>(whole: Rect, fastest_first: &[usize]) -> Result<Self, MemoryError> {
        let (strides, slots) = Strides::of(whole, fastest_first);
        let layout = L::default();
        let size = region_size::<R, L>(layout, slots)?;
        let none = region_size::<R, L>(layout, 0)?;
        let joined = <L::Sharing as Sharing>::JOINED || !L::UNIQUE;
        let types = TypeId::of::<(R, L)>();
        let align = <L as RecordLayout<R>>::ALIGN.max(REGION_ALIGN);
        Ok(Self { size: (size, align), none, slots, types, layout: Box::new(layout), joined, strides })
    }

    /// The mapping of `slots` consecutive elements.
    #[inline]
    fn mapping<R: Record, L: RecordLayout<R>>(&self, slots: usize) -> Result<Whole<R, L>, ViewError> {
        let layout = self.layout.downcast_ref::<L>().unwrap_or_else(|| panic!("{ANOTHER}"));
        mapping_of(*layout, slots)
    }

    /// The mapping of the whole memory.
    #[inline]
    fn whole<R: Record, L: RecordLayout<R>>(&self) -> Result<Whole<R, L>, ViewError> {
        self.mapping(self.slots)
    }

    /// Checks that zero bytes are a value of each leaf of the record in the layout.
    fn check_zero<R: Record, L: RecordLayout<R>>(&self) -> Result<(), MemoryError> {
        let table = LeafTable::of::<R>();
        let mut is_computed = false;
        for leaf in 0..table.count() {
            let node = table.leaf(leaf);
            if node.any_bits() {
                continue;
            }
            if <L::Codec as Codec<R, L>>::COMPUTED.contains(leaf) {
                is_computed = true;
            } else if !node.accepts(&vec![0; node.size()]) {
                return Err(MemoryError::Zero { leaf: R::TREE.leaf_name(leaf) });
            }
        }
        if is_computed {
            // The layout says of which values zero bytes are: the same of each element.
            layout_core::View::zeroed(self.mapping::<R, L>(1)?).map_err(|error| match error {
                ViewError::InvalidValue { leaf, .. } => MemoryError::Zero { leaf },
                error => error.into(),
            })?;
        }
        Ok(())
    }
}

impl Region {
    #[inline]
    fn of(shape: Shape, writable: bool, (memory, base): (Memory, *mut u8)) -> Self {
        let base = RegionAddress::new(base);
        let state = State { memory: Some(memory), base, next: 0, active: Vec::new() };
        let (also, few) = (Mutex::default(), Few::zeroed());
        Self { shape, writable, refused: None, also, state: Mutex::new(state), few }
    }

    /// The address of the memory.
    fn base(&self, state: &State) -> RegionAddress {
        match state.memory {
            Some(Memory::Within { .. }) => RegionAddress::new(self.few.address()),
            _ => state.base,
        }
    }

    /// Zeroed memory for the elements of a store in a box, without gaps, with its dimensions in this order in memory, the fastest first.
    #[inline]
    pub(crate) fn new<R: Record, L: RecordLayout<R> + Default>(
        whole: Rect,
        fastest_first: &[usize],
        (target, budget): (&StoreTarget, &Arc<Budget>),
    ) -> Result<Self, MemoryError> {
        let shape = Shape::new::<R, L>(whole, fastest_first)?;
        shape.check_zero::<R, L>()?;
        let few = *target == StoreTarget::Main && Few::has_room((shape.size.0, <L as RecordLayout<R>>::ALIGN));
        let memory = if few { Memory::within(shape.size.0, budget) } else { Memory::new(target, shape.size, budget) };
        Ok(Self::of(shape, true, memory?))
    }

    /// The bytes of memory for the elements of a store in a box, if [`new`](Self::new) makes it.
    pub(crate) fn size_of<R: Record, L: RecordLayout<R> + Default>(
        whole: Rect,
        fastest_first: &[usize],
    ) -> Result<usize, MemoryError> {
        let shape = Shape::new::<R, L>(whole, fastest_first)?;
        shape.check_zero::<R, L>()?;
        Ok(shape.size.0)
    }

    /// A region without memory for the elements in a box: a request for a hold gets the error.
    pub(super) fn refused(whole: Rect, error: MemoryError) -> Self {
        let (strides, types) = (Strides::none(whole), TypeId::of::<()>());
        let layout = Box::new(());
        let shape = Shape { size: (0, REGION_ALIGN), none: 0, slots: 0, types, layout, joined: false, strides };
        Self::without_memory(shape, error)
    }

    /// A region with the shape of [`new`](Self::new), but without memory, in a runtime where nothing is written.
    pub(crate) fn planned<R: Record, L: RecordLayout<R> + Default>(
        whole: Rect,
        fastest_first: &[usize],
    ) -> Result<Self, MemoryError> {
        let shape = Shape::new::<R, L>(whole, fastest_first)?;
        shape.check_zero::<R, L>()?;
        Ok(Self::without_memory(shape, MemoryError::Planned))
    }

    fn without_memory(shape: Shape, error: MemoryError) -> Self {
        // An address that is never used: without memory, there are only holds on zero elements.
        let base = RegionAddress::new(core::ptr::NonNull::<u8>::dangling().as_ptr());
        let state = State { memory: None, base, next: 0, active: Vec::new() };
        let (refused, also, few) = (Some(Box::new(error)), Mutex::default(), Few::zeroed());
        Self { shape, writable: true, refused, also, state: Mutex::new(state), few }
    }

    /// The reason if there never was memory.
    pub(crate) fn why_refused(&self) -> Option<&MemoryError> {
        self.refused.as_deref()
    }

    /// The box of elements in the memory.
    pub(crate) fn rect(&self) -> Rect {
        *self.shape.strides.whole()
    }

    /// Attaches memory of the program, which may be written if `given` is set. Returns the memory if it does not fit.
    pub(crate) fn attached<R: Record, L: RecordLayout<R> + Default, B: Bytes + Send + 'static>(
        extents: Point,
        fastest_first: &[usize],
        memory: B,
        given: Option<Take<B>>,
    ) -> Result<Self, (B, MemoryError)> {
        let fits = || {
            let shape = Shape::new::<R, L>(Rect::of(extents), fastest_first)?;
            // Memory that moves with its owner would change its address when it is stored.
            if B::STABLE_ALIGN != usize::MAX {
                return Err(MemoryError::Moves { what: core::any::type_name::<B>() });
            }
            // SAFETY: the bytes are all initialized and stay where they are, as `Bytes` promises.
            let bytes = unsafe { core::slice::from_raw_parts(memory.as_ptr(), memory.len()) };
            // Refuses bytes that are too few, not aligned, or no values of their types.
            layout_core::View::from_bytes(shape.whole::<R, L>()?, bytes)?;
            Ok(shape)
        };
        match fits() {
            Ok(shape) => Ok(Self::of(shape, given.is_some(), given.unwrap_or(Memory::given)(memory))),
            Err(error) => Err((memory, error)),
        }
    }

    /// Gives the memory back to the program, if the program gave it and there are no holds.
    pub(crate) fn detach(&self) -> Option<Box<dyn Any + Send>> {
        let mut state = self.state.lock();
        if !state.active.is_empty() {
            return None;
        }
        match state.memory.take() {
            Some(Memory::Given(memory)) => Some(memory),
            other => {
                state.memory = other;
                None
            }
        }
    }

    /// The address of the memory, if it is the store's own and there are no holds.
    fn own(&self, state: &State) -> Result<*const u8, MemoryError> {
        let own = match &state.memory {
            Some(Memory::Within { .. }) => Some(self.few.address().cast_const()),
            memory => memory.as_ref().and_then(Memory::own),
        };
        own.filter(|_| state.active.is_empty()).ok_or(MemoryError::Given)
    }

    /// Other memory for all elements, if they can be moved.
    pub(crate) fn room(&self, target: &StoreTarget, budget: &Arc<Budget>) -> Result<Room, MemoryError> {
        self.own(&self.state.lock())?;
        let (memory, base) = Memory::new(target, self.shape.size, budget)?;
        Ok(Room { memory, base, size: self.shape.size })
    }

    /// Moves all elements to other memory, if there are no holds.
    ///
    /// # Panics
    ///
    /// Panics if the memory was made for a region of another size.
    pub(crate) fn move_to(&self, Room { memory, base, size }: Room) -> Result<(), MemoryError> {
        assert_eq!(size, self.shape.size, "memory for another region");
        let mut state = self.state.lock();
        let from = self.own(&state)?;
        // SAFETY: both have as many bytes as `size` says, apart from each other, and nobody holds any of them.
        unsafe { core::ptr::copy_nonoverlapping(from, base, size.0) };
        (state.memory, state.base) = (Some(memory), RegionAddress::new(base));
        Ok(())
    }

    /// The place of the memory; `None` if the memory is the program's.
    pub(crate) fn target(&self) -> Option<StoreTarget> {
        self.state.lock().memory.as_ref().and_then(Memory::target)
    }

    /// Returns `true` if the memory was given back.
    pub(crate) fn is_detached(&self) -> bool {
        self.state.lock().memory.is_none()
    }

    /// Allows the memory to be read as another record and layout from now on. They must have leaves of the same sizes in the same places,
    /// and every bit pattern must be a valid value of these leaves.
    pub(crate) fn accept(&self, types: TypeId) {
        let mut also = self.also.lock();
        if types != self.shape.types && !also.contains(&types) {
            also.push(types);
        }
    }

    /// Returns `true` if the memory may be read as this record and layout.
    fn accepts(&self, types: TypeId) -> bool {
        types == self.shape.types || self.also.lock().contains(&types)
    }

    /// Returns `true` if the elements may be written.
    pub(crate) fn is_writable(&self) -> bool {
        self.writable
    }

    /// The distance in memory, in elements, for a step of the root.
    pub(crate) fn stride_of(&self, step: &Point) -> i64 {
        self.shape.strides.of_step(step)
    }

    /// The dimensions of the root in their order in memory, the fastest first.
    pub(crate) fn fastest_first(&self) -> Vec<usize> {
        self.shape.strides.fastest_first()
    }

    /// Returns `true` if the elements in a box are without gaps, with the dimensions in this order, the fastest first.
    pub(crate) fn are_packed(&self, rect: &Rect, fastest_first: &[usize]) -> bool {
        self.shape.strides.are_packed(rect, fastest_first)
    }

    /// The bytes of main memory of the region.
    pub(crate) fn main_memory(&self) -> usize {
        let is_main = matches!(self.state.lock().memory, Some(Memory::Main { .. } | Memory::Within { .. }));
        if is_main { self.shape.size.0 } else { 0 }
    }

    /// Returns `true` if elements share bytes, so that no two tiles can be written at once.
    pub(crate) fn is_joined(&self) -> bool {
        self.shape.joined
    }

    /// All elements that share bytes with those in `rect`.
    pub(crate) fn reach(&self, rect: &Rect) -> Rect {
        if self.shape.joined && !rect.is_empty() { *self.shape.strides.whole() } else { *rect }
    }

    /// Takes a hold on the elements in `rect`, to read or to write.
    ///
    /// `None` if another hold has some of the elements, unless both only read; if the elements are not there; or if they are read-only and
    /// the hold is to write. The box must lie within the extents: an index beyond them has the place of an element that is not held.
    ///
    /// A box without elements has memory of its own, for zero elements: the graph orders nothing after its use, and the memory of the store
    /// may be moved or given back meanwhile.
    pub(crate) fn hold(&self, rect: &Rect, write: bool) -> Option<Hold<'_>> {
        if rect.is_empty() {
            if self.refused.is_some() {
                return None;
            }
            let none = Heap::zeroed(self.shape.none, self.shape.size.1).ok()?;
            let base = RegionAddress::new(none.as_ptr().cast_mut());
            return Some(Hold { region: self, base, id: 0, held: Held::Box(*rect), write, none: Some(none.into()) });
        }
        self.hold_of(Held::Box(self.reach(rect)), write)
    }

    /// [`hold`](Self::hold) on the elements in all boxes of a list, some of which are not empty.
    pub(crate) fn hold_list(&self, list: &Arc<BoxList>, write: bool) -> Option<Hold<'_>> {
        let held = if self.shape.joined { Held::Box(self.reach(list.hull())) } else { Held::List(list.clone()) };
        self.hold_of(held, write)
    }

    fn hold_of(&self, held: Held, write: bool) -> Option<Hold<'_>> {
        if self.refused.is_some() {
            return None;
        }
        let mut state = self.state.lock();
        let busy = |(_, other, writes): &(u64, Held, bool)| (write || *writes) && other.meets(&held);
        let there = state.memory.is_some() && held.is_within(self.shape.strides.whole());
        if write && !self.writable || !there || state.active.iter().any(busy) {
            return None;
        }
        state.next += 1;
        let id = state.next;
        push_one(&mut state.active, (id, held.clone(), write));
        Some(Hold { region: self, base: self.base(&state), id, held, write, none: None })
    }

    /// The view of the elements that `transform` shows in `rect`, in memory without holds.
    pub(crate) fn view<R, D, L>(&mut self, transform: &Transform, rect: &Rect) -> Result<Tile<'_, R, D, L>, ViewError>
    where
        R: Record,
        D: StoreRank,
        L: RecordLayout<R> + Default,
    {
        let (base, Placed { extents, offset, strides }) = self.place_alone::<R, D, L>(transform, rect);
        let whole = self.shape.whole::<R, L>()?;
        // SAFETY: the memory was made for this record, as `place` checked, and layout, with values of every leaf. The region,
        // which keeps the memory, is borrowed mutably as long as there is the view: a hold borrows it, so that there is none
        // by which somebody writes.
        unsafe { part_of::<_, D::Rank>(&whole, extents, offset, strides, base) }
    }

    /// The view of the elements that `transform` shows in `rect`, to write, in memory without holds.
    pub(crate) fn view_mut<R, D, L>(
        &mut self,
        transform: &Transform,
        rect: &Rect,
    ) -> Result<TileMut<'_, R, D, L>, ViewError>
    where
        R: Record,
        D: StoreRank,
        L: RecordLayout<R> + Default,
    {
        assert!(self.writable, "memory to be read only");
        let (base, Placed { extents, offset, strides }) = self.place_alone::<R, D, L>(transform, rect);
        let whole = self.shape.whole::<R, L>()?;
        // SAFETY: as in `view`: no hold, and no other view, is there as long as this one.
        unsafe { part_of_mut::<_, D::Rank>(&whole, extents, offset, strides, base) }
    }

    /// The place of elements in memory without holds, and its address.
    ///
    /// # Panics
    ///
    /// Panics as [`place`](Self::place) does, and if the memory was given back.
    fn place_alone<R: Record, D: StoreRank, L: RecordLayout<R>>(
        &mut self,
        transform: &Transform,
        rect: &Rect,
    ) -> (RegionAddress, Placed<D::Array>) {
        let state = self.state.lock();
        assert!(state.memory.is_some(), "memory that is not there");
        let place = self.place::<R, D, L>(self.shape.strides.whole(), Some(transform), rect);
        (self.base(&state), place)
    }

    /// [`place`](Self::place) of elements of a root of one dimension: of thousands of small boxes of a message. `None` for another root, and
    /// without elements.
    fn place_line<R: Record, L: RecordLayout<R>>(&self, held: &Rect, rect: &Rect) -> Option<Placed<[usize; 1]>> {
        if rect.rank() != 1 || rect.is_empty() {
            return None;
        }
        assert!(self.accepts(TypeId::of::<(R, L)>()), "{ANOTHER}");
        assert!(held.covers(rect), "{rect} of a root is not within {held}, which is held");
        let (lies, size) = (&self.shape.strides, rect.extents()[0]);
        // As in `place`.
        let stride = if size == 1 { 0 } else { lies.of_step(&rect.steps()) };
        Some(Placed {
            extents: [usize::try_from(size).unwrap_or(0)],
            offset: usize::try_from(lies.at(&rect.lo())).unwrap_or(usize::MAX),
            strides: [isize::try_from(stride).unwrap_or(0)],
        })
    }

    /// The place of the elements that `transform` shows in `rect`, or, without a transform, of those of the root in `rect`.
    ///
    /// # Panics
    ///
    /// Panics if the elements are not in `held`, or the types are not those of the memory.
    fn place<R: Record, D: StoreRank, L: RecordLayout<R>>(
        &self,
        held: &Rect,
        transform: Option<&Transform>,
        rect: &Rect,
    ) -> Placed<D::Array> {
        assert!(self.accepts(TypeId::of::<(R, L)>()), "{ANOTHER}");
        let lies = &self.shape.strides;
        let reached = transform.map_or(*rect, |transform| transform.root_rect(rect));
        assert!(held.covers(&reached), "{reached} of a root is not within {held}, which is held");
        let rank = <D::Array as IndexArray>::RANK;
        // If the store has fewer dimensions than the view, the first ones have one index.
        let first = rank - rect.rank();
        assert!(first == 0 || rank == MAX_RANK, "a view of {rank} dimensions of a box of {}", rect.rank());
        let (mut extents, mut strides) = (D::Array::ZERO, D::Array::NO_STRIDES);
        extents.as_mut()[..first].fill(1);
        let size = rect.extents();
        for dim in 0..rect.rank() {
            extents.as_mut()[first + dim] = usize::try_from(size[dim]).unwrap_or(0);
        }
        if rect.is_empty() {
            // Without elements, other extents may have any size, and strides need not fit.
            return Placed { extents, offset: 0, strides };
        }
        // The step from an index of `rect` to the next one along a dimension: both are held, and so are in the memory, which has a place
        // for each index of its own box and no gaps.
        let every = rect.steps();
        for dim in 0..rect.rank() {
            let step = match transform {
                Some(transform) if every[dim] == 1 => transform.column(dim),
                Some(transform) => transform.column(dim).iter().map(|moves| moves * every[dim]).collect(),
                // With one index, the step leads nowhere and may be any.
                None if size[dim] == 1 => Point::splat(rect.rank(), 0),
                None => Point::unit(rect.rank(), dim).with(dim, every[dim]),
            };
            // Strides are at most the number of elements, which fits, as extents do.
            strides.as_mut()[first + dim] = isize::try_from(lies.of_step(&step)).unwrap_or(0);
        }
        let start = lies.at(&transform.map_or(rect.lo(), |transform| transform.root_index(rect.lo())));
        Placed { extents, offset: usize::try_from(start).unwrap_or(usize::MAX), strides }
    }
}

/// The mapping of `slots` consecutive elements.
#[inline]
fn mapping_of<R: Record, L: RecordLayout<R>>(layout: L, slots: usize) -> Result<Whole<R, L>, ViewError> {
    Ok(Mapped::with(ArrayExtents::new([slots])?, layout, RowMajor)?)
}

/// The bytes of memory for `slots` elements.
fn region_size<R: Record, L: RecordLayout<R>>(layout: L, slots: usize) -> Result<usize, ViewError> {
    Ok(mapping_of::<R, L>(layout, slots)?.layout().region_size(slots))
}

/// The right to read or write the elements in a box, or in a list of boxes, as long as the value lives.
pub(crate) struct Hold<'r> {
    region: &'r Region,
    base: RegionAddress,
    id: u64,
    held: Held,
    write: bool,
    /// The memory of a box without elements.
    none: Option<Box<Heap>>,
}

/// The view of a box.
pub(crate) enum Boxed<Row, Rows> {
    /// All elements are one row.
    Row(Row),
    Rows(Rows),
}

/// A box to read.
type BoxedTile<'r, R, L> = Boxed<Tile<'r, R, Dim<1>, L>, Tile<'r, R, DynRank, L>>;
/// A box to write.
type BoxedTileMut<'r, R, L> = Boxed<TileMut<'r, R, Dim<1>, L>, TileMut<'r, R, DynRank, L>>;

/// The place of a tile in the memory of its root.
struct Placed<A: IndexArray> {
    extents: A,
    offset: usize,
    strides: A::Strides,
}

impl Placed<[usize; MAX_RANK]> {
    /// The same elements along one dimension, in row-major order, if there are some and each is as far from the one before.
    fn row(&self) -> Option<Placed<[usize; 1]>> {
        let (mut len, mut stride) = (1, 1);
        for (&extent, &step) in self.extents.iter().zip(&self.strides).rev().filter(|(extent, _)| **extent != 1) {
            if len == 1 {
                (len, stride) = (extent, step);
            } else if step == stride.wrapping_mul(len.cast_signed()) {
                len = len.wrapping_mul(extent);
            } else {
                return None;
            }
        }
        (len > 0).then_some(Placed { extents: [len], offset: self.offset, strides: [stride] })
    }
}

impl Hold<'_> {
    /// The box that is held, or box `number` of the list that is held.
    ///
    /// # Panics
    ///
    /// Panics if the list has no such box.
    fn held(&self, number: usize) -> &Rect {
        match &self.held {
            Held::Box(rect) => rect,
            Held::List(list) => &list.rects()[number],
        }
    }

    /// The box that is held.
    ///
    /// # Panics
    ///
    /// Panics if a list is held.
    fn held_alone(&self) -> &Rect {
        match &self.held {
            Held::Box(rect) => rect,
            Held::List(_) => panic!("a list of boxes is held, which are used one by one"),
        }
    }

    /// The view of the elements that `transform` shows in `rect`, or of the elements of the root in `rect`; they must be held as one box.
    pub(crate) fn view<R, D, L>(
        &self,
        transform: Option<&Transform>,
        rect: &Rect,
    ) -> Result<Tile<'_, R, D, L>, ViewError>
    where
        R: Record,
        D: StoreRank,
        L: RecordLayout<R> + Default,
    {
        self.tile::<R, D, L>(self.region.place::<R, D, L>(self.held_alone(), transform, rect))
    }

    /// [`view`](Self::view) to write.
    pub(crate) fn view_mut<R, D, L>(
        &mut self,
        transform: Option<&Transform>,
        rect: &Rect,
    ) -> Result<TileMut<'_, R, D, L>, ViewError>
    where
        R: Record,
        D: StoreRank,
        L: RecordLayout<R> + Default,
    {
        let placed = self.region.place::<R, D, L>(self.held_alone(), transform, rect);
        self.tile_mut::<R, D, L>(placed)
    }

    /// The elements of the root in `rect`, as one row in row-major order if they lie so. They are in the box that is held, or in box `number`
    /// of the list that is held.
    pub(crate) fn boxed<R, L>(&self, number: usize, rect: &Rect) -> Result<BoxedTile<'_, R, L>, ViewError>
    where
        R: Record,
        L: RecordLayout<R> + Default,
    {
        let held = self.held(number);
        if let Some(row) = self.region.place_line::<R, L>(held, rect) {
            return Ok(Boxed::Row(self.tile::<R, Dim<1>, L>(row)?));
        }
        let placed = self.region.place::<R, DynRank, L>(held, None, rect);
        Ok(match placed.row() {
            Some(row) => Boxed::Row(self.tile::<R, Dim<1>, L>(row)?),
            None => Boxed::Rows(self.tile::<R, DynRank, L>(placed)?),
        })
    }

    /// [`boxed`](Self::boxed) to write.
    pub(crate) fn boxed_mut<R, L>(&mut self, number: usize, rect: &Rect) -> Result<BoxedTileMut<'_, R, L>, ViewError>
    where
        R: Record,
        L: RecordLayout<R> + Default,
    {
        let held = self.held(number);
        if let Some(row) = self.region.place_line::<R, L>(held, rect) {
            return Ok(Boxed::Row(self.tile_mut::<R, Dim<1>, L>(row)?));
        }
        let placed = self.region.place::<R, DynRank, L>(held, None, rect);
        Ok(match placed.row() {
            Some(row) => Boxed::Row(self.tile_mut::<R, Dim<1>, L>(row)?),
            None => Boxed::Rows(self.tile_mut::<R, DynRank, L>(placed)?),
        })
    }

    /// The elements of the root in `rect`, as for [`boxed`](Self::boxed), whether they are one row or not.
    pub(crate) fn rows<R, L>(&self, number: usize, rect: &Rect) -> Result<Tile<'_, R, DynRank, L>, ViewError>
    where
        R: Record,
        L: RecordLayout<R> + Default,
    {
        self.tile::<R, DynRank, L>(self.region.place::<R, DynRank, L>(self.held(number), None, rect))
    }

    /// [`rows`](Self::rows) to write.
    pub(crate) fn rows_mut<R, L>(&mut self, number: usize, rect: &Rect) -> Result<TileMut<'_, R, DynRank, L>, ViewError>
    where
        R: Record,
        L: RecordLayout<R> + Default,
    {
        let placed = self.region.place::<R, DynRank, L>(self.held(number), None, rect);
        self.tile_mut::<R, DynRank, L>(placed)
    }

    /// The view of elements, which lie in the boxes that are held.
    fn tile<R, D, L>(&self, placed: Placed<D::Array>) -> Result<Tile<'_, R, D, L>, ViewError>
    where
        R: Record,
        D: StoreRank,
        L: RecordLayout<R> + Default,
    {
        let (whole, Placed { extents, offset, strides }) = (self.whole::<R, L>()?, placed);
        // SAFETY: the memory was made for this record, as `place` checked, and layout, with all bytes zero, which is a
        // value of every leaf in the layout, as was checked then, or with bytes of the program that were checked; it stays as long as
        // there is a hold. The elements are among those that are held, so that nothing writes to them, nor to bytes that
        // they share with others. For no elements it is memory of the hold's own, of the size that `whole` asserts. Memory in
        // the region itself, which may be written where it is shared, does not move as long as the hold borrows the region.
        unsafe { part_of::<_, D::Rank>(&whole, extents, offset, strides, self.base) }
    }

    /// [`tile`](Self::tile) to write.
    fn tile_mut<R, D, L>(&mut self, placed: Placed<D::Array>) -> Result<TileMut<'_, R, D, L>, ViewError>
    where
        R: Record,
        D: StoreRank,
        L: RecordLayout<R> + Default,
    {
        assert!(self.write, "held to read");
        let (whole, Placed { extents, offset, strides }) = (self.whole::<R, L>()?, placed);
        // SAFETY: as in `tile`; what is held to write is held by nobody else, and `self` is borrowed mutably.
        unsafe { part_of_mut::<_, D::Rank>(&whole, extents, offset, strides, self.base) }
    }

    /// The mapping of the memory: of the whole store, or of zero elements.
    #[inline]
    fn whole<R: Record, L: RecordLayout<R> + Default>(&self) -> Result<Whole<R, L>, ViewError> {
        if self.none.is_none() {
            return self.region.shape.whole();
        }
        // The memory may be read as another record than the one that it was made for.
        let none = self.region.shape.mapping::<R, L>(0)?;
        assert!(none.layout().region_size(0) <= self.region.shape.none, "memory for no elements of another record");
        Ok(none)
    }
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        if self.none.is_some() {
            return;
        }
        let mut state = self.region.state.lock();
        if let Some(at) = state.active.iter().position(|(id, ..)| *id == self.id) {
            state.active.swap_remove(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(lo: i64, hi: i64) -> Rect {
        Rect::new([lo].into(), [hi].into())
    }

    /// Every `step`-th element from `first` on, each in a box of its own.
    fn every(step: usize, first: i64) -> Arc<BoxList> {
        BoxList::new((first..60).step_by(step).map(|at| line(at, at + 1)).collect(), 1).into()
    }

    #[test]
    fn a_list_is_held_apart_from_the_boxes_between() {
        let budget = Budget::new(usize::MAX, usize::MAX);
        let region = Region::new::<u32, SoA>(line(0, 64), &[0], (&StoreTarget::Main, &budget)).unwrap();
        let held = |list: &Arc<BoxList>, write: bool| region.hold_list(list, write);
        let odd = held(&every(2, 1), true).unwrap();
        assert!(held(&every(2, 1), false).is_none() && held(&every(3, 0), false).is_none());
        assert!(region.hold(&line(0, 2), false).is_none() && region.hold(&line(59, 60), false).is_none());
        let beside = [region.hold(&line(60, 64), true), region.hold(&line(0, 1), true), held(&every(4, 2), true)];
        assert!(beside.iter().all(Option::is_some));
        drop((odd, beside));
        let readers = [held(&every(2, 1), false), held(&every(3, 0), false), region.hold(&line(0, 64), false)];
        assert!(readers.iter().all(Option::is_some) && held(&every(2, 1), true).is_none());
        drop(readers);
        // A list beyond the memory, and in memory for every second element, of which the box around has all.
        let beyond = Arc::new(BoxList::new(vec![line(0, 1), line(64, 65)], 1));
        assert!(held(&beyond, false).is_none());
        let even = Region::new::<u32, SoA>(line(0, 64).step(0, 2), &[0], (&StoreTarget::Main, &budget)).unwrap();
        assert!(even.hold_list(&every(4, 2), true).is_some() && even.hold_list(&every(3, 0), true).is_none());
    }

    #[test]
    fn boxes_of_a_list_are_viewed_one_by_one() {
        let budget = Budget::new(usize::MAX, usize::MAX);
        let region = Region::new::<u32, SoA>(line(0, 64), &[0], (&StoreTarget::Main, &budget)).unwrap();
        let list = BoxList::new(vec![line(3, 5), line(10, 20).step(0, 4), line(60, 64)], 1).into();
        let mut hold = region.hold_list(&list, true).unwrap();
        for (number, rect) in list.rects().iter().enumerate() {
            let Ok(Boxed::Row(mut row)) = hold.boxed_mut::<u32, SoA>(number, rect) else {
                panic!("elements of a line")
            };
            (0..row.len()).for_each(|at| row.set(at, u32::try_from(10 * (number + 1) + at).unwrap()));
        }
        drop(hold);
        let whole = region.hold(&line(0, 64), false).unwrap();
        let all = whole.view::<u32, Dim<1>, SoA>(None, &line(0, 64)).unwrap();
        let found: Vec<(usize, u32)> = (0..64).map(|at| (at, all.load(at))).filter(|(_, value)| *value > 0).collect();
        let expected = [(3, 10), (4, 11), (10, 20), (14, 21), (18, 22), (60, 30), (61, 31), (62, 32), (63, 33)];
        assert_eq!(found, expected);
        let refused = |rect: Rect, number: usize| {
            let hold = region.hold_list(&list, false).unwrap();
            std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| _ = hold.boxed::<u32, SoA>(number, &rect)))
                .is_err()
        };
        assert!(refused(line(3, 6), 0) && refused(line(3, 5), 1) && refused(line(3, 5), 3) && !refused(line(3, 5), 0));
    }

    #[test]
    #[should_panic(expected = "used one by one")]
    fn a_list_is_not_viewed_as_a_whole() {
        let budget = Budget::new(usize::MAX, usize::MAX);
        let region = Region::new::<u32, SoA>(line(0, 64), &[0], (&StoreTarget::Main, &budget)).unwrap();
        let hold = region.hold_list(&every(2, 1), false).unwrap();
        let _ = hold.view::<u32, Dim<1>, SoA>(None, &line(1, 2));
    }
}

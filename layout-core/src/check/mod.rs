//! Checks that layouts keep the promises of `RecordLayout` and `Codec`.
//!
//! ```text
//! values     records of any leaves, drawn at random; the bytes of each leaf; one leaf written alone
//! places     what a mapping says, as numbers: checked before any byte is touched
//! ```

mod places;
mod values;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::type_name;
use core::fmt;

use places::Places;
use values::{Lanes4, LeafBytes, Memory, OneLeaf, Random, bytes_of};

use crate::blob::BlobsMut;
use crate::extents;
use crate::leaf_table::LeafTable;
use crate::linearization::RowMajor;
use crate::mapping::{Mapped, Mapping, Position, RecordLayout};
use crate::path::Root;
use crate::record::Record;
use crate::view::{Owned, View, indices, step};

/// Checks the layout `L` of records `R` at several sizes; see [`Check`].
///
/// # Panics
///
/// Panics at the first broken promise, with the leaf and the index of the element.
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
///
/// layout::author::check::<[u16; 3], AoSoA<4>>();
/// ```
#[track_caller]
pub fn check<R: Record, L: RecordLayout<R> + Default>() {
    Check::new().layout(L::default());
}

/// A check of layouts of records `R`, with the values that it uses. It checks:
///
/// * Each leaf of each element lies within its blob, and within one piece of memory for all blobs, at a multiple of its
///   alignment if the layout says so. No two leaves share a bit, nor a byte if [`Sharing`](RecordLayout::Sharing) is
///   [`Apart`](crate::Apart).
/// * Places agree with the constants [`PLACES`](RecordLayout::PLACES), and sizes are within
///   [`MOST`](RecordLayout::MOST).
/// * Values that are written are read back, by element and by leaf, physical or computed, in random order. Nothing else
///   changes: no other leaf, and no bit of memory that belongs to no leaf. Physical leaves lie in memory unchanged.
/// * Copies, lanes and accesses to single elements agree.
///
/// Places are checked first, before any memory is touched.
///
/// # Examples
///
/// A layout that stores `f64` as `f32` returns other values than were written, and a layout may need state:
///
/// ```
/// use layout::author::Check;
/// use layout::bits::{BitPackedIntSoA, DynBits};
/// use layout::composed::ChangeType;
/// use layout::prelude::*;
///
/// Check::<[f64; 2]>::new().stored(|[a, b]| [f64::from(a as f32), f64::from(b as f32)]).layout(
///     ChangeType::<SoA, f64, f32>::default()
/// );
/// Check::<u32>::new().values(|random| random as u32 % 1024).layout(BitPackedIntSoA::<_>::new(DynBits(10)));
/// ```
pub struct Check<R> {
    value: Option<Box<dyn Fn(u64) -> R>>,
    stored: fn(R) -> R,
}

impl<R> fmt::Debug for Check<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Check").finish_non_exhaustive()
    }
}

impl<R: Record> Default for Check<R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<R: Record> Check<R> {
    /// Makes a check with values of all bit patterns, for layouts that return values unchanged.
    #[must_use]
    pub fn new() -> Self {
        Self { value: None, stored: |value| value }
    }

    /// Uses the values that `value` makes of random numbers.
    #[must_use]
    pub fn values(self, value: impl Fn(u64) -> R + 'static) -> Self {
        Self { value: Some(Box::new(value)), ..self }
    }

    /// Expects the layout to return `stored(value)` for a value, leaf by leaf.
    #[must_use]
    pub fn stored(self, stored: fn(R) -> R) -> Self {
        Self { stored, ..self }
    }

    /// Checks a layout with 0 to 130 elements.
    ///
    /// # Panics
    ///
    /// Panics if the layout breaks a promise, or cannot be used for this record.
    #[track_caller]
    pub fn layout<L: RecordLayout<R>>(&self, layout: L) {
        for len in [0, 1, 2, 3, 8, 31, 64, 65, 130] {
            match Mapped::<R, _, L>::with(extents!(dyn len), layout, RowMajor) {
                Ok(mapping) => self.mapping(mapping),
                Err(error) => panic!("{}, {len} elements: {error}", Name::of::<R, L>()),
            }
        }
        let mapping = Mapped::<R, _, L>::with(extents!(dyn 37), layout, RowMajor).expect("other sizes are fine");
        if mapping.is_unique() {
            self.copies(mapping);
        }
    }

    /// Checks the places of a mapping, without touching memory.
    ///
    /// # Panics
    ///
    /// Panics if the layout breaks a promise.
    #[track_caller]
    pub fn places<M: Mapping<Record = R>>(&self, mapping: M) {
        Places::of(&mapping);
    }

    /// Checks a mapping, in one piece of memory for all blobs.
    ///
    /// # Panics
    ///
    /// Panics if the layout breaks a promise.
    #[track_caller]
    pub fn mapping<M: Mapping<Record = R>>(&self, mapping: M) {
        let (places, mut random) = (Places::of(&mapping), Random(1));
        if !mapping.is_unique() {
            // Such a mapping is read-only.
            return;
        }
        let mut memory = places.memory(places.region_size, &mut random);
        if let Some(view) = self.valid(mapping, &mut random) {
            for (blob, start) in places.starts.iter().enumerate() {
                memory.fill(*start, view.blob_bytes(blob), &places.taken[blob]);
            }
        }
        let before = memory.clone();
        let records = match View::from_bytes(mapping, memory.bytes_mut()) {
            Ok(mut view) => self.write(&mut view, &places, &mut random),
            Err(error) => panic!("{}, in {} bytes: {error}", places.name, places.region_size),
        };
        places.assert_stored(&memory, &before, None, &records);
    }

    /// Checks a mapping of `N` blobs, each in memory of its own.
    ///
    /// # Panics
    ///
    /// Panics in the cases of [`mapping`](Self::mapping), and if there are not `N` blobs.
    #[track_caller]
    pub fn blobs<M: Mapping<Record = R>, const N: usize>(&self, mapping: M) {
        let (places, mut random) = (Places::of(&mapping), Random(2));
        if !mapping.is_unique() {
            // Such a mapping is read-only.
            return;
        }
        let valid = self.valid(mapping, &mut random);
        let mut memories: [Memory; N] = core::array::from_fn(|blob| {
            let mut memory = places.memory(places.sizes[blob], &mut random);
            if let Some(view) = &valid {
                memory.fill(0, view.blob_bytes(blob), &places.taken[blob]);
            }
            memory
        });
        let before = memories.clone();
        let records = match View::from_blobs_mut(mapping, memories.each_mut().map(Memory::bytes_mut)) {
            Ok(mut view) => self.write(&mut view, &places, &mut random),
            Err(error) => panic!("{}, in {N} blobs: {error}", places.name),
        };
        for (blob, (memory, before)) in memories.iter().zip(&before).enumerate() {
            places.assert_stored(memory, before, Some(blob), &records);
        }
    }

    /// A view of random records, or `None` if all bytes are values of the leaves' types.
    fn valid<M: Mapping<Record = R>>(&self, mapping: M, random: &mut Random) -> Option<Owned<M>> {
        // A constant chooses the function, so it is compiled only where it is called.
        let drawn = const {
            if LeafTable::of::<R>().any_bits() { None } else { Some(Self::drawn::<M> as fn(_, _, &mut _) -> _) }
        };
        drawn.map(|drawn| drawn(self, mapping, random))
    }

    fn drawn<M: Mapping<Record = R>>(&self, mapping: M, random: &mut Random) -> Owned<M> {
        match View::from_fn(mapping, |_| self.draw(random)) {
            Ok(view) => view,
            Err(error) => panic!("{}: {error}", Name::of::<R, M::Layout>()),
        }
    }

    fn draw(&self, random: &mut Random) -> R {
        match &self.value {
            Some(value) => value(random.next()),
            None => random.record(),
        }
    }

    /// Writes whole elements and single leaves at random, compares the view with a list of records, and returns that list.
    fn write<M, B>(&self, view: &mut View<M, B>, places: &Places, random: &mut Random) -> Vec<LeafBytes>
    where
        M: Mapping<Record = R>,
        B: BlobsMut,
    {
        let (leaves, mapping) = (R::TREE.leaves(), view.mapping());
        let positions: Vec<_> = indices(view.extents()).filter_map(|index| mapping.locate(index)).collect();
        let mut records: Vec<_> = positions.iter().map(|position| bytes_of(view.loaded(*position))).collect();
        for _ in 0..3 * records.len() {
            let (k, leaf, value) = (random.below(records.len()), random.below(leaves + 2), self.draw(random));
            let (stored, access) = (bytes_of((self.stored)(value)), view.access_mut(positions[k]));
            if leaf < leaves {
                value.store(&mut R::bind::<_, Root<R>>(OneLeaf::new(access, leaf)));
                records[k][leaf].clone_from(&stored[leaf]);
            } else {
                value.store(&mut R::bind::<_, Root<R>>(access));
                records[k] = stored;
            }
            places.assert_read(k, &records[k], &bytes_of(view.loaded(positions[k])));
        }
        for (k, record) in records.iter().enumerate() {
            places.assert_read(k, record, &bytes_of(view.loaded(positions[k])));
        }
        records
    }

    /// Compares copies and lanes with single elements.
    fn copies<L: RecordLayout<R>>(&self, mapping: Mapped<R, extents!(type dyn), L>) {
        let (places, mut random) = (Places::of(&mapping), Random(3));
        let mut view = self.drawn(mapping, &mut random);
        let records: Vec<_> = view.to_vec().into_iter().map(bytes_of).collect();
        let mut copy = self.drawn(mapping, &mut random);
        copy.copy_from(&view).expect("of equal extents");
        for (k, record) in copy.to_vec().into_iter().enumerate() {
            places.assert_read(k, &records[k], &bytes_of(record));
        }
        copy.slice_mut((step(.., -1),)).copy_from(&view).expect("of equal extents");
        for (k, record) in copy.to_vec().into_iter().rev().enumerate() {
            places.assert_read(k, &records[k], &bytes_of(record));
        }
        let grouped = L::RUN == usize::MAX || L::RUN.is_multiple_of(4);
        for first in (0..records.len() - 3).step_by(4).filter(|_| grouped) {
            let access = view.access_mut(L::Position::of(first, L::RUN));
            // SAFETY: positions are the indices of elements; runs end at multiples of four, or nowhere.
            unsafe { Lanes4::check(access, first, places.name) };
        }
    }
}

/// The names of a layout and its record, for messages.
#[derive(Clone, Copy)]
struct Name {
    layout: &'static str,
    record: &'static str,
}

impl Name {
    fn of<R, L>() -> Self {
        Self { layout: type_name::<L>(), record: type_name::<R>() }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "layout `{}` of `{}`", self.layout, self.record)
    }
}

//! The four checks of a composition: in bounds, aligned, without overlap, and equal to a `Vec` of structs.

use core::any::type_name;

use layout::{
    Blobs, BlobsMut, Codec, DynExtents, Element, LeafTable, Mapped, Mapping, Path, Place, Record, RecordLayout,
    RegionAddress, Select, View, extents, leaf_bytes,
};

use crate::memory::{assert_written_within, claim, lists};
use crate::record::{Hit, VisitPath};
use support::buffer::Buffer;
use support::listed::Listed;
use support::random::Random;

pub(crate) type ListedHits<L> = Mapped<Hit, DynExtents<1>, L, Listed>;

/// Compositions that were checked.
pub(crate) struct Tally {
    pub(crate) compositions: usize,
    random: Random,
    lists: Vec<Listed>,
}

impl Tally {
    pub(crate) fn new() -> Self {
        Self { compositions: 0, random: Random(1), lists: lists() }
    }

    /// Checks the layout `L`, of `N` blobs, which gives `stored(value)` back for a value.
    pub(crate) fn check<L: RecordLayout<Hit> + Default, const N: usize>(&mut self, stored: fn(Hit) -> Hit) {
        self.compositions += 1;
        for list in &self.lists {
            let mapping = ListedHits::<L>::with(extents!(dyn list.positions.len()), L::default(), *list).unwrap();
            let facts = Facts::of(&mapping);
            let owned = facts.check();

            let mut region = Buffer::at(0, facts.region_size);
            let mut view = View::from_bytes(mapping, region.bytes_mut()).unwrap();
            write(&mut view, stored, &mut self.random);
            let address = view.into_blobs().address();
            for k in 0..list.positions.len() {
                let (element, other) = (position(&mapping, k), position(&mapping, (k + 1) % list.positions.len()));
                let frame = mapping.frame();
                Hit::each_path(&mut Forms::<L> { address, frame, element, other });
            }
            assert_written_within(&region, &facts.in_region(&owned));

            let mut blobs: Vec<Buffer> = facts.blob_sizes.iter().map(|size| Buffer::at(0, *size)).collect();
            let mut bytes = blobs.iter_mut().map(Buffer::bytes_mut);
            let bytes: [&mut [u8]; N] = core::array::from_fn(|_| bytes.next().unwrap());
            write(&mut View::from_blobs_mut(mapping, bytes).unwrap(), stored, &mut self.random);
            for (blob, owned) in blobs.iter().zip(&owned) {
                assert_written_within(blob, owned);
            }
        }
    }
}

/// The position of element `k`.
fn position<L: RecordLayout<Hit>>(mapping: &ListedHits<L>, k: usize) -> L::Position {
    mapping.checked_position([k], 0)
}

/// What a mapping says of each leaf of each element.
struct Facts {
    name: &'static str,
    aligned: bool,
    blob_sizes: Vec<usize>,
    blob_starts: Vec<usize>,
    region_size: usize,
    leaves: Vec<Fact>,
}

struct Fact {
    /// Its blob, and its bits there.
    bits: Vec<(usize, core::ops::Range<usize>)>,
    /// The place and the offset in one allocation, size and alignment, if it is physical.
    physical: Option<(Place, usize, usize, usize)>,
}

impl Facts {
    fn of<L: RecordLayout<Hit>>(mapping: &ListedHits<L>) -> Self {
        let (table, frame) = (LeafTable::of::<Hit>(), mapping.frame());
        let mut leaves = Vec::new();
        for k in 0..mapping.linearization().positions.len() {
            for leaf in 0..table.count() {
                let mut bits = Vec::new();
                mapping.bits_of([k], leaf, &mut |range| bits.push((range.blob, range.start..range.start + range.bits)));
                let (size, align) = (table.leaf(leaf).size(), table.leaf(leaf).align());
                let physical = (!<L::Codec as Codec<Hit, L>>::COMPUTED.contains(leaf)).then(|| {
                    let place = mapping.place_of([k], leaf);
                    (place, L::blob_start(frame, place.blob) + place.offset, size, align)
                });
                leaves.push(Fact { bits, physical });
            }
        }
        Self {
            name: type_name::<L>(),
            aligned: L::ALIGNED,
            blob_sizes: (0..L::BLOBS).map(|blob| mapping.blob_size(blob)).collect(),
            blob_starts: (0..L::BLOBS).map(|blob| L::blob_start(frame, blob)).collect(),
            region_size: mapping.layout().region_size(mapping.slots()),
            leaves,
        }
    }

    /// Checks them, and gives the bits of each blob that leaves own.
    fn check(&self) -> Vec<Vec<u8>> {
        let mut owned: Vec<Vec<u8>> = self.blob_sizes.iter().map(|size| vec![0; *size]).collect();
        for Fact { bits, physical } in &self.leaves {
            for (blob, bits) in bits {
                claim(&mut owned[*blob], bits.clone());
            }
            if let Some((Place { blob, offset }, in_region, size, align)) = *physical {
                assert_eq!(*bits, [(blob, 8 * offset..8 * (offset + size))], "{}", self.name);
                assert_eq!(in_region, self.blob_starts[blob] + offset, "{}", self.name);
                assert!(!self.aligned || offset.is_multiple_of(align) && in_region.is_multiple_of(align));
            }
        }
        owned
    }

    /// The bits of one allocation that leaves own. They do not overlap there either.
    fn in_region(&self, owned: &[Vec<u8>]) -> Vec<u8> {
        let mut region = vec![0; self.region_size];
        for (blob, start) in owned.iter().zip(&self.blob_starts) {
            for (byte, owned) in blob.iter().enumerate().filter(|(_, owned)| **owned != 0) {
                assert_eq!(region[start + byte], 0, "{}: blobs of one allocation are apart", self.name);
                region[start + byte] = *owned;
            }
        }
        region
    }
}

/// Writes at random, whole elements and single leaves, and compares with a `Vec`.
fn write<L: RecordLayout<Hit>, B: BlobsMut>(
    view: &mut View<ListedHits<L>, B>,
    stored: fn(Hit) -> Hit,
    random: &mut Random,
) {
    // Every bit pattern is a value: also those that nothing has written yet.
    let mut expected = view.to_vec();
    for _ in 0..3 * expected.len() {
        let (k, leaf, value) = (random.below(expected.len()), random.below(9), Hit::sample(random.below(250)));
        let written = match leaf {
            0..7 => {
                value.poke(leaf, &mut view.at_mut(k));
                expected[k].with(leaf, value)
            }
            7 => {
                view.set(k, value);
                value
            }
            _ => {
                Record::store(value, &mut view.at_mut(k));
                value
            }
        };
        // What was never written need not be what would be stored for its value.
        expected[k] = if leaf < 7 { expected[k].with(leaf, stored(written)) } else { stored(written) };
        assert_eq!(view.load(k), expected[k], "{}", type_name::<L>());
    }
    assert_eq!(view.to_vec(), expected, "{}", type_name::<L>());
}

/// Compares the typed and the numbered forms of one element's leaves.
struct Forms<L: RecordLayout<Hit>> {
    address: RegionAddress,
    frame: L::Frame,
    element: L::Position,
    /// Another element, whose values are as good.
    other: L::Position,
}

impl<L: RecordLayout<Hit>> VisitPath for Forms<L> {
    fn visit<S: Select<Path: Path<Root = Hit, Type: layout::Leaf>>>(&mut self, _: S) {
        let Self { address, frame, element, other } = *self;
        let leaf = <S::Path as Path>::LEAF;
        let element = Element::<Hit, L, _>::new(address, frame, element);
        let other = Element::<Hit, L, _>::new(address, frame, other);
        // SAFETY (of the blocks below): the frame and the positions are of a mapping that the bytes at the address were
        // checked for, which are borrowed meanwhile; the leaf is of that type, and nothing else reaches it.

        // SAFETY: as said above.
        let old: <S::Path as Path>::Type = unsafe { element.read(leaf) };
        // SAFETY: as said above.
        let new: <S::Path as Path>::Type = unsafe { other.read(leaf) };
        // SAFETY: as said above.
        unsafe { element.write(leaf, new) };
        // SAFETY: as said above.
        let written: <S::Path as Path>::Type = unsafe { element.read(leaf) };
        assert_eq!(leaf_bytes(&written), leaf_bytes(&new), "what was written is read");
        // SAFETY: as said above.
        unsafe { element.write(leaf, old) };
        if !<L::Codec as Codec<Hit, L>>::COMPUTED.contains(leaf) {
            // SAFETY: as said above.
            let typed = unsafe { element.place::<S::Path>() };
            // SAFETY: as said above.
            assert_eq!(typed.cast(), unsafe { element.place_of(leaf) }, "by path as by number");
        }
    }
}

//! Public items that the documentation does not show, or that look as if one could make a view, a path or an address by
//! them: each is used as nobody should. `SAFETY.md` lists them, and says why they do no harm.

use layout::author::Element;
use layout::blob::{Address, RegionAddress};
use layout::error::ZipError;
use layout::iter::{Part, Zipped};
use layout::prelude::*;
use layout::record::{Child, Field, LeafSet, Node, Root, Select};
use layout::slot::{Count, Slot, Whole};
use layout::{Extents, Morton, Path, Place, Record, RecordLayout, Strided, Transposed};
use layout_core::{block_of, block_of_mut, copy_to_block};
use support::panics::panic_of;

#[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
struct Hit {
    id: u8,
    none: [bool; 0],
    seen: bool,
}

type Hits = Mapped<Hit, DynExtents<1>, SoASingle<Packed>>;

fn hits(len: usize) -> Hits {
    Hits::new(DynExtents::<1>::new([len]).unwrap()).unwrap()
}

/// `Path::EXISTS`, `Field::child`, `Record::BYTES`: paths to what is not there have a number, and no use.
#[test]
fn paths_to_elements_that_are_not_there() {
    type Nowhere = Child<Child<Root<Hit>, 1>, 7>;
    assert_eq!((Nowhere::LEAF, Nowhere::EXISTS), (1, false));
    let _: Child<Root<Hit>, 2> = <Hit as Field<2>>::child();
    assert_eq!((<Hit as Field<2>>::NAME, <Hit as Field<2>>::NODE.node().leaves()), ("seen", 1));
    assert_eq!(size_of_val(&Hit::BYTES), size_of::<Hit>());
    // A selection of one's own names a path; what it selects has to exist, or does not compile (`tests/ui`).
    struct Seen;
    impl Select for Seen {
        type Path = Child<Root<Hit>, 2>;
    }
    let view = alloc_from_fn::<Hit, SoA, _>(3, |[i]| Hit { seen: i == 1, ..Hit::default() }).unwrap();
    assert_eq!(view.field(Seen).to_vec(), [false, true, false]);
}

/// `Mapping::below`, `checked_position`, `place_of`: mappings of parts ask bytes for all that the whole needs.
#[test]
fn mappings_of_parts() {
    let seen = hits(4).below::<Child<Root<Hit>, 2>>();
    assert_eq!(seen.place_of([3], 0), Place { blob: 0, offset: 7 });
    assert!(View::from_bytes(seen, &[0; 7][..]).is_err());
    assert!(View::from_bytes(seen, &[0, 0, 0, 0, 0, 90, 0, 0][..]).is_err());
    assert_eq!(View::from_bytes(seen, &[90, 90, 90, 90, 1, 0, 1, 0][..]).unwrap().to_vec(), [true, false, true, false]);
    assert!(panic_of(|| _ = hits(4).checked_position([4], 0)).contains("out of range"));
    assert!(panic_of(|| _ = hits(4).checked_position([0], 2)).contains("out of range"));

    // Its parts, put together anew, are checked anew.
    let slice = alloc::<Hit, SoA, _>([4, 4]).unwrap();
    let mapping = slice.slice((1.., step(.., 2))).mapping();
    let larger = DynExtents::<2>::new([1 << 20, 1 << 20]).unwrap();
    let anew = Mapped::<Hit, _, _, _>::with(larger, mapping.layout(), mapping.linearization()).unwrap();
    assert!(View::from_bytes(anew, vec![0; 4096]).is_err());
    let transposed = Transposed(mapping.linearization());
    assert!(Mapped::<Hit, _, SoA, _>::with(larger, mapping.layout(), transposed).is_ok_and(|m| m.span() >= 1 << 20));
}

/// `RegionAddress::new`, `Part::open`, `Blobs::address`: an address is a number, and all that can be done with it is unsafe.
#[test]
fn addresses() {
    fn send<A: Address>(address: A) -> std::thread::JoinHandle<A> {
        std::thread::spawn(move || address)
    }
    let mut view = alloc::<Hit, SoA, _>(3).unwrap();
    let (mapping, address) = (&mut view).open();
    assert_eq!(mapping, view.mapping());
    send(address).join().unwrap();
    send(RegionAddress::new(core::ptr::null_mut())).join().unwrap();
    send(view.into_blobs().address()).join().unwrap();
}

/// `Zipped::open`, of a type of one's own: it hands on what views gave, and has nothing else.
#[test]
fn zips_of_ones_own() {
    struct Swapped<A, B>(A, B);
    impl<A, B> Zipped for Swapped<A, B>
    where
        (B, A): Zipped,
    {
        type Walk = <(B, A) as Zipped>::Walk;

        fn open(self) -> Result<layout::iter::Zip<Self::Walk>, ZipError> {
            (self.1, self.0).open()
        }
    }
    let (a, mut b) = (alloc::<u8, SoA, _>(3).unwrap(), alloc::<u8, AoS, _>(3).unwrap());
    zip(Swapped(&a, &mut b)).for_each(|(mut b, a)| b.set(a.get() + 1));
    assert_eq!(b.to_vec(), [1; 3]);
    assert!(try_zip(Swapped(&a, &alloc::<u8, SoA, _>(4).unwrap())).is_err());
}

/// `Record::bind` and `Record::slot`, over anything: without an access of a view the slots have nothing to read. An access
/// of one's own, and `SplitPaths`, have functions that are unsafe to write.
#[test]
fn slots_over_no_access() {
    let slots = Hit::bind::<u8, Root<Hit>>(7);
    assert_eq!((slots.none.len(), size_of_val(&slots)), (0, 3));
    let _: Slot<u8, Child<Root<Hit>, 2>> = <bool as Record>::slot(7);
}

/// `Node`'s variants, `LeafSet`, `LeafTable`, `Element`, `Count::of`: numbers that nobody believes who reads memory.
#[test]
fn trees_sets_and_tables() {
    let tree = Node::Branch { fields: &[], leaves: 1 << 40, size: 3 };
    assert_eq!((tree.leaves(), tree.children()), (1 << 40, 0));
    assert!(panic_of(|| _ = Node::array(const { &Node::leaf::<u8>() }, 1 << 40).first_leaf(1 << 41)).contains("range"));
    assert!(LeafSet::EMPTY.with(4000, 96).contains(4095) && !LeafSet::EMPTY.with(0, 4096).contains(usize::MAX));
    assert!(std::panic::catch_unwind(|| LeafSet::EMPTY.with(4000, 97)).is_err());
    // An element of no view: its functions are unsafe.
    let element = Element::<Hit, AoS, _>::new(RegionAddress::new(core::ptr::null_mut()), (), usize::MAX);
    assert_eq!(element.within(1).position, 0);
    assert_eq!(Whole.of(8), 8);
}

/// `RecordLayout`'s numbers, asked of layouts that no mapping has: they may be any, and no view is one of them.
#[test]
fn numbers_of_layouts() {
    let bits = layout::bits::BitPackedIntSoA::<_>::new(layout::bits::DynBits(0));
    assert!(Mapped::<Hit, _, _>::with(extents!(dyn 4), bits, RowMajor).is_err());
    // Sizes of what no mapping has wrap, or panic where arithmetic is checked.
    _ = std::panic::catch_unwind(|| <AoS as RecordLayout<Hit>>::region_size(AoS::default(), usize::MAX));
    _ = std::panic::catch_unwind(|| <SoA as RecordLayout<Hit>>::frame(SoA::default(), usize::MAX));
    let strided = Strided::<layout::Dim<1>>::new(usize::MAX, [isize::MIN]);
    let extents = DynExtents::<1>::new([2]).unwrap();
    assert!(Mapped::<Hit, _, SoA, _>::with(extents, SoA::default(), strided).is_err());
    assert_eq!(extents.volume(), Some(2));
}

/// `block_of`, `block_of_mut`: blocks lie within the view, and their linearization fits no other extents.
#[test]
fn blocks_of_views() {
    let mut grid = View::from_fn(Mapped::<u8, _, SoA, Morton>::new(extents!(dyn 4, dyn 6)).unwrap(), |[i, j]| {
        u8::try_from(10 * i + j).unwrap()
    })
    .unwrap();
    for (start, extents) in
        [([2, 2], [3, 4]), ([0, 0], [4, 7]), ([5, 0], [0, 1]), ([usize::MAX, 0], [1, 1]), ([1, 1], [usize::MAX, 1])]
    {
        assert!(block_of(&grid, start, extents).is_err(), "{start:?} {extents:?}");
        assert!(block_of_mut(&mut grid, start, extents).is_err(), "{start:?} {extents:?}");
    }
    block_of_mut(&mut grid, [2, 3], [2, 3]).unwrap().fill(7);
    let block = block_of(&grid, [1, 2], [3, 3]).unwrap();
    assert_eq!(block.to_vec(), [12, 13, 14, 22, 7, 7, 32, 7, 7]);
    assert!(block.try_at([3, 0]).is_err());
    assert!(block_of(&grid, [4, 6], [0, 0]).unwrap().is_empty());
    // Copies to a block: it lies within the view, too.
    let mut copy = View::from_fn(Mapped::<u8, _, AoS>::new(extents!(dyn 4, dyn 4)).unwrap(), |_| 1).unwrap();
    assert!(copy_to_block(&mut copy, [2, 0], &block).is_err());
    assert!(copy_to_block(&mut copy, [0, usize::MAX], &block).is_err());
    assert_eq!(copy.to_vec(), [1; 16]);
    copy_to_block(&mut copy, [1, 1], &block).unwrap();
    assert_eq!(copy.to_vec(), [1, 1, 1, 1, 1, 12, 13, 14, 1, 22, 7, 7, 1, 32, 7, 7]);
    // A block of a block, and its parts put together anew.
    assert_eq!(block_of(&block, [2, 0], [1, 2]).unwrap().to_vec(), [32, 7]);
    let mapping = block.mapping();
    for (extents, fits) in [([3, 4], true), ([4, 4], false), ([3, 5], false), ([1 << 40, 1], false)] {
        let extents = DynExtents::<2>::new(extents).unwrap();
        let anew = Mapped::<u8, _, _, _>::with(extents, mapping.layout(), mapping.linearization());
        assert_eq!(anew.is_ok(), fits);
    }
}

//! Views of bytes: borrowed, owned, shared, in one piece or a piece for each blob.

use std::sync::Arc;

use bytemuck::{CheckedBitPattern, NoUninit};
use layout::{
    AoS, AoSoA, Dim, Mapped, Mapping, Packed, Record, RecordLayout, SoA, SoASingle, Strided, View, ViewError, alloc,
    extents,
};

use support::cell::{Cell, cell};
use support::for_layouts;

/// Bytes whose first is aligned to 64.
#[derive(Clone, Copy, NoUninit)]
#[repr(C, align(64))]
struct Line([u8; 64]);

fn lines(bytes: usize) -> Vec<Line> {
    vec![Line([0; 64]); bytes.div_ceil(64)]
}

type Cells<L> = Mapped<Cell, layout::DynExtents<1>, L>;

fn cells<L: RecordLayout<Cell> + Default>(len: usize) -> Cells<L> {
    Mapped::new(extents!(dyn len)).unwrap()
}

fn region_size<M: Mapping>(mapping: &M) -> usize {
    mapping.layout().region_size(mapping.span())
}

#[test]
fn bytes_written_by_one_view_are_read_by_another() {
    fn check<L: RecordLayout<Cell> + Default>() {
        let mapping = cells::<L>(9);
        let size = region_size(&mapping);
        let mut memory = lines(size);
        let bytes = &mut bytemuck_bytes(&mut memory)[..size];
        let mut view = View::from_bytes(mapping, &mut *bytes).unwrap();
        view.for_each_indexed_mut(|[i], mut slots| slots.store(cell(i)));
        assert_eq!(view.load(8), cell(8));
        let view = View::from_bytes(mapping, &*bytes).unwrap();
        assert_eq!(view.to_vec(), (0..9).map(cell).collect::<Vec<_>>());
        // Owned memory has the same bytes in the same places.
        let owned = View::from_fn(mapping, |[i]| cell(i)).unwrap();
        assert_eq!(owned, view);
    }
    for_layouts!(check);
}

/// The bytes of lines.
fn bytemuck_bytes(lines: &mut [Line]) -> &mut [u8] {
    let len = size_of_val(lines);
    // SAFETY: lines are arrays of bytes, one after another without padding, borrowed mutably.
    unsafe { core::slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), len) }
}

#[test]
fn vectors_and_boxes_are_owned_and_written() {
    let mapping = Mapped::<[u8; 3], _, SoASingle<Packed>>::new(extents!(dyn 4)).unwrap();
    let mut view = View::from_bytes(mapping, (0..12).collect::<Vec<u8>>()).unwrap();
    assert_eq!(view.load(1), [1, 5, 9]);
    view.at_mut(1).at_mut(2).set(99);
    assert_eq!(view.load(1), [1, 5, 99]);

    let mut view = View::from_bytes(mapping, (0..12).collect::<Box<[u8]>>()).unwrap();
    view.set(3, [0, 1, 2]);
    assert_eq!(view.to_vec(), [[0, 4, 8], [1, 5, 9], [2, 6, 10], [0, 1, 2]]);
}

#[test]
fn shared_memory_is_read_by_many() {
    let bytes: Arc<[u8]> = (0..12).collect();
    let mapping = Mapped::<[u8; 3], _, AoS>::new(extents!(dyn 4)).unwrap();
    let view = View::from_bytes(mapping, Arc::clone(&bytes)).unwrap();
    let other = view.clone();
    drop(bytes);
    assert_eq!(std::thread::spawn(move || view.load(2)).join().unwrap(), [6, 7, 8]);
    assert_eq!(other.load(3), [9, 10, 11]);
}

#[test]
fn each_blob_may_lie_anywhere() {
    let mapping = cells::<SoA>(5);
    let sizes: [usize; 28] = core::array::from_fn(|blob| mapping.blob_size(blob));
    let mut memory: Vec<_> = sizes.iter().map(|size| lines(*size)).collect();
    let mut next = memory.iter_mut().zip(sizes);
    let blobs: [&mut [u8]; 28] = core::array::from_fn(|_| {
        let (lines, size) = next.next().unwrap();
        &mut bytemuck_bytes(lines)[..size]
    });
    let mut view = View::from_blobs_mut(mapping, blobs).unwrap();
    view.for_each_indexed_mut(|[i], mut slots| slots.store(cell(i)));
    view.field_mut(Cell::PATHS.grid).at_mut(2).at_mut(1).at_mut(0).y.set(9.0);
    assert_eq!(view.column(Cell::PATHS.id), Some(&[0, 1, 2, 3, 4][..]));
    let (mut low, mut high) = view.split_at(0, 2).unwrap();
    low.at_mut(1).mass += 1.0;
    high.at_mut(0).mass += 1.0;
    let mut expected: Vec<_> = (0..5).map(cell).collect();
    expected[2].grid[1][0].y = 9.0;
    expected[1].mass += 1.0;
    expected[2].mass += 1.0;
    // Moved, the view still has its table of blobs.
    let view = core::hint::black_box(Box::new(view));
    assert_eq!(view.to_vec(), expected);
    drop(view);

    let mut next = memory.iter_mut().zip(sizes);
    let blobs: [&[u8]; 28] = core::array::from_fn(|_| {
        let (lines, size) = next.next().unwrap();
        &bytemuck_bytes(lines)[..size]
    });
    assert_eq!(View::from_blobs(mapping, blobs).unwrap().to_vec(), expected);
}

#[test]
fn blobs_that_do_not_fit_are_refused() {
    let mapping = Mapped::<[u32; 2], _, SoA>::new(extents!(dyn 4)).unwrap();
    let mut memory = lines(128);
    let bytes = bytemuck_bytes(&mut memory);
    let text = |error: Option<ViewError>| error.unwrap().to_string();
    let one = View::from_blobs(mapping, [&bytes[..16]]).err();
    assert_eq!(text(one), "1 blobs were given to a mapping that has 2");
    let small = View::from_blobs(mapping, [&bytes[..16], &bytes[16..31]]).err();
    assert_eq!(text(small), "blob 1 has 15 bytes and needs 16");
    let skewed = View::from_blobs(mapping, [&bytes[2..18], &bytes[20..36]]).err();
    assert_eq!(
        text(skewed),
        "blob 0 starts at an address that is no multiple of 4, or was allocated for a smaller alignment"
    );
    assert!(View::from_blobs(mapping, [&bytes[4..20], &bytes[20..36]]).is_ok());
    assert!(View::from_blobs(mapping, [&bytes[4..20], &bytes[4..20]]).is_ok(), "shared blobs may overlap");

    let mapping = Mapped::<[u32; 2], _, AoS>::new(extents!(dyn 4)).unwrap();
    assert_eq!(
        View::from_bytes(mapping, &bytes[..31]).err(),
        Some(ViewError::BlobSize { blob: 0, given: 31, needed: 32 })
    );
    assert_eq!(View::from_bytes(mapping, &bytes[1..]).err(), Some(ViewError::BlobAlignment { blob: 0, needed: 4 }));
    let packed = Mapped::<[u32; 2], _, AoS<Packed>>::new(extents!(dyn 4)).unwrap();
    assert!(View::from_bytes(packed, &bytes[1..33]).is_ok());
    let empty = Mapped::<[u32; 2], _, AoS>::new(extents!(dyn 0)).unwrap();
    assert!(View::from_bytes(empty, &bytes[1..1]).is_ok());
}

#[test]
fn bytes_that_are_no_values_are_refused() {
    let mapping = Mapped::<[bool; 3], _, AoS>::new(extents!(dyn 2, 2)).unwrap();
    let mut bytes = [0, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 1];
    assert_eq!(View::from_bytes(mapping, &bytes[..]).unwrap().load([1, 1]), [true, false, true]);
    bytes[10] = 2;
    let error = View::from_bytes(mapping, &bytes[..]).err().unwrap();
    assert_eq!(error.to_string(), "the bytes of leaf `[1]` at index [1, 1] are no valid value of its type");

    let mapping = Mapped::<char, _, AoS>::new(extents!(dyn 1)).unwrap();
    let mut memory = lines(4);
    let bytes = bytemuck_bytes(&mut memory);
    bytes[..4].copy_from_slice(&0x0011_0000_u32.to_ne_bytes());
    assert!(matches!(View::from_bytes(mapping, &*bytes).err(), Some(ViewError::InvalidValue { .. })));
    bytes[..4].copy_from_slice(&0x1F980_u32.to_ne_bytes());
    assert_eq!(View::from_bytes(mapping, &*bytes).unwrap().get(0), '🦀');
}

#[test]
fn zero_must_be_a_value() {
    use core::num::NonZeroU16;
    type Mapping = Mapped<[NonZeroU16; 2], layout::DynExtents<1>, SoA>;
    assert!(matches!(alloc::<[NonZeroU16; 2], SoA, _>(3).err(), Some(ViewError::InvalidValue { .. })));
    assert!(alloc::<[NonZeroU16; 2], SoA, _>(0).is_ok(), "no element, no value");
    let view = View::from_fn(Mapping::new(extents!(dyn 3)).unwrap(), |[i]| {
        [NonZeroU16::new(u16::try_from(i).unwrap() + 1).unwrap(); 2]
    });
    assert_eq!(view.unwrap().at(2).at(1).get().get(), 3);
    assert_eq!(alloc::<[Option<NonZeroU16>; 2], SoA, _>(3).unwrap().load(1), [None; 2]);
}

#[test]
fn repeated_elements_are_read_only() {
    let repeated = Strided::<Dim<2>>::new(0, [0, 1]);
    let mapping = Mapped::<u8, _, AoS, _>::with(extents!(dyn 3, 4), AoS::default(), repeated).unwrap();
    let mut bytes = [1, 2, 3, 4];
    let view = View::from_bytes(mapping, &bytes[..]).unwrap();
    assert_eq!(view.to_vec(), [1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4]);
    assert_eq!(view.iter().count(), 12);
    assert_eq!(View::from_bytes(mapping, &mut bytes[..]).err(), Some(ViewError::NotUnique));
    assert_eq!(View::from_bytes(mapping, vec![0; 4]).err(), Some(ViewError::NotUnique));
    assert_eq!(View::zeroed(mapping).err(), Some(ViewError::NotUnique));
    assert_eq!(View::from_blobs_mut(mapping, [&mut bytes[..]]).err(), Some(ViewError::NotUnique));
    assert!(ViewError::NotUnique.to_string().contains("give it shared bytes (`&[u8]`)"));
}

/// A leaf with more alignment than an allocator gives by itself.
#[derive(Clone, Copy, Debug, PartialEq, NoUninit, CheckedBitPattern, Record)]
#[record(leaf)]
#[repr(C, align(256))]
struct Wide([u64; 32]);

#[test]
fn large_alignments_are_kept() {
    fn check<L: RecordLayout<Wide> + Default>() {
        let view = layout::alloc_from_fn::<Wide, L, _>(5, |[i]| Wide([i as u64; 32])).unwrap();
        for i in 0..5 {
            assert!(core::ptr::from_ref(view.at(i).as_ref()).is_aligned());
            assert_eq!(view.get(i), Wide([i as u64; 32]));
        }
        assert!(core::ptr::from_ref(view.clone().at(3).as_ref()).is_aligned());
    }
    check::<AoS>();
    check::<SoA>();
    check::<AoSoA<2>>();
}

#[test]
fn inline_memory_refuses_what_it_cannot_align() {
    let mapping = Mapped::<Wide, _, AoS>::new(extents!(1)).unwrap();
    assert!(matches!(
        View::<_, layout::Region<layout::Inline<256>>>::inline(mapping).err(),
        Some(ViewError::BlobAlignment { needed: 256, .. })
    ));
    // Without a byte there is nothing to align, and such memory does not grow.
    let empty = Mapped::<Wide, _, AoS>::new(extents!(dyn 0)).unwrap();
    let view = View::<_, layout::Region<layout::Inline<0>>>::inline(empty).unwrap();
    assert!(view.is_empty() && view.clone().is_empty());
}

#[test]
fn owned_memory_starts_at_a_line() {
    fn check<L: RecordLayout<Cell> + Default>() {
        for len in [1, 2, 17] {
            let view = alloc::<Cell, L, _>(len).unwrap();
            assert_eq!(core::ptr::from_ref(&view.at(0).id).addr() % 2, 0);
            assert_eq!(view.to_vec(), vec![ZERO; len]);
        }
    }
    for_layouts!(check);
    let view = alloc::<u8, AoS, _>(3).unwrap();
    assert_eq!(core::ptr::from_ref(view.at(0).as_ref()).addr() % 64, 0);
}

const ZERO: Cell = {
    let zero = support::cell::Vec3 { x: 0.0, y: 0.0, z: 0.0 };
    Cell { id: 0, pos: zero, mass: 0.0, alive: false, bins: [0; 4], grid: [[zero; 2]; 3] }
};

#[test]
fn views_give_their_blobs_back() {
    let mapping = Mapped::<u8, _, AoS>::new(extents!(dyn 3)).unwrap();
    let blobs = View::from_bytes(mapping, vec![1, 2, 3]).unwrap().into_blobs();
    assert!(format!("{blobs:?}").contains("[1, 2, 3]"));
}

/// Blobs and an address of the user's own: each blob in pages of a list, found by a table.
mod own_blobs {
    use layout::blob::{Address, NewBlobs};
    use layout::composed::Split;
    use layout::{AoSoA, Blobs, BlobsMut, Mapped, Record, RecordLayout, SoA, View, ViewError, extents, path};
    use support::cell::{Cell, cell};

    use super::{Line, lines};

    struct Pages {
        blobs: Vec<Vec<Line>>,
        table: Vec<*mut u8>,
    }

    impl Pages {
        fn of(sizes: impl IntoIterator<Item = usize>) -> Self {
            let mut blobs: Vec<_> = sizes.into_iter().map(lines).collect();
            let table = blobs.iter_mut().map(|blob| blob.as_mut_ptr().cast()).collect();
            Self { blobs, table }
        }
    }

    #[derive(Clone, Copy)]
    struct Table(*const *mut u8);

    // SAFETY: an address is a number until it is used.
    unsafe impl Send for Table {}
    // SAFETY: as above.
    unsafe impl Sync for Table {}

    // SAFETY: the table has the address of each blob.
    unsafe impl Address for Table {
        unsafe fn blob(self, blob: usize, _: usize) -> *mut u8 {
            // SAFETY: the table has that blob, as the caller promises, and is borrowed with it.
            unsafe { *self.0.wrapping_add(blob) }
        }

        unsafe fn skip(self, blobs: usize, _: usize) -> Self {
            Self(self.0.wrapping_add(blobs))
        }
    }

    // SAFETY: the lists of lines neither grow nor are reached otherwise, and the table lies on the heap.
    unsafe impl Blobs for Pages {
        type Address = Table;
        const MUTABLE: bool = true;

        fn address(&self) -> Table {
            Table(self.table.as_ptr())
        }
    }

    // SAFETY: the lines belong to the value, which is borrowed mutably.
    unsafe impl BlobsMut for Pages {
        fn address_mut(&mut self) -> Table {
            Table(self.table.as_ptr())
        }
    }

    // SAFETY: the number and the sizes are compared, and lines are aligned to 64.
    unsafe impl NewBlobs for Pages {
        fn check<R: Record, L: RecordLayout<R>>(&self, layout: L, slots: usize) -> Result<(), ViewError> {
            if self.blobs.len() != L::BLOBS {
                return Err(ViewError::BlobCount { given: self.blobs.len(), needed: L::BLOBS });
            }
            if L::ALIGN > 64 {
                return Err(ViewError::BlobAlignment { blob: 0, needed: L::ALIGN });
            }
            for (blob, lines) in self.blobs.iter().enumerate() {
                let (given, needed) = (size_of_val(&lines[..]), layout.blob_size(slots, blob));
                if given < needed {
                    return Err(ViewError::BlobSize { blob, given, needed });
                }
            }
            Ok(())
        }
    }

    fn check<L: RecordLayout<Cell> + Default>() {
        let mapping = Mapped::<Cell, _, L>::new(extents!(dyn 3, 50)).unwrap();
        let sizes = || (0..L::BLOBS).map(|blob| L::default().blob_size(150, blob));
        let mut view = View::new(mapping, Pages::of(sizes())).unwrap();
        view.for_each_indexed_mut(|[i, j], mut slots| slots.store(cell(50 * i + j)));
        assert_eq!((view.load([2, 49]), view.len()), (cell(149), 150));
        view.stream_from_fn(|[i, j]| cell(i + 3 * j));
        let copy = layout::alloc_from_fn::<Cell, L, _>([3, 50], |[i, j]| cell(i + 3 * j)).unwrap();
        assert_eq!(view, copy);
        view.slice_mut((1, ..)).fill(cell(7));
        view.copy_from(&copy).unwrap();
        assert_eq!(view.field(Cell::PATHS.bins).to_vec(), copy.field(Cell::PATHS.bins).to_vec());
        let (mut top, mut rest) = view.split_at(0, 1).unwrap();
        assert_eq!((top.at_mut([0, 1]).load(), rest.at_mut([1, 1]).load()), (cell(3), cell(5)));

        let fewer = Pages::of(sizes().skip(1));
        assert!(matches!(View::new(mapping, fewer).err(), Some(ViewError::BlobCount { .. })));
        let short = Pages::of(sizes().enumerate().map(|(blob, size)| if blob == 0 { size / 2 } else { size }));
        assert!(matches!(View::new(mapping, short).err(), Some(ViewError::BlobSize { blob: 0, .. })));
    }

    #[test]
    fn hold_views() {
        check::<SoA>();
        check::<AoSoA<8>>();
        check::<Split<path!(Cell, bins), SoA, AoSoA<4>>>();
    }

    /// The constructor checks values and uniqueness, whatever blobs say.
    #[test]
    fn are_not_trusted_with_values() {
        let mapping = Mapped::<core::num::NonZeroU8, _, SoA>::new(extents!(dyn 3)).unwrap();
        assert!(matches!(View::new(mapping, Pages::of([3])).err(), Some(ViewError::InvalidValue { .. })));
        let repeated = layout::Strided::<layout::Dim<1>>::new(0, [0]);
        let mapping = Mapped::<u8, _, SoA, _>::with(extents!(dyn 3), SoA::default(), repeated).unwrap();
        assert!(matches!(View::new(mapping, Pages::of([3])).err(), Some(ViewError::NotUnique)));
    }
}

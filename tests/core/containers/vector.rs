//! Cases that random programs do not reach: panics, memory, leaks, and columns.

use core::num::NonZeroU16;
use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;

use layout::bits::{BitPackedIntSoA, Bits};
use layout::blob::{Bytes, Heap};
use layout::error::ExtentsError;
use layout::options::DecreasingAlignment;
use layout::{
    Aligned, AoS, AoSoA, DynExtents, Lanes, Mapped, Mapping, Record, RecordLayout, RecordVec, SoA, SoASingle, View,
    ViewError, paths,
};

use support::gapped::Gapped;
use support::random::Random;

use super::{Nested, Sample, Strict};

fn numbers(len: u16) -> RecordVec<u16, SoA> {
    (0..len).collect()
}

/// The message of the panic of `f`.
fn panics<T>(f: impl FnOnce() -> T) -> String {
    let payload = catch_unwind(AssertUnwindSafe(f)).map(drop).expect_err("a panic");
    payload.downcast_ref::<String>().cloned().unwrap_or_else(|| (*payload.downcast::<&str>().expect("text")).to_owned())
}

#[test]
fn indices_out_of_range_panic() {
    let mut vec = numbers(3);
    vec.reserve(10); // room is no record
    let message = |index| format!("index {index} is out of range for a vector of 3 records");
    assert_eq!(panics(|| vec.at(3).get()), message(3));
    assert_eq!(panics(|| vec.at_mut(3).set(1)), message(3));
    assert_eq!(panics(|| vec.set(usize::MAX, 1)), message(usize::MAX));
    assert_eq!(panics(|| vec.remove(3)), message(3));
    assert_eq!(panics(|| vec.swap_remove(4)), message(4));
    assert_eq!(panics(|| vec.insert(4, 1)), message(4));
    assert_eq!(panics(|| vec.swap(0, 3)), message(3));
    assert_eq!(panics(|| vec.split_off(4)), message(4));
    assert_eq!(panics(|| drop(vec.drain(2..5))), "range 2..5 is not within dimension 0 of extent 3");
    #[expect(clippy::reversed_empty_ranges, reason = "that is what is refused")]
    let reversed = 2..1;
    assert_eq!(panics(|| drop(vec.drain(reversed))), "range 2..1 is not within dimension 0 of extent 3");
    assert!(panics(|| drop(vec.drain(..=usize::MAX))).starts_with("range 0..18446744073709551615 is not within"));
    assert_eq!(vec.to_vec(), [0, 1, 2]);
    // The view has the records, and no more.
    assert_eq!(vec.as_view().extents(), [3]);
    assert!(vec.as_view().try_at(3).is_err());
}

/// A leaf whose references must be aligned to 256.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(256))]
struct Wide([u64; 32]);

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct OfWide {
    #[record(leaf)]
    wide: Wide,
}

/// Memory from elsewhere is that for which it was allocated, wherever it happens to lie: it grows, and is cloned.
#[test]
fn memory_from_elsewhere_keeps_its_alignment() {
    type Lines = Mapped<OfWide, DynExtents<1>, AoS>;
    let mapping = |len: usize| Lines::new(DynExtents::<1>::new([len]).unwrap()).unwrap();
    for (align, len) in [1, 16, 64, 128].into_iter().flat_map(|align| [(align, 0), (align, 1), (align, 3)]) {
        let refused = View::from_bytes(mapping(len), Heap::zeroed(256 * len, align).unwrap());
        assert_eq!(refused.err(), Some(ViewError::BlobAlignment { blob: 0, needed: 256 }), "{align}");
    }
    let is_aligned = |vec: &RecordVec<OfWide, AoS>| {
        vec.iter().all(|slots| core::ptr::from_ref(slots.wide.as_ref()).addr().is_multiple_of(256))
    };
    for (align, len) in [(256, 0), (256, 1), (4096, 3)] {
        let view = View::from_bytes(mapping(len), Heap::zeroed(256 * len, align).unwrap()).unwrap();
        let mut vec = RecordVec::from_view(view);
        vec.reserve(1 << 12);
        vec.push(OfWide { wide: Wide([7; 32]) });
        assert!(is_aligned(&vec) && is_aligned(&vec.clone()));
        vec.shrink_to_fit();
        assert!(is_aligned(&vec) && is_aligned(&vec.clone()));
        assert_eq!(vec.at(len).load().wide.0, [7; 32]);
    }
    assert_eq!(Heap::zeroed(10, 1).unwrap().as_ptr().addr() % 64, 0);
}

#[test]
fn ranges_of_drain() {
    let drained = |f: fn(&mut RecordVec<u16, SoA>) -> Vec<u16>| {
        let mut vec = numbers(5);
        (f(&mut vec), vec.to_vec())
    };
    assert_eq!(drained(|v| v.drain(..).collect()), (vec![0, 1, 2, 3, 4], vec![]));
    assert_eq!(drained(|v| v.drain(3..).collect()), (vec![3, 4], vec![0, 1, 2]));
    assert_eq!(drained(|v| v.drain(..=1).collect()), (vec![0, 1], vec![2, 3, 4]));
    assert_eq!(drained(|v| v.drain(5..).collect()), (vec![], vec![0, 1, 2, 3, 4]));
    use core::ops::Bound::{Excluded, Included};
    assert_eq!(drained(|v| v.drain((Excluded(0), Included(2))).collect()), (vec![1, 2], vec![0, 3, 4]));
}

#[test]
fn leaked_drain_loses_records_and_nothing_else() {
    let mut vec = numbers(5);
    core::mem::forget(vec.drain(1..3));
    assert_eq!(vec.to_vec(), [0]);
    vec.push(9);
    assert_eq!(vec.to_vec(), [0, 9]);
}

#[test]
fn panics_of_closures_leave_what_vec_leaves() {
    let (mut vec, mut model) = (numbers(6), (0..6).collect::<Vec<u16>>());
    let keep = |value: &u16| if *value == 3 { panic!("three") } else { value % 2 == 1 };
    panics(|| vec.retain(keep));
    panics(|| model.retain(keep));
    assert_eq!((vec.to_vec(), &model), (vec![1, 3, 4, 5], &vec![1, 3, 4, 5]));
    panics(|| vec.dedup_by(|a, _| if *a == 4 { panic!("four") } else { true }));
    assert_eq!(vec.to_vec(), [1, 4, 5]);
    panics(|| vec.sort_by(|_, _| panic!("no order")));
    panics(|| vec.sort_by_key(|value| if *value == 4 { panic!("four") } else { *value }));
    assert_eq!(vec.to_vec(), [1, 4, 5]);
    panics(|| vec.splice(1..2, [7, 8].into_iter().chain(core::iter::once_with(|| panic!("no more")))));
    assert_eq!(vec.to_vec(), [1, 7, 8, 5]);
}

#[test]
fn values_that_do_not_fit_move_no_record() {
    let mut vec = RecordVec::<u8, BitPackedIntSoA<Bits<3>>>::from([1, 2, 3]);
    vec.reserve(1);
    assert!(panics(|| vec.insert(0, 9)).contains("does not fit"));
    assert_eq!(vec.to_vec(), [1, 2, 3]);
    assert!(panics(|| vec.splice(1..2, [4, 9])).contains("does not fit"));
    assert_eq!(vec.to_vec(), [1, 4, 3]);
    vec.insert(1, 7);
    assert_eq!(vec.to_vec(), [1, 7, 4, 3]);
}

#[test]
fn a_vector_keeps_the_room_of_the_view_it_was_made_from() {
    let mut vec = RecordVec::from_view(layout::alloc_from_fn::<usize, AoS, _>(100, |[i]| i).unwrap());
    vec.truncate(10);
    vec.extend_from_slice(&[7; 5]);
    assert_eq!((vec.len(), vec.capacity(), vec.get(14)), (15, 100, 7));
}

#[test]
fn an_empty_vector_has_no_memory() {
    fn bytes<L: RecordLayout<Nested> + Default>() -> usize {
        let vec = RecordVec::<Nested, L>::new();
        assert_eq!((vec.len(), vec.capacity()), (0, 0));
        L::default().region_size(vec.into_view().mapping().span())
    }
    let bytes = [bytes::<AoS>(), bytes::<SoA>(), bytes::<SoASingle>(), bytes::<AoSoA<7>>()];
    assert_eq!(bytes, [0; 4]);
}

#[test]
fn capacity_is_as_asked_for_and_grows_by_factors() {
    let mut vec = RecordVec::<Nested, SoA>::with_capacity(10);
    assert_eq!(vec.capacity(), 10);
    let mut grown = 0;
    for seed in 0..1000 {
        let before = vec.capacity();
        vec.push(Nested::sample(seed));
        if vec.capacity() != before {
            assert_eq!(vec.capacity(), 2 * before);
            grown += 1;
        }
    }
    assert_eq!(grown, 7);
    vec.clear();
    assert_eq!(vec.capacity(), 1280);
    vec.shrink_to_fit();
    assert_eq!(vec.capacity(), 0);
    let exact: RecordVec<u8, AoS> = (0..100).collect();
    assert_eq!(exact.capacity(), 100);
}

#[test]
fn what_an_empty_vector_reserves_comes_with_the_first_record() {
    let mut vec = RecordVec::<Strict, SoA>::with_capacity(100);
    vec.reserve_exact(200);
    assert_eq!((vec.capacity(), vec.len()), (200, 0));
    vec.push(Strict::sample(1));
    assert_eq!(vec.capacity(), 200);
    let address = core::ptr::from_ref(vec.at(0).id.as_ref());
    vec.extend((2..201).map(Strict::sample));
    assert_eq!(core::ptr::from_ref(vec.at(0).id.as_ref()), address, "no growth up to what was reserved");
    vec.clear();
    vec.reserve(500); // filled with what was there
    vec.shrink_to_fit();
    assert_eq!((vec.capacity(), vec.to_vec()), (0, vec![]));
    // Nothing is promised for longer than it takes to give it up.
    vec.reserve_exact(50);
    vec.shrink_to_fit();
    assert_eq!(vec.capacity(), 0);
}

/// Records that come as a slice leave the room as large as it is.
#[test]
fn a_slice_and_a_push_in_turns_make_no_new_memory() {
    let mut vec = RecordVec::<char, AoS>::with_capacity(100);
    vec.push('a');
    let address = vec.as_view().as_ptr(paths::<char>());
    while vec.len() + 2 <= 100 {
        vec.extend_from_slice(&['b']);
        vec.push('c');
    }
    assert_eq!((vec.as_view().as_ptr(paths::<char>()), vec.len(), vec.capacity()), (address, 99, 100));
    assert!(vec.values().eq(core::iter::once('a').chain(['b', 'c'].into_iter().cycle()).take(99)));
}

#[test]
fn layouts_that_cannot_store_the_record_say_so() {
    type Few = BitPackedIntSoA<Bits<4>>;
    let error = layout::alloc::<f32, Few, _>(0).expect_err("no integer").to_string();
    assert_eq!(panics(RecordVec::<f32, Few>::new), error);
    assert_eq!(panics(|| RecordVec::<f32, Few>::from(&[1.0])), error);
    assert_eq!(panics(layout::Jagged::<f32, Few>::new), error);
}

#[test]
fn memory_that_cannot_be_had_is_an_error() {
    let mut vec = RecordVec::<u64, SoA>::from(&[1, 2]);
    let too_large = |extents: usize| {
        move |error: ViewError| match error {
            ViewError::Extents(ExtentsError::TooLarge { extents: given, .. }) => {
                given.as_ref() == [extents.cast_signed()]
            }
            _ => false,
        }
    };
    let most = isize::MAX.cast_unsigned();
    assert!(vec.try_reserve(usize::MAX).is_err_and(too_large(usize::MAX)));
    assert!(vec.try_reserve(most / 8).is_err_and(too_large(most / 8 + 2)));
    assert!(matches!(vec.try_reserve(most / 16), Err(ViewError::OutOfMemory { .. })));
    assert_eq!((vec.capacity(), vec.to_vec()), (8, vec![1, 2]));
    assert!(panics(|| vec.reserve(usize::MAX)).contains("needs more bytes than an allocation can have"));
    assert!(panics(|| RecordVec::<u64, AoS>::with_capacity(most / 16)).starts_with("no memory for"));
    // Also where memory comes later.
    assert!(RecordVec::<bool, SoA>::new().try_reserve(usize::MAX).is_err());
}

#[test]
fn columns_end_where_records_do() {
    let mut vec = RecordVec::<[u16; 2], SoASingle>::from(&[[1, 2], [3, 4], [5, 6]]);
    vec.reserve(100);
    let second = || paths::<[u16; 2]>().element::<1>();
    assert_eq!(vec.column(second()), Some(&[2, 4, 6][..]));
    vec.column_mut(second()).expect("a column").reverse();
    assert_eq!(vec.to_vec(), [[1, 6], [3, 4], [5, 2]]);
    assert_eq!(vec.as_view().column(second()), vec.column(second()));
    let blocks: RecordVec<[u16; 2], AoSoA<4>> = vec.values().collect();
    assert_eq!(blocks.column(second()), None);
}

#[test]
fn sorting_is_stable() {
    let mut vec: RecordVec<[u16; 2], AoSoA<7>> = (0..100).map(|i| [i * 79 % 5, i]).collect();
    let mut by_key = vec.clone();
    vec.sort_by(|a, b| b[0].cmp(&a[0]));
    assert!(vec.values().zip(vec.values().skip(1)).all(|([a, i], [b, j])| a > b || (a == b && i < j)));
    by_key.sort_by_key(|record| core::cmp::Reverse(record[0]));
    assert_eq!(vec, by_key);
}

#[test]
fn lanes_and_threads_through_the_view() {
    let mut vec: RecordVec<f32, Gapped<8>> = (0..100_u16).map(f32::from).collect();
    vec.as_view_mut().for_each_lanes_mut::<8>(|mut lanes| lanes += Lanes::splat(1.0), |mut slot| slot += 1.0);
    assert!(vec.values().eq((1..=100_u16).map(f32::from)));
    #[cfg(feature = "rayon")]
    {
        vec.as_view_mut().par_for_each_mut(|mut slot| slot *= 2.0);
        assert!(vec.values().eq((1..=100_u16).map(|value| f32::from(value) * 2.0)));
    }
    let threads = std::thread::spawn(move || vec.len());
    assert_eq!(threads.join().expect("no panic"), 100);
}

#[test]
fn options_of_nonzero_are_any_bits() {
    let mut vec = RecordVec::<Option<NonZeroU16>, SoA>::with_capacity(4);
    vec.push(None);
    vec.push(NonZeroU16::new(3));
    assert_eq!(vec.into_iter().flatten().count(), 1);
}

/// Among few values neighbors are often equal; and a relation that is neither symmetric nor transitive is asked in order.
#[test]
fn duplicates_are_those_of_vec() {
    fn check<L: RecordLayout<[u16; 2]> + Default>() {
        let mut random = Random(5);
        for len in (0..70).chain([200]) {
            let model: Vec<[u16; 2]> =
                (0..len).map(|_| [(); 2].map(|()| u16::try_from(random.below(3)).unwrap())).collect();
            let vec = RecordVec::<[u16; 2], L>::from(&model[..]);
            macro_rules! same {
                ($method:ident, $ours:expr, $theirs:expr) => {
                    let (mut vec, mut model) = (vec.clone(), model.clone());
                    vec.$method($ours);
                    model.$method($theirs);
                    assert_eq!(vec.to_vec(), model, "{} of {len}", stringify!($method));
                };
            }
            let (mut unique, mut expected) = (vec.clone(), model.clone());
            unique.dedup();
            expected.dedup();
            assert_eq!(unique.to_vec(), expected);
            same!(dedup_by_key, |record| record[0], |record| record[0]);
            same!(dedup_by, |record, kept| record[0] < kept[0], |record, kept| record[0] < kept[0]);
            same!(dedup_by, |record, kept| record[1] == kept[0], |record, kept| record[1] == kept[0]);
        }
    }
    check::<AoS>();
    check::<SoA>();
    check::<AoSoA<8>>();
    // What is unequal to itself stays.
    let mut vec = RecordVec::<f32, SoA>::from(&[f32::NAN, f32::NAN, 0.0, -0.0, 1.0]);
    vec.dedup();
    assert_eq!(vec.len(), 4);
}

/// Elements without padding are not always structs.
#[test]
fn leaves_in_another_order_are_put_where_they_belong() {
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    #[repr(C)]
    struct Packet {
        from: u16,
        to: u16,
        id: u32,
    }
    let packets: Vec<Packet> = (0..40).map(|at| Packet { from: at, to: 100 + at, id: 1000 + u32::from(at) }).collect();
    let mut vec = RecordVec::<Packet, AoS<Aligned, DecreasingAlignment>>::new();
    vec.extend_from_slice(&packets[..7]);
    packets[7..20].iter().for_each(|packet| vec.push(*packet));
    vec.extend_from_slice(&packets[20..]);
    assert_eq!(Vec::from(vec.clone()), packets);
    // What is equal has as many records, and each of them.
    let mut columns: RecordVec<Packet, SoA> = packets.iter().copied().collect();
    assert!(vec == columns && columns.contains(&packets[39]));
    columns.set(39, Packet { id: 0, ..packets[39] });
    assert!(vec != columns && !columns.contains(&packets[39]));
    vec.pop();
    columns.set(39, packets[39]);
    assert!(vec != columns);
}

/// Bytes between the leaves of records, which may be uninitialized, are not copied.
#[test]
fn padding_stays_zero() {
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    #[repr(C)]
    struct Padded {
        flag: u8,
        number: u32,
    }
    let mut records: Vec<Padded> = (1..=9).map(|flag| Padded { flag, number: u32::from(flag) << 20 }).collect();
    for record in &mut records {
        let bytes = core::ptr::from_mut(record).cast::<u8>();
        // SAFETY: these are the bytes between the two fields.
        let padding = unsafe { bytes.add(1) };
        // SAFETY: as above.
        unsafe { padding.write_bytes(0xAA, 3) };
    }
    let mut vec = RecordVec::<Padded, AoS>::new();
    vec.extend_from_slice(&records[..4]);
    vec.extend_from_slice(&records[4..]);
    assert_eq!(vec.to_vec(), records);
    let view = vec.into_view();
    assert!(view.blob_bytes(0).chunks(size_of::<Padded>()).all(|bytes| bytes[1..4] == [0; 3]));
}

/// Bytes of a block that belong to no element may be anything; they are values when they become those of elements.
#[test]
fn padding_becomes_values_when_a_vector_grows() {
    fn check<L: RecordLayout<[bool; 2]> + Default>() {
        for len in 1..=17 {
            let mapping = Mapped::<[bool; 2], _, L>::new(DynExtents::<1>::new([len]).unwrap()).unwrap();
            let view = View::from_fn(mapping, |_| [true; 2]).unwrap();
            let bytes = view.blob_bytes(0);
            let other = |[at]: [usize; 1]| if bytes[at] == 0 { 0xAA } else { bytes[at] };
            let heap = layout::alloc_from_fn::<u8, AoS, _>(bytes.len(), other).unwrap().into_blobs().into_inner();
            let mut vec = RecordVec::from_view(View::from_bytes(mapping, heap).unwrap());
            vec.reserve_exact(40);
            vec.push([true; 2]);
            assert_eq!(vec.pop(), Some([true; 2]));
            assert_eq!(vec.to_vec(), view.to_vec());
            assert!(vec.into_view().blob_bytes(0).iter().all(|byte| *byte <= 1), "{len}");
        }
    }
    check::<AoS>();
    check::<AoSoA<8>>();
    check::<AoSoA<7>>();
}

#[test]
fn a_reserved_vector_without_records_takes_slices_of_any_type() {
    fn check<R: Record + PartialEq + core::fmt::Debug, L: RecordLayout<R> + Default>(records: &[R]) {
        for reserve in [0, 1, 10, 100] {
            let mut vec = RecordVec::<R, L>::with_capacity(reserve);
            vec.extend_from_slice(records);
            vec.clear();
            vec.reserve(reserve);
            vec.extend_from_slice(records);
            assert_eq!(vec.to_vec(), records);
        }
    }
    check::<bool, AoS>(&[true, false, true]);
    check::<bool, SoA>(&[true; 40]);
    check::<char, AoS>(&['a'; 11]);
    check::<Option<NonZeroU16>, AoS>(&[NonZeroU16::new(7), None]);
    check::<NonZeroU16, AoS>(&[NonZeroU16::MAX; 12]);
    check::<u64, AoSoA<8>>(&[1; 13]);
    check::<u64, Gapped<8>>(&[1; 13]);
}

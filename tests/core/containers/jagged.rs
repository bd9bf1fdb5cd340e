//! Lists of records against `Vec<Vec<_>>`, and offsets that are refused.

use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;

use layout::error::JaggedError;
use layout::{AoS, AoSoA, Jagged, Packed, Record, RecordLayout, RecordVec, SoA, SoASingle, alloc};
use proptest::prelude::*;

use super::{Nested, Sample, Strict};

fn lists<R: Sample>(seeds: &[Vec<u16>]) -> Vec<Vec<R>> {
    seeds.iter().map(|list| list.iter().copied().map(R::sample).collect()).collect()
}

fn same<R: Sample, L: RecordLayout<R> + Default>(seeds: &[Vec<u16>]) {
    let mut model = lists::<R>(seeds);
    let mut jagged: Jagged<R, L> = model.iter().map(|list| list.iter().copied()).collect();
    let flat: Vec<R> = model.concat();
    assert_eq!((jagged.len(), jagged.is_empty(), jagged.total()), (model.len(), model.is_empty(), flat.len()));
    assert_eq!(jagged.values().to_vec(), flat);
    assert_eq!(format!("{jagged:?}"), format!("{model:?}"));
    let mut start = 0;
    for (index, list) in model.iter().enumerate() {
        assert_eq!(jagged.range(index), start..start + list.len());
        assert_eq!((jagged.list(index).to_vec(), jagged.list_len(index)), (list.clone(), list.len()));
        start += list.len();
    }
    assert!(jagged.lists().map(|list| list.to_vec()).eq(model.iter().cloned()));
    assert!(jagged.lists().rev().map(|list| list.to_vec()).eq(model.iter().rev().cloned()));
    let mut both = jagged.lists();
    assert_eq!(
        (both.len(), both.next().is_some(), both.next_back().is_some()),
        (model.len(), !model.is_empty(), model.len() > 1)
    );
    assert_eq!(both.len(), model.len().saturating_sub(2));

    // Through its parts, in another layout, with other offsets.
    let (offsets, values) = jagged.clone().into_parts();
    let offsets: Vec<i64> = offsets.into_iter().map(i64::from).collect();
    let again = Jagged::from_parts(offsets, values.values().collect::<RecordVec<R, AoS>>()).expect("lists");
    assert_eq!(again, jagged);

    // Writes: a list at a time, and all values.
    for (index, list) in model.iter_mut().enumerate().step_by(2) {
        jagged.list_mut(index).fill(R::sample(7));
        list.fill(R::sample(7));
    }
    jagged.for_each_list_mut(|index, mut list| {
        assert_eq!(list.len(), model[index].len());
        if index % 3 == 0 {
            list.fill(R::sample(8));
            model[index].fill(R::sample(8));
        }
    });
    assert_eq!(jagged.values().to_vec(), model.concat());
    jagged.extend(model.clone());
    model.extend(model.clone());
    jagged.values_mut().slice_mut((..,)).update(|value| value);
    assert!(jagged.lists().map(|list| list.to_vec()).eq(model));
}

proptest! {
    #[test]
    fn lists_are_those_of_vec(seeds in prop::collection::vec(prop::collection::vec(any::<u16>(), 0..9), 0..9)) {
        same::<Strict, SoA>(&seeds);
        same::<Strict, AoSoA<4>>(&seeds);
        same::<Nested, AoS<Packed>>(&seeds);
        same::<Nested, AoSoA<7>>(&seeds);
        same::<Nested, SoASingle>(&seeds);
    }
}

fn refused<O: layout::index::IndexType>(offsets: &[O]) -> String {
    let values = RecordVec::<u8, SoA>::from(&[1, 2, 3]);
    Jagged::from_parts(offsets.to_vec(), values).expect_err("no lists").to_string()
}

#[test]
fn offsets_that_are_none() {
    assert_eq!(refused::<u32>(&[]), "no offsets were given: there must be one more than there are lists");
    assert_eq!(refused(&[1_u32, 3]), "offset 0 is 1: it must be 0");
    assert_eq!(refused(&[-1_i32, 3]), "offset 0 is -1: it must be 0");
    let backwards = |offset, given, least| {
        format!("offset {offset} is {given}: it must be no less than the one before it, which is {least}")
    };
    assert_eq!(refused(&[0_u32, 2, 1, 3]), backwards(2, 1, 2));
    assert_eq!(refused(&[0_i64, -2, 3]), backwards(1, -2, 0));
    assert_eq!(refused(&[0_u64, u64::MAX, 3]), backwards(2, 3, u64::MAX));
    let last = |offset, given: i128| {
        format!("offset {offset}, the last, is {given}: it must be the number of values, which is 3")
    };
    assert_eq!(refused(&[0_u8, 2]), last(1, 2));
    assert_eq!(refused(&[0_u8]), last(0, 0));
    assert_eq!(refused(&[0_u16, 2, 4]), last(2, 4));
    assert_eq!(refused(&[0_u64, 3, u64::MAX]), last(2, u64::MAX.into()));
    // More than `usize` counts.
    assert_eq!(refused(&[0_i128, 1 << 100]), last(1, 1 << 100));
    assert_eq!(refused(&[0_u128, 1 << 100]), last(1, 1 << 100));
    assert_eq!(refused(&[1_i128 << 100]), format!("offset 0 is {}: it must be 0", 1_i128 << 100));
}

#[test]
fn more_values_than_offsets_count() {
    let mut jagged = Jagged::<u8, AoS, i8>::new();
    jagged.push_list([1; 100]);
    let error = jagged.try_push_list(core::iter::repeat(2)).expect_err("endless");
    assert_eq!(error, JaggedError::TooMany { most: 127 });
    assert_eq!(error.to_string(), "the lists have more values than their offsets can count: at most 127");
    assert_eq!(jagged.try_push_list([2; 27]), Ok(()));
    assert_eq!(jagged.try_push_list([]), Ok(()));
    assert_eq!((jagged.offsets(), jagged.total()), (&[0, 100, 127, 127][..], 127));
    let panic = catch_unwind(AssertUnwindSafe(|| jagged.push_list([3]))).expect_err("a panic");
    assert_eq!(panic.downcast_ref::<String>().expect("text"), &JaggedError::TooMany { most: 127 }.to_string());
}

#[test]
fn a_panic_in_a_list_leaves_those_before() {
    let mut jagged = Jagged::<u8, SoA>::new();
    jagged.push_list([1, 2]);
    let list = (0..10).map(|value| if value == 5 { panic!("five") } else { value });
    assert!(catch_unwind(AssertUnwindSafe(|| jagged.push_list(list))).is_err());
    assert_eq!((jagged.total(), jagged.offsets()), (2, &[0, 2][..]));
    jagged.push_list([3]);
    assert_eq!(jagged.list(1).to_vec(), [3]);
    jagged.clear();
    assert_eq!((jagged.total(), jagged.offsets(), jagged.len()), (0, &[0][..], 0));
}

#[test]
fn lists_out_of_range_panic() {
    let mut jagged: Jagged<u8, SoA> = [vec![1, 2], vec![3]].into_iter().collect();
    for index in [2, 3, usize::MAX] {
        let message = format!("index {index} is out of range for 2 lists");
        let panic = catch_unwind(AssertUnwindSafe(|| jagged.list(index).len())).expect_err("a panic");
        assert_eq!(panic.downcast_ref::<String>(), Some(&message));
        let panic = catch_unwind(AssertUnwindSafe(|| jagged.list_mut(index).fill(0))).expect_err("a panic");
        assert_eq!(panic.downcast_ref::<String>(), Some(&message));
    }
}

#[test]
fn records_with_their_lists() {
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Event {
        scale: f32,
        sum: f32,
    }
    let mut events = RecordVec::<Event, AoSoA<4>>::new();
    events.extend([1.0, 2.0, 3.0].map(|scale| Event { scale, sum: 0.0 }));
    let mut hits: Jagged<f32, SoA> = [vec![1.0, 2.0], vec![], vec![3.0]].into_iter().collect();
    hits.for_each_list_mut(|index, mut list| {
        let scale = events.at(index).scale.get();
        list.update(|hit| scale * hit);
    });
    for (mut event, list) in hits.zip(&mut events).expect("as many") {
        event.sum.set(list.values().sum());
    }
    assert_eq!(events.values().map(|event| event.sum).collect::<Vec<_>>(), [3.0, 0.0, 9.0]);
    // Slots, slots of a view, and numbers.
    assert_eq!(
        hits.zip(&events).expect("as many").filter(|(event, list)| event.sum.get() > 0.0 && !list.is_empty()).count(),
        2
    );
    let mut counts = alloc::<usize, SoA, _>(3).expect("memory");
    hits.zip(&mut counts).expect("as many").for_each(|(mut count, list)| count.set(list.len()));
    assert_eq!(counts.to_vec(), [2, 0, 1]);
    let error = hits.zip(0..4).err().expect("four");
    assert_eq!(error.to_string(), "4 items were given to be joined with 3 lists: there must be one for each list");
}

#[cfg(feature = "serde")]
#[test]
fn through_text_and_bytes() {
    let jagged: Jagged<Nested, SoA> = lists(&[vec![1, 2], vec![], vec![3]]).into_iter().collect();
    let read: Jagged<Nested, AoSoA<4>> =
        postcard::from_bytes(&postcard::to_allocvec(&jagged).expect("bytes")).expect("lists");
    assert_eq!(read, jagged);
    let read = serde_json::from_str::<Jagged<u8, SoA>>;
    assert_eq!(read(r#"{"offsets":[0,2,3],"values":[1,2,3]}"#).expect("lists").list(1).to_vec(), [3]);
    let error = read(r#"{"offsets":[0,2,4],"values":[1,2,3]}"#).expect_err("four");
    assert_eq!(error.to_string(), JaggedError::Last { position: 2, given: 4, values: 3 }.to_string());
    assert!(read(r#"{"offsets":[0,-1],"values":[]}"#).is_err());
    assert!(read(r#"{"offsets":[],"values":[]}"#).is_err());
}

#[test]
fn equal_lists_end_where_the_others_do() {
    let lists = |lists: [Vec<u8>; 2]| lists.into_iter().collect::<Jagged<u8, SoA>>();
    let one = lists([vec![1], vec![2, 3]]);
    assert_eq!(one, lists([vec![1], vec![2, 3]]));
    assert_ne!(one, lists([vec![1, 2], vec![3]]));
    assert_ne!(one, lists([vec![1], vec![2, 4]]));
}

#[test]
fn one_value_more_than_fits_is_taken() {
    let mut jagged = Jagged::<u8, SoA, u8>::new();
    jagged.try_push_list([1; 200]).unwrap();
    let mut taken = 0;
    let endless = core::iter::repeat_with(|| {
        taken += 1;
        2
    });
    assert!(jagged.try_push_list(endless).is_err());
    assert_eq!((taken, jagged.len(), jagged.total()), (56, 1, 200));
}

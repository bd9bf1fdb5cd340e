//! Lists of records as columns.

use std::sync::Arc;

use arrow_array::types::{Float32Type, UInt16Type};
use arrow_array::{Array, ArrayRef, LargeListArray, ListArray, RecordBatch};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{Field, Schema};
use layout::index::IndexType;
use layout::interop::arrow::{Arrays, BatchError, Nulls, as_lists, into_batch, with_lists};
use layout::prelude::*;
use proptest::prelude::*;

use crate::records::{All, records};
use crate::round_trips::assert_valid;

fn nothing() -> RecordBatch {
    RecordBatch::new_empty(Arc::new(Schema::empty()))
}

fn assert_lists<L: RecordLayout<All> + Default, O: IndexType>(lens: &[usize], start: usize, seed: u64, arrays: Arrays) {
    let values: Vec<All> = records(lens.iter().sum(), seed);
    let mut rest = &values[..];
    let lists: Vec<Vec<All>> = lens
        .iter()
        .map(|len| {
            let (list, more) = rest.split_at(*len);
            rest = more;
            list.to_vec()
        })
        .collect();
    let jagged: Jagged<All, L, O> = lists.iter().cloned().collect();
    let batch = with_lists(&nothing(), "lists", jagged, arrays).unwrap();
    assert_valid(&batch);
    let part = batch.slice(start, lens.len() - start);
    let found = as_lists::<All>(&part, "lists", Nulls::Reject).unwrap();
    assert_eq!((found.len(), found.is_empty()), (lens.len() - start, lens.len() == start));
    let expected: Jagged<All, AoS> = lists[start..].iter().cloned().collect();
    assert_eq!(found.to_jagged::<AoSoA<4>>().unwrap(), expected);
    for (i, list) in lists[start..].iter().enumerate() {
        assert_eq!(found.values().slice((found.range(i),)).to_vec(), *list);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn lists_come_back((lens, start) in prop::collection::vec(0_usize..9, 0..30).prop_flat_map(|lens| { let count = lens.len(); (Just(lens), 0..=count) }), seed: u64, list: bool) {
        let arrays = if list { Arrays::List } else { Arrays::Fields };
        assert_lists::<SoA, i64>(&lens, start, seed, arrays);
        assert_lists::<SoASingle, u32>(&lens, start, seed, arrays);
        assert_lists::<AoS, u8>(&lens, start.min(lens.len()), seed, arrays);
    }
}

#[test]
fn columns_of_lists_beside_others() {
    let events = into_batch(RecordVec::<u64, SoA>::from(&[1, 2]), Arrays::Fields).unwrap();
    let lists = |count: usize| (0..count).map(|i| vec![i as f32; i]).collect::<Jagged<f32, SoA>>();
    let batch = with_lists(&events, "a", lists(2), Arrays::Fields).unwrap();
    let batch = with_lists(&batch, "b", lists(2), Arrays::Fields).unwrap();
    assert_eq!((batch.num_columns(), batch.num_rows()), (3, 2));
    let error = with_lists(&batch, "c", lists(3), Arrays::Fields).unwrap_err();
    assert_eq!(error.to_string(), "`c` has 3 lists, and the batch has 2 rows");
    let error = |name, text: &str| {
        let error = as_lists::<u8>(&batch, name, Nulls::Reject).err().unwrap();
        assert_eq!(error.to_string(), format!("the schema differs from that of the record:\n  {text}"));
    };
    error("c", "`c` is missing: LargeList");
    error("value", "`value` is UInt64, and the record has LargeList");
    error("a", "`a` is Float32, and the record has UInt8");
}

#[test]
fn lists_of_others() {
    let lists = ListArray::from_iter_primitive::<UInt16Type, _, _>([
        Some(vec![Some(1)]),
        Some(vec![]),
        Some(vec![Some(2), Some(3)]),
    ]);
    let batch = RecordBatch::try_from_iter([("a", Arc::new(lists) as ArrayRef)]).unwrap();
    let found = as_lists::<u16>(&batch.slice(1, 2), "a", Nulls::Reject).unwrap();
    assert_eq!((found.offsets(), found.values().to_vec()), (&[0, 0, 2][..], vec![2, 3]));

    // Nulls are refused in values, and as lists.
    let lists = LargeListArray::from_iter_primitive::<Float32Type, _, _>([Some(vec![Some(1.0), None]), None]);
    let batch = RecordBatch::try_from_iter_with_nullable([("a", Arc::new(lists) as ArrayRef, true)]).unwrap();
    let refused = |batch: &RecordBatch| as_lists::<f32>(batch, "a", Nulls::Reject).err().unwrap().to_string();
    assert!(refused(&batch).starts_with("`a` has 1 of 2 values that are null"), "{}", refused(&batch));
    assert!(refused(&batch.slice(0, 1)).starts_with("`a[]` has 1 of 2 values"), "{}", refused(&batch.slice(0, 1)));
    let found = as_lists(&batch, "a", Nulls::As(5.0_f32)).unwrap();
    assert_eq!((found.offsets(), found.values().to_vec()), (&[0, 2, 2][..], vec![1.0, 5.0]));

    // A null list that has values is no list without values.
    let values: ArrayRef = Arc::new(arrow_array::Float32Array::from(vec![1.0, 2.0]));
    let item = Arc::new(Field::new("item", values.data_type().clone(), false));
    let nulls = Some(NullBuffer::from(vec![true, false]));
    let lists = LargeListArray::new(item, OffsetBuffer::new(vec![0_i64, 1, 2].into()), values, nulls);
    let batch = RecordBatch::try_from_iter_with_nullable([("a", Arc::new(lists) as ArrayRef, true)]).unwrap();
    let error = as_lists(&batch, "a", Nulls::As(5.0_f32)).err().unwrap();
    assert!(matches!(error, BatchError::NullList { list: 1, values: 1, .. }), "{error}");
}

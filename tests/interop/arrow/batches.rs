//! Batches from outside: nulls, values that are none of a leaf, sliced and misaligned buffers, truncated and damaged streams.

use core::num::{NonZeroU8, NonZeroU32};
use std::sync::Arc;

use arrow_array::builder::{FixedSizeListBuilder, UInt8Builder};
use arrow_array::{
    Array, ArrayRef, BooleanArray, FixedSizeBinaryArray, RecordBatch, StructArray, UInt8Array, UInt32Array,
};
use arrow_buffer::{Buffer, NullBuffer};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use layout::ViewError;
use layout::interop::arrow::{Arrays, BatchError, Nulls, as_lists, as_view, from_batch, into_batch, with_lists};
use layout::prelude::*;

use crate::records::{All, Material, records};

fn one(array: impl Array + 'static) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable([("value", Arc::new(array) as ArrayRef, true)]).unwrap()
}

fn error<R: Record>(batch: &RecordBatch) -> BatchError {
    match as_view::<R>(batch, Nulls::Reject) {
        Err(error) => error,
        Ok(_) => panic!("the batch was accepted"),
    }
}

fn invalid<R: Record>(batch: &RecordBatch) -> String {
    match error::<R>(batch) {
        BatchError::View(error @ ViewError::InvalidValue { .. }) => error.to_string(),
        error => panic!("{error}"),
    }
}

#[test]
fn values_that_are_none_of_a_leaf() {
    let letters = one(UInt32Array::from(vec![0x61, 0xd800]));
    assert!(invalid::<char>(&letters).contains("[1]"), "{}", invalid::<char>(&letters));
    assert_eq!(from_batch::<char, AoS>(&letters.slice(0, 1), Nulls::Reject).unwrap().to_vec(), ['a']);
    invalid::<NonZeroU8>(&one(UInt8Array::from(vec![1, 0])));
    // Several records of the layout share bytes, so a vector has none.
    let shared = from_batch::<NonZeroU8, layout::One>(&one(UInt8Array::from(vec![1, 2])), Nulls::Reject);
    assert!(matches!(shared.err().unwrap(), BatchError::View(ViewError::NotUnique)));
    let materials = |bytes: Vec<u8>| one(FixedSizeBinaryArray::new(1, Buffer::from(bytes), None));
    invalid::<Material>(&materials(vec![3, 2]));
    assert_eq!(
        as_view::<Material>(&materials(vec![3, 1]), Nulls::Reject).unwrap().to_vec(),
        [Material::Steel, Material::Wood]
    );
}

/// Values that the layout refuses are an error with the index; values that it wraps are stored.
#[test]
fn values_that_do_not_fit() {
    use layout::bits::{BitPackedIntSoA, Bits, KeepSign, Wrap};

    type Small = BitPackedIntSoA<Bits<4>>;
    let batch = one(UInt8Array::from(vec![1, 15, 16, 17]));
    let error = from_batch::<u8, Small>(&batch, Nulls::Reject).err().unwrap();
    assert!(matches!(error, BatchError::View(ViewError::Value { .. })), "{error}");
    assert_eq!(error.to_string(), "value 16 does not fit leaf `u8`, which stores 0 to 15, at index [2]");
    assert_eq!(from_batch::<u8, Small>(&batch.slice(0, 2), Nulls::Reject).unwrap().to_vec(), [1, 15]);
    let null = one(UInt8Array::from(vec![Some(1), None]));
    let error = from_batch::<u8, Small>(&null, Nulls::As(99)).err().unwrap();
    assert_eq!(error.to_string(), "value 99 does not fit leaf `u8`, which stores 0 to 15, at index [1]");
    let wrapped = from_batch::<u8, BitPackedIntSoA<Bits<4>, KeepSign, Wrap>>(&batch, Nulls::Reject).unwrap();
    assert_eq!(wrapped.to_vec(), [1, 15, 0, 1]);

    let lists: Jagged<u8, SoA> = [vec![1, 2], vec![], vec![3, 200]].into_iter().collect();
    let batch = with_lists(&one(UInt8Array::from(vec![0; 3])), "lists", lists, Arrays::Fields).unwrap();
    let error = as_lists::<u8>(&batch, "lists", Nulls::Reject).unwrap().to_jagged::<Small>().err().unwrap();
    assert_eq!(error.to_string(), "value 200 does not fit leaf `u8`, which stores 0 to 15, at index [3]");
}

#[test]
fn nulls_are_refused_or_get_a_value() {
    let batch = one(UInt32Array::from(vec![Some(1), None, Some(3), None]));
    assert!(matches!(error::<u32>(&batch), BatchError::Nulls { count: 2, rows: 4, .. }));
    assert_eq!(as_view(&batch, Nulls::As(9_u32)).unwrap().to_vec(), [1, 9, 3, 9]);
    assert_eq!(as_view(&batch.slice(1, 2), Nulls::As(9_u32)).unwrap().to_vec(), [9, 3]);
    assert_eq!(as_view::<u32>(&batch.slice(2, 1), Nulls::Reject).unwrap().to_vec(), [3]);
    assert_eq!(as_view(&batch, Nulls::As('x')).unwrap().to_vec(), ['\u{1}', 'x', '\u{3}', 'x']);
    // A null is the `None` of an `Option`, and zero is another.
    let options = one(UInt32Array::from(vec![Some(1), None, Some(0)]));
    let expected = [NonZeroU32::new(1), None, None];
    assert_eq!(as_view::<Option<NonZeroU32>>(&options, Nulls::Reject).unwrap().to_vec(), expected);
    // Whatever lies under a null.
    let under = UInt32Array::new(vec![7, 8].into(), Some(NullBuffer::from(vec![true, false])));
    let under = as_view::<Option<NonZeroU32>>(&one(under), Nulls::Reject).unwrap();
    assert_eq!(under.to_vec(), [NonZeroU32::new(7), None]);
    let flags = one(BooleanArray::from(vec![Some(false), None, Some(true)]));
    assert_eq!(as_view(&flags, Nulls::As(true)).unwrap().to_vec(), [false, true, true]);
    assert_eq!(as_view(&flags.slice(2, 1), Nulls::As(false)).unwrap().to_vec(), [true]);
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Outer {
    inner: Inner,
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Inner {
    a: u32,
    b: [u8; 2],
}

#[test]
fn nulls_of_structs_and_lists_are_those_of_their_leaves() {
    let mut lists = FixedSizeListBuilder::new(UInt8Builder::new(), 2);
    for (values, valid) in
        [([Some(1), Some(2)], true), ([Some(3), Some(4)], false), ([Some(5), None], true), ([Some(7), Some(8)], true)]
    {
        values.into_iter().for_each(|value| lists.values().append_option(value));
        lists.append(valid);
    }
    let columns = vec![Arc::new(UInt32Array::from(vec![10, 20, 30, 40])) as ArrayRef, Arc::new(lists.finish())];
    let names = [("a", false), ("b", true)];
    let fields = names
        .iter()
        .zip(&columns)
        .map(|((name, null), array)| arrow_schema::Field::new(*name, array.data_type().clone(), *null));
    let structs = StructArray::new(fields.collect(), columns, Some(NullBuffer::from(vec![true, true, true, false])));
    let batch = RecordBatch::try_from_iter_with_nullable([("inner", Arc::new(structs) as ArrayRef, true)]).unwrap();
    let text = error::<Outer>(&batch).to_string();
    assert!(text.starts_with("`inner.a` has 1 of 4"), "{text}");
    let value = Outer { inner: Inner { a: 0, b: [100, 200] } };
    let outer = |a, b| Outer { inner: Inner { a, b } };
    let expected = [outer(10, [1, 2]), outer(20, [100, 200]), outer(30, [5, 200]), outer(0, [100, 200])];
    assert_eq!(as_view(&batch, Nulls::As(value)).unwrap().to_vec(), expected);
    assert_eq!(as_view(&batch.slice(1, 2), Nulls::As(value)).unwrap().to_vec(), expected[1..3]);
    let text = error::<Outer>(&batch.slice(0, 3)).to_string();
    assert!(text.starts_with("`inner.b[]` has 1 of 3"), "{text}");
}

#[test]
fn views_of_batches_may_go_to_other_threads() {
    let batch = one(UInt32Array::from(vec![1, 2]));
    let view = as_view::<u32>(&batch, Nulls::Reject).unwrap();
    drop(batch);
    assert_eq!(std::thread::spawn(move || view.to_vec()).join().unwrap(), [1, 2]);
}

#[test]
fn misaligned_buffers_are_copied() {
    let bytes: Vec<u8> = (0..65).collect();
    let buffer = Buffer::from(bytes);
    for start in 0..2 {
        let values = buffer.slice_with_length(start, 64);
        let address = values.as_ptr();
        let batch = one(FixedSizeBinaryArray::new(16, values, None));
        let view = as_view::<u128>(&batch, Nulls::Reject).unwrap();
        let first: [u8; 16] = core::array::from_fn(|i| u8::try_from(i + start).unwrap());
        assert_eq!((view.len(), view.get(0)), (4, u128::from_ne_bytes(first)));
        let aligned = address.addr().is_multiple_of(align_of::<u128>());
        assert_eq!(view.column_bytes(0).unwrap().as_ptr() == address, aligned);
        assert_eq!(view.into_blobs().into_inner()[0].is_shared(), aligned);
    }
}

fn stream(batch: &RecordBatch) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = StreamWriter::try_new(&mut bytes, batch.schema_ref()).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
    drop(writer);
    bytes
}

/// The records of all batches, or that the stream or a batch was refused.
fn read(bytes: &[u8]) -> Option<usize> {
    let mut rows = 0;
    for batch in StreamReader::try_new(bytes, None).ok()? {
        rows += from_batch::<All, AoS>(&batch.ok()?, Nulls::Reject).ok()?.len();
    }
    Some(rows)
}

#[test]
fn truncated_and_damaged_streams_are_errors() {
    let records: Vec<All> = records(20, 7);
    let bytes = stream(&into_batch(RecordVec::<All, SoA>::from(&records[..]), Arrays::List).unwrap());
    assert_eq!(read(&bytes), Some(20));
    for end in (0..bytes.len()).step_by(97) {
        assert!(read(&bytes[..end]).is_none_or(|rows| rows == 0 || rows == 20), "cut at {end}");
    }
    // Damage among the values: other values, or an error.
    let (mut random, mut refused) = (support::random::Random(5), 0);
    for _ in 0..400 {
        let mut damaged = bytes.clone();
        let last = bytes.len() - 8;
        let at = last / 2 + random.below(last / 2);
        damaged[at] ^= 1 << random.below(8);
        refused += usize::from(read(&damaged).is_none());
    }
    assert!(refused > 0, "some values are none of their leaves");
}

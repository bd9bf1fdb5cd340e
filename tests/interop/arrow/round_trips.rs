//! Random records, in every layout, to batches and back, whole and in slices.

use arrow_array::{Array, RecordBatch};
use layout::interop::arrow::{Arrays, Nulls, as_view, from_batch, into_batch, schema, to_batch};
use layout::prelude::*;
use layout::{BitPackedIntAoS, BitPackedIntSoA, Bits, LeafTable, Split, path};
use proptest::prelude::*;

use crate::records::{All, Drawn, Ints, records};

/// All that Arrow can check about the arrays.
pub(crate) fn assert_valid(batch: &RecordBatch) {
    for column in batch.columns() {
        column.to_data().validate_full().expect("a valid array");
    }
}

/// The bytes of a batch's views, by leaf: equal values of floats may differ in bits.
fn columns<R: Record>(view: &View<impl MappingOf<R, 1>, impl Blobs>) -> Vec<Vec<u8>> {
    let copy = {
        let mut copy = RecordVec::<R, SoA>::new();
        copy.extend_from_view(view);
        copy
    };
    (0..LeafTable::of::<R>().count()).map(|leaf| copy.column_bytes(leaf).expect("SoA has columns").to_vec()).collect()
}

fn assert_round_trip<R: Drawn, L: RecordLayout<R> + Default>(records: &[R], start: usize, len: usize, arrays: Arrays) {
    let vec = RecordVec::<R, L>::from(records);
    let copied = to_batch(&vec.as_view(), arrays).expect("a batch");
    let expected = columns(&RecordVec::<R, SoA>::from(&records[start..start + len]).as_view());
    let batch = into_batch(vec, arrays).expect("a batch");
    assert_eq!(batch, copied);
    assert_eq!((batch.num_rows(), &**batch.schema_ref()), (records.len(), &schema::<R>(arrays)));
    assert_valid(&batch);

    let part = batch.slice(start, len);
    assert_valid(&part);
    let view = as_view::<R>(&part, Nulls::Refuse).expect("a view");
    drop((batch, copied, part.clone()));
    assert_eq!(columns(&view), expected);
    assert_eq!(columns(&from_batch::<R, L>(&part, Nulls::Refuse).expect("a vector").as_view()), expected);
    let value = R::draw(&mut support::random::Random(1));
    let with_value = from_batch::<R, AoS>(&part, Nulls::As(value)).expect("a vector");
    assert_eq!(columns(&with_value.as_view()), expected, "without nulls, their value is not used");
}

/// A length, and a part of it.
fn lengths() -> impl Strategy<Value = (usize, usize, usize)> {
    (0_usize..200)
        .prop_flat_map(|len| (Just(len), 0..=len))
        .prop_flat_map(|(len, start)| (Just(len), Just(start), 0..=len - start))
}

fn arrays() -> impl Strategy<Value = Arrays> {
    prop_oneof![Just(Arrays::Fields), Just(Arrays::List)]
}

macro_rules! round_trips {
    ($($name:ident: $record:ty, $layout:ty;)+) => {
        proptest! {
            #![proptest_config(ProptestConfig::with_cases(48))]
            $(#[test]
            fn $name((len, start, part) in lengths(), seed: u64, arrays in arrays()) {
                assert_round_trip::<$record, $layout>(&records(len, seed), start, part, arrays);
            })+
        }
    };
}

round_trips! {
    soa: All, SoA;
    soa_in_one_blob: All, SoASingle;
    packed_soa: All, SoASingle<Packed>;
    aos: All, AoS;
    packed_aos: All, AoS<Packed>;
    blocks: All, AoSoA<8>;
    long_blocks: All, AoSoA<64>;
    split: All, Split<path!(All, grid), SoA, AoS>;
    bits_of_arrays: Ints, BitPackedIntSoA<Bits<12>>;
    bits_of_structs: Ints, BitPackedIntAoS<Bits<12>>;
    one_leaf: u64, SoA;
    one_leaf_in_blocks: char, AoSoA<4>;
    array: [f32; 3], SoA;
    nested_arrays: [[bool; 2]; 2], AoS;
}

//! Random records, in every layout, to batches and back, whole and in slices.

use arrow_array::{Array, RecordBatch, make_array};
use arrow_buffer::NullBuffer;
use layout::bits::{BitPackedIntAoS, BitPackedIntSoA, Bits};
use layout::composed::Split;
use layout::interop::arrow::{Arrays, Nulls, as_view, from_batch, into_batch, schema, to_batch};
use layout::path;
use layout::prelude::*;
use layout::record::LeafTable;
use proptest::prelude::*;

use crate::records::{All, Cell, Drawn, Ints, records};

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
    let view = as_view::<R>(&part, Nulls::Reject).expect("a view");
    drop((batch, copied, part.clone()));
    assert_eq!(columns(&view), expected);
    assert_eq!(columns(&from_batch::<R, L>(&part, Nulls::Reject).expect("a vector").as_view()), expected);
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

/// A record whose columns get nulls.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Nested {
    cell: Cell,
    grid: [[u16; 2]; 3],
    id: u64,
    letter: char,
}

impl Drawn for Nested {
    fn draw(random: &mut support::random::Random) -> Self {
        let (cell, grid) = (Drawn::draw(random), Drawn::draw(random));
        Self { cell, grid, id: Drawn::draw(random), letter: Drawn::draw(random) }
    }
}

/// The batch with nulls in each column where the bits are not set.
fn with_nulls(batch: &RecordBatch, valid: &[Vec<bool>]) -> RecordBatch {
    let arrays = batch.columns().iter().zip(valid).map(|(column, valid)| {
        let data = column.to_data().into_builder().nulls(Some(NullBuffer::from(valid.clone()))).build();
        make_array(data.expect("an array with nulls"))
    });
    let names = batch.schema_ref().fields().iter().map(|field| field.name().clone());
    RecordBatch::try_from_iter_with_nullable(names.zip(arrays).map(|(name, array)| (name, array, true)))
        .expect("a batch")
}

proptest! {
    #[test]
    fn nulls_get_the_value_of_their_field((len, start, part) in lengths(), seed: u64, arrays in arrays(), sparse: bool) {
        let records: Vec<Nested> = records(len, seed);
        let mut random = support::random::Random(seed);
        let value = Nested::draw(&mut random);
        let valid: Vec<Vec<bool>> =
            (0..4).map(|_| (0..len).map(|_| random.below(if sparse { 40 } else { 2 }) > 0).collect()).collect();
        let batch = into_batch(RecordVec::<Nested, SoA>::from(&records[..]), arrays).expect("a batch");
        let batch = with_nulls(&batch, &valid).slice(start, part);
        let expected = records.iter().enumerate().map(|(i, record)| Nested {
            cell: if valid[0][i] { record.cell } else { value.cell },
            grid: if valid[1][i] { record.grid } else { value.grid },
            id: if valid[2][i] { record.id } else { value.id },
            letter: if valid[3][i] { record.letter } else { value.letter },
        });
        let expected: Vec<Nested> = expected.skip(start).take(part).collect();
        let found = as_view(&batch, Nulls::As(value)).expect("a view");
        assert_eq!(columns(&found), columns(&RecordVec::<Nested, SoA>::from(&expected[..]).as_view()));
        let nulls = valid.iter().flat_map(|valid| &valid[start..start + part]).any(|valid| !valid);
        assert_eq!(as_view::<Nested>(&batch, Nulls::Reject).is_err(), nulls);
    }
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

//! The memory of conversions, by an allocator that counts: values that are not copied keep their addresses, and nothing of their size
//! is allocated.

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use arrow_schema::Schema;
use layout::interop::arrow::{Arrays, Nulls, as_lists, as_view, from_batch, into_batch, with_lists};
use layout::prelude::*;
use layout::record::LeafTable;
use support::counting::Counting;

#[global_allocator]
static COUNTING: Counting = Counting::new();

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Vec3 {
    x: f32,
    y: f32,
    z: f32,
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Particle {
    id: u64,
    pos: Vec3,
    charges: [i16; 2],
    code: u128,
}

fn particle(i: u64) -> Particle {
    let x = i as f32;
    Particle { id: i, pos: Vec3 { x, y: -x, z: 0.5 }, charges: [1, -1], code: u128::from(i) << 70 }
}

/// The bytes that `work` allocated, whether it freed them or not, and its result.
fn allocated<T>(work: impl FnOnce() -> T) -> (usize, T) {
    let (_, before) = COUNTING.so_far();
    let result = work();
    (COUNTING.so_far().1 - before, result)
}

/// The addresses of the values of all leaves of a batch.
fn addresses(array: &dyn Array, out: &mut Vec<*const u8>) {
    if let Some(fields) = array.as_struct_opt() {
        fields.columns().iter().for_each(|column| addresses(column, out));
    } else {
        out.push(array.to_data().buffers()[0].as_ptr());
    }
}

fn columns<R: Record, L: RecordLayout<R>>(vec: &RecordVec<R, L>) -> Vec<*const u8> {
    (0..LeafTable::of::<R>().count()).map(|leaf| vec.column_bytes(leaf).expect("a column").as_ptr()).collect()
}

/// Bytes for Arrow's own structures: there are seven columns.
const BESIDE: usize = 16 << 10;
const ROWS: u64 = 100_000;

fn check_not_copied<L: RecordLayout<Particle> + Default>() {
    let mut vec: RecordVec<Particle, L> = (0..ROWS).map(particle).collect();
    vec.reserve(100);
    let expected = columns(&vec);
    let live = COUNTING.live();
    let (bytes, batch) = allocated(|| into_batch(vec, Arrays::Fields).unwrap());
    println!("{} rows out: {bytes} bytes allocated", ROWS);
    assert!(bytes < BESIDE, "{bytes} bytes");
    let mut found = Vec::new();
    batch.columns().iter().for_each(|column| addresses(column, &mut found));
    assert_eq!(found, expected);

    let part = batch.slice(10, 1000);
    let (bytes, view) = allocated(|| as_view::<Particle>(&part, Nulls::Reject).unwrap());
    println!("1000 rows in: {bytes} bytes allocated");
    assert!(bytes < BESIDE, "{bytes} bytes");
    for (leaf, column) in expected.iter().enumerate() {
        let bytes = view.column_bytes(leaf).unwrap();
        assert_eq!(
            bytes.as_ptr(),
            column.wrapping_add(10 * LeafTable::of::<Particle>().leaf(leaf).size()),
            "leaf {leaf}"
        );
    }
    // The memory stays as long as anything uses it, and no longer.
    drop((batch, part));
    assert!(COUNTING.live() > live / 2);
    assert_eq!(view.load(7), particle(17));
    drop(view);
    assert!(COUNTING.live() < live / 100, "{} of {live} bytes are left", COUNTING.live());
}

#[test]
fn memory_of_conversions() {
    // One test: its threads would count each other's bytes.
    check_not_copied::<SoA>();
    check_not_copied::<SoASingle>();
    check_not_copied::<SoASingle<layout::options::LeafAligned>>();

    // Another layout is copied once; so is a batch to a vector.
    let vec: RecordVec<Particle, AoS> = (0..ROWS).map(particle).collect();
    let size = LeafTable::of::<Particle>().packed_size(7) * usize::try_from(ROWS).unwrap();
    let (bytes, batch) = allocated(|| into_batch(vec, Arrays::Fields).unwrap());
    assert!((size..size + size / 50).contains(&bytes), "{bytes} bytes for {size}");
    let (bytes, vec) = allocated(|| from_batch::<Particle, SoASingle>(&batch, Nulls::Reject).unwrap());
    assert!((size..size + size / 50).contains(&bytes), "{bytes} bytes for {size}");
    assert_eq!(vec.load(99), particle(99));
    drop((vec, batch));

    // Lists: values, and offsets that are `i64`.
    let lists: Jagged<Particle, SoA, i64> =
        (0..ROWS / 10).map(|i| (0..10).map(move |k| particle(10 * i + k))).collect();
    let (offsets, values) = lists.into_parts();
    let (first, expected) = (offsets.as_ptr(), columns(&values));
    let lists = Jagged::from_parts(offsets, values).unwrap();
    let nothing = RecordBatch::new_empty(Schema::empty().into());
    let (bytes, batch) = allocated(|| with_lists(&nothing, "particles", lists, Arrays::Fields).unwrap());
    println!("{} lists out: {bytes} bytes allocated", ROWS / 10);
    assert!(bytes < BESIDE, "{bytes} bytes");
    let (bytes, lists) = allocated(|| as_lists::<Particle>(&batch, "particles", Nulls::Reject).unwrap());
    println!("{} lists in: {bytes} bytes allocated", ROWS / 10);
    assert!(bytes < BESIDE, "{bytes} bytes");
    assert_eq!(lists.offsets().as_ptr(), first);
    for (leaf, column) in expected.into_iter().enumerate() {
        assert_eq!(lists.values().column_bytes(leaf).unwrap().as_ptr(), column);
    }

    // A batch that says it is huge takes no memory.
    let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(1 << 50));
    let huge = RecordBatch::try_new_with_options(Schema::empty().into(), vec![], &options).unwrap();
    let (bytes, view) = allocated(|| as_view::<[u8; 0]>(&huge, Nulls::Reject).unwrap());
    assert_eq!(view.len(), 1 << 50);
    assert!(bytes < 1 << 10);
}

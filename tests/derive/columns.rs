//! Records as structs of columns: `#[record(columns)]`.

use bytemuck::{CheckedBitPattern, NoUninit};
use layout::columns::{Columns, SlicesMut, Vecs};
use layout::composed::ChangeType;
use layout::error::ColumnsError;
use layout::prelude::*;

#[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
#[record(columns)]
struct Vec3<T: Record + Columns = f32> {
    x: T,
    y: T,
    z: T,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, NoUninit, CheckedBitPattern, Record)]
#[record(leaf)]
#[repr(u8)]
enum Kind {
    #[default]
    Light = 1,
    Heavy = 7,
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
#[record(columns)]
struct Pair(u8, Vec3<bool>);

/// Names that could meet those of the derive.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
#[record(columns)]
struct Particle<K: Columns, const N: usize> {
    pos: Vec3,
    kind: Kind,
    r#type: char,
    pairs: [Pair; 2],
    bins: [[K; N]; 2],
}

type Sample = Particle<u16, 2>;

fn sample(i: u8) -> Sample {
    let [f, w] = [f32::from(i), 0.5];
    Particle {
        pos: Vec3 { x: f, y: f + w, z: -f },
        kind: if i == 1 { Kind::Heavy } else { Kind::default() },
        r#type: char::from(b'a' + i),
        pairs: [Pair(i, Vec3 { x: true, y: i == 2, z: false }), Pair(2 * i, Vec3::default())],
        bins: [[u16::from(i), 300], [1, 2]],
    }
}

fn samples<L: RecordLayout<Sample> + Default>(count: u8) -> RecordVec<Sample, L> {
    (0..count).map(sample).collect()
}

#[test]
fn columns_have_the_names_and_the_order_of_the_fields() {
    let mut vec = samples::<SoA>(3);
    let ParticleColumns { pos, kind, r#type, pairs: [first, PairColumns(second, _)], bins } = vec.columns().unwrap();
    assert_eq!((pos.x, pos.y, pos.z), (&[0.0, 1.0, 2.0][..], &[0.5, 1.5, 2.5][..], &[-0.0, -1.0, -2.0][..]));
    assert_eq!(kind, [Kind::Light, Kind::Heavy, Kind::Light]);
    assert_eq!((r#type, first.1.y, second), (&['a', 'b', 'c'][..], &[false, false, true][..], &[0, 2, 4][..]));
    assert_eq!(bins, [[&[0, 1, 2][..], &[300; 3]], [&[1; 3], &[2; 3]]]);
    // The memory of the vector has room for more.
    vec.push(sample(3));
    assert_eq!(vec.columns().unwrap().pos.x.len(), 4);
}

#[test]
fn all_columns_are_written_at_once() {
    let mut vec = samples::<SoA>(3);
    let columns = vec.columns_mut().unwrap();
    columns.pos.x.swap_with_slice(columns.pos.z);
    columns.kind[0] = Kind::Heavy;
    columns.bins[1][0].fill(9);
    columns.pairs[1].1.z.fill(true);
    let mut expected = sample(2);
    (expected.pos.x, expected.pos.z, expected.bins[1][0], expected.pairs[1].1.z) = (-2.0, 2.0, 9, true);
    assert_eq!(vec.load(2), expected);
    assert_eq!(vec.load(0).kind, Kind::Heavy);
}

#[test]
fn columns_of_views_are_those_of_their_elements() {
    type Grid<L> = Owned<Mapped<Vec3<u16>, DynExtents<2>, L, ColMajor>>;
    fn mapping<L: RecordLayout<Vec3<u16>> + Default>() -> Mapped<Vec3<u16>, DynExtents<2>, L, ColMajor> {
        Mapped::new(extents!(dyn 2, dyn 3)).unwrap()
    }
    let of = |[i, j]: [usize; 2]| Vec3 { x: u16::try_from(10 * i + j).unwrap(), y: 1, z: 2 };
    let mut grid: Grid<SoASingle> = View::from_fn(mapping(), of).unwrap();
    assert_eq!(grid.columns().unwrap().x, [0, 10, 1, 11, 2, 12], "in the order of the mapping");
    assert!(grid.slice((1, ..)).columns().is_none());
    let mut last = grid.slice_mut((.., 2));
    let Vec3Columns { x, y, z }: Vec3Columns<'_, _, SlicesMut> = last.columns_mut().unwrap();
    (x[1], y[0], z[1]) = (7, 8, 9);
    assert_eq!((grid.load([1, 2]), grid.load([0, 2])), (Vec3 { x: 7, y: 1, z: 9 }, Vec3 { x: 2, y: 8, z: 2 }));

    let mut blocks: Grid<AoSoA<2>> = View::from_fn(mapping(), of).unwrap();
    assert!(blocks.columns().is_none() && blocks.columns_mut().is_none());
    let mut records: Grid<AoS> = View::from_fn(mapping(), of).unwrap();
    assert!(records.columns().is_none() && records.columns_mut().is_none());
    let computed: Grid<layout::composed::Byteswap<SoA>> = View::from_fn(mapping(), of).unwrap();
    assert!(computed.columns().is_none());
}

#[test]
fn vectors_are_made_of_columns_in_any_layout() {
    fn check<L: RecordLayout<Sample> + Default>() {
        for count in [0, 1, 5] {
            let vec = samples::<L>(count);
            let expected = vec.to_vec();
            let columns: ParticleColumns<'_, u16, 2, Vecs> = vec.into_columns();
            assert_eq!(columns.pos.z.len(), count.into());
            assert_eq!(RecordVec::<Sample, L>::from_columns(columns.as_slices()).unwrap().to_vec(), expected);
            assert_eq!(RecordVec::<Sample, AoS>::from_columns(columns.as_slices()).unwrap().to_vec(), expected);
        }
    }
    check::<AoS>();
    check::<AoS<Packed>>();
    check::<SoA>();
    check::<AoSoA<4>>();

    let swapped: RecordVec<Vec3<u16>, layout::composed::Byteswap<SoA>> =
        (0..3).map(|x| Vec3 { x, y: 1, z: 2 }).collect();
    assert_eq!(swapped.into_columns().x, [0, 1, 2]);
}

#[test]
fn columns_of_different_lengths_are_refused() {
    let columns = RecordVec::<Vec3<u8>, SoA>::from_columns(Vec3Columns { x: &[1, 2], y: &[3, 4], z: &[5] });
    let ColumnsError { leaf, given, first, needed } = columns.unwrap_err();
    assert_eq!((leaf.to_string().as_str(), given, first.to_string().as_str(), needed), ("z", 1, "x", 2));
}

#[test]
fn records_without_bytes_have_columns_too() {
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    #[record(columns)]
    struct Nothing {
        none: [f32; 0],
    }
    assert!(RecordVec::<Nothing, SoA>::from_columns(NothingColumns { none: [] }).unwrap().is_empty());
}

/// An impl of `Columns` by hand is not trusted.
#[test]
#[should_panic(expected = "columns are taken in the order of the record's leaves")]
fn columns_of_another_type_are_refused() {
    #[derive(Clone, Copy, Record)]
    struct Wrong {
        word: u32,
        flag: bool,
    }
    impl Columns for Wrong {
        type Columns<'a, K: layout::columns::ColumnKind> = K::Column<'a, bool>;

        fn take<'a, K: layout::columns::ColumnKind>(
            next: &mut impl layout::__private::TakeColumn<'a, K>,
        ) -> Option<K::Column<'a, bool>> {
            next.take::<bool>()
        }

        fn as_slices<'c, K: layout::columns::ColumnKind>(columns: &'c K::Column<'_, bool>) -> &'c [bool] {
            K::as_slice(columns)
        }

        fn give<'c>(columns: &'c [bool], each: &mut impl layout::__private::GiveColumn<'c>) {
            each.give(columns);
        }
    }
    let _ = alloc::<Wrong, SoA, _>(3).unwrap().columns();
}

/// An element of an array may have some leaves as columns and others not.
#[test]
fn one_missing_leaf_is_enough() {
    #[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
    #[record(columns)]
    struct Pair {
        a: f32,
        b: f64,
    }
    #[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
    #[record(columns)]
    struct Pairs {
        pairs: [Pair; 2],
        last: u8,
    }
    type Narrow = ChangeType<SoA, f64, f32>;
    let mut view = alloc::<Pairs, Narrow, _>(3).unwrap();
    assert!(view.columns().is_none() && view.columns_mut().is_none());
    let mut vec = RecordVec::<Pairs, Narrow>::from([Pairs::default(); 3]);
    assert!(vec.columns().is_none() && vec.columns_mut().is_none());
    assert_eq!(vec.into_columns().pairs[1].b, [0.0; 3]);
}

#[test]
fn views_of_columns_borrow_them() {
    let (x, y, z) = (vec![1_u16, 2], vec![3, 4], vec![5, 6]);
    let view =
        View::<Mapped<Vec3<u16>, DynExtents<1>, SoA>, _>::from_columns(Vec3Columns { x: &x[..], y: &y[..], z: &z[..] })
            .unwrap();
    assert_eq!((view.extents(), view.load(1)), ([2], Vec3 { x: 2, y: 4, z: 6 }));
    assert_eq!(view.columns().map(|columns| columns.z.as_ptr()), Some(z.as_ptr()));

    let shorter = Vec3Columns { x: &x[..], y: &y[1..], z: &z[..] };
    let error = View::<Mapped<Vec3<u16>, DynExtents<1>, SoA>, _>::from_columns(shorter).unwrap_err();
    assert_eq!((error.leaf.to_string().as_str(), error.given, error.needed), ("y", 1, 2));
}

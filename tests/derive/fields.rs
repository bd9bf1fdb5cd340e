//! Attributes on fields: types of other crates as leaves and as branches, names, and fields that are not stored.

use core::marker::PhantomData;
use core::mem::offset_of;

use bytemuck::{Pod, Zeroable};
use glam::{Quat, Vec3};
use half::f16;
use layout::blob::Structs;
use layout::columns::SlicesMut;
use layout::part::AllFields;
use layout::path;
use layout::prelude::*;
use layout::record::{LeafTable, Portable};
use nalgebra::{Matrix2, Vector3};
use num_complex::Complex;

/// The leaves of a `glam::Vec3`, which slots load and store as such.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable, Record)]
#[record(as = Vec3, columns)]
#[repr(C)]
struct Vec3Def {
    x: f32,
    y: f32,
    z: f32,
}

impl From<Vec3Def> for Vec3 {
    fn from(Vec3Def { x, y, z }: Vec3Def) -> Self {
        Self::new(x, y, z)
    }
}

impl From<Vec3> for Vec3Def {
    fn from(Vec3 { x, y, z }: Vec3) -> Self {
        Self { x, y, z }
    }
}

/// Types of four crates, as leaves and as branches.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
#[record(columns)]
struct Body {
    id: u8,
    #[record(as = Vec3Def)]
    pos: Vec3,
    #[record(leaf)]
    vel: Vec3,
    #[record(as = [f32; 3])]
    acc: Vec3,
    #[record(leaf)]
    turn: Quat,
    #[record(as = [[f64; 2]; 2])]
    stress: Matrix2<f64>,
    #[record(leaf)]
    dir: Vector3<f32>,
    #[record(as = [f32; 2])]
    phase: Complex<f32>,
    #[record(leaf)]
    mass: f16,
    #[record(as = [Vec3Def; 2])]
    corners: [Vec3; 2],
    #[record(leaf)]
    table: [u16; 40],
}

fn body(i: u8) -> Body {
    let f = f32::from(i);
    Body {
        id: i,
        pos: Vec3::new(f, 1.0, 2.0),
        vel: Vec3::new(f, -1.0, 0.5),
        acc: Vec3::new(0.0, f, 0.0),
        turn: Quat::from_xyzw(f, 2.0, 3.0, 4.0),
        stress: Matrix2::new(1.0, 2.0, 3.0, f.into()),
        dir: Vector3::new(f, f, 1.0),
        phase: Complex::new(1.0, f),
        mass: f16::from_f32(f),
        corners: [Vec3::new(1.0, 2.0, f), Vec3::new(f, 4.0, 5.0)],
        table: [i.into(); 40],
    }
}

fn check<L: RecordLayout<Body> + Default>() {
    let mut view = alloc_from_fn::<Body, L, _>(9, |[i]| body(u8::try_from(i).unwrap())).unwrap();
    for i in 0..9 {
        assert_eq!(view.load(i), body(u8::try_from(i).unwrap()));
    }

    let mut slots = view.at_mut(3);
    // Branches: by their leaves, and whole.
    assert_eq!(
        (slots.pos.load(), slots.pos.x.get(), slots.corners.at(1).load()),
        (body(3).pos, 3.0, body(3).corners[1])
    );
    slots.pos.z += 1.0;
    slots.pos.store(slots.pos.load() * 2.0);
    slots.acc.at_mut(2).set(7.0);
    slots.stress.at_mut(0).at_mut(1).set(8.0);
    slots.phase.store([5.0, 6.0]);
    // Leaves: as what they are.
    slots.vel += Vec3::X;
    slots.vel *= 2.0;
    slots.turn.set(slots.turn.get().conjugate());
    slots.dir.store(slots.dir.load().cross(&Vector3::x()));
    slots.table.set([9; 40]);
    let mut expected = body(3);
    (expected.pos, expected.acc.z, expected.stress[(1, 0)]) = (Vec3::new(6.0, 2.0, 6.0), 7.0, 8.0);
    (expected.phase, expected.vel, expected.turn) =
        (Complex::new(5.0, 6.0), Vec3::new(8.0, -2.0, 1.0), body(3).turn.conjugate());
    (expected.dir, expected.table) = (Vector3::new(0.0, 1.0, -3.0), [9; 40]);
    assert_eq!(view.load(3), expected);
    view.set(5, expected);
    assert_eq!(view.field(Body::PATHS.vel).get(5).length(), expected.vel.length());
    assert_eq!(view.field(Body::PATHS.acc).load(5), [0.0, 3.0, 7.0]);
    view.for_each_mut(|mut b| b.vel -= b.pos.load());
    assert_eq!(view.load(5).vel, Vec3::new(2.0, -4.0, -5.0));
}

#[test]
fn fields_are_loaded_and_stored_as_their_own_types() {
    check::<AoS>();
    check::<AoS<Packed>>();
    check::<SoA>();
    check::<AoSoA<4>>();
    check::<layout::composed::Split<path!(Body, vel), SoA, AoS>>();
}

#[test]
fn the_tree_has_the_stored_types_at_the_offsets_of_the_struct() {
    let (table, tree) = (LeafTable::of::<Body>(), Body::TREE);
    assert_eq!(tree.leaves(), 1 + 3 + 1 + 3 + 1 + 4 + 1 + 2 + 1 + 6 + 1);
    let leaf = |name: &str| (0..table.count()).find(|leaf| tree.leaf_name(*leaf).to_string() == name).unwrap();
    for (name, offset) in [
        ("pos.y", offset_of!(Body, pos) + 4),
        ("vel", offset_of!(Body, vel)),
        ("acc[2]", offset_of!(Body, acc) + 8),
        ("stress[1][0]", offset_of!(Body, stress) + 16),
        ("corners[1].z", offset_of!(Body, corners) + 20),
        ("table", offset_of!(Body, table)),
    ] {
        assert_eq!(table.native_offset(leaf(name)), offset, "{name}");
    }
    assert_eq!((table.leaf(leaf("turn")).size(), table.leaf(leaf("turn")).align()), (16, align_of::<Quat>()));
    assert_eq!(<path!(Body, pos.y) as layout::Path>::LEAF, 2);
}

#[test]
fn structs_with_such_fields_are_borrowed_and_taken_over() {
    type Map = Mapped<Body, DynExtents<1>, AoS<Aligned, Native>>;
    let mut bodies: Vec<_> = (0..4).map(body).collect();
    let mut view = View::from_records_mut(Map::new(extents!(dyn 4)).unwrap(), &mut bodies).unwrap();
    view.at_mut(2).pos.y.set(9.0);
    view.at_mut(2).vel.set(Vec3::ONE);
    assert_eq!(view.at(2).corners.at(1).z.get(), 5.0);
    assert_eq!((bodies[2].pos, bodies[2].vel), (Vec3::new(2.0, 9.0, 2.0), Vec3::ONE));

    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Point {
        #[record(as = [f32; 3])]
        pos: Vec3,
        #[record(leaf)]
        tag: [u8; 4],
    }
    let points = vec![Point { pos: Vec3::X, tag: [1; 4] }; 3];
    let mapping = Mapped::<Point, _, AoS<Aligned, Native>>::new(extents!(dyn 3)).unwrap();
    let mut view = View::from_bytes(mapping, Structs::new(points)).unwrap();
    view.at_mut(1).pos.at_mut(1).set(5.0);
    let mut points = view.into_blobs().into_inner().into_inner();
    assert_eq!(points[1], Point { pos: Vec3::new(1.0, 5.0, 0.0), tag: [1; 4] });
    // A vector copies such structs as bytes.
    points.extend_from_within(..);
    let mut vec = RecordVec::<Point, AoS>::from(&points[..2]);
    vec.extend_from_slice(&points);
    vec.push(points[1]);
    assert_eq!([vec.load(1), vec.load(3), vec.load(vec.len() - 1)], [points[1]; 3]);
}

/// The stored type may ask for more alignment than the field has.
#[test]
fn leaves_in_fields_need_not_be_aligned() {
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    #[record(columns)]
    struct Packet {
        tag: u8,
        #[record(as = u32)]
        word: [u8; 4],
    }
    let packet = |i: u8| Packet { tag: i, word: [i, 0, 0, i] };
    let mut packets = [packet(1), packet(2), packet(3)];
    assert_eq!(align_of::<Packet>(), 1);
    let mapping = Mapped::<Packet, _, AoS<Aligned, Native>>::new(extents!(dyn 3)).unwrap();
    let mut view = View::from_records_mut(mapping, &mut packets).unwrap();
    view.for_each_mut(|mut p| p.word += 1);
    assert_eq!(view.load(2).word, (u32::from_ne_bytes([3, 0, 0, 3]) + 1).to_ne_bytes());
    let aligned = Mapped::<Packet, _, AoS>::new(extents!(dyn 3)).unwrap();
    assert!(View::from_records(aligned, &packets).is_err());
    let vec = RecordVec::<Packet, AoS>::from(&packets);
    assert_eq!(vec.to_vec(), packets);
    let words: Vec<_> = RecordVec::<Packet, SoA>::from(&packets).columns().unwrap().word.to_vec();
    assert_eq!(words, packets.map(|packet| u32::from_ne_bytes(packet.word)));

    // Offset and size are multiples of the alignment of the leaf, and the address need not be one.
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Number {
        #[record(as = u64)]
        bytes: [u8; 8],
    }
    let numbers = [[1; 8], [2; 8], [3; 8]].map(|bytes| Number { bytes });
    let mapping = Mapped::<Number, _, AoS<Aligned, Native>>::new(extents!(dyn 3)).unwrap();
    let view = View::from_records(mapping, &numbers).unwrap();
    assert_eq!((view.load(1), view.at(2).bytes.get()), (numbers[1], u64::from_ne_bytes([3; 8])));
}

#[test]
fn columns_are_those_of_what_is_stored() {
    let mut bodies: RecordVec<Body, SoA> = (0..3).map(body).collect();
    let columns: BodyColumns<'_, SlicesMut> = bodies.columns_mut().unwrap();
    let vel: &mut [Vec3] = columns.vel;
    vel[2] = Vec3::Y;
    columns.pos.x.swap_with_slice(columns.acc[1]);
    columns.pos.y[0] = 4.0;
    assert_eq!((bodies.load(2).vel, bodies.load(0).pos.y), (Vec3::Y, 4.0));
    let expected = bodies.to_vec();
    let columns = bodies.into_columns();
    let turns: &Vec<Quat> = &columns.turn;
    assert_eq!(turns[1], body(1).turn);
    assert_eq!(RecordVec::<Body, AoSoA<2>>::from_columns(columns.as_slices()).unwrap().to_vec(), expected);
}

#[test]
fn such_records_are_sent() {
    let mut bytes = Vec::new();
    body(7).write(&mut bytes);
    assert_eq!(Body::read(&mut &bytes[..]), Ok(body(7)));
}

#[test]
fn generic_fields_are_stored_as_other_types() {
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Node<T: Record + Pod + nalgebra::Scalar> {
        #[record(as = [T; 3])]
        pos: Vector3<T>,
        #[record(leaf)]
        dir: Vector3<T>,
    }
    let node = Node { pos: Vector3::new(1_u16, 2, 3), dir: Vector3::new(4, 5, 6) };
    let mut view = alloc::<Node<u16>, SoA, _>(2).unwrap();
    view.set(1, node);
    assert_eq!((view.load(1), view.at(1).pos.at(2).get(), view.at(1).dir.get()), (node, 3, node.dir));
}

mod renamed {
    use super::*;

    #[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
    pub(super) struct Cell {
        #[record(rename = "temperature")]
        pub(super) heat: f32,
        #[record(rename = "type")]
        pub(super) kind: u8,
    }
}

#[test]
fn names_are_changed_in_the_tree_only() {
    use renamed::Cell;

    #[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
    struct Other(#[record(rename = "type")] u8, #[record(rename = "temperature")] f32);

    let names: Vec<_> = (0..2).map(|leaf| Cell::TREE.leaf_name(leaf).to_string()).collect();
    assert_eq!(names, ["temperature", "type"]);
    let mut cells = alloc::<Cell, SoA, _>(3).unwrap();
    cells.at_mut(1).heat.set(2.0);
    assert_eq!(cells.field(Cell::PATHS.heat).get(1), 2.0);
    assert_eq!(<path!(Cell, temperature) as layout::Path>::LEAF, 0);
    assert_eq!((<path!(Cell, type) as layout::Path>::LEAF, <path!(Cell, r#type) as layout::Path>::LEAF), (1, 1));
    // Fields of equal names are copied.
    let mut others = alloc::<Other, AoS, _>(3).unwrap();
    others.copy_fields_from(&cells, AllFields).unwrap();
    assert_eq!(others.load(1), Other(0, 2.0));
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Cached {
    a: u8,
    #[record(skip)]
    cache: Option<f64>,
    b: u32,
    #[record(skip)]
    unit: PhantomData<str>,
}

#[test]
fn skipped_fields_are_not_stored() {
    let cached = Cached { a: 1, cache: Some(2.0), b: 3, unit: PhantomData };
    assert_eq!(Cached::TREE.leaves(), 2);
    let mut view = alloc::<Cached, SoA, _>(3).unwrap();
    view.set(1, cached);
    assert_eq!(view.load(1), Cached { cache: None, ..cached });
    let mut bytes = Vec::new();
    cached.write(&mut bytes);
    assert_eq!((bytes.len(), Cached::read(&mut &bytes[..])), (5, Ok(Cached { cache: None, ..cached })));

    // Structs that are borrowed keep what is not stored.
    let mut structs = [cached; 4];
    let mapping = Mapped::<Cached, _, AoS<Aligned, Native>>::new(extents!(dyn 4)).unwrap();
    let mut view = View::from_records_mut(mapping, &mut structs).unwrap();
    view.at_mut(2).b.set(9);
    assert_eq!(view.load(2), Cached { cache: None, b: 9, ..cached });
    assert_eq!(structs[2], Cached { b: 9, ..cached });
    let vec = RecordVec::<Cached, AoS<Aligned, Native>>::from(&structs);
    assert_eq!(vec.load(2), Cached { cache: None, b: 9, ..cached });
}

/// A unit of measure, which no value has. `bytemuck` derives for plain data only.
trait Unit: Pod + core::fmt::Debug + PartialEq + Send + Sync {}

#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
struct Meters;

impl Unit for Meters {}

#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(transparent)]
struct Point<U>
where
    U: Unit,
{
    at: [f32; 2],
    unit: PhantomData<U>,
}

/// Types that are no part of what is stored are parameters all the same.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
#[record(columns)]
struct Place<U: Unit, V: Unit> {
    #[record(as = [f32; 2])]
    point: Point<U>,
    mass: f32,
    #[record(skip)]
    unit: PhantomData<V>,
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
#[record(columns)]
struct Places<U: Unit>(Place<U, Meters>, u8);

#[test]
fn parameters_need_not_be_stored() {
    type Of = Places<Meters>;
    let point = Point { at: [1.0, 2.0], unit: PhantomData };
    let place = Places(Place { point, mass: 3.0, unit: PhantomData }, 4);
    assert_eq!(Of::TREE.leaves(), 4);
    let mut vec: RecordVec<Of, SoA> = [place; 3].into_iter().collect();
    assert_eq!(vec.load(2), place);
    {
        let columns = vec.columns_mut().unwrap();
        columns.0.mass[1] = 5.0;
        let PlacesColumns(places, _) = columns.as_slices();
        let PlaceColumns { point, mass } = places;
        assert_eq!((point[1], mass), (&[2.0; 3][..], &[3.0, 5.0, 3.0][..]));
    }
    assert_eq!(vec.load(1).0, Place { mass: 5.0, ..place.0 });
}

#[test]
fn the_last_fields_of_a_tuple_may_be_skipped() {
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    #[record(columns)]
    struct Length(f32, #[record(skip)] PhantomData<u8>, #[record(skip)] u8);

    let vec: RecordVec<Length, SoA> = [Length(1.0, PhantomData, 7)].into_iter().collect();
    assert_eq!((vec.at(0).0.get(), vec.load(0)), (1.0, Length(1.0, PhantomData, 0)));
    let LengthColumns(lengths) = vec.columns().unwrap();
    assert_eq!(lengths, [1.0]);
}

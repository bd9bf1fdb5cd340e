//! The output of `#[derive(Record)]`: trees, paths, slots, and the order in which leaves are read and written.

use core::mem::offset_of;

use bytemuck::{CheckedBitPattern, NoUninit};
use layout::record::{LeafTable, Node, Root, Select};
use layout::{Path, Record};

use support::cells::{Cells, OneCell};

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Vec3<T: Record> {
    x: T,
    y: T,
    z: T,
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Particle<T: Record = f64> {
    pos: Vec3<T>,
    mass: f32,
    flags: [bool; 4],
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Pair(u16, Vec3<u8>);

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct History<T, const N: usize>
where
    T: Record,
{
    count: u32,
    last: [T; N],
    corners: [[Vec3<T>; 2]; N],
}

/// A type of the user's that has the name of one of the standard library: a constant is its only argument.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Cell<const BINS: usize> {
    bins: [u32; BINS],
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Spectra<const BINS: usize> {
    a: Cell<BINS>,
    b: [Cell<{ BINS }>; 2],
    c: self::Cell<BINS>,
}

#[derive(Clone, Copy, Debug, PartialEq, NoUninit, CheckedBitPattern, Record)]
#[record(leaf)]
#[repr(u8)]
enum Material {
    Wood,
    Steel,
}

#[derive(Clone, Copy, Debug, PartialEq, NoUninit, CheckedBitPattern, Record)]
#[record(leaf)]
#[repr(C)]
struct Rgb {
    red: u8,
    green: u8,
    blue: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Brick {
    material: Material,
    color: Rgb,
    faces: [Rgb; 6],
}

const PARTICLE: Particle =
    Particle { pos: Vec3 { x: 1.0, y: 2.0, z: 3.0 }, mass: 4.0, flags: [true, false, true, true] };

/// The number of the first leaf of a path value.
fn leaf<S: Select>(_: S) -> usize {
    S::Path::LEAF
}

/// The names of a branch's fields.
fn names(tree: &Node) -> Vec<&'static str> {
    match tree {
        Node::Branch { fields, .. } => fields.iter().map(layout::record::FieldNode::name).collect(),
        _ => Vec::new(),
    }
}

/// A record that is stored is loaded as it was.
fn check_round_trip<R: Record + PartialEq + core::fmt::Debug>(value: R) {
    let cells = Cells::new();
    value.store::<OneCell<'_, R>, Root<R>>(&mut cells.slots::<R>());
    assert_eq!(R::load::<OneCell<'_, R>, Root<R>>(&cells.slots::<R>()), value);
    assert_eq!(cells.written(), R::TREE.leaves(), "each leaf has a cell of its own");
}

#[test]
fn trees_count_their_leaves() {
    assert_eq!(Vec3::<f32>::TREE.leaves(), 3);
    assert_eq!(<Particle>::TREE.leaves(), 3 + 1 + 4);
    assert_eq!(Pair::TREE.leaves(), 1 + 3);
    assert_eq!(History::<f32, 2>::TREE.leaves(), 1 + 2 + 2 * 2 * 3);
    assert_eq!(Spectra::<3>::TREE.leaves(), 4 * 3);
    assert_eq!(History::<Vec3<u8>, 3>::TREE.leaves(), 1 + 3 * 3 + 3 * 2 * 3 * 3);
    assert_eq!(Material::TREE.leaves(), 1);
    assert_eq!(Brick::TREE.leaves(), 1 + 1 + 6);
}

#[test]
fn trees_name_their_fields() {
    assert_eq!(names(<Particle>::TREE), ["pos", "mass", "flags"]);
    assert_eq!(names(Pair::TREE), ["0", "1"]);
    assert!(matches!(Rgb::TREE, Node::Leaf(leaf) if leaf.size() == 3 && leaf.align() == 1));
}

#[test]
fn raw_identifiers_are_named_without_the_prefix() {
    #[derive(Clone, Copy, Record)]
    struct Token {
        r#type: u8,
        r#match: u16,
    }
    assert_eq!(names(Token::TREE), ["type", "match"]);
    assert_eq!(leaf(Token::PATHS.r#match), 1);
    assert_eq!(leaf(Token::PATHS.r#type), 0);
}

#[test]
fn trees_have_the_offsets_of_the_compiler() {
    let table = LeafTable::of::<Particle>();
    assert_eq!(table.native_offset(0), offset_of!(Particle, pos.x));
    assert_eq!(table.native_offset(2), offset_of!(Particle, pos.z));
    assert_eq!(table.native_offset(3), offset_of!(Particle, mass));
    assert_eq!(table.native_offset(6), offset_of!(Particle, flags) + 2);
    let table = LeafTable::of::<Pair>();
    assert_eq!(table.native_offset(0), offset_of!(Pair, 0));
    assert_eq!(table.native_offset(3), offset_of!(Pair, 1.z));
    let table = LeafTable::of::<History<f64, 2>>();
    assert_eq!(table.native_offset(2), offset_of!(History<f64, 2>, last) + 8);
}

#[test]
fn packed_structs_have_their_own_offsets() {
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    #[repr(C, packed)]
    struct Header {
        kind: u8,
        length: u32,
    }
    assert_eq!(LeafTable::of::<Header>().native_offset(1), 1);
    check_round_trip(Header { kind: 7, length: 70_000 });
}

#[test]
fn paths_number_the_leaves_in_declaration_order() {
    let paths = <Particle>::PATHS;
    assert_eq!(leaf(paths.pos.x), 0);
    assert_eq!(leaf(paths.pos.y), 1);
    assert_eq!(leaf(<Particle>::PATHS.pos), 0);
    assert_eq!(leaf(<Particle>::PATHS.mass), 3);
    assert_eq!(leaf(<Particle>::PATHS.flags.element::<0>()), 4);
    assert_eq!(leaf(<Particle>::PATHS.flags.element::<3>()), 7);
    assert_eq!(leaf(<Particle>::PATHS), 0);
    assert_eq!(leaf(Pair::PATHS.1.z), 3);
    assert_eq!(leaf(Brick::PATHS.faces.element::<5>()), 7);
}

#[test]
fn paths_of_generic_records_follow_the_arguments() {
    fn corner<T: Record, const N: usize>() -> usize {
        leaf(History::<T, N>::PATHS.corners)
    }
    assert_eq!(corner::<f32, 2>(), 3);
    assert_eq!(corner::<Vec3<f32>, 4>(), 13);
    let second = History::<u8, 3>::PATHS.corners.element::<1>().element::<1>();
    assert_eq!(leaf(second.y), 1 + 3 + 6 + 3 + 1);
}

#[test]
fn paths_are_constants_of_the_fields_types() {
    fn end<S: Select<Path: Path<Root = R, Type = T>>, R, T>(_: &S) {}
    const PATHS: <Particle as Record>::Slots<layout::record::Naming, Root<Particle>> = <Particle>::PATHS;
    end::<_, Particle, Vec3<f64>>(&PATHS.pos);
    end::<_, Particle, [bool; 4]>(&PATHS.flags);
    end::<_, Particle, Particle>(&PATHS);
    assert_eq!(size_of_val(&PATHS), 0);
}

#[test]
fn whole_records_are_loaded_as_they_were_stored() {
    check_round_trip(PARTICLE);
    check_round_trip(Pair(1, Vec3 { x: 2, y: 3, z: 4 }));
    let row = [Vec3 { x: 1_u8, y: 2, z: 3 }, Vec3 { x: 4, y: 5, z: 6 }];
    check_round_trip(History { count: 9, last: [7, 8, 9], corners: [row; 3] });
    let color = Rgb { red: 1, green: 2, blue: 3 };
    check_round_trip(Brick { material: Material::Steel, color, faces: [color; 6] });
    check_round_trip(Material::Wood);
}

#[test]
fn store_writes_each_leaf_at_its_number() {
    let cells = Cells::new();
    cells.slots::<Particle>().store(PARTICLE);
    assert_eq!([0, 1, 2].map(|i| cells.read::<f64>(i)), [1.0, 2.0, 3.0]);
    assert_eq!(cells.read::<f32>(3), 4.0);
    assert_eq!([4, 5, 6, 7].map(|i| cells.read::<bool>(i)), PARTICLE.flags);
}

#[test]
fn slots_read_and_write_their_own_leaf() {
    let cells = Cells::new();
    cells.slots::<Particle>().store(PARTICLE);
    let mut p = cells.slots::<Particle>();

    p.pos.y.set(20.0);
    p.mass += 0.5;
    assert_eq!((p.pos.x.get(), p.pos.y.get(), p.mass.get()), (1.0, 20.0, 4.5));
    assert_eq!(cells.read::<f64>(1), 20.0);

    p.flags.at_mut(1).set(true);
    assert!(p.flags.at(1).get());
    p.flags.element_mut::<0>().set(false);
    assert_eq!(p.flags.load(), [false, true, true, true]);
}

#[test]
fn branches_load_and_store_their_struct_only() {
    let cells = Cells::new();
    cells.slots::<Particle>().store(PARTICLE);
    let mut p = cells.slots::<Particle>();

    p.pos.store(Vec3 { x: 7.0, ..p.pos.load() });
    assert_eq!(p.pos.load(), Vec3 { x: 7.0, y: 2.0, z: 3.0 });
    let moved = p.load();
    assert_eq!(moved, Particle { pos: Vec3 { x: 7.0, ..PARTICLE.pos }, ..PARTICLE });
    p.store(PARTICLE);
    assert_eq!(p.load(), PARTICLE);
}

#[test]
fn swapped_slots_name_each_others_places() {
    const OTHER: Particle = Particle { pos: Vec3 { x: 10.0, y: 20.0, z: 30.0 }, mass: 40.0, flags: [false; 4] };
    let (here, there) = (Cells::new(), Cells::new());
    let (mut p, mut q) = (here.slots::<Particle>(), there.slots::<Particle>());
    p.store(PARTICLE);
    q.store(OTHER);

    core::mem::swap(&mut p.mass, &mut q.mass);
    assert_eq!((here.read::<f32>(3), there.read::<f32>(3)), (4.0, 40.0), "no value moved");
    assert_eq!(p.load(), Particle { mass: 40.0, ..PARTICLE });
    assert_eq!(q.load(), Particle { mass: 4.0, ..OTHER });
    p.store(Particle { mass: 41.0, ..PARTICLE });
    assert_eq!((here.read::<f32>(3), there.read::<f32>(3)), (4.0, 41.0));

    core::mem::swap(&mut p.pos, &mut q.pos);
    core::mem::swap(&mut p.flags, &mut q.flags);
    assert_eq!(p.load(), Particle { mass: 41.0, ..OTHER });
    assert_eq!(q.load(), PARTICLE);
    q.store(OTHER);
    assert_eq!(here.slots::<Particle>().load(), OTHER);
}

#[test]
fn arrays_of_sub_trees_are_indexed_at_run_time() {
    let cells = Cells::new();
    let mut h = cells.slots::<History<u8, 3>>();
    for i in 0..3 {
        h.corners.at_mut(i).at_mut(1).z.set(u8::try_from(i).unwrap() + 1);
    }
    assert_eq!(h.load().corners.map(|pair| pair[1].z), [1, 2, 3]);
    assert_eq!(cells.read::<u8>(leaf(History::<u8, 3>::PATHS.corners.element::<2>().element::<1>().z)), 3);
}

#[test]
fn tuple_structs_have_numbered_slots() {
    let cells = Cells::new();
    let mut pair = cells.slots::<Pair>();
    pair.0.set(600);
    pair.1.x.set(6);
    assert_eq!(pair.load(), Pair(600, Vec3 { x: 6, y: 0, z: 0 }));
}

#[test]
fn leaves_of_the_users_are_read_whole() {
    let cells = Cells::new();
    let mut brick = cells.slots::<Brick>();
    brick.material.set(Material::Steel);
    brick.color.set(Rgb { red: 1, green: 2, blue: 3 });
    assert_eq!(brick.material.get(), Material::Steel);
    assert_eq!(brick.color.load().blue, 3);
    assert_eq!(brick.material.load(), cells.read::<Material>(0));
}

/// Slots are shown as their values. Of a record that is not shown (`Disc` below), they are slots all the same.
#[test]
fn slots_are_shown_as_their_values() {
    let cells = Cells::new();
    let mut slots = cells.slots::<Particle<f32>>();
    let value = Particle { pos: Vec3 { x: 1.0, y: -2.5, z: 0.0 }, mass: 3.0, flags: [true, false, true, true] };
    slots.store(value);
    assert_eq!(format!("{slots:?}"), format!("{value:?}"));
    assert_eq!(
        format!("{:#?} {:?} {:?}", slots.pos, slots.flags, slots.mass),
        format!("{:#?} {:?} 3.0", value.pos, value.flags)
    );
}

#[test]
fn visibility_follows_the_fields() {
    mod shapes {
        use layout::Record;

        #[derive(Clone, Copy, Record)]
        pub(super) struct Disc {
            pub(super) radius: f32,
            area: f32,
        }

        impl Disc {
            pub(super) const AREA: usize = {
                let _ = Self::PATHS.area;
                Self::TREE.first_leaf(1)
            };
        }
    }
    assert_eq!(leaf(shapes::Disc::PATHS.radius), 0);
    assert_eq!(shapes::Disc::AREA, 1);
}

//! Branches that are loaded as a type of another crate: `#[record(as = Type)]`.

use layout::prelude::*;

/// A type that stands for one of another crate: a vector with methods, whose fields cannot be taken apart from outside.
mod geometry {
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub(crate) struct Vector<T = f32>([T; 3]);

    impl<T: Copy> Vector<T> {
        pub(crate) fn new(x: T, y: T, z: T) -> Self {
            Self([x, y, z])
        }

        pub(crate) fn to_array(self) -> [T; 3] {
            self.0
        }
    }

    impl Vector {
        pub(crate) fn length(self) -> f32 {
            self.0.iter().map(|x| x * x).sum::<f32>().sqrt()
        }
    }
}

use geometry::Vector;

/// The leaves of a `Vector`.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
#[record(as = Vector<T>)]
struct Vec3<T: Record = f32> {
    x: T,
    y: T,
    z: T,
}

impl<T: Record> From<Vec3<T>> for Vector<T> {
    fn from(Vec3 { x, y, z }: Vec3<T>) -> Self {
        Self::new(x, y, z)
    }
}

impl<T: Record> From<Vector<T>> for Vec3<T> {
    fn from(vector: Vector<T>) -> Self {
        let [x, y, z] = vector.to_array();
        Self { x, y, z }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Particle {
    pos: Vec3,
    cell: Vec3<u16>,
    corners: [Vec3; 2],
}

/// A tuple struct as a number, and `Self` in the type.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
#[record(as = Wrapped<Self>)]
struct Pair(u8, u16);

#[derive(Clone, Copy, Debug, PartialEq)]
struct Wrapped<T>(T);

impl From<Pair> for Wrapped<Pair> {
    fn from(pair: Pair) -> Self {
        Self(pair)
    }
}

impl From<Wrapped<Pair>> for Pair {
    fn from(Wrapped(pair): Wrapped<Pair>) -> Self {
        pair
    }
}

fn particle(i: u8) -> Particle {
    let vec = |k: u8| Vec3 { x: f32::from(i), y: f32::from(k), z: 0.5 };
    Particle { pos: vec(1), cell: Vec3 { x: i.into(), y: 2, z: 3 }, corners: [vec(4), vec(5)] }
}

fn check<L: RecordLayout<Particle> + Default>() {
    let mut view = alloc_from_fn::<Particle, L, _>(9, |[i]| particle(u8::try_from(i).unwrap())).unwrap();

    // Slots of a branch are loaded as the other type.
    assert_eq!(view.at(3).pos.load(), Vector::new(3.0, 1.0, 0.5));
    assert_eq!(view.at(3).cell.load(), Vector::new(3, 2, 3));
    assert_eq!(view.at(3).corners.at(1).load(), Vector::new(3.0, 5.0, 0.5));
    view.for_each_mut(|mut p| {
        let length = p.pos.load().length();
        p.corners.at_mut(0).store(Vector::new(length, 0.0, 0.0));
        p.pos.store(Vector::new(0.0, 0.0, length));
    });
    // Whole records, and leaves, are as ever.
    let length = (4.0_f32 * 4.0 + 1.0 + 0.25).sqrt();
    let Particle { pos, corners, cell } = view.load(4);
    assert_eq!((pos, corners[0].x, cell), (Vec3 { x: 0.0, y: 0.0, z: length }, length, particle(4).cell));
    assert_eq!(view.field(Particle::PATHS.pos).load(4), pos);
    assert_eq!(view.field(Particle::PATHS.pos).at(4).load(), Vector::from(pos));
    assert_eq!(view.at(4).pos.z.get(), length);
}

#[test]
fn branches_are_loaded_as_other_types() {
    check::<AoS>();
    check::<SoA>();
    check::<AoSoA<4>>();
}

#[test]
fn a_record_is_loaded_as_another_type_through_its_slots() {
    let mut pairs = alloc::<Pair, SoA, _>(3).unwrap();
    pairs.at_mut(1).store(Wrapped(Pair(1, 2)));
    assert_eq!((pairs.at(1).load(), pairs.load(1)), (Wrapped(Pair(1, 2)), Pair(1, 2)));
}

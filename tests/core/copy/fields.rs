//! Copies between records that share some of their fields.

use core::num::NonZeroU32;

use layout::options::MinPadding;
use layout::part::{AllFields, SharedFields, SourceFields, TargetFields};
use layout::{AoS, AoSoA, Owned, Packed, Record, RecordLayout, SoA, alloc, alloc_from_fn};

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Vec3 {
    x: f32,
    y: f32,
    z: f32,
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Particle {
    pos: Vec3,
    vel: Vec3,
    id: u64,
    tags: [u8; 4],
    next: Option<NonZeroU32>,
}

/// The same fields in another order, in arrays of another length, and others.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Point {
    charge: i16,
    tags: [u8; 2],
    pos: Flat,
    id: u64,
    /// A leaf here and a struct there: no shared path.
    vel: f32,
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Flat {
    y: f32,
    x: f32,
}

/// All fields of [`Flat`], the other way round.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Turned {
    x: f32,
    y: f32,
}

fn particle(i: usize) -> Particle {
    let f = |k: u16| f32::from(u16::try_from(i % 10_000).expect("small") * 6 + k);
    Particle {
        pos: Vec3 { x: f(0), y: f(1), z: f(2) },
        vel: Vec3 { x: f(3), y: f(4), z: f(5) },
        id: i as u64 * 1_000_003,
        tags: [1, 2, 3, 4].map(|k| u8::try_from((i + k) % 251).expect("small")),
        next: NonZeroU32::new(u32::try_from(i % 9).expect("small")),
    }
}

fn point(i: usize) -> Point {
    let f = f32::from(u16::try_from(i % 60_000).expect("small"));
    Point { charge: -3, tags: [200, 201], pos: Flat { y: -f, x: -2.0 * f }, id: 5, vel: 0.5 }
}

fn of_point(point: Point, particle: Particle) -> Point {
    let Particle { pos, id, tags, .. } = particle;
    Point { tags: [tags[0], tags[1]], pos: Flat { y: pos.y, x: pos.x }, id, ..point }
}

fn of_particle(particle: Particle, point: Point) -> Particle {
    let tags = [point.tags[0], point.tags[1], particle.tags[2], particle.tags[3]];
    Particle { pos: Vec3 { x: point.pos.x, y: point.pos.y, ..particle.pos }, id: point.id, tags, ..particle }
}

fn view<R: Record, L: RecordLayout<R> + Default>(
    len: usize,
    of: impl Fn(usize) -> R,
) -> Owned<layout::Mapped<R, layout::DynExtents<1>, L>> {
    alloc_from_fn(len, |[i]| of(i)).expect("memory")
}

#[test]
fn shared_fields_are_copied_and_others_stay() {
    fn check<P, Q>()
    where
        P: RecordLayout<Particle> + Default,
        Q: RecordLayout<Point> + Default,
    {
        for len in [0, 1, 7, 8, 65, 130, 500_000] {
            let particles = view::<_, P>(len, particle);
            let mut points = view::<_, Q>(len, point);
            points.copy_fields_from(&particles, SharedFields).expect("equal extents");
            let step = if len > 1000 { 77 } else { 1 };
            for i in (0..len).step_by(step) {
                assert_eq!(points.load(i), of_point(point(i), particle(i)), "{i} of {len}");
            }
            let (points, mut particles) = (view::<_, Q>(len, point), view::<_, P>(len, particle));
            particles.copy_fields_from(&points, SharedFields).expect("equal extents");
            for i in (0..len).step_by(step) {
                assert_eq!(particles.load(i), of_particle(particle(i), point(i)), "{i} of {len}");
            }
        }
    }
    check::<AoS, AoS>();
    check::<AoS, SoA>();
    check::<SoA, AoS<Packed>>();
    check::<AoSoA<16>, SoA>();
    check::<SoA, AoSoA<8>>();
    check::<AoSoA<2>, AoS<layout::Aligned, MinPadding>>();
}

#[test]
fn all_fields_of_either_side() {
    let flat = view::<_, AoS>(100, |i| point(i).pos);
    let mut turned = view::<_, SoA>(100, |_| Turned { x: 0.0, y: 0.0 });
    turned.copy_fields_from(&flat, AllFields).expect("equal extents");
    assert!((0..100).all(|i| turned.load(i) == Turned { x: point(i).pos.x, y: point(i).pos.y }));

    let mut three = view::<_, AoSoA<8>>(100, |_| Vec3 { x: 1.0, y: 2.0, z: 3.0 });
    three.copy_fields_from(&turned, SourceFields).expect("equal extents");
    assert!((0..100).all(|i| three.load(i) == Vec3 { x: point(i).pos.x, y: point(i).pos.y, z: 3.0 }));

    let mut two = view::<_, AoS<Packed>>(100, |_| Flat { y: 0.0, x: 0.0 });
    two.copy_fields_from(&three, TargetFields).expect("equal extents");
    assert!((0..100).all(|i| two.load(i) == point(i).pos));
    // One record, all of it.
    let mut again = view::<_, SoA>(100, |_| Flat { y: 0.0, x: 0.0 });
    again.copy_fields_from(&two, AllFields).expect("equal extents");
    assert_eq!(again, two);
}

/// Arrays of structs, of other lengths, whose structs have other fields.
#[test]
fn elements_of_arrays_are_those_of_one_index() {
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Line {
        tag: u8,
        ends: [Vec3; 2],
    }
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Triangle {
        ends: [Flat; 3],
        tag: u8,
    }
    let f = |i: usize, k: usize| f32::from(u16::try_from(10 * i + k).expect("small"));
    let flat = |i, k| Flat { y: f(i, k), x: f(i, k + 1) };
    let line = |i, k| Vec3 { x: f(i, k + 1), y: f(i, k), z: 0.5 };
    let lines = view::<_, SoA>(50, |i| Line { tag: 1, ends: [line(i, 0), line(i, 2)] });
    let mut triangles = view::<_, AoS>(50, |i| Triangle { ends: [flat(i, 5), flat(i, 6), flat(i, 7)], tag: 2 });
    let expected = |i| Triangle { ends: [flat(i, 0), flat(i, 2), flat(i, 7)], tag: 1 };
    triangles.copy_fields_from(&lines, SharedFields).expect("equal extents");
    assert!((0..50).all(|i| triangles.load(i) == expected(i)));

    let mut lines = view::<_, SoA>(50, |_| Line { tag: 3, ends: [Vec3 { x: 1.0, y: 2.0, z: 0.5 }; 2] });
    lines.copy_fields_from(&triangles, SharedFields).expect("equal extents");
    assert!((0..50).all(|i| lines.load(i) == Line { tag: 1, ends: [line(i, 0), line(i, 2)] }));
}

/// Leaves that are a part of a word, and a leaf beside them that nobody copies.
#[test]
fn leaves_of_a_word_leave_the_others() {
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Pixel {
        color: Color,
        alpha: u8,
    }
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Color {
        red: u8,
        green: u8,
        blue: u8,
    }
    fn color(i: usize) -> Color {
        let [red, green, blue] = [3, 5, 7].map(|by| u8::try_from((i * by + by) % 251).expect("small"));
        Color { red, green, blue }
    }
    fn check<P: RecordLayout<Pixel> + Default, C: RecordLayout<Color> + Default>() {
        for len in [20, 130, 1001] {
            let mut colors = view::<_, C>(len, color);
            let mut pixels = view::<_, P>(len, |_| Pixel { color: color(99), alpha: 201 });
            pixels.field_mut(Pixel::PATHS.color).copy_from(&colors).expect("equal extents");
            assert!((0..len).all(|i| pixels.load(i) == Pixel { color: color(i), alpha: 201 }), "{len}");
            colors.fill(color(17));
            colors.copy_from(&pixels.field(Pixel::PATHS.color)).expect("equal extents");
            assert!((0..len).all(|i| colors.load(i) == color(i)), "{len}");
        }
    }
    check::<AoS, SoA>();
    check::<AoS, AoSoA<64>>();
    check::<AoSoA<16>, AoS>();
}

#[test]
fn other_extents_are_refused() {
    let flat = alloc::<Flat, AoS, _>([2, 3]).expect("memory");
    let mut turned = alloc::<Turned, SoA, _>([3, 2]).expect("memory");
    let error = turned.copy_fields_from(&flat, AllFields).expect_err("other extents");
    assert_eq!(error.to_string(), "the views have extents [3, 2] and [2, 3], which must be equal");
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Words {
    x: u32,
    y: f32,
}

#[test]
#[should_panic(expected = "field `x` is `u32` in the target and `f32` in the source")]
fn fields_of_other_types_are_refused() {
    let flat = alloc::<Flat, AoS, _>(3).expect("memory");
    let mut words = alloc::<Words, SoA, _>(3).expect("memory");
    let _ = words.copy_fields_from(&flat, AllFields);
}

/// Runs that fill lines of the cache, in blocks that do not: the leaf between belongs to nobody here.
#[test]
fn large_copies_to_runs_at_any_address() {
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Tagged {
        number: u64,
        tag: u8,
    }
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Number {
        number: u64,
    }
    fn check<L: RecordLayout<Tagged> + Default>() {
        let len = (8 << 20) / 8 + 1001;
        let source = view::<Number, SoA>(len, |i| Number { number: i as u64 });
        let mut target = view::<Tagged, L>(len, |_| Tagged { number: 0, tag: 7 });
        target.copy_fields_from(&source, SourceFields).expect("equal extents");
        for i in 0..len {
            assert_eq!(target.load(i), Tagged { number: i as u64, tag: 7 }, "{:?} {i}", L::default());
        }
    }
    check::<AoSoA<8>>();
    check::<AoSoA<8, Packed>>();
    check::<AoSoA<24, Packed>>();
}

//! Slots in expressions: they stand for their values.

use layout::bits::{BitPackedIntSoA, Bits, KeepSign, Wrap};
use layout::{AoS, AoSoA, Record, RecordLayout, RecordVec, SoA, alloc, alloc_from_fn, zip};

#[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
struct Body {
    pos: [f32; 2],
    vel: f32,
    mass: f64,
    count: u16,
    alive: bool,
    letter: char,
}

fn body(i: usize) -> Body {
    let count = u8::try_from(i).unwrap();
    let letter = char::from(b'a' + count);
    Body { pos: [i as f32, 0.5], vel: 2.0, mass: i as f64, count: count.into(), alive: i.is_multiple_of(2), letter }
}

fn check<L: RecordLayout<Body> + Default>() {
    let mut view = alloc_from_fn::<Body, L, _>(5, |[i]| body(i)).unwrap();
    view.for_each_mut(|mut p| {
        let old = p.load();
        p.mass += 0.5 * &p.mass;
        let mut x = p.pos.element_mut::<0>();
        x += p.vel * 0.5;
        assert_eq!(p.pos.element::<0>().get(), old.pos[0] + 1.0);
        assert!(p.mass == old.mass * 1.5);
    });
    let mut pairs = alloc::<[i32; 2], SoA, _>(5).unwrap();
    zip((&mut pairs, &view)).for_each(|(mut pair, p)| {
        pair.at_mut(0).set(2 + i32::from(p.count.get()));
        let [a, b] = pair.load();
        assert!(pair.at(0) == a && pair.at(1) <= b && pair.at(0) > b);
        assert_eq!(pair.at(0) - pair.at(1), a - b);
        assert_eq!(pair.at(0) % 2 + 7 / pair.at(0), a % 2 + 7 / a);
    });
    let p = view.at(3);
    assert_eq!(&p.mass * &p.mass, 20.25);
    assert_eq!((1.0 - &p.mass, 9.0 / &p.mass, &p.mass - 1.0), (-3.5, 2.0, 3.5));
    assert_eq!((&p.count << 2_u32, &p.count | 4, 5 ^ &p.count, &p.count % 2), (12, 7, 6, 1));
    assert!(p.alive == false && p.letter == 'd' && p.letter < 'e' && p.count != 4);
    assert_eq!(format!("{} {:.2} {:>3}|{:?}", p.letter, p.mass, p.count, p.alive), "d 4.50   3|false");
    assert_eq!(p.count * 2, 6);
}

#[test]
fn slots_stand_for_their_values() {
    check::<AoS>();
    check::<SoA>();
}

#[test]
fn computed_leaves_too() {
    let mut view = alloc::<u16, BitPackedIntSoA<Bits<5>, KeepSign, Wrap>, _>(3).unwrap();
    view.at_mut(1).set(9);
    assert!(view.at(1) == 9 && 2 * view.at(1) == 18);
}

#[test]
fn lanes_too() {
    let mut view = alloc_from_fn::<Body, SoA, _>(10, |[i]| body(i)).unwrap();
    view.for_each_lanes_mut::<4>(
        |mut p| {
            let mut y = p.pos.element_mut::<1>();
            let two = p.vel.get();
            y += &p.vel * two + p.vel * 0.25;
        },
        |_| {},
    );
    let column: Vec<f32> = view.iter().map(|p| 1.0 * p.pos.element::<1>()).collect();
    assert_eq!(column, [[5.0; 8].as_slice(), &[0.5; 2]].concat());
}

#[test]
fn sums_of_vectors() {
    let vec: RecordVec<Body, SoA> = (0..4).map(body).collect();
    let sum: f64 = vec.iter().map(|p| &p.mass * 2.0 + f64::from(p.count.get())).sum();
    assert_eq!(sum, 18.0);
}

#[test]
fn sums_and_products_of_slots() {
    let mut view = alloc_from_fn::<Body, AoSoA<4>, _>(5, |[i]| body(i + 1)).unwrap();
    assert_eq!(view.field(Body::PATHS.mass).iter().sum::<f64>(), 15.0);
    assert_eq!(view.iter_mut().map(|p| p.mass).product::<f64>(), 120.0);
    assert_eq!(view.iter().map(|p| p.count).sum::<u16>(), 15);

    // An empty sum is the one of std, whose sign is negative.
    let none = alloc::<f32, SoA, _>(0).unwrap();
    assert_eq!(none.iter().sum::<f32>().to_bits(), none.values().sum::<f32>().to_bits());
    assert_eq!(none.iter().product::<f32>(), 1.0);

    // Leaves that are computed, too.
    let packed = alloc_from_fn::<i16, BitPackedIntSoA<Bits<5>>, _>(4, |[i]| [1, -2, -5, -8][i]).unwrap();
    assert_eq!((packed.iter().sum::<i16>(), packed.iter().product::<i16>()), (-14, -80));
}

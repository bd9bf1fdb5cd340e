//! Into how many tiles stores of several dimensions are cut, and why into fewer than there are pieces.

use crate::cut_into;
use layout_store::{Point, Rect, Store, colors_for, follow, read};

/// The colors of a store of these extents, all of whose dimensions may be cut.
fn colors<const N: usize>(extents: [i64; N], pieces: i64) -> [i64; N] {
    let colors = colors_for(Point::from(extents), &[true; N], pieces).expect("extents above one and several pieces");
    core::array::from_fn(|dim| colors[dim])
}

#[test]
fn every_prime_factor_goes_to_a_dimension_with_room() {
    assert_eq!(colors([64, 64, 64], 13), [13, 1, 1]);
    assert_eq!(colors([64, 64, 64], 2 * 13), [13, 2, 1]);
    assert_eq!(colors([64, 64, 64], 17 * 19), [19, 17, 1]);
    // The last dimension holds a factor that no other one can hold, also in pieces of fewer than 32.
    assert_eq!(colors([2, 2, 64], 3), [1, 1, 3]);
    assert_eq!(colors([2, 2, 64], 6), [2, 1, 3]);
    // Otherwise it stays whole.
    assert_eq!(colors([8, 8, 40], 4), [2, 2, 1]);
    assert_eq!(colors([8, 8, 64], 4), [2, 1, 2]);
}

/// The shorter side gets a divisor near the square root that would make tiles square.
#[test]
fn tiles_of_two_dimensions_are_nearly_square() {
    for (extents, pieces, expected) in [
        ([8, 12], 4, [1, 4]),
        ([12, 8], 4, [4, 1]),
        ([40, 40], 4, [2, 2]),
        ([31, 40], 15, [3, 5]),
        ([20, 30], 24, [4, 6]),
        // The root is between 3 and 5, of which 5 makes tiles of 4 by 5, and 3 tiles of 6 by 3.
        ([20, 30], 30, [5, 6]),
        ([40, 30], 35, [7, 5]),
        ([36, 40], 10, [2, 5]),
        ([30, 31], 14, [2, 7]),
    ] {
        assert_eq!(colors(extents, pieces), expected, "{extents:?} by {pieces}");
    }
    assert_eq!((colors([9], 4), colors([5], 8)), ([4], [5]));
}

#[test]
fn no_dimension_is_cut_into_more_tiles_than_it_has_indices() {
    // The largest number of tiles that fits.
    assert_eq!(colors([4, 4, 4], 13), [3, 4, 1]);
    assert_eq!(colors([2, 2, 2], 13 << 40), [2, 2, 2]);
    // Multiples of 13: smaller factors make empty tiles, as Legate does.
    for pieces in (13..400).step_by(13) {
        for extents in [[2, 3, 5], [7, 2, 64], [3, 3, 3], [64, 5, 2], [2, 2, 31]] {
            let colors = colors(extents, pieces);
            let tiles: i64 = colors.iter().product();
            assert!(tiles > 1 && tiles <= pieces, "{extents:?} by {pieces}: {colors:?}");
            assert!(colors.iter().zip(extents).all(|(count, extent)| *count <= extent), "{extents:?}: {colors:?}");
        }
    }
}

#[test]
fn a_launch_tells_why_it_has_fewer_points_than_pieces() {
    let rt = cut_into(13);
    let cube: Store<i64, _> = rt.create_from_fn([4, 4, 4], |at| at[0]).unwrap();
    let launched = rt.task("cube").args((read(&cube),)).launch(|_, _| ()).unwrap();
    assert_eq!(launched.domain().volume(), 12);
    assert_eq!(
        launched.fewer().unwrap().to_string(),
        "argument 0 of extents [4, 4, 4] is cut into 12 tiles instead of 13: its dimensions have no room for more"
    );
    let line: Store<i64, _> = rt.create_from_fn(26, |at| at[0]).unwrap();
    assert!(rt.task("line").args((read(&line),)).launch(|_, _| ()).unwrap().fewer().is_none());
    // Of two stores that are cut anew the one with the most bytes.
    let few: Store<u8, _> = rt.create_from_fn(12, |_| 1).unwrap();
    let large: Store<i64, _> = rt.create_from_fn(12, |_| 1).unwrap();
    let named = |launched: layout_store::Launched| launched.fewer().unwrap().argument;
    assert_eq!(named(rt.task("two").args((read(&few), read(&large))).launch(|_, _| ()).unwrap()), 1);
    assert_eq!(named(rt.task("two").args((read(&large), read(&few))).launch(|_, _| ()).unwrap()), 0);
    // Who follows another one has as many tiles as that has.
    let ends: Store<i64, _> = rt.create_from_fn([13, 2], |at| at[0]).unwrap();
    let task = rt.task("follows").args((read(&ends), read(&few)));
    let task = task.constrain(|(ends, few)| follow(ends, few, |_| Rect::of([4].into())));
    let launched = task.launch(|_, _| ()).unwrap();
    assert!(launched.fewer().is_none(), "{:?}", launched.fewer());
}

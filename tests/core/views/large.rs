//! Records of many leaves, whose slots are made in blocks of 16 or 64.

use layout::prelude::*;

#[derive(Clone, Copy, Record)]
struct Three {
    a: u32,
    b: u32,
    c: u32,
}

// 24, 192 and 1536 leaves.
macro_rules! of_eight {
    ($($name:ident of $part:ident),+) => {$(
        #[derive(Clone, Copy, Record)]
        struct $name { a: $part, b: $part, c: $part, d: $part, e: $part, f: $part, g: $part, h: $part }
    )+};
}

of_eight! { Eight of Three, Square of Eight, Cube of Square }

/// Of three elements, in one blob, leaf `l` of element `i` is the number `of(i, l)`.
fn slots_reach_their_leaves<L: RecordLayout<Cube> + Default>(of: impl Fn(u32, u32) -> u32) {
    let mapping = Mapped::<Cube, _, L>::new(extents!(dyn 3)).unwrap();
    let bytes: Vec<u8> = (0..3 * 1536_u32).flat_map(u32::to_ne_bytes).collect();
    let mut view = View::from_bytes(mapping, bytes).unwrap();
    let element = view.at(2);
    assert_eq!((element.a.a.a.a.get(), element.h.h.h.c.get()), (of(2, 0), of(2, 1535)));
    assert_eq!(element.d.a.f.b.get(), of(2, 3 * 192 + 5 * 3 + 1));
    assert_eq!(view.field(Cube::PATHS.d).at(1).f.c.a.get(), of(1, 3 * 192 + 5 * 24 + 2 * 3));
    let eight = view.field(Cube::PATHS.d.f).load(1);
    assert_eq!((eight.a.a, eight.h.c), (of(1, 3 * 192 + 5 * 24), of(1, 3 * 192 + 6 * 24 - 1)));
    view.at_mut(1).e.b.g.b.set(7);
    assert_eq!(view.field(Cube::PATHS.e.b.g.b).to_vec(), [of(0, 811), 7, of(2, 811)]);
}

#[test]
fn slots_of_large_records_reach_their_leaves() {
    slots_reach_their_leaves::<AoS>(|i, leaf| 1536 * i + leaf);
    slots_reach_their_leaves::<SoASingle<Packed>>(|i, leaf| 3 * leaf + i);
}

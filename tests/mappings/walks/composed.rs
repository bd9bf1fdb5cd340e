//! Walks over compositions, alone, in lanes, in parts, and with other views, give what single elements give.

use core::any::type_name;
use core::cell::RefCell;

use layout::author::Codec;
use layout::bits::{BitPackedFloatSoA, BitPackedIntAoS, Bits, FloatBits};
use layout::composed::{Bytesplit, Byteswap, ChangeType, FusedBlobs, Projected, Split};
use layout::{
    AoS, AoSoA, BlobsMut, ColMajor, Dim, Extents, Lanes, Linearization, Mapped, Null, Owned, Packed, RecordLayout,
    RowMajor, SoA, Strided, View, alloc, extents, path, step, zip,
};

use support::hit::{Branch, Element, Hit, Many, Narrower, OneTwin, Point, Reversible, kept, narrowed, without_many};

/// The value that a kernel makes of an element.
fn next(hit: Hit) -> Hit {
    Hit {
        kind: hit.kind.wrapping_add(1),
        at: Point { x: hit.at.x + 1.0, y: hit.at.y * 2.0 },
        counts: [hit.counts[0].wrapping_add(3), hit.counts[1].rotate_left(1)],
        wide: hit.wide ^ 0xff00,
        time: hit.time * 4.0,
    }
}

/// Fills a view with numbered elements, and gives them.
fn number<L: RecordLayout<Hit>, E: Extents, Lin: Linearization<E::Array>, B: BlobsMut>(
    view: &mut View<Mapped<Hit, E, L, Lin>, B>,
    stored: fn(Hit) -> Hit,
) -> Vec<Hit> {
    let mut k = 0;
    view.update(|_| {
        k += 1;
        Hit::sample(k)
    });
    let mut elements: Vec<Hit> = view.to_vec();
    let mut kinds: Vec<Hit> = (1..=k).map(|k| stored(Hit::sample(k))).collect();
    let key = |hit: &Hit| hit.time.to_bits() ^ u64::from(hit.counts[0]) << 48 ^ u64::from(hit.at.y.to_bits()) << 16;
    elements.sort_by_key(key);
    kinds.sort_by_key(key);
    assert_eq!(elements, kinds, "each element once");
    view.to_vec()
}

/// Walks in lanes of `W`, reads and writes every leaf, and compares with what single elements give.
fn lanes<const W: usize, L: RecordLayout<Hit>, E: Extents, Lin: Linearization<E::Array>, B: BlobsMut>(
    view: &mut View<Mapped<Hit, E, L, Lin>, B>,
    stored: fn(Hit) -> Hit,
) {
    let before = number(view, stored);
    let mut single = Vec::new();
    view.for_each(|slots| single.push(slots.load()));
    let seen = RefCell::new(Vec::new());
    view.for_each_lanes_mut::<W>(
        |mut slots| {
            let (kind, x, y) = (slots.kind.get().to_array(), slots.at.x.get().to_array(), slots.at.y.get().to_array());
            // Each element of the array in another way.
            let counts = [slots.counts.at(0).get().to_array(), slots.counts.element::<1>().get().to_array()];
            let (wide, time) = (slots.wide.get().to_array(), slots.time.get().to_array());
            let hits: [Hit; W] = core::array::from_fn(|i| Hit {
                kind: kind[i],
                at: Point { x: x[i], y: y[i] },
                counts: [counts[0][i], counts[1][i]],
                wide: wide[i],
                time: time[i],
            });
            seen.borrow_mut().extend(hits);
            let hits = hits.map(next);
            slots.kind.set(Lanes::from_fn(|i| hits[i].kind));
            slots.at.x.set(Lanes::from_fn(|i| hits[i].at.x));
            slots.at.y.set(Lanes::from_fn(|i| hits[i].at.y));
            slots.counts.element_mut::<0>().set(Lanes::from_fn(|i| hits[i].counts[0]));
            slots.counts.at_mut(1).set(Lanes::from_fn(|i| hits[i].counts[1]));
            slots.wide.set(Lanes::from_fn(|i| hits[i].wide));
            slots.time.set(Lanes::from_fn(|i| hits[i].time));
        },
        |mut slots| {
            seen.borrow_mut().push(slots.load());
            slots.store(next(slots.load()));
        },
    );
    let (mut seen, mut expected) = (seen.into_inner(), single);
    let key = |hit: &Hit| (hit.time.to_bits(), hit.counts[0], hit.at.y.to_bits());
    seen.sort_by_key(key);
    expected.sort_by_key(key);
    assert_eq!(seen, expected, "{} by {W}", type_name::<L>());
    let expected: Vec<Hit> = before.into_iter().map(|hit| stored(next(hit))).collect();
    assert_eq!(view.to_vec(), expected, "{} by {W}", type_name::<L>());
}

fn owned<L: RecordLayout<Hit> + Default, E: Extents, Lin: Linearization<E::Array>>(
    extents: E,
    linearization: Lin,
) -> Owned<Mapped<Hit, E, L, Lin>> {
    View::zeroed(Mapped::with(extents, L::default(), linearization).unwrap()).unwrap()
}

/// Lanes of several widths over rows, and over parts of rows that start anywhere.
fn in_lanes<L: RecordLayout<Hit> + Default>(stored: fn(Hit) -> Hit) {
    let mut view = owned::<L, _, _>(extents!(dyn 45), RowMajor);
    lanes::<1, _, _, _, _>(&mut view, stored);
    lanes::<3, _, _, _, _>(&mut view, stored);
    lanes::<8, _, _, _, _>(&mut view, stored);
    lanes::<4, _, _, _, _>(&mut view, stored);
    for (start, end) in [(1, 45), (3, 17), (5, 5), (7, 44)] {
        let before = view.to_vec();
        lanes::<4, _, _, _, _>(&mut view.slice_mut((start..end,)), stored);
        let after = view.to_vec();
        assert_eq!((&before[..start], &before[end..]), (&after[..start], &after[end..]), "nothing else");
    }
}

/// Every type of linearization changes how a view is walked.
fn through_linearizations<L: RecordLayout<Hit> + Default>(stored: fn(Hit) -> Hit) {
    lanes::<4, _, _, _, _>(&mut owned::<L, _, _>(extents!(dyn 3, dyn 13), RowMajor), stored);
    lanes::<4, _, _, _, _>(&mut owned::<L, _, _>(extents!(dyn 13, dyn 3), ColMajor), stored);
    let strided = Strided::<Dim<2>>::new(40, [-20, 2]);
    lanes::<4, _, _, _, _>(&mut owned::<L, _, _>(extents!(dyn 3, dyn 10), strided), stored);
    let mut view = owned::<L, _, _>(extents!(dyn 40), RowMajor);
    lanes::<4, _, _, _, _>(&mut view.slice_mut((step(1..40, 3),)), stored);
}

/// Fields, slices, and pairs with a view of structs.
fn in_parts<L: RecordLayout<Hit> + Default>(stored: fn(Hit) -> Hit) {
    let mut view = owned::<L, _, _>(extents!(dyn 21), RowMajor);
    let elements = number(&mut view, stored);

    assert!(view.field(Hit::PATHS.time).values().eq(elements.iter().map(|hit| hit.time)));
    assert!(view.field(Hit::PATHS.counts.element::<1>()).values().eq(elements.iter().map(|hit| hit.counts[1])));
    assert!(view.field(Hit::PATHS.at).to_vec().into_iter().eq(elements.iter().map(|hit| hit.at)));
    assert!(view.field(Hit::PATHS.counts).to_vec().into_iter().eq(elements.iter().map(|hit| hit.counts)));
    let times = RefCell::new(Vec::new());
    view.field(Hit::PATHS.time).for_each_lanes::<4>(
        |time| times.borrow_mut().extend(time.get().to_array()),
        |time| times.borrow_mut().push(time.get()),
    );
    assert!(times.into_inner().into_iter().eq(elements.iter().map(|hit| hit.time)));
    if let Some(times) = view.column(Hit::PATHS.time) {
        assert!(times.iter().copied().eq(elements.iter().map(|hit| hit.time)));
    }
    assert!(!(<L::Codec as Codec<Hit, L>>::COMPUTED.contains(6) && view.column(Hit::PATHS.time).is_some()));
    assert_eq!(view.slice((3..9,)).to_vec(), elements[3..9]);
    assert_eq!(view.iter().map(|slots| slots.load()).collect::<Vec<_>>(), elements);

    let (mut at, mut rest) = view.split((Hit::PATHS.at, Hit::PATHS.counts.element::<1>()));
    at.update(|point| Point { x: point.y, y: point.y + 1.0 });
    rest.fill(7);
    let changed =
        |hit: &Hit| stored(Hit { at: Point { x: hit.at.y, y: hit.at.y + 1.0 }, counts: [hit.counts[0], 7], ..*hit });
    let expected: Vec<Hit> = elements.iter().map(changed).collect();
    assert_eq!(view.to_vec(), expected);

    let mut structs = alloc::<Hit, AoS, _>(21).unwrap();
    structs.copy_from(&view).unwrap();
    assert_eq!(structs, view);
    let mut other = view.clone();
    zip((&mut other, &structs)).for_each_lanes::<4>(
        |(mut to, from)| to.at.y.set(from.at.y.get() + from.at.x.get()),
        |(mut to, from)| to.at.y.set(from.at.y.get() + from.at.x.get()),
    );
    let sum = |hit: &Hit| stored(Hit { at: Point { y: hit.at.y + hit.at.x, ..hit.at }, ..*hit });
    assert_eq!(other.to_vec(), expected.iter().map(sum).collect::<Vec<_>>());
    let frozen = other.freeze();
    assert_eq!(frozen.clone().to_vec(), expected.iter().map(sum).collect::<Vec<_>>());
    let constant = View::constant(view.mapping(), Hit::sample(9)).unwrap();
    assert_eq!(constant.to_vec(), vec![stored(Hit::sample(9)); 21]);
}

macro_rules! walk {
    ($walk:ident, $stored:ident: $($layout:ty),+ $(,)?) => {$(
        $walk::<$layout>($stored);
    )+};
}

/// One part is bit-packed, two others have runs of other lengths.
type SmallParts =
    Split<Branch, BitPackedFloatSoA<FloatBits<6, 12>>, Split<path!(Hit, time), Projected<AoSoA<4>, Reversible>, SoA>>;
/// Three parts, of which two are computed or have runs of other lengths.
type ThreeParts = Split<Branch, AoSoA<8>, Split<path!(Hit, time), Projected<AoSoA<4>, Reversible>, SoA>>;

#[test]
fn lanes_of_bit_packed_parts() {
    walk! {
        in_lanes, kept:
        SmallParts,
        Split<path!(Hit, counts), ChangeType<BitPackedIntAoS<Bits<17>>, u16, u32>, AoSoA<8>>,
    }
    walk!(through_linearizations, kept: SmallParts);
}

#[test]
fn lanes_are_single_elements() {
    walk! {
        in_lanes, kept:
        Split<Branch, SoA, AoS>,
        // One of two twins lies in another layout, with other strides and runs.
        Split<Many, AoS, SoA>,
        Split<Many, SoA, AoS, FusedBlobs>,
        Split<Many, AoSoA<8>, AoS<Packed>>,
        Split<Element, AoSoA<8>, AoSoA<4>>,
        Byteswap<AoSoA<8>>,
        Bytesplit<SoA>,
        Projected<Split<Many, AoS, AoSoA<4>>, Reversible>,
        Projected<SoA, OneTwin>,
        ThreeParts,
    }
    walk!(in_lanes, without_many: Split<Many, Null, AoSoA<8>>);
}

#[test]
fn lanes_follow_each_type_of_linearization() {
    walk! {
        through_linearizations, kept:
        Split<Many, AoS, SoA>, Split<Many, AoSoA<4>, AoS>, Byteswap<AoSoA<4>>, Projected<SoA, Reversible>,
    }
}

#[test]
fn parts_and_pairs_of_views() {
    walk! {
        in_parts, kept:
        Split<Branch, SoA, AoS>, Split<Many, AoS, SoA>, Byteswap<SoA>, Bytesplit<AoS>, Projected<AoSoA<4>, Reversible>,
        Split<path!(Hit, time), Byteswap<SoA>, SoA>,
    }
    walk!(in_parts, without_many: Split<Many, Null, SoA>);
    walk!(in_parts, narrowed: Projected<SoA, Narrower>);
}

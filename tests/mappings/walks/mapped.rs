//! Walks over mappings: each element once, in memory order, for each type of linearization, alone or in lanes.

use core::cell::Cell;

use layout::index::Rank;
use layout::{
    AoS, AoSoA, ArrayExtents, Blobs, BlobsMut, ColMajor, Dim, Extents, Lanes, Linearization, Mapped, Mapping, Morton,
    Native, Ordered, Owned, Packed, PaddedRows, Permuted, Record, RecordLayout, RowMajor, SoA, SoASingle, Strided,
    Tiled, Transposed, View, dimensions, fastest_first, zip,
};
use support::indices::indices;
use support::layouts::{VisitLayout, each_layout};
use support::listed::Listed;
use support::strides::{mixed, unit_first, unit_last};

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Corner {
    on: u8,
    at: i32,
}

type DynMapped<R, D, L, Lin> = Mapped<R, ArrayExtents<usize, <D as Rank>::Dynamic<usize>>, L, Lin>;

/// Element `k` of a view that is walked: a number that tells it from the others.
fn corner(k: usize) -> Corner {
    Corner { on: u8::try_from(k).unwrap(), at: 1000 - i32::try_from(k).unwrap() }
}

/// Fills the view with numbered elements, last dimension fastest.
fn number<M: Mapping<Record = Corner>, B: BlobsMut>(view: &mut View<M, B>) {
    let all = indices(view.extents());
    view.for_each_indexed_mut(|index, mut slots| {
        let k = all.iter().position(|other| *other == index).unwrap();
        slots.store(corner(k));
    });
}

/// Asserts that the elements are `f` of their numbers.
fn assert_numbered<M: Mapping<Record = Corner>, B: Blobs>(view: &View<M, B>, f: &dyn Fn(usize) -> Corner) {
    let expected: Vec<Corner> = (0..view.len()).map(f).collect();
    assert_eq!(view.to_vec(), expected, "{:?}", view.mapping());
}

/// Counts the visits to numbered elements.
struct Visits(Vec<Cell<usize>>);

impl Visits {
    /// Counts one, and gives what is written in its place.
    fn visit(&self, value: Corner) -> Corner {
        assert_eq!(value, corner(value.on.into()), "all leaves of one element");
        self.0[usize::from(value.on)].update(|count| count + 1);
        Corner { on: value.on + 1, at: value.at + 5000 }
    }

    fn visit_lanes<const W: usize>(&self, on: [u8; W], at: [i32; W]) -> [Corner; W] {
        core::array::from_fn(|lane| self.visit(Corner { on: on[lane], at: at[lane] }))
    }
}

/// Walks in lanes, reads and writes each lane, and gives how many elements came in groups.
fn walk_lanes<const W: usize, M: Mapping<Record = Corner>, B: BlobsMut>(view: &mut View<M, B>) -> usize {
    number(view);
    let visits = Visits(vec![Cell::new(0); view.len()]);
    let mut grouped = 0;
    view.for_each_lanes_mut::<W>(
        |mut slots| {
            let next = visits.visit_lanes(slots.on.get().to_array(), slots.at.get().to_array());
            slots.at.set(Lanes::from_array(next.map(|corner| corner.at)));
            slots.on.set(Lanes::from_array(next.map(|corner| corner.on)));
            grouped += W;
        },
        |mut slots| slots.store(visits.visit(slots.load())),
    );
    assert!(visits.0.iter().all(|count| count.get() == 1), "each element once");
    assert_numbered(view, &|k| Corner { on: corner(k).on + 1, at: corner(k).at + 5000 });
    grouped
}

/// A view of its own memory.
fn owned<L: RecordLayout<Corner> + Default, D: Rank, Lin: Linearization<D::Array>>(
    extents: D::Array,
    linearization: Lin,
) -> Owned<DynMapped<Corner, D, L, Lin>> {
    View::zeroed(Mapped::with(Extents::from_array(extents).unwrap(), L::default(), linearization).unwrap()).unwrap()
}

#[test]
fn walks_follow_memory_for_each_type_of_linearization() {
    struct Walks<L>(L);

    fn walk<L: RecordLayout<Corner> + Default, D: Rank, Lin: Linearization<D::Array>>(extents: D::Array, lin: Lin) {
        let mut view = owned::<L, D, Lin>(extents, lin);
        number(&mut view);
        assert_numbered(&view, &corner);

        let (mapping, all) = (view.mapping(), indices(extents));
        let mut order = Vec::new();
        view.for_each(|slots| order.push(usize::from(slots.on.get())));
        let flat = |k: &usize| mapping.linearization().position(extents, all[*k]);
        let span = mapping.linearization().span(extents).unwrap();
        if Lin::EXHAUSTIVE || (!Lin::STRIDED && span == all.len()) {
            assert!(order.iter().map(flat).eq(0..all.len()), "memory order");
        }
        assert!(view.iter().map(|slots| usize::from(slots.on.get())).eq(order.iter().copied()), "one order");
        let mut sorted = order;
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..all.len()), "each element once");

        view.for_each_mut(|mut slots| slots.at += 1);
        assert_numbered(&view, &|k| Corner { at: corner(k).at + 1, ..corner(k) });
        walk_lanes::<4, _, _>(&mut view);
    }

    impl<L: RecordLayout<Corner> + Default> Walks<L> {
        fn all() {
            walk::<L, Dim<0>, _>([], RowMajor);
            walk::<L, Dim<0>, _>([], Strided::<Dim<0>>::new(3, []));
            walk::<L, Dim<1>, _>([13], mixed::<Dim<1>>([13]));
            for extents in [[5, 9], [3, 16], [1, 7], [0, 3], [6, 0]] {
                let [x, y] = extents;
                walk::<L, Dim<2>, _>(extents, RowMajor);
                walk::<L, Dim<2>, _>(extents, ColMajor);
                walk::<L, Dim<2>, _>(extents, Ordered::<{ fastest_first([0, 1]) }>);
                walk::<L, Dim<2>, _>(extents, mixed::<Dim<2>>(extents));
                walk::<L, Dim<2>, _>(extents, unit_first::<Dim<2>>(extents));
                walk::<L, Dim<2>, _>(extents, unit_last::<Dim<2>>(extents));
                walk::<L, Dim<2>, _>(extents, Transposed(RowMajor));
                walk::<L, Dim<2>, _>(extents, Transposed(unit_last::<Dim<2>>([y, x])));
                walk::<L, Dim<2>, _>(extents, PaddedRows::<8>);
                walk::<L, Dim<2>, _>(extents, Permuted::<{ dimensions([1, 0]) }, _>(PaddedRows::<3>));
                walk::<L, Dim<2>, _>(extents, Morton);
                walk::<L, Dim<2>, _>(extents, Tiled::<2, 8>);
                walk::<L, Dim<2>, _>(extents, Tiled::<3, 5>);
                walk::<L, Dim<2>, _>(extents, Transposed(Tiled::<2, 4>));
            }
            for extents in [[8, 8], [2, 16]] {
                walk::<L, Dim<2>, _>(extents, Morton);
                walk::<L, Dim<2>, _>(extents, Tiled::<2, 8>);
                walk::<L, Dim<2>, _>(extents, Tiled::<1, 2>);
            }
            walk::<L, Dim<1>, _>([13], Tiled::<6>);
            walk::<L, Dim<3>, _>([4, 4, 4], Morton);
            walk::<L, Dim<3>, _>([3, 5, 4], Permuted::<{ dimensions([1, 2, 0]) }, _>(Morton));
            walk::<L, Dim<3>, _>([3, 5, 4], Permuted::<{ dimensions([2, 0, 1]) }, _>(Tiled::<2, 2, 4>));
            walk::<L, Dim<3>, _>([3, 5, 4], Ordered::<{ fastest_first([1, 2, 0]) }>);
            walk::<L, Dim<3>, _>([3, 4, 5], Transposed(mixed::<Dim<3>>([5, 4, 3])));
        }
    }

    Walks::<AoS>::all();
    Walks::<AoS<Packed, Native>>::all();
    Walks::<SoA>::all();
    Walks::<AoSoA<3, Packed>>::all();
    Walks::<AoSoA<8>>::all();
}

/// The starts and ends of slices of a view of 40 elements.
const CUTS: [(usize, usize); 6] = [(0, 40), (1, 40), (3, 37), (7, 23), (5, 5), (9, 10)];

/// Walks slices in lanes, and asserts how many elements come in groups.
fn walk_slices<const W: usize, L: RecordLayout<Corner> + Default>() {
    let mut view = owned::<L, Dim<1>, _>([40], RowMajor);
    for (start, end) in CUTS {
        // A group starts where it lies in one run, or in whole runs.
        let align = match L::RUN {
            run if run != usize::MAX && run.is_multiple_of(W) => W,
            run if W.is_multiple_of(run) => run,
            _ => 1,
        };
        let head = (start.next_multiple_of(align) - start).min(end - start);
        let grouped = walk_lanes::<W, _, _>(&mut view.slice_mut((start..end,)));
        assert_eq!(grouped, (end - start - head) / W * W, "{start}..{end} by {W}: {:?}", view.mapping());
    }
}

#[test]
fn lanes_cover_slices_that_start_anywhere() {
    struct Layouts;

    impl VisitLayout<Corner> for Layouts {
        fn visit<L: RecordLayout<Corner> + Default>(&mut self) {
            walk_slices::<4, L>();
        }
    }

    fn of_each_width<L: RecordLayout<Corner> + Default>() {
        walk_slices::<1, L>();
        walk_slices::<2, L>();
        walk_slices::<3, L>();
        walk_slices::<5, L>();
        walk_slices::<8, L>();
        walk_slices::<16, L>();
    }

    each_layout::<Corner>(&mut Layouts);
    of_each_width::<AoS>();
    of_each_width::<AoS<Packed>>();
    of_each_width::<SoA>();
    of_each_width::<SoASingle<Packed>>();
    of_each_width::<AoSoA<1>>();
    of_each_width::<AoSoA<2, Packed>>();
    of_each_width::<AoSoA<3, Packed>>();
    of_each_width::<AoSoA<4>>();
    of_each_width::<AoSoA<8>>();
    of_each_width::<AoSoA<16>>();
}

#[test]
fn zipped_views_of_different_mappings_meet_at_equal_indices() {
    fn meet<A: Mapping<Record = Corner>, B>(mut a: Owned<A>, mut b: Owned<B>)
    where
        B: Mapping<Record = Corner, Extents: Extents<Array = <A::Extents as Extents>::Array>>,
    {
        number(&mut a);
        number(&mut b);
        let mut met = 0;
        zip((&a, &b)).for_each(|(a, b)| {
            assert_eq!(a.load(), b.load());
            met += 1;
        });
        assert_eq!(met, a.len());
        zip((&mut b, &a)).for_each_indexed(|index, (mut b, a)| {
            let sum: usize = index.as_ref().iter().sum();
            b.at.set(a.at.get() + i32::try_from(sum).unwrap());
        });
        let all = indices(a.extents());
        let sum = |k: usize| i32::try_from(all[k].as_ref().iter().sum::<usize>()).unwrap();
        assert_numbered(&b, &|k| Corner { at: corner(k).at + sum(k), ..corner(k) });
        zip((&a, &mut b)).for_each_lanes::<4>(|(a, mut b)| b.at.set(-a.at.get()), |(a, mut b)| b.at.set(-a.at.get()));
        assert_numbered(&b, &|k| Corner { at: -corner(k).at, ..corner(k) });
        b.copy_from(&a).unwrap();
        assert_eq!(a, b);
    }

    for extents in [[6, 10], [1, 1], [0, 4]] {
        let [x, y] = extents;
        let last = unit_last::<Dim<2>>(extents);
        meet(owned::<SoA, Dim<2>, _>(extents, RowMajor), owned::<AoS, Dim<2>, _>(extents, RowMajor));
        meet(owned::<AoSoA<4>, Dim<2>, _>(extents, RowMajor), owned::<AoSoA<8>, Dim<2>, _>(extents, RowMajor));
        meet(owned::<AoSoA<8>, Dim<2>, _>(extents, RowMajor), owned::<AoSoA<8, Packed>, Dim<2>, _>(extents, last));
        meet(owned::<AoSoA<3>, Dim<2>, _>(extents, ColMajor), owned::<SoA, Dim<2>, _>(extents, RowMajor));
        meet(
            owned::<AoSoA<4>, Dim<2>, _>(extents, last),
            owned::<AoSoA<4>, Dim<2>, _>(extents, mixed::<Dim<2>>(extents)),
        );
        let transposed = Transposed(unit_last::<Dim<2>>([y, x]));
        meet(owned::<AoS<Packed>, Dim<2>, _>(extents, transposed), owned::<AoSoA<2>, Dim<2>, _>(extents, ColMajor));
        meet(owned::<SoA, Dim<2>, _>(extents, Tiled::<2, 4>), owned::<AoSoA<4>, Dim<2>, _>(extents, RowMajor));
        meet(
            owned::<AoSoA<8>, Dim<2>, _>(extents, Tiled::<4, 8>),
            owned::<AoSoA<4>, Dim<2>, _>(extents, Tiled::<2, 4>),
        );
        meet(owned::<SoA, Dim<2>, _>(extents, RowMajor), owned::<SoA, Dim<2>, _>(extents, Transposed(Tiled::<4, 2>)));
        meet(owned::<AoS, Dim<2>, _>(extents, Morton), owned::<AoSoA<2>, Dim<2>, _>(extents, PaddedRows::<4>));
        let list = Listed::of(&last.fit(extents).unwrap(), extents);
        meet(owned::<AoSoA<4>, Dim<1>, _>([x * y], list), owned::<AoSoA<4>, Dim<1>, _>([x * y], RowMajor));
    }
}

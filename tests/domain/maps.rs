//! Distributions: each index has one owner and lies in one local part, whatever the domain.

use layout_domain::{
    AnyAxis, Axis, Block, BlockCyclic, Cyclic, Dimensional, Domain, DomainError, DomainMap, Hashed, OwnerPicture,
    PartGrid, PerDimension, PerLocale, Replicated, Stencil, StridedRange, Targets, check_map,
};
use proptest::prelude::*;

const LOCALES: [usize; 7] = [1, 2, 3, 4, 5, 6, 12];

/// All distributions of this workspace over so many locales, with parameters from a few numbers.
fn all<const R: usize>(locales: usize, [a, b, c]: [i64; 3]) -> Vec<Box<dyn DomainMap<R>>> {
    let targets = || Targets::<R>::all(locales).expect("locales");
    // Locales of which not all are targets, in no order.
    let others = || Targets::<R>::of((0..locales).map(|at| (at * 5 + 3) % 17).collect::<Vec<_>>()).expect("locales");
    let block = |by: i64| by.unsigned_abs() % 4 + 1;
    let bounds = Domain::new([StridedRange::from(a..=a + b.abs() + 2); R]);
    let any = |dim: usize| match (a.unsigned_abs() + dim as u64) % 3 {
        0 => AnyAxis::block(a..=a + c.abs()).expect("a box"),
        1 => AnyAxis::cyclic(b),
        _ => AnyAxis::block_cyclic(c, block(a)).expect("a block"),
    };
    let blocks = || Block::over(&bounds, targets()).expect("a box");
    vec![
        Box::new(blocks()),
        Box::new(Block::over(&bounds, others()).expect("a box")),
        Box::new(Cyclic::new([a; R], targets())),
        Box::new(Cyclic::new([c; R], others())),
        Box::new(BlockCyclic::new([b; R], [block(c); R], targets()).expect("a block")),
        Box::new(Dimensional::of(core::array::from_fn(any), others())),
        Box::new(Stencil::new(blocks(), [1; R]).periodic()),
        Box::new(Replicated::new(Targets::all(locales).expect("locales"))),
        Box::new(Dimensional::of(
            core::array::from_fn(|dim| if dim == 0 { AnyAxis::Replicated } else { any(dim) }),
            targets(),
        )),
    ]
}

/// Asserts that a distribution gives each index of a domain to one locale, and keeps the domain's order in all its parts.
fn check_parts<const R: usize>(map: &dyn DomainMap<R>, domain: &Domain<R>) {
    check_map(map, domain).unwrap_or_else(|error| panic!("{map:?} of {domain}: {error}"));
    for &locale in map.locales() {
        let orders: Vec<usize> = map
            .local(locale, domain)
            .iter()
            .flat_map(|part| part.iter())
            .map(|at| domain.order(at).expect("an index of the domain"))
            .collect();
        let parts = map.local(locale, domain);
        for part in &parts {
            let orders: Vec<usize> = part.iter().map(|at| domain.order(at).expect("an index of the domain")).collect();
            assert!(orders.is_sorted(), "{map:?}: {part} of {domain} in another order");
        }
        assert!(orders.len() <= domain.len());
    }
    assert_eq!(map.is_partition(domain), !map.copies(), "{map:?}");
    let stranger = map.locales().iter().max().expect("a locale") + 1;
    assert!(map.local(stranger, domain).is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn each_index_has_one_owner(
        locales in prop::sample::select(&LOCALES[..]),
        parameters in [-9..9_i64, -9..9_i64, -9..9_i64],
        sides in prop::collection::vec((-12..12_i64, 0..9_i64, prop_oneof![-4..-1_i128, 1..4_i128], 0..4_i64), 3),
    ) {
        let side = |at: usize| {
            let (low, len, stride, member) = sides[at];
            StridedRange::from(low..low + 3 * len).by(stride).unwrap().align(member)
        };
        all::<1>(locales, parameters).iter().for_each(|map| check_parts(&**map, &Domain::new([side(0)])));
        all::<2>(locales, parameters).iter().for_each(|map| check_parts(&**map, &Domain::new([side(0), side(1)])));
        let short = |at: usize| side(at).intersect(&(-6..=6).into());
        all::<3>(locales, parameters).iter().for_each(|map| check_parts(&**map, &Domain::new([short(0), short(1), short(2)])));
    }

    /// Owners do not depend on the domain: parts of a part are the part of the parts.
    #[test]
    fn a_part_keeps_its_owners(
        locales in prop::sample::select(&LOCALES[..]),
        parameters in [-9..9_i64, -9..9_i64, -9..9_i64],
        (low, len, by) in (-12..12_i64, 0..30_i64, prop_oneof![-4..-1_i128, 1..4_i128]),
    ) {
        let whole = Domain::new([-20..=40]);
        let part = Domain::from(low..low + len).by([by]).unwrap();
        for map in all::<1>(locales, parameters) {
            for &locale in map.locales() {
                let mut of_part: Vec<_> = map.local(locale, &part).iter().flat_map(Domain::iter).collect();
                let of_whole = map.local(locale, &whole);
                let mut expected: Vec<_> = of_whole.iter().flat_map(|own| own.intersect(&part).iter()).collect();
                of_part.sort_unstable();
                expected.sort_unstable();
                prop_assert_eq!(of_part, expected, "{:?}, locale {}, {}", map, locale, part);
            }
        }
    }

    /// Boxes of a halo show elements of the domain that lie in the block that is named, one box a place of the halo; in a
    /// periodic domain all of it, and else what is in the domain.
    #[test]
    fn halos_show_each_place_once(
        locales in prop::sample::select(&LOCALES[..]),
        halo in [0..3_usize, 0..3_usize],
        (low, sides) in (-5..5_i64, [1..12_i64, 1..12_i64]),
        stride in 1..3_i64,
        (periodic, corners) in any::<(bool, bool)>(),
    ) {
        let domain = Domain::new(sides.map(|side| low..low + side * stride)).by([stride.into(); 2]).unwrap();
        let blocks = Block::over(&domain, Targets::all(locales).unwrap()).unwrap();
        let stencil = Stencil::new(blocks, halo);
        prop_assert!(stencil.has_corners());
        let stencil = if corners { stencil } else { stencil.without_corners() };
        prop_assert_eq!(stencil.has_corners(), corners);
        let stencil = if periodic { stencil.periodic() } else { stencil };
        prop_assert_eq!(stencil.is_periodic(), periodic && halo != [0, 0]);
        for locale in 0..locales {
            let Some(memory) = stencil.with_halo(locale, &domain).unwrap() else {
                prop_assert!(stencil.local(locale, &domain).is_empty());
                continue;
            };
            let block = stencil.local(locale, &domain)[0];
            let updates = match stencil.updates(locale, &domain) {
                Ok(updates) => updates,
                Err(DomainError::Halo { .. }) => {
                    // Some block is narrower than the halo.
                    let narrow = (0..locales).flat_map(|locale| stencil.local(locale, &domain)).any(|block| {
                        (0..2).any(|dim| block.dims()[dim].len() < halo[dim])
                    });
                    prop_assert!(narrow);
                    continue;
                }
                Err(other) => return Err(TestCaseError::fail(other.to_string())),
            };
            let mut places = Vec::new();
            for update in &updates {
                prop_assert!(update.halo.same_shape(&update.source).is_ok());
                prop_assert!(stencil.local(update.locale, &domain)[0].covers(&update.source));
                prop_assert!(memory.covers(&update.halo) && update.halo.intersect(&block).is_empty());
                for (at, shown) in update.halo.iter().zip(update.source.iter()) {
                    prop_assert!((0..2).all(|dim| (at[dim] - shown[dim]) % (sides[dim] * stride) == 0));
                    places.push(at);
                }
            }
            let is_corner = |at: &[i64; 2]| (0..2).all(|dim| !block.dims()[dim].contains(at[dim]));
            let mut expected: Vec<[i64; 2]> = memory.iter().filter(|at| !block.contains(*at) && (stencil.is_periodic() || domain.contains(*at))).collect();
            expected.retain(|at| corners || !is_corner(at));
            places.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(places, expected);
        }
    }
}

/// Narrow index types, up to both ends, where products of indices and locales do not fit the type.
#[test]
fn narrow_indices_do_not_overflow() {
    let all = Domain::<1, i8>::new([i8::MIN..=i8::MAX]);
    for locales in [1, 2, 3, 5, 7, 100, 300] {
        let targets = || Targets::all(locales).expect("locales");
        check_map(&Block::over(&all, targets()).expect("a box"), &all).expect("blocks");
        check_map(&Cyclic::new([i8::MIN], targets()), &all).expect("cyclic");
        check_map(&BlockCyclic::new([100_i8], [7], targets()).expect("blocks"), &all).expect("block-cyclic");
        check_map(&BlockCyclic::new([-128_i8], [1 << 60], targets()).expect("blocks"), &all).expect("block-cyclic");
    }
    let far = Domain::new([i64::MAX - 10..=i64::MAX]);
    let blocks = Block::over(&Domain::new([i64::MIN..=i64::MAX]), Targets::all(1000).expect("locales")).expect("a box");
    check_map(&blocks, &far).expect("blocks");
    assert_eq!(blocks.owner([i64::MAX], 0), Some(999));
    let many = Block::over(&Domain::from(0..1_i64 << 33), Targets::all(32).expect("locales")).expect("a box");
    assert!((0..32).all(|at| many.local(at, &Domain::from(0..1 << 33))[0].len() == 1 << 28));
}

#[test]
fn equal_maps_give_the_same_owners() {
    let targets = |locales: usize| Targets::<1>::all(locales).expect("locales");
    for locales in 1..6 {
        for (a, b) in (-6..6_i64).flat_map(|a| (-6..6).map(move |b| (a, b))) {
            let [one, other] = [a, b].map(|start| Cyclic::new([start], targets(locales)));
            let owners = |map: &Cyclic<1>| (-9..9).map(|at| map.owner([at], 0)).collect::<Vec<_>>();
            assert_eq!(one == other, owners(&one) == owners(&other));
        }
    }
    let line = Domain::new([1..=8]);
    let stencil = |halo: usize| Stencil::new(Block::over(&line, targets(4)).expect("a box"), [halo]);
    assert!(stencil(1) == stencil(1) && stencil(1) != stencil(2) && stencil(1) != stencil(1).periodic());
    assert!(stencil(0) == stencil(0).periodic());
    assert_ne!(Replicated::new(targets(3)), Replicated::new(targets(2)));
    assert_ne!(
        PerLocale::new(Targets::of([0, 1]).expect("locales")),
        PerLocale::new(Targets::of([1, 0]).expect("locales"))
    );
    // A box's stride does not matter; its bounds do.
    let over = |bounds: &Domain<1>| Block::over(bounds, targets(4)).expect("a box");
    assert_eq!(over(&line), over(&line.by([2]).expect("a stride")));
}

/// A distribution that answers what a list says.
#[derive(Debug, Default)]
struct Listed {
    owners: Vec<usize>,
    local: Vec<Vec<Domain<1>>>,
    grid: Option<Vec<Vec<StridedRange>>>,
}

impl DomainMap<1> for Listed {
    fn locales(&self) -> &[usize] {
        &[0, 1]
    }

    fn owner(&self, [index]: [i64; 1], _: usize) -> Option<usize> {
        self.owners.get(usize::try_from(index).ok()?).copied()
    }

    fn local(&self, locale: usize, _: &Domain<1>) -> Vec<Domain<1>> {
        self.local.get(locale).cloned().unwrap_or_default()
    }

    fn grid(&self, _: &Domain<1>) -> Option<PartGrid<StridedRange, 1>> {
        self.grid.clone().map(|along| PartGrid::new([along]))
    }
}

#[test]
fn a_wrong_distribution_is_found_out() {
    let line = |low, high| Domain::new([low..=high]);
    let domain = line(0, 3);
    let told = |owners: [usize; 4], local: [Vec<Domain<1>>; 2]| {
        let map = Listed { owners: owners.to_vec(), local: local.to_vec(), grid: None };
        check_map(&map, &domain).map_err(|error| error.to_string())
    };
    let right = [vec![line(0, 1)], vec![line(2, 3)]];
    assert_eq!(told([0, 0, 1, 1], right.clone()), Ok(()));
    let wrong = [
        (told([0, 0, 0, 1], right), "the owner of index [2] is Some(0), and it lies in the local part of locale 1"),
        (told([0, 0, 1, 1], [vec![line(0, 1)], vec![line(3, 3)]]), "index [2] lies in no locale's local part"),
        (
            told([0, 0, 1, 1], [vec![line(0, 2)], vec![line(2, 3)]]),
            "index [2] lies in the local parts of locale 0 and of locale 1; it must lie in one",
        ),
        (
            told([0, 0, 1, 1], [vec![line(0, 1), line(1, 1)], vec![line(2, 3)]]),
            "index [1] lies in the local parts of locale 0 and of locale 0; it must lie in one",
        ),
        (told([0, 0, 1, 1], [vec![line(0, 1)], vec![line(2, 4)]]), "locale 1 has {2..=4}, which is no part of {0..=3}"),
    ];
    for (told, text) in wrong {
        assert_eq!(told.unwrap_err(), text);
    }
    let by_grid = |grid: &[StridedRange]| {
        let local = [vec![line(0, 1)], vec![line(2, 3)]];
        let grid = Some(grid.iter().map(|range| vec![*range]).collect());
        let map = Listed { owners: vec![0, 0, 1, 1], local: local.to_vec(), grid };
        check_map(&map, &domain).map_err(|error| error.to_string())
    };
    let ranges = [0..=1, 2..=3].map(StridedRange::from);
    assert_eq!(by_grid(&ranges), Ok(()));
    let text = "by the grid of parts locale 1 has nothing, and {2..=3} as its local part";
    assert_eq!(by_grid(&ranges[..1]).unwrap_err(), text);
    let text = "by the grid of parts locale 0 has {0..=0}, and {0..=1} as its local part";
    assert_eq!(by_grid(&[(0..=0).into(), (1..=3).into()]).unwrap_err(), text);
}

/// Parts of four indices, of which the last one may not be there.
#[derive(Clone, Debug, PartialEq)]
struct Fours;

impl Axis<i64> for Fours {
    fn owner(&self, index: i64, _: usize, _: usize) -> usize {
        usize::try_from(index / 4).expect("not negative")
    }

    fn local(&self, part: usize, parts: usize, range: &StridedRange) -> Vec<StridedRange> {
        let low = 4 * part as i64;
        let high = if part + 1 == parts { i64::MAX } else { low + 3 };
        let own = range.intersect(&(low..=high).into());
        (!own.is_empty()).then_some(own).into_iter().collect()
    }
}

#[test]
fn a_part_that_is_not_there_owns_nothing() {
    let map = PerDimension::of([Fours], Targets::all(2).expect("locales"));
    assert_eq!(check_map(&map, &Domain::new([0..=7])), Ok(()));
    assert_eq!((map.owner([7], 0), map.owner([8], 0)), (Some(1), None));
    let text = "the owner of index [8] is None, and it lies in the local part of locale 1";
    assert_eq!(check_map(&map, &Domain::new([0..=8])).unwrap_err().to_string(), text);
}

#[test]
#[should_panic(expected = "place number 5 of a grid of [2, 2] places")]
fn a_grid_has_no_parts_of_other_places() {
    let map = BlockCyclic::new([0, 0], [2, 4], Targets::all(4).expect("locales")).expect("blocks");
    let grid = map.grid(&Domain::new([0..8, 0..8])).expect("a grid");
    assert_eq!(grid.parts(3).len(), 2);
    let _ = grid.parts(5);
}

#[test]
fn mistakes_are_told() {
    let targets = || Targets::<2>::all(4).expect("locales");
    let halo = Stencil::new(Block::over(&Domain::new([1..=4]), Targets::all(4).expect("locales")).expect("a box"), [2]);
    let errors = [
        (Targets::<2>::all(0).err(), "no locale is given; a distribution needs one"),
        (Targets::grid([2, 3], [0, 1]).err(), "a grid of [2, 3] has 6 places, and 2 locales are given"),
        (Targets::<1>::of([3, 1, 3]).err(), "locale 3 is given twice; each locale has one place in the grid"),
        (
            Block::over(&Domain::new([(1..=3).into(), StridedRange::from(4..4)]), targets()).err(),
            "the bounding box 4..=3 has no index along dimension 1; blocks need one",
        ),
        (
            BlockCyclic::new([1, 1], [3, 0], targets()).err(),
            "blocks of 0 indices along dimension 1; a block has 1 or more",
        ),
        (
            halo.updates(0, &Domain::new([1..=4])).err(),
            "locale 0 needs {2..=3} for its halo, which locale 1 has only in part: the halo [2] is wider than the \
             neighbor's block; use fewer locales, or a narrower halo",
        ),
        (
            Stencil::new(
                Block::over(&Domain::<1, u8>::new([0..=9]), Targets::all(2).expect("locales")).expect("a box"),
                [1],
            )
            .updates(0, &Domain::new([0..=9]))
            .err(),
            "the low bound of 0..=4 is -1, which a `u8` does not hold",
        ),
    ];
    for (error, text) in errors {
        assert_eq!(error.expect(text).to_string(), text);
    }
}

/// A hash is a part of what programs agree on: it may not change.
#[test]
fn hashes_are_specified() {
    let map = Hashed::<&str>::new(Targets::all(5).expect("locales"));
    let owners: Vec<usize> =
        ["", "a", "b", "layout", "domain"].iter().map(|key| map.owner(key).expect("an owner")).collect();
    assert_eq!(owners, [0, 2, 0, 0, 2]);
    let numbers = Hashed::<u64>::new(Targets::all(8).expect("locales"));
    let mut counts = [0; 8];
    (0..8000_u64).for_each(|key| counts[numbers.owner(&key).expect("an owner")] += 1);
    assert!(counts.iter().all(|count| (800..1200).contains(count)), "{counts:?}");
}

#[test]
fn neighbors_end_with_the_grid() {
    let grid = Targets::grid([2, 3], [6, 1, 2, 3, 4, 5]).expect("a grid");
    assert_eq!((grid.neighbor(6, [1, 2]), grid.neighbor(5, [-1, -2])), (Some(5), Some(6)));
    assert_eq!((grid.neighbor(6, [0, -1]), grid.neighbor(5, [0, 1]), grid.neighbor(9, [0, 0])), (None, None, None));
    assert_eq!((grid.position(6), grid.position(0)), (Some([0, 0]), None));
}

/// An axis of one's own that keeps copies is told by its distribution.
#[test]
fn copies_are_told() {
    let panels = Dimensional::of([AnyAxis::cyclic(0), AnyAxis::Replicated], Targets::all(4).expect("locales"));
    assert!(DomainMap::<2>::copies(&panels) && Axis::<i64>::copies(&AnyAxis::<i64>::Replicated));
    assert_eq!(DomainMap::<2>::owner(&panels, [0, 0], 7), None);
    let cyclic: PerDimension<_, 2> = Cyclic::new([0, 0], Targets::all(4).expect("locales"));
    assert!(!DomainMap::<2>::copies(&cyclic));
    assert_eq!(format!("{:?}", Targets::<1>::all(2).expect("locales")), "Targets { shape: [2], locales: [0, 1] }");
}

/// The parts of a range are found in a time that does not depend on the distances between its members.
#[test]
fn blocks_without_members_take_no_time() {
    let all = StridedRange::<u64>::from(0..=u64::MAX);
    for (stride, block, start) in [(1 << 62, 1, 0), (-(1 << 61) - 1, 3, 7), ((1 << 63) + 5, 1000, 1 << 40)] {
        let range = all.by(stride).expect("a stride");
        let axis = AnyAxis::block_cyclic(start, block).expect("a block");
        for parts in [1, 2, 3, 1000] {
            let mut found = 0;
            for part in 0..parts {
                let own: Vec<u64> = axis.local(part, parts, &range).iter().flat_map(StridedRange::iter).collect();
                let expected: Vec<u64> = range.iter().filter(|at| axis.owner(*at, parts, 0) == part).collect();
                assert_eq!(own, expected, "part {part} of {parts} of {range:?}");
                found += own.len();
            }
            assert_eq!(found, range.len());
        }
    }
}

/// A frame goes around its indices in each panel that has some.
#[test]
fn frames_are_drawn_in_each_panel() {
    let cube = Domain::new([1..=3, 1..=4, 1..=5]);
    let map = Block::over(&cube, Targets::all(2).expect("locales")).expect("a box");
    let frames = |around: [core::ops::RangeInclusive<i64>; 3]| {
        let svg = OwnerPicture::of(&map, &cube).frame(&Domain::new(around), 1).to_svg();
        let dashed = |rect: &&str| rect.contains("stroke-dasharray");
        let sizes = svg.split("<rect").filter(dashed).map(|rect| {
            let number = |name: &str| rect.split(name).nth(1)?.split('"').nth(1)?.parse::<usize>().ok();
            (number("width="), number("height="))
        });
        sizes.collect::<Vec<_>>()
    };
    // Cells have sides of 22, and the frame lies 2 within them.
    let size = (Some(22 * 3 - 4), Some(22 * 2 - 4));
    assert_eq!(frames([2..=2, 1..=2, 2..=4]), [size]);
    assert_eq!(frames([2..=9, 3..=9, 3..=9]), [size; 2]);
    assert_eq!(frames([7..=9, 1..=2, 2..=4]), []);
}

//! Ranges, domains and views, against the lists of indices that they stand for.

use core::hash::{BuildHasher, BuildHasherDefault};
use std::hash::DefaultHasher;

use layout_domain::{Domain, DomainError, DomainView, Index, Pick, StridedRange};
use proptest::prelude::*;

/// All members by the definition: in the bounds, and a multiple of the stride from the alignment.
fn members<I: Index>(low: I, high: I, stride: i128, member: i128) -> Vec<i128> {
    let all = low.wide()..=high.wide();
    let mut all: Vec<i128> = all.filter(|at| (at - member).rem_euclid(stride.abs()) == 0).collect();
    if stride < 0 {
        all.reverse();
    }
    all
}

fn list<I: Index>(range: &StridedRange<I>) -> Vec<i128> {
    range.iter().map(Index::wide).collect()
}

/// A range of these bounds, and what it holds.
fn range<I: Index>(low: I, high: I, stride: i128, member: I) -> (StridedRange<I>, Vec<i128>) {
    let range = StridedRange::from(low..=high).by(stride).expect("a stride").align(member);
    (range, members(low, high, stride, member.wide()))
}

/// Everything that a range says of itself.
fn check_range<I: Index>(range: &StridedRange<I>, all: &[i128], around: impl Iterator<Item = i128>) {
    assert_eq!(list(range), all, "{range}");
    let mut back: Vec<i128> = range.iter().rev().map(Index::wide).collect();
    back.reverse();
    assert_eq!(back, all, "{range} from its end");
    assert_eq!((range.len(), range.is_empty()), (all.len(), all.is_empty()));
    assert_eq!(range.iter().size_hint(), (all.len(), Some(all.len())));
    let wide = |index: Option<I>| index.map(Index::wide);
    assert_eq!((wide(range.first()), wide(range.last())), (all.first().copied(), all.last().copied()));
    assert_eq!((wide(range.low()), wide(range.high())), (all.iter().min().copied(), all.iter().max().copied()));
    for index in around.filter_map(I::narrow) {
        let order = all.iter().position(|at| *at == index.wide());
        assert_eq!((range.contains(index), range.order(index)), (order.is_some(), order), "{index} of {range}");
    }
    for order in 0..all.len() + 2 {
        assert_eq!(wide(range.at(order)), all.get(order).copied(), "number {order} of {range}");
    }
}

#[test]
fn all_ranges_of_few_indices_are_their_members() {
    for low in -3..=3_i64 {
        for high in low - 2..=low + 7 {
            for stride in (-4..=4).filter(|stride| *stride != 0) {
                for member in -2..=2 {
                    let (range, all) = range(low, high, stride, member);
                    check_range(&range, &all, -8..=12);
                    for by in [-3_i128, -2, -1, 1, 2, 3] {
                        let every = usize::try_from(by.abs()).expect("a small number");
                        let mut from = all.clone();
                        if by < 0 {
                            from.reverse();
                        }
                        let expected: Vec<i128> = from.into_iter().step_by(every).collect();
                        assert_eq!(list(&range.by(by).expect("a stride")), expected, "{range} by {by}");
                    }
                    check_moved(&range, (low, high), stride, member);
                }
            }
        }
    }
}

/// Ranges with other bounds have the members of those bounds.
fn check_moved(range: &StridedRange, (low, high): (i64, i64), stride: i128, member: i64) {
    for by in -3..=3 {
        let of = |low, high, member: i64| members(low, high, stride, member.into());
        let expanded = range.expand(by).expect("small indices");
        assert_eq!(list(&expanded), of(low - by, high + by, member), "{range} expanded by {by}");
        let moved = range.translate(by).expect("small indices");
        assert_eq!(list(&moved), of(low + by, high + by, member + by), "{range} moved by {by}");
        let (from, to) = match by {
            0 => (low, high),
            1.. => (high + 1, high + by),
            _ => (low + by, low - 1),
        };
        assert_eq!(list(&range.exterior(by).expect("small indices")), of(from, to, member), "{range} beyond {by}");
        let (from, to) = match by {
            0 => (low, high),
            1.. => (high - by + 1, high),
            _ => (low, low - by - 1),
        };
        match range.interior(by) {
            Ok(interior) => assert_eq!(list(&interior), of(from, to, member), "{range} within {by}"),
            Err(error) => assert!(matches!(error, DomainError::Interior { .. }) && by.abs() > (high - low + 1).max(0)),
        }
    }
}

/// Every third `i8`, up to both ends, with strides beyond the type.
#[test]
fn ranges_reach_the_ends_of_narrow_types() {
    for (low, high) in [(i8::MIN, i8::MAX), (i8::MIN, -120), (120, i8::MAX), (-1, 1)] {
        for stride in [-300, -256, -255, -3, 3, 127, 128, 255, 256] {
            for member in [i8::MIN, -1, 0, i8::MAX] {
                let (range, all) = range(low, high, stride, member);
                check_range(&range, &all, (-130..=130).step_by(5));
            }
        }
    }
    assert_eq!(StridedRange::from(0..=u64::MAX).len(), usize::MAX);
    assert_eq!(StridedRange::from(i64::MIN..=i64::MAX).by(1 << 62).map(|range| range.len()), Ok(4));
    let twice = StridedRange::from(i64::MIN..=i64::MAX).by(1 << 63).expect("a stride");
    assert!(twice.iter().eq([i64::MIN, 0]));
    assert!(twice.by(2).expect("a stride").iter().eq([i64::MIN]));
    assert!(StridedRange::from(5..5_u8).is_empty() && StridedRange::from(0..0_u8).is_empty());
    // An iterator at its end has the bounds of a range of one index.
    for mut walked in [1..=3, 0..=255, 7..=7_u8] {
        walked.by_ref().for_each(drop);
        let range = StridedRange::from(walked.clone());
        assert!(range.is_empty() && Domain::from(walked).is_empty(), "{range} has indices");
    }
    // There is no bound before the smallest index.
    assert_eq!((StridedRange::from(5..5_u8).bounds(), StridedRange::from(0..0_u8).bounds()), ((5, 4), (1, 0)));
    let [empty, reversed] = [i8::MIN, 7].map(|start| StridedRange::from(start..i8::MIN));
    assert_eq!((empty.bounds(), reversed.bounds()), ((-127, -128), (7, -128)));
    assert!(empty.translate(5).expect("small indices").is_empty());
    assert_eq!(StridedRange::from(250..=255_u8).translate(1).map_err(|error| error.to_string()), {
        Err("the high bound of 250..=255 is 256, which a `u8` does not hold".into())
    });
    assert!(matches!(StridedRange::from(0..=9).by(0), Err(DomainError::Stride { .. })));
}

/// Ranges of few members with any strides, near the ends of the type, or near zero.
fn any_range() -> impl Strategy<Value = StridedRange> {
    let stride = prop_oneof![1..40_i64, 1 << 30..1_i64 << 32, 1 << 54..1_i64 << 56];
    (stride, 0..30_i64, -50..100_i64, 0..3_u8, any::<bool>(), 0..7_i64).prop_map(
        |(stride, steps, shift, place, down, slack)| {
            let (low, high) = match place {
                0 => (shift, shift + stride * steps + slack),
                1 => (i64::MAX - 100 - shift - stride * steps - slack, i64::MAX - 100 - shift),
                _ => (i64::MIN + 100 + shift, i64::MIN + 100 + shift + stride * steps + slack),
            };
            let range = StridedRange::from(low..=high).by(if down { -i128::from(stride) } else { stride.into() });
            range.expect("a stride").align(low + slack)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn intersections_have_the_members_of_both(a in any_range(), b in any_range()) {
        let both: Vec<i128> = list(&a).into_iter().filter(|at| i64::narrow(*at).is_some_and(|at| b.contains(at))).collect();
        prop_assert_eq!(list(&a.intersect(&b)), both, "{} and {}", a, b);
    }

    #[test]
    fn slices_have_the_order_of_what_slices(
        (low, len, stride) in (-9..9_i64, 0..30_i64, prop_oneof![-7..-1_i128, 1..7_i128]),
        (from, length, by) in (-9..9_i64, 0..30_i64, prop_oneof![-7..-1_i128, 1..7_i128]),
    ) {
        let whole = Domain::new([StridedRange::from(low..low + len).by(stride).unwrap()]);
        let slice = Domain::new([StridedRange::from(from..from + length).by(by).unwrap()]);
        let expected: Vec<[i64; 1]> = slice.iter().filter(|at| whole.contains(*at)).collect();
        prop_assert!(whole.slice(&slice).iter().eq(expected.iter().copied()));
        let mut as_whole: Vec<[i64; 1]> = whole.iter().filter(|at| slice.contains(*at)).collect();
        prop_assert!(whole.intersect(&slice).iter().eq(as_whole.iter().copied()));
        prop_assert!(whole.covers(&slice) == (expected.len() == slice.len()));
        as_whole.dedup();
        // Positions and back, of a part, and of what is none.
        let part = whole.slice(&slice);
        let dense = whole.densify(&part).unwrap();
        prop_assert!(part.iter().zip(dense.iter()).all(|(at, [order])| whole.order(at) == usize::try_from(order).ok()));
        prop_assert_eq!(whole.undensify(&dense).unwrap(), part);
        let is_part = slice.iter().all(|at| whole.contains(at));
        prop_assert_eq!(whole.densify(&slice).is_ok(), is_part, "{} in {}", slice, whole);
    }

    #[test]
    fn equal_ranges_have_equal_members_in_equal_order(
        (low, len, stride, member) in (0..4_i64, 0..7_i64, prop_oneof![-3..-1_i128, 1..4_i128], 0..3_i64),
        (from, length, by, other) in (0..4_i64, 0..7_i64, prop_oneof![-3..-1_i128, 1..4_i128], 0..3_i64),
    ) {
        let (a, these) = range(low, low + len, stride, member);
        let (b, those) = range(from, from + length, by, other);
        prop_assert_eq!(a == b, these == those, "{} and {}", a, b);
        let hash = |range| BuildHasherDefault::<DefaultHasher>::default().hash_one(range);
        prop_assert!(a != b || hash(a) == hash(b));
    }

    /// A view, and what it is to show: pairs of an index of it and one of the base, in order.
    #[test]
    fn views_show_what_their_chain_shows(steps in prop::collection::vec((0..3_u8, -4..4_i64, 0..5_i64, prop_oneof![-2..-1_i128, 1..3_i128]), 0..5)) {
        let base = Domain::new([StridedRange::from(1..=12).by(2).unwrap(), (0..=4).into()]);
        let mut view = DomainView::of(&base);
        let mut shown: Vec<([i64; 2], [i64; 2])> = base.iter().map(|at| (at, at)).collect();
        for (kind, shift, len, stride) in steps {
            let dims = *view.domain().dims();
            match kind {
                0 => {
                    let low = dims[0].low().unwrap_or(0) + shift;
                    let slice = Domain::new([StridedRange::from(low..=low + 2 * len).by(stride).unwrap(), dims[1]]);
                    let before = shown.clone();
                    let base_of = |at: &[i64; 2]| before.iter().find(|(index, _)| index == at).map(|(_, base)| *base);
                    shown = slice.iter().filter_map(|at| Some((at, base_of(&at)?))).collect();
                    view = view.slice(&slice);
                }
                1 => {
                    let names = dims.map(|dim| {
                        let len = i64::try_from(dim.len()).unwrap();
                        StridedRange::from(shift..shift + 3 * len).by(if stride < 0 { -3 } else { 3 }).unwrap()
                    });
                    let names = Domain::new(names);
                    prop_assert!(view.reindex(&Domain::new([names.dims()[0], (0..9).into()])).is_err());
                    shown = names.iter().zip(&shown).map(|(at, (_, base))| (at, *base)).collect();
                    view = view.reindex(&names).unwrap();
                }
                _ => {
                    // Down to a line and back to a plane of one row: a change of rank, and what is left of it.
                    let row = dims[0].first().unwrap_or(0);
                    let line = view.pick::<1>([Pick::Index(row), Pick::All]).unwrap();
                    let left = shown.iter().filter(|(index, _)| index[0] == row);
                    let left: Vec<([i64; 1], [i64; 2])> = left.map(|(index, base)| ([index[1]], *base)).collect();
                    prop_assert!(line.domain().iter().map(|at| (at, line.base(at).unwrap())).eq(left.iter().copied()));
                    prop_assert!(left.iter().all(|(at, base)| line.index(*base) == Some(*at)));
                }
            }
            prop_assert!(view.domain().iter().map(|at| (at, view.base(at).unwrap())).eq(shown.iter().copied()), "{:?}", view);
            prop_assert!(base.iter().all(|at| {
                let index = shown.iter().find(|(_, base)| *base == at).map(|(index, _)| *index);
                view.index(at) == index && view.shown().contains(at) == index.is_some()
            }), "{:?}", view);
        }
    }
}

/// Ranks 1 to 6, each dimension in its own direction.
#[test]
fn domains_are_row_major_in_their_own_directions() {
    fn check<const R: usize>(dims: [StridedRange; R]) {
        let domain = Domain::new(dims);
        let mut all: Vec<[i64; R]> = vec![[0; R]];
        for (dim, range) in dims.iter().enumerate() {
            let with = |at: [i64; R]| {
                range.iter().map(move |index| {
                    let mut at = at;
                    at[dim] = index;
                    at
                })
            };
            all = all.into_iter().flat_map(with).collect();
        }
        assert!(domain.iter().eq(all.iter().copied()));
        assert_eq!(domain.iter().size_hint(), (all.len(), Some(all.len())));
        assert_eq!(
            (domain.len(), domain.first(), domain.last()),
            (all.len(), all.first().copied(), all.last().copied())
        );
        for (order, at) in all.iter().enumerate() {
            assert_eq!((domain.order(*at), domain.at(order)), (Some(order), Some(*at)));
        }
        assert_eq!(domain.at(all.len()), None);
        for (tasks, least) in [(3, 2), (4, 12), (16, 5), (1, 1), (7, 0)] {
            let chunks: Vec<_> = domain.chunks(tasks, least).collect();
            let is_long = |part: &Domain<R, u64>| !part.is_empty() && (chunks.len() == 1 || part.len() >= least);
            assert!(chunks.len() <= tasks && chunks.iter().all(is_long), "{tasks} of at least {least} in {domain}");
            // No other dimension gives more parts.
            if !all.is_empty() {
                let most = |dim: usize| {
                    let rows = dims[dim].iter().count();
                    rows / least.max(1).div_ceil(all.len() / rows)
                };
                let expected = (0..R).map(most).max().unwrap_or(1).clamp(1, tasks);
                assert_eq!(chunks.len(), expected, "{tasks} of at least {least} in {domain}");
            }
            let parts: Vec<[i64; R]> =
                chunks.iter().flat_map(|part| domain.undensify(part).expect("positions of the domain")).collect();
            assert_eq!(parts.len(), all.len());
            assert!(all.iter().all(|at| parts.contains(at)));
        }
    }
    // Rows a little shorter than the least part.
    let counts = [([16, 4095], 4096), ([20, 1000], 1024), ([24, 700], 1024), ([16, 4096], 4096)];
    let counts = counts.map(|(shape, least)| Domain::new(shape.map(|len| 0..len)).chunks(16, least).count());
    assert_eq!(counts, [15, 16, 16, 16]);

    let strided = |by| StridedRange::from(-2..=4).by(by).expect("a stride");
    check([strided(-3)]);
    check([strided(2), strided(-4)]);
    check([strided(5), strided(-4), strided(3)]);
    check([strided(5), strided(-4), strided(3), strided(-6)]);
    check([strided(5), strided(-4), strided(3), strided(-6), strided(7)]);
    check([strided(5), strided(-4), strided(3), strided(-6), strided(7), strided(-7)]);
    check([strided(1), strided(1).intersect(&(9..=12).into())]);
    check([(0..5).into(), (0..10).into()]);
    check([(0..3).into(), (0..31).into(), (0..7).into()]);
}

#[test]
fn mistakes_are_told() {
    let (square, line) = (Domain::new([1..=3, 1..=3]), Domain::new([1..=3, 1..=4]));
    assert_eq!(
        square.same_shape(&line).unwrap_err().to_string(),
        "{1..=3, 1..=3} and {1..=3, 1..=4} have 3 and 4 indices along dimension 1; the lengths must be equal"
    );
    let texts = [
        (line.interior([0, 5]).unwrap_err(), "1..=4 has no 5 indices at one end; it is 4 long"),
        (
            line.pick::<2>([Pick::All, Pick::Index(2)]).unwrap_err(),
            "a slice that keeps 1 dimensions was asked for as one of 2",
        ),
        (
            line.pick::<0>([Pick::Index(2), Pick::Index(5)]).unwrap_err(),
            "5 is no part of 1..=4: each of its indices must be one of them",
        ),
        (
            line.densify(&square.by([2, 1]).unwrap().translate([1, 0]).unwrap()).unwrap_err(),
            "2..=4 by 2 is no part of 1..=3: each of its indices must be one of them",
        ),
    ];
    for (error, text) in texts {
        assert_eq!(error.to_string(), text);
    }
    // A domain without indices has none that another type lacks.
    assert!(Domain::new([0..0, -1..6]).with_type::<u8>().is_ok_and(|none| none.is_empty()));
    assert_eq!(Domain::new([0..0, 0..6]).with_type::<u8>().expect("no index").shape(), [0, 6]);
    assert!(Domain::new([0..1, -1..6]).with_type::<u8>().is_err());
    let shown = StridedRange::from(0..=9).by(-4).unwrap().align(2);
    assert_eq!(
        format!("{shown} {shown:?} {:?}", Domain::new([shown])),
        "0..=9 by -4 align 2 0..=9 by -4 align 2 {0..=9 by -4 align 2}"
    );
}

#[test]
fn ranges_of_all_numbers_are_longer_than_those_of_all_but_one() {
    let (most, all) = (Domain::<1>::from(i64::MIN..i64::MAX), Domain::<1>::from(i64::MIN..=i64::MAX));
    assert!(all.covers(&most) && all.covers(&all) && !most.covers(&all));
    let rows = Domain::<2>::new([0..=1, i64::MIN..=i64::MAX]);
    assert_eq!(rows.order([0, i64::MAX]), Some(usize::MAX));
    assert_eq!((rows.order([0, i64::MIN]), rows.order([1, i64::MIN])), (Some(0), None));
    for parts in [1, 2, 3] {
        let chunks: Vec<_> = all.chunks(parts, 1).collect();
        let lasts: Vec<_> = chunks.iter().filter_map(|chunk| chunk.last()).collect();
        assert_eq!((chunks.len(), lasts.last()), (parts, Some(&[u64::MAX])));
        let parts = chunks.iter().map(|chunk| all.undensify(chunk).expect("positions of the domain"));
        let ends: Vec<_> = parts.filter_map(|part| part.dims()[0].low().zip(part.dims()[0].high())).collect();
        assert!(ends.windows(2).all(|pair| pair[0].1 + 1 == pair[1].0));
        assert_eq!((ends[0].0, ends[ends.len() - 1].1), (i64::MIN, i64::MAX));
    }
    assert!(rows.chunks(2, 1).all(|chunk| chunk.dims()[1].high() == Some(u64::MAX)));
}

/// An index type of a program, with all numbers that an index may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Widest(i128);

impl core::fmt::Display for Widest {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.fmt(f)
    }
}

impl Index for Widest {
    const MIN: Self = Self(-(1 << 63));
    const MAX: Self = Self((1 << 64) - 1);

    fn wide(self) -> i128 {
        self.0
    }

    fn narrow(value: i128) -> Option<Self> {
        (Self::MIN.0..=Self::MAX.0).contains(&value).then_some(Self(value))
    }
}

/// Strides above 2^64 are exact, since two indices can be that far apart.
#[test]
fn strides_reach_from_any_index_to_any_other() {
    let (all, low) = (StridedRange::from(Widest::MIN..=Widest::MAX), Widest::MIN.0);
    let by = |stride| all.by(stride).expect("a stride");
    for more in [0, 1, 5, 1 << 62] {
        assert_eq!(list(&by((1 << 64) + more)), [low, low + (1 << 64) + more]);
    }
    let widest = Widest::MAX.0 - low;
    assert_eq!((list(&by(widest)), list(&by(widest + 1))), (vec![low, Widest::MAX.0], vec![low]));
    assert_eq!((list(&by(i128::MAX)), list(&by(-i128::MAX))), (vec![low], vec![Widest::MAX.0]));
    // Members in common with strides above 2^64.
    let (one, second) = (by((1 << 64) + 1), low + (1 << 64) + 1);
    for (stride, member) in [(7, second), ((1 << 64) + 3, second), ((1 << 64) - 1, second), (1 << 63, second)] {
        let other = by(stride).align(Widest(member));
        let expected: Vec<i128> = list(&one).into_iter().filter(|at| (at - member) % stride == 0).collect();
        assert_eq!((list(&one.intersect(&other)), list(&other.intersect(&one))), (expected.clone(), expected));
    }
}

/// Members in common of ranges whose strides and members are so large that their sums and products are beyond an `i128`.
#[test]
fn intersections_of_long_strides_are_exact() {
    let all = StridedRange::from(i64::MIN..=i64::MAX);
    let of = |stride, member| all.by(stride).expect("a stride").align(member);
    let one = of(10_467_229_285_868_630_841, 1_243_857_249_013_855_032);
    let other = of(16_666_423_617_604_088_017, -2_266_083_670_660_136_591);
    assert_eq!((list(&one), list(&other)), (vec![1_243_857_249_013_855_032], vec![-2_266_083_670_660_136_591]));
    assert!(one.intersect(&other).is_empty() && other.intersect(&one).is_empty());
    let high = StridedRange::from(1 << 63..=u64::MAX);
    let (one, other) = (high.by(1 << 63), high.by((1 << 64) + 1));
    let (one, other) = (one.expect("a stride"), other.expect("a stride").align((1 << 63) + 1));
    assert!(one.intersect(&other).is_empty() && other.intersect(&one).is_empty());
}

/// An index type of a program without 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Month(u8);

impl Default for Month {
    fn default() -> Self {
        Self::MIN
    }
}

impl core::fmt::Display for Month {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.fmt(f)
    }
}

impl Index for Month {
    const MIN: Self = Self(1);
    const MAX: Self = Self(12);

    fn wide(self) -> i128 {
        self.0.into()
    }

    fn narrow(value: i128) -> Option<Self> {
        u8::try_from(value).ok().filter(|month| (1..=12).contains(month)).map(Self)
    }
}

/// Ranges without members, of an index type without 0.
#[test]
fn index_types_without_zero_have_empty_ranges() {
    let all = || (1..=12).flat_map(|low| (low.max(2) - 1..=12).map(move |high| (Month(low), Month(high))));
    for (low, high) in all() {
        for stride in [1, -1, 3] {
            let (one, members) = range(low, high, stride, low);
            check_range(&one, &members, 0..=13);
            for (low, high) in all() {
                let (other, these) = range(low, high, 2, low);
                let both: Vec<i128> = members.iter().copied().filter(|at| these.contains(at)).collect();
                check_range(&one.intersect(&other), &both, 0..=13);
            }
        }
        check_range(&StridedRange::from(low..low), &[], 0..=13);
    }
    let year = Domain::from(Month(1)..=Month(12));
    let (spring, summer) = (Domain::from(Month(3)..=Month(5)), Domain::from(Month(6)..=Month(8)));
    assert!(spring.slice(&summer).is_empty() && year.slice(&spring).slice(&summer).is_empty());
    assert!(year.undensify(&Domain::from(3..3_u64)).expect("no position").is_empty());
    assert!(Domain::new([0..1, 1..1]).with_type::<Month>().expect("no index").is_empty());
    assert!(spring.pick::<1>([Pick::Index(Month(9))]).is_err());
    let table = Domain::new([Month(1)..=Month(12), Month(3)..=Month(4)]);
    assert!(table.pick::<1>([Pick::All, Pick::Index(Month(9))]).expect("one dimension").is_empty());
}

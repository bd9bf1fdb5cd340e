//! Tests of the exchanges of locales, against a model that knows which locales have each element.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;
use crate::partition::Mapper;

const SIDE: i64 = 12;
const LOCALES: usize = 3;
/// The bytes of an element: two elements fit in one message.
const ELEMENT: usize = 1 << 17;
/// The lists of tiles that overlap; they are read, and never written.
const OVERLAPPING: [usize; 2] = [3, 6];

fn line(lo: i64, hi: i64) -> Rect {
    Rect::new([lo].into(), [hi].into())
}

/// Lists of tiles: all elements by fours, by threes and one by one, with margins, all but the border, some, all many times, and some
/// between others, all by different sides, and every second one.
fn lists() -> [Arc<Tiles>; 10] {
    let all = line(0, SIDE);
    let cut = |side: i64, margin: i64| {
        let tile = |at: i64| line(at * side - margin, (at + 1) * side + margin).intersection(&all);
        (0..SIDE / side).map(tile).collect::<Tiles>()
    };
    let inner = [line(1, 4), line(4, 8), line(8, 11)].into_iter().collect();
    let some = [line(0, 2), line(9, 10), line(5, 7)].into_iter().collect();
    let deep = [all; 20].into_iter().collect();
    let between = [line(2, 4), line(8, 9)].into_iter().collect();
    let uneven = [line(0, 2), line(2, 9), line(9, 12)].into_iter().collect();
    let even = (0..3).map(|at| line(4 * at, 4 * at + 4).step(0, 2)).collect();
    [cut(4, 0), cut(3, 0), cut(1, 0), cut(4, 1), inner, some, deep, between, uneven, even].map(Arc::new)
}

/// The placement of the points of a list: neighbors together, one after another, or as few as possible on one locale.
fn placement(tiles: &Tiles, how: usize) -> Placement {
    let points = i64::try_from(tiles.len()).unwrap();
    let mapper = [Mapper::neighbors(), Mapper::round_robin(), Mapper::new(|at, _, _| usize::from(at[0] == 1))];
    mapper[how].place(&line(0, points), LOCALES).ok().unwrap()
}

fn elements(rects: &[Rect]) -> impl Iterator<Item = usize> {
    rects.iter().flat_map(|rect| rect.points()).map(|at| usize::try_from(at[0]).unwrap())
}

#[derive(Clone, Debug)]
enum Did {
    /// Writes a list of tiles by points with a placement.
    Write(usize, usize),
    Read(usize, usize),
    /// Writes a box, or everything, on each locale alike.
    WriteAlike(i64, i64),
    /// Writes a box, each part of it on its locale.
    Renew(i64, i64),
    /// Writes a box on one locale.
    WriteBox(i64, i64, usize),
    Parts,
}

fn did() -> impl Strategy<Value = Did> {
    let some = || (0..10_usize, 0..3_usize);
    prop_oneof![
        8 => some().prop_filter("tiles that overlap", |(list, _)| !OVERLAPPING.contains(list)).prop_map(|(list, how)| Did::Write(list, how)),
        12 => some().prop_map(|(list, how)| Did::Read(list, how)),
        1 => Just(Did::WriteAlike(0, SIDE)),
        2 => (0..SIDE, 1..SIDE).prop_map(|(lo, len)| Did::WriteAlike(lo, (lo + len).min(SIDE))),
        3 => (0..SIDE, 1..SIDE).prop_map(|(lo, len)| Did::Renew(lo, (lo + len).min(SIDE))),
        1 => (0..SIDE, 1..SIDE, 0..LOCALES).prop_map(|(lo, len, locale)| Did::WriteBox(lo, (lo + len).min(SIDE), locale)),
        1 => Just(Did::Parts),
    ]
}

/// The locales that have each element.
type Has = Vec<BTreeSet<usize>>;
/// A message: the sender, the receiver, the point, and the number between these two.
type Key = (usize, usize, usize, usize);

/// Asserts that messages of all locales bring each the elements that it lacks, once, and records it.
fn check_read(
    has: &mut Has,
    (tiles, placement): (&Tiles, &Placement),
    plans: &[Option<(Arc<ExchangePlan>, Made)>],
) -> Result<(), TestCaseError> {
    let mut sides: [BTreeMap<Key, Box<[Rect]>>; 2] = Default::default();
    let mut bytes = 0;
    for (me, (plan, _)) in plans.iter().enumerate().filter_map(|(me, plan)| Some((me, plan.as_ref()?))) {
        let mut last: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        // Received messages come first, point by point.
        prop_assert!(
            plan.messages.iter().map(|message| (message.sent, message.point)).is_sorted_by(|a, b| a <= b || b.0)
        );
        for Message { sent, peer, point, number, tiles, bytes: size, .. } in plan.messages.iter() {
            let (from, to) = if *sent { (me, *peer) } else { (*peer, me) };
            let last = last.entry((from, to)).or_default();
            prop_assert_eq!(*number, *last + 1);
            *last = *number;
            prop_assert_eq!(*size, (elements(tiles.rects()).count() * ELEMENT) as u64);
            sides[usize::from(*sent)].insert((from, to, *point, *number), tiles.rects().into());
            bytes += if *sent { *size } else { 0 };
        }
    }
    prop_assert_eq!(&sides[0], &sides[1]);
    for (plan, _) in plans.iter().flatten() {
        prop_assert_eq!(plan.bytes(), bytes);
    }
    let mut come = BTreeSet::new();
    for ((from, to, point, _), rects) in &sides[0] {
        prop_assert_eq!(placement.locale(*point), *to);
        for element in elements(rects) {
            prop_assert!(has[element].contains(from) && !has[element].contains(to), "{element} from {from} to {to}");
            let needs = |number: &usize| {
                placement.locale(*number) == *to && elements(&[tiles.rect(*number)]).any(|own| own == element)
            };
            prop_assert_eq!((0..tiles.len()).find(needs), Some(*point), "the first point of a locale gets it");
            prop_assert!(come.insert((element, *to)), "{} comes twice to {}", element, to);
        }
    }
    for (point, rect) in tiles.iter().enumerate() {
        for element in elements(&[rect]) {
            let to = placement.locale(point);
            prop_assert!(has[element].contains(&to) || come.contains(&(element, to)), "{element} to {to}");
        }
    }
    for (element, to) in come {
        has[element].insert(to);
    }
    Ok(())
}

/// Asserts which elements of a box each locale lacks.
fn check_lacking(has: &Has, ledger: &Ledger, rect: &Rect) -> Result<(), TestCaseError> {
    let mut count = 0;
    for to in 0..LOCALES {
        let mut lacking = BTreeSet::new();
        for (rects, from) in ledger.lacking(rect, to) {
            for element in elements(&rects) {
                prop_assert!(has[element].contains(&from) && lacking.insert(element));
            }
        }
        let expected: BTreeSet<_> = elements(&[*rect]).filter(|element| !has[*element].contains(&to)).collect();
        prop_assert_eq!(&lacking, &expected);
        count += lacking.len();
    }
    let count = i64::try_from(count).unwrap();
    prop_assert_eq!(
        [count - 1, count, count + 1].map(|most| ledger.lack_more(most, rect, 0..LOCALES)),
        [true, false, false]
    );
    Ok(())
}

/// Each locale that is looked at takes time that grows with the number of tiles.
#[test]
fn what_locales_lack_is_counted_as_far_as_needed() {
    let (tiles, mut ledger) = (&lists()[0], Ledger::default());
    ledger.written_tiles(tiles, true, &Placement::first(tiles.len()));
    for (most, looked) in [(0, 2), (tiles.hull().volume(), 3), (i64::MAX, 9)] {
        let mut seen = 0;
        ledger.lack_more(most, tiles.hull(), (0..9).inspect(|_| seen += 1));
        assert_eq!(seen, looked, "more than {most}");
    }
}

proptest! {
    /// Each element that a locale lacks comes to it once, from one that has it; both sides of a message count alike.
    #[test]
    fn what_a_locale_lacks_comes_once(done in prop::collection::vec(did(), 1..80), asked in (0..SIDE, 0..SIDE)) {
        let (lists, all) = (lists(), Arc::new(Tiles::one(line(0, SIDE))));
        let everyone: BTreeSet<usize> = (0..LOCALES).collect();
        let mut ledgers: [Ledger; LOCALES] = Default::default();
        ledgers.iter_mut().for_each(|ledger| ledger.written_alike(&all, true, LOCALES));
        let mut has: Has = vec![everyone.clone(); 12];
        for did in done {
            match did {
                Did::Write(list, how) => {
                    let (tiles, placement) = (&lists[list], placement(&lists[list], how));
                    for (point, rect) in tiles.iter().enumerate() {
                        elements(&[rect]).for_each(|element| has[element] = [placement.locale(point)].into());
                    }
                    let is_all = tiles.are_all_of(&line(0, SIDE));
                    ledgers.iter_mut().for_each(|ledger| ledger.written_tiles(tiles, is_all, &placement));
                }
                Did::Read(list, how) => {
                    let (tiles, placement) = (&lists[list], placement(&lists[list], how));
                    let plans = ledgers.iter_mut().enumerate();
                    let plans: Vec<_> = plans.map(|(me, ledger)| ledger.read((tiles, &placement), (me, ELEMENT))).collect();
                    check_read(&mut has, (tiles, &placement), &plans)?;
                }
                Did::WriteAlike(lo, hi) => {
                    let (tiles, is_all) = (Arc::new(Tiles::one(line(lo, hi))), hi - lo == SIDE);
                    ledgers.iter_mut().for_each(|ledger| ledger.written_alike(&tiles, is_all, LOCALES));
                    elements(&[line(lo, hi)]).for_each(|element| has[element] = everyone.clone());
                }
                Did::Renew(lo, hi) => {
                    let [parts, others @ ..] = ledgers.each_mut().map(|ledger| ledger.renewed(&line(lo, hi)));
                    prop_assert!(others.iter().all(|other| *other == parts));
                    let mut renewed = BTreeSet::new();
                    for (rect, locale) in parts {
                        for element in elements(&[rect]) {
                            prop_assert!(has[element].contains(&locale) && renewed.insert(element));
                            has[element] = [locale].into();
                        }
                    }
                    prop_assert!(renewed.into_iter().eq(elements(&[line(lo, hi)])));
                }
                Did::WriteBox(lo, hi, locale) => {
                    ledgers.iter_mut().for_each(|ledger| ledger.written(&line(lo, hi), [locale]));
                    elements(&[line(lo, hi)]).for_each(|element| has[element] = [locale].into());
                }
                Did::Parts => {
                    ledgers.iter_mut().for_each(|ledger| _ = ledger.settle());
                }
            }
            check_lacking(&has, &ledgers[0], &line(asked.0.min(asked.1), asked.0.max(asked.1) + 1))?;
        }
    }
}

/// A loop that writes and reads makes its plan once, and a plan is forgotten after a number of others.
#[test]
fn a_launch_after_the_same_acts_finds_its_plan() {
    let (lists, mut ledger) = (lists(), Ledger::default());
    let placement = |(list, how): (usize, usize)| placement(&lists[list], how);
    // `None` if nothing is exchanged; else whether that was computed now.
    let mut read = |written: Option<(usize, usize)>, read: (usize, usize)| {
        if let Some(written) = written {
            ledger.written_tiles(&lists[written.0], true, &placement(written));
        }
        ledger.read((&lists[read.0], &placement(read)), (0, ELEMENT)).map(|(_, made)| made == Made::Now)
    };
    let mut step = |written: (usize, usize), then: (usize, usize)| read(Some(written), then);
    assert_eq!([0, 1, 2].map(|_| step((0, 0), (3, 0))), [Some(true), Some(false), Some(false)]);
    // Other tiles, another placement, and other acts.
    for (written, then) in [((0, 0), (4, 0)), ((0, 0), (3, 1)), ((0, 1), (3, 0)), ((8, 0), (3, 0))] {
        assert_eq!([0, 1].map(|_| step(written, then)), [Some(true), Some(false)]);
    }
    assert_eq!(step((0, 0), (3, 0)), Some(false));
    assert_eq!(step((0, 0), (0, 0)), None, "it was written there");
    assert_eq!(step((0, 0), (0, 1)), Some(true));
    for other in [(0, 2), (1, 0), (1, 1)] {
        assert_eq!(step((2, 0), other), Some(true));
    }
    assert_eq!(step((0, 0), (3, 0)), Some(true), "the oldest of nine is forgotten");
    assert_eq!(step((0, 0), (3, 1)), Some(false), "a later one is not");
    assert_eq!(read(None, (4, 0)), Some(true));
    assert_eq!(read(None, (3, 1)), None, "it was read there");
}

/// The same box is the same act, whoever made the list of it.
#[test]
fn acts_of_a_box_are_told_apart_by_the_box() {
    let (lists, all) = (lists(), Arc::new(Tiles::one(line(0, SIDE))));
    let mut ledger = Ledger::default();
    let mut step = |rect: Rect, alike: bool| {
        let tiles = Arc::new(Tiles::one(rect));
        if alike {
            ledger.written_tiles(&lists[0], true, &placement(&lists[0], 0));
            ledger.written_alike(&tiles, false, LOCALES);
        } else {
            ledger.written_alike(&all, true, LOCALES);
            ledger.written_tiles(&tiles, false, &Placement::one(1));
        }
        let (plan, made) = ledger.read((&lists[3], &placement(&lists[3], 0)), (0, ELEMENT)).unwrap();
        (made == Made::Now, plan.messages.iter().map(|message| message.tiles.hull().volume()).sum::<i64>())
    };
    // A locale that reads 0 to 5, of which it has 0 to 4 or what is not in the box, gets the rest; and sends 3 of its own.
    assert_eq!([0, 1].map(|_| step(line(2, 4), false)), [(true, 2), (false, 2)]);
    assert_eq!([0, 1].map(|_| step(line(2, 5), false)), [(true, 3), (false, 3)]);
    assert_eq!(step(line(2, 4), false), (false, 2));
    let whole = step(line(11, 12), true);
    assert!(whole.0 && whole.1 > 0);
    assert_eq!([0, 1].map(|_| step(line(2, 8), true)), [(true, 0), (false, 0)]);
    assert_eq!(step(line(11, 12), true), (false, whole.1));
}

#[test]
fn of_too_many_acts_parts_are_made() {
    let (lists, mut ledger) = (lists(), Ledger::default());
    ledger.written_tiles(&lists[0], true, &placement(&lists[0], 0));
    for count in 2..=MOST + 1 {
        // Other lists each time, so that what is read is not known to be there.
        let list = Arc::new(lists[3].iter().collect());
        ledger.read((&list, &placement(&list, 1)), (0, ELEMENT));
        assert_eq!(ledger.acts.len(), if count <= MOST { count } else { 0 });
    }
}

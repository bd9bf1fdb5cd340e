//! Associative arrays against maps.

use core::cell::Cell;
use core::fmt::Debug;
use core::hash::{Hash, Hasher};
use core::panic::AssertUnwindSafe;
use std::collections::BTreeMap;
use std::panic::catch_unwind;

use layout::bits::{BitPackedIntSoA, Bits};
use layout::record::Portable;
use layout::{AoS, AoSoA, Record, RecordLayout, SoA};
use layout_array::{ArrayError, HashedArray};
use layout_domain::{DomainError, Hashed, Targets};
use layout_store::{Builder, PartitionError, Runtime, StoreError, Sum};
use support::locales::on_locales;
use support::random::Random;

const LOCALES: [usize; 5] = [1, 2, 3, 4, 6];

fn builder(locales: usize) -> Builder {
    Runtime::builder().locales(locales).threads(1)
}

fn hashed<K: Hash>(rt: &Runtime) -> Hashed<K> {
    Hashed::new(Targets::all(rt.locales()).expect("locales"))
}

/// A key of which all have one hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Record)]
struct Colliding {
    number: u32,
}

impl Hash for Colliding {
    fn hash<H: Hasher>(&self, to: &mut H) {
        0.hash(to);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Tally {
    count: u32,
    sum: i64,
}

fn add(a: Tally, b: Tally) -> Tally {
    Tally { count: a.count + b.count, sum: 2 * a.sum + b.sum }
}

/// A program of random calls, in which each locale gives some of each list, in order.
fn program<K, L>(rt: &Runtime, key: impl Fn(usize) -> K)
where
    K: Hash + Ord + Clone + Debug + Portable + Send + Sync + 'static,
    L: RecordLayout<Tally> + Default,
{
    let (mut random, locales) = (Random(4), rt.locales());
    let mut array: HashedArray<K, Tally, L> = HashedArray::new(rt, hashed(rt)).expect("an array");
    let mut model: BTreeMap<K, Tally> = BTreeMap::new();
    for step in 0..20 {
        let count = random.below(30);
        let list: Vec<K> = (0..count).map(|_| key(random.below(40))).collect();
        let tally = |at: usize| Tally { count: 1, sum: i64::try_from(100 * step + at).expect("small") };
        // Locale k gives the k-th share of a list, so that the first locale's entries come first.
        let share = |at: usize| at * locales / count.max(1) == rt.locale();
        let own = || list.iter().enumerate().filter(|(at, _)| share(*at)).map(|(at, key)| (at, key.clone()));
        match random.below(4) {
            0 => {
                model.extend(list.iter().enumerate().map(|(at, key)| (key.clone(), tally(at))));
                array.extend(own().map(|(at, key)| (key, tally(at)))).expect("pairs");
            }
            1 => {
                // What combines must be associative.
                let sum = |a: Tally, b: Tally| Tally { count: a.count + b.count, sum: a.sum + b.sum };
                for (at, key) in list.iter().enumerate() {
                    model
                        .entry(key.clone())
                        .and_modify(|before| *before = sum(*before, tally(at)))
                        .or_insert(tally(at));
                }
                array.update(own().map(|(at, key)| (key, tally(at))), sum).expect("pairs");
            }
            2 => {
                let before = model.len();
                model.retain(|key, _| !list.contains(key));
                assert_eq!(array.remove(own().map(|(_, key)| key)).expect("keys"), before - model.len());
            }
            _ => {
                model.values_mut().for_each(|tally| tally.sum += 1);
                array.values_mut().update(|tally| Tally { sum: tally.sum + 1, ..tally });
            }
        }
        let given = array.get_all(own().map(|(_, key)| key)).expect("values");
        assert_eq!(given, own().map(|(_, key)| model.get(&key).copied()).collect::<Vec<_>>());
        let one = key(random.below(40));
        assert_eq!(array.get(&one).expect("a value"), model.get(&one).copied());
        assert_eq!(array.contains(&one).expect("an answer"), model.contains_key(&one));
        assert_eq!(array.len().expect("a number"), model.len());
        assert!(array.keys().all(|key| array.owner(key).expect("an owner") == rt.locale()));
        assert!(array.local().all(|(key, tally)| model.get(key) == Some(&tally)));
        assert_eq!(array.values().len(), array.keys().len());
    }
    let sum = array.reduce(Sum, |_, tally| tally.sum).expect("a sum");
    assert_eq!(sum, model.values().map(|tally| tally.sum).sum::<i64>());
    assert_eq!(array.to_sorted_vec().expect("pairs"), model.into_iter().collect::<Vec<_>>());
}

#[test]
fn programs_agree_with_a_map() {
    for locales in LOCALES {
        let ran = on_locales(builder(locales), (), |rt, ()| {
            program::<String, SoA>(rt, |number| "x".repeat(number % 7) + &number.to_string());
            program::<(u8, i64), AoS>(rt, |number| (u8::try_from(number % 3).expect("small"), -(number as i64)));
            program::<Colliding, AoSoA<8>>(rt, |number| Colliding { number: u32::try_from(number).expect("small") });
        });
        ran.expect("programs");
    }
}

/// Values of one key are combined in order: on each locale first, and then those of the first locale first.
#[test]
fn values_are_combined_in_order() {
    let ran = on_locales(builder(3), (), |rt, ()| {
        let mut array: HashedArray<u8, Tally> = HashedArray::new(rt, hashed(rt)).expect("an array");
        let here = i64::try_from(rt.locale()).expect("small");
        let pairs = [1, 2].map(|k| (7, Tally { count: 1, sum: 10 * here + k }));
        array.update(pairs, add).expect("pairs");
        array.get(&7).expect("a value")
    });
    // (2 * 1 + 2), (2 * 11 + 12), (2 * 21 + 22)
    let combined = Tally { count: 6, sum: 2 * (2 * 4 + 34) + 64 };
    assert_eq!(ran.expect("programs"), [Some(combined); 3]);
}

#[test]
fn tables_grow_and_shrink() {
    let ran = on_locales(builder(3), (), |rt, ()| {
        let mut array: HashedArray<i64, i64> = HashedArray::new(rt, hashed(rt)).expect("an array");
        let own = |step: usize| (0..30_000_i64).skip(rt.locale()).step_by(step * rt.locales());
        array.extend(own(1).map(|key| (key << 40, key))).expect("pairs");
        assert_eq!(array.len().expect("a number"), 30_000);
        // No locale has nearly all.
        let most = array.keys().len();
        assert!((7_000..13_000).contains(&most), "{most} of 30000 keys");
        let gone = (0..30_000).filter(|key| key % 10 != 3).skip(rt.locale()).step_by(rt.locales());
        assert_eq!(array.remove(gone.map(|key| key << 40)).expect("keys"), 27_000);
        let left = array.get_all(own(1).map(|key| key << 40)).expect("values");
        assert!(left.into_iter().eq(own(1).map(|key| (key % 10 == 3).then_some(key))));
    });
    ran.expect("programs");
}

/// However many pairs there are, a locale sends each other one a message with them, of what it combined itself.
#[test]
fn pairs_travel_in_one_message() {
    for locales in LOCALES {
        let ran = on_locales(builder(locales), (), |rt, ()| {
            let mut array: HashedArray<u64, u64> = HashedArray::new(rt, hashed(rt)).expect("an array");
            let mut sent = Vec::new();
            for (keys, times) in [(100, 1), (100, 50), (1000, 1)] {
                rt.fence().expect("a fence");
                let before = rt.traffic();
                array.update((0..keys * times).map(|at| (at % keys, 1)), |a, b| a + b).expect("pairs");
                rt.fence().expect("a fence");
                let now = rt.traffic();
                let others = (0..keys).filter(|key| array.owner(key).expect("an owner") != rt.locale()).count() as u64;
                sent.push((now.messages - before.messages, now.bytes - before.bytes >= 16 * others));
                assert!(
                    now.bytes - before.bytes <= 16 * others + 64 * rt.locales() as u64,
                    "{keys} keys, {times} times"
                );
            }
            assert!(sent[0].1, "fewer bytes than the pairs have");
            assert_eq!(sent[0], sent[1]);
            assert_eq!(sent[0], sent[2]);
            assert_eq!(array.reduce(Sum, |_, count| count).expect("a sum"), rt.locales() as u64 * (100 + 5000 + 1000));
        });
        ran.expect("programs");
    }
}

#[test]
fn bad_input_is_refused_everywhere() {
    for locales in LOCALES {
        let ran = on_locales(builder(locales), (), |rt, ()| {
            let mapper = |key: &i64, locales: usize| if *key < 0 { locales } else { 0 };
            let map = Hashed::by(Targets::all(rt.locales()).expect("locales"), mapper);
            let mut array: HashedArray<i64, i64> = HashedArray::new(rt, map).expect("an array");
            assert!(array.is_empty().expect("an answer"));
            array.extend([(1, 1), (2, 2)]).expect("pairs");
            assert!(!array.is_empty().expect("an answer"));
            let last = rt.locale() + 1 == rt.locales();
            let given = move |good: i64| [good].into_iter().chain(last.then_some(-5));
            let results = [
                array.extend(given(1).map(|key| (key, 10))),
                array.update(given(3).map(|key| (key, 10)), |a, b| a + b),
                array.remove(given(2)).map(drop),
                array.get_all(given(1)).map(drop),
                array.get(&-5).map(drop),
                array.contains(&-5).map(drop),
            ];
            for result in results {
                let error = result.expect_err("a key without a locale");
                let expected = DomainError::Mapper { key: "-5".to_owned(), given: rt.locales(), count: rt.locales() };
                assert!(matches!(&error, ArrayError::Domain(error) if *error == expected), "{error}");
            }
            assert_eq!(array.to_sorted_vec().expect("pairs"), [(1, 1), (2, 2)]);
            let beyond = Hashed::<i64>::new(Targets::of([rt.locales()]).expect("a locale"));
            let error = HashedArray::<i64, i64>::new(rt, beyond).expect_err("a locale that there is not");
            assert!(
                matches!(error, ArrayError::Store(StoreError::Partition(PartitionError::Target { .. }))),
                "{error}"
            );
        });
        ran.expect("programs");
    }
}

/// Pairs of which the owner cannot store a value: all locales get an error, and no pair is stored on any locale.
#[test]
fn values_that_cannot_be_stored_are_refused_everywhere() {
    for locales in LOCALES {
        let ran = on_locales(builder(locales), (), |rt, ()| {
            // -64 to 63
            let mut array: HashedArray<String, i32, BitPackedIntSoA<Bits<7>>> =
                HashedArray::new(rt, hashed(rt)).expect("an array");
            let key = |number: usize| number.to_string();
            array.extend([(key(0), 60), (key(1), 1)]).expect("pairs");
            let before = array.to_sorted_vec().expect("pairs");
            let last = rt.locale() + 1 == rt.locales();
            let given = move |one: (usize, i32), count: usize| {
                let ones = (10..10 + count).map(move |number| (key(number), 5));
                ones.chain(last.then(|| (key(one.0), one.1)))
            };
            // The value of a new key, of one that the array has, and a sum.
            let results = [
                ("7", array.extend(given((7, 1000), 20))),
                ("0", array.extend(given((0, -65), 20))),
                ("0", array.update(given((0, 4), 20), |a, b| a + b)),
                ("10", array.update(given((10, 60), 1), |a, b| a + b)),
            ];
            for (key, result) in results {
                let error = result.expect_err("a value that does not fit");
                let owner = array.owner(&key.to_owned()).expect("an owner");
                let ArrayError::Unstored { locale, why } = error else { panic!("{error}") };
                assert!(
                    locale == owner && why.starts_with(&format!("the value of key \"{key}\": ")),
                    "{locale}: {why}"
                );
                assert_eq!(array.to_sorted_vec().expect("pairs"), before);
                assert_eq!(array.keys().len(), array.values().len());
            }
            // The sum of two locales is not stored before that of the third one is known.
            let sums = (rt.locale() == 0).then(|| (key(0), 50)).into_iter().chain(given((0, -60), 2));
            array.update(sums, |a, b| a + b).expect("pairs");
            array.extend([(key(30), 5)]).expect("a pair");
            let each = 5 * i32::try_from(rt.locales()).expect("small");
            let expected = [(0, Some(50)), (1, Some(1)), (7, None), (10, Some(each)), (30, Some(5))];
            for (number, expected) in expected {
                assert_eq!(array.get(&key(number)).expect("a value"), expected, "{number}");
            }

            let wide: Result<HashedArray<u8, u8, BitPackedIntSoA<Bits<12>>>, _> = HashedArray::new(rt, hashed(rt));
            let error = wide.expect_err("more bits than the leaf has");
            assert!(matches!(error, ArrayError::Store(StoreError::View(_))), "{error}");
            // One block of lanes is more memory than there is.
            let mut large: HashedArray<u8, u64, AoSoA<{ 1 << 58 }>> =
                HashedArray::new(rt, hashed(rt)).expect("an array");
            let error = large.extend([(1, 1)]).expect_err("no memory");
            assert!(matches!(error, ArrayError::Unstored { .. }), "{error}");
            assert!(large.is_empty().expect("an answer") && large.values().is_empty());
        });
        ran.expect("programs");
    }
}

thread_local! {
    /// The hashes and comparisons of fragile keys on this thread until one panics.
    static CALLS: Cell<usize> = const { Cell::new(usize::MAX) };
}

fn call() {
    let left = CALLS.get();
    assert!(left > 0, "a fragile key");
    CALLS.set(left - 1);
}

/// A key whose hashes and comparisons may panic.
#[derive(Clone, Copy, Debug, Eq, PartialOrd, Ord, Record)]
struct Fragile {
    number: u8,
}

impl PartialEq for Fragile {
    fn eq(&self, other: &Self) -> bool {
        call();
        self.number == other.number
    }
}

impl Hash for Fragile {
    fn hash<H: Hasher>(&self, to: &mut H) {
        call();
        // Some keys have one hash, so that they are compared.
        (self.number / 4).hash(to);
    }
}

/// A program that catches the panic of a key finds the values of all keys that the array has, in this call and in later ones.
#[test]
fn keys_that_panic_leave_values_with_their_keys() {
    fn check<L: RecordLayout<u32> + Default>(calls: usize) -> bool {
        let rt = Runtime::builder().threads(0).build().expect("a runtime");
        let mut array: HashedArray<Fragile, u32, L> = HashedArray::new(&rt, hashed(&rt)).expect("an array");
        let pairs = |numbers: core::ops::Range<u8>| numbers.map(|number| (Fragile { number }, u32::from(number)));
        let are_right = |array: &HashedArray<Fragile, u32, L>| {
            assert!(array.local().all(|(key, value)| value == u32::from(key.number)), "{calls} calls: {array:?}");
            assert_eq!(array.keys().len(), array.values().len(), "{calls} calls");
        };
        array.extend(pairs(0..3)).expect("pairs");
        CALLS.set(calls);
        let caught = catch_unwind(AssertUnwindSafe(|| array.extend(pairs(0..9))));
        CALLS.set(usize::MAX);
        are_right(&array);
        array.remove([Fragile { number: 1 }]).expect("a key");
        are_right(&array);
        array.extend(pairs(20..24)).expect("pairs");
        are_right(&array);
        assert_eq!(array.get(&Fragile { number: 22 }).expect("a value"), Some(22));
        caught.is_err()
    }

    let panics = |check: fn(usize) -> bool| (0..1000).take_while(|calls| check(*calls)).count();
    let panics = [panics(check::<SoA>), panics(check::<AoSoA<4>>)];
    assert!(panics.iter().all(|panics| (20..1000).contains(panics)), "{panics:?}");
}

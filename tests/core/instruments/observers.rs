//! Observers of a user's own: each use is seen once, with its leaf, its position and its bits.

use std::sync::Mutex;

use layout::author::BitRange;
use layout::composed::{Bytesplit, Split};
use layout::observe::{Noted, Observer, Use};
use layout::path;
use layout::prelude::*;

use super::{Event, LEAVES, event};
use support::tight::Tight;

/// All uses, in order.
#[derive(Debug, Default)]
struct Log(Mutex<Vec<Seen>>);

/// The use, the leaf, the position, and the bits.
type Seen = (Use, usize, usize, Vec<BitRange>);

impl Observer for Log {
    fn note(&self, noted: Noted<'_>) {
        let mut bits = Vec::new();
        noted.bits(&mut |range| bits.push(range));
        self.0.lock().unwrap().push((noted.used, noted.leaf, noted.position, bits));
    }
}

fn check<L: RecordLayout<Event> + Default>() {
    const LEN: usize = 37;
    let mut view = alloc_from_fn::<Event, L, _>(LEN, |[i]| event(i)).unwrap().observe(Log::default());
    let mapping = view.mapping();
    let expected = |uses: &[(Use, usize, usize)]| -> Vec<Seen> {
        let of = |(used, leaf, index): (Use, usize, usize)| {
            let mut bits = Vec::new();
            mapping.bits_of([index], leaf, &mut |range| bits.push(range));
            (used, leaf, index, bits)
        };
        uses.iter().copied().map(of).collect()
    };

    view.at_mut(30).time += 1;
    let _ = view.at(11).counts.at(2).get();
    let _ = view.slice((20..,)).field(Event::PATHS.counts).at(3).at(1).get();
    view.field_mut(Event::PATHS.total).set(5, 7);
    let seen = core::mem::take(&mut view.observer_mut().0).into_inner().unwrap();
    let uses = [(Use::Read, 1, 30), (Use::Write, 1, 30), (Use::Read, 4, 11), (Use::Read, 3, 23), (Use::Write, 5, 5)];
    assert_eq!(seen, expected(&uses));

    // An observer around another one: both see all.
    let mut view = view.observe(Log::default());
    view.at_mut(6).kind.set(1);
    let (view, outer) = view.unobserved();
    let outer = outer.0.into_inner().unwrap();
    assert_eq!(outer, expected(&[(Use::Write, 0, 6)]));
    let (view, inner) = view.unobserved();
    assert_eq!(inner.0.into_inner().unwrap(), outer);
    assert_eq!(view.load(6), Event { kind: 1, ..event(6) });
}

#[test]
fn see_each_use() {
    check::<AoS>();
    check::<SoA>();
    check::<AoSoA<8>>();
    check::<Split<path!(Event, counts), AoS<Packed>, AoSoA<4>>>();
    check::<Bytesplit<AoSoA<2>>>();
    check::<Tight<5>>();
}

/// Copies from and to observed views, which would be copies of bytes otherwise.
#[test]
fn see_copies() {
    fn check<L: RecordLayout<Event> + Default>() {
        const LEN: usize = 300;
        fn of(used: Use, log: Log) -> Vec<(usize, usize)> {
            let mut seen = log.0.into_inner().unwrap();
            seen.retain(|seen| seen.0 == used);
            seen.sort_by_key(|(_, leaf, position, _)| (*position, *leaf));
            seen.into_iter().map(|(_, leaf, position, _)| (leaf, position)).collect()
        }
        let all: Vec<_> = (0..LEN).flat_map(|i| (0..LEAVES).map(move |leaf| (leaf, i))).collect();
        let plain = alloc_from_fn::<Event, L, _>(LEN, |[i]| event(i)).unwrap();
        let mut target = alloc::<Event, L, _>(LEN).unwrap().observe(Log::default());
        target.copy_from(&plain).unwrap();
        let (target, log) = target.unobserved();
        assert_eq!(of(Use::Write, log), all);

        let source = target.observe(Log::default());
        let mut target = alloc::<Event, L, _>(LEN).unwrap();
        target.copy_from(&source).unwrap();
        assert_eq!(of(Use::Read, source.unobserved().1), all);
        assert_eq!(target.to_vec(), plain.to_vec());
    }
    check::<AoS>();
    check::<SoA>();
    check::<AoSoA<8>>();
}

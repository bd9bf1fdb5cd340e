//! Programs of random accesses, of every kind that views offer.

use core::num::NonZero;

use layout::composed::{Bytesplit, Byteswap, ChangeType, Split};
use layout::prelude::*;
use layout::{Null, path};

use super::model::{Model, blocks};
use super::{Event, LEAVES, event};
use support::random::Random;
use support::tight::Tight;

const LEN: usize = 37;
/// The leaves of `counts`.
const COUNTS: core::ops::Range<usize> = 2..5;

/// Calls a generic function for layouts of every kind.
macro_rules! for_layouts {
    ($check:ident) => {
        $check::<AoS>();
        $check::<AoS<Packed>>();
        $check::<SoA>();
        $check::<SoASingle<Packed>>();
        $check::<AoSoA<8>>();
        $check::<Split<path!(Event, counts), AoS<Packed>, SoA>>();
        $check::<Split<path!(Event, time), Null, AoSoA<4>>>();
        $check::<Bytesplit<SoA>>();
        $check::<Bytesplit<AoSoA<2>>>();
        $check::<Byteswap<AoS>>();
        $check::<ChangeType<SoA, u64, u16>>();
        $check::<Tight<5>>();
        $check::<Tight<13, true>>();
    };
}

/// Reads at random.
fn read<M, B>(view: &View<M, B>, random: &mut Random, mut used: impl FnMut(usize, core::ops::Range<usize>))
where
    M: Mapping<Record = Event, Extents = DynExtents<1>, Linearization = RowMajor>,
    B: Blobs,
{
    let (i, k) = (random.below(LEN), random.below(3));
    let (low, high) = (random.below(i + 1), i + random.below(LEN - i + 1));
    match random.below(9) {
        0 => {
            let _ = view.load(i);
            used(i, 0..LEAVES);
        }
        1 => {
            let _ = view.at(i).time.get();
            used(i, 1..2);
        }
        2 => {
            let _ = view.try_at(i).unwrap().counts.at(k).get();
            used(i, 2 + k..3 + k);
        }
        3 => {
            let _ = view.at(i).counts.element::<1>().get();
            let _ = view.at(i).counts.load::<u16, 3>();
            used(i, 3..4);
            used(i, COUNTS);
        }
        4 => {
            let field = view.field(Event::PATHS.counts);
            let _ = field.load(i)[k] + field.at(i).at(k).get();
            used(i, COUNTS);
            used(i, 2 + k..3 + k);
        }
        5 => {
            let slice = view.slice((low..high,));
            slice.for_each(|slots| {
                let _ = slots.total.get();
            });
            (low..high).for_each(|i| used(i, 5..6));
        }
        6 => {
            let backwards = view.slice((step(low..high, -2),));
            let mut seen = 0;
            for slots in &backwards {
                seen += usize::from(slots.kind.get());
            }
            let _ = seen;
            (low..high).rev().step_by(2).for_each(|i| used(i, 0..1));
        }
        7 => {
            let slice = view.slice((low..high,));
            slice.for_each_lanes::<4>(
                |lanes| {
                    let _ = lanes.time.get();
                    let _ = lanes.counts.at(k).get();
                },
                |slots| {
                    let _ = slots.time.get();
                    let _ = slots.counts.at(k).get();
                },
            );
            (low..high).for_each(|i| used(i, 1..2));
            (low..high).for_each(|i| used(i, 2 + k..3 + k));
        }
        _ => {
            let sum: u64 = view.field(Event::PATHS.total).values().sum();
            let _ = sum;
            (0..LEN).for_each(|i| used(i, 5..6));
        }
    }
}

/// Writes at random; with what is read beside.
fn write<M, B>(view: &mut View<M, B>, random: &mut Random, model: &mut Model<M>)
where
    M: Mapping<Record = Event, Extents = DynExtents<1>, Linearization = RowMajor>,
    B: BlobsMut,
{
    let (i, k) = (random.below(LEN), random.below(3));
    let (low, high) = (random.below(i + 1), i + random.below(LEN - i + 1));
    match random.below(8) {
        0 => {
            view.set(i, event(i));
            model.write(i, 0..LEAVES);
        }
        1 => {
            view.at_mut(i).time += 1;
            model.read(i, 1..2);
            model.write(i, 1..2);
        }
        2 => {
            view.at_mut(i).counts.at_mut(k).set(3);
            model.write(i, 2 + k..3 + k);
        }
        3 => {
            view.field_mut(Event::PATHS.counts).set(i, [1, 2, 3]);
            view.field_mut(Event::PATHS.counts).at_mut(i).at_mut(k).set(4);
            model.write(i, COUNTS);
            model.write(i, 2 + k..3 + k);
        }
        4 => {
            view.slice_mut((low..high,)).for_each_mut(|mut slots| slots.total.set(7));
            (low..high).for_each(|i| model.write(i, 5..6));
        }
        5 => {
            view.slice_mut((low..high,)).for_each_lanes_mut::<4>(|mut l| l.time += 1, |mut slots| slots.time += 1);
            (low..high).for_each(|i| model.read(i, 1..2));
            (low..high).for_each(|i| model.write(i, 1..2));
        }
        6 => {
            view.slice_mut((low..high,)).update(|event| event);
            (low..high).for_each(|i| model.read(i, 0..LEAVES));
            (low..high).for_each(|i| model.write(i, 0..LEAVES));
        }
        _ => {
            for mut slots in view.slice_mut((step(low..high, 3),)).iter_mut() {
                slots.kind.set(2);
            }
            (low..high).step_by(3).for_each(|i| model.write(i, 0..1));
        }
    }
}

fn from_one_thread<L: RecordLayout<Event> + Default>() {
    for block in blocks() {
        let mut random = Random(block.get() as u64);

        let mut view = alloc::<Event, L, _>(LEN).unwrap().trace().heat_map(block);
        let mut model = Model::new(view.mapping(), block);
        for _ in 0..120 {
            read(&view, &mut random, |i, leaves| model.read(i, leaves));
            write(&mut view, &mut random, &mut model);
        }
        model.check_heat(view.observer());
        let (view, _) = view.unobserved();
        model.check_uses(&view.observer().uses());

        // The other way round; and from zero again, with the heat that there is.
        let mut view = view.unobserved().0.heat_map(block).trace();
        let mut model = Model::new(view.mapping(), block);
        write(&mut view, &mut random, &mut model);
        model.check_uses(&view.observer().uses());
        view.observer_mut().reset();
        model.reset_uses();
        for _ in 0..20 {
            read(&view, &mut random, |i, leaves| model.read(i, leaves));
            write(&mut view, &mut random, &mut model);
        }
        model.check_uses(&view.observer().uses());
        model.check_heat(view.unobserved().0.observer());
    }
}

#[test]
fn of_one_thread() {
    for_layouts!(from_one_thread);
}

fn from_threads<L: RecordLayout<Event> + Default>() {
    /// Reads as thread `thread` does.
    fn program<M, B>(view: &View<M, B>, thread: u64, mut used: impl FnMut(usize, core::ops::Range<usize>))
    where
        M: Mapping<Record = Event, Extents = DynExtents<1>, Linearization = RowMajor>,
        B: Blobs,
    {
        let mut random = Random(thread);
        (0..100).for_each(|_| read(view, &mut random, &mut used));
    }

    let plain = alloc_from_fn::<Event, L, _>(LEN, |[i]| event(i)).unwrap();
    for block in blocks() {
        let mut model = Model::new(plain.mapping(), block);
        (0..4).for_each(|thread| program(&plain, thread, |i, leaves| model.read(i, leaves)));

        let view = plain.as_ref().trace().heat_map(block);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let view = &view;
                scope.spawn(move || program(view, thread, |_, _| ()));
            }
        });
        model.check_heat(view.observer());
        model.check_uses(&view.unobserved().0.observer().uses());
    }
}

#[test]
fn of_four_threads() {
    for_layouts!(from_threads);
}

/// A part of a view, traced on its own: its leaves are numbered from zero.
#[test]
fn of_parts() {
    fn check<L: RecordLayout<Event> + Default>() {
        let mut view = alloc::<Event, L, _>(LEN).unwrap();
        let mut counts = view.field_mut(Event::PATHS.counts).trace();
        counts.at_mut(3).at_mut(2).set(1);
        let _ = counts.at(4).at(1).get();
        let uses = counts.observer().uses();
        let counted: Vec<_> =
            uses.leaves().iter().map(|leaf| (leaf.leaf.to_string(), leaf.reads, leaf.writes)).collect();
        assert_eq!(counted, [("[0]".to_owned(), 0, 0), ("[1]".to_owned(), 1, 0), ("[2]".to_owned(), 0, 1)]);

        let mut totals = view.field_mut(Event::PATHS.total).trace();
        totals.slice_mut((3..9,)).for_each_mut(|mut total| total += 1);
        assert_eq!((totals.observer().uses().leaves()[0].reads, totals.observer().uses().leaves()[0].writes), (6, 6));

        // A part of the elements, whose blocks are those of the whole.
        let block = NonZero::new(8).unwrap();
        let mut model = Model::new(view.mapping(), block);
        let mut part = view.slice_mut((10..,)).heat_map(block);
        part.set(3, event(3));
        model.write(13, 0..LEAVES);
        model.check_heat(part.observer());
        let part = view.field(Event::PATHS.time).heat_map(block);
        let _ = part.get(20);
        let mut model = Model::new(view.mapping(), block);
        model.read(20, 1..2);
        model.check_heat(part.observer());
    }
    for_layouts!(check);
}

/// A leaf of size zero has no bit in any block, wherever it lies.
#[test]
fn leaves_without_bytes_use_no_block() {
    #[derive(Clone, Copy, Record)]
    struct Marked {
        kind: u8,
        #[record(leaf)]
        mark: [u16; 0],
        rest: [u8; 7],
    }
    let view = alloc::<Marked, AoS<Packed>, _>(2).unwrap().heat_map(NonZero::new(8).unwrap());
    let _ = (view.at(0).mark.get(), view.at(1).mark.get());
    assert_eq!(view.observer().counts(0), [0, 0]);
    let _ = (view.at(1).kind.get(), view.at(1).rest.at(0).get());
    assert_eq!(view.observer().counts(0), [0, 2]);
}

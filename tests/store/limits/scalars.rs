//! A scalar is cheaper than an array: no memory beside what is kept of the store, and no task to write or to read it.

use std::sync::Barrier;

use layout::AoS;
use layout_core::{Record, RecordLayout};
use layout_store::{IntoShape, Runtime, Store, StoreRank, TaskBodyError, write};

use crate::{ALLOCATOR, alone};

/// The number of allocations for a store to be created, filled, and filled again.
fn costs<R, L, X>(rt: &Runtime, extents: X, value: R) -> [usize; 3]
where
    R: Record,
    L: RecordLayout<R> + Default,
    X: IntoShape<Rank: StoreRank> + Copy,
{
    let counted = |work: &mut dyn FnMut()| {
        let before = ALLOCATOR.so_far().0;
        work();
        ALLOCATOR.so_far().0 - before
    };
    let round = || {
        rt.fence().unwrap();
        let mut store: Option<Store<R, X::Rank, L>> = None;
        let created = counted(&mut || store = Some(rt.create(extents).unwrap()));
        let mut fill = || {
            store.iter().for_each(|store| store.fill(value).unwrap());
            rt.fence().unwrap();
        };
        [created, counted(&mut fill), counted(&mut fill)]
    };
    // What the runtime keeps grows now and then.
    let rounds: Vec<[usize; 3]> = (0..8).map(|_| round()).collect();
    core::array::from_fn(|what| rounds.iter().map(|round| round[what]).min().unwrap())
}

#[test]
fn a_scalar_is_created_by_one_allocation() {
    let _alone = alone();
    let rt = Runtime::builder().threads(1).build().unwrap();
    let scalar = costs::<f64, layout::SoA, _>(&rt, [], 1.0);
    let record = costs::<[f32; 3], AoS, _>(&rt, [], [1.0; 3]);
    let one = costs::<f64, layout::SoA, _>(&rt, [1], 1.0);
    let array = costs::<f64, layout::SoA, _>(&rt, [1000], 1.0);
    println!(
        "created, filled, filled again: scalar {scalar:?}, record {record:?}, one element {one:?}, array {array:?}"
    );
    // The list of who holds elements is made once, and a thread that has nothing to do is woken.
    assert_eq!((scalar, record), ([1, 1, 0], [1, 1, 0]));
    assert!(one[0] > 1 && one[2] == 0 && array[0] > one[0] && array[1] > 1 && array[2] <= 1);
}

#[test]
fn a_scalar_is_read_without_an_allocation() {
    let _alone = alone();
    let rt = Runtime::builder().threads(1).build().unwrap();
    let scalar: Store<f64, _> = rt.create_from([], &[1.5]).unwrap();
    rt.fence().unwrap();
    let before = ALLOCATOR.here();
    assert_eq!(scalar.get([]).unwrap(), 1.5);
    assert_eq!(ALLOCATOR.here(), before);
}

/// The memory that a locale keeps of a store beside its elements, before and after its first launch, which later ones may wait for.
#[test]
fn metadata_of_a_store_is_small() {
    const STORES: usize = 200;
    let _alone = alone();
    for (locales, most) in [(1, [2 << 10, 2 << 10]), (4, [5 << 9, 4 << 10])] {
        let together = Barrier::new(locales);
        let builder = Runtime::builder().locales(locales).threads(1).pieces(locales).min_chunk(1).whole_below(0);
        let kept = builder.simulate(|rt| {
            let live = || {
                rt.fence().unwrap();
                together.wait();
                let live = ALLOCATOR.live();
                together.wait();
                live
            };
            let stores = || {
                let before = live();
                let stores: Vec<Store<f64, _>> = (0..STORES).map(|_| rt.create([1000]).unwrap()).collect();
                let created = live();
                stores.iter().for_each(|store| store.fill(1.0).unwrap());
                (stores, [created - before, live() - before])
            };
            // What is kept of the shape, and of the last operations, is not of one store.
            let (first, _) = stores();
            for _ in 0..1100 {
                first[0].fill(1.0).unwrap();
            }
            let (more, kept) = stores();
            drop((first, more));
            kept
        });
        // One locale makes the memory of its elements at once, several when they are written.
        let elements = [if locales == 1 { 8000 } else { 0 }, 8000];
        let kept = kept.unwrap()[0];
        for (what, (kept, (elements, most))) in
            ["created", "filled"].iter().zip(kept.iter().zip(elements.iter().zip(most)))
        {
            let each = (kept / STORES - elements) / locales;
            println!("a store that was {what}, on {locales} locales: {each} bytes of metadata on each");
            assert!(each < most, "a store that was {what}: {each} bytes on each of {locales} locales");
        }
    }
}

/// The bytes that a store takes for 2000 writes of parts beside an element, after a task that wrote this element well, or failed.
fn beside(fails: bool) -> usize {
    let rt = Runtime::builder().threads(1).pieces(4).min_chunk(1).build().unwrap();
    let line: Store<f64, _> = rt.create([100_000]).unwrap();
    line.fill(0.0).unwrap();
    let first = rt.task("first").args((write(&line.slice(0, 0, 1).unwrap()),)).single();
    first
        .launch(move |_, (mut first,)| {
            first.fill(1.0);
            if fails { Err(TaskBodyError::new("refused")) } else { Ok(()) }
        })
        .unwrap();
    assert_eq!(rt.fence().is_err(), fails);
    let before = ALLOCATOR.live();
    for at in 1..=2000 {
        line.slice(0, at, at + 1).unwrap().fill(1.0).unwrap();
        // So many launches that are under way take their nodes from the pool.
        if at % 16 == 0 {
            rt.fence().unwrap();
        }
    }
    assert_eq!((line.get([0]).is_err(), line.get([1]).is_ok()), (fails, true));
    ALLOCATOR.live() - before
}

/// A task that failed leaves its own elements to be written again, and nothing of what is written beside them.
#[test]
fn what_is_written_beside_a_failed_task_is_forgotten() {
    let _alone = alone();
    // Threads of a test before may still give memory back: then less is counted.
    let [well, failed] = [false, true].map(|fails| (0..3).map(|_| beside(fails)).max().unwrap_or(0));
    println!("{well} bytes, and {failed} after a task that failed");
    // It was 0.4 KiB for each of 2000 writes.
    assert!(failed < well + (256 << 10), "{well} bytes, and {failed} after a task that failed");
}

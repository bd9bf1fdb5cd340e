//! A program that creates, fills and drops stores faster than tasks run: what is resident stays below a limit.
#![cfg(target_os = "linux")]

use layout_store::{Runtime, Store, write};
use support::resident;

#[test]
fn dropped_stores_of_tasks_that_have_not_run_are_bounded() {
    const ELEMENTS: i64 = 64 << 10;
    const STORES: i64 = 500;
    const LIMIT: usize = 16 << 20;
    let rt = Runtime::builder().threads(1).backlog_limit(LIMIT).build().unwrap();
    let before = resident::most();
    let last = rt.create::<i64, layout::SoA, _>(ELEMENTS).unwrap();
    for number in 0..STORES {
        let store: Store<i64, _> = rt.create(ELEMENTS).unwrap();
        // Tasks take longer than it takes to launch them.
        rt.task("fill").args((write(&store),)).launch(move |_, (mut x,)| (0..4).for_each(|_| x.fill(number))).unwrap();
        last.copy_from(&store).unwrap();
    }
    rt.fence().unwrap();
    assert_eq!(last.get([ELEMENTS - 1]).unwrap(), STORES - 1);
    let more = resident::most() - before;
    println!("{STORES} stores of {} bytes: {more} more bytes resident, limit {LIMIT}", 8 * ELEMENTS);
    // The stores themselves, and as much again for one that is made, one that is kept, nodes, and the allocator.
    assert!(more < 2 * LIMIT, "{more} bytes resident at a time, where {LIMIT} may wait for tasks");
}

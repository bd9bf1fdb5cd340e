//! Many stores and launches in bounded memory: what is done gives its memory back.

use layout_store::{Runtime, Store, Sum, read, update};
use support::counting::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting::new();

/// Creates stores and launches ten tasks for each; of every size of store there is a plan.
fn work(rt: &Runtime, stores: i64) {
    let mut last: Store<i64, _> = rt.create_from_fn(64, |at| at[0]).unwrap();
    for number in 0..stores {
        let store: Store<i64, _> = rt.create(64 + number % 500).unwrap();
        store.fill(number).unwrap();
        let part = store.slice(0, 0, 64).unwrap();
        part.copy_from(&last).unwrap();
        for _ in 0..7 {
            rt.task("add").args((update(&store),)).launch(|_, (mut x,)| x.update(|x| x + 1)).unwrap();
        }
        rt.task("sum").args((read(&store),)).reduce(Sum, |_, (x,)| Ok(x.values().sum::<i64>())).unwrap();
        last = part;
    }
    assert_eq!(last.get([3]).unwrap(), 3 + 7 * stores);
    rt.fence().unwrap();
}

#[test]
fn memory_stays() {
    let rt = Runtime::builder().threads(2).pieces(4).min_chunk(1).build().unwrap();
    work(&rt, 1000);
    let first_peak = ALLOCATOR.peak();
    let before = ALLOCATOR.forget();
    work(&rt, 10_000);
    let (after, peak) = (ALLOCATOR.live(), ALLOCATOR.peak());
    println!(
        "10,000 stores and 100,000 launches: {before} bytes before, {after} after, at most {peak} ({first_peak} at first)"
    );
    // Plans are kept up to a bound, which ten times as many launches may come nearer to.
    assert!(after < before + (16 << 20), "{before} bytes before, {after} after");
    assert!(peak < 96 << 20, "{peak} bytes at a time");

    // One store, used for ever.
    let store: Store<i64, _> = rt.create(64).unwrap();
    store.fill(0).unwrap();
    rt.fence().unwrap();
    let before = ALLOCATOR.live();
    for _ in 0..100_000 {
        rt.task("read").args((read(&store),)).single().launch(|_, _| ()).unwrap();
    }
    rt.fence().unwrap();
    let after = ALLOCATOR.live();
    println!("100,000 launches that read one store: {before} bytes before, {after} after");
    // On a busy machine thousands are in flight at a time, and a store keeps twice as many uses until it looks again; all of
    // them would be over 40 MB.
    assert!(after < before + (8 << 20), "{before} bytes before, {after} after");
}

//! Refusals of launches and calls, and their words.

use std::sync::{Arc, Barrier};

use crate::cut_into;
use layout::SoA;
use layout_store::{
    Distribution, Point, Rect, Runtime, Store, StoreError, Tiling, Unbound, bloat, emit, read, update, write,
};

#[test]
fn refused_launches() {
    let rt = cut_into(4);
    let a: Store<i64, _> = rt.create(8).unwrap();
    let text = |error: Result<layout_store::Launched, StoreError>| error.unwrap_err().to_string();
    assert_eq!(
        text(rt.task("t").args((read(&a),)).launch(|_, _| ())),
        "task `t` reads [0]..[2] of argument 0, which nobody wrote yet: write or fill the store first"
    );
    a.slice(0, 0, 5).unwrap().fill(0).unwrap();
    assert!(a.slice(0, 1, 5).unwrap().to_vec().is_ok());
    let error = a.slice(0, 4, 7).unwrap().to_vec().unwrap_err().to_string();
    assert!(error.contains("reads [5]..[7]"), "{error}");
    a.fill(0).unwrap();
    assert_eq!(
        text(rt.task("t").args((write(&a),)).over([3]).unwrap().launch(|_, _| ())),
        "task `t` writes argument 0, of which every point gets all: give a partition of it where the task runs `over` a \
         domain, and leave out `broadcast` where it does not; `reduce` combines contributions to the same elements"
    );
    let tiles = a.partition_by_tiling([2]).unwrap();
    assert!(matches!(
        rt.task("t").args((write(&tiles.by(|_| [1].into())),)).over([2]).unwrap().launch(|_, _| ()),
        Err(StoreError::Overlap { argument: 0, rect, .. }) if *rect == Rect::new([2].into(), [4].into())
    ));
    assert!(matches!(
        rt.task("t").args((read(&a), update(&a))).align_all().launch(|_, _| ()),
        Err(StoreError::Aliased { written: 1, other: 0, .. })
    ));
    assert!(matches!(
        rt.task("t").args((write(&a.promote(0, 2).unwrap()),)).launch(|_, _| ()),
        Err(StoreError::Promoted { dim: 0, .. })
    ));
    // One index a tile, but the same elements in all of them.
    let rows = a.promote(0, 2).unwrap().partition_by_tiling([1, 8]).unwrap();
    assert!(matches!(
        rt.task("t").args((write(&rows),)).launch(|_, _| ()),
        Err(StoreError::Overlap { argument: 0, rect, .. }) if *rect == Rect::new([0].into(), [8].into())
    ));
    // A store of one element, whose index has no numbers.
    let one: Store<i64, _> = rt.create([]).unwrap();
    let five = one.promote(0, 5).unwrap().partition_by_tiling([1]).unwrap();
    let error = text(rt.task("t").args((write(&five),)).launch(|_, _| ()));
    assert!(
        error.starts_with("task `t` would write the one element of argument 0 at two points, [0] and [1]"),
        "{error}"
    );
    let error = one.to_vec().unwrap_err().to_string();
    assert!(error.starts_with("`to_vec` reads the one element, which nobody wrote yet"), "{error}");
    assert!(matches!(
        rt.task("t").args((write(&a),)).over([0]).unwrap().launch(|_, _| ()),
        Err(StoreError::NoPoints { .. })
    ));
    assert_eq!(
        text(rt.task("t").over([1_i64 << 40]).unwrap().launch(|_, ()| ())),
        "task `t` is to run over [0]..[1099511627776]; at most 16777216 points are allowed"
    );
    let b: Store<i64, _> = rt.create(9).unwrap();
    assert!(rt.task("t").args((read(&a), write(&b))).align_all().launch(|_, _| ()).is_err());
    let other = cut_into(1);
    assert!(matches!(
        other.task("t").args((read(&a),)).launch(|_, _| ()),
        Err(StoreError::Foreign { argument: 0, .. })
    ));
    let unbound: Unbound<i64> = other.unbound();
    assert!(matches!(
        rt.task("t").args((read(&a), emit(&unbound))).launch(|_, _| ()),
        Err(StoreError::Foreign { argument: 1, .. })
    ));
    assert_eq!(
        text(rt.task("t").args((read(&a), update(&tiles))).align_all().launch(|_, _| ())),
        "task `t` has constraints, and is given its points, or a partition, by hand: none would apply; leave out the one or \
         the other"
    );
    // Two halves of one store, one read and one written.
    let (low, high) = (a.slice(0, 0, 4).unwrap(), a.slice(0, 4, 8).unwrap());
    rt.task("t").args((read(&low), write(&high))).align_all().launch(|_, (l, mut h)| Ok(h.copy_from(&l)?)).unwrap();
    rt.fence().unwrap();
}

#[test]
fn refused_launches_over_a_domain() {
    let rt = cut_into(4);
    let a: Store<i64, _> = rt.create(8).unwrap();
    a.fill(0).unwrap();
    let tiles = a.partition_by_tiling([2]).unwrap();
    let text = |task: layout_store::TaskBuilder<'_, _>, over: &[i64]| {
        task.args((read(&tiles),)).over(over).unwrap().launch(|_, _| ()).unwrap_err().to_string()
    };
    assert_eq!(
        text(rt.task("t"), &[5]),
        "task `t` runs over [5], and argument 0 is a partition with colors [4]: run it `over([4])`, or say by `.by(..)` \
         which color each point gets"
    );
    assert!(text(rt.task("t"), &[2, 2]).starts_with("task `t` runs over [2, 2], and argument 0"));
    let projected = |projection: fn(Point) -> Point| {
        let task = rt.task("t").args((read(&a), read(&tiles.by(projection)))).over([2]).unwrap();
        task.launch(|_, _| ()).unwrap_err().to_string()
    };
    assert_eq!(
        projected(|point| [4 * point[0]].into()),
        "the projection of argument 1 of task `t` gives point [1] the color [4]; the partition has colors [4]"
    );
    assert_eq!(
        projected(|point| [point[0], 0].into()),
        "the projection of argument 1 of task `t` gives point [0] the color [0, 0]; the partition has colors [4]"
    );
    let whole = rt.task("t").args((read(&tiles), write(&a))).launch(|_, _| ()).unwrap_err();
    assert!(matches!(whole, StoreError::WrittenWhole { argument: 1, .. }));
}

#[test]
fn refused_accesses_and_copies() {
    let rt = cut_into(4);
    let grid: Store<i64, _> = rt.create([10, 10]).unwrap();
    let text = |error: StoreError| error.to_string();
    let unwritten = "reads [0, 0]..[10, 10], which nobody wrote yet: write or fill the store first";
    assert_eq!(text(grid.to_vec().unwrap_err()), format!("`to_vec` {unwritten}"));
    assert_eq!(text(grid.update(|_| ()).unwrap_err()), format!("`update` {unwritten}"));
    assert_eq!(
        text(grid.get([1, 2]).unwrap_err()),
        "`get` reads [1, 2]..[2, 3], which nobody wrote yet: write or fill the store first"
    );
    assert_eq!(text(grid.get([-1, 0]).unwrap_err()), "index [-1, 0] is out of range for a store of extents [10, 10]");
    assert_eq!(
        text(grid.clone().into_dyn().get(vec![1]).unwrap_err()),
        "an index of 1 number for a store of 2 dimensions"
    );
    assert_eq!(
        text(rt.create::<i64, SoA, _>([2, -3]).unwrap_err()),
        "a store with extent -3 of dimension 1; extents are 0 or more"
    );

    grid.fill(0).unwrap();
    let onto = "a store cannot be copied onto itself, nor onto another one with which it has elements in common: copy it \
                to a third store first";
    assert_eq!(text(grid.copy_from(&grid).unwrap_err()), onto);
    let (low, high) = (grid.slice(0, 0, 6).unwrap(), grid.slice(0, 4, 10).unwrap());
    assert_eq!(text(low.copy_from(&high).unwrap_err()), onto);
    let none = grid.slice(0, 0, 0).unwrap();
    assert!(none.copy_from(&none).is_ok());
    assert_eq!(
        text(grid.copy_from(&low).unwrap_err()),
        "the source and the target of a copy have extents [6, 10] and [10, 10], which must be equal"
    );

    let (a, b): (Store<i64, _>, Store<i64, _>) = (rt.create(100).unwrap(), rt.create(99).unwrap());
    a.fill(0).unwrap();
    assert_eq!(
        text(rt.task("t").args((read(&a), write(&b))).align_all().launch(|_, _| ()).unwrap_err()),
        "arguments 0 and 1 of extents [100] and [99] cannot be aligned: their extents must be equal"
    );
    let bloated = rt.task("t").args((read(&a), write(&b))).constrain(|(a, b)| [bloat(b, a, [-1], [0])]);
    assert_eq!(
        text(bloated.launch(|_, _| ()).unwrap_err()),
        "`bloat` of argument 0 with low offset -1; allowed are 0 or more"
    );
    rt.task("t").args((write(&b),)).launch(|task, _| assert!(task.rect(1).is_empty())).unwrap();
    assert!(text(rt.fence().unwrap_err()).ends_with(": the task has 1 argument; there is no argument 1"));
}

#[test]
fn a_leaf_cannot_wait() {
    let rt = cut_into(1);
    let a: Store<i64, _> = rt.create(8).unwrap();
    a.fill(1).unwrap();
    let inside = a.clone();
    rt.task("waits").launch(move |_, ()| inside.to_vec().map(drop).map_err(Into::into)).unwrap();
    assert!(rt.fence().unwrap_err().to_string().contains("a task can neither launch tasks nor wait for stores"));
}

#[test]
fn who_would_wait_for_itself_is_told() {
    let rt = cut_into(1);
    let a: Store<i64, _> = rt.create_from_fn(8, |i| i[0]).unwrap();
    let b: Store<i64, _> = rt.create(8).unwrap();
    let told =
        |waited: Result<(), StoreError>| assert!(matches!(waited, Err(StoreError::WaitsForItself)), "{waited:?}");
    a.read(|_| told(a.update(|_| ()))).unwrap();
    a.update(|mut view| {
        view.set(0, 7);
        b.copy_from(&a).unwrap();
        told(rt.fence());
        told(b.to_vec().map(drop));
    })
    .unwrap();
    // What does not depend on it is not in vain, however long it takes: longer than it takes another to be told, twice.
    let c: Store<i64, _> = rt.create(8).unwrap();
    let both = Arc::new(Barrier::new(2));
    let other = std::thread::spawn({
        let both = both.clone();
        move || {
            both.wait();
            let rt = cut_into(1);
            let store: Store<i64, _> = rt.create_from_fn(8, |i| i[0]).unwrap();
            let waits = store.read(|_| [(); 2].map(|()| store.update(|_| ()).err()));
            both.wait();
            waits
        }
    });
    let seven = a.read(|view| {
        let slow = rt.task("slow").args((write(&c),)).launch(move |_, (mut c,)| {
            both.wait();
            both.wait();
            c.fill(1);
        });
        slow.unwrap();
        view.get(0) * c.to_vec().unwrap()[7] + a.get([1]).unwrap() - 1
    });
    assert_eq!(seven.unwrap(), 7);
    let waits = other.join().unwrap().unwrap();
    assert!(waits.iter().all(|waited| matches!(waited, Some(StoreError::WaitsForItself))), "{waits:?}");
    rt.fence().unwrap();
    assert_eq!(b.to_vec().unwrap(), [7, 1, 2, 3, 4, 5, 6, 7]);
}

/// Another thread waits for one that is told that it waits for itself, which then goes on.
#[test]
fn who_waits_for_one_that_is_told_is_not_told() {
    let rt = cut_into(1);
    let a: Store<i64, _> = rt.create_from_fn(8, |i| i[0]).unwrap();
    let reads = Barrier::new(2);
    let (told, updated) = std::thread::scope(|threads| {
        let other = threads.spawn(|| {
            reads.wait();
            a.update(|mut view| view.set(0, 7))
        });
        let told = a.read(|_| {
            reads.wait();
            [(); 3].map(|()| a.update(|_| ()))
        });
        (told.unwrap(), other.join().unwrap())
    });
    assert!(told.iter().all(|told| matches!(told, Err(StoreError::WaitsForItself))), "{told:?}");
    updated.unwrap();
    assert_eq!(a.get([0]).unwrap(), 7);
}

/// A thread that launches more than there is room for waits, unless another thread uses elements: tasks may wait for that thread, which may
/// launch something itself.
#[test]
fn a_thread_that_waits_for_room_stops_no_thread_that_uses_elements() {
    let rt = Runtime::builder().threads(1).pieces(1).build().unwrap();
    let x: Store<i64, _> = rt.create_from_fn(8, |_| 0).unwrap();
    let y: Store<i64, _> = rt.create(8).unwrap();
    std::thread::scope(|threads| {
        x.read(|_| {
            let launches = || {
                for _ in 0..1000 {
                    rt.task("more").args((update(&x),)).launch(|_, (mut x,)| x.set(0, x.get(0) + 1)).unwrap();
                }
            };
            let other = threads.spawn(launches);
            for value in 0..1000 {
                y.fill(value).unwrap();
            }
            other.join().unwrap();
        })
        .unwrap();
    });
    assert_eq!((x.get([0]).unwrap(), y.get([7]).unwrap()), (1000, 999));
}

/// Boxes around such tiles in the root overlap, so points that write them would lose each other's elements.
#[test]
fn tiles_that_cut_an_inner_dimension_of_a_delinearized_view_are_refused() {
    let rt = cut_into(4);
    let line: Store<i64, _> = rt.create(16).unwrap();
    let view = line.delinearize(0, [4, 4]).unwrap();
    let wrong = |tiling: &Arc<Tiling>| {
        let refused = view.partition_by(tiling).unwrap_err().to_string();
        assert!(refused.contains("dimension 1"), "{refused}");
    };
    let listed = |tiles: &[([i64; 2], [i64; 2])]| {
        let tiles = tiles.iter().map(|(lo, hi)| (Rect::new((*lo).into(), (*hi).into()), 0));
        rt.tiling([4, 4].into(), &Distribution::tiles(tiles)).unwrap().unwrap()
    };
    // The first tile has whole rows, the others have halves.
    wrong(&listed(&[([0, 0], [2, 4]), ([2, 0], [4, 2]), ([2, 2], [4, 4])]));
    // Tiles of a slice start before it.
    let rows: Store<i64, _> = rt.create([4, 8]).unwrap();
    let halves = rows.partition_by_tiling([4, 4]).unwrap();
    rt.task("halves").args((write(&halves),)).launch(|_, (mut half,)| half.fill(1)).unwrap();
    wrong(&Arc::new(rows.slice(1, 2, 7).unwrap().key_partition().unwrap().tiling().clone()));
    view.partition_by(&listed(&[([0, 0], [1, 4]), ([1, 0], [4, 4])])).unwrap();
    view.partition_by_tiling([3, 4]).unwrap();
}

//! Elements that several views, tasks and threads of the program reach: each is written as in a list, by one at a time.

use layout::bits::{BitPackedIntSoA, Bits};
use layout::{AoS, AoSoA, RecordLayout};
use layout_store::{DimOrdering, DynRank, Point, Rect, Runtime, Store, StoreTarget, read, update};
use proptest::prelude::*;
use proptest::test_runner::Config;

/// One step of a view: which, of which dimension, and two numbers for it.
type Op = (u8, usize, i64, i64);

/// The store after these steps, without those that it refuses.
fn seen<L: RecordLayout<u8> + Default>(mut store: Store<u8, DynRank, L>, ops: &[Op]) -> Store<u8, DynRank, L> {
    for &(op, dim, a, b) in ops.iter().filter(|(op, ..)| *op < 7) {
        if dim >= store.rank() {
            continue;
        }
        let next = match op {
            0 => store.promote(dim, a),
            1 => store.project(dim, a),
            2 => store.slice(dim, a, b),
            3 => store.delinearize(dim, vec![a, store.extents()[dim] / a.max(1)]),
            4 => store.broadcast(dim, a),
            5 => store.step(dim, a - 3),
            _ => store.transpose((0..store.rank()).map(|k| (k + dim) % store.rank()).collect::<Vec<_>>()),
        };
        store = next.ok().filter(|next| next.volume() > 0).unwrap_or(store);
    }
    store
}

/// Writes through any view, by any tiles, what a list has in the end.
fn written<L: RecordLayout<u8> + Default>(ops: &[Op], tile: &[i64], pieces: usize) {
    let rt = Runtime::builder().threads(2).pieces(pieces).min_chunk(1).build().unwrap();
    let order = DimOrdering::Custom(vec![1, 2, 0]);
    let root: Store<u8, DynRank, L> = rt.create_ordered(Point::from([4, 3, 6]), &order).unwrap();
    root.fill(0).unwrap();
    let view = seen(root.clone(), ops);
    let value = |index: &Point, seed: i64| {
        u8::try_from(index.iter().fold(seed, |sum, at| (3 * sum + at) % 32)).unwrap_or_else(|_| unreachable!())
    };
    let mut list = [0; 72];
    let tiles = view.partition_by_tiling(tile[..view.rank()].to_vec());
    for seed in 1..4 {
        let launched = match (&tiles, seed) {
            (Ok(tiles), 1) => rt.task("tiles").args((update(tiles),)).launch(set(value, seed)),
            (_, 2) => rt.task("single").args((update(&view),)).single().launch(set(value, seed)),
            _ => rt.task("view").args((update(&view),)).launch(set(value, seed)),
        };
        for index in Rect::of(view.extents()).points().filter(|_| launched.is_ok()) {
            let at = view.transform().root_index(index);
            list[usize::try_from(18 * at[0] + 6 * at[1] + at[2]).unwrap()] = value(&index, seed);
        }
        // Whatever is not refused when it is launched works.
        rt.fence().unwrap();
        assert_eq!(root.to_vec().unwrap(), list);
    }
}

/// A leaf that sets each element to a value for its index.
fn set<L: RecordLayout<u8> + Default>(
    value: impl Fn(&Point, i64) -> u8 + Send + Sync,
    seed: i64,
) -> impl Fn(&layout_store::Task, (layout_store::TileMut<'_, u8, DynRank, L>,)) + Send + Sync {
    move |task, (mut tile,)| {
        for index in task.rect(0).points() {
            let mut at = [0; 6];
            for dim in 0..index.len() {
                at[6 - index.len() + dim] = usize::try_from(index[dim] - task.rect(0).lo()[dim]).unwrap();
            }
            tile.set(at, value(&index, seed));
        }
    }
}

proptest! {
    #![proptest_config(Config { failure_persistence: None, ..Config::with_cases(200) })]

    #[test]
    fn any_view_is_written_where_it_shows(
        ops in prop::collection::vec((0..7_u8, 0..4_usize, 0..6_i64, 0..6_i64), 0..7),
        tile in prop::collection::vec(1..5_i64, 6),
        pieces in 1..7_usize,
    ) {
        written::<AoS>(&ops, &tile, pieces);
        written::<AoSoA<4>>(&ops, &tile, pieces);
        written::<BitPackedIntSoA<Bits<5>>>(&ops, &tile, pieces);
    }
}

#[test]
fn threads_of_the_program_never_see_half_of_what_another_writes() {
    let rt = Runtime::builder().threads(3).pieces(4).min_chunk(1).build().unwrap();
    let store: Store<[i64; 2], _> = rt.create_from_fn([16, 16], |_| [0; 2]).unwrap();
    let equal = |pair: [i64; 2]| assert_eq!(pair[0], pair[1]);
    let program = |thread: i64| {
        for k in 0..150 {
            let start = (7 * k + thread) % 10;
            let part = store.slice(usize::from(k % 2 == 1), start, start + 5).unwrap();
            let file = StoreTarget::File(std::env::temp_dir());
            match (k + thread) % 5 {
                0 => part.update(|mut view| view.update(|[a, b]| [a + 1, b + 1])).unwrap(),
                1 => {
                    let part = part.transpose([1, 0]).unwrap();
                    let task = rt.task("add").args((update(&part),));
                    task.launch(|_, (mut view,)| view.update(|[a, b]| [a + 1, b + 1])).map(drop).unwrap();
                }
                2 => part.to_vec().unwrap().into_iter().for_each(equal),
                3 => store.offload_to(if k % 3 == 0 { &StoreTarget::Main } else { &file }).unwrap(),
                _ => {
                    let task = rt.task("look").args((read(&store),));
                    task.launch(move |_, (view,)| view.to_vec().into_iter().for_each(equal)).map(drop).unwrap();
                }
            }
        }
    };
    std::thread::scope(|scope| (0..3).for_each(|thread| drop(scope.spawn(move || program(thread)))));
    rt.fence().unwrap();
}

/// Of elements that share bytes, those that were written are known one by one, as where each has its own.
fn unwritten<L: RecordLayout<u8> + Default>() {
    for pieces in [1, 3] {
        let rt = crate::cut_into(pieces);
        let store: Store<u8, _, L> = rt.create(7).unwrap();
        store.project(0, 3).unwrap().fill(5).unwrap();
        assert_eq!(store.get([3]).unwrap(), 5);
        let error = store.to_vec().unwrap_err().to_string();
        assert!(error.starts_with("`to_vec` reads [0]..[3], which nobody wrote yet"), "{error}");
        let error = rt.task("add").args((update(&store),)).launch(|_, _| ()).unwrap_err().to_string();
        assert!(error.contains("which nobody wrote yet"), "{error}");
        store.slice(0, 0, 3).unwrap().fill(1).unwrap();
        store.slice(0, 4, 7).unwrap().fill(2).unwrap();
        assert_eq!(store.to_vec().unwrap(), [1, 1, 1, 5, 2, 2, 2]);
    }
}

#[test]
fn elements_that_share_bytes_are_written_one_by_one() {
    unwritten::<AoS>();
    unwritten::<BitPackedIntSoA<Bits<5>>>();
}

//! Elements that a launch or a call does not write stay as they are: those beside its tiles, and all elements if it is refused.

use layout_store::{Point, Runtime, Store, StoreError, StoreTarget, Sum, cut_by, read, update, write};
use support::locales::on_locales;

/// The results of a program on all locales, which are alike.
fn alike<T: PartialEq + core::fmt::Debug>(results: Result<Vec<T>, StoreError>) -> T {
    let mut results = results.unwrap();
    let last = results.pop().unwrap();
    assert!(results.iter().all(|result| *result == last), "{results:?} and {last:?}");
    last
}

type Line = Store<i64, layout_store::Dim<1>>;

/// A write by tiles that leave out a part of the store says nothing about the cut of the whole store.
#[test]
fn tiles_that_leave_elements_out_are_not_those_of_later_launches() {
    let program = |rt: &Runtime, way: usize| {
        let line: Line = rt.create_from_fn(10, |_| 1).unwrap();
        let some = line.partition_by_tiling_with([2], [2]).unwrap();
        match way {
            0 => {
                rt.task("some").args((update(&some),)).launch(|_, (mut tile,)| tile.fill(2)).map(drop).unwrap();
            }
            1 => some.update_local(|tiles| tiles.into_iter().for_each(|(_, mut tile)| tile.fill(2))).unwrap(),
            _ => {
                let tiling = some.tiling().clone().into();
                let task = rt.task("cut").args((update(&line),));
                task.constrain(|(line,)| cut_by(line, &tiling))
                    .launch(|_, (mut tile,)| tile.fill(2))
                    .map(drop)
                    .unwrap();
            }
        }
        assert!(line.key_partition().is_none());
        // They are all tiles of a slice.
        let slice = line.slice(0, 0, 4).unwrap();
        assert_eq!(slice.key_partition().map(|tiles| tiles.color_shape()), Some(Point::from([2])));
        let sum = || rt.task("sum").args((read(&line),)).reduce(Sum, |_, (line,)| Ok(line.values().sum::<i64>()));
        let first = sum().unwrap().get().unwrap();
        let local = line.read_local(|parts| parts.iter().map(|(_, part)| part.len()).sum::<usize>()).unwrap();
        line.fill(5).unwrap();
        (first, local, line.to_vec().unwrap())
    };
    for (locales, way) in (1..=3).flat_map(|locales| (0..3).map(move |way| (locales, way))) {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(4).min_chunk(1).whole_below(0);
        let found = on_locales(builder, way, program).unwrap();
        assert_eq!(found.iter().map(|(_, local, _)| local).sum::<usize>(), 10, "{locales} locales, way {way}");
        assert!(found.iter().all(|(sum, _, all)| (*sum, all) == (14, &vec![5; 10])), "{found:?}, way {way}");
    }
}

#[test]
fn an_update_that_would_wait_for_itself_writes_nothing() {
    for locales in 1..=4 {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(locales).min_chunk(1).whole_below(0);
        let program = |rt: &Runtime, ()| {
            let all: Store<i64, _> = rt.create_from_fn(8, |at| at[0] + 1).unwrap();
            let some = all.slice(0, 2, 5).unwrap();
            let waits = |waited: Result<(), StoreError>| assert!(matches!(waited, Err(StoreError::WaitsForItself)));
            all.read(|_| waits(all.update(|_| ()))).unwrap();
            let first = all.to_vec().unwrap();
            some.read(|_| waits(all.update(|_| ()))).unwrap();
            some.update(|mut some| {
                some.fill(0);
                waits(all.update(|_| ()));
                waits(all.update_in(&StoreTarget::File(std::env::temp_dir()), |_| ()));
            })
            .unwrap();
            (first, all.to_vec().unwrap())
        };
        let expected = ((1..9).collect(), vec![1, 2, 0, 0, 0, 6, 7, 8]);
        assert_eq!(alike(on_locales(builder, (), program)), expected, "{locales} locales");
    }
}

support::with_processes!();

//! Refusals of launches, alike on all locales, before anything is written.

use layout_store::{
    Builder, Mapper, MemoryError, Point, Rect, Runtime, Store, StoreError, StorePartition, Sum, broadcast, follow,
    read, reduce, update, write,
};
use support::locales::on_locales;

use crate::alone;

type Array = Store<f64, layout_store::Dim<1>>;

/// A store of as many elements as there is room for on two locales, with a little left over.
const ELEMENTS: i64 = 1 << 17;
const LIMIT: usize = (8 << 16) + 4096;

fn on(locales: usize) -> Builder {
    Runtime::builder().locales(locales).threads(1).pieces(8).min_chunk(1).memory_limit(LIMIT)
}

/// The task, the argument, the store, the locale and the bytes of what would take too much.
fn too_large(error: &StoreError) -> (String, usize, u64, usize, usize) {
    match error {
        StoreError::PartTooLarge { task, argument, store, locale, needed, limit: LIMIT } => {
            (task.clone(), *argument, *store, *locale, *needed)
        }
        _ => panic!("{error}"),
    }
}

#[test]
fn a_limit_below_what_a_locale_needs_is_told_on_all() {
    let _alone = alone();
    let one = on(1).build().unwrap();
    assert!(matches!(
        one.create::<f64, layout::SoA, _>(ELEMENTS),
        Err(StoreError::Memory(MemoryError::Limit { needed: 1_048_576, used: 0, limit: LIMIT }))
    ));
    for locales in 2..=4 {
        let found = on_locales(on(locales), (), |rt, ()| {
            let (last, all) = (rt.locales() - 1, 8 << 17);
            let small: Store<f64, _> = rt.create(16).unwrap();
            small.fill(1.0).unwrap();
            let store: Array = rt.create(ELEMENTS).unwrap();
            let before = rt.memory();
            let fill = |name: &'static str| rt.task(name).args((write(&store), read(&small)));
            let mut told = Vec::new();
            // One point, which writes all of it, and all points on one locale.
            let single = fill("single").single().launch(|_, (mut x, _)| x.fill(2.0));
            told.push((single.map(drop), ("single", 0, 1, 0, all)));
            let to_last = Mapper::new(move |_, _, locales| locales - 1);
            let task = fill("mapped")
                .constrain(|(_, small)| [broadcast(small)])
                .mapped(&to_last)
                .launch(|_, (mut x, _)| x.fill(2.0));
            told.push((task.map(drop), ("mapped", 0, 1, last, all)));
            for (found, (task, argument, store, locale, bytes)) in told {
                let error = found.map_err(|error| too_large(&error)).unwrap_err();
                assert_eq!(error, (task.to_owned(), argument, store, locale, bytes));
            }
            // Nothing was written, nor memory made.
            rt.fence().unwrap();
            let after = rt.memory();
            assert_eq!((after.stores, after.charged), (before.stores, before.charged));
            assert!(matches!(store.get([0]), Err(StoreError::Uninitialized { .. })));
            // Its parts fit. Contributions come to the first locale, and then each asks for all of it.
            fill("parts").constrain(|(_, small)| [broadcast(small)]).launch(|_, (mut x, _)| x.fill(3.0)).unwrap();
            let summed = rt.task("summed").args((read(&small), reduce(&store, Sum))).single().launch(|_, _| ());
            assert_eq!(too_large(&summed.unwrap_err()), ("summed".to_owned(), 1, 1, 0, all));
            let each = rt.task("each").args((update(&small), read(&store)));
            let each = each.constrain(|(_, store)| [broadcast(store)]).launch(|_, (mut x, _)| x.fill(4.0));
            let (task, argument, number, _, bytes) = too_large(&each.unwrap_err());
            assert_eq!((&*task, argument, number, bytes), ("each", 1, 1, all));
            let total = rt.task("total").args((read(&store),)).reduce(Sum, |_, (x,)| Ok(x.values().sum::<f64>()));
            assert_eq!(total.unwrap().get().unwrap(), 3.0 * ELEMENTS as f64);
            assert_eq!(small.to_vec().unwrap(), [1.0; 16]);
            rt.fence().unwrap();
        });
        found.unwrap();
    }
}

/// Functions of the user's: of tiles, of colors, of locales.
#[test]
fn functions_that_lead_nowhere_are_told_on_all() {
    let _alone = alone();
    for locales in 1..=4 {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(4).min_chunk(1).whole_below(0);
        on_locales(builder, (), |rt, ()| {
            let (from, to): (Store<i64, _>, Store<i64, _>) = (rt.create(16).unwrap(), rt.create(16).unwrap());
            from.fill(1).unwrap();
            to.fill(7).unwrap();
            let task = |name: &'static str| rt.task(name).args((read(&from), write(&to)));
            // Boxes of another rank.
            let flat = |_: &Rect| Rect::of([2, 2].into());
            let error =
                task("flat").constrain(|(from, to)| [follow(to, from, flat)]).launch(|_, (_, mut to)| to.fill(0));
            assert_eq!(
                error.unwrap_err().to_string(),
                "a box that a function of tiles gives of 2 dimensions was given for a store of 1"
            );
            // Colors that are not there.
            let tiles: StorePartition<i64, _> = from.partition_by_tiling([4]).unwrap();
            let next = tiles.by(|at| Point::from([at[0] + 1]));
            let launched = rt.task("next").args((read(&next), write(&to.partition_by_tiling([4]).unwrap())));
            let error = launched.launch(|_, (_, mut to)| to.fill(0)).unwrap_err();
            assert!(
                matches!(&error, StoreError::Projection { task, argument: 0, colors }
                if task == "next" && **colors == [[3].into(), [4].into(), [4].into()]),
                "{error}"
            );
            // Locales that are not there.
            let nowhere = Mapper::new(|at, _, locales| locales + usize::from(at[0] == 0) - 1);
            let error = task("nowhere").align_all().mapped(&nowhere).launch(|_, (_, mut to)| to.fill(0)).unwrap_err();
            assert!(
                matches!(&error, StoreError::MapperLocale { task, point, locale, locales }
                if task == "nowhere" && **point == Point::from([0]) && locale == locales && *locales == rt.locales()),
                "{error}"
            );
            rt.fence().unwrap();
            assert_eq!(to.to_vec().unwrap(), [7; 16]);
            // A tile that leaves the store is clipped to it, and may have nothing left.
            let beside = |tile: &Rect| Rect::new([tile.lo()[0] + 6].into(), [tile.hi()[0] + 6].into());
            let sizes = task("beside").constrain(|(from, to)| [follow(to, from, beside)]);
            let sizes = sizes.map(|_, (from, mut to)| {
                to.fill(from.len() as i64);
                Ok(from.len())
            });
            assert_eq!(sizes.unwrap().get().unwrap(), [4, 4, 2, 0]);
            assert_eq!(to.to_vec().unwrap(), [4, 4, 4, 4, 4, 4, 4, 4, 2, 2, 2, 2, 0, 0, 0, 0]);
        })
        .unwrap();
    }
}

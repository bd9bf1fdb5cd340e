//! Constraints: how tiles follow from them, and why some do not.

use std::sync::Arc;

use crate::cut_into;
use layout_store::{
    Dim, ImageHint, Rect, Rule, Runtime, Single, Store, StoreError, Sum, Tiling, align, align_axes, bloat, broadcast,
    broadcast_axes, cut_by, follow, image, min_extents, must_partition, read, reduce, scale, update, write,
};
use support::locales::on_locales;

#[test]
fn constraints_are_typed_and_say_why() {
    let rt = cut_into(4);
    let a: Store<i64, _> = rt.create_from_fn(7, |i| i[0]).unwrap();
    let b: Store<i64, _> = rt.create_from_fn(14, |i| i[0]).unwrap();
    let sizes = rt
        .task("scaled")
        .args((read(&a), read(&b)))
        .constrain(|(a, b)| [scale([2], a, b)])
        .map(|task, (a, b)| Ok((a.len(), b.len(), task.rect(1).lo()[0])))
        .unwrap();
    assert_eq!(sizes.get().unwrap(), [(2, 4, 0), (2, 4, 4), (2, 4, 8), (1, 2, 12)]);
    let launched =
        rt.task("small").args((read(&a),)).constrain(|(a,)| [min_extents(a, [3])]).launch(|_, _| ()).unwrap();
    assert!(matches!(launched.single(), Some(Single::TooSmall { .. })));
    let error = rt
        .task("small")
        .args((read(&a),))
        .constrain(|(a,)| [min_extents(a, [3]), must_partition(a)])
        .launch(|_, _| ())
        .unwrap_err();
    assert!(error.to_string().contains("[1]") && error.to_string().contains("[3] is the least"), "{error}");
    let few = Runtime::builder().threads(1).pieces(2).build().unwrap();
    let c: Store<i64, _> = few.create_from_fn(7, |i| i[0]).unwrap();
    let launched = few.task("few").args((read(&c),)).launch(|_, _| ()).unwrap();
    let why = "no argument has more than 7 elements, and tasks are cut from 4096 on, which `min_chunk` sets";
    assert_eq!(launched.single().unwrap().to_string(), why);
    let error = few.task("few").args((read(&c),)).constrain(|(c,)| [must_partition(c)]).launch(|_, _| ()).unwrap_err();
    assert_eq!(error.to_string(), format!("argument 0 must be partitioned, and is not: {why}"));
    // An argument that follows does nothing else.
    let pair = || rt.task("pair").args((read(&a), read(&a)));
    let text = |launched: Result<_, StoreError>| launched.map(|_: layout_store::Launched| ()).unwrap_err().to_string();
    assert_eq!(
        text(pair().constrain(|(x, y)| [align(x, y), bloat(x, y, [1], [1])]).launch(|_, _| ())),
        "argument 1 follows argument 0, and is aligned with another one: align that with what is followed"
    );
    assert_eq!(
        text(pair().constrain(|(x, _)| [bloat(x, x, [1], [1])]).launch(|_, _| ())),
        "argument 0 follows argument 0, which is itself"
    );
    assert_eq!(
        text(pair().constrain(|(x, y)| [bloat(x, y, [1], [1]), bloat(x, y, [2], [1])]).launch(|_, _| ())),
        "argument 1 follows argument 0, and another one, or the same in another way, by an earlier constraint"
    );
    let sizes = rt.task("far").args((read(&a), read(&b))).constrain(|(a, b)| [bloat(a, b, [1], [i64::MAX])]);
    assert_eq!(sizes.map(|_, (_, b)| Ok(b.len())).unwrap().get().unwrap(), [14, 13, 11, 9]);
    // Boxes as an image.
    let rows: Store<[[i64; 1]; 2], _> = rt.create_from(4, &[[[0], [2]], [[2], [3]], [[3], [3]], [[3], [7]]]).unwrap();
    let sums: Store<i64, _> = rt.create(4).unwrap();
    rt.task("row sums")
        .args((read(&rows), read(&a), write(&sums)))
        .constrain(|(rows, a, sums)| [align(rows, sums), image(rows, a, ImageHint::MinMax)])
        .launch(|task, (rows, a, mut sums)| {
            let start = task.rect(1).lo()[0];
            for i in 0..rows.len() {
                let [[from], [to]] = rows.load(i);
                sums.set(i, (from..to).map(|at| a.get(usize::try_from(at - start).unwrap())).sum());
            }
        })
        .unwrap();
    assert_eq!(sums.to_vec().unwrap(), [1, 2, 0, 18]);
}

#[test]
fn tiles_of_the_last_write_are_used_again() {
    let rt = cut_into(1);
    let store: Store<i64, _> = rt.create(10).unwrap();
    let tiles = store.partition_by_tiling([3]).unwrap();
    rt.task("write").args((write(&tiles),)).launch(|_, (mut x,)| x.fill(1)).unwrap();
    let sizes = rt.task("auto").args((update(&store),)).map(|_, (x,)| Ok(x.len())).unwrap();
    assert_eq!(sizes.get().unwrap(), [3, 3, 3, 1]);
}

#[test]
fn images_are_of_the_newest_values_and_checked() {
    let rt = cut_into(2);
    let from: Store<i64, _> = rt.create_from_fn(8, |at| at[0]).unwrap();
    let which: Store<i64, _> = rt.create_from(4, &[0, 1, 6, 7]).unwrap();
    let tiles = |hint| {
        let task = rt.task("image").args((read(&which), read(&from)));
        let task = task.constrain(|(which, from)| [image(which, from, hint)]);
        task.map(|task, _| Ok((task.rect(1).lo()[0], task.rect(1).hi()[0]))).map(|tiles| tiles.get().unwrap())
    };
    for _ in 0..2 {
        assert_eq!(tiles(ImageHint::FirstLastChecked).unwrap(), [(0, 2), (6, 8)]);
    }
    // Each way to write counts.
    which.fill(3).unwrap();
    assert_eq!(tiles(ImageHint::MinMax).unwrap(), [(3, 4), (3, 4)]);
    which.update(|mut view| view.set(0, 5)).unwrap();
    assert_eq!(tiles(ImageHint::MinMax).unwrap(), [(3, 6), (3, 4)]);
    rt.task("add")
        .args((reduce(&which.slice(0, 1, 2).unwrap(), Sum),))
        .single()
        .launch(|_, (mut x,)| x.reduce(0, 4))
        .unwrap();
    assert_eq!(tiles(ImageHint::MinMax).unwrap(), [(5, 8), (3, 4)]);
    let swapped: Store<i64, _> = rt.create_from(6, &[2, 7, 3, 0, 0, 0]).unwrap();
    let error = rt
        .task("image")
        .args((read(&swapped), read(&from)))
        .constrain(|(which, from)| [image(which, from, ImageHint::FirstLastChecked)])
        .launch(|_, _| ())
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("a value points to [7]..[8], beyond [2]..[4]"), "{error}");
}

#[test]
fn a_kept_rule_shows_no_more_than_its_store() {
    let rt = cut_into(2);
    let grid: Store<i64, _> = rt.create_from_fn([10, 10], |at| at[1]).unwrap();
    let (row, x): (_, Store<i64, _>) = (grid.slice(0, 0, 1).unwrap(), rt.create_from_fn(10, |at| at[0]).unwrap());
    let mut kept = None;
    let first = rt.task("first").args((read(&row), read(&x)));
    first.constrain(|(row, x)| [kept.insert(image(row, x, ImageHint::MinMax)).clone()]).launch(|_, _| ()).unwrap();
    // Of columns that the row has not, the first ones would lie in the next row.
    let wide: Store<i64, _> = rt.create([1, 60]).unwrap();
    let tiles = wide.partition_by_tiling([1, 10]).unwrap();
    rt.task("tiles").args((write(&tiles),)).launch(|_, (mut tile,)| tile.fill(0)).unwrap();
    let second = rt.task("second").args((read(&wide), read(&x))).constrain(|_| kept);
    assert_eq!(
        second.launch(|_, _| ()).unwrap_err().to_string(),
        "an image is of the values of another store than argument 0, of extents [1, 60], which it names: make the rule from the \
         arguments of the task"
    );
    let same: Store<i64, _> = grid.slice(0, 1, 2).unwrap();
    let mut kept = None;
    let first = rt.task("first").args((read(&row), read(&x)));
    first.constrain(|(row, x)| [kept.insert(image(row, x, ImageHint::MinMax)).clone()]).launch(|_, _| ()).unwrap();
    let again = rt.task("again").args((read(&row), read(&x)));
    again.constrain(|_| kept.clone()).launch(|_, _| ()).unwrap();
    let other = rt.task("other").args((read(&same), read(&x))).constrain(|_| kept).launch(|_, _| ()).unwrap_err();
    assert!(matches!(other, StoreError::Partition { .. }), "{other}");
}

/// Tiles of the first range would go beyond the second one, and locales would not send what its tiles show.
#[test]
fn a_kept_image_is_of_one_function_and_one_range() {
    for locales in [1, 2] {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(4).min_chunk(1).whole_below(0);
        let told = on_locales(builder, (), |rt, ()| -> Result<Vec<String>, StoreError> {
            let which: Store<i64, _> = rt.create_from_fn(8, |at| 10 * at[0])?;
            let others: Store<i64, _> = rt.create_from_fn(4, |at| at[0])?;
            let line = |extent: i64| rt.create_from_fn::<i64, layout::SoA, _>([extent], |at| at[0]);
            let (large, small, grid) = (line(100)?, line(10)?, rt.create_from_fn([4, 4], |_| 1)?);
            let grid: Store<i64, _> = grid;
            let keep = |range: &Store<i64, Dim<1>>| -> Result<Rule, StoreError> {
                let mut kept = None;
                let task = rt.task("keep").args((read(&which), read(range)));
                task.constrain(|(w, r)| kept.insert(image(w, r, ImageHint::Precise)).clone()).launch(|_, _| ())?;
                Ok(kept.unwrap())
            };
            let (of_large, of_small) = (keep(&large)?, keep(&small)?);
            let text = |launched: Result<layout_store::Launched, StoreError>| {
                launched
                    .map_or_else(|error| error.to_string(), |launched| format!("{} points", launched.domain().volume()))
            };
            let use_of = |rule: &Rule, range: &Store<i64, Dim<1>>| {
                text(rt.task("use").args((read(&which), read(range))).constrain(|_| rule.clone()).launch(|_, _| ()))
            };
            let in_grid = rt.task("use").args((read(&which), read(&grid))).constrain(|_| of_small.clone());
            let uncut = rt.task("use").args((read(&others), read(&large)));
            let uncut = uncut.constrain(|(others, _)| [of_large.clone(), broadcast(others)]);
            Ok(vec![
                use_of(&of_large, &small),
                use_of(&of_small, &large),
                text(in_grid.launch(|_, _| ())),
                text(uncut.launch(|_, _| ())),
                use_of(&of_large, &large),
            ])
        });
        for told in told.unwrap() {
            let range = |of: &str, given: &str| {
                format!(
                    "an image is of a range of extents {of}, and argument 1, which it names, has extents {given}: make the rule \
                     from the arguments of the task"
                )
            };
            let function = "an image is of the values of another store than argument 0, of extents [4], which it names: make \
                            the rule from the arguments of the task";
            let expected = [
                range("[100]", "[10]"),
                range("[10]", "[100]"),
                range("[10]", "[4, 4]"),
                function.to_owned(),
                "4 points".to_owned(),
            ];
            assert_eq!(told.unwrap(), expected, "{locales} locales");
        }
    }
}

#[test]
fn constraints_that_could_have_no_effect_are_refused() {
    let rt = cut_into(4);
    let [a, b]: [Store<i64, _>; 2] = [(); 2].map(|()| rt.create_from_fn(8, |at| at[0]).unwrap());
    let longer: Store<i64, _> = rt.create_from_fn(9, |at| at[0]).unwrap();
    let tiles = |side: i64| Arc::new(Tiling::new([8].into(), [side].into(), None).unwrap());
    let (two, three) = (tiles(2), tiles(3));
    let pair = || rt.task("pair").args((read(&a), read(&b)));
    let text = |launched: Result<layout_store::Launched, StoreError>| {
        launched.map_or_else(|error| error.to_string(), |launched| format!("{} points", launched.domain().volume()))
    };
    // An argument that follows has the tiles that follow, and no others.
    let follows =
        "argument 1 follows argument 0, and has another constraint on its tiles: demand that of what is followed";
    assert_eq!(
        text(pair().constrain(|(a, b)| [bloat(a, b, [0], [0]), min_extents(b, [5])]).launch(|_, _| ())),
        follows
    );
    assert_eq!(text(pair().constrain(|(a, b)| [bloat(a, b, [0], [0]), broadcast(b)]).launch(|_, _| ())), follows);
    assert_eq!(
        text(pair().constrain(|(a, b)| [broadcast_axes(b, [0]), bloat(a, b, [0], [0])]).launch(|_, _| ())),
        follows
    );
    assert_eq!(text(pair().constrain(|(a, b)| [bloat(a, b, [0], [0]), cut_by(b, &two)]).launch(|_, _| ())), follows);
    assert_eq!(
        text(pair().constrain(|(a, b)| [image(a, b, ImageHint::MinMax), broadcast(b)]).launch(|_, _| ())),
        follows
    );
    let demanded = |least| pair().constrain(move |(a, b)| [bloat(a, b, [0], [0]), min_extents(a, [least])]);
    assert_eq!([2, 5].map(|least| text(demanded(least).launch(|_, _| ()))), ["4 points", "1 points"]);
    // Aligned arguments have the same tiles.
    let cuts = |first: &Arc<Tiling>, second: &Arc<Tiling>| {
        let (first, second) = (first.clone(), second.clone());
        let task = pair().constrain(move |(a, b)| [align(a, b), cut_by(b, &second), cut_by(a, &first)]);
        text(task.launch(|_, _| ()))
    };
    let differ = "arguments 1 and 0 cannot be cut by different tilings: they are aligned";
    assert_eq!([cuts(&two, &three), cuts(&two, &tiles(2))], [differ, "4 points"]);
    let twice = pair().constrain(|(a, _)| [cut_by(a, &two), cut_by(a, &three)]).launch(|_, _| ());
    assert_eq!(text(twice), "argument 0 cannot be cut by two different tilings");
    // A single point is no excuse for constraints that do not fit.
    let wrong = rt.task("wrong").args((read(&a), read(&longer))).constrain(|(a, longer)| align(a, longer)).single();
    assert!(text(wrong.launch(|_, _| ())).starts_with("arguments 0 and 1 of extents [8] and [9] cannot be aligned"));
    let whole = pair().constrain(|(a, _)| must_partition(a)).single();
    assert_eq!(
        text(whole.launch(|_, _| ())),
        "argument 0 must be partitioned, and is not: `single` asks for one point"
    );
    assert_eq!(text(pair().constrain(|(a, b)| align(a, b)).single().launch(|_, _| ())), "1 points");
}

/// There is no element to cut, so the launch has one point, as without tiles.
#[test]
fn zero_tiles_of_an_empty_store_are_no_constraint() {
    for locales in [1, 2] {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(4).min_chunk(1).whole_below(0);
        let told = on_locales(builder, (), |rt, ()| -> Result<(i64, [usize; 2]), StoreError> {
            let none: Store<i64, _> = rt.create(0)?;
            let tiles = none.partition_by_tiling([4])?;
            let tiling = Arc::new(tiles.tiling().clone());
            let task = rt.task("none").args((write(&none),)).constrain(|(none,)| cut_by(none, &tiling));
            let launched = task.launch(|_, (mut none,)| none.fill(1))?;
            let shown = |rect: &Rect| usize::try_from(rect.volume()).unwrap();
            let read = tiles.read_local(|parts| parts.iter().map(|(rect, _)| shown(rect)).sum())?;
            let updated = tiles.update_local(|parts| parts.iter().map(|(rect, _)| shown(rect)).sum())?;
            rt.fence()?;
            Ok((launched.domain().volume(), [read, updated]))
        });
        for told in told.unwrap() {
            assert_eq!(told.unwrap(), (1, [0, 0]), "{locales} locales");
        }
    }
    let all = Tiling::covering([10].into(), [1].into());
    assert_eq!([0, -3].map(|colors| Tiling::covering([10].into(), [colors].into())), [all.clone(), all]);
}

#[test]
fn followers_are_followed() {
    let rt = cut_into(4);
    let a: Store<i64, _> = rt.create_from_fn(8, |at| at[0] % 4).unwrap();
    let (b, c): (Store<i64, _>, Store<i64, _>) = (rt.create(16).unwrap(), rt.create(16).unwrap());
    b.fill(1).unwrap();
    c.fill(1).unwrap();
    let d: Store<i64, _> = rt.create(32).unwrap();
    /// From where to where the tiles of an argument go.
    macro_rules! tiles {
        ($argument:expr, $arguments:expr, $rules:expr) => {
            rt.task("chain")
                .args($arguments)
                .constrain($rules)
                .map(|task, _| Ok((task.rect($argument).lo()[0], task.rect($argument).hi()[0])))
                .and_then(|tiles| tiles.get())
        };
    }
    // The order of constraints does not count.
    let args = || (read(&a), read(&b), read(&c));
    let tiles = tiles!(2, args(), |(a, b, c)| [scale([2], a, b), bloat(b, c, [1], [2])]).unwrap();
    assert_eq!(tiles, [(0, 6), (3, 10), (7, 14), (11, 16)]);
    let tiles = tiles!(2, args(), |(a, b, c)| [bloat(b, c, [1], [2]), scale([2], a, b)]).unwrap();
    assert_eq!(tiles, [(0, 6), (3, 10), (7, 14), (11, 16)]);
    let tiles = tiles!(2, args(), |(a, b, c)| [bloat(a, b, [1], [1]), bloat(b, c, [1], [1])]).unwrap();
    assert_eq!(tiles, [(0, 4), (0, 6), (2, 8), (4, 10)]);
    // What is followed to the end may be written, where tiles are disjoint.
    let tiles = tiles!(2, (read(&a), read(&b), write(&d)), |(a, b, d)| [scale([2], a, b), scale([2], b, d)]).unwrap();
    assert_eq!(tiles, [(0, 8), (8, 16), (16, 24), (24, 32)]);
    let error = tiles!(2, (read(&a), read(&b), write(&d)), |(a, b, d)| [scale([2], a, b), bloat(b, d, [1], [1])]);
    assert!(matches!(error, Err(StoreError::Overlap { argument: 2, .. })));
    // Around what values point to, and what the values in a tile that follows point to.
    let tiles = tiles!(2, args(), |(a, b, c)| [image(a, b, ImageHint::MinMax), bloat(b, c, [1], [1])]).unwrap();
    assert_eq!(tiles, [(0, 3), (1, 5), (0, 3), (1, 5)]);
    let tiles =
        tiles!(2, (read(&b), read(&a), read(&c)), |(b, a, c)| [bloat(b, a, [0], [0]), image(a, c, ImageHint::MinMax)]);
    assert_eq!(tiles.unwrap(), [(0, 4), (0, 4), (0, 0), (0, 0)]);
    let grid: Store<i64, _> = rt.create_from_fn([16, 3], |at| at[0]).unwrap();
    let rows: Store<i64, _> = rt.create([32, 6]).unwrap();
    let rules = rt.task("rows").args((read(&b), read(&grid), write(&rows)));
    let rules = rules.constrain(|(b, grid, rows)| [align_axes(b, grid, [(0, 0)]), scale([2, 2], grid, rows)]);
    let rects = rules.map(|task, _| Ok((task.rect(1).extents(), task.rect(2)))).unwrap().get().unwrap();
    assert_eq!(rects.len(), 4);
    for (number, (extents, rect)) in (0..).zip(rects) {
        assert_eq!(extents, [4, 3].into());
        assert_eq!(rect, Rect::new([8 * number, 0].into(), [8 * number + 8, 6].into()));
    }
    // Two that follow each other follow nothing.
    let error = tiles!(0, args(), |(a, b, c)| [bloat(a, b, [1], [1]), bloat(b, c, [1], [1]), bloat(c, a, [1], [1])]);
    let text =
        "argument 1 follows argument 0, which follows argument 1 by other constraints: nothing says how they are cut";
    assert_eq!(error.unwrap_err().to_string(), text);
}

#[test]
fn a_map_of_tiles_to_boxes_of_another_rank_is_refused_wherever_it_gives_one() {
    for locales in [1, 2] {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(4).min_chunk(1).whole_below(0);
        let elements = on_locales(builder, (), |rt, ()| {
            let [a, b]: [Store<i64, Dim<2>>; 2] = [(); 2].map(|()| rt.create_from_fn([8, 2], |_| 1).unwrap());
            // Of the whole, and of the first tile, all is well.
            let other = |tile: &Rect| if tile.lo()[0] == 0 { *tile } else { Rect::of([1].into()) };
            let task = rt.task("other").args((update(&a), read(&b))).constrain(move |(a, b)| follow(a, b, other));
            let error = task.launch(|_, (mut a, _)| a.fill(2)).unwrap_err();
            let text = "a box that a function of tiles gives of 1 dimension was given for a store of 2";
            assert_eq!(error.to_string(), text);
            a.to_vec().unwrap()
        });
        assert!(elements.unwrap().into_iter().all(|elements| elements == [1; 16]));
    }
}

//! The solver by itself: which tiles each point gets.

use core::hash::{Hash, Hasher};
use std::hash::DefaultHasher;

use crate::cut_into;
use layout_store::solver::{Access, Argument as SolverArgument, Partition, PerDimension, solve};
use layout_store::{
    Constraint, OwnMap, PartitionError, Point, Rect, Single, Store, StoreError, TileMap, Transform, bloat_periodic,
    read,
};
use proptest::prelude::*;

fn argument(transform: &Transform) -> SolverArgument<'_> {
    SolverArgument { transform, element: 8, access: Access::Read, key: None }
}

fn extents() -> impl Strategy<Value = Point> {
    prop::collection::vec(prop_oneof![1..5_i64, 1..60_i64], 1..4).prop_map(|sides| sides.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    /// Without constraints: each argument's tiles are all gone through, row by row, and are all of it.
    #[test]
    fn each_point_has_its_own_tile_of_each_argument(
        extents in prop::collection::vec(extents(), 1..4),
        pieces in 2..20_i64,
    ) {
        let views: Vec<_> = extents.iter().map(|extents| Transform::identity(*extents).unwrap()).collect();
        let arguments: Vec<_> = views.iter().map(argument).collect();
        let solution = solve(&arguments, &[], pieces).unwrap();
        let colors: Vec<Option<Point>> = solution.partitions.iter().map(|partition| match partition {
            Partition::Tiles(tiling) => Some(tiling.colors()),
            _ => None,
        }).collect();
        match &solution.single {
            None => {
                let cut: Vec<Point> = colors.iter().copied().flatten().collect();
                let points: Vec<Point> = solution.domain().points().collect();
                if cut.iter().all(|colors| *colors == cut[0]) {
                    prop_assert_eq!(solution.launch, cut[0]);
                }
                for (number, colors) in colors.iter().enumerate() {
                    let given: Vec<Option<Point>> = points.iter().map(|at| solution.color(number, at)).collect();
                    let whole = Rect::of(extents[number]);
                    let rects: Vec<Rect> = points.iter().map(|at| solution.rect(number, at).unwrap()).collect();
                    if let Some(colors) = colors {
                        let expected: Vec<_> = Rect::of(*colors).points().map(Some).collect();
                        prop_assert_eq!(given, expected);
                        prop_assert!(rects.iter().all(|rect| whole.covers(rect)));
                        prop_assert_eq!(rects.iter().map(Rect::volume).sum::<i64>(), whole.volume());
                    } else {
                        prop_assert!(given.iter().all(Option::is_none) && rects.iter().all(|rect| *rect == whole));
                    }
                }
            }
            Some(Single::Colors { first, other }) => {
                prop_assert!(first.1.product() != other.1.product() && solution.launch.product() == Some(1));
            }
            Some(Single::NothingToCut) => prop_assert!(extents.iter().all(|extents| extents.product() == Some(1))),
            Some(other) => prop_assert!(false, "{other}"),
        }
    }
}

#[test]
fn maps_of_tiles_are_equal_if_they_say_the_same() {
    let own = || TileMap::Own(OwnMap::new(|rect| *rect));
    let [low, high] = [1, 2].map(|margin| PerDimension::from_iter([margin]));
    let maps = [
        TileMap::Along(vec![(0, 0)]),
        TileMap::Along(vec![(0, 1)]),
        TileMap::Scale([0, 1].into_iter().collect()),
        TileMap::Bloat { low: low.clone(), high: high.clone() },
        TileMap::Bloat { low: high.clone(), high: low.clone() },
        TileMap::Wrap { low: low.clone(), high: high.clone() },
        TileMap::Faces { low: low.clone(), high: high.clone(), widths: low.clone() },
        TileMap::Faces { low: low.clone(), high, widths: PerDimension::from_iter([0]) },
        own(),
        own(),
    ];
    let hash = |map: &TileMap| {
        let mut hasher = DefaultHasher::new();
        map.hash(&mut hasher);
        hasher.finish()
    };
    for (number, map) in maps.iter().enumerate() {
        assert_eq!(*map, map.clone());
        assert_eq!(hash(map), hash(&map.clone()));
        for other in &maps[..number] {
            assert_ne!(map, other);
            assert!(hash(map) != hash(other) || number == 9, "{map:?} and {other:?}");
        }
    }
}

#[test]
fn only_the_argument_that_is_named_has_tiles_of_so_many_indices() {
    let views = [100, 8].map(|extent| Transform::identity([extent].into()).unwrap());
    let arguments: Vec<_> = views.iter().map(argument).collect();
    let points = |argument, least| {
        let least = Constraint::MinExtents { argument, extents: vec![least] };
        solve(&arguments, &[least], 4).map(|solution| solution.launch)
    };
    assert_eq!(points(0, 25).unwrap(), [4].into());
    assert_eq!(points(0, 26).unwrap(), [1].into());
    assert_eq!(points(1, 0).unwrap(), [4].into());
    let refused = points(1, -1).unwrap_err();
    assert!(matches!(refused, PartitionError::Negative { argument: 1, given: -1, .. }), "{refused}");
}

#[test]
fn periodic_margins_go_around_at_the_ends_alone() {
    let rt = cut_into(4);
    let a: Store<i64, _> = rt.create_from_fn(8, |i| i[0]).unwrap();
    let b: Store<i64, _> = rt.create_from_fn(8, |i| i[0]).unwrap();
    let rects = |low: i64, high: i64| {
        let task = rt.task("around").args((read(&a), read(&b)));
        let task = task.constrain(|(a, b)| [bloat_periodic(a, b, [low], [high])]);
        let rects = task.map(|task, _| Ok((task.rect(1).lo()[0], task.rect(1).hi()[0]))).unwrap().get().unwrap();
        rects.into_iter().collect::<Vec<_>>()
    };
    assert_eq!(rects(1, 1), [(0, 8), (1, 5), (3, 7), (0, 8)]);
    assert_eq!(rects(2, 0), [(0, 8), (0, 4), (2, 6), (4, 8)]);
    assert_eq!(rects(0, 2), [(0, 4), (2, 6), (4, 8), (0, 8)]);
}

/// Lists of any type for a store whose rank is known when the program runs.
#[test]
fn lists_of_a_store_of_any_rank_are_of_any_type() {
    let rt = cut_into(2);
    let store: Store<i64, _> = rt.create_from_fn([4, 6], |at| 10 * at[0] + at[1]).unwrap();
    let store = store.into_dyn();
    let (list, axes) = (vec![2_u8, 3], vec![1_usize, 0]);
    let tiles = [
        store.partition_by_tiling([2, 3]).unwrap(),
        store.partition_by_tiling(&list[..]).unwrap(),
        store.partition_by_tiling(list.clone()).unwrap(),
        store.partition_by_tiling(Point::from([2, 3])).unwrap(),
    ];
    for tiles in tiles {
        let rects = rt.task("tiles").args((read(&tiles),)).map(|task, _| Ok(task.rect(0))).unwrap().get().unwrap();
        assert_eq!(rects.len(), 4);
        assert!(rects.iter().all(|rect| rect.extents() == Point::from([2, 3])), "{rects:?}");
    }
    let turned = [
        store.transpose([1_usize, 0]).unwrap(),
        store.transpose(&axes[..]).unwrap(),
        store.transpose(axes.clone()).unwrap(),
    ];
    assert!(turned.iter().all(|turned| turned.get([5, 3]).unwrap() == 35));
    let Err(StoreError::Transform(error)) = store.partition_by_tiling(vec![1_u8; 8]) else { panic!("a rank of 8") };
    assert!(error.to_string().contains("8 dimensions"), "{error}");
    let line: Store<i64, _> = rt.create_from_fn(6_u8, |at| at[0]).unwrap();
    let tiles = line.partition_by_tiling(2_u8).unwrap();
    let ends = rt.task("ends").args((read(&tiles),)).map(|task, _| Ok(task.rect(0).hi()[0])).unwrap().get().unwrap();
    assert_eq!(ends, [2, 4, 6]);
}

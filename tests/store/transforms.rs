//! Transforms by themselves: what they refuse, and in which order of dimensions a view lies.

use layout_store::{Bound, DimOrdering, MAX_RANK, Point, Rect, Step, Transform, TransformError};
use proptest::prelude::*;

/// A view of a root of three dimensions after random steps, and for each of its dimensions the one of the root that it shows,
/// if it is the first to.
fn view() -> impl Strategy<Value = (Transform, Vec<Option<usize>>)> {
    let step = (0..5_u8, any::<prop::sample::Index>(), any::<prop::sample::Index>());
    prop::collection::vec(step, 0..8).prop_map(|steps| {
        let mut view = Transform::identity([4, 6, 2].into()).unwrap();
        let mut shown: Vec<Option<usize>> = (0..3).map(Some).collect();
        for (kind, at, by) in steps {
            let rank = view.rank();
            if kind == 0 && rank < MAX_RANK {
                let dim = at.index(rank + 1);
                view = view.promote(dim, 3).unwrap();
                shown.insert(dim, None);
            }
            if rank == 0 {
                continue;
            }
            let dim = at.index(rank);
            match kind {
                1 if view.extents()[dim] > 0 && !view.is_inner(dim) => {
                    view = view.project(dim, 0).unwrap();
                    shown.remove(dim);
                }
                2 => {
                    let mut axes: Vec<usize> = (0..rank).collect();
                    axes.rotate_left(dim);
                    axes.swap(dim, by.index(rank));
                    shown = axes.iter().map(|axis| shown[*axis]).collect();
                    view = view.transpose(&axes).unwrap();
                }
                3 if rank < MAX_RANK => {
                    view = view.delinearize(dim, &[view.extents()[dim], 1]).unwrap();
                    shown.insert(dim + 1, None);
                }
                4 => view = view.step(dim, -1).unwrap(),
                _ => {}
            }
        }
        (view, shown)
    })
}

proptest! {
    /// A dimension of the root lies where the first one of the view lies that shows it.
    #[test]
    fn an_order_of_a_view_is_one_of_its_root((view, shown) in view(), key in any::<[u8; MAX_RANK]>()) {
        let mut custom: Vec<usize> = (0..view.rank()).collect();
        custom.sort_by_key(|dim| key[*dim]);
        for order in [DimOrdering::C, DimOrdering::Fortran, DimOrdering::Custom(custom)] {
            let dims = order.fastest_first(view.rank()).unwrap();
            let expected: Vec<usize> = dims.into_iter().filter_map(|dim| shown[dim]).collect();
            prop_assert_eq!(order.inverted(&view).unwrap(), expected, "{:?} of {:?}", order, view);
        }
    }
}

#[test]
fn an_order_names_each_dimension_once() {
    let order = |dims: &[usize]| DimOrdering::Custom(dims.to_vec()).fastest_first(2);
    assert_eq!(order(&[1, 0]).unwrap(), [1, 0]);
    for wrong in [&[0, 0][..], &[0], &[0, 1, 1], &[0, 2]] {
        assert_eq!(order(wrong).unwrap_err().given, wrong);
    }
    assert_eq!(DimOrdering::Fortran.fastest_first(3).unwrap(), [0, 1, 2]);
}

#[test]
fn what_a_transform_refuses_says_what_is_allowed() {
    let view = Transform::identity([4, 6].into()).unwrap();
    let text = |error: TransformError| error.to_string();
    let error = text(view.project(2, 0).unwrap_err());
    assert!(error.ends_with("allowed are 0 to 1"), "{error}");
    let one = view.project(0, 0).unwrap().project(0, 0).unwrap();
    let error = text(one.project(0, 0).unwrap_err());
    assert!(error.ends_with("there is none to choose"), "{error}");
    assert!(matches!(view.slice(1, Bound::At(2), Bound::At(7)), Err(TransformError::Slice { dim: 1, stop: 7, .. })));
    let column = Transform::identity([6, 1].into()).unwrap();
    assert!(matches!(column.broadcast(0, 4), Err(TransformError::Broadcast { dim: 0, extent: 6 })));
    assert_eq!(column.broadcast(1, 4).unwrap().extents(), Point::from([6, 4]));
    assert_eq!(view.steps(), []);
    assert_eq!(format!("{one:?}"), "[4, 6] of Project(dim: 0, index: 0) >> Project(dim: 0, index: 0) as []");
    assert_eq!(one.steps(), [0, 0].map(|index| Step::Project { dim: 0, index }));
}

/// The inner dimensions of a delinearized one have no views of parts; all of them, and one index of one, they have.
#[test]
fn delinearized_dimensions_are_seen_as_a_whole() {
    let line = Transform::identity([12].into()).unwrap();
    let view = line.delinearize(0, &[3, 4]).unwrap();
    assert_eq!([0, 1].map(|dim| view.is_inner(dim)), [false, true]);
    assert_eq!(view.step(1, 1).unwrap(), view);
    assert!(matches!(view.step(1, 2), Err(TransformError::NonInvertible { dim: 1, .. })));
    assert!(matches!(view.project(1, 0), Err(TransformError::NonInvertible { dim: 1, .. })));
    // One column lies four elements apart.
    let first = Rect::new([0, 1].into(), [3, 2].into());
    assert_eq!(view.root_rect(&first), Rect::new([1].into(), [10].into()).step(0, 4));
    let flat = line.delinearize(0, &[12, 1]).unwrap();
    assert_eq!(flat.project(1, 0).unwrap().extents(), Point::from([12]));
    assert_eq!(flat.step(1, 5).unwrap(), flat);
    assert_eq!(flat.step(0, 5).unwrap().root_index([2, 0].into()), Point::from([10]));
    for wrong in [&[5, 2][..], &[], &[-3, -4], &[24, 0]] {
        assert!(matches!(line.delinearize(0, wrong), Err(TransformError::Delinearize { dim: 0, extent: 12, .. })));
    }
    let most = Transform::identity([12, 2, 2].into()).unwrap();
    assert_eq!(most.delinearize(0, &[3, 2, 1, 2]).unwrap().rank(), MAX_RANK);
    assert!(matches!(most.delinearize(0, &[3, 1, 2, 1, 2]), Err(TransformError::Rank { rank: 7, .. })));
}

#[test]
fn points_have_at_most_six_coordinates() {
    let values = [1, 2, 3, 4, 5, 6, 7];
    assert_eq!(Point::of(&values), None);
    assert_eq!(Point::of(&values[..6]).unwrap(), Point::from([1, 2, 3, 4, 5, 6]));
    assert_eq!(format!("{:?}", Point::from([1, -2])), "[1, -2]");
}

//! Programs at which Legate aborts, hangs, or goes on with something else: each has its result here, or an error that says
//! what is wrong.

use crate::cut_into;
use layout_store::{
    Bound, DimOrdering, DynRank, ImageHint, Point, Runtime, Store, StoreError, StoreTarget, Sum, TaskBodyError,
    TransformError, broadcast_axes, image, read, update, write,
};

fn text<T>(result: Result<T, StoreError>) -> String {
    result.err().expect("an error").to_string()
}

#[test]
fn views_of_views_are_what_they_say() {
    let rt = cut_into(4);
    let grid: Store<i64, _> = rt.create_from_fn([3, 4], |at| 10 * at[0] + at[1]).unwrap();
    // A slice of a promoted dimension.
    let promoted = grid.promote(1, 5).unwrap().slice(1, 1, 3).unwrap();
    assert_eq!((promoted.extents(), promoted.read(|view| view.extents()).unwrap()), ([3, 2, 4].into(), [3, 2, 4]));
    // Children of a partition of a transposed, a promoted, a projected and a delinearized store.
    let turned = grid.transpose([1, 0]).unwrap();
    let child = turned.partition_by_tiling([2, 3]).unwrap().child([1, 0]).unwrap();
    assert_eq!(child.to_vec().unwrap(), [2, 12, 22, 3, 13, 23]);
    let child = grid.promote(0, 2).unwrap().partition_by_tiling([1, 3, 2]).unwrap().child([1, 0, 1]).unwrap();
    assert_eq!(child.to_vec().unwrap(), [2, 3, 12, 13, 22, 23]);
    let child = grid.project(0, 1).unwrap().partition_by_tiling([3]).unwrap().child([1]).unwrap();
    assert_eq!(child.to_vec().unwrap(), [13]);
    let child = grid.delinearize(0, [3, 1]).unwrap().partition_by_tiling([1, 1, 4]).unwrap().child([2, 0, 0]).unwrap();
    assert_eq!(child.to_vec().unwrap(), [20, 21, 22, 23]);
    // Another type keeps the transform.
    let bits = turned.reinterpret_as::<u64>().unwrap();
    assert_eq!((bits.extents(), bits.is_transformed(), bits.get([3, 2]).unwrap()), ([4, 3].into(), true, 23));
}

#[test]
fn views_that_do_not_exist_are_refused() {
    let rt = cut_into(4);
    let one: Store<i64, DynRank> = rt.create_from(Point::from([1]), &[7]).unwrap();
    assert!(text(one.delinearize(0, &[0_i64; 0][..])).contains("their product must be that extent"));
    let scalar = one.project(0, 0).unwrap();
    assert_eq!(scalar.transpose(&[][..]).unwrap().to_vec().unwrap(), [7]);
    let mut deep = one;
    for rank in 2..=6 {
        deep = deep.promote(0, 1).unwrap();
        assert_eq!(deep.rank(), rank);
    }
    assert!(matches!(deep.promote(0, 1), Err(StoreError::Transform(TransformError::Rank { rank: 7, .. }))));
    assert!(matches!(deep.slice(0, Bound::Open, 2), Err(StoreError::Transform(TransformError::Slice { .. }))));
}

#[test]
fn launches_answer() {
    let rt = cut_into(4);
    let a: Store<i64, _> = rt.create_from_fn([4, 4], |at| at[0]).unwrap();
    let tiles = a.partition_by_tiling([2, 2]).unwrap();
    // A projection to a color of another number of dimensions; all of a store beside tiles of it that are written.
    let wrong = rt.task("wrong").args((write(&tiles.by(|_| [0].into())),)).over([2]).unwrap().launch(|_, _| ());
    assert!(text(wrong).contains("task `wrong`"));
    let both = rt.task("both").args((read(&a), update(&tiles))).launch(|_, _| ());
    assert!(text(both).contains("task `both`"));
    assert!(
        text(rt.task("none").args((read(&a),)).constrain(|(a,)| broadcast_axes(a, [])).launch(|_, _| ()))
            .contains("no dimension")
    );
    // What nobody wrote; memory that is not there; what a task says.
    let scalar: Store<f64, _> = rt.create([]).unwrap();
    assert!(text(scalar.get([])).contains("nobody wrote"));
    let nowhere = StoreTarget::File("/nowhere/at/all".into());
    assert!(text(rt.create_in::<f64, layout::SoA, _>(4, &DimOrdering::C, &nowhere)).contains("/nowhere/at/all"));
    assert!(text(a.offload_to(&nowhere)).contains("/nowhere/at/all"));
    rt.task("fails").args((update(&a),)).launch(|_, _| Err(TaskBodyError::new("so it says"))).unwrap();
    assert!(text(rt.fence()).contains("so it says"));
}

#[test]
fn copies_by_reduction_answer() {
    let rt = cut_into(2);
    let (a, b): (Store<i64, _>, Store<i64, _>) = (rt.create(4).unwrap(), rt.create_from(2, &[5, 6]).unwrap());
    a.fill(1).unwrap();
    let to: Store<i64, _> = rt.create_from(2, &[3, 3]).unwrap();
    a.scatter_reduce_from(&to, &b, Sum).unwrap();
    assert_eq!(a.to_vec().unwrap(), [1, 1, 1, 12]);
    assert!(text(a.copy_reduce_from(&a, Sum)).contains("onto itself"));
    assert_eq!(a.to_vec().unwrap(), [1, 1, 1, 12]);
}

#[test]
fn extents_and_indices_are_integers_of_any_type() {
    let rt = Runtime::builder().threads(1).pieces(2).min_chunk(1).build().unwrap();
    let values = vec![1.5, 2.5, 3.5, 4.5, 5.5, 6.5];
    let grid: Store<f64, _> = rt.create_from([2_usize, 3], &values).unwrap();
    let (row, column) = (1_u8, 2_u64);
    assert_eq!(grid.get([usize::from(row), 2]).unwrap(), 6.5);
    assert_eq!(grid.project(0, row).unwrap().slice(0, 1_i8, column + 1).unwrap().to_vec().unwrap(), [5.5, 6.5]);
    assert_eq!(grid.partition_by_tiling([1_u16, 3]).unwrap().child([row, 0]).unwrap().volume(), 3);
    let line: Store<f64, _> = rt.create_from(values.len(), &values).unwrap();
    assert_eq!(line.delinearize(0, [3_usize, 2]).unwrap().to_vec().unwrap(), values);
    assert_eq!(rt.task("over").over(4_usize).unwrap().launch(|_, ()| ()).unwrap().domain().volume(), 4);
    // What no store has is refused, and never taken for something else.
    assert!(line.get([u64::MAX]).is_err() && line.get([i128::MIN]).is_err() && line.get([-1]).is_err());
    assert!(line.slice(0, 0, usize::MAX).is_err() && line.promote(0, -1_i8).is_err());
    assert!(rt.create::<f64, layout::SoA, _>(u128::MAX).is_err());
    // Indices as they come from other code.
    let which: Store<usize, _> = rt.create_from(4, &[5, 0, 5, 2]).unwrap();
    let picked: Store<f64, _> = rt.create(4).unwrap();
    picked.gather_from(&line, &which).unwrap();
    assert_eq!(picked.to_vec().unwrap(), [6.5, 1.5, 6.5, 3.5]);
    let task = rt.task("bounds").args((read(&which), read(&line)));
    let task = task.constrain(|(which, line)| image(which, line, ImageHint::Precise));
    let told = task.map(|task, _| Ok(task.indices(1).map(|rect| rect.volume()).sum::<i64>()));
    assert_eq!(told.unwrap().get().unwrap(), [2, 2]);
}

//! Random programs, against the same programs run one step after another on a plain array.
//!
//! `LAYOUT_STORE_CASES` multiplies the numbers of programs, as a percentage.

use std::sync::OnceLock;

use layout_store::{
    Bound, DynRank, Point, Rect, Runtime, Store, Sum, TaskBodyError, align, broadcast, read, reduce, update, write,
};
use ndarray::{ArrayD, ArrayViewMutD, Axis, IxDyn, Slice};
use proptest::prelude::*;

pub(crate) use crate::programs::features::cases;

const EXTENTS: [usize; 2] = [6, 5];

/// A view of one of the arrays: a box, perhaps transposed.
#[derive(Clone, Debug)]
struct Part {
    array: usize,
    rows: (usize, usize),
    columns: (usize, usize),
    transposed: bool,
}

/// A runtime for each number of pieces: programs leave nothing behind.
fn runtime(pieces: usize) -> &'static Runtime {
    static RUNTIMES: [OnceLock<Runtime>; 8] = [const { OnceLock::new() }; 8];
    RUNTIMES[pieces].get_or_init(|| Runtime::builder().threads(2).pieces(pieces).min_chunk(1).build().unwrap())
}

#[derive(Clone, Debug)]
enum Step {
    Fill(Part, i64),
    Scale(Part, i64),
    /// The second part has as many rows and columns as the first, from its own corner on, as far as there are any.
    Copy(Part, Part),
    /// Adds the sum over the first part to each element of the second.
    AddSum(Part, Part),
    Tiles(usize, [i64; 2], i64),
    /// A task that spoils a part and fails: by an error, or by a panic.
    Fail(Part, bool),
    /// As `Tiles`, but the tile of this color fails.
    FailTile(usize, [i64; 2], [i64; 2]),
}

fn part() -> impl Strategy<Value = Part> {
    (0..3_usize, 0..5_usize, 1..6_usize, 0..4_usize, 1..5_usize, any::<bool>()).prop_map(
        |(array, row, rows, column, columns, transposed)| Part {
            array,
            rows: (row, (row + rows).min(EXTENTS[0])),
            columns: (column, (column + columns).min(EXTENTS[1])),
            transposed,
        },
    )
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (part(), -9..9_i64).prop_map(|(part, value)| Step::Fill(part, value)),
        (part(), 1..4_i64).prop_map(|(part, factor)| Step::Scale(part, factor)),
        (part(), part()).prop_map(|(to, from)| Step::Copy(to, from)),
        (part(), part()).prop_map(|(from, to)| Step::AddSum(from, to)),
        (0..3_usize, 1..5_i64, 1..5_i64, 1..9_i64).prop_map(|(array, a, b, value)| Step::Tiles(array, [a, b], value)),
    ]
}

impl Part {
    fn view<'a>(&self, arrays: &'a mut [ArrayD<i64>]) -> ArrayViewMutD<'a, i64> {
        let mut view = arrays[self.array].view_mut();
        view.slice_axis_inplace(Axis(0), Slice::from(self.rows.0..self.rows.1));
        view.slice_axis_inplace(Axis(1), Slice::from(self.columns.0..self.columns.1));
        if self.transposed { view.reversed_axes() } else { view }
    }

    fn store(&self, stores: &[Store<i64, DynRank>]) -> Store<i64, DynRank> {
        let bound = |at: usize| Bound::At(i64::try_from(at).unwrap());
        let store = stores[self.array].slice(0, bound(self.rows.0), bound(self.rows.1)).unwrap();
        let store = store.slice(1, bound(self.columns.0), bound(self.columns.1)).unwrap();
        if self.transposed { store.transpose([1, 0]).unwrap() } else { store }
    }

    fn rows_and_columns(&self) -> [usize; 2] {
        let sizes = [self.rows.1 - self.rows.0, self.columns.1 - self.columns.0];
        if self.transposed { [sizes[1], sizes[0]] } else { sizes }
    }

    fn overlaps(&self, other: &Self) -> bool {
        let apart = |a: (usize, usize), b: (usize, usize)| a.1 <= b.0 || b.1 <= a.0;
        self.array == other.array && !apart(self.rows, other.rows) && !apart(self.columns, other.columns)
    }

    /// The first rows and columns.
    fn cut(&self, [rows, columns]: [usize; 2]) -> Self {
        let [rows, columns] = if self.transposed { [columns, rows] } else { [rows, columns] };
        let mut part = self.clone();
        part.rows.1 = part.rows.0 + rows;
        part.columns.1 = part.columns.0 + columns;
        part
    }
}

/// Does the step on plain arrays.
fn model(step: &Step, arrays: &mut [ArrayD<i64>]) {
    match step {
        Step::Fill(part, value) => part.view(arrays).fill(*value),
        Step::Scale(part, factor) => part.view(arrays).mapv_inplace(|x| (x * factor) % 1009),
        Step::Copy(to, from) => {
            let values = from.view(arrays).to_owned();
            to.view(arrays).assign(&values);
        }
        Step::AddSum(from, to) => {
            let sum = from.view(arrays).sum();
            to.view(arrays).mapv_inplace(|x| (x + sum) % 1009);
        }
        Step::Tiles(array, tile, value) => {
            for (index, x) in arrays[*array].indexed_iter_mut() {
                let color = |dim: usize| i64::try_from(index[dim]).unwrap() / tile[dim];
                *x = value * (10 * color(0) + color(1));
            }
        }
        // What they were to write is nothing that anybody may see.
        Step::Fail(..) | Step::FailTile(..) => {}
    }
}

/// Launches the step.
fn launch(step: &Step, rt: &Runtime, stores: &[Store<i64, DynRank>]) {
    match step.clone() {
        Step::Fill(part, value) => part.store(stores).fill(value).unwrap(),
        Step::Scale(part, factor) => {
            let task = rt.task("scale").args((update(&part.store(stores)),));
            task.launch(move |_, (mut x,)| x.update(|x| (x * factor) % 1009)).unwrap();
        }
        Step::Copy(to, from) => to.store(stores).copy_from(&from.store(stores)).unwrap(),
        Step::AddSum(from, to) => {
            let sum: Store<i64, DynRank> = rt.create(Point::EMPTY).unwrap();
            sum.fill(0).unwrap();
            rt.task("sum")
                .args((read(&from.store(stores)), reduce(&sum, Sum)))
                .constrain(|(_, sum)| [broadcast(sum)])
                .launch(|_, (x, mut sum)| x.to_vec().into_iter().for_each(|x| sum.reduce([0; 6], x)))
                .unwrap();
            rt.task("add")
                .args((update(&to.store(stores)), read(&sum)))
                .constrain(|(_, sum)| [broadcast(sum)])
                .launch(|_, (mut x, sum)| {
                    let sum = sum.get([0; 6]);
                    x.update(|x| (x + sum) % 1009);
                })
                .unwrap();
        }
        Step::Tiles(array, tile, value) => {
            let tiles = stores[array].partition_by_tiling(tile).unwrap();
            rt.task("tiles")
                .args((write(&tiles),))
                .launch(move |task, (mut x,)| x.fill(value * (10 * task.point()[0] + task.point()[1])))
                .unwrap();
        }
        Step::Fail(part, panics) => {
            rt.task("fail")
                .args((update(&part.store(stores)),))
                .single()
                .launch(move |_, (mut x,)| {
                    x.fill(77_777);
                    assert!(!panics, "injected");
                    Err(TaskBodyError::new("injected"))
                })
                .unwrap();
        }
        Step::FailTile(array, tile, color) => {
            let tiles = stores[array].partition_by_tiling(tile).unwrap();
            rt.task("fail tile")
                .args((update(&tiles),))
                .launch(
                    move |task, _| if task.point()[..] == color { Err(TaskBodyError::new("injected")) } else { Ok(()) },
                )
                .unwrap();
        }
    }
}

fn faulty_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => step(),
        1 => (part(), any::<bool>()).prop_map(|(part, panics)| Step::Fail(part, panics)),
        1 => (0..3_usize, 1..5_i64, 1..5_i64, 0..6_i64, 0..5_i64)
            .prop_map(|(array, a, b, i, j)| Step::FailTile(array, [a, b], [i / a, j / b])),
    ]
}

/// Keeps account of which elements nobody can tell to be valid: 1 where one may not be.
fn doubt(step: &Step, doubts: &mut [ArrayD<i64>]) {
    match step {
        Step::Fill(part, _) => part.view(doubts).fill(0),
        // The whole tile is lost with one element, and tiles are at most as large as the part.
        Step::Scale(part, _) => {
            let any = part.view(doubts).iter().any(|doubt| *doubt > 0);
            part.view(doubts).fill(i64::from(any));
        }
        Step::Copy(to, from) => {
            let any = from.view(doubts).iter().any(|doubt| *doubt > 0);
            to.view(doubts).fill(i64::from(any));
        }
        Step::AddSum(from, to) => {
            let any = [from, to].iter().any(|part| part.view(doubts).iter().any(|doubt| *doubt > 0));
            to.view(doubts).fill(i64::from(any));
        }
        Step::Tiles(array, ..) => doubts[*array].fill(0),
        Step::Fail(part, _) => part.view(doubts).fill(1),
        Step::FailTile(array, tile, color) => {
            let tile_of = |index: &IxDyn| [0, 1].map(|dim| i64::try_from(index[dim]).unwrap() / tile[dim]);
            let before = doubts[*array].clone();
            for (index, doubt) in doubts[*array].indexed_iter_mut() {
                let lost = |other: (IxDyn, &i64)| *other.1 > 0 && tile_of(&other.0) == tile_of(&index);
                *doubt = i64::from(tile_of(&index) == *color || before.indexed_iter().any(lost));
            }
        }
    }
}

/// The step, if a copy in it is between parts of one size that have no element in common.
fn proper(step: Step) -> Option<Step> {
    match step {
        Step::Copy(to, from) => {
            let sizes = [0, 1].map(|dim| to.rows_and_columns()[dim].min(from.rows_and_columns()[dim]));
            let (to, from) = (to.cut(sizes), from.cut(sizes));
            (!to.overlaps(&from)).then_some(Step::Copy(to, from))
        }
        step => Some(step),
    }
}

proptest! {
    #![proptest_config(cases(10_000))]

    /// Tasks fail here and there: what can still be read is right, and what no failure can have reached can be read.
    #[test]
    fn programs_with_failures(steps in prop::collection::vec(faulty_step(), 1..12), pieces in 1..7_usize) {
        let rt = runtime(pieces);
        static QUIET: std::sync::Once = std::sync::Once::new();
        QUIET.call_once(|| {
            let hook = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |info| {
                if info.payload().downcast_ref::<&str>() != Some(&"injected") {
                    hook(info);
                }
            }));
        });
        let mut arrays: Vec<ArrayD<i64>> = (0..3).map(|_| ArrayD::zeros(IxDyn(&EXTENTS))).collect();
        let mut doubts = arrays.clone();
        let extents = EXTENTS.map(|extent| i64::try_from(extent).unwrap());
        let stores: Vec<Store<i64, DynRank>> = (0..3).map(|_| rt.create(Point::from(extents)).unwrap()).collect();
        stores.iter().for_each(|store| store.fill(0).unwrap());
        let mut fails = false;
        for step in steps.into_iter().filter_map(proper) {
            fails |= matches!(step, Step::Fail(..) | Step::FailTile(..));
            model(&step, &mut arrays);
            doubt(&step, &mut doubts);
            launch(&step, rt, &stores);
        }
        let fence = rt.fence();
        prop_assert_eq!(fence.is_err(), fails, "{:?}", fence);
        for ((store, array), doubts) in stores.iter().zip(&arrays).zip(&doubts) {
            if let Ok(values) = store.to_vec() {
                prop_assert_eq!(values, array.iter().copied().collect::<Vec<_>>());
                continue;
            }
            for (index, value) in array.indexed_iter() {
                let at = [0, 1].map(|dim| i64::try_from(index[dim]).unwrap());
                match store.get(at) {
                    Ok(found) => prop_assert_eq!(found, *value, "at {:?}", at),
                    Err(error) => prop_assert!(doubts[&index] > 0, "at {:?}: {}", at, error),
                }
            }
            // Written anew, all is well again.
            store.fill(5).unwrap();
            prop_assert_eq!(store.to_vec().unwrap(), vec![5; array.len()]);
        }
        prop_assert!(rt.fence().is_ok());
    }

    /// Any chain of views shows what the same chain on an array does.
    #[test]
    fn views(ops in prop::collection::vec((0..6_u8, 0..4_usize, 0..6_i64, 0..6_i64), 0..6)) {
        let rt = runtime(1);
        let root: Store<i64, DynRank> = rt
            .create_from_fn(Point::from([4, 3, 6]), |index| 100 * index[0] + 10 * index[1] + index[2])
            .unwrap();
        let mut store = root.clone();
        // Which element of the root each index of the view is.
        let mut array = ArrayD::from_shape_vec(IxDyn(&[4, 3, 6]), root.to_vec().unwrap()).unwrap();
        for (op, dim, a, b) in ops {
            if dim >= store.rank() {
                continue;
            }
            let extent = store.extents()[dim];
            let at = |index: i64| usize::try_from(index).unwrap();
            match op {
                0 if store.rank() < 6 => {
                    store = store.promote(dim, a).unwrap();
                    let mut shape = array.shape().to_vec();
                    shape.insert(dim, at(a));
                    array = array.view().insert_axis(Axis(dim)).broadcast(IxDyn(&shape)).unwrap().to_owned();
                }
                1 if a < extent => match store.project(dim, a) {
                    Ok(next) => {
                        store = next;
                        array = array.index_axis_move(Axis(dim), at(a));
                    }
                    Err(_) => prop_assert!(store.transform().is_inner(dim)),
                },
                2 if a < b && b <= extent => match store.slice(dim, a, b) {
                    Ok(next) => {
                        store = next;
                        array.slice_axis_inplace(Axis(dim), Slice::from(at(a)..at(b)));
                    }
                    Err(_) => prop_assert!(store.transform().is_inner(dim)),
                },
                3 => {
                    let mut axes: Vec<usize> = (0..store.rank()).collect();
                    axes.rotate_left(dim);
                    store = store.transpose(axes.clone()).unwrap();
                    array = array.permuted_axes(axes);
                }
                4 => match store.step(dim, a - 3) {
                    Ok(next) => {
                        store = next;
                        let step = isize::try_from(a - 3).unwrap();
                        array.slice_axis_inplace(Axis(dim), Slice::new(0, None, step));
                    }
                    Err(error) => {
                        let delinearized = store.transform().to_string().contains("Delinearize");
                        prop_assert!(a == 3 || delinearized, "{error}");
                    }
                },
                5 if a > 0 && extent % a == 0 && extent > 0 && store.rank() < 6 => {
                    store = store.delinearize(dim, vec![a, extent / a]).unwrap();
                    let mut shape = array.shape().to_vec();
                    shape.splice(dim..=dim, [at(a), at(extent / a)]);
                    array = array.as_standard_layout().to_owned().into_shape_with_order(shape).unwrap();
                }
                _ => {}
            }
            let extents: Point = array.shape().iter().map(|extent| i64::try_from(*extent).unwrap()).collect();
            prop_assert_eq!(store.extents(), extents);
            prop_assert!(store.volume() == 0 || Rect::of(root.extents()).covers(&store.transform().footprint()));
        }
        prop_assert_eq!(store.to_vec().unwrap(), array.iter().copied().collect::<Vec<_>>());
        let aligned: Store<i64, DynRank> = rt.create(store.extents()).unwrap();
        rt.task("copy")
            .args((read(&store), write(&aligned)))
            .constrain(|(from, to)| [align(from, to)])
            .launch(|_, (from, mut to)| Ok(to.copy_from(&from)?))
            .unwrap();
        prop_assert_eq!(aligned.to_vec().unwrap(), store.to_vec().unwrap());
    }
}

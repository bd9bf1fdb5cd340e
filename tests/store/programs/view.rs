//! Views of arrays: the same steps for stores, and for lists of places.

use layout_store::{Bound, DynRank, Point, Store, StoreError, Transform};
use proptest::prelude::*;

use super::features::count;

/// The extents of the arrays.
pub(crate) const EXTENTS: [&[i64]; 3] = [&[30], &[6, 5], &[4, 3, 4]];

pub(crate) fn extents_of(array: usize) -> Point {
    EXTENTS[array].iter().copied().collect()
}

/// One step of a view.
#[derive(Clone, Debug)]
pub(crate) enum Turn {
    Slice(usize, i64, i64),
    Step(usize, i64),
    Reversed(usize),
    Transpose(Vec<usize>),
    Project(usize, i64),
    Promote(usize, i64),
    Broadcast(usize, i64),
    Delinearize(usize, [i64; 2]),
}

/// A view of an array that has elements.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub(crate) array: usize,
    pub(crate) turns: Vec<Turn>,
    transform: Transform,
}

/// The view that a list describes: its extents, and the place in the array of each of its elements, row by row.
#[derive(Clone)]
pub(crate) struct Shown {
    pub(crate) extents: Vec<i64>,
    pub(crate) at: Vec<usize>,
}

/// From an index of a view to that of the view before.
type Before = Box<dyn Fn(&[i64]) -> Vec<i64>>;

/// Each index below these extents, row by row.
pub(crate) fn indices(extents: &[i64]) -> impl Iterator<Item = Vec<i64>> + use<'_> {
    (0..extents.iter().product::<i64>()).map(|number| {
        let mut rest = number;
        let mut index: Vec<i64> = extents.iter().rev().map(|extent| (rest % extent, rest /= extent).0).collect();
        index.reverse();
        index
    })
}

impl Turn {
    fn name(&self) -> &'static str {
        match self {
            Self::Slice(..) => "slice",
            Self::Step(_, by) if *by < 0 => "step backwards",
            Self::Step(..) => "step",
            Self::Reversed(_) => "reversed",
            Self::Transpose(_) => "transpose",
            Self::Project(..) => "project",
            Self::Promote(..) => "promote",
            Self::Broadcast(..) => "broadcast a dimension",
            Self::Delinearize(..) => "delinearize",
        }
    }

    fn is_imaginary(&self) -> bool {
        matches!(self, Self::Promote(..) | Self::Broadcast(..))
    }

    fn transform(&self, view: &Transform) -> Option<Transform> {
        match self {
            Self::Slice(dim, start, stop) => view.slice(*dim, Bound::At(*start), Bound::At(*stop)).ok()?,
            Self::Step(dim, by) => view.step(*dim, *by).ok(),
            Self::Reversed(dim) => view.step(*dim, -1).ok(),
            Self::Transpose(axes) => view.transpose(axes).ok(),
            Self::Project(dim, index) => view.project(*dim, *index).ok(),
            Self::Promote(dim, extent) => view.promote(*dim, *extent).ok(),
            Self::Broadcast(dim, extent) => view.broadcast(*dim, *extent).ok(),
            Self::Delinearize(dim, extents) => view.delinearize(*dim, extents).ok(),
        }
    }

    fn store(&self, store: &Store<i64, DynRank>) -> Result<Store<i64, DynRank>, StoreError> {
        match self {
            Self::Slice(dim, start, stop) => store.slice(*dim, *start, *stop),
            Self::Step(dim, by) => store.step(*dim, *by),
            Self::Reversed(dim) => store.reversed(*dim),
            Self::Transpose(axes) => store.transpose(axes.clone()),
            Self::Project(dim, index) => store.project(*dim, *index),
            Self::Promote(dim, extent) => store.promote(*dim, *extent),
            Self::Broadcast(dim, extent) => store.broadcast(*dim, *extent),
            Self::Delinearize(dim, extents) => store.delinearize(*dim, extents.to_vec()),
        }
    }

    /// The extents of the view, and which index before is at an index of it.
    fn list(&self, before: &[i64]) -> (Vec<i64>, Before) {
        let mut extents = before.to_vec();
        let moved = |dim: usize, f: Box<dyn Fn(i64) -> i64>| -> Before {
            Box::new(move |index: &[i64]| {
                let mut index = index.to_vec();
                index[dim] = f(index[dim]);
                index
            })
        };
        match self.clone() {
            Self::Slice(dim, start, stop) => {
                extents[dim] = stop - start;
                (extents, moved(dim, Box::new(move |at| at + start)))
            }
            Self::Step(dim, by) => {
                // As in `(0..extent).step_by(by)`, or from the end.
                let all: Vec<i64> =
                    if by > 0 { (0..extents[dim]).collect() } else { (0..extents[dim]).rev().collect() };
                let left: Vec<i64> = all.into_iter().step_by(usize::try_from(by.abs()).unwrap()).collect();
                extents[dim] = left.len() as i64;
                (extents, moved(dim, Box::new(move |at| left[at as usize])))
            }
            Self::Reversed(dim) => {
                let last = extents[dim] - 1;
                (extents, moved(dim, Box::new(move |at| last - at)))
            }
            Self::Transpose(axes) => {
                let turned = axes.iter().map(|axis| extents[*axis]).collect();
                (
                    turned,
                    Box::new(move |index| {
                        let mut old = vec![0; axes.len()];
                        axes.iter().zip(index).for_each(|(axis, at)| old[*axis] = *at);
                        old
                    }),
                )
            }
            Self::Project(dim, at) => {
                extents.remove(dim);
                (
                    extents,
                    Box::new(move |index| {
                        let mut old = index.to_vec();
                        old.insert(dim, at);
                        old
                    }),
                )
            }
            Self::Promote(dim, extent) => {
                extents.insert(dim, extent);
                (
                    extents,
                    Box::new(move |index| {
                        let mut old = index.to_vec();
                        old.remove(dim);
                        old
                    }),
                )
            }
            Self::Broadcast(dim, extent) => {
                extents[dim] = extent;
                (extents, moved(dim, Box::new(|_| 0)))
            }
            Self::Delinearize(dim, [rows, columns]) => {
                extents.splice(dim..=dim, [rows, columns]);
                (
                    extents,
                    Box::new(move |index| {
                        let mut old = index.to_vec();
                        let column = old.remove(dim + 1);
                        old[dim] = old[dim] * columns + column;
                        old
                    }),
                )
            }
        }
    }
}

impl View {
    pub(crate) fn new(array: usize) -> Self {
        let transform = Transform::identity(extents_of(array)).unwrap();
        Self { array, turns: Vec::new(), transform }
    }

    /// With one more step, if the transform takes it and leaves elements.
    pub(crate) fn turned(&self, turn: Turn) -> Option<Self> {
        let transform = turn.transform(&self.transform).filter(|next| (1..500).contains(&next.volume()))?;
        let turns = self.turns.iter().cloned().chain([turn]).collect();
        Some(Self { array: self.array, turns, transform })
    }

    pub(crate) fn rank(&self) -> usize {
        self.transform.rank()
    }

    pub(crate) fn extents(&self) -> Point {
        self.transform.extents()
    }

    pub(crate) fn is_inner(&self, dim: usize) -> bool {
        self.transform.is_inner(dim)
    }

    pub(crate) fn store(&self, stores: &[Store<i64, DynRank>]) -> Store<i64, DynRank> {
        let all = self.turns.iter().try_fold(stores[self.array].clone(), |store, turn| turn.store(&store));
        all.unwrap()
    }

    pub(crate) fn shown(&self) -> Shown {
        let extents = EXTENTS[self.array].to_vec();
        let at = (0..extents.iter().product::<i64>() as usize).collect();
        self.turns.iter().fold(Shown { extents, at }, |shown, turn| {
            let (extents, before) = turn.list(&shown.extents);
            let number = |index: Vec<i64>| index.iter().zip(&shown.extents).fold(0, |sum, (at, side)| sum * side + at);
            let at = indices(&extents).map(|index| shown.at[number(before(&index)) as usize]).collect();
            Shown { extents, at }
        })
    }

    /// Returns `true` if both show a common element.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        let there = other.shown().at;
        self.array == other.array && self.shown().at.iter().any(|at| there.contains(at))
    }

    pub(crate) fn count_turns(&self) {
        self.turns.iter().for_each(|turn| count(turn.name()));
        let steps = self.turns.iter().filter(|turn| turn.name().starts_with("step"));
        if steps.count() > 1 {
            count("steps of steps");
        }
    }
}

/// Parts of both views that have the same extents, if there are some: the first indices along each dimension.
pub(crate) fn alike(mut a: View, mut b: View) -> Option<(View, View)> {
    while a.rank() != b.rank() {
        let larger = if a.rank() > b.rank() { &mut a } else { &mut b };
        let last = larger.rank() - 1;
        *larger = larger.turned(Turn::Project(last, 0))?;
    }
    for dim in 0..a.rank() {
        let extent = a.extents()[dim].min(b.extents()[dim]);
        for view in [&mut a, &mut b] {
            if view.extents()[dim] > extent {
                *view = view.turned(Turn::Slice(dim, 0, extent))?;
            }
        }
    }
    Some((a, b))
}

/// A view of any array; of one in which several indices may be one element if `imaginary` says so.
pub(crate) fn view(imaginary: bool) -> impl Strategy<Value = View> {
    let turns = prop::collection::vec((0..12_u8, 0..4_usize, 0..6_i64, 1..6_i64), 0..6);
    // Tiles of a distribution are tiles of the whole.
    let turns = prop_oneof![3 => turns, 1 => Just(Vec::new())];
    (0..EXTENTS.len(), turns).prop_map(move |(array, turns)| {
        turns.into_iter().fold(View::new(array), |view, (kind, dim, a, b)| {
            let (rank, extents) = (view.rank(), view.extents());
            let dim = dim % (rank + usize::from(kind == 8)).max(1);
            let extent = if dim < rank { extents[dim] } else { 1 };
            let turn = match kind {
                0 | 1 => Turn::Slice(dim, a.min(extent - 1), (a + 3 * b).min(extent)),
                2 | 3 => Turn::Step(dim, b),
                4 => Turn::Step(dim, -b),
                5 => Turn::Reversed(dim),
                6 => Turn::Transpose((0..rank).map(|axis| (axis + dim) % rank).collect()),
                7 => Turn::Project(dim, a % extent),
                8 => Turn::Promote(dim, b),
                // Only dimensions of one index can be, which are few.
                9 | 10 => Turn::Broadcast(dim, b),
                _ => Turn::Delinearize(dim, [extent / b, b]),
            };
            if turn.is_imaginary() && !imaginary { view } else { view.turned(turn).unwrap_or(view) }
        })
    })
}

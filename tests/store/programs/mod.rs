//! Random programs over views of any kind, on one and on several locales, against the same programs on lists.
//!
//! `LAYOUT_STORE_CASES` multiplies the number of programs, 2,000, as a percentage: 1000 makes them 20,000.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "numbers are small"
)]

mod deal;
pub(crate) mod features;
mod view;

use deal::{Deal, deal, saw, tiles_with_steps};
use features::{cases, count};
use layout_core::zip;
use layout_store::{
    DynRank, ImageHint, Mapper, Point, Rect, Runtime, Store, StoreError, Sum, Task, align, bloat, broadcast, image,
    read, reduce, update, write,
};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use support::locales::on_locales;
use view::{EXTENTS, Shown, Turn, View, alike, extents_of, indices, view};

type Stores = [Store<i64, DynRank>];
type Array = Store<i64, DynRank>;
/// An observation of a program: the elements of a view, or a refusal.
type Seen = Option<Vec<i64>>;

/// Numbers stay below this.
const MODULUS: i64 = 1009;

#[derive(Clone, Debug)]
enum Step {
    Fill(View, i64),
    /// A task that writes each element by its index, cut as the runtime chooses.
    Write(View, i64),
    Scale(View, i64),
    /// The same by tiles of these extents, each of which adds a number of its own, where a mapper of this number puts them.
    Tiles(View, Vec<i64>, usize),
    /// From the second to the first; refused if they overlap.
    Copy(View, View),
    /// Adds the second to the first, in one launch; refused if they overlap.
    Add(View, View),
    /// Contributes each element of the second to that of the first at its index, which several indices may be.
    Contribute(View, View),
    /// Adds the sum of the first to each element of the second.
    AddSum(View, View),
    /// Sets each element to the sum of the neighbors of an element of another array, along the first dimension.
    Neighbors(View, View),
    /// Sets each element to that to which a number points, seen through a step.
    Look(View, View, i64, bool),
    /// Adds each element of the second to the element of the first to which a number points, forwards or backwards: the numbers of
    /// different tiles point to different boxes.
    Through(View, View, bool),
    Read(View),
    Get(View, usize),
    /// The program writes: all on each locale, or each locale its part.
    Set(View, i64, bool),
    /// The program reads the second while it writes the first; refused if they overlap.
    Nested(View, View),
    /// The array of this number goes to a new store, whose elements lie where a distribution says: as it is, or to each element its
    /// neighbors along a dimension added, by tasks on the tiles of the new store.
    Deal(usize, Deal, Option<usize>),
}

/// A value for an index.
fn value(index: &[i64], seed: i64) -> i64 {
    index.iter().fold(seed, |sum, at| (7 * sum + at) % MODULUS)
}

/// The number that stands at a place of a list of pointers to one of `extent` elements.
fn pointer(at: i64, extent: i64) -> i64 {
    (at * at + 3 * at) % extent
}

/// The number that stands at a place of a list of so many pointers to elements of `extent`, which are as far apart as they can be.
fn spread(at: i64, (count, extent): (i64, i64), backwards: bool) -> i64 {
    let apart = if count > 1 { (extent - 1) / (count - 1) } else { 1 };
    apart * if backwards { count - 1 - at } else { at }
}

/// Each index that a view of a tile shows, in its own six dimensions, and in the numbers of the argument.
fn tile_indices(task: &Task, argument: usize) -> impl Iterator<Item = ([usize; 6], Point)> {
    let rect = task.rect(argument);
    saw(&rect, false);
    rect.points().map(move |index| (local(&index, &rect), index))
}

fn local(index: &Point, rect: &Rect) -> [usize; 6] {
    let mut at = [0; 6];
    let (first, lo, steps) = (6 - index.len(), rect.lo(), rect.steps());
    (0..index.len()).for_each(|dim| at[first + dim] = ((index[dim] - lo[dim]) / steps[dim]) as usize);
    at
}

/// Does the step on lists.
fn model(step: &Step, arrays: &mut [Vec<i64>]) -> Vec<Seen> {
    let load = |arrays: &[Vec<i64>], view: &View| -> Vec<i64> {
        view.shown().at.iter().map(|at| arrays[view.array][*at]).collect()
    };
    let each = |arrays: &mut [Vec<i64>], view: &View, f: &dyn Fn(usize, &[i64], i64) -> i64| {
        let Shown { extents, at } = view.shown();
        for (number, (index, at)) in indices(&extents).zip(at).enumerate() {
            arrays[view.array][at] = f(number, &index, arrays[view.array][at]);
        }
    };
    match step {
        Step::Fill(view, seed) => each(arrays, view, &|_, _, _| *seed),
        Step::Write(view, seed) => each(arrays, view, &|_, index, _| value(index, *seed)),
        Step::Scale(view, factor) | Step::Set(view, factor, _) => each(arrays, view, &|_, _, x| x * factor % MODULUS),
        Step::Tiles(view, tile, _) => each(arrays, view, &|_, index, x| {
            let color: Vec<i64> = index.iter().zip(tile).map(|(at, side)| at / side).collect();
            (x + value(&color, 1)) % MODULUS
        }),
        Step::Copy(to, from) | Step::Add(to, from) | Step::Nested(to, from) if to.overlaps(from) => return vec![None],
        Step::Copy(to, from) => {
            let values = load(arrays, from);
            each(arrays, to, &|number, _, _| values[number]);
        }
        Step::Add(to, from) | Step::Contribute(to, from) | Step::Nested(to, from) => {
            let values = load(arrays, from);
            each(arrays, to, &|number, _, x| (x + values[number]) % MODULUS);
        }
        Step::AddSum(from, to) => {
            let sum = load(arrays, from).iter().sum::<i64>();
            each(arrays, to, &|_, _, x| (x + sum) % MODULUS);
        }
        Step::Neighbors(to, from) => {
            let (values, extents) = (load(arrays, from), from.shown().extents);
            let row: i64 = extents[1..].iter().product();
            let get = |number: i64| usize::try_from(number).ok().and_then(|number| values.get(number)).copied();
            each(arrays, to, &|number, _, _| {
                let number = number as i64;
                (get(number - row).unwrap_or(0) + get(number + row).unwrap_or(0)) % MODULUS
            });
        }
        Step::Look(to, range, by, _) => {
            let values = load(arrays, range);
            let count = to.extents()[0];
            let place =
                |number: usize| if *by > 0 { by * number as i64 } else { by.abs() * count - 1 + by * number as i64 };
            each(arrays, to, &|number, _, _| values[pointer(place(number), values.len() as i64) as usize]);
        }
        Step::Through(to, from, backwards) => {
            let (values, at) = (load(arrays, from), to.shown().at);
            for (number, value) in values.iter().enumerate() {
                let to_element = spread(number as i64, (values.len() as i64, at.len() as i64), *backwards);
                let element = &mut arrays[to.array][at[to_element as usize]];
                *element = (*element + value) % MODULUS;
            }
        }
        Step::Read(view) => return vec![Some(load(arrays, view))],
        Step::Get(view, number) => {
            let values = load(arrays, view);
            return vec![Some(vec![values[number % values.len()]])];
        }
        Step::Deal(_, _, None) => {}
        Step::Deal(array, _, Some(dim)) => {
            let (extents, values) = (EXTENTS[*array], arrays[*array].clone());
            let (side, row) = (extents[*dim], extents[dim + 1..].iter().product::<i64>());
            for (number, value) in arrays[*array].iter_mut().enumerate() {
                let along = number as i64 / row % side;
                let beside = [-1, 1].into_iter().filter(|by| (0..side).contains(&(along + by)));
                let sum = beside.map(|by| values[(number as i64 + by * row) as usize]).sum::<i64>();
                *value = (*value + sum) % MODULUS;
            }
        }
    }
    Vec::new()
}

/// Does the step, which comes after others, on stores.
fn launch(step: &Step, before: &[Step], rt: &Runtime, stores: &mut Stores) -> Result<Vec<Seen>, StoreError> {
    let refused = |error: StoreError| match error {
        StoreError::Onto | StoreError::Aliased { .. } | StoreError::WaitsForItself => Ok(vec![None]),
        error => Err(error),
    };
    match step.clone() {
        Step::Fill(view, seed) => view.store(stores).fill(seed)?,
        Step::Write(view, seed) => {
            rt.task("write").args((write(&view.store(stores)),)).launch(move |task, (mut x,)| {
                tile_indices(task, 0).for_each(|(at, index)| x.set(at, value(&index, seed)));
            })?;
        }
        Step::Scale(view, factor) => {
            let task = rt.task("scale").args((update(&view.store(stores)),));
            task.launch(move |_, (mut x,)| x.update(|x| x * factor % MODULUS))?;
        }
        Step::Tiles(view, tile, mapper) => {
            let tiles = view.store(stores).partition_by_tiling(tile)?;
            let task = rt.task("tiles").args((update(&tiles),));
            let own = || Mapper::new(|at, _, locales| at.iter().sum::<i64>() as usize % locales);
            let task = match mapper {
                0 => task,
                1 => task.mapped(&Mapper::round_robin()),
                _ => task.mapped(&own()),
            };
            task.launch(|task, (mut x,)| {
                let number = value(&task.point(), 1);
                x.update(|x| (x + number) % MODULUS);
            })?;
        }
        Step::Copy(to, from) => {
            return to.store(stores).copy_from(&from.store(stores)).map(|()| Vec::new()).or_else(refused);
        }
        Step::Add(to, from) => {
            let task = rt.task("add").args((update(&to.store(stores)), read(&from.store(stores))));
            let launched = task.constrain(|(to, from)| align(to, from)).launch(|_, (mut to, from)| {
                zip((&mut to, &from)).for_each(|(mut to, from)| to.set((to.get() + from.get()) % MODULUS));
            });
            return launched.map(|_| Vec::new()).or_else(refused);
        }
        Step::Contribute(to, from) => {
            let to = to.store(stores);
            rt.task("contribute")
                .args((reduce(&to, Sum), read(&from.store(stores))))
                .constrain(|(to, from)| align(to, from))
                .launch(|task, (mut to, from)| {
                    tile_indices(task, 1).for_each(|(at, _)| to.reduce(at, from.get(at)));
                })?;
            // Not through `to`, of which several indices may be one element.
            for store in &*stores {
                let task = rt.task("bound").args((update(store),));
                task.launch(|_, (mut x,)| x.update(|x| x % MODULUS))?;
            }
        }
        Step::AddSum(from, to) => {
            let sum: Array = rt.create(Point::EMPTY)?;
            sum.fill(0)?;
            rt.task("sum")
                .args((read(&from.store(stores)), reduce(&sum, Sum)))
                .constrain(|(_, sum)| broadcast(sum))
                .launch(|_, (x, mut sum)| x.values().for_each(|x| sum.reduce([0; 6], x)))?;
            rt.task("add sum")
                .args((update(&to.store(stores)), read(&sum)))
                .constrain(|(_, sum)| broadcast(sum))
                .launch(|_, (mut x, sum)| {
                    let sum = sum.get([0; 6]);
                    x.update(|x| (x + sum) % MODULUS);
                })?;
        }
        Step::Neighbors(to, from) => {
            let mut margin = vec![0; to.rank()];
            margin[0] = 1;
            rt.task("neighbors")
                .args((write(&to.store(stores)), read(&from.store(stores))))
                .constrain(|(to, from)| bloat(to, from, margin.clone(), margin))
                .launch(|task, (mut to, from)| {
                    let rect = task.rect(1);
                    saw(&rect, true);
                    for (at, index) in tile_indices(task, 0) {
                        let get = |by: i64| {
                            let index = index.with(0, index[0] + by);
                            if rect.contains(&index) { from.get(local(&index, &rect)) } else { 0 }
                        };
                        to.set(at, (get(-1) + get(1)) % MODULUS);
                    }
                })?;
        }
        Step::Look(to, range, by, precise) => {
            let (to, range) = (to.store(stores), range.store(stores).into_rank::<layout_core::Dim<1>>()?);
            let extent = range.extents()[0];
            let pointers: Array =
                rt.create_from_fn(Point::from([by.abs() * to.extents()[0]]), |at| pointer(at[0], extent))?;
            let hint = if precise { ImageHint::Precise } else { ImageHint::MinMax };
            rt.task("look")
                .args((write(&to), read(&range), read(&pointers.step(0, by)?)))
                .constrain(|(to, range, pointers)| [align(pointers, to), image(pointers, range, hint)])
                .launch(|task, (mut to, range, pointers)| {
                    let [first] = task.origin(1);
                    for (at, _) in tile_indices(task, 0) {
                        to.set(at, range.get(pointers.get(at) as usize - first));
                    }
                })?;
        }
        Step::Through(to, from, backwards) => {
            let (to, values) = (to.store(stores).into_rank::<layout_core::Dim<1>>()?, from.store(stores));
            let sizes = (values.extents()[0], to.extents()[0]);
            let pointers: Array = rt.create_from_fn(Point::from([sizes.0]), |at| spread(at[0], sizes, backwards))?;
            let through = |values: &Array| {
                rt.task("through")
                    .args((update(&to), read(values), read(&pointers)))
                    .constrain(|(to, values, pointers)| {
                        [align(pointers, values), image(pointers, to, ImageHint::MinMax)]
                    })
                    .launch(|task, (mut to, values, pointers)| {
                        let [first] = task.origin(0);
                        for (at, _) in tile_indices(task, 1) {
                            let element = pointers.get(at) as usize - first;
                            to.set(element, (to.get(element) + values.get(at)) % MODULUS);
                        }
                    })
            };
            let dealt = before.iter().any(|step| matches!(step, Step::Deal(array, ..) if *array == from.array));
            match through(&values) {
                // Boxes around what every second value points to have common elements.
                Err(StoreError::Overlap { .. }) if dealt => {
                    let list = values.to_vec()?;
                    through(&rt.create_from_fn(Point::from([sizes.0]), |at| list[at[0] as usize])?)?
                }
                launched => launched?,
            };
        }
        Step::Read(view) => return Ok(vec![Some(view.store(stores).to_vec()?)]),
        Step::Get(view, number) => {
            let store = view.store(stores);
            let extents = view.shown().extents;
            let number = number % extents.iter().product::<i64>() as usize;
            let index = indices(&extents).nth(number).unwrap_or_default();
            return Ok(vec![Some(vec![store.get(index)?])]);
        }
        Step::Set(view, factor, false) => view.store(stores).update(|mut x| x.update(|x| x * factor % MODULUS))?,
        Step::Set(view, factor, true) => {
            let (store, each) = (view.store(stores), |x| x * factor % MODULUS);
            store.update_local(|boxes| boxes.into_iter().for_each(|(_, mut x)| x.update(each)))?;
            // What is seen of it is what all see, and one gets all.
            let all = store.to_vec()?;
            let seen = store.read_local(|boxes| {
                let whole = Rect::of(store.extents());
                boxes.iter().all(|(rect, x)| {
                    let inside = whole.points().zip(&all).filter(|(at, _)| rect.contains(at));
                    inside.map(|(_, value)| *value).eq(x.to_vec())
                })
            })?;
            let one = rt.locales() / 2;
            assert!(seen && store.gather(one)? == (rt.locale() == one).then_some(all));
        }
        Step::Nested(to, from) => {
            let (to, from) = (to.store(stores), from.store(stores));
            let added = to.update(|mut to| {
                from.read(|from| {
                    zip((&mut to, &from)).for_each(|(mut to, from)| to.set((to.get() + from.get()) % MODULUS));
                })
            })?;
            return added.map(|()| Vec::new()).or_else(refused);
        }
        Step::Deal(array, deal, dim) => {
            let distribution = deal.distribution(EXTENTS[array], rt.locales());
            let dealt: Array = rt.create_distributed(extents_of(array), &distribution)?;
            let old = core::mem::replace(&mut stores[array], dealt.clone());
            let Some(dim) = dim else { return dealt.copy_from(&old).map(|()| Vec::new()) };
            let mut margin = vec![0; EXTENTS[array].len()];
            margin[dim] = 1;
            rt.task("deal")
                .args((write(&dealt), read(&old)))
                .constrain(|(dealt, old)| bloat(dealt, old, margin.clone(), margin))
                .launch(move |task, (mut dealt, old)| {
                    let rect = task.rect(1);
                    saw(&rect, true);
                    for (at, index) in tile_indices(task, 0) {
                        let beside = [-1, 0, 1].map(|by| index.with(dim, index[dim] + by));
                        let sum = beside.iter().filter(|at| rect.contains(at)).map(|at| old.get(local(at, &rect)));
                        dealt.set(at, sum.sum::<i64>() % MODULUS);
                    }
                })?;
        }
    }
    Ok(Vec::new())
}

/// Two views of the same extents, the first of which may be written.
fn pair(imaginary: bool) -> impl Strategy<Value = Option<(View, View)>> {
    (view(imaginary), view(true), 0..12_usize).prop_map(|(to, from, split)| {
        if split >= 6 || to.rank() == 0 {
            return alike(to, from);
        }
        // Every second index of a dimension, and those between.
        let dim = split % to.rank();
        let odd = to.turned(Turn::Slice(dim, 1, to.extents()[dim]))?.turned(Turn::Step(dim, -2))?;
        alike(odd, to.turned(Turn::Step(dim, 2))?)
    })
}

/// A step; none where two views do not fit each other.
fn step() -> impl Strategy<Value = Option<Step>> {
    let tiles = (view(false), prop::collection::vec(1..5_i64, 6), 0..3_usize).prop_map(|(view, tile, mapper)| {
        let side = |dim: usize| if view.is_inner(dim) { view.extents()[dim] } else { tile[dim] };
        let tile = (0..view.rank()).map(side).collect();
        Some(Step::Tiles(view, tile, mapper))
    });
    let line = |view: View| {
        let mut dims = (1..view.rank()).rev();
        dims.try_fold(view, |view, dim| view.turned(Turn::Project(dim, 0))).filter(|view| view.rank() == 1)
    };
    let look = (view(false), view(false), prop_oneof![Just(1), Just(-1), Just(2), Just(-3)], any::<bool>());
    prop_oneof![
        1 => (view(true), 0..MODULUS).prop_map(|(view, seed)| Some(Step::Fill(view, seed))),
        1 => (view(false), 0..MODULUS).prop_map(|(view, seed)| Some(Step::Write(view, seed))),
        1 => (view(false), 2..9_i64).prop_map(|(view, factor)| Some(Step::Scale(view, factor))),
        1 => tiles,
        2 => pair(false).prop_map(|views| views.map(|(to, from)| Step::Copy(to, from))),
        2 => pair(false).prop_map(|views| views.map(|(to, from)| Step::Add(to, from))),
        2 => pair(true).prop_map(|views| views.map(|(to, from)| Step::Contribute(to, from))),
        1 => (view(true), view(false)).prop_map(|(from, to)| Some(Step::AddSum(from, to))),
        2 => pair(false).prop_map(|views| {
            views.filter(|(to, from)| to.array != from.array && to.rank() > 0).map(|(to, from)| Step::Neighbors(to, from))
        }),
        3 => look.prop_map(move |(to, range, by, precise)| {
            let (to, range) = (line(to)?, line(range)?);
            (to.array != range.array).then_some(Step::Look(to, range, by, precise))
        }),
        2 => (view(false), view(false), any::<bool>()).prop_map(move |(to, from, backwards)| {
            let (to, from) = (line(to)?, line(from)?);
            let fits = to.array != from.array && from.extents()[0] <= to.extents()[0];
            fits.then_some(Step::Through(to, from, backwards))
        }),
        1 => view(true).prop_map(|view| Some(Step::Read(view))),
        1 => (view(true), any::<usize>()).prop_map(|(view, number)| Some(Step::Get(view, number))),
        2 => (view(false), 2..9_i64, any::<bool>())
            .prop_map(|(view, factor, local)| Some(Step::Set(view, factor, local))),
        2 => pair(false).prop_map(|views| views.map(|(to, from)| Step::Nested(to, from))),
        3 => (0..EXTENTS.len(), deal(), 0..4_usize).prop_map(|(array, deal, dim)| {
            Some(Step::Deal(array, deal, (dim < EXTENTS[array].len()).then_some(dim)))
        }),
    ]
}

/// Counts what a step tests.
fn count_step(step: &Step) {
    let (name, views): (_, Vec<&View>) = match step {
        Step::Fill(a, _) => ("fill", vec![a]),
        Step::Write(a, _) => ("privilege write", vec![a]),
        Step::Scale(a, _) => ("privilege update", vec![a]),
        Step::Tiles(a, _, 0) => ("partition by tiling", vec![a]),
        Step::Tiles(a, _, 1) => ("mapper, round robin", vec![a]),
        Step::Tiles(a, ..) => ("mapper of the program", vec![a]),
        Step::Copy(a, b) => ("copy", vec![a, b]),
        Step::Add(a, b) => ("constraint align", vec![a, b]),
        Step::Contribute(a, b) => ("privilege reduce", vec![a, b]),
        Step::AddSum(a, b) => ("constraint broadcast", vec![a, b]),
        Step::Neighbors(a, b) => ("constraint bloat", vec![a, b]),
        Step::Look(a, b, _, true) => ("constraint image, precise", vec![a, b]),
        Step::Look(a, b, ..) => ("constraint image, bounds", vec![a, b]),
        Step::Through(a, b, _) => ("an image is written through", vec![a, b]),
        Step::Read(a) => ("program reads", vec![a]),
        Step::Get(a, _) => ("program gets one", vec![a]),
        Step::Set(a, _, false) => ("program updates", vec![a]),
        Step::Set(a, _, true) => ("program updates parts", vec![a]),
        Step::Nested(a, b) => ("nested access", vec![a, b]),
        Step::Deal(_, deal, _) => (deal.name(), vec![]),
    };
    count(name);
    views.iter().for_each(|view| view.count_turns());
    if let Step::Copy(to, from) | Step::Add(to, from) | Step::Nested(to, from) = step
        && to.array == from.array
    {
        let between =
            [to, from].map(|view| *view.shown().at.iter().min().unwrap()..*view.shown().at.iter().max().unwrap());
        count(match to.overlaps(from) {
            true => "refused: common elements",
            false if between[0].contains(&between[1].start) || between[1].contains(&between[0].start) => {
                "elements between each other, in one launch or access"
            }
            false => "parts of one store, in one launch or access",
        });
    }
}

const FEATURES: [&str; 48] = [
    "slice",
    "step",
    "step backwards",
    "steps of steps",
    "reversed",
    "transpose",
    "project",
    "promote",
    "broadcast a dimension",
    "delinearize",
    "fill",
    "copy",
    "privilege write",
    "privilege update",
    "privilege reduce",
    "partition by tiling",
    "mapper, round robin",
    "mapper of the program",
    "constraint align",
    "constraint broadcast",
    "constraint bloat",
    "constraint image, precise",
    "constraint image, bounds",
    "an image is written through",
    "memory of a part grows",
    "memory of a part goes",
    "dealt out in turn",
    "dealt out in blocks",
    "dealt out along some dimensions",
    "tile with steps",
    "tile with steps and a margin",
    "program reads",
    "program gets one",
    "program updates",
    "program updates parts",
    "nested access",
    "refused: common elements",
    "elements between each other, in one launch or access",
    "parts of one store, in one launch or access",
    "one locale",
    "two locales",
    "three locales",
    "four locales",
    "five locales",
    "six locales",
    "a part on each locale",
    "the whole on each locale",
    "more pieces than locales",
];

#[test]
fn programs_are_as_on_lists() {
    let strategy = (prop::collection::vec(step(), 1..20), 1..7_usize, 1..9_usize, any::<bool>());
    let config = cases(2000);
    let programs = config.cases;
    let run = |(steps, locales, pieces, divided): (Vec<Option<Step>>, usize, usize, bool)| {
        let steps: Vec<Step> = steps.into_iter().flatten().collect();
        steps.iter().for_each(count_step);
        count(
            ["one locale", "two locales", "three locales", "four locales", "five locales", "six locales"][locales - 1],
        );
        if locales > 1 {
            count(if divided { "a part on each locale" } else { "the whole on each locale" });
        }
        if pieces > locales {
            count("more pieces than locales");
        }
        let mut arrays: Vec<Vec<i64>> =
            EXTENTS.iter().map(|sides| indices(sides).map(|at| value(&at, 1)).collect()).collect();
        let mut expected: Vec<Seen> = steps.iter().flat_map(|step| model(step, &mut arrays)).collect();
        expected.extend(arrays.into_iter().map(Some));
        let builder = Runtime::builder().locales(locales).threads(1 + pieces % 2).pieces(pieces).min_chunk(1);
        let builder = if divided { builder.whole_below(0) } else { builder };
        let found = on_locales(builder, steps, |rt, steps| {
            let mut stores: Vec<Array> = (0..EXTENTS.len())
                .map(|array| rt.create_from_fn(extents_of(array), |at| value(&at, 1)).unwrap())
                .collect();
            let mut seen: Vec<Seen> = Vec::new();
            // Whether memory for a part became larger, and whether some was given back, while the stores were used.
            let (mut grew, mut went) = (false, false);
            for (number, step) in steps.iter().enumerate() {
                let before = rt.memory();
                seen.extend(
                    launch(step, &steps[..number], rt, &mut stores).unwrap_or_else(|error| panic!("{step:?}: {error}")),
                );
                for store in &stores {
                    let Some((before, now)) = before.of(store).zip(rt.memory().of(store)) else { continue };
                    grew |= before.home > 0 && before.home + before.margin < now.home + now.margin;
                    went |= now.home < before.home || now.cache < before.cache;
                }
            }
            seen.extend(stores.iter().map(|store| Some(store.to_vec().unwrap())));
            rt.fence().unwrap();
            let [strided, with_margin] = tiles_with_steps().map(|count| count > 0);
            (seen, [grew, went, strided, with_margin])
        });
        for (found, did) in found.unwrap() {
            prop_assert_eq!(&found, &expected);
            let names =
                ["memory of a part grows", "memory of a part goes", "tile with steps", "tile with steps and a margin"];
            did.into_iter().zip(names).filter(|(did, _)| *did).for_each(|(_, name)| count(name));
        }
        Ok(())
    };
    TestRunner::new(config).run(&strategy, run).unwrap_or_else(|error| panic!("{error}"));
    features::check(&FEATURES, if programs < 2000 { 1 } else { 100 });
}

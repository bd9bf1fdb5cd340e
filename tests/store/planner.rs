//! Planners: of random programs on up to 16 locales each pair of planners agrees, box by box; what they say is what a model says
//! that knows of each element who wrote it last, and who was sent it since; and it is what locales send when the programs run.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "numbers are small"
)]

use core::iter::repeat;
use core::mem::take;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use layout::error::PortableError;
use layout::record::Portable;
use layout_store::{
    DynRank, Launched, Mapper, PlannedLaunch, PlannedMessage, Planner, Point, Rect, Runtime, Store, StoreError, Sum,
    Task, TaskBuilder, align, bloat, bloat_faces, bloat_periodic, broadcast, read, reduce, update, write,
};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use support::locales::on_locales;

#[path = "programs/features.rs"]
mod features;
#[path = "programs/view.rs"]
mod view;

use features::{cases, count};
use view::{EXTENTS, Turn, View, alike, extents_of, view};

type Array = Store<i64, DynRank>;

/// The use that a launch makes of its views.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Write,
    Update,
    /// Writes the first, reads the second by the same tiles.
    Aligned,
    /// Reads a margin around the tiles.
    Bloat(i64, i64),
    /// The same below and above, without corners.
    Faces(i64),
    /// The same, round the ends.
    Periodic(i64),
    /// Each point reads the whole of the second.
    Whole,
    /// Tiles of these extents.
    Tiles(i64),
    /// Such tiles, and those of the second in another order.
    Projected(i64),
    /// Contributes the second to the first.
    Reduce,
}

#[derive(Clone, Debug)]
struct Step {
    kind: Kind,
    to: View,
    from: View,
    mapper: usize,
}

impl Step {
    fn name(&self) -> &'static str {
        match self.kind {
            Kind::Write => "write",
            Kind::Update => "update",
            Kind::Aligned => "align",
            Kind::Bloat(..) => "bloat",
            Kind::Faces(_) => "bloat, faces",
            Kind::Periodic(_) => "bloat, periodic",
            Kind::Whole => "broadcast",
            Kind::Tiles(_) => "tiles",
            Kind::Projected(_) => "projection",
            Kind::Reduce => "reduce",
        }
    }

    /// The views, and whether each is read and written, in the order of the arguments; a reduction's target is neither.
    fn uses(&self) -> Vec<(&View, bool, bool)> {
        match self.kind {
            Kind::Write => vec![(&self.to, false, true)],
            Kind::Update | Kind::Tiles(_) => vec![(&self.to, true, true)],
            Kind::Reduce => vec![(&self.to, false, false), (&self.from, true, false)],
            _ => vec![(&self.to, false, true), (&self.from, true, false)],
        }
    }
}

/// A call of a task body: the launch, the number of the point, the locale, and the indices of each argument.
#[derive(Clone, Debug)]
struct Ran {
    launch: usize,
    point: Point,
    locale: usize,
    rects: Vec<Rect>,
}

impl Portable for Ran {
    fn write(&self, to: &mut impl Extend<u8>) {
        (self.launch, self.point, self.locale, self.rects.clone()).write(to);
    }

    fn read(from: &mut &[u8]) -> Result<Self, PortableError> {
        let (launch, point, locale, rects) = Portable::read(from)?;
        Ok(Self { launch, point, locale, rects })
    }
}

/// The points that ran on one locale.
type Notes = Arc<Mutex<Vec<Ran>>>;

/// Notes what a task body sees of so many arguments.
fn note(notes: &Notes, (launch, locale, arguments): (usize, usize, usize)) -> impl Fn(&Task) + Send + Sync + 'static {
    let notes = notes.clone();
    move |task| {
        let rects = (0..arguments).map(|argument| task.rect(argument)).collect();
        notes.lock().unwrap().push(Ran { launch, point: task.point(), locale, rects });
    }
}

fn mapped<A>(task: TaskBuilder<'_, A>, mapper: usize) -> TaskBuilder<'_, A>
where
    A: layout_store::Arguments,
{
    match mapper {
        0 => task,
        1 => task.mapped(&Mapper::neighbors()),
        2 => task.mapped(&Mapper::round_robin()),
        _ => task
            .mapped(&Mapper::new(|at, _, locales| usize::try_from(3 * at.iter().sum::<i64>() + 1).unwrap() % locales)),
    }
}

/// Launches a step; refused where elements are in both views.
fn launch(rt: &Runtime, stores: &[Array], (number, step): (usize, &Step), notes: &Notes) -> Option<Launched> {
    let (to, from) = (step.to.store(stores), step.from.store(stores));
    let note = note(notes, (number, rt.locale(), step.uses().len()));
    let rank = to.rank();
    let launched = match step.kind {
        Kind::Write => mapped(rt.task("write").args((write(&to),)), step.mapper).launch(move |task, _| note(task)),
        Kind::Update => mapped(rt.task("update").args((update(&to),)), step.mapper).launch(move |task, _| note(task)),
        Kind::Aligned => mapped(rt.task("aligned").args((write(&to), read(&from))), step.mapper)
            .constrain(|(to, from)| align(to, from))
            .launch(move |task, _| note(task)),
        Kind::Bloat(low, high) => mapped(rt.task("bloat").args((write(&to), read(&from))), step.mapper)
            .constrain(|(to, from)| bloat(to, from, vec![low; rank], vec![high; rank]))
            .launch(move |task, _| note(task)),
        Kind::Faces(by) => mapped(rt.task("faces").args((write(&to), read(&from))), step.mapper)
            .constrain(|(to, from)| bloat_faces(to, from, vec![by; rank], vec![by; rank], vec![by; rank]))
            .launch(move |task, _| note(task)),
        Kind::Periodic(by) => mapped(rt.task("periodic").args((write(&to), read(&from))), step.mapper)
            .constrain(|(to, from)| bloat_periodic(to, from, vec![by; rank], vec![by; rank]))
            .launch(move |task, _| note(task)),
        Kind::Whole => mapped(rt.task("whole").args((write(&to), read(&from))), step.mapper)
            .constrain(|(_, from)| broadcast(from))
            .launch(move |task, _| note(task)),
        Kind::Tiles(side) => (|| {
            let tiles = to.partition_by_tiling(tile_of(&step.to, side))?;
            mapped(rt.task("tiles").args((update(&tiles),)), step.mapper).launch(move |task, _| note(task))
        })(),
        Kind::Projected(side) => (|| {
            let (tiles, read_tiles) =
                (to.partition_by_tiling(tile_of(&step.to, side))?, from.partition_by_tiling(tile_of(&step.to, side))?);
            let colors = tiles.color_shape();
            let turned = move |at: Point| at.zip_with(&colors, |at, count| (at + 1) % count);
            let by = read_tiles.by(turned);
            mapped(rt.task("projected").args((write(&tiles), read(&by))), step.mapper).launch(move |task, _| note(task))
        })(),
        Kind::Reduce => mapped(rt.task("reduce").args((reduce(&to, Sum), read(&from))), step.mapper)
            .constrain(|(to, from)| align(to, from))
            .launch(move |task, _| note(task)),
    };
    match launched {
        Ok(launched) => Some(launched),
        Err(StoreError::Aliased { .. } | StoreError::Overlap { .. } | StoreError::Promoted { .. }) => None,
        Err(StoreError::Partition(_) | StoreError::WrittenWhole { .. } | StoreError::Transform(_)) => None,
        Err(error) => panic!("{step:?}: {error}"),
    }
}

/// The extents of tiles: whole along dimensions that cannot be cut.
fn tile_of(view: &View, side: i64) -> Vec<i64> {
    (0..view.rank()).map(|dim| if view.is_inner(dim) { view.extents()[dim] } else { side }).collect()
}

/// Creates the arrays, writes each, and launches all steps; gives what was launched, with the bytes that all locales exchange.
fn program(rt: &Runtime, steps: &[Step], notes: &Notes) -> Vec<(usize, u64)> {
    let stores: Vec<Array> = (0..EXTENTS.len()).map(|array| rt.create(extents_of(array)).unwrap()).collect();
    let all = steps.iter().enumerate();
    all.filter_map(|(number, step)| Some((number, launch(rt, &stores, (number, step), notes)?.exchanged()))).collect()
}

/// The messages that each locale sends and receives, by a model.
struct Model {
    /// For each array the locales that have each element.
    having: Vec<Vec<u32>>,
    /// For each array what each launch wrote, the newest last: elements, and the locale of each.
    layers: Vec<Vec<BTreeMap<usize, usize>>>,
}

/// For each receiver and element, who may send it.
type Expected = BTreeMap<(usize, usize, usize), u32>;

impl Model {
    fn new() -> Self {
        let having = EXTENTS.iter().map(|sides| vec![0; sides.iter().product::<i64>() as usize]).collect();
        Self { having, layers: vec![Vec::new(); EXTENTS.len()] }
    }

    fn read(&mut self, expected: &mut Expected, (array, to): (usize, usize), elements: &[usize]) {
        for element in elements {
            let owners = &mut self.having[array][*element];
            if *owners & 1 << to == 0 {
                assert!(expected.insert((to, array, *element), *owners).is_none(), "sent twice by the model");
                *owners |= 1 << to;
            }
        }
    }

    /// A launch writes elements, each on a locale.
    fn write(&mut self, array: usize, elements: BTreeMap<usize, usize>) {
        elements.iter().for_each(|(element, locale)| self.having[array][*element] = 1 << locale);
        self.layers[array].push(elements);
    }

    /// The messages for a step whose points are these.
    fn step(&mut self, step: &Step, ran: &[Ran]) -> Expected {
        let mut expected = Expected::new();
        let uses = step.uses();
        let shown: Vec<_> = uses.iter().map(|(view, ..)| view.shown()).collect();
        let elements = |argument: usize, rect: &Rect| -> Vec<usize> {
            let shown = &shown[argument];
            let number = |at: Point| at.iter().zip(&shown.extents).fold(0, |number, (at, side)| number * side + at);
            rect.points().map(|at| shown.at[usize::try_from(number(at)).unwrap()]).collect()
        };
        let largest = |dim: usize| ran.iter().map(|ran| ran.rects[0].extents()[dim]).max().unwrap();
        for (argument, (view, _, _)) in uses.iter().enumerate().filter(|(_, (_, reads, _))| *reads) {
            for ran in ran {
                let mut needed = elements(argument, &ran.rects[argument]);
                if let Kind::Faces(by) = step.kind {
                    let mut points = ran.rects[1].points();
                    needed.retain(|_| !is_corner(points.next().unwrap(), (&ran.rects[0], largest), by));
                }
                self.read(&mut expected, (view.array, ran.locale), &needed);
            }
        }
        for (argument, (view, ..)) in uses.iter().enumerate().filter(|(_, (.., writes))| *writes) {
            let all =
                ran.iter().flat_map(|ran| elements(argument, &ran.rects[argument]).into_iter().zip(repeat(ran.locale)));
            self.write(view.array, all.collect());
        }
        if step.kind == Kind::Reduce {
            // Contributions are combined, with all elements in a box around, by those who wrote all of them together.
            let hull = ran.iter().map(|ran| ran.rects[0]).reduce(|a, b| a.hull(&b)).unwrap();
            let (array, combined) = (step.to.array, elements(0, &hull));
            let has_all = |layer: &&BTreeMap<usize, usize>| combined.iter().all(|element| layer.contains_key(element));
            let layer = self.layers[array].iter().rfind(has_all).expect("the first launch wrote all");
            let owned: BTreeMap<usize, usize> = combined.iter().map(|element| (*element, layer[element])).collect();
            owned.iter().for_each(|(element, owner)| self.read(&mut expected, (array, *owner), &[*element]));
            self.write(array, owned);
        }
        expected
    }
}

/// Returns `true` if an index is outside a tile along more than one dimension. The tile was clipped to its store if it is smaller than the
/// largest one.
fn is_corner(at: Point, (tile, largest): (&Rect, impl Fn(usize) -> i64), by: i64) -> bool {
    let is_outside = |dim: &usize| at[*dim] < tile.lo()[*dim] || at[*dim] >= tile.lo()[*dim] + largest(*dim);
    by > 0 && (0..at.len()).filter(is_outside).count() > 1
}

/// The number of each element of a box, row by row of its array.
fn numbers(message: &PlannedMessage) -> (usize, Vec<usize>) {
    let array = usize::try_from(message.store).unwrap();
    let number = |at: Point| at.iter().zip(EXTENTS[array]).fold(0, |number, (at, side)| number * side + at);
    let points = message.boxes.iter().flat_map(Rect::points);
    (array, points.map(|at| usize::try_from(number(at)).unwrap()).collect())
}

fn between(messages: &[PlannedMessage], peer: usize) -> Vec<(u64, &[Rect], u64)> {
    let with = messages.iter().filter(|message| message.peer == peer);
    with.map(|message| (message.store, &*message.boxes, message.bytes)).collect()
}

/// A launch, as the planners of all locales see it.
fn check(launch: &[&PlannedLaunch], mut expected: Expected) -> Result<u64, TestCaseError> {
    let mut bytes = 0;
    for (to, planned) in launch.iter().enumerate() {
        for (from, other) in launch.iter().enumerate() {
            prop_assert_eq!(between(&planned.receives, from), between(&other.sends, to), "from {} to {}", from, to);
        }
        for message in &planned.receives {
            let (array, elements) = numbers(message);
            prop_assert_eq!(message.bytes, 8 * elements.len() as u64);
            bytes += message.bytes;
            for element in elements {
                let owners = expected.remove(&(to, array, element));
                prop_assert!(owners.is_some_and(|owners| owners & 1 << message.peer != 0), "{:?} to {}", message, to);
            }
        }
    }
    prop_assert!(expected.is_empty(), "not sent: {:?}", expected);
    Ok(bytes)
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let kind = prop_oneof![
        1 => Just(Kind::Write),
        1 => Just(Kind::Update),
        3 => Just(Kind::Aligned),
        3 => (0..3_i64, 0..3_i64).prop_map(|(low, high)| Kind::Bloat(low, high)),
        2 => (0..3_i64).prop_map(Kind::Faces),
        1 => (0..3_i64).prop_map(Kind::Periodic),
        1 => Just(Kind::Whole),
        1 => (1..5_i64).prop_map(Kind::Tiles),
        2 => (1..5_i64).prop_map(Kind::Projected),
        1 => Just(Kind::Reduce),
    ];
    // Whole arrays are as frequent as views of them.
    // What a tile of a delinearized view shows need not be a box: more than that is sent then.
    let boxes = |view: View| {
        let is_box = view.turns.iter().all(|turn| !matches!(turn, Turn::Delinearize(..)));
        if is_box { view } else { View::new(view.array) }
    };
    let some = move || prop_oneof![view(false).prop_map(boxes), (0..EXTENTS.len()).prop_map(View::new)];
    let step = (kind, some(), some(), prop_oneof![3 => Just(0), 2 => 1..4_usize]);
    let step = step.prop_map(|(kind, to, from, mapper)| {
        let (to, from) = if kind == Kind::Whole { (to, from) } else { alike(to, from)? };
        Some(Step { kind, to, from, mapper })
    });
    prop::collection::vec(step, 1..14).prop_map(|steps| {
        let first = |array| Step { kind: Kind::Write, to: View::new(array), from: View::new(array), mapper: array };
        (0..EXTENTS.len()).map(first).chain(steps.into_iter().flatten()).collect()
    })
}

const FEATURES: [&str; 22] = [
    "write",
    "update",
    "align",
    "bloat",
    "bloat, faces",
    "bloat, periodic",
    "broadcast",
    "tiles",
    "projection",
    "reduce",
    "slice",
    "step",
    "step backwards",
    "reversed",
    "transpose",
    "project",
    "views with common elements",
    "launches that send",
    "launches that send nothing",
    "one locale",
    "up to 8 locales",
    "up to 16 locales",
];

#[test]
fn planners_agree_with_each_other_a_model_and_what_is_sent() {
    let strategy = (steps(), 1..17_usize, 1..21_usize, any::<bool>());
    let run = |(steps, locales, pieces, divided): (Vec<Step>, usize, usize, bool)| {
        steps.iter().flat_map(|step| [&step.to, &step.from]).for_each(View::count_turns);
        count(if locales == 1 {
            "one locale"
        } else if locales <= 8 {
            "up to 8 locales"
        } else {
            "up to 16 locales"
        });
        let builder = Runtime::builder().locales(locales).threads(1).pieces(pieces).min_chunk(1);
        let builder = if divided { builder.whole_below(0) } else { builder };
        let told = on_locales(builder.clone(), steps.clone(), |rt, steps| {
            let notes = Notes::default();
            let exchanged = program(rt, &steps, &notes);
            rt.fence().unwrap();
            (exchanged, rt.traffic(), take(&mut *notes.lock().unwrap()))
        });
        let mut told = told.unwrap();
        let mut ran: Vec<Ran> = told.iter_mut().flat_map(|(_, _, ran)| take(ran)).collect();
        ran.sort_by_key(|ran| (ran.launch, ran.point));
        let notes = Notes::default();
        let plan = |locale| {
            let planner = Planner::new(builder.clone(), locale).unwrap();
            let exchanged = program(planner.runtime(), &steps, &notes);
            planner.runtime().fence().unwrap();
            (exchanged, planner.launches())
        };
        let planned: Vec<_> = (0..locales).map(plan).collect();
        assert!(notes.lock().unwrap().is_empty(), "a planner ran a task body");
        let mut model = Model::new();
        for (at, (number, exchanged)) in planned[0].0.iter().enumerate() {
            let launch: Vec<_> = planned.iter().map(|(_, launches)| &launches[at]).collect();
            let of_launch: Vec<Ran> = ran.iter().filter(|ran| ran.launch == *number).cloned().collect();
            let bytes = check(&launch, model.step(&steps[*number], &of_launch))?;
            prop_assert_eq!(bytes, *exchanged);
            let step = &steps[*number];
            count(step.name());
            if step.uses().len() == 2 && step.to.overlaps(&step.from) {
                count("views with common elements");
            }
            count(if bytes == 0 { "launches that send nothing" } else { "launches that send" });
        }
        for (locale, ((exchanged, traffic, _), (planned_exchange, launches))) in told.iter().zip(&planned).enumerate() {
            prop_assert_eq!(exchanged, planned_exchange);
            prop_assert_eq!(exchanged.len(), launches.len());
            // Contributions are messages too, and no elements that a launch reads.
            if steps.iter().all(|step| step.kind != Kind::Reduce) {
                let sends = || launches.iter().flat_map(|launch| &launch.sends);
                let planned = (sends().count() as u64, sends().map(|message| message.bytes).sum::<u64>());
                prop_assert_eq!(planned, (traffic.messages, traffic.bytes), "of locale {}", locale);
            }
        }
        Ok(())
    };
    let config = cases(2000);
    let programs = config.cases;
    TestRunner::new(config).run(&strategy, run).unwrap_or_else(|error| panic!("{error}"));
    features::check(&FEATURES, if programs < 2000 { 1 } else { 100 });
}

support::with_processes!();

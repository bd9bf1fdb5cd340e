//! Launches: constraints, reductions, unbound stores, key partitions.

use layout::SoA;
use layout_store::solver::{Access, Argument as SolverArgument, solve};
use layout_store::{
    Constraint, Dim, DynRank, Handle, ImageHint, Point, PointsTo, Rect, Rule as Constrain, Runtime, Store, StoreError,
    Sum, TileMap, Transform, Unbound, align, bloat, broadcast, broadcast_axes, emit, image, min_extents, read, reduce,
    scale, update, write,
};
use serde_json::Value;

use crate::chain::{Numbers, chain, counting, dims, numbers, point, same};
use crate::class::same_class;
use crate::operation::with_op;
use crate::{Outcome, Rule};

type Name<'a> = Handle<'a, i64, DynRank, SoA>;
/// The launch domain, and for each point the indices of each argument.
type Domains = (Point, Vec<Vec<Rect>>);

#[allow(clippy::needless_pass_by_value, reason = "passed to `map_err`")]
fn text(error: StoreError) -> String {
    error.to_string()
}

fn number(value: &Value) -> usize {
    value.as_u64().expect("a number") as usize
}

/// The box of an inclusive pair of corners.
fn rect(value: &Value) -> Rect {
    Rect::new(point(&value["lo"]), point(&value["hi"]).iter().map(|hi| hi + 1).collect())
}

/// The stores of a record.
fn stores(record: &Value, rt: &Runtime) -> Result<Vec<Numbers>, String> {
    let spec = &record["spec"];
    let entries = record["stores"].as_array().expect("stores").iter().enumerate();
    entries
        .map(|(k, store)| match spec.get(format!("transform_{k}")) {
            Some(ops) => chain(&counting(rt, point(&spec[format!("root_{k}")])), ops)
                .map(|(store, _)| store)
                .map_err(|(_, error, _)| error.to_string()),
            None => Ok(counting(rt, point(&store["shape"]))),
        })
        .collect()
}

/// The constraints, for the solver.
fn constraints(spec: &Value) -> Result<Vec<Constraint>, String> {
    let mut list = Vec::new();
    for (name, value) in spec.as_object().expect("a specification") {
        let entries = || value.as_array().expect("a list").iter();
        match name.as_str() {
            "align" => list.extend(entries().map(|pair| Constraint::Align(number(&pair[0]), number(&pair[1])))),
            "broadcast" => list.extend(entries().map(|entry| Constraint::Broadcast {
                argument: number(&entry["var"]),
                // No axes are all of them there.
                axes: entry.get("axes").filter(|axes| !axes.is_null()).map(dims).filter(|axes| !axes.is_empty()),
            })),
            "scale" => list.push(Constraint::Follow {
                source: number(&value["smaller"]),
                follower: number(&value["bigger"]),
                map: TileMap::Scale(numbers(&value["factors"]).into_iter().collect()),
            }),
            "bloat" => list.push(Constraint::Follow {
                source: number(&value["source"]),
                follower: number(&value["bloat"]),
                map: TileMap::Bloat {
                    low: numbers(&value["low"]).into_iter().collect(),
                    high: numbers(&value["high"]).into_iter().collect(),
                },
            }),
            "min_extents" => list
                .push(Constraint::MinExtents { argument: number(&value["var"]), extents: numbers(&value["extents"]) }),
            "image" => list.push(Constraint::Image {
                function: number(&value["function"]),
                range: number(&value["range"]),
                hint: hint(value)?,
            }),
            "note" => {}
            other if other.starts_with("root_") || other.starts_with("transform_") => {}
            other => return Err(format!("a constraint `{other}`")),
        }
    }
    Ok(list)
}

fn hint(value: &Value) -> Result<ImageHint, String> {
    match value["hint"].as_str().unwrap_or("NO_HINT") {
        "NO_HINT" | "PRECISE" => Ok(ImageHint::Precise),
        "MIN_MAX" => Ok(ImageHint::MinMax),
        "FIRST_LAST" => Ok(ImageHint::FirstLast),
        other => Err(format!("a hint `{other}`")),
    }
}

/// The same constraints between the handles of a launch.
fn rules(names: &[Name<'_>], constraints: &[Constraint]) -> Vec<Constrain> {
    let rule = |constraint: &Constraint| match constraint {
        Constraint::Align(a, b) => align(names[*a], names[*b]),
        Constraint::Broadcast { argument, axes: None } => broadcast(names[*argument]),
        Constraint::Broadcast { argument, axes: Some(axes) } => broadcast_axes(names[*argument], axes.clone()),
        Constraint::Follow { source, follower, map: TileMap::Scale(factors) } => {
            scale(factors.to_vec(), names[*source], names[*follower])
        }
        Constraint::Follow { source, follower, map: TileMap::Bloat { low, high } } => {
            bloat(names[*source], names[*follower], low.to_vec(), high.to_vec())
        }
        Constraint::MinExtents { argument, extents } => min_extents(names[*argument], extents.clone()),
        other => unreachable!("{other:?}"),
    };
    constraints.iter().map(rule).collect()
}

/// The answer of the solver.
fn solved(
    record: &Value,
    transforms: &[&Transform],
    constraints: &[Constraint],
    pieces: i64,
) -> Result<Domains, StoreError> {
    let access = |store: &Value| match store["access"].as_str() {
        Some("read") => Access::Read,
        Some("reduce") => Access::Reduce,
        Some("update") => Access::Update,
        Some("write") => Access::Write,
        other => panic!("an access `{other:?}`"),
    };
    let stores = record["stores"].as_array().expect("stores");
    let arguments: Vec<SolverArgument<'_>> = stores
        .iter()
        .zip(transforms)
        .map(|(store, transform)| SolverArgument { transform, element: 8, access: access(store), key: None })
        .collect();
    let plan = solve(&arguments, constraints, pieces)?;
    let rects = plan
        .domain()
        .points()
        .map(|at| (0..arguments.len()).map(|argument| plan.rect(argument, &at).unwrap()).collect());
    let rects = rects.collect();
    Ok((plan.launch, rects))
}

/// The answer of a launch; `None` for a list of arguments that is not tried.
fn launched(
    record: &Value,
    rt: &Runtime,
    stores: &[Numbers],
    constraints: &[Constraint],
) -> Option<Result<Domains, StoreError>> {
    let accesses: Vec<&str> =
        record["stores"].as_array()?.iter().map(|store| store["access"].as_str().unwrap_or("")).collect();
    macro_rules! launch {
        ($(($($name:ident: $argument:expr),+))+) => { match accesses[..] {
            $([$(stringify!($name)),+] => {
                let mut _n = 0;
                let task = rt.task("oracle").args(($({ let s = &stores[_n]; _n += 1; $argument(s) },)+));
                let task = task.constrain(|names| rules(&Vec::from(<[Name<'_>; _]>::from(names)), constraints));
                let count = stores.len();
                Some(task.map(move |task, _| Ok((task.domain(), (0..count).map(|k| task.rect(k)).collect::<Vec<_>>()))))
            })+
            _ => None,
        } };
    }
    fn add(store: &Numbers) -> layout_store::Reduce<i64, DynRank, SoA, Sum> {
        reduce(store, Sum)
    }
    let future = launch! {
        (read: read)
        (write: write)
        (update: update)
        (reduce: add)
        (read: read, read: read)
        (read: read, write: write)
        (write: write, read: read)
        (write: write, write: write)
        (read: read, reduce: add)
        (read: read, read: read, write: write)
        (read: read, write: write, write: write)
        (read: read, read: read, read: read)
    };
    Some(future?.and_then(|future| future.get()).map(|points| {
        let launch = points[0].0.extents();
        (launch, points.into_iter().map(|(_, rects)| rects).collect())
    }))
}

pub(crate) fn constraint(record: &Value, rt: &Runtime) -> Outcome {
    let stores = stores(record, rt)?;
    let list = constraints(&record["spec"])?;
    let found = if record["spec"].get("image").is_some() {
        imaged(record, rt, &stores)
    } else {
        let transforms: Vec<&Transform> = stores.iter().map(Store::transform).collect();
        let pieces = rt.pieces() as i64;
        let planned = solved(record, &transforms, &list, pieces);
        match launched(record, rt, &stores, &list) {
            None
            | Some(Err(StoreError::Promoted { .. } | StoreError::Overlap { .. } | StoreError::WrittenWhole { .. })) => {
                planned
            }
            Some(launched) => {
                if let (Ok(planned), Ok(launched)) = (&planned, &launched) {
                    same("what was launched, and what the solver says", launched, planned)?;
                }
                launched
            }
        }
    };
    let expected_error = !record["error"].is_null();
    let (launch, rects) = match found {
        Err(error) if expected_error => return same_class(&error, &record["error"]).map(|()| Vec::new()),
        Err(error) => return Err(format!("an unexpected error: {error}")),
        Ok(_) if expected_error => return Err(format!("no error, and one was expected: {}", record["error"])),
        Ok(found) => found,
    };
    same("launch domain", Rect::of(launch), rect(&record["launch_domain"]))?;
    same("whether there is one task", Some(Rect::of(launch).volume() == 1), record["single_task"].as_bool())?;
    let mut deviations = Vec::new();
    for expected in record["points"].as_array().expect("points") {
        let at = point(&expected["index"]);
        let place = Rect::of(launch).points().position(|point| point == at).ok_or("no such point")?;
        for (k, expected) in expected["domains"].as_array().expect("domains").iter().enumerate() {
            let (given, expected) = (rects[place][k], rect(expected));
            let transform = stores[k].transform();
            let imaginary = |dim: usize| transform.is_imaginary(dim);
            // Along promoted dimensions the tile may be smaller than what Legate shows.
            let real = |rect: &Rect| -> Vec<(i64, i64)> {
                let dims = (0..rect.rank()).filter(|dim| !imaginary(*dim));
                dims.map(|dim| (rect.lo()[dim], rect.hi()[dim])).collect()
            };
            if given != expected {
                same(&format!("point {at}, argument {k}"), real(&given), real(&expected))?;
                if !(0..transform.rank()).any(imaginary) || !expected.covers(&given) {
                    return Err(format!("point {at}, argument {k}: {given}, and {expected} was expected"));
                }
                deviations.push(Rule::PromotedClipped);
            }
        }
    }
    deviations.dedup();
    Ok(deviations)
}

/// A launch with an image, whose function holds the values of the record.
fn imaged(record: &Value, rt: &Runtime, stores: &[Numbers]) -> Result<Domains, StoreError> {
    let spec = &record["spec"]["image"];
    let lists = |name: &str| spec.get(name).map(|list| list.as_array().expect("a list").clone());
    let range = &stores[number(&spec["range"])];
    let extents = stores[number(&spec["function"])].extents();
    macro_rules! ranks {
        ($($n:literal)+) => { match range.rank() {
            $($n => {
                let corner = |value: &Value| -> [i64; $n] { numbers(value)[..].try_into().expect("an index") };
                match (lists("points"), lists("rects")) {
                    (Some(points), _) => {
                        let points: Vec<[i64; $n]> = points.iter().map(corner).collect();
                        image_launch::<$n, [i64; $n]>(rt, spec, extents, &points, range)
                    }
                    (None, rects) => {
                        // Legate's boxes hold their last index.
                        let boxes = rects.unwrap_or_default();
                        let boxes = boxes.iter().map(|b| [corner(&b[0]), corner(&b[1]).map(|hi| hi + 1)]);
                        image_launch::<$n, [[i64; $n]; 2]>(rt, spec, extents, &boxes.collect::<Vec<_>>(), range)
                    }
                }
            })+
            rank => Err(StoreError::Rank { given: rank, expected: 3 }),
        } };
    }
    ranks!(1 2 3)
}

fn image_launch<const N: usize, F>(
    rt: &Runtime,
    spec: &Value,
    extents: Point,
    values: &[F],
    range: &Numbers,
) -> Result<Domains, StoreError>
where
    Dim<N>: layout_store::StoreRank,
    F: PointsTo<Dim<N>>,
{
    let function: Store<F, DynRank, SoA> = rt.create_from(extents, values)?;
    let range: Store<i64, Dim<N>, SoA> = range.clone().into_rank()?;
    let hint = hint(spec).unwrap_or_default();
    let swapped = number(&spec["function"]) == 1;
    let future = rt
        .task("image")
        .args((read(&function), read(&range)))
        .constrain(|(function, range)| [image(function, range, hint)])
        .map(move |task, _| {
            let mut rects = vec![task.rect(0), task.rect(1)];
            if swapped {
                rects.reverse();
            }
            Ok((task.domain(), rects))
        })?;
    let points = future.get()?;
    Ok((points[0].0.extents(), points.into_iter().map(|(_, rects)| rects).collect()))
}

pub(crate) fn reduction(record: &Value, rt: &Runtime) -> Outcome {
    let input = counting(rt, point(&record["input_shape"]));
    let target: Numbers = rt.create(point(&record["target_shape"])).map_err(text)?;
    target.fill(record["init"].as_i64().unwrap_or(0)).map_err(text)?;
    let program = record["program"].as_str().unwrap_or("").to_owned();
    with_op!(record["op"].as_str().unwrap_or(""), |op| {
        let task = rt.task("contribute").args((read(&input), reduce(&target, op)));
        let rank = target.rank();
        let task = match program.as_str() {
            "broadcast_add" | "max_index" | "single_add" => task.constrain(|(_, target)| [broadcast(target)]),
            "aligned_add" => task.constrain(|(input, target)| [align(input, target)]),
            "bloat_add" => task.constrain(|(input, target)| [bloat(input, target, vec![1; rank], vec![1; rank])]),
            "unconstrained_add" => task,
            other => return Err(format!("a program `{other}`")),
        };
        let index = program == "max_index";
        task.launch(move |task, (_, mut target)| {
            let value = if index { task.point()[0] } else { 1 };
            let op = op;
            target.contributions().update(|before| layout_store::Reduction::combine(&op, before, value));
        })
        .map_err(text)?;
    });
    same("elements", target.to_vec().map_err(text)?, crate::chain::flat(&record["result"]))?;
    Ok(Vec::new())
}

pub(crate) fn unbound(record: &Value, rt: &Runtime) -> Outcome {
    same("the program", record["program"].as_str(), Some("emit_i_mod_3"))?;
    let input = counting(rt, point(&record["input_shape"]));
    let output: Unbound<i64, Dim<1>, SoA> = rt.unbound();
    same("whether it is unbound before", Some(output.is_unbound()), record["unbound_before"].as_bool())?;
    rt.task("emit")
        .args((read(&input), emit(&output)))
        .launch(|_, (input, mut output)| {
            input.to_vec().into_iter().for_each(|i| output.extend((0..i % 3).map(|_| i)));
        })
        .map_err(text)?;
    let store = output.store().map_err(text)?;
    same("whether it is unbound after", Some(output.is_unbound()), record["unbound_after"].as_bool())?;
    same("extents", store.extents(), point(&record["extents"]))?;
    same("elements", store.to_vec().map_err(text)?, numbers(&record["contents"]))?;
    Ok(Vec::new())
}

pub(crate) fn key_partition(record: &Value, rt: &Runtime) -> Outcome {
    let store: Numbers = rt.create(point(&record["shape"])).map_err(text)?;
    store.fill(0).map_err(text)?;
    let tiles = store.partition_by_tiling(point(&record["tile"])).map_err(text)?;
    rt.task("manual").args((write(&tiles),)).launch(|_, (mut tile,)| tile.fill(1)).map_err(text)?;
    let points =
        rt.task("auto").args((write(&store),)).map(|task, _| Ok((task.point(), task.rect(0)))).map_err(text)?;
    let expected = record["next_auto_task"].as_array().expect("points").iter();
    let expected: Vec<(Point, Rect)> = expected.map(|p| (point(&p["index"]), rect(&p["domains"][0]))).collect();
    same("points and tiles", points.get().map_err(text)?, expected)?;
    Ok(Vec::new())
}

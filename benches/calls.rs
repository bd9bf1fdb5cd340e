//! One call of a store, again and again: `calls NAME COUNT`, for its instructions to be counted.
//!
//! The count is of the thread of the program alone: what the calls hand to the other threads is done beside it. `cargo xtask test
//! "instructions of calls"` counts, and has the limits.

use std::process::ExitCode;

use layout::{Dim, SoA};
use layout_store::{Runtime, Store, StoreError, bloat, read, update, write};

/// Makes a call so many times.
type Call = fn(&Runtime, i64) -> Result<(), StoreError>;

const CALLS: [(&str, Call); 13] = [
    ("empty task", |rt, count| (0..count).try_for_each(|_| rt.task("empty").launch(|_, ()| ()).map(|_| ()))),
    ("link of a chain", |rt, count| {
        let small: Store<f64, _> = rt.create_from(8, &[0.0; 8])?;
        (0..count).try_for_each(|_| {
            let link = rt.task("link").args((update(&small),));
            link.launch(|_, (mut x,)| x.set(0, x.get(0) + 1.0)).map(|_| ())
        })
    }),
    ("child written", |rt, count| {
        let store: Store<i64, _> = rt.create(8 * count)?;
        let tiles = store.partition_by_tiling([8])?;
        (0..count).try_for_each(|color| tiles.child([color])?.fill(color))
    }),
    ("scalar created", |rt, count| (0..count).try_for_each(|_| rt.create::<f64, SoA, _>([]).map(|_| ()))),
    ("scalar filled", |rt, count| {
        let scalar: Store<f64, _> = rt.create([])?;
        (0..count).try_for_each(|_| scalar.fill(1.0))
    }),
    ("scalar read by a task", |rt, count| {
        let scalar: Store<f64, _> = rt.create_from([], &[1.0])?;
        (0..count).try_for_each(|_| rt.task("read").args((read(&scalar),)).launch(|_, _| ()).map(|_| ()))
    }),
    ("scalar got", |rt, count| {
        let scalar: Store<f64, _> = rt.create_from([], &[1.0])?;
        (0..count).try_for_each(|_| scalar.get([]).map(|_| ()))
    }),
    ("line created", |rt, count| (0..count).try_for_each(|_| rt.create::<f64, SoA, _>(LINE).map(|_| ()))),
    ("line filled", |rt, count| {
        let line: Store<f64, _> = rt.create(LINE)?;
        (0..count).try_for_each(|_| line.fill(1.0))
    }),
    ("line read by a task", |rt, count| {
        let line: Store<f64, _> = rt.create_from_fn(LINE, |_| 1.0)?;
        (0..count).try_for_each(|_| rt.task("read").args((read(&line),)).launch(|_, _| ()).map(|_| ()))
    }),
    ("element of a line got", |rt, count| {
        let line: Store<f64, _> = rt.create_from_fn(LINE, |_| 1.0)?;
        (0..count).try_for_each(|_| line.get([1]).map(|_| ()))
    }),
    ("64 tiles of two stores", |_, count| {
        let (rt, [a, b]) = cut()?;
        (0..count).try_for_each(|_| {
            let task = rt.task("tiles").args((read(&a), update(&b))).align_all();
            task.launch(|_, _| ()).map(|_| ())
        })
    }),
    ("64 tiles of a stencil", |_, count| {
        let (rt, [mut from, mut to]) = cut()?;
        (0..count).try_for_each(|_| {
            let task = rt.task("step").args((read(&from), write(&to)));
            let task = task.constrain(|(from, to)| [bloat(to, from, [1], [1])]);
            task.launch(|_, _| ())?;
            core::mem::swap(&mut from, &mut to);
            Ok(())
        })
    }),
];

/// A runtime that cuts stores into 64 tiles, and two stores.
fn cut() -> Result<(Runtime, [Store<f64, Dim<1>>; 2]), StoreError> {
    let rt = Runtime::builder().threads(1).pieces(64).min_chunk(1).build()?;
    let stores = [rt.create_from_fn([64 * 64], |_| 0.0)?, rt.create_from_fn([64 * 64], |_| 0.0)?];
    Ok((rt, stores))
}

/// The elements of an ordinary store.
const LINE: i64 = 1000;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let call = words.first().and_then(|name| CALLS.iter().find(|(call, _)| call == name));
    let count = words.get(1).and_then(|count| count.parse().ok());
    let (Some((_, call)), Some(count)) = (call, count) else {
        eprintln!("calls NAME COUNT, with one of the names {:?}", CALLS.map(|(name, _)| name));
        return ExitCode::FAILURE;
    };
    let result = Runtime::builder().threads(1).build().and_then(|rt| {
        call(&rt, count)?;
        rt.fence()
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

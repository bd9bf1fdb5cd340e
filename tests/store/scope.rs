//! `Runtime::local`: what sends something is refused on all locales, and what sends nothing is done.

use layout_domain::{Block, Cyclic, Domain, Targets};
use layout_store::{
    Dim, Distribution, ImageHint, Runtime, Store, StoreError, Sum, Traffic, Unbound, align, bloat, broadcast, emit,
    image, read, reduce, send, update, write,
};
use support::locales::on_locales;
use support::panics::panic_of;

support::with_processes!();

const LOCALES: [usize; 5] = [1, 2, 3, 4, 6];
const EXTENT: i64 = 24;

type Line = Store<i64, Dim<1>>;

/// Stores 0 to 3: indices in turn, neighbors together twice, and numbers of elements, backwards.
struct Stores {
    turns: Line,
    block: Line,
    next: Line,
    indices: Line,
}

impl Stores {
    fn new(rt: &Runtime) -> Result<Self, StoreError> {
        let targets = || Targets::all(rt.locales()).expect("locales");
        let block = Block::over(&Domain::from(0..EXTENT), targets()).expect("indices");
        let [in_turn, block] = [Distribution::map(Cyclic::new([0], targets())), Distribution::map(block)];
        let [turns, block, next, indices]: [Line; 4] = [
            rt.create_distributed(EXTENT, &in_turn)?,
            rt.create_distributed(EXTENT, &block)?,
            rt.create_distributed(EXTENT, &block)?,
            rt.create_distributed(EXTENT, &block)?,
        ];
        for (store, backwards) in [(&turns, false), (&block, false), (&next, false), (&indices, true)] {
            rt.task("count").args((write(store),)).launch(move |task, (mut tile,)| {
                let mut points = task.rect(0).points();
                tile.update(|_| points.next().map_or(0, |at| if backwards { EXTENT - 1 - at[0] } else { at[0] }));
            })?;
        }
        rt.fence()?;
        Ok(Self { turns, block, next, indices })
    }
}

/// Smooths `block` into `next`, with elements of neighbors.
fn margin(rt: &Runtime, stores: &Stores) -> Result<(), StoreError> {
    let task = rt.task("margin").args((write(&stores.next), read(&stores.block)));
    let task = task.constrain(|(next, block)| bloat(next, block, [1], [1]));
    task.launch(|_, (mut next, block)| next.fill(block.values().sum()))?;
    Ok(())
}

type Call = fn(&Runtime, &Stores) -> Result<(), StoreError>;

/// Calls that send something on several locales, and what is told of it.
const REFUSED: [(Call, &str); 19] = [
    (|_, s| s.turns.to_vec().map(drop), "`to_vec` on store 0 would send elements to other locales"),
    (|_, s| s.block.get([5]).map(drop), "`get` on store 1 would send elements to other locales"),
    (|_, s| s.block.read(|_| ()), "`read` on store 1 would send elements to other locales"),
    (|_, s| s.next.update(|mut next| next.fill(0)), "`update` on store 2 would send elements to other locales"),
    (|_, s| s.turns.gather(0).map(drop), "`gather` on store 0 would send elements to other locales"),
    (
        |_, s| s.turns.reversed(0)?.update_local(|parts| parts.into_iter().for_each(|(_, mut part)| part.fill(0))),
        "`update_local` on store 0 would send elements to other locales",
    ),
    (margin, "task `margin` would send elements of argument 1, store 1, "),
    (|_, s| s.next.copy_from(&s.turns), "task `copy` would send elements of argument 0, store 0, "),
    (
        |rt, s| {
            let task = rt.task("all").args((update(&s.next), read(&s.turns))).constrain(|(_, turns)| broadcast(turns));
            task.launch(|_, (mut next, turns)| next.fill(turns.values().sum())).map(drop)
        },
        "task `all` would send elements of argument 1, store 0, ",
    ),
    (
        |rt, s| {
            let task = rt.task("bins").args((read(&s.turns), reduce(&s.next, Sum)));
            let task = task.constrain(|(_, next)| broadcast(next));
            task.launch(|_, (turns, mut next)| turns.values().enumerate().for_each(|(at, _)| next.reduce(at, 1)))
                .map(drop)
        },
        "task `bins` would send contributions of argument 1, store 2, ",
    ),
    (
        |rt, s| rt.task("sum").args((read(&s.block),)).reduce(Sum, |_, (x,)| Ok(x.values().sum::<i64>())).map(drop),
        "task `sum` on store 1 would send the values of its points to other locales",
    ),
    (
        |rt, s| rt.task("values").args((read(&s.block),)).map(|_, (x,)| Ok(x.len())).map(drop),
        "task `values` on store 1 would send the values of its points to other locales",
    ),
    (
        |rt, s| {
            let task = rt.task("look").args((write(&s.next), read(&s.turns), read(&s.indices)));
            let task = task
                .constrain(|(next, turns, indices)| [align(indices, next), image(indices, turns, ImageHint::Precise)]);
            task.launch(|_, (mut next, ..)| next.fill(0)).map(drop)
        },
        "task `look` on store 0 would send questions about an image to other locales",
    ),
    (|_, s| s.next.gather_from(&s.turns, &s.indices), "task `gather"),
    (
        |rt, _| {
            let sent: Unbound<i64> = rt.unbound();
            let task = rt.task("send").over([rt.locales() as i64])?.args((send(&sent),));
            task.launch(|_, (mut to,)| to.push([0], 1)).map(drop)
        },
        "task `send` would send what its points emit to other locales",
    ),
    (
        |rt, _| {
            let list: Unbound<i64> = rt.unbound();
            let task = rt.task("emit").over([rt.locales() as i64])?.args((emit(&list),));
            task.launch(|_, (mut to,)| to.push(1))?;
            list.store().map(drop)
        },
        "task `bind` would send what its points emit to other locales",
    ),
    (|rt, _| rt.exchange(vec![vec![1_i64]]).map(drop), "`exchange` would send values to other locales"),
    (|rt, _| rt.local(|| rt.fence()), "`fence` would send word that all is done to other locales"),
    (|_, s| s.next.slice(0, 3, 9)?.to_vec().map(drop), "`to_vec` on store 2 would send elements to other locales"),
];

/// Calls that send nothing, and are done inside.
fn allowed(rt: &Runtime, stores: &Stores) -> Result<i64, StoreError> {
    let fresh = Stores { turns: rt.create(EXTENT)?, ..copies(rt)? };
    fresh.turns.fill(1)?;
    fresh.block.copy_from(&stores.block)?;
    fresh.next.slice(0, 2, None)?.step(0, 2)?.fill(7)?;
    stores.next.copy_from(&fresh.block)?;
    let task = rt.task("add").args((update(&fresh.block), read(&stores.block)));
    task.align_all().launch(|_, (mut sum, block)| {
        layout_core::zip((&mut sum, &block)).for_each(|(mut sum, block)| sum += block.get());
    })?;
    // Each point contributes to elements of its own locale.
    let task = rt.task("own").args((read(&stores.block), reduce(&fresh.block, Sum))).align_all();
    task.launch(|_, (block, mut sum)| (0..block.len()).for_each(|at| sum.reduce(at, 1)))?;
    for _ in 0..2 {
        stores.turns.update_local(|parts| parts.into_iter().for_each(|(_, mut part)| part.update(|x| -x)))?;
    }
    let here = rt.task("here").args((read(&fresh.block),)).map_local(|_, (x,)| Ok(x.values().sum::<i64>()))?;
    Ok(here.get()?.iter().map(|(_, sum)| sum).sum())
}

fn copies(rt: &Runtime) -> Result<Stores, StoreError> {
    let targets = Targets::all(rt.locales()).expect("locales");
    let map = Distribution::map(Block::over(&Domain::from(0..EXTENT), targets).expect("indices"));
    let new = || rt.create_distributed(EXTENT, &map);
    Ok(Stores { turns: new()?, block: new()?, next: new()?, indices: new()? })
}

type Told = Result<(Vec<String>, i64, Traffic, bool), String>;

fn program(rt: &Runtime, (): ()) -> Told {
    let text = |error: StoreError| error.to_string();
    let stores = Stores::new(rt).map_err(text)?;
    let values = || -> Result<_, StoreError> {
        Ok([&stores.turns, &stores.block, &stores.next, &stores.indices].map(Line::to_vec))
    };
    let before = values().map_err(text)?.map(|values| values.map_err(text));
    rt.fence().map_err(text)?;
    let counted = rt.traffic();
    let mut told = Vec::new();
    for (call, _) in REFUSED {
        // A launch that was planned is refused again.
        for _ in 0..2 {
            let refused = rt.local(|| call(rt, &stores));
            told.push(match refused {
                Err(error @ StoreError::NotLocal { .. }) => error.to_string(),
                other => format!("{other:?}"),
            });
        }
    }
    let sum = rt.local(|| rt.local(|| allowed(rt, &stores))).map_err(text)?;
    let now = rt.traffic();
    let sent = Traffic { messages: now.messages - counted.messages, bytes: now.bytes - counted.bytes };
    let after = values().map_err(text)?.map(|values| values.map_err(text));
    rt.fence().map_err(text)?;
    Ok((told, sum, sent, rt.locales() == 1 || before == after))
}

#[test]
fn what_sends_is_refused_and_what_does_not_is_done() {
    for locales in LOCALES {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(locales).min_chunk(1).whole_below(0);
        let found = on_locales(builder, (), program).expect("locales");
        let sums: i64 = found.iter().map(|told| told.as_ref().map_or(-1, |(_, sum, ..)| *sum)).sum();
        // Twice each index, and one for each.
        assert_eq!(sums, EXTENT * (EXTENT - 1) + EXTENT, "{found:?}");
        for told in found {
            let (told, _, sent, unchanged) = told.expect("a program");
            assert_eq!(sent, Traffic::default(), "{locales} locales");
            assert!(unchanged, "{locales} locales");
            for (told, (_, expected)) in told.chunks(2).zip(REFUSED) {
                assert_eq!(told[0], told[1]);
                let expected = if locales == 1 { "Ok(())" } else { expected };
                assert!(told[0].starts_with(expected), "{} on {locales} locales, not {expected}", told[0]);
            }
        }
    }
}

/// A scope refuses a launch by the places of elements, and not by the plan that was made for the launch.
#[test]
fn what_came_before_the_scope_is_there() {
    for locales in [2, 3] {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(locales).min_chunk(1).whole_below(0);
        let found = on_locales(builder, (), |rt, ()| {
            let stores = Stores::new(rt).map_err(|error| error.to_string())?;
            let inside = || rt.local(|| margin(rt, &stores)).is_ok();
            let mut seen = vec![inside()];
            for _ in 0..3 {
                margin(rt, &stores).map_err(|error| error.to_string())?;
                seen.push(inside());
                let task = rt.task("change").args((update(&stores.block),));
                task.launch(|_, (mut block,)| block.update(|x| x + 1)).map_err(|error| error.to_string())?;
                seen.push(inside());
            }
            Ok::<_, String>(seen)
        });
        for seen in found.expect("locales") {
            assert_eq!(seen, Ok(vec![false, true, false, true, false, true, false]), "{locales} locales");
        }
    }
}

#[test]
fn a_scope_ends_with_its_closure() {
    let builder = Runtime::builder().locales(3).threads(1).min_chunk(1).whole_below(0);
    let found = on_locales(builder, (), |rt, ()| {
        let stores = Stores::new(rt).map_err(|error| error.to_string())?;
        let sees = || stores.block.get([0]).is_ok();
        let nested = rt.local(|| (rt.local(sees), sees()));
        let panicked = panic_of(|| rt.local(|| -> () { panic!("in a scope") }));
        Ok::<_, String>((nested, panicked, sees()))
    });
    assert!(found.expect("locales").iter().all(|told| *told == Ok(((false, false), "in a scope".to_owned(), true))));
}

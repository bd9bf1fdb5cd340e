//! Results of rounding depend on the number of pieces, and on nothing else.

use layout_store::{Builder, Runtime, Store, StoreError, Sum, bloat, broadcast, read, reduce, update, value, write};
use proptest::prelude::*;
use support::delaying::Delaying;

use crate::programs::features::cases;

#[derive(Clone, Copy, Debug)]
enum Step {
    /// Each element becomes a mean of those around it.
    Smooth(usize, usize),
    /// The sum of all is added to each.
    Add(usize, usize),
    /// Elements of a store are added to a few of another one, many to each.
    Gather(usize, usize),
}

fn step() -> impl Strategy<Value = Step> {
    (0..3_usize, 0..3_usize, 1..3_usize).prop_map(|(what, from, on)| {
        let to = (from + on) % 3;
        [Step::Smooth(from, to), Step::Add(from, to), Step::Gather(from, to)][what]
    })
}

/// The bits of all elements and sums.
fn run(rt: &Runtime, (extent, steps): (i64, &[Step])) -> Result<Vec<u64>, StoreError> {
    let stores: Vec<Store<f64, _>> = (0..3)
        .map(|number| rt.create_from_fn(extent, move |at| 1.0 / (at[0] + number + 1) as f64))
        .collect::<Result<_, _>>()?;
    let mut found = Vec::new();
    for step in steps {
        match *step {
            Step::Smooth(from, to) => {
                let task = rt.task("smooth").args((read(&stores[from]), write(&stores[to])));
                task.constrain(|(from, to)| bloat(to, from, [2], [2])).launch(|task, (from, mut to)| {
                    let [start] = task.offset(1, 0);
                    for i in 0..to.len() {
                        let near = (i + start).saturating_sub(2)..(i + start + 3).min(from.len());
                        to.set(i, near.map(|at| from.get(at)).fold(0.1, |sum, value| (sum + value) * 0.3));
                    }
                })?;
            }
            Step::Add(from, to) => {
                let sum = rt.task("sum").args((read(&stores[from]),));
                let sum = sum.reduce(Sum, |_, (part,)| Ok(part.values().sum::<f64>()))?;
                let task = rt.task("add").args((update(&stores[to]), value(&sum)));
                task.launch(|_, (mut to, sum)| to.update(|value| value + sum * 1e-3))?;
                found.push(sum.get()?.to_bits());
            }
            Step::Gather(from, to) => {
                let task = rt.task("gather").args((read(&stores[from]), reduce(&stores[to], Sum)));
                task.constrain(|(_, to)| broadcast(to)).launch(|_, (from, mut to)| {
                    let extent = to.extents()[0];
                    from.values().enumerate().for_each(|(i, value)| to.reduce(i * i % extent.min(7), value * 0.01));
                })?;
            }
        }
    }
    for store in stores {
        found.extend(store.to_vec()?.into_iter().map(f64::to_bits));
    }
    Ok(found)
}

fn builder(pieces: usize, locales: usize, threads: usize) -> Builder {
    Runtime::builder().locales(locales).threads(threads).pieces(pieces).min_chunk(1).whole_below(0)
}

proptest! {
    #![proptest_config(cases(60))]

    /// The same bits on any number of locales and threads, however messages come.
    #[test]
    fn results_are_the_same_to_the_last_bit(
        extent in 1..90_i64,
        steps in prop::collection::vec(step(), 1..8),
        pieces in 1..12_usize,
        seed in any::<u64>(),
    ) {
        let program = |rt: &Runtime| run(rt, (extent, &steps)).unwrap();
        let alone = builder(pieces, 1, 1).run(program).unwrap().remove(0);
        for locales in 1..=6 {
            let threads = 1 + locales % 3;
            for found in builder(pieces, locales, threads).run(program).unwrap() {
                prop_assert_eq!(&found, &alone, "on {} locales of {} threads", locales, threads);
            }
        }
        let locales = 2 + pieces % 5;
        for found in builder(pieces, locales, 2).run_over(Delaying::new(locales, seed), program).unwrap() {
            prop_assert_eq!(&found, &alone, "on {} locales, with messages that come late", locales);
        }
    }
}

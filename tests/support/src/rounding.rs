//! Programs whose results depend on rounding.

use layout_store::{Runtime, Store, StoreError, Sum, bloat, broadcast, read, reduce, update, value, write};

use crate::random::Random;

/// A step, from one of three stores to another one, by their numbers.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// Each element becomes a mean of those around it.
    Smooth(usize, usize),
    /// The sum of all is added to each.
    Add(usize, usize),
    /// Elements of a store are added to a few of another one, many to each.
    Gather(usize, usize),
}

impl Step {
    /// A step of three stores, by numbers.
    pub fn of(what: usize, from: usize, on: usize) -> Self {
        let (from, to) = (from % 3, (from + 1 + on % 2) % 3);
        [Self::Smooth(from, to), Self::Add(from, to), Self::Gather(from, to)][what % 3]
    }

    /// So many steps, of a seed.
    pub fn many(seed: u64, count: usize) -> Vec<Self> {
        let mut random = Random(seed);
        (0..count).map(|_| Self::of(random.below(3), random.below(3), random.below(2))).collect()
    }
}

/// The bits of all elements and sums.
///
/// # Errors
///
/// Those of the runtime.
pub fn run(rt: &Runtime, (extent, steps): (i64, &[Step])) -> Result<Vec<u64>, StoreError> {
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

//! The ranks of pages, by a sparse array of links on all locales, and by a serial loop.

use layout::SoA;
use layout::array::{Array, ArrayError, SparseArray};
use layout::domain::{Block, Domain, Targets};
use layout::store::{Runtime, Sum};

use super::graph::{Graph, Rows};

/// The probability that a reader follows a link, and does not start anew.
pub(crate) const DAMPING: f64 = 0.85;
const MOST_STEPS: usize = 200;

/// A number for each page.
type Vector = Array<f64, 1, SoA, usize>;

/// The ranks on their way, in parts on all locales.
pub(crate) struct Ranking {
    /// From the page of the column to that of the row, one share of what the first one gives on.
    links: SparseArray<f64, 2, SoA, usize>,
    /// 1 for pages without links, which give to all.
    leaves: Vector,
    pub(crate) rank: Vector,
    /// The sum that each page gets by the links to it.
    sums: Vector,
}

impl Ranking {
    pub(crate) fn new(rt: &Runtime, graph: &Graph) -> Result<Self, ArrayError> {
        let locales = rt.locales();
        let pages = Domain::from(0..graph.pages);
        let matrix = Domain::new([pages.dims()[0]; 2]);
        let rows = Block::over(&matrix, Targets::grid([locales, 1], (0..locales).collect::<Vec<_>>())?)?;
        let blocks = Block::over(&pages, Targets::all(locales)?)?;
        // Each locale reads a share of the links, and sends each to the locale of its row.
        let share = graph.links.iter().skip(rt.locale()).step_by(locales);
        let entries = share.map(|&[from, to]| ([to, from], 1.0 / graph.out[from] as f64));
        let links = SparseArray::from_entries(rt, &matrix, rows, 0.0, entries, |a, _| a)?;
        let leaf: Vec<bool> = graph.out.iter().map(|links| *links == 0).collect();
        let leaves = Array::from_fn(rt, &pages, blocks.clone(), move |[page]| f64::from(leaf[page]))?;
        let rank = Array::filled(rt, &pages, blocks.clone(), 1.0 / graph.pages as f64)?;
        Ok(Self { links, leaves, rank, sums: Array::new(rt, &pages, blocks)? })
    }

    /// A step; gives how much ranks change.
    pub(crate) fn step(&self) -> Result<f64, ArrayError> {
        let Self { links, leaves, rank, sums } = self;
        links.multiply(rank, sums)?;
        let lost = rank.read().zip(leaves.read()).reduce(Sum, |_, (rank, leaves)| {
            Ok(rank.values().zip(leaves.values()).map(|(rank, leaf)| rank * leaf).sum::<f64>())
        })?;
        let base = (1.0 - DAMPING + DAMPING * lost.get()?) / rank.domain().len() as f64;
        let change = rank.update().zip(sums.read()).reduce(Sum, move |_, (mut rank, sums)| {
            let mut change = 0.0;
            layout::zip((&mut rank, &sums)).for_each(|(mut rank, sum)| {
                let next = base + DAMPING * sum.get();
                change += (next - rank.get()).abs();
                rank.set(next);
            });
            Ok(change)
        })?;
        Ok(change.get()?)
    }
}

/// Returns `true` if the step changed ranks so little that it is the last one.
fn is_last(step: usize, change: f64) -> bool {
    change < 1e-10 || step == MOST_STEPS
}

/// The steps that were taken, all ranks, and the bytes that this locale sent for the links, for the first step, and for the last one.
pub(crate) type Ranked = (usize, Vec<f64>, [u64; 3]);

pub(crate) fn ranked(rt: &Runtime, graph: &Graph) -> Result<Ranked, ArrayError> {
    let sent = |before: u64| {
        rt.fence()?;
        Ok::<_, ArrayError>(rt.traffic().bytes - before)
    };
    let before = sent(0)?;
    let ranking = Ranking::new(rt, graph)?;
    let mut bytes = [sent(before)?, 0, 0];
    for step in 1.. {
        let before = sent(0)?;
        let change = ranking.step()?;
        let step_sent = sent(before)?;
        bytes[2] = step_sent;
        if step == 1 {
            bytes[1] = step_sent;
        }
        if is_last(step, change) {
            return Ok((step, ranking.rank.to_vec()?, bytes));
        }
    }
    unreachable!("some step is the last one")
}

/// The ranks by a loop over compressed rows.
pub(crate) fn serial(graph: &Graph) -> (usize, Vec<f64>) {
    let rows = Rows::of(graph);
    let (mut rank, mut next) = (vec![1.0 / graph.pages as f64; graph.pages], vec![0.0; graph.pages]);
    for step in 1.. {
        let change = rows.step(&rank, &mut next);
        core::mem::swap(&mut rank, &mut next);
        if is_last(step, change) {
            return (step, rank);
        }
    }
    unreachable!("some step is the last one")
}

//! The rank of pages by the links between them: `cargo run --release --example pagerank -- [FILE | speed [PAGES]]`.
//!
//! The links are a sparse matrix over blocks of rows: each locale has only the links to its pages, and their indices. A step multiplies
//! the matrix by the ranks, and each locale receives the ranks that its links name. Each line of the file is one link: two numbers.
//! `speed` compares a step with a serial loop over compressed rows, for random links between many pages.

mod graph;

use core::error::Error;
use std::process::ExitCode;
use std::time::Instant;

use graph::{Graph, Rows};
use layout::SoA;
use layout::array::{Array, ArrayError, SparseArray};
use layout::domain::{Block, Domain, Targets};
use layout::store::{Runtime, Sum};

/// The probability that a reader follows a link, and does not start anew.
const DAMPING: f64 = 0.85;
const MOST_STEPS: usize = 200;

/// A number for each page.
type Vector = Array<f64, 1, SoA, usize>;

/// The ranks on their way, in parts on all locales.
struct Ranking {
    /// From the page of the column to that of the row, one share of what the first one gives on.
    links: SparseArray<f64, 2, SoA, usize>,
    /// 1 for pages without links, which give to all.
    leaves: Vector,
    rank: Vector,
    /// The sum that each page gets by the links to it.
    sums: Vector,
}

impl Ranking {
    fn new(rt: &Runtime, graph: &Graph) -> Result<Self, ArrayError> {
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
    fn step(&self) -> Result<f64, ArrayError> {
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
type Ranked = (usize, Vec<f64>, [u64; 3]);

fn ranked(rt: &Runtime, graph: &Graph) -> Result<Ranked, ArrayError> {
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
fn serial(graph: &Graph) -> (usize, Vec<f64>) {
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

fn rank(text: &str) -> Result<(), Box<dyn Error>> {
    let graph = Graph::parse(text)?;
    println!("{} pages, {} links", graph.pages, graph.links.len());
    let (steps, expected) = serial(&graph);
    let builder = Runtime::builder().threads(1).pieces(4).min_chunk(1).whole_below(0);
    let mut of_one: Option<Vec<f64>> = None;
    for locales in [1, 4] {
        let mut sent = [0; 3];
        for found in builder.clone().locales(locales).simulate(|rt| ranked(rt, &graph))? {
            let (taken, ranks, bytes) = found?;
            let off = ranks.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(taken == steps && off < 1e-12, "{taken} steps, off by {off:.1e} from the serial loop");
            assert!((ranks.iter().sum::<f64>() - 1.0).abs() < 1e-9, "ranks do not sum up to 1");
            let first = of_one.get_or_insert_with(|| ranks.clone());
            assert!(first.iter().zip(&ranks).all(|(a, b)| (a - b).abs() < 1e-12), "ranks differ on {locales} locales");
            sent.iter_mut().zip(bytes).for_each(|(all, own)| *all += own);
        }
        let [links, first, last] = sent;
        println!(
            "on {locales} locales: {steps} steps as the serial loop; bytes sent: {links} for the links, {first} for the first step, {last} for the last"
        );
    }
    let mut order: Vec<usize> = (0..graph.pages).collect();
    order.sort_by(|a, b| expected[*b].total_cmp(&expected[*a]));
    for page in order.into_iter().take(10) {
        println!("  page {page:>3}: {:.6}", expected[page]);
    }
    Ok(())
}

fn speed(pages: usize) -> Result<(), Box<dyn Error>> {
    let graph = Graph::random(pages, 16);
    println!("{} pages, {} links", graph.pages, graph.links.len());
    let rows = Rows::of(&graph);
    let (mut rank, mut next) = (vec![1.0 / pages as f64; pages], vec![0.0; pages]);
    let rt = Runtime::builder().threads(0).pieces(1).build()?;
    let ranking = Ranking::new(&rt, &graph)?;
    // In turns, so that what else the machine does hits both; the first turn makes lists and plans.
    let mut best = [f64::MAX; 2];
    for turn in 0..12 {
        let start = Instant::now();
        ranking.step()?;
        let middle = Instant::now();
        rows.step(&rank, &mut next);
        core::mem::swap(&mut rank, &mut next);
        let times = [middle - start, middle.elapsed()].map(|time| time.as_secs_f64());
        if turn > 1 {
            best.iter_mut().zip(times).for_each(|(best, time)| *best = best.min(time));
        }
    }
    let all = ranking.rank.to_vec()?;
    assert!(all.iter().zip(&rank).all(|(a, b)| (a - b).abs() < 1e-12), "ranks differ");
    let [ours, serial] = best.map(|best| 1e3 * best);
    println!("a step: {ours:.2} ms, the serial loop {serial:.2} ms, ratio {:.2}", ours / serial);
    Ok(())
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let done = match (arguments.next().as_deref(), arguments.next()) {
        (None, _) => rank(include_str!("links.txt")),
        (Some("speed"), pages) => match pages.as_deref().unwrap_or("250000").parse() {
            Ok(pages) if pages > 0 => speed(pages),
            _ => {
                eprintln!("pagerank: the number of pages is 1 or more");
                return ExitCode::from(2);
            }
        },
        (Some(file), _) => std::fs::read_to_string(file).map_err(Into::into).and_then(|text| rank(&text)),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("pagerank: {error}");
            ExitCode::FAILURE
        }
    }
}

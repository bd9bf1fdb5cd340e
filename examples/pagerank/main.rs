//! The rank of pages by the links between them: `cargo run --release --example pagerank -- [FILE | speed [PAGES]]`.
//!
//! The links are a sparse matrix over blocks of rows: each locale has only the links to its pages, and their indices. A step multiplies
//! the matrix by the ranks, and each locale receives the ranks that its links name. Each line of the file is one link: two numbers.
//! `speed` compares a step with a serial loop over compressed rows, for random links between many pages.

#[path = "../arguments.rs"]
mod arguments;
mod graph;
mod ranking;

use core::error::Error;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use graph::{Graph, Rows};
use layout::store::Runtime;
use ranking::{Ranking, ranked, serial};

fn rank(graph: &Graph) -> Result<(), Box<dyn Error>> {
    println!("pages: {}, links: {}", graph.pages, graph.links.len());
    let (steps, expected) = serial(graph);
    let builder = Runtime::builder().threads(1).pieces(4).min_chunk(1).whole_below(0);
    let mut of_one: Option<Vec<f64>> = None;
    for locales in [1, 4] {
        let mut sent = [0; 3];
        for found in builder.clone().locales(locales).simulate(|rt| ranked(rt, graph))? {
            let (taken, ranks, bytes) = found?;
            let off = ranks.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(taken == steps && off < 1e-12, "{taken} steps, off by {off:.1e} from the serial loop");
            assert!((ranks.iter().sum::<f64>() - 1.0).abs() < 1e-9, "ranks do not sum up to 1");
            let first = of_one.get_or_insert_with(|| ranks.clone());
            assert!(first.iter().zip(&ranks).all(|(a, b)| (a - b).abs() < 1e-12), "ranks differ on {locales} locales");
            sent.iter_mut().zip(bytes).for_each(|(all, own)| *all += own);
        }
        let [links, first, last] = sent;
        let plural = if locales == 1 { "" } else { "s" };
        println!(
            "on {locales} locale{plural}, steps: {steps}, as the serial loop; bytes sent: {links} for the links, {first} for the first step, {last} for the last"
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
    println!("pages: {}, links: {}", graph.pages, graph.links.len());
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

/// The most pages of random links, of which each takes more than a kilobyte.
const MOST_RANDOM: usize = 1 << 22;

enum Run {
    Ranks(Option<PathBuf>),
    Speed(usize),
}

fn main() -> ExitCode {
    let read = |given: &[OsString]| match given {
        [] => Some(Run::Ranks(None)),
        [speed, pages @ ..] if speed == "speed" => match pages {
            [] => Some(Run::Speed(250_000)),
            [pages] => pages.to_str()?.parse().ok().filter(|pages| (1..=MOST_RANDOM).contains(pages)).map(Run::Speed),
            _ => None,
        },
        [file] => Some(Run::Ranks(Some(file.into()))),
        _ => None,
    };
    let usage = format!(
        "give one of\n  nothing        the ranks of 256 pages with 940 links\n  FILE           the ranks of the pages of this file, which has \
         two numbers a line for each link\n  speed [PAGES]  the time of a step for 1 to {MOST_RANDOM} pages, 250000 if none are given"
    );
    arguments::run(&usage, read, |given| match given {
        Run::Ranks(None) => rank(&Graph::parse(include_str!("links.txt"))?),
        Run::Ranks(Some(file)) => rank(&Graph::read(&file)?),
        Run::Speed(pages) => speed(pages),
    })
}

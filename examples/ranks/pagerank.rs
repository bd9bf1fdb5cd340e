//! The rank of pages by the links between them, a part of the links on each rank of the job:
//! `mpirun -n 4 target/release/pagerank [FILE]`.
//!
//! Once a step, a rank of the job receives the ranks of the pages that its links name. The steps are those of the example `pagerank` of
//! global arrays.

#[path = "../arguments.rs"]
mod arguments;
#[path = "../pagerank/graph.rs"]
#[expect(dead_code, reason = "only the other example has random links")]
mod graph;
#[path = "../pagerank/ranking.rs"]
mod ranking;

use core::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use graph::Graph;
use layout::array::ArrayError;
use ranking::{ranked, serial};

fn main() -> ExitCode {
    let read = |given: &[OsString]| match given {
        [] => Some(None),
        [file] => Some(Some(PathBuf::from(file))),
        _ => None,
    };
    arguments::run("give a file of links, or nothing for 940 links", read, |file| on_ranks(file.as_deref()))
}

fn on_ranks(file: Option<&Path>) -> Result<(), Box<dyn Error>> {
    let graph = match file {
        Some(file) => Graph::read(file)?,
        None => Graph::parse(include_str!("../pagerank/links.txt"))?,
    };
    let (expected_steps, expected) = serial(&graph);
    layout_mpi::run(|rt| {
        let (steps, found, [links, first, last]) = ranked(rt, &graph)?;
        assert_eq!(found.len(), expected.len());
        // What is no number is infinitely far off.
        let off = found.iter().zip(&expected).map(|(a, b)| (a - b).abs().min(f64::INFINITY)).fold(0.0, f64::max);
        assert!(steps == expected_steps && off < 1e-12, "{steps} steps, off by {off:.1e} from the serial loop");
        if rt.locale() == 0 {
            println!("pages: {}, links: {}, ranks: {}", graph.pages, graph.links.len(), rt.locales());
            let off = if off == 0.0 { "in every bit".into() } else { format!("off by {off:.1e}") };
            println!("steps: {steps}, as the serial loop, {off}");
            println!("rank 0 sends {links} bytes for the links, {first} for the first step, {last} for the last");
        }
        Ok::<_, ArrayError>(())
    })??;
    Ok(())
}

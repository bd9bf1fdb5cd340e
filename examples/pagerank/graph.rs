//! Graphs: pages and their links, from a text or at random, and their ranks by a serial loop.

use core::error::Error;
use std::path::Path;

/// Pages, numbered from 0, and links between them.
pub(crate) struct Graph {
    pub(crate) pages: usize,
    /// From a page to another one, sorted by the other one; each once.
    pub(crate) links: Vec<[usize; 2]>,
    /// The number of links of each page.
    pub(crate) out: Vec<usize>,
}

/// The most pages of a graph from a text, of which each takes some hundred bytes.
const MOST_PAGES: usize = 1 << 26;

impl Graph {
    fn new(pages: usize, mut links: Vec<[usize; 2]>) -> Self {
        links.sort_unstable_by_key(|[from, to]| [*to, *from]);
        links.dedup();
        let mut out = vec![0; pages];
        links.iter().for_each(|[from, _]| out[*from] += 1);
        Self { pages, links, out }
    }

    /// The graph in a text: two numbers a line, and comments that start with `#`.
    pub(crate) fn parse(text: &str) -> Result<Self, Box<dyn Error>> {
        let mut links = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            if line.starts_with('#') || line.trim().is_empty() {
                continue;
            }
            let page = |word: &str| word.parse().ok().filter(|page| *page < MOST_PAGES);
            let pages: Option<Vec<usize>> = line.split_whitespace().map(page).collect();
            let link = pages.and_then(|pages| <[usize; 2]>::try_from(pages).ok());
            links.push(link.ok_or_else(|| {
                format!("line {number}: `{line}`: a link is two numbers of pages, 0 to {}", MOST_PAGES - 1)
            })?);
        }
        let last = links.iter().flatten().max().ok_or("a file without links")?;
        Ok(Self::new(last + 1, links))
    }

    /// The graph in a file.
    pub(crate) fn read(file: &Path) -> Result<Self, String> {
        let named = |error: &dyn Error| format!("{}: {error}", file.display());
        let text = std::fs::read_to_string(file).map_err(|error| named(&error))?;
        Self::parse(&text).map_err(|error| named(&*error))
    }

    /// A graph of so many pages, of which each has about so many links, more of them to the first pages.
    pub(crate) fn random(pages: usize, links: usize) -> Self {
        let mut state = 1_u64;
        let mut below = move |end: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) as usize * end) >> 31
        };
        let page = move |_| [below(pages), below(pages).min(below(pages))];
        Self::new(pages, (0..pages * links).map(page).collect())
    }
}

/// A graph in compressed rows: for each page those that link to it.
pub(crate) struct Rows {
    starts: Vec<usize>,
    from: Vec<usize>,
    weights: Vec<f64>,
    leaves: Vec<usize>,
}

impl Rows {
    pub(crate) fn of(graph: &Graph) -> Self {
        let starts = (0..=graph.pages).map(|page| graph.links.partition_point(|[_, to]| *to < page)).collect();
        let from: Vec<usize> = graph.links.iter().map(|[from, _]| *from).collect();
        let weights = from.iter().map(|from| 1.0 / graph.out[*from] as f64).collect();
        let leaves = (0..graph.pages).filter(|page| graph.out[*page] == 0).collect();
        Self { starts, from, weights, leaves }
    }

    /// A step: the ranks that follow from these, and how much they change.
    pub(crate) fn step(&self, rank: &[f64], next: &mut [f64]) -> f64 {
        let lost: f64 = self.leaves.iter().map(|page| rank[*page]).sum();
        let base = (1.0 - super::ranking::DAMPING + super::ranking::DAMPING * lost) / rank.len() as f64;
        let mut change = 0.0;
        for (page, next) in next.iter_mut().enumerate() {
            let links = self.starts[page]..self.starts[page + 1];
            let sum: f64 = links.map(|k| self.weights[k] * rank[self.from[k]]).sum();
            *next = base + super::ranking::DAMPING * sum;
            change += (*next - rank[page]).abs();
        }
        change
    }
}

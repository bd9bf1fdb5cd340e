//! Graphs: pages and their links, from a text or at random, and their ranks by a serial loop.

use core::error::Error;

/// Pages, numbered from 0, and links between them.
pub(crate) struct Graph {
    pub(crate) pages: usize,
    /// From a page to another one, sorted by the other one; each once.
    pub(crate) links: Vec<[usize; 2]>,
    /// The number of links of each page.
    pub(crate) out: Vec<usize>,
}

/// The most pages of a graph from a text, of which each takes some hundred bytes.
const MOST_PAGES: u32 = 1 << 26;

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
        for line in text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
            let pages: Result<Vec<u32>, _> = line.split_whitespace().map(str::parse).collect();
            let pages = pages.map_err(|error| format!("`{line}`: {error}"))?;
            let [from, to] = pages[..] else { return Err(format!("`{line}` has not two numbers").into()) };
            if from.max(to) >= MOST_PAGES {
                return Err(format!("`{line}`: pages have numbers below {MOST_PAGES}").into());
            }
            links.push([from as usize, to as usize]);
        }
        let last = links.iter().flatten().max().ok_or("a file without links")?;
        Ok(Self::new(last + 1, links))
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

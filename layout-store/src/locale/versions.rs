//! Which locale has the newest version of which elements of a root store.

use std::collections::BTreeMap;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::geometry::{Boxes, Rect, Transform, join};

/// Locales.
type Owners = SmallVec<[usize; 4]>;

/// Boxes of elements that were written together, so that they fail together, and a locale that has them.
pub(super) type Owned = (Box<[Rect]>, usize);

/// A disjoint cover of what was written, and who has it. The same on every locale.
#[derive(Default)]
pub(crate) struct Versions {
    parts: Boxes<Owners>,
    /// Scattered elements that locales have besides: many boxes, which do not become parts one by one.
    scattered: Vec<Scattered>,
}

/// Elements that a locale was sent.
struct Scattered {
    /// The runs that were asked for, and the view that they were ones of: compared by identity.
    runs: Vec<Arc<[Rect]>>,
    transform: Arc<Transform>,
    /// The box around them in the root.
    hull: Rect,
    to: usize,
}

/// The most boxes of one part in a message: of more, neighbours are joined with what lies between them.
const MOST_BOXES: usize = 4096;
/// So many lists of scattered elements are kept, the newest.
const MOST_SCATTERED: usize = 64;

impl Versions {
    /// Takes note that these locales, and no others, have the newest version of `rect`.
    pub(crate) fn written(&mut self, rect: &Rect, owners: impl IntoIterator<Item = usize>) {
        if rect.is_empty() {
            return;
        }
        for number in self.parts.overlapping(rect) {
            self.take(number, rect);
        }
        self.parts.insert(*rect, owners.into_iter().collect());
        self.scattered.retain(|scattered| !scattered.hull.overlaps(rect));
    }

    /// What of `rect` locale `to` lacks, and who has it; from now on it has it too.
    pub(crate) fn fetch(&mut self, rect: &Rect, to: usize) -> Vec<Owned> {
        let mut fetched = Vec::new();
        for number in self.parts.overlapping(rect) {
            let (part, owners) = self.parts.get(number);
            if owners.contains(&to) {
                continue;
            }
            let common = part.intersection(rect);
            fetched.push(([common].into(), owners[0]));
            if let Some(mut owners) = self.take(number, &common) {
                owners.push(to);
                self.parts.insert(common, owners);
            }
        }
        fetched
    }

    /// Takes out what a part has in common with `rect`, and gives its owners.
    fn take(&mut self, number: usize, rect: &Rect) -> Option<Owners> {
        let (part, owners) = self.parts.remove(number)?;
        for rest in part.without(rect) {
            self.parts.insert(rest, owners.clone());
        }
        Some(owners)
    }

    /// What of some runs, seen through a view, locale `to` lacks, and who has it; from now on it has it too.
    pub(crate) fn fetch_runs(&mut self, runs: Vec<Arc<[Rect]>>, transform: &Arc<Transform>, to: usize) -> Vec<Owned> {
        let same = |known: &Scattered| {
            let alike = || known.runs.iter().zip(&runs).all(|(known, runs)| Arc::ptr_eq(known, runs));
            known.to == to && known.runs.len() == runs.len() && alike() && Arc::ptr_eq(&known.transform, transform)
        };
        if self.scattered.iter().any(same) {
            return Vec::new();
        }
        // Points of one locale may need the same.
        let mut reached = runs.iter().flat_map(|runs| runs.iter()).copied().collect();
        join(&mut reached);
        let reached: Vec<Rect> = reached.iter().map(|run| transform.root_rect(run)).collect();
        // By the number of the part: what was written together is sent together.
        let mut lacking: BTreeMap<usize, Vec<Rect>> = BTreeMap::new();
        for rect in &reached {
            self.parts.for_each_overlapping(rect, |number, part, owners| {
                if !owners.contains(&to) {
                    lacking.entry(number).or_default().push(part.intersection(rect));
                }
            });
        }
        let fetched = lacking.into_iter().map(|(number, common)| {
            let joined = common.len().div_ceil(MOST_BOXES).max(1);
            (common.chunks(joined).filter_map(hull).collect(), self.parts.get(number).1[0])
        });
        let fetched = fetched.collect();
        if let Some(hull) = hull(&reached) {
            if self.scattered.len() == MOST_SCATTERED {
                self.scattered.remove(0);
            }
            self.scattered.push(Scattered { runs, transform: transform.clone(), hull, to });
        }
        fetched
    }
}

/// The smallest box around all of some.
fn hull(rects: &[Rect]) -> Option<Rect> {
    rects.iter().copied().reduce(|a, b| a.hull(&b))
}

//! Which locale has the newest version of which elements of a root store.

use smallvec::SmallVec;

use crate::rect::Rect;

/// Locales.
type Owners = SmallVec<[usize; 4]>;

/// A disjoint cover of what was written, and who has it. The same on every locale.
#[derive(Default)]
pub(crate) struct Versions {
    parts: Vec<(Rect, Owners)>,
}

impl Versions {
    /// Takes note that these locales, and no others, have the newest version of `rect`.
    pub(crate) fn written(&mut self, rect: &Rect, owners: impl IntoIterator<Item = usize>) {
        if rect.is_empty() {
            return;
        }
        let mut parts = Vec::with_capacity(self.parts.len() + 1);
        for (part, owners) in self.parts.drain(..) {
            parts.extend(part.without(rect).into_iter().map(|rest| (rest, owners.clone())));
        }
        parts.push((*rect, owners.into_iter().collect()));
        self.parts = parts;
    }

    /// What of `rect` locale `to` lacks, and who has it; from now on it has it too.
    pub(crate) fn fetch(&mut self, rect: &Rect, to: usize) -> Vec<(Rect, usize)> {
        let mut fetched = Vec::new();
        let mut parts = Vec::with_capacity(self.parts.len());
        for (part, owners) in self.parts.drain(..) {
            let common = part.intersection(rect);
            if common.is_empty() || owners.contains(&to) {
                parts.push((part, owners));
                continue;
            }
            fetched.push((common, owners[0]));
            parts.extend(part.without(&common).into_iter().map(|rest| (rest, owners.clone())));
            let mut more = owners;
            more.push(to);
            parts.push((common, more));
        }
        self.parts = parts;
        fetched
    }
}

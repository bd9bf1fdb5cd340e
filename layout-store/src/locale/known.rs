//! The roots on a locale, so that the memory of all of them can be shown.

use std::sync::{Arc, Weak};

use super::Root;
use crate::geometry::Rect;
use crate::sync::Mutex;

/// Roots; each has a number until it is removed.
#[derive(Default)]
pub(crate) struct Known(Mutex<Slots>);

#[derive(Default)]
struct Slots {
    roots: Vec<Weak<Root>>,
    free: Vec<usize>,
}

impl Known {
    /// Inserts a root, and returns its number.
    pub(super) fn insert(&self, root: &Arc<Root>) -> usize {
        let Slots { roots, free } = &mut *self.0.lock();
        if let Some(number) = free.pop() {
            roots[number] = Arc::downgrade(root);
            return number;
        }
        roots.push(Arc::downgrade(root));
        roots.len() - 1
    }

    /// Removes a root.
    pub(super) fn remove(&self, number: usize) {
        let Slots { roots, free } = &mut *self.0.lock();
        roots[number] = Weak::new();
        free.push(number);
    }

    /// All roots, by their numbers as stores; a root comes before those of its views without elements.
    pub(crate) fn all(&self) -> Vec<Arc<Root>> {
        let mut roots: Vec<_> = self.0.lock().roots.iter().filter_map(Weak::upgrade).collect();
        roots.sort_by_key(|root| (root.id, Rect::of(root.extents()).is_empty()));
        roots
    }
}

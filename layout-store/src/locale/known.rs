//! The roots that there are on a locale, so that somebody can ask for the memory of all.

use std::sync::{Arc, Weak};

use super::Root;
use crate::sync::Mutex;

/// Roots, each with a number as long as it is there.
#[derive(Default)]
pub(crate) struct Known(Mutex<Slots>);

#[derive(Default)]
struct Slots {
    roots: Vec<Weak<Root>>,
    free: Vec<usize>,
}

impl Known {
    /// Puts in a root, and gives its number.
    pub(super) fn insert(&self, root: &Arc<Root>) -> usize {
        let Slots { roots, free } = &mut *self.0.lock();
        if let Some(number) = free.pop() {
            roots[number] = Arc::downgrade(root);
            return number;
        }
        roots.push(Arc::downgrade(root));
        roots.len() - 1
    }

    /// Takes out a root.
    pub(super) fn remove(&self, number: usize) {
        let Slots { roots, free } = &mut *self.0.lock();
        roots[number] = Weak::new();
        free.push(number);
    }

    /// All roots, by their numbers as stores.
    pub(crate) fn all(&self) -> Vec<Arc<Root>> {
        let mut roots: Vec<_> = self.0.lock().roots.iter().filter_map(Weak::upgrade).collect();
        roots.sort_by_key(|root| root.id);
        roots
    }
}

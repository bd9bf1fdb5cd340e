//! Distributions of all indices to all locales.

use alloc::vec;
use alloc::vec::Vec;

use crate::{Domain, DomainMap, Index, Targets};

/// Every index on every target locale; each locale uses its own copy.
///
/// # Examples
///
/// ```
/// use layout::domain::{Domain, DomainMap, Replicated, Targets};
///
/// let tables = Replicated::new(Targets::of([1, 3])?);
/// let all = Domain::new([1..=5]);
/// assert_eq!((tables.local(3, &all), tables.local(2, &all)), (vec![all], vec![]));
/// assert_eq!((tables.owner([4], 3), tables.owner([4], 2)), (Some(3), None));
/// # Ok::<(), layout::domain::DomainError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Replicated {
    targets: Targets<1>,
}

impl Replicated {
    /// Puts every index on all these locales.
    #[must_use]
    pub fn new(targets: Targets<1>) -> Self {
        Self { targets }
    }
}

impl<const R: usize, I: Index> DomainMap<R, I> for Replicated {
    fn locales(&self) -> &[usize] {
        self.targets.locales()
    }

    fn owner(&self, _: [I; R], here: usize) -> Option<usize> {
        self.targets.position(here).map(|_| here)
    }

    fn local(&self, locale: usize, domain: &Domain<R, I>) -> Vec<Domain<R, I>> {
        let has = self.targets.position(locale).is_some() && !domain.is_empty();
        if has { vec![*domain] } else { vec![] }
    }

    fn copies(&self) -> bool {
        true
    }
}

//! One index for each locale.

use alloc::vec;
use alloc::vec::Vec;

use crate::{Domain, DomainMap, Index, Targets};

/// One index on each locale: the first target has index 0, the second one index 1, and so on. All other indices have no owner.
///
/// # Examples
///
/// ```
/// use layout::domain::{Domain, DomainMap, PerLocale, Targets};
///
/// let counters = PerLocale::new(Targets::of([5, 2])?);
/// assert_eq!((counters.owner([1], 0), counters.owner([2], 0)), (Some(2), None));
/// assert_eq!(counters.local(5, &Domain::new([0..=1])), [Domain::new([0..=0])]);
/// # Ok::<(), layout::domain::DomainError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PerLocale {
    targets: Targets<1>,
}

impl PerLocale {
    /// One index on each of these locales.
    #[must_use]
    pub fn new(targets: Targets<1>) -> Self {
        Self { targets }
    }
}

impl<I: Index> DomainMap<1, I> for PerLocale {
    fn locales(&self) -> &[usize] {
        self.targets.locales()
    }

    fn owner(&self, [index]: [I; 1], _: usize) -> Option<usize> {
        let number = usize::try_from(index.wide()).ok()?;
        self.targets.locales().get(number).copied()
    }

    fn local(&self, locale: usize, domain: &Domain<1, I>) -> Vec<Domain<1, I>> {
        let number = self.targets.position(locale).and_then(|[number]| I::narrow(i128::try_from(number).ok()?));
        let own = number.map(|number| domain.intersect(&Domain::new([number..=number])));
        own.filter(|own| !own.is_empty()).map_or(vec![], |own| vec![own])
    }
}

//! What a distribution answers, and whether its answers fit together.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt::Debug;

use crate::{Domain, DomainError, Index};

/// A distribution: which locale owns an index, and which part of a domain a locale owns.
///
/// Ownership does not depend on a domain: a domain may grow, shrink, or be a slice of another one, and each of its indices
/// stays where it was. All answers are arithmetic, without communication, for any index and any locale.
///
/// # Examples
///
/// The diagonals of a matrix, in turn:
///
/// ```
/// use layout_domain::{Domain, DomainMap, check_map};
///
/// #[derive(Debug, PartialEq)]
/// struct Diagonals(Vec<usize>);
///
/// impl DomainMap<2> for Diagonals {
///     fn locales(&self) -> &[usize] {
///         &self.0
///     }
///
///     fn owner(&self, [i, j]: [i64; 2], _: usize) -> Option<usize> {
///         Some(self.0[(j - i).rem_euclid(self.0.len() as i64) as usize])
///     }
///
///     fn local(&self, locale: usize, domain: &Domain<2>) -> Vec<Domain<2>> {
///         let own = |at: &[i64; 2]| self.owner(*at, locale) == Some(locale);
///         domain.iter().filter(own).map(|[i, j]| Domain::new([i..=i, j..=j])).collect()
///     }
/// }
///
/// check_map(&Diagonals(vec![0, 1, 2]), &Domain::new([1..=5, 1..=5]))?;
/// # Ok::<(), layout_domain::DomainError>(())
/// ```
pub trait DomainMap<const R: usize, I: Index = i64>: Debug {
    /// The locales that own indices, each once.
    fn locales(&self) -> &[usize];

    /// The locale to which a locale, `here`, goes for an index, whether or not a domain has the index. `here` matters only
    /// to distributions that keep [copies](Self::copies).
    ///
    /// `None` if no locale has the index for `here`.
    fn owner(&self, index: [I; R], here: usize) -> Option<usize>;

    /// What of a domain lies on a locale: disjoint domains, none of them empty. No domain if it is no target.
    fn local(&self, locale: usize, domain: &Domain<R, I>) -> Vec<Domain<R, I>>;

    /// Whether an index may lie on several locales.
    fn copies(&self) -> bool {
        false
    }
}

/// A reference to a distribution, a box of one or a shared one is a distribution.
macro_rules! by_reference {
    ($($pointer:ty),*) => {$(
        impl<const R: usize, I: Index, M: DomainMap<R, I> + ?Sized> DomainMap<R, I> for $pointer {
            fn locales(&self) -> &[usize] {
                (**self).locales()
            }

            fn owner(&self, index: [I; R], here: usize) -> Option<usize> {
                (**self).owner(index, here)
            }

            fn local(&self, locale: usize, domain: &Domain<R, I>) -> Vec<Domain<R, I>> {
                (**self).local(locale, domain)
            }

            fn copies(&self) -> bool {
                (**self).copies()
            }
        }
    )*};
}

by_reference!(&M, Box<M>, Arc<M>);

/// Goes through a domain, and finds out whether each index lies in the local part of one locale, which is its owner; of
/// distributions that keep copies, whether the owner that each locale goes to has the index.
///
/// The time and the memory grow with the number of indices.
///
/// # Errors
///
/// [`DomainError::OwnedTwice`], [`DomainError::OwnedByNobody`], [`DomainError::OtherOwner`] or [`DomainError::Outside`], with
/// the first index that does not fit.
///
/// # Examples
///
/// ```
/// use layout_domain::{BlockCyclic, Domain, Targets, check_map};
///
/// let map = BlockCyclic::new([1, 0], [2, 3], Targets::all(6)?)?;
/// check_map(&map, &Domain::new([-5..=9, 3..=20]).by([1, -2])?)?;
/// # Ok::<(), layout_domain::DomainError>(())
/// ```
pub fn check_map<const R: usize, I: Index>(
    map: &dyn DomainMap<R, I>,
    domain: &Domain<R, I>,
) -> Result<(), DomainError> {
    let wide = |index: [I; R]| index.map(Index::wide).to_vec();
    let mut holders: BTreeMap<[I; R], Vec<usize>> = BTreeMap::new();
    for &locale in map.locales() {
        for part in map.local(locale, domain) {
            if !domain.covers(&part) {
                let (part, domain) = (part.to_string(), domain.to_string());
                return Err(DomainError::Outside { locale, part, domain });
            }
            for index in part {
                let holders = holders.entry(index).or_default();
                if let Some(first) = holders.iter().find(|holder| !map.copies() || **holder == locale) {
                    return Err(DomainError::OwnedTwice { index: wide(index), first: *first, second: locale });
                }
                holders.push(locale);
            }
        }
    }
    for index in *domain {
        let Some(holders) = holders.get(&index) else { return Err(DomainError::OwnedByNobody { index: wide(index) }) };
        for &here in map.locales() {
            let owner = map.owner(index, here);
            if !owner.is_some_and(|owner| holders.contains(&owner)) {
                return Err(DomainError::OtherOwner { index: wide(index), owner, local: holders[0] });
            }
        }
    }
    Ok(())
}

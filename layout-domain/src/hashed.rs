//! Distributions of keys of any type.

use alloc::format;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;

use crate::{DomainError, Targets};

/// A distribution of keys of any type by a function of the key: a hash, or a function of the program.
///
/// # Examples
///
/// ```
/// use layout::domain::{Hashed, Targets};
///
/// let by_length = Hashed::by(Targets::all(4)?, |word: &&str, locales| word.len() % locales);
/// assert_eq!(by_length.owner(&"layout")?, 2);
/// let by_hash = Hashed::<(u8, i64)>::new(Targets::all(3)?);
/// assert!(by_hash.owner(&(7, -1))? < 3);
/// let wrong = Hashed::by(Targets::all(4)?, |key: &usize, _| *key);
/// assert_eq!(
///     wrong.owner(&9).unwrap_err().to_string(),
///     "the mapper of a hashed distribution gave 9 for 9; there are 4 target locales, from 0"
/// );
/// # Ok::<(), layout::domain::DomainError>(())
/// ```
#[derive(Clone)]
pub struct Hashed<K, M = fn(&K, usize) -> usize> {
    targets: Targets<1>,
    mapper: M,
    key: PhantomData<fn(&K)>,
}

impl<K: Hash> Hashed<K> {
    /// Distributes keys by a hash, which is the same in every process of a program, and on all machines of one byte order and pointer width.
    #[must_use]
    pub fn new(targets: Targets<1>) -> Self {
        Self::by(targets, |key, locales| {
            let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
            key.hash(&mut hasher);
            let hash = hasher.finish();
            // Keys that differ only in their low bits go to all locales.
            usize::try_from((hash ^ hash >> 32) % locales as u64).unwrap_or(0)
        })
    }
}

impl<K, M: Fn(&K, usize) -> usize> Hashed<K, M> {
    /// Distributes keys by a function of the key and the number of target locales. It returns the number of a target; 0 is the first.
    pub fn by(targets: Targets<1>, mapper: M) -> Self {
        Self { targets, mapper, key: PhantomData }
    }

    /// The locale of a key.
    ///
    /// # Errors
    ///
    /// [`DomainError::Mapper`] if the function returns a number beyond the target locales.
    pub fn owner(&self, key: &K) -> Result<usize, DomainError>
    where
        K: fmt::Debug,
    {
        let locales = self.targets.locales();
        let given = (self.mapper)(key, locales.len());
        let mapper = || DomainError::Mapper { key: format!("{key:?}"), given, count: locales.len() };
        locales.get(given).copied().ok_or_else(mapper)
    }
}

impl<K, M> Hashed<K, M> {
    /// The locales that have keys.
    #[must_use]
    pub fn locales(&self) -> &[usize] {
        self.targets.locales()
    }
}

impl<K, M> fmt::Debug for Hashed<K, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hashed").field("locales", &self.locales()).finish_non_exhaustive()
    }
}

/// FNV-1a: a simple hash that is the same on all machines.
struct Fnv(u64);

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

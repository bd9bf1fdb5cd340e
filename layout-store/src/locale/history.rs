//! What a locale did so far, in short, and where the histories of several locales part.

use core::hash::{Hash, Hasher};
use core::ops::Deref;
use std::collections::VecDeque;

use super::operation::Operation;
use crate::error::StoreError;

/// The place of an operation in a program.
#[derive(Clone, Copy)]
pub(crate) struct Order {
    /// The number of the operation; the first one is 1.
    pub(crate) number: u64,
    /// The hash of the operations so far: the same on every locale, if programs are. Zero where there is one locale.
    pub(crate) hash: u64,
}

/// The operations of one locale so far.
#[derive(Default)]
pub(super) struct History {
    number: u64,
    hash: u64,
    /// The latest operations, each with the hash of all up to it.
    recent: VecDeque<(u64, Operation)>,
}

/// So many operations are remembered: a program may be far ahead of its tasks when one of them gets a message that does not fit.
const MOST: usize = 1024;

impl History {
    pub(super) fn push(&mut self, operation: Operation) -> Order {
        self.number += 1;
        self.hash = fingerprint((self.hash, &operation));
        if self.recent.len() == MOST {
            self.recent.pop_front();
        }
        self.recent.push_back((self.hash, operation));
        self.last()
    }

    pub(super) fn last(&self) -> Order {
        Order { number: self.number, hash: self.hash }
    }

    /// The number of the first operation that is remembered.
    fn first(&self) -> u64 {
        self.number + 1 - self.recent.len() as u64
    }

    /// The operation of this number, with the hash of all up to it, if it was done and is remembered.
    fn get(&self, number: u64) -> Option<&(u64, Operation)> {
        self.recent.get(usize::try_from(number.checked_sub(self.first())?).ok()?)
    }

    fn hash(&self, number: u64) -> Option<u64> {
        self.get(number).map(|(hash, _)| *hash)
    }
}

/// The first operation, as far as locales remember, that two of them did and that differs; `None` if there is none. Histories
/// of which one goes on after the end of another differ only where they are to be `equal`.
pub(super) fn first_difference(histories: &[impl Deref<Target = History>], equal: bool) -> Option<StoreError> {
    let start = histories.iter().map(|history| history.first()).min()?;
    let end = histories.iter().map(|history| history.number).max()?;
    // Two locales that remember no operation in common have been apart for long.
    let apart = || {
        let behind = (0..histories.len()).min_by_key(|locale| histories[*locale].number)?;
        let ahead = (0..histories.len()).max_by_key(|locale| histories[*locale].number)?;
        let (last, next) = (histories[behind].number, histories[ahead].first().max(histories[behind].number + 1));
        let differ = equal || last < histories[ahead].first();
        (last > 0 && differ && next <= histories[ahead].number).then_some([(behind, last), (ahead, next)])
    };
    let differing = |number: u64| {
        let mut known = (0..histories.len()).filter_map(|at| Some((at, histories[at].hash(number)?)));
        let (first, hash) = known.next()?;
        let (other, _) = known.find(|(_, other)| *other != hash)?;
        Some([(first, number), (other, number)])
    };
    let mut pair = (start..=end).find_map(differing).or_else(apart)?;
    pair.sort_unstable();
    let did = pair.map(|(locale, number)| {
        histories[locale].get(number).map(|(_, operation)| operation.to_string()).unwrap_or_default()
    });
    let [(first, number), (other, beside)] = pair;
    // All that is known to agree lies before it.
    let exact = number == beside
        && (number == 1
            || histories[first].hash(number - 1).is_some_and(|hash| histories[other].hash(number - 1) == Some(hash)));
    Some(StoreError::Diverged { operation: number.min(beside), exact, locales: [first, other], did: Box::new(did) })
}

/// A hash that depends on nothing but what is hashed: neither on the process, nor on the size of `usize`, nor on a version of
/// the standard library's hasher. Each word is added to the state, which is then mixed as SplitMix64 does.
pub(crate) fn fingerprint(what: impl Hash) -> u64 {
    let mut hasher = Fingerprint(0);
    what.hash(&mut hasher);
    hasher.finish()
}

struct Fingerprint(u64);

impl Fingerprint {
    fn word(&mut self, word: u64) {
        let mut state = (self.0 ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
        state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        self.0 = state ^ (state >> 31);
    }
}

impl Hasher for Fingerprint {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.word(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.word(value.into());
    }

    fn write_u64(&mut self, value: u64) {
        self.word(value);
    }

    fn write_usize(&mut self, value: usize) {
        self.word(value as u64);
    }

    #[expect(clippy::cast_sign_loss, reason = "numbers of variants are not negative")]
    fn write_isize(&mut self, value: isize) {
        self.word(value as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Rect;

    /// Accesses to stores of these numbers.
    fn history(stores: impl IntoIterator<Item = u64>) -> Box<History> {
        let mut history = Box::<History>::default();
        for store in stores {
            history.push(Operation::Access { call: "get", store, rect: Rect::of([1].into()), write: false, on: None });
        }
        history
    }

    fn difference(histories: &[Box<History>], equal: bool) -> Option<(u64, bool, [usize; 2])> {
        let told = first_difference(histories, equal)?;
        let StoreError::Diverged { operation, exact, locales, did } = &told else { panic!("{told}") };
        assert!(did.iter().all(|did| did.starts_with("called `get`")), "{told}");
        Some((*operation, *exact, *locales))
    }

    #[test]
    fn the_first_operation_that_differs_is_found() {
        assert_eq!(difference(&[history([1, 2]), history([1, 2])], true), None);
        assert_eq!(difference(&[history([7, 2]), history([1, 2])], false), Some((1, true, [0, 1])));
        assert_eq!(
            difference(&[history([1, 2, 3]), history([1, 2, 3]), history([1, 9])], false),
            Some((2, true, [0, 2]))
        );
        // One that has not come so far says nothing yet.
        assert_eq!(difference(&[history([1]), history([1, 2]), history([1, 3])], false), Some((2, true, [1, 2])));
        let none: [u64; 0] = [];
        assert_eq!(difference(&[history(none), history([1])], false), None);
    }

    #[test]
    fn who_goes_on_differs_only_where_all_have_come_to_an_end() {
        let histories = [history([1, 2]), history([1, 2, 3, 4])];
        assert_eq!(difference(&histories, false), None);
        assert_eq!(difference(&histories, true), Some((2, false, [0, 1])));
    }

    #[test]
    fn what_was_forgotten_is_not_said_to_be_the_first() {
        let most = MOST as u64;
        // The first operation that differs is just remembered, and the one before it is not.
        let long = |first: u64, count: u64| history(core::iter::once(first).chain(2..=count));
        assert_eq!(difference(&[long(1, most), long(9, most)], false), Some((1, true, [0, 1])));
        assert_eq!(difference(&[long(1, most + 1), long(9, most + 1)], false), Some((2, false, [0, 1])));
        // Nothing is remembered by both.
        assert_eq!(difference(&[history([1, 2]), long(1, 2 + most + 5)], false), Some((2, false, [0, 1])));
        assert_eq!(difference(&[long(1, 2 + most), history([1, 2])], false), Some((2, false, [0, 1])));
        assert_eq!(difference(&[long(1, 1 + most), history([1, 2])], false), None);
    }

    #[test]
    fn fingerprints_depend_on_each_word_and_its_place() {
        let all = [
            fingerprint((1_u64, 2_u64)),
            fingerprint((2_u64, 1_u64)),
            fingerprint(1_u64),
            fingerprint("ab"),
            fingerprint("ba"),
        ];
        for (at, one) in all.iter().enumerate() {
            assert!(!all[..at].contains(one));
        }
        assert_eq!(fingerprint(3_usize), fingerprint(3_u64));
        assert_ne!(fingerprint(true), fingerprint(false));
        assert_ne!(fingerprint((None::<u64>, 1_u64)), fingerprint(Some(1_u64)));
        // It is the same in every version and on every machine.
        assert_eq!(fingerprint(1_u64), 0x910a_2dec_8902_5cc1);
    }
}

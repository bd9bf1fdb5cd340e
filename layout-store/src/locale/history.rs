//! Histories: short records of the operations of locales, and the first difference between them.

use core::fmt::Display;
use core::hash::{Hash, Hasher};
use std::collections::{HashMap, VecDeque};

/// The place of an operation in a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Order {
    /// The number of the operation; the first one is 1.
    pub(crate) number: u64,
    /// The hash of the operations so far, which is the same on every locale if programs are. Zero with one locale.
    pub(crate) hash: u64,
}

/// The operations of one locale so far.
#[derive(Clone, Debug)]
pub(super) struct History<O> {
    number: u64,
    hash: u64,
    /// The latest operations, each with the hash of all operations up to it.
    recent: VecDeque<(u64, O)>,
}

/// The number of operations that are remembered: a program may be far ahead of its tasks when a task gets a message that does not fit.
const MOST: usize = 1024;

impl<O: Hash + Display> History<O> {
    pub(super) fn new() -> Self {
        Self { number: 0, hash: 0, recent: VecDeque::new() }
    }

    /// Records the beginning of the program, as operation 0.
    pub(super) fn begin(&mut self, begun: O) {
        debug_assert!(self.recent.is_empty(), "it begins once");
        self.remember(begun);
    }

    pub(super) fn push(&mut self, operation: O) -> Order {
        self.number += 1;
        self.remember(operation);
        self.last()
    }

    fn remember(&mut self, operation: O) {
        self.hash = fingerprint((self.hash, &operation));
        if self.recent.len() == MOST {
            self.recent.pop_front();
        }
        self.recent.push_back((self.hash, operation));
    }

    pub(super) fn last(&self) -> Order {
        Order { number: self.number, hash: self.hash }
    }

    /// The part of the history that other locales are told.
    pub(super) fn trail(&self) -> Trail {
        Trail { number: self.number, hashes: self.recent.iter().map(|(hash, _)| *hash).collect() }
    }

    /// The text of the operation with this number; empty if the operation is not remembered.
    pub(super) fn text(&self, number: u64) -> String {
        let at = place(number, self.number, self.recent.len());
        at.map(|at| self.recent[at].1.to_string()).unwrap_or_default()
    }
}

/// The place of an operation among `remembered` operations, the last of which has number `last`.
fn place(number: u64, last: u64, remembered: usize) -> Option<usize> {
    let back = usize::try_from(last.checked_sub(number)?).ok()?;
    remembered.checked_sub(1)?.checked_sub(back)
}

/// The latest operations of one locale: for each, the hash of all operations up to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Trail {
    /// The number of the last operation.
    pub(super) number: u64,
    pub(super) hashes: Vec<u64>,
}

impl Trail {
    /// The number of the first operation that is remembered.
    fn first(&self) -> u64 {
        (self.number + 1).saturating_sub(self.hashes.len() as u64)
    }

    fn hash(&self, number: u64) -> Option<u64> {
        place(number, self.number, self.hashes.len()).map(|at| self.hashes[at])
    }
}

/// The first difference between the programs of two locales.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parting {
    /// Two locales, the lower one first, and an operation of each.
    pub(super) at: [(usize, u64); 2],
    /// `true` if it is known that their operations before that were the same.
    pub(super) exact: bool,
}

/// The first operation that two locales remember and that differs; `None` if there is none. If one history is longer than another, this is
/// a difference only if histories must be `equal`.
pub(super) fn first_difference(trails: &[Trail], equal: bool) -> Option<Parting> {
    // Two locales that remember no operation in common have been apart for long.
    let apart = || {
        let behind = (0..trails.len()).min_by_key(|locale| trails[*locale].number)?;
        let ahead = (0..trails.len()).max_by_key(|locale| trails[*locale].number)?;
        let (last, next) = (trails[behind].number, trails[ahead].first().max(trails[behind].number + 1));
        let differ = equal || last < trails[ahead].first();
        (last > 0 && differ && next <= trails[ahead].number).then_some([(behind, last), (ahead, next)])
    };
    // For each operation, the first locale that remembers it.
    let mut known = HashMap::new();
    let mut differing: Option<[(usize, u64); 2]> = None;
    for (at, trail) in trails.iter().enumerate() {
        for (number, hash) in (trail.first()..).zip(&trail.hashes) {
            let (first, other) = *known.entry(number).or_insert((at, hash));
            if other != hash && differing.is_none_or(|[(_, before), _]| number < before) {
                differing = Some([(first, number), (at, number)]);
            }
        }
    }
    let mut at = differing.or_else(apart)?;
    at.sort_unstable();
    let [(first, number), (other, beside)] = at;
    // Everything that is known to agree lies before it.
    let before = |locale: usize| trails[locale].hash(number - 1);
    let exact = number == beside && (number <= 1 || before(first).is_some() && before(first) == before(other));
    Some(Parting { at, exact })
}

/// A hash that depends only on the value: not on the process, on the size of `usize`, or on a version of the standard library's hasher.
/// Each word is added to the state, which is then mixed as in SplitMix64.
pub(crate) fn fingerprint(what: impl Hash) -> u64 {
    let mut hasher = Fingerprint(0);
    what.hash(&mut hasher);
    hasher.finish()
}

/// The hasher of a [`fingerprint`].
#[derive(Default)]
pub(crate) struct Fingerprint(u64);

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

    /// Accesses to stores of these numbers.
    fn history(stores: impl IntoIterator<Item = u64>) -> Trail {
        let mut history = History::new();
        for store in stores {
            history.push(store);
        }
        assert_eq!(history.text(history.last().number + 1), "");
        history.trail()
    }

    fn difference(trails: &[Trail], equal: bool) -> Option<(u64, bool, [usize; 2])> {
        let Parting { at: [(first, number), (other, beside)], exact } = first_difference(trails, equal)?;
        assert!(first < other);
        Some((number.min(beside), exact, [first, other]))
    }

    #[test]
    fn what_is_remembered_has_words() {
        let mut history = History::new();
        let most = MOST as u64;
        for store in 0..most + 2 {
            history.push(store);
        }
        assert_eq!(
            (history.text(most + 2), history.text(3), history.text(2)),
            ((most + 1).to_string(), "2".to_owned(), String::new())
        );
        let trail = history.trail();
        assert_eq!((trail.first(), trail.hash(2), trail.hash(most + 3)), (3, None, None));
        assert_eq!(trail.hash(most + 2), Some(history.last().hash));
    }

    #[test]
    fn the_first_operation_that_differs_is_found() {
        assert_eq!(difference(&[history([1, 2]), history([1, 2])], true), None);
        assert_eq!(difference(&[history([7, 2]), history([1, 2])], false), Some((1, true, [0, 1])));
        assert_eq!(
            difference(&[history([1, 2, 3]), history([1, 2, 3]), history([1, 9])], false),
            Some((2, true, [0, 2]))
        );
        // A locale that has not come so far tells nothing yet.
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
        // No operation is remembered by both.
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
        // The hash is the same in every version and on every machine.
        assert_eq!(fingerprint(1_u64), 0x910a_2dec_8902_5cc1);
    }
}

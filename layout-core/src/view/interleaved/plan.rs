//! The places of the words of each leaf in the vectors that records fill, computed when a kernel is compiled.

use super::quads::{QUAD, RECORDS};
use super::vector::{MASKS, MOST};
use crate::leaf_table::LeafTable;
use crate::mapping::{LeafPlace, RecordLayout, computes};
use crate::path::Path;

/// The most words of a record for which a group takes fewer instructions than its leaves one by one; and the most with
/// vectors of 16 words, for a record of at most `WORDS` leaves, some of them longer than a word.
const WORDS: usize = 6;
const WORDS_OF_LONG: usize = 2 * WORDS;
/// The most vectors in which words of one leaf share a place.
const BLENDS: usize = 8;
/// The most vectors that the lanes of a leaf fill.
const TURNS: usize = 8;
/// The most leaves of a record.
const LEAVES: usize = 16;

/// For each number of words, the permutation that rotates every four words by that number.
pub(super) const ROTATED: [[i32; MOST]; 4] = {
    let (mut rotated, mut by) = ([[0; MOST]; 4], 0);
    while by < 4 {
        let mut place = 0;
        while place < MOST {
            #[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "less than 16")]
            {
                rotated[by][place] = (place / 4 * 4 + (place + 4 - by) % 4) as i32;
            }
            place += 1;
        }
        by += 1;
    }
    rotated
};

/// The plan by which the leaf that starts at a certain word of a record is extracted.
///
/// Vectors are blended as long as their words of the leaf are at different places. If a record has a multiple of four
/// words, the words are at the same place in four vectors or more; then each of the four is first rotated by another
/// number of words, the same for all leaves.
#[derive(Clone, Copy)]
pub(super) struct Plan {
    /// For each word of the lanes, its place in a vector.
    pub(super) places: [i32; MOST],
    /// For each vector, the mask of the leaf's words, and whether the next vector starts another blend.
    pub(super) words: [u16; MOST],
    pub(super) last: [bool; MOST],
    /// For each vector, the number of its blend.
    pub(super) blend: [usize; MOST],
    /// For each blend, the mask of the lanes' words that it holds, and for each place, the number of its word in the lanes.
    pub(super) lanes: [u16; BLENDS],
    pub(super) back: [[i32; MOST]; BLENDS],
}

/// The plans for leaves of one size in the records of a group.
pub(super) struct Interleaved {
    /// The number of words of a record, and of a leaf.
    pub(super) record: usize,
    pub(super) leaf: usize,
    /// The number of words of a vector.
    pub(super) vector: usize,
    /// The number of turns, each of which fills a vector with lanes, and the number of the records' vectors in each turn.
    pub(super) turns: usize,
    pub(super) vectors: usize,
    /// For each vector, the mask of the words that are loaded and stored: those of leaves of the view.
    pub(super) own: [u16; MOST],
    /// For each vector, the number of words that it is rotated by.
    pub(super) rotated: [usize; MOST],
    /// The leaves of the view that are in the same records, and their number.
    pub(super) leaves: [usize; LEAVES],
    pub(super) count: usize,
    /// The plans, by the word where the leaf starts.
    pub(super) plans: [Plan; MOST],
    /// `by_quads`: leaves are extracted by quads, and not by plans. `quads`: for each word, the start of the quad that
    /// contains it, or [`NO_QUAD`].
    pub(super) by_quads: bool,
    pub(super) quads: [usize; MOST],
}

/// The entry for a word that is in no quad.
pub(super) const NO_QUAD: usize = usize::MAX;

/// Returns `true` if `w` leaves of `leaf` words, in records of `record` words, fill whole vectors of `n` words, and
/// each such vector comes from whole vectors of records.
const fn fits(leaf: usize, record: usize, w: usize, n: usize) -> bool {
    n.is_multiple_of(leaf) && (w * leaf).is_multiple_of(n) && (n / leaf * record).is_multiple_of(n)
}

impl Interleaved {
    pub(super) const NONE: Self = {
        let plan = Plan {
            places: [0; MOST],
            words: [0; MOST],
            last: [false; MOST],
            blend: [0; MOST],
            lanes: [0; BLENDS],
            back: [[0; MOST]; BLENDS],
        };
        Self {
            record: 1,
            leaf: 1,
            vector: MOST,
            turns: 0,
            vectors: 0,
            own: [0; MOST],
            rotated: [0; MOST],
            leaves: [0; LEAVES],
            count: 0,
            plans: [plan; MOST],
            by_quads: false,
            quads: [NO_QUAD; MOST],
        }
    };

    /// The plans for `w` leaves of the size of `P`, or `None` if vectors do not pay off.
    pub(super) const fn new<P: Path, L: RecordLayout<P::Root>>(size: usize, w: usize) -> Option<Self> {
        let place = LeafPlace::of(L::PLACES, P::LEAF);
        let (record, leaf) = (place.stride / 4, size / 4);
        let words = size > 0 && size.is_multiple_of(4) && place.stride.is_multiple_of(4);
        if !words || record < leaf || record > MOST || !place.start.is_multiple_of(4) {
            return None;
        }
        // The bytes of the record that belong to leaves of the view, and the vectors that fit all leaves of whole words.
        let (mut bytes, mut leaves, mut count) = (0_u64, [0; LEAVES], 0);
        // The bytes of leaves of the size of this one, and whether all leaves have that size.
        let (mut same, mut alike) = (0_u64, true);
        let (mut full, mut half) = (MASKS && fits(leaf, record, w, MOST), fits(leaf, record, w, MOST / 2));
        let (table, mut other) = (LeafTable::of::<P::Root>(), 0);
        while other < table.count() {
            let (size, start) = (table.leaf(other).size(), LeafPlace::of(L::PLACES, other).start);
            // Contiguous leaves have no other leaves beside them.
            let together = if record == leaf {
                other == P::LEAF
            } else {
                size > 0 && Self::together(place, LeafPlace::of(L::PLACES, other)) && !computes::<P::Root, L>(other)
            };
            if together {
                let start = start % place.stride;
                if count == LEAVES || start + size > place.stride {
                    return None;
                }
                bytes |= (u64::MAX >> (64 - size)) << start;
                leaves[count] = other;
                count += 1;
                if size == 4 * leaf {
                    same |= (u64::MAX >> (64 - size)) << start;
                }
                alike &= size == 4 * leaf;
                if size.is_multiple_of(4) {
                    full &= fits(size / 4, record, w, MOST);
                    half &= fits(size / 4, record, w, MOST / 2);
                }
            }
            other += 1;
        }
        // Each place of a leaf in a vector needs a mask of its own. Five such masks, with the other values that are
        // kept, exceed the mask registers.
        let few = count <= WORDS && record <= WORDS_OF_LONG && record >> record.trailing_zeros() <= 3;
        let quads = Self { record, leaf, leaves, count, ..Self::NONE }.by_quads(same, w);
        if record == QUAD && alike && quads.is_some() || record > WORDS && !(full && few) || !full && !half {
            return quads;
        }
        let vector = if full { MOST } else { MOST / 2 };
        let lanes = vector / leaf;
        if w / lanes > TURNS {
            return None;
        }
        let (turns, vectors) = (w / lanes, lanes * record / vector);
        let mut own = [0; MOST];
        let mut word = 0;
        while word < vectors * vector {
            let is_own = bytes >> (4 * (word % record)) & 0xf == 0xf;
            let masked = MASKS && count == 1 && record <= 2 * leaf;
            if !(is_own || masked) {
                return quads;
            }
            own[word / vector] |= (is_own as u16) << (word % vector);
            word += 1;
        }
        // The number of vectors after which a leaf is at the same places again.
        let again = if record.is_multiple_of(8) { record / 8 } else { record / 4 };
        let again = if record.is_multiple_of(vector) { record / vector } else { again };
        let (mut rotated, mut v) = ([0; MOST], 0);
        while alike && record.is_multiple_of(4) && vectors / again >= 4 && v < vectors {
            rotated[v] = [0, 2, 1, 3][v / again % 4];
            v += 1;
        }
        let (mut plans, mut start) = (Self::NONE.plans, 0);
        while start + leaf <= record {
            let (plan, mut number) = (&mut plans[start], 0);
            // The vector and the place of each word of the lanes.
            while number < vector {
                let word = number / leaf * record + start + number % leaf;
                let (v, place) = (word / vector, word % vector);
                let place = place / 4 * 4 + (place + rotated[v]) % 4;
                plan.words[v] |= 1 << place;
                #[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "less than 16")]
                {
                    plan.places[number] = place as i32;
                }
                number += 1;
            }
            // The places of the blend that are in use.
            let (mut taken, mut blend, mut v) = (0, 0, 0);
            while v < vectors {
                if taken & plan.words[v] != 0 {
                    plan.last[v - 1] = true;
                    (taken, blend) = (0, blend + 1);
                    if blend == BLENDS {
                        return None;
                    }
                }
                taken |= plan.words[v];
                plan.blend[v] = blend;
                v += 1;
            }
            plan.last[vectors - 1] = true;
            number = 0;
            while number < vector {
                let word = number / leaf * record + start + number % leaf;
                let blend = plan.blend[word / vector];
                plan.lanes[blend] |= 1 << number;
                #[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "less than 16")]
                {
                    plan.back[blend][plan.places[number].cast_unsigned() as usize] = number as i32;
                }
                number += 1;
            }
            start += 1;
        }
        Some(Self { record, leaf, vector, turns, vectors, own, rotated, leaves, count, plans, ..Self::NONE })
    }

    /// The same, but by quads, for `w` leaves of one word. `bytes` are the bytes of such leaves; returns `None` if no
    /// quad consists only of them, since a load of a quad would wait for stores of longer leaves in it.
    const fn by_quads(mut self, bytes: u64, w: usize) -> Option<Self> {
        if self.leaf != 1 || w != RECORDS {
            return None;
        }
        let mut start = 0;
        while start + QUAD <= self.record {
            if bytes >> (4 * start) & 0xffff == 0xffff {
                self.by_quads = true;
                let mut word = 0;
                while word < QUAD {
                    self.quads[start + word] = start;
                    word += 1;
                }
                start += QUAD;
            } else {
                start += 1;
            }
        }
        if self.by_quads { Some(self) } else { None }
    }

    /// See [`Group::THERE`].
    pub(super) const fn there(&self) -> [[i32; MOST]; MOST] {
        let (mut numbers, mut last) = ([[0; MOST]; MOST], 0);
        while last < MOST {
            let mut word = 0;
            while word < MOST {
                let end = last * self.leaf + word % self.leaf;
                #[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "less than 16")]
                {
                    numbers[last][word] = (if word < end { word } else { end }) as i32;
                }
                word += 1;
            }
            last += 1;
        }
        numbers
    }

    /// Returns `true` if leaves at these places are in the same records.
    pub(super) const fn together(a: LeafPlace, b: LeafPlace) -> bool {
        a.blob == b.blob
            && a.stride == b.stride
            && a.block == b.block
            && a.group == b.group
            && a.start / a.stride == b.start / b.stride
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: LeafPlace = LeafPlace { start: 20, blob: 1, stride: 16, block: 32, group: 3 };

    #[test]
    fn words_are_rotated_within_their_four() {
        for (by, rotated) in ROTATED.iter().enumerate() {
            // The word at each place comes from as many places before.
            let from = |place: usize| usize::try_from(rotated[place]).unwrap();
            assert!(
                (0..MOST).all(|place| from(place) / 4 == place / 4 && (from(place) + by) % 4 == place % 4),
                "by {by}"
            );
        }
    }

    #[test]
    fn the_last_leaf_stands_for_those_after_it() {
        for leaf in [1, 2, 4] {
            let there = Interleaved { leaf, ..Interleaved::NONE }.there();
            for (last, numbers) in there.iter().enumerate() {
                for (word, number) in numbers.iter().enumerate() {
                    let (lane, within) = (word / leaf, word % leaf);
                    let expected = lane.min(last) * leaf + within;
                    assert_eq!(
                        usize::try_from(*number),
                        Ok(expected),
                        "word {word} of leaves of {leaf}, {last} before the last"
                    );
                }
            }
        }
    }

    /// Each quad has only words whose bytes are given, no word is in two quads, and as many quads are found as fit.
    #[test]
    fn quads_have_words_of_leaves_alone() {
        // Bytes of one word of a record, of runs of three to nine words, and of words that lack their last byte.
        let words = |first: usize, count: usize| ((1_u64 << (4 * count)) - 1) << (4 * first);
        let bytes = [
            0,
            words(3, 1),
            words(0, 3),
            words(0, 4),
            words(1, 4),
            words(2, 5),
            words(0, 8),
            words(1, 9),
            words(4, 11),
        ];
        let bytes =
            bytes.into_iter().chain([words(0, 4) >> 1, words(0, 8) ^ 1 << 15, words(0, 4) | words(5, 4), u64::MAX]);
        for (bytes, record) in bytes.flat_map(|bytes| (1..=MOST).map(move |record| (bytes, record))) {
            let owned = |word: usize| word < record && bytes >> (4 * word) & 0xf == 0xf;
            let mut expected = [NO_QUAD; MOST];
            let mut start = 0;
            while start < record {
                let all = (start..start + QUAD).all(owned);
                if all {
                    expected[start..start + QUAD].fill(start);
                }
                start += if all { QUAD } else { 1 };
            }
            let plan = Interleaved { record, leaf: 1, ..Interleaved::NONE };
            let found = plan.by_quads(bytes, RECORDS);
            let quads = found.as_ref().map_or([NO_QUAD; MOST], |found| found.quads);
            assert_eq!(quads, expected, "{bytes:x} in records of {record} words");
            assert!(found.is_none_or(|found| found.by_quads && expected != [NO_QUAD; MOST]));
            // Other leaves and groups have none.
            assert!(Interleaved { record, leaf: 2, ..Interleaved::NONE }.by_quads(bytes, RECORDS).is_none());
            assert!(Interleaved { record, leaf: 1, ..Interleaved::NONE }.by_quads(bytes, 2 * RECORDS).is_none());
        }
    }

    #[test]
    fn leaves_of_the_same_records_differ_in_where_they_start_alone() {
        let together = |other| (Interleaved::together(PLACE, other), Interleaved::together(other, PLACE));
        for (start, expected) in [(15, false), (16, true), (20, true), (31, true), (32, false), (4, false), (0, false)]
        {
            assert_eq!(together(LeafPlace { start, ..PLACE }), (expected, expected), "start {start}");
        }
        let others = [
            LeafPlace { blob: 0, ..PLACE },
            LeafPlace { stride: 17, ..PLACE },
            LeafPlace { block: 64, ..PLACE },
            LeafPlace { group: 4, ..PLACE },
        ];
        assert_eq!(others.map(together), [(false, false); 4]);
    }

    #[test]
    fn leaves_fit_that_fill_vectors_from_whole_vectors() {
        for (leaf, record, w, n) in [(1, 1, 16, 16), (1, 3, 16, 16), (2, 2, 4, 8), (2, 6, 8, 16), (4, 8, 4, 8)] {
            assert!(fits(leaf, record, w, n), "{w} leaves of {leaf} words, in records of {record}, by {n}");
        }
        for (leaf, record, w, n) in [(3, 16, 16, 16), (1, 1, 12, 8), (1, 1, 15, 16), (2, 3, 8, 8)] {
            assert!(!fits(leaf, record, w, n), "{w} leaves of {leaf} words, in records of {record}, by {n}");
        }
    }
}

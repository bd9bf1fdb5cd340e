//! Leaves of records, four words of each record at a time, for records that are too long for permutations of whole vectors.
//!
//! ```text
//! record 0  a0 b0 c0 d0 ..     v0 = a0 b0 c0 d0 | a4 b4 c4 d4     words of v0 and v1 in turns = a0 a1 b0 b1 | a4 a5 b4 b5
//! record 1  a1 b1 c1 d1 ..     v1 = a1 b1 c1 d1 | a5 b5 c5 d5     words of v2 and v3 in turns = a2 a3 b2 b3 | a6 a7 b6 b7
//! record 2  a2 b2 c2 d2 ..     v2 = a2 b2 c2 d2 | a6 b6 c6 d6     halves of both in turns     = a0 a1 a2 a3 | a4 a5 a6 a7
//! ```
//!
//! For a single leaf, this takes as many instructions as word by word. For the other leaves of its quad, the compiler already has the four
//! vectors. A store of a leaf blends it into those vectors, and of the stores of several leaves only the last ones remain.
//!
//! Groups of 16 were tried, with vectors of 512 bits and in halves. The compiler does not look back over so many loads
//! and stores, so the stores of all leaves remain: 1.9 to 2.4 times as long as by hand, while leaf by leaf takes 1.7.

use core::arch::x86_64::{
    __m256i, _mm_loadu_si128, _mm_storeu_si128, _mm256_castsi256_si128, _mm256_extracti128_si256, _mm256_set_m128i,
    _mm256_unpackhi_epi32, _mm256_unpackhi_epi64, _mm256_unpacklo_epi32, _mm256_unpacklo_epi64,
};

use super::vector::{MOST, Vector};

/// The number of words of a quad.
pub(super) const QUAD: usize = 4;
/// The number of records of a group: each of four vectors holds two quads.
pub(super) const RECORDS: usize = 8;

/// For each vector, the word of the lanes that comes to each of its places.
const LANES: [[i32; MOST]; QUAD] = {
    let (mut lanes, mut k) = ([[0; MOST]; QUAD], 0);
    while k < QUAD * RECORDS {
        #[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "less than 8")]
        {
            lanes[k / RECORDS][k % RECORDS] = (k % RECORDS / QUAD * QUAD + k / RECORDS) as i32;
        }
        k += 1;
    }
    lanes
};

/// Loads a quad of each of two records: at `from`, and `apart` words further.
///
/// # Safety
///
/// They can be read and are initialized.
#[cfg_attr(not(unoptimized), inline(always))]
unsafe fn load_two(from: *const i32, apart: usize) -> __m256i {
    // SAFETY: the conditions are the caller's.
    let first = unsafe { _mm_loadu_si128(from.cast()) };
    // SAFETY: as above.
    let second = unsafe { from.add(apart) };
    // SAFETY: as above.
    let second = unsafe { _mm_loadu_si128(second.cast()) };
    instruction!(_mm256_set_m128i(second, first))
}

/// Loads word `word` of the quads in eight records of `record` words, the first quad at `from`.
///
/// # Safety
///
/// The quads can be read and are initialized.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) unsafe fn load_word(word: usize, from: *const i32, record: usize) -> __m256i {
    let quads = |k: usize| {
        // SAFETY: the conditions are the caller's.
        let from = unsafe { from.add(k * record) };
        // SAFETY: as above.
        unsafe { load_two(from, QUAD * record) }
    };
    let words = |a: __m256i, b: __m256i| {
        if word < 2 { instruction!(_mm256_unpacklo_epi32(a, b)) } else { instruction!(_mm256_unpackhi_epi32(a, b)) }
    };
    let (a, b) = (words(quads(0), quads(1)), words(quads(2), quads(3)));
    if word.is_multiple_of(2) {
        instruction!(_mm256_unpacklo_epi64(a, b))
    } else {
        instruction!(_mm256_unpackhi_epi64(a, b))
    }
}

/// Stores word `word` of the quads in eight records; see [`load_word`].
///
/// # Safety
///
/// The quads can be read, are initialized, and can be written.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) unsafe fn store_word(values: __m256i, word: usize, to: *mut i32, record: usize) {
    for (k, lanes) in LANES.iter().enumerate() {
        // SAFETY: the conditions are the caller's, here and below.
        let first = unsafe { to.add(k * record) };
        // SAFETY: as above.
        let second = unsafe { first.add(QUAD * record) };
        // SAFETY: as above.
        let quads = unsafe { load_two(first, QUAD * record) }.with(0x11 << word, values.permuted(lanes));
        let low = instruction!(_mm256_castsi256_si128(quads));
        let high = instruction!(_mm256_extracti128_si256::<1>(quads));
        // SAFETY: the conditions are the caller's.
        unsafe { _mm_storeu_si128(first.cast(), low) };
        // SAFETY: as above.
        unsafe { _mm_storeu_si128(second.cast(), high) };
    }
}

#[cfg(test)]
mod tests {
    use core::mem::transmute;

    use super::*;

    /// Each lane is a word of its record, and no other word changes.
    #[test]
    fn words_of_quads_are_lanes() {
        for (record, first, word) in [(4, 0, 0), (4, 0, 3), (5, 1, 1), (7, 2, 2), (16, 12, 3)] {
            let mut words: [i32; RECORDS * MOST] = core::array::from_fn(|word| word.try_into().unwrap());
            let mut expected = words;
            let place = |lane: usize| lane * record + first + word;
            // SAFETY: the quads lie in the records.
            let from = unsafe { words.as_ptr().add(first) };
            // SAFETY: as above.
            let loaded = unsafe { load_word(word, from, record) };
            // SAFETY: both are 32 bytes, of which any are a value.
            let loaded = unsafe { transmute::<__m256i, [i32; 8]>(loaded) };
            assert_eq!(loaded, core::array::from_fn(|lane| words[place(lane)]), "word {word} in records of {record}");
            let stored = loaded.map(|number| -number - 1);
            // SAFETY: as above.
            let values = unsafe { transmute::<[i32; 8], __m256i>(stored) };
            // SAFETY: the quads lie in the records.
            let to = unsafe { words.as_mut_ptr().add(first) };
            // SAFETY: as above.
            unsafe { store_word(values, word, to, record) };
            (0..RECORDS).for_each(|lane| expected[place(lane)] = stored[lane]);
            assert_eq!(words, expected, "word {word} in records of {record}");
        }
    }
}

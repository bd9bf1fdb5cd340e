//! The memory of a rank for stores that are too large for one locale.

use crate::{LONG, start};

const EXTENT: u64 = 4 << 20;
/// Of two stores.
const BYTES: u64 = 2 * 8 * EXTENT;
/// A locale may hold so many bytes.
const LIMIT: u64 = BYTES / 2;
/// The other memory of a process: messages, pages of code that it had not run before, and ends of large pages.
const BESIDES: u64 = 8 << 20;

#[test]
fn a_rank_holds_its_part() {
    let refused = start(1, &format!("part {EXTENT} {LIMIT}")).end(LONG).well().told("result", 0);
    assert!(refused.contains("bytes of memory are needed; allowed are"), "{refused}");
    for ranks in [3, 4] {
        let ended = start(ranks, &format!("part {EXTENT} {LIMIT}")).end(LONG).well();
        for rank in 0..ranks {
            let told = ended.told("result", rank);
            let grown = told.strip_prefix('(').and_then(|told| told.strip_suffix(", true)")?.parse::<u64>().ok());
            let Some(grown) = grown else { panic!("rank {rank} of {ranks}: {told}") };
            let part = BYTES / ranks as u64;
            println!("rank {rank} of {ranks}: {grown} bytes more in memory, of which {part} are its part");
            assert!(
                (part / 2..part + BESIDES).contains(&grown),
                "rank {rank} of {ranks}: {grown} bytes, its part: {part}"
            );
        }
    }
}

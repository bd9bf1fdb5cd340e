//! Records sorted by a key, over several locales: `cargo run --release --example distributed_sort -- [LOCALES]`.
//!
//! Each locale sorts its part. All locales agree on splitters, and each record goes to the locale that merges its share. The output
//! shows how equal the shares are, and how many bytes were sent, beside those of the records that had to move.
#![expect(clippy::cast_possible_truncation, reason = "indices and magnitudes are small")]

mod arguments;

use core::error::Error;
use std::ffi::OsString;
use std::process::ExitCode;

use layout::Record;
use layout::array::{Array, ArrayError, SortReport};
use layout::domain::{Block, Domain, DomainMap, Targets};
use layout::store::Runtime;

/// The most locales: the memory for what all send each other grows with their square.
const MOST: usize = 64;
const STARS: i64 = 200_000;

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Star {
    /// In hundredths: few different values, and many stars of each.
    magnitude: i16,
    id: u32,
}

/// Dim stars are many, and bright ones are few.
fn star([index]: [i64; 1]) -> Star {
    let mixed = (index as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
    let magnitude = 100.0 * (mixed as f64 + 1.0).ln() - 200.0;
    Star { magnitude: magnitude as i16, id: index as u32 }
}

/// The result of the sort on a locale: the numbers of records on each locale, the bytes that it sent, and, on locale 0, all records.
type Told = (SortReport<Star>, u64, Option<Vec<Star>>);

fn sort(rt: &Runtime) -> Result<Told, ArrayError> {
    let line = Domain::from(0..STARS);
    let blocks = Block::over(&line, Targets::all(rt.locales())?)?;
    let stars: Array<Star, 1> = Array::from_fn(rt, &line, blocks, star)?;
    rt.fence()?;
    let before = rt.traffic().bytes;
    let report = stars.sort_by_key(|star| star.magnitude)?;
    rt.fence()?;
    let sent = rt.traffic().bytes - before;
    let all = stars.gather(0)?.map(|all| all.into_iter().map(|(_, star)| star).collect());
    Ok((report, sent, all))
}

fn main() -> ExitCode {
    let read = |given: &[OsString]| match given {
        [] => Some(4),
        [locales] => locales.to_str()?.parse().ok().filter(|locales| (1..=MOST).contains(locales)),
        _ => None,
    };
    arguments::run(&format!("give the number of locales, 1 to {MOST}, or nothing for 4"), read, run)
}

fn run(locales: usize) -> Result<(), Box<dyn Error>> {
    let builder = Runtime::builder().locales(locales).threads(1).pieces(locales).min_chunk(1);
    let told = builder.simulate(sort)?.into_iter().collect::<Result<Vec<Told>, _>>()?;
    let [(report, _, Some(sorted)), ..] = &told[..] else { return Err("locale 0 has no records".into()) };

    println!("{STARS} stars of {} bytes, by magnitude, locales: {locales}", size_of::<Star>());
    for (number, share) in report.shares.iter().enumerate() {
        let until = |star: &Star| format!("up to magnitude {:.2}, star {}", f64::from(star.magnitude) / 100.0, star.id);
        let until = report.splitters.get(number).map_or_else(|| "the last ones".into(), until);
        println!("  locale {number} merged {share:>7} stars, {until}");
    }
    let most = report.shares.iter().max().copied().unwrap_or(0) as f64;
    println!("the largest share is {:.3} of an equal one", most * report.shares.len() as f64 / STARS as f64);
    // A star moves if its place in the order lies on another locale than its place at the start.
    let blocks = Block::over(&Domain::from(0..STARS), Targets::all(locales)?)?;
    let owner = |at: i64| blocks.owner([at], 0);
    let moved = (0..).zip(sorted).filter(|(at, star)| owner(*at) != owner(i64::from(star.id))).count();
    let sent: u64 = told.iter().map(|(_, sent, _)| sent).sum();
    println!("{sent} bytes were sent; {} are of the {moved} stars that had to move", moved * size_of::<Star>());

    let mut expected: Vec<Star> = (0..STARS).map(|index| star([index])).collect();
    expected.sort_by_key(|star| star.magnitude);
    assert!(*sorted == expected, "the sort of the standard library gives another order");
    println!("in the same order as by the stable sort of the standard library");
    Ok(())
}

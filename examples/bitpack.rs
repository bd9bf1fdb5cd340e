//! The memory that bit packing saves, and its cost in precision: `cargo run --release --example bitpack`.
//!
//! Hits of a calorimeter have fields with as many bits as they need. Counts of a converter, cell numbers and flags have no loss; the
//! error of the energy is a thousandth, and that of the time is a thirtieth of a nanosecond.

mod arguments;

use core::error::Error;
use std::process::ExitCode;

use layout::bits::{BitPackedFloatSoA, BitPackedIntSoA, Bits, FloatBits};
use layout::composed::Split;
use layout::path;
use layout::prelude::*;
use layout::record::LeafTable;

/// The number of hits.
const HITS: usize = 100_000;
/// Cells of the calorimeter.
const CELLS: u32 = 187_652;

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Hit {
    /// The count of the converter, 0 to 4095.
    count: u16,
    /// The number of the cell that was hit.
    cell: u32,
    /// The quality of the fit of the pulse, 0 to 7.
    quality: u8,
    /// `true` if the converter was at the end of its range.
    saturated: bool,
    /// In GeV: from noise of 8e-7 to showers of some hundred.
    energy: f32,
    /// In ns, from -25 to 100.
    time: f32,
}

/// A layout for each number of bits: each split takes one field out.
type Small = Split<
    path!(Hit, count),
    BitPackedIntSoA<Bits<12>>,
    Split<path!(Hit, cell), BitPackedIntSoA<Bits<18>>, Split<path!(Hit, quality), BitPackedIntSoA<Bits<3>>, Rest>>,
>;
type Rest = Split<path!(Hit, saturated), BitPackedIntSoA<Bits<1>>, Floats>;
/// Energies over nine decades need six bits of exponent: with five, those below 6e-5 would lose digits.
type Floats = Split<path!(Hit, energy), BitPackedFloatSoA<FloatBits<6, 9>>, BitPackedFloatSoA<FloatBits<4, 10>>>;

/// Numbers between 0 and 1 without pattern, the same in each run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / f64::from(1_u32 << 31)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the numbers are small")]
fn hit(random: &mut Random) -> Hit {
    // As many hits in each decade, as pulses of noise and of showers are.
    let energy = 8.0e-7 * 10.0_f64.powf(random.next() * 8.7);
    let count = (60.0 + energy * 40.0).min(4095.0) as u16;
    Hit {
        count,
        cell: (random.next() * f64::from(CELLS)) as u32,
        quality: (random.next() * random.next() * 8.0) as u8,
        saturated: count == 4095,
        energy: energy as f32,
        time: (125.0 * random.next().powi(3) - 25.0) as f32,
    }
}

/// The fields as numbers.
fn numbers(hit: Hit) -> [f64; 6] {
    let Hit { count, cell, quality, saturated, energy, time } = hit;
    [count.into(), cell.into(), quality.into(), saturated.into(), energy.into(), time.into()]
}

/// The largest and the root mean square error of each field: of the energy as part of it, of the others as they are.
fn errors(exact: &[Hit], stored: &[Hit]) -> [(f64, f64); 6] {
    let mut errors = [(0.0_f64, 0.0); 6];
    for (exact, stored) in exact.iter().zip(stored) {
        for (leaf, (exact, stored)) in numbers(*exact).into_iter().zip(numbers(*stored)).enumerate() {
            let error = (stored - exact).abs() / if leaf == 4 { exact } else { 1.0 };
            errors[leaf] = (errors[leaf].0.max(error), errors[leaf].1 + error * error);
        }
    }
    errors.map(|(most, squares)| (most, (squares / exact.len() as f64).sqrt()))
}

fn main() -> ExitCode {
    arguments::run("give no arguments", |given| given.is_empty().then_some(()), |()| run())
}

fn run() -> Result<(), Box<dyn Error>> {
    let mut random = Random(1);
    let exact: Vec<Hit> = (0..HITS).map(|_| hit(&mut random)).collect();

    // The same kernel text for both.
    let mut plain = alloc::<Hit, SoA, _>(HITS)?;
    let mut small = alloc::<Hit, Small, _>(HITS)?;
    plain.for_each_indexed_mut(|[i], mut slots| slots.store(exact[i]));
    small.for_each_indexed_mut(|[i], mut slots| slots.store(exact[i]));
    assert_eq!(plain.to_vec(), exact);
    let errors = errors(&exact, &small.to_vec());

    let table = LeafTable::of::<Hit>();
    println!("{HITS} hits     bits   bytes  before  ratio  max error  rms error");
    let units = ["", "", "", "", "of the energy", "ns"];
    let (mut all_bytes, mut all_before) = (0, 0);
    for (leaf, (most, rms)) in errors.into_iter().enumerate() {
        let (mut blob, mut bits) = (0, 0);
        small.mapping().bits_of([0], leaf, &mut |range| (blob, bits) = (range.blob, range.bits));
        let (bytes, before) = (small.mapping().blob_size(blob), HITS * table.leaf(leaf).size());
        let name = Hit::TREE.leaf_name(leaf).to_string();
        let ratio = bytes as f64 / before as f64;
        print!("{name:<15} {bits:>4} {bytes:>7} {before:>7}  {ratio:>5.3}  ");
        if most == 0.0 {
            println!("    exact      exact");
        } else {
            println!("{most:>9.1e}  {rms:>9.1e} {}", units[leaf]);
        }
        (all_bytes, all_before) = (all_bytes + bytes, all_before + before);
        // All bits are used, and 15 bytes follow, so that the last values can be read as the others are.
        assert_eq!(bytes, (HITS * bits).div_ceil(8) + 15);
        assert!(rms <= most);
    }
    let ratio = all_bytes as f64 / all_before as f64;
    println!("all                  {all_bytes:>7} {all_before:>7}  {ratio:>5.3}");
    assert!(ratio < 0.51);

    let [counts, cells, qualities, flags, energies, times] = errors.map(|(most, _)| most);
    assert_eq!([counts, cells, qualities, flags], [0.0; 4]);
    // Half of the last of nine bits; and half of the last of ten, of times from 64 ns on.
    assert!(energies <= 0.5_f64.powi(10) && energies > 0.5_f64.powi(11));
    assert!(times <= 0.5_f64.powi(5) && times > 0.5_f64.powi(6));

    // What does not fit is refused, and no neighbor is changed.
    let error = small.at_mut(7).count.try_set(4096).unwrap_err();
    assert_eq!(error.to_string(), "value 4096 does not fit leaf `count`, which stores 0 to 4095");
    assert_eq!(small.load(7).count, exact[7].count);
    Ok(())
}

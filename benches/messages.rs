//! Elements as messages beside copies by hand: what packing and unpacking take.
//!
//! `cargo bench -p layout-benches --bench messages` prints a line for each record and layout. A block of 64 MiB of memory, with the gaps
//! between leaves, in messages of up to 256 KiB as the runtime sends it, is compared with `memcpy` of as much memory; halos of 64 to 4096
//! records with a plain loop that writes a message: over the records, the columns or the blocks. Figures are the time by hand over that of
//! the library, medians of rounds by turns, one thread. Messages are unpacked again and compared. The exit status is 1 if a figure is below
//! its limit.

use core::hint::black_box;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use layout::record::LeafTable;
use layout::{AoS, AoSoA, Mapped, Mapping, Record, RecordLayout, SoA, extents};
use layout_store::{Dim, Runtime, Store, StoreError, TaskBodyError, Tile, TileMut, pack, read, unpack, write};

type Body<T> = Result<T, TaskBodyError>;

/// The least speed of a block divided by the speed of `memcpy`, and of a halo divided by the speed of a loop.
const LIMITS: [f64; 2] = [0.8, 1.0 / 1.2];
const BLOCK: usize = 64 << 20;
const LANES: usize = 8;
const MESSAGE: usize = 256 << 10;
const ROUNDS: usize = 9;
const HALO_ROUNDS: usize = 21;
/// The places where messages of a halo start.
const PLACES: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Particle {
    pos: [f32; 3],
    vel: [f32; 3],
    mass: f32,
}

/// With gaps: 11 bytes of 16.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Hit {
    energy: f64,
    layer: u16,
    side: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Cell {
    f: [f32; 9],
}

/// A record of which there is one for each number.
trait Sample: Record + PartialEq {
    const NAME: &str;
    fn of(number: i64) -> Self;

    /// Copies blocks of [`LANES`] records to one column for each leaf, as somebody would write it who knows the leaves.
    fn copy_blocks(blocks: &[u8], columns: &mut [u8]);

    /// Copies records, without what lies between their fields, as somebody would write it.
    fn copy(from: &[Self], records: &mut [Self], _bytes: &mut [u8]) {
        for (to, from) in records.iter_mut().zip(from) {
            *to = *from;
        }
    }
}

/// [`Sample::copy_blocks`] of leaves of these sizes, in blocks of so many bytes.
#[inline(always)]
fn copy_blocks<const LEAVES: usize>(sizes: [usize; LEAVES], blocks: &[u8], columns: &mut [u8]) {
    let packed: usize = sizes.iter().sum();
    let count = columns.len() / packed;
    let of_block = blocks.len() / (count / LANES);
    for (at, block) in blocks.chunks_exact(of_block).enumerate() {
        let (mut in_block, mut column) = (0, 0);
        for size in sizes {
            let to = &mut columns[column * count + at * LANES * size..][..LANES * size];
            to.copy_from_slice(&block[in_block..][..LANES * size]);
            in_block += LANES * size;
            column += size;
        }
    }
}

impl Sample for f64 {
    const NAME: &str = "f64";
    fn copy_blocks(blocks: &[u8], columns: &mut [u8]) {
        copy_blocks([8], blocks, columns);
    }
    fn of(number: i64) -> Self {
        number as f64
    }
}

impl Sample for Particle {
    const NAME: &str = "7 f32";
    fn copy_blocks(blocks: &[u8], columns: &mut [u8]) {
        copy_blocks([4; 7], blocks, columns);
    }
    fn of(number: i64) -> Self {
        let at = number as f32;
        Self { pos: [at, at + 1.0, at + 2.0], vel: [-at; 3], mass: 1.0 }
    }
}

impl Sample for Hit {
    const NAME: &str = "f64, u16, u8";
    fn copy_blocks(blocks: &[u8], columns: &mut [u8]) {
        copy_blocks([8, 2, 1], blocks, columns);
    }
    fn of(number: i64) -> Self {
        Self {
            energy: number as f64,
            layer: u16::try_from(number % 1000).unwrap_or(0),
            side: u8::try_from(number % 200).unwrap_or(0),
        }
    }
    fn copy(from: &[Self], _: &mut [Self], bytes: &mut [u8]) {
        for (to, from) in bytes.chunks_exact_mut(11).zip(from) {
            to[..8].copy_from_slice(&from.energy.to_ne_bytes());
            to[8..10].copy_from_slice(&from.layer.to_ne_bytes());
            to[10] = from.side;
        }
    }
}

impl Sample for Cell {
    const NAME: &str = "9 f32";
    fn copy_blocks(blocks: &[u8], columns: &mut [u8]) {
        copy_blocks([4; 9], blocks, columns);
    }
    fn of(number: i64) -> Self {
        Self { f: core::array::from_fn(|i| (number + i as i64) as f32) }
    }
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The seconds that some work takes.
fn seconds(work: impl FnOnce() -> Body<()>) -> Body<f64> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed().as_secs_f64())
}

fn packed<R: Record>() -> usize {
    let table = LeafTable::of::<R>();
    table.packed()
}

/// The elements of a message of a block, and the bytes of memory that they have.
fn in_message<R: Record, L: RecordLayout<R> + Default>() -> (usize, usize) {
    let each = MESSAGE * 4096 / region_size::<R, L>(4096);
    (each, region_size::<R, L>(each).min(MESSAGE))
}

fn region_size<R: Record, L: RecordLayout<R> + Default>(count: usize) -> usize {
    let mapping = Mapped::<R, _, L>::new(extents!(dyn count)).expect("a few records");
    mapping.layout().region_size(count)
}

fn packing<R: Record, L: RecordLayout<R>>(from: &Tile<'_, R, Dim<1>, L>, mut message: &mut [u8]) -> Body<()> {
    pack::<R, Dim<1>, L>(from, &mut message).map_err(|_| TaskBodyError::new("what is there can be packed"))
}

fn unpacking<R: Record, L: RecordLayout<R>>(to: &mut TileMut<'_, R, Dim<1>, L>, message: &[u8]) -> Body<()> {
    unpack::<R, Dim<1>, L>(to, &mut &*message).map_err(|_| TaskBodyError::new("what was packed can be unpacked"))
}

/// By hand over by the library, of packing and unpacking a block in messages.
fn block<R: Sample, L: RecordLayout<R> + Default>() -> Result<[f64; 2], StoreError> {
    let messages = BLOCK / MESSAGE;
    let (each, bytes) = in_message::<R, L>();
    let rt = Runtime::builder().threads(1).pieces(messages).min_chunk(1).build()?;
    let store: Store<R, _, L> = rt.create_from_fn((each * messages) as i64, |at| R::of(at[0]))?;
    let other: Store<R, _, L> = rt.create((each * messages) as i64)?;
    let (from, to) = (store.clone(), other.clone());
    let blocks = Arc::new([(); 2].map(|()| Mutex::new(vec![1_u8; BLOCK])));
    let mut times = [(); 4].map(|()| Vec::new());
    for _ in 0..ROUNDS {
        let blocks = blocks.clone();
        let task = rt.task("messages").args((read(&from), write(&to))).align_all();
        let each = task.map(move |task, (from, mut to)| {
            let (mut message, packed) = (vec![1; MESSAGE], from.len() * packed::<R>());
            let at = usize::try_from(task.point()[0]).unwrap_or(0) * MESSAGE;
            let by_hand = [
                seconds(|| {
                    message[..bytes].copy_from_slice(&blocks[0].lock().unwrap()[at..at + bytes]);
                    Ok(())
                })?,
                seconds(|| {
                    blocks[1].lock().unwrap()[at..at + bytes].copy_from_slice(black_box(&message[..bytes]));
                    Ok(())
                })?,
            ];
            let packs = seconds(|| packing(&from, &mut message[..packed]))?;
            Ok([packs, seconds(|| unpacking(&mut to, &message[..packed]))?, by_hand[0], by_hand[1]])
        })?;
        let sums = each.get()?.into_iter().reduce(|a, b| core::array::from_fn(|at| a[at] + b[at]));
        times.iter_mut().zip(sums.unwrap_or_default()).for_each(|(times, sum)| times.push(sum));
    }
    assert!(other.to_vec()? == store.to_vec()?, "what was unpacked is not what was packed");
    let [pack, unpack, from, to] = times.map(median);
    Ok([from / pack, to / unpack])
}

/// A record whose leaves are copied by hand: column by column, record by record, or block by block.
#[derive(Clone, Copy)]
enum ByHand {
    Columns,
    Records,
    Blocks,
}

/// By hand over by the library, of packing and unpacking so many records: the least of both.
fn halo<R: Sample, L: RecordLayout<R> + Default>(by: ByHand, count: usize) -> Result<[f64; 2], StoreError> {
    let rt = Runtime::builder().threads(1).pieces(1).build()?;
    let store: Store<R, _, L> = rt.create_from_fn(count as i64, |at| R::of(at[0]))?;
    let other: Store<R, _, L> = rt.create(count as i64)?;
    let (from, to) = (store.clone(), other.clone());
    let task = rt.task("halo").args((read(&from), write(&to))).align_all();
    let each = task.map(move |_, (from, mut to)| {
        let repeat = (1 << 19) / count;
        let (size, records) = (count * packed::<R>(), (0..count as i64).map(R::of).collect::<Vec<_>>());
        // Messages start at several places in their pages: from some of them the loads of a copy wait for the stores of the one before.
        let apart = size.next_multiple_of(16) + 33 * 16;
        let mut messages = vec![0; PLACES * apart];
        let at = |turn: usize| turn % PLACES * apart..turn % PLACES * apart + size;
        let (mut bytes, records_apart) = (messages.clone(), count + 33 * 16 / size_of::<R>() + 1);
        let mut out: Vec<R> = records.iter().copied().cycle().take(PLACES * records_apart).collect();
        let columns: Vec<Vec<u8>> =
            (0..R::TREE.leaves()).map(|leaf| vec![1; count * LeafTable::of::<R>().leaf(leaf).size()]).collect();
        let blocks = vec![1; region_size::<R, AoSoA<LANES>>(count)];
        let mut times = [(); 3].map(|()| Vec::new());
        for _ in 0..HALO_ROUNDS {
            let by_hand = seconds(|| {
                for turn in 0..repeat {
                    let bytes = &mut bytes[at(turn)];
                    match by {
                        ByHand::Columns => {
                            let mut bytes = &mut *bytes;
                            for from in black_box(&columns) {
                                let to = bytes.split_off_mut(..from.len()).ok_or_else(|| TaskBodyError::new("full"))?;
                                to.copy_from_slice(from);
                            }
                        }
                        ByHand::Records => {
                            R::copy(black_box(&records), &mut out[turn % PLACES * records_apart..][..count], bytes);
                        }
                        ByHand::Blocks => R::copy_blocks(black_box(&blocks), bytes),
                    }
                    black_box((bytes, &mut out));
                }
                Ok(())
            })?;
            let packs =
                seconds(|| (0..repeat).try_for_each(|turn| packing(black_box(&from), &mut messages[at(turn)])))?;
            let unpacks =
                seconds(|| (0..repeat).try_for_each(|turn| unpacking(&mut to, black_box(&messages[at(turn)]))))?;
            times.iter_mut().zip([by_hand, packs, unpacks]).for_each(|(times, time)| times.push(time));
        }
        let [by_hand, packs, unpacks] = times.map(median);
        Ok([by_hand / packs, by_hand / unpacks])
    })?;
    let figures = each.get()?;
    assert!(other.to_vec()? == store.to_vec()?, "what was unpacked is not what was packed");
    figures.into_iter().next().ok_or(StoreError::Unbound)
}

/// The figures of a record in a layout; whether one is below its limit.
fn lines<R: Sample, L: RecordLayout<R> + Default>(layout: &str, by: ByHand) -> Result<bool, StoreError> {
    let shown = |what: String, figures: [f64; 2], limit: f64| {
        let missed = figures.iter().any(|figure| *figure < limit);
        let [pack, unpack] = figures;
        println!(
            "{:14} {layout:7} {what:12} {pack:7.2} {unpack:8.2} {limit:7.2}{}",
            R::NAME,
            if missed { "  missed" } else { "" }
        );
        missed
    };
    let mut missed = shown("64 MiB".to_owned(), block::<R, L>()?, LIMITS[0]);
    for count in [64, 256, 1024, 4096] {
        missed |= shown(format!("{count} records"), halo::<R, L>(by, count)?, LIMITS[1]);
    }
    Ok(missed)
}

fn all<R: Sample>() -> Result<bool, StoreError> {
    Ok(lines::<R, SoA>("SoA", ByHand::Columns)?
        | lines::<R, AoS>("AoS", ByHand::Records)?
        | lines::<R, AoSoA<LANES>>("AoSoA8", ByHand::Blocks)?)
}

fn main() -> ExitCode {
    println!("{:14} {:7} {:12} {:>7} {:>8} {:>7}", "record", "layout", "elements", "pack", "unpack", "limit");
    let missed = || Ok::<_, StoreError>(all::<f64>()? | all::<Particle>()? | all::<Hit>()? | all::<Cell>()?);
    match missed() {
        Ok(false) => ExitCode::SUCCESS,
        Ok(true) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

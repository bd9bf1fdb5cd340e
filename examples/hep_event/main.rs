//! Events of a collider, of 20 and of 100 leaves: copies between layouts, and a histogram that reads 3 of the 100:
//! `cargo run --release --example hep_event -- [EVENTS]`; the number of events is 262144 if none is given.
//!
//! A detector gives one event after another; a physicist asks for a few leaves of all events. A split keeps
//! these few leaves in arrays, and the other leaves as they came.

#[path = "../arguments.rs"]
mod arguments;
mod event;
#[path = "../nbody/timing.rs"]
#[expect(dead_code, reason = "medians are enough here")]
mod timing;

use core::error::Error;
use core::hint::black_box;
use std::ffi::OsString;
use std::process::ExitCode;

use event::{Event20, Event100};
use layout::choice::{LayoutList, LayoutTask, layouts};
use layout::composed::Split;
use layout::path;
use layout::prelude::*;
use layout::record::LeafTable;

/// The leaves that the histogram reads.
type Hot = (path!(Event100, head.trigger), path!(Event100, head.missing.energy), path!(Event100, muons[0].momentum.pt));
type HotInArrays = Split<Hot, SoA, AoS>;

layouts! {
    /// The layouts of the histogram.
    struct Layouts of Event100 = [AoS, SoA, AoSoA<16>, HotInArrays];
}

/// The median of what the work takes in five rounds, after one that does not count, in seconds.
fn seconds(mut work: impl FnMut()) -> f64 {
    work();
    timing::median((0..5).map(|_| timing::seconds(&mut work)))
}

/// Copies so many events from one layout to another, in turns with a plain copy, and gives the seconds of both: what is in the
/// caches when a copy starts is what the other one left there.
type Copy<R> = fn(usize, fn(usize) -> R, &mut dyn FnMut()) -> Result<[f64; 2], ViewError>;

fn copy<R, A, B>(events: usize, event: fn(usize) -> R, plain: &mut dyn FnMut()) -> Result<[f64; 2], ViewError>
where
    R: Record + PartialEq,
    A: RecordLayout<R> + Default,
    B: RecordLayout<R> + Default,
{
    let from = alloc_from_fn::<R, A, _>(events, |[i]| event(i))?;
    let mut to = alloc::<R, B, _>(events)?;
    let times = timing::take_turns(
        2,
        6,
        |_, candidate| {
            timing::seconds(|| match candidate {
                0 => to.copy_from(&from).expect("the extents are equal"),
                _ => plain(),
            })
        },
        || (),
    );
    assert!(to == from, "the copy differs");
    // The first round does not count.
    Ok([0, 1].map(|candidate| timing::median(times[candidate][1..].iter().copied())))
}

macro_rules! copies {
    ($record:ty: $($from:ty => $to:ty;)+) => {
        [$((stringify!($from), stringify!($to), copy::<$record, $from, $to> as Copy<$record>)),+]
    };
}

/// All copies of events of one kind, beside a copy of as many bytes.
fn copies<R: Record>(events: usize, event: fn(usize) -> R, copies: &[(&str, &str, Copy<R>)]) -> Result<(), ViewError> {
    let leaves = LeafTable::of::<R>();
    let size = leaves.packed();
    let (from, mut to) = (vec![1_u8; events * size], vec![0; events * size]);
    let len = from.len();
    let mut plain = || black_box(&mut to[..]).copy_from_slice(&from);
    let speed = |seconds: f64| len as f64 * 1e-9 / seconds;
    println!("Copies of events: {events} with {} leaves, {} bytes without gaps", leaves.count(), size);
    for (from, to, copy) in copies {
        let [seconds, bytes] = copy(events, event, &mut plain)?;
        println!(
            "  {:<26} {:>6.2} GB/s  {:.2} of plain bytes at {:.2}",
            format!("{from} to {to}"),
            speed(seconds),
            bytes / seconds,
            speed(bytes)
        );
    }
    Ok(())
}

/// The last bin has all events from its start on.
const BINS: usize = 12;
/// The width of a bin in GeV.
const BIN: usize = 10;

/// The numbers of events by missing energy, of the events that a muon trigger chose and that have a hard muon.
#[expect(clippy::cast_possible_truncation, reason = "a bin is a whole number")]
fn histogram<M: Mapping<Record = Event100>>(events: &View<M, impl Blobs>) -> [u32; BINS] {
    let mut bins = [0; BINS];
    events.for_each(|event| {
        let chosen = event.head.trigger.get() & event::MUON_TRIGGER != 0;
        if chosen && event.muons.element::<0>().momentum.pt.get() > 25.0 {
            bins[(event.head.missing.energy.get() as usize / BIN).min(BINS - 1)] += 1;
        }
    });
    bins
}

/// The histogram of so many events, and the seconds that one takes.
struct Histogram(usize);

impl LayoutTask<Event100> for Histogram {
    type Output = Result<([u32; BINS], f64), ViewError>;

    fn run<L: RecordLayout<Event100> + Default>(self) -> Self::Output {
        let events = alloc_from_fn::<Event100, L, _>(self.0, |[i]| event::event100(i))?;
        let mut bins = [0; BINS];
        let seconds = seconds(|| bins = histogram(&events));
        Ok((bins, seconds))
    }
}

fn run(events: usize) -> Result<(), Box<dyn Error>> {
    copies(
        events,
        event::event20,
        &copies! { Event20:
            AoS => AoS; AoS => SoA; SoA => AoS; SoA => SoA; AoS => AoSoA<32>; AoSoA<32> => SoA; AoS<Packed> => AoS;
        },
    )?;
    copies(
        events,
        event::event100,
        &copies! { Event100:
            AoS => AoS; AoS => SoA; SoA => AoS; SoA => SoA; AoS => HotInArrays;
        },
    )?;
    println!("Histogram of missing energy: 3 of 100 leaves");
    let (mut expected, mut aos) = (None, 0.0);
    for (number, name) in Layouts::NAMES.iter().enumerate() {
        let (bins, seconds) = Layouts::run_nth(number, Histogram(events))?;
        aos = if number == 0 { seconds } else { aos };
        println!(
            "  {name:<14} {:>8.2} ns an event  {:>6.2} times as fast",
            seconds / events as f64 * 1e9,
            aos / seconds
        );
        assert_eq!(*expected.get_or_insert(bins), bins, "{name} gives another histogram");
    }
    let bins = expected.unwrap_or_default();
    let most = bins.iter().max().map_or(1, |most| *most.max(&1) as usize);
    let chosen: u32 = bins.iter().sum();
    println!("Missing energy of the {chosen} of {events} events with a muon trigger and a hard muon, in GeV");
    for (bin, count) in bins.into_iter().enumerate() {
        let to = if bin + 1 < BINS { format!("to {:>3}", (bin + 1) * BIN) } else { "on".into() };
        println!("  from {:>3} {to:<6} {count:>7} {}", bin * BIN, "#".repeat(60 * count as usize / most));
    }
    Ok(())
}

fn main() -> ExitCode {
    let read = |given: &[OsString]| match given {
        [] => Some(1 << 18),
        [events] => events.to_str()?.parse().ok().filter(|events| (1..=1 << 22).contains(events)),
        _ => None,
    };
    arguments::run("give the number of events, 1 to 4194304, or nothing for 262144", read, run)
}

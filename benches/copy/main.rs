//! Copies between layouts: `copy_from` beside `memcpy` of the same bytes, and beside the loop that one writes by hand.
//!
//! `cargo bench -p layout-core-benches --bench copy -- ratio` prints every class; with `short`, only what fits the caches; with
//! `only=TEXT`, only tables with that text in their title; with `quick`, for a machine that does other work, what is `short` in a sixth of the time, with limits
//! 1.6 times as wide and without those by LLAMA's figures. Fails where a class
//! exceeds its limit. The columns: time by `memcpy` of the bytes of all leaves, time by the loop by hand, the loop's time by `memcpy`,
//! what LLAMA's copy takes by `memcpy`, and `memcpy` by itself. The loop by hand is one over typed rows for particles and for transposes,
//! and elsewhere the loop over the elements, by `zip`.
//!
//! The figures of LLAMA were measured once, on an AMD machine (Zen 5, AVX-512), of LLAMA 0.6 at commit 086e66e by gcc 12 with
//! `-O3 -march=native`.

mod classes;
#[path = "../../examples/hep_event/event.rs"]
#[expect(dead_code, reason = "shared with the example, which counts triggers")]
mod event;
#[path = "../../examples/nbody/timing.rs"]
#[expect(dead_code, reason = "shared with the n-body example, which shows more")]
mod timing;

use core::array;
use core::cell::RefCell;
use core::hint::black_box;
use std::process::ExitCode;

use classes::{
    Bytes, DeepRgb, Doubles, Dozen, DozenWide, EightBytes, Event20, Event100, FloatRgb, Halves, Many, Padded, Particle,
    Pixel, Rgb, Sample, SixDoubles, Wide, hand,
};
use layout::prelude::*;
use layout::{ColMajor, Packed, zip};
use timing::{ratio, seconds, take_turns};

/// A turn takes as long as copies of so many bytes, and a comparison about so many seconds.
const TURN: f64 = 0.0003;
const ALL: f64 = 0.6;
const QUICK: f64 = 0.1;

/// The most that a copy may take by the loop by hand.
const BY_HAND: f64 = 1.10;
/// The factor by which limits are wider in a quick comparison.
const WIDER: f64 = 1.6;
/// The same for rows of a few elements, where a copy takes up to 4 ns longer to begin than a loop.
const SHORT: f64 = 2.5;
/// By how much a copy must be ahead of LLAMA's.
const AHEAD: f64 = 1.05;

type Vector<R, L> = Owned<Mapped<R, DynExtents<1>, L>>;

/// The loops and times that a copy is compared with.
#[derive(Default)]
struct Reference<'r> {
    hand: Option<Box<dyn FnMut() + 'r>>,
    /// The limit of the time divided by the time of LLAMA's copy.
    llama: Option<f64>,
    /// The limit of the time divided by that of the loop by hand; `None` if a class that exceeds [`BY_HAND`] is no error.
    limit: Option<f64>,
}

/// Does work in a function of its own: what else is in the function changes the code of a loop.
#[inline(never)]
fn apart<T, S>(target: &mut T, source: &S, work: impl FnOnce(&mut T, &S)) {
    work(target, source);
}

struct Table {
    short: bool,
    quick: bool,
    /// Words that the title of a table must contain.
    only: String,
    title: String,
    shown: bool,
    /// The names of classes that exceed their limits.
    over: Vec<String>,
}

impl Table {
    fn head(&mut self, title: &str) {
        self.shown = title.contains(&self.only);
        self.title = title.into();
        if !self.shown {
            return;
        }
        println!("\n{title:<44} {:>8} {:>8} {:>8} {:>8} {:>8}", "memcpy", "hand", "h/memcpy", "LLAMA", "A/A");
    }

    /// Compares a copy with `memcpy` of `bytes` bytes, and with the loop by hand.
    #[expect(clippy::cast_possible_truncation, reason = "counts of turns are small")]
    fn row(&mut self, name: &str, bytes: usize, mut copy: impl FnMut(), reference: Reference<'_>) {
        if !self.shown {
            return;
        }
        let (from, mut to) = (vec![1_u8; bytes], vec![2_u8; bytes]);
        let mut memcpy = || black_box(&mut to[..]).copy_from_slice(black_box(&from));
        let Reference { mut hand, llama, limit } = reference;
        let candidates = if hand.is_some() { 4 } else { 3 };
        let mut run = |candidate: usize| match (candidate, &mut hand) {
            (0, _) => copy(),
            (3, Some(hand)) => hand(),
            _ => memcpy(),
        };
        (0..candidates).for_each(&mut run);
        let once = (0..candidates).map(|candidate| seconds(|| run(candidate))).fold(1e-8, f64::max);
        let repeats = (TURN / once).ceil() as usize;
        let rounds = (((if self.quick { QUICK } else { ALL }) / (once * (candidates * (repeats + 1)) as f64)) as usize)
            .clamp(7, 301);
        let slice = |_, candidate| {
            run(candidate);
            seconds(|| (0..repeats).for_each(|_| run(candidate)))
        };
        let times = take_turns(candidates, rounds, slice, || ());
        let [by_memcpy, noise] = [ratio(&times[0], &times[1]), ratio(&times[2], &times[1])];
        let by_hand = (candidates == 4).then(|| (ratio(&times[0], &times[3]), ratio(&times[3], &times[1])));
        let column = |number: Option<f64>| number.map_or(String::from("-"), |number| format!("{number:.2}"));
        let most = limit.unwrap_or(BY_HAND) * if self.quick { WIDER } else { 1.0 };
        let too_slow = by_hand.is_some_and(|(by_hand, _)| by_hand > most * noise.max(1.0 / noise));
        let behind = !self.quick && llama.is_some_and(|llama| by_memcpy * AHEAD > llama);
        let verdict = match (too_slow, behind) {
            (true, _) => "  EXCEEDS the loop by hand",
            (_, true) => "  BEHIND LLAMA",
            _ => "",
        };
        if limit.is_some() && !verdict.is_empty() {
            self.over.push(format!("{}: {name}", self.title));
        }
        println!(
            "{name:<44} {by_memcpy:>8.2} {:>8} {:>8} {:>8} {noise:>8.2}{verdict}",
            column(by_hand.map(|(by, _)| by)),
            column(by_hand.map(|(_, by)| by)),
            column(llama)
        );
    }

    /// A copy between two layouts.
    fn pair<R, From, To>(&mut self, name: &str, len: usize, reference: Reference<'_>)
    where
        R: Sample,
        From: RecordLayout<R> + Default,
        To: RecordLayout<R> + Default,
    {
        let source: Vector<R, From> = alloc_from_fn(len, |[i]| R::sample(i)).expect("memory");
        let mut target: Vector<R, To> = alloc_from_fn(len, |_| R::default()).expect("memory");
        self.views(name, &mut target, &source, reference);
        assert!((0..len).all(|i| target.load(i) == R::sample(i)), "{name}");
    }

    /// A copy between parts of views of one dimension; blocks of up to 64 lanes start where the parts do.
    fn part<R, From, To>(&mut self, name: &str, len: usize, reference: Reference<'_>)
    where
        R: Sample,
        From: RecordLayout<R> + Default,
        To: RecordLayout<R> + Default,
    {
        let source: Vector<R, From> = alloc_from_fn(len + 100, |[i]| R::sample(i)).expect("memory");
        let mut target: Vector<R, To> = alloc_from_fn(len + 100, |_| R::default()).expect("memory");
        self.views(name, &mut target.slice_mut((64..64 + len,)), &source.slice((64..64 + len,)), reference);
        assert!((64..64 + len).all(|i| target.load(i) == R::sample(i)), "{name}");
    }

    /// A copy between two views, by the loop over their elements if `reference` has none.
    fn views<R, M, B, N, C>(
        &mut self,
        name: &str,
        target: &mut View<M, B>,
        source: &View<N, C>,
        reference: Reference<'_>,
    ) where
        R: Sample,
        M: Mapping<Record = R>,
        N: Mapping<Record = R, Extents: Extents<Array = <M::Extents as Extents>::Array>>,
        B: BlobsMut,
        C: Blobs,
    {
        target.copy_from(source).expect("equal extents");
        assert!(target.iter().zip(source.iter()).all(|(to, from)| R::load(&to) == R::load(&from)), "{name}");
        let elements: usize = target.extents().as_ref().iter().product();
        let leaf = |leaf| layout::record::LeafTable::of::<R>().leaf(leaf).size();
        let bytes = elements * (0..R::TREE.leaves()).map(leaf).sum::<usize>();
        // The same memory for both: where it lies makes a difference of up to a third.
        let target = RefCell::new(target);
        let by_element = || {
            apart(&mut **target.borrow_mut(), source, |target, source| {
                zip((target, source)).for_each(|(mut to, from)| R::load(&from).store(&mut to));
            });
        };
        let reference = Reference { hand: reference.hand.or(Some(Box::new(by_element))), ..reference };
        let copy = || {
            apart(&mut **target.borrow_mut(), source, |target, source| {
                target.copy_from(source).expect("equal extents");
            });
        };
        self.row(name, bytes, copy, reference);
    }

    fn particles(&mut self, len: usize, llama: [Option<f64>; 6]) {
        self.head(&format!("particles of 28 bytes, {len}"));
        let row = |i: usize| -> hand::Row {
            let Particle { pos: [x, y, z], vel: [u, v, w], mass } = Particle::sample(i);
            [x, y, z, u, v, w, mass]
        };
        let rows: Vec<hand::Row> = (0..len).map(row).collect();
        let mut rows_to = rows.clone();
        let new = || -> [Vec<f32>; 7] { array::from_fn(|_| vec![1.0; len]) };
        let mut columns = new();
        hand::to_columns(&rows, columns.each_mut().map(|column| &mut column[..]));
        rows_to.fill([0.0; 7]);
        hand::from_columns(&mut rows_to, columns.each_ref().map(|column| &column[..]));
        assert!(rows == rows_to, "columns by hand");
        let mut columns_to = new();
        let mut blocks: Vec<hand::Block<16>> = vec![[[0.0; 16]; 7]; len / 16];
        hand::columns_to_blocks(columns.each_ref().map(|column| &column[..]), &mut blocks);
        hand::blocks_to_columns(&blocks, columns_to.each_mut().map(|column| &mut column[..]));
        assert!(columns == columns_to, "blocks by hand");
        hand::to_blocks(&rows, &mut blocks);
        hand::from_blocks(&mut rows_to, &blocks);
        assert!(rows == rows_to, "records to blocks by hand");
        let eights: Vec<hand::Block<8>> = vec![[[1.0; 8]; 7]; len / 8];
        let mut many: Vec<hand::Block<32>> = vec![[[0.0; 32]; 7]; len / 32];

        macro_rules! rows {
            ($($name:literal $from:ty, $to:ty, $llama:expr, $hand:expr;)+) => {$({
                let reference = Reference { hand: Some(Box::new($hand)), llama: $llama, limit: Some(BY_HAND) };
                self.pair::<Particle, $from, $to>($name, len, reference);
            })+};
        }
        let [to_soa, to_aos, to_blocks, from_blocks, between, same] = llama;
        rows! {
            "AoS to SoA" AoS, SoA, to_soa,
                || hand::to_columns(black_box(&rows), columns_to.each_mut().map(|column| &mut column[..]));
            "SoA to AoS" SoA, AoS, to_aos,
                || hand::from_columns(black_box(&mut rows_to), columns.each_ref().map(|column| &column[..]));
            "SoA to AoSoA16" SoA, AoSoA<16>, to_blocks,
                || hand::columns_to_blocks(columns.each_ref().map(|column| &column[..]), black_box(&mut blocks));
            "AoSoA16 to SoA" AoSoA<16>, SoA, from_blocks,
                || hand::blocks_to_columns(black_box(&blocks), columns_to.each_mut().map(|column| &mut column[..]));
            "AoSoA8 to AoSoA32" AoSoA<8>, AoSoA<32>, between,
                || hand::blocks_to_blocks(black_box(&eights), black_box(&mut many));
            "AoS to AoSoA16" AoS, AoSoA<16>, None, || hand::to_blocks(black_box(&rows), black_box(&mut blocks));
            "AoSoA16 to AoS" AoSoA<16>, AoS, None, || hand::from_blocks(black_box(&mut rows_to), black_box(&blocks));
        }
        let plain = |llama| Reference { llama, ..Reference::default() };
        self.pair::<Particle, AoS, AoS>("AoS to AoS", len, plain(same));
        self.pair::<Particle, SoA, SoA>("SoA to SoA", len, plain(None));
        self.pair::<Particle, AoSoA<16>, AoSoA<16>>("AoSoA16 to AoSoA16", len, plain(None));
        self.pair::<Particle, AoSoA<8>, AoSoA<12>>("AoSoA8 to AoSoA12", len, plain(None));
    }

    fn records<R: Sample>(&mut self, title: &str, len: usize, llama: [Option<f64>; 6]) {
        self.head(&format!("{title}, {len}"));
        let of = |llama| Reference { llama, limit: Some(BY_HAND), ..Reference::default() };
        self.pair::<R, AoS, SoA>("AoS to SoA", len, of(llama[0]));
        self.pair::<R, SoA, AoS>("SoA to AoS", len, of(llama[1]));
        self.pair::<R, SoA, AoSoA<16>>("SoA to AoSoA16", len, of(llama[2]));
        self.pair::<R, AoSoA<16>, SoA>("AoSoA16 to SoA", len, of(llama[3]));
        self.pair::<R, AoSoA<8>, AoSoA<32>>("AoSoA8 to AoSoA32", len, of(llama[4]));
        self.pair::<R, AoS, AoSoA<16>>("AoS to AoSoA16", len, of(None));
        self.pair::<R, AoSoA<16>, AoS>("AoSoA16 to AoS", len, of(None));
        self.pair::<R, AoS, AoSoA<4>>("AoS to AoSoA4", len, of(None));
        self.pair::<R, AoSoA<4>, AoS>("AoSoA4 to AoS", len, of(None));
        self.pair::<R, AoS, AoSoA<8>>("AoS to AoSoA8", len, of(None));
        self.pair::<R, AoSoA<8>, AoS>("AoSoA8 to AoS", len, of(None));
        self.pair::<R, AoS, AoS>("AoS to AoS, padding and all", len, of(llama[5]));
        self.pair::<R, AoS, AoS<Packed>>("AoS to packed AoS", len, of(None));
    }

    /// Copies of one short row, of views that own their memory and of parts.
    fn short_rows(&mut self) {
        self.head("one row, by the loop over its elements");
        for len in [1, 2, 4, 8, 16, 32, 64, 256] {
            macro_rules! rows {
                ($($kind:ident $name:literal $record:ty, $from:ty, $to:ty;)+) => {$(
                    let reference = Reference { limit: Some(SHORT), ..Reference::default() };
                    self.$kind::<$record, $from, $to>(&format!("{len} {}", $name), len, reference);
                )+};
            }
            rows! {
                pair "f32" f32, SoA, SoA;
                pair "particles, SoA to SoA" Particle, SoA, SoA;
                pair "particles, AoS to SoA" Particle, AoS, SoA;
                pair "particles, SoA to AoSoA8" Particle, SoA, AoSoA<8>;
                part "f32, a part" f32, SoA, SoA;
                part "particles, a part, AoSoA8 to AoSoA8" Particle, AoSoA<8>, AoSoA<8>;
                part "particles, a part, AoSoA8 to SoA" Particle, AoSoA<8>, SoA;
                part "particles, a part, SoA to AoSoA16" Particle, SoA, AoSoA<16>;
                part "pixels of 12 bytes, a part, AoSoA8 to AoSoA8" FloatRgb, AoSoA<8>, AoSoA<8>;
            }
        }
    }

    /// Rows of a halo: 256 of them, a part of each row of a larger grid.
    fn halos(&mut self) {
        self.head("256 rows of a grid, by the loop over its elements");
        for width in [8, 16, 32, 64] {
            self.halo::<SoA, SoA>("SoA to SoA", width);
            self.halo::<AoS, SoA>("AoS to SoA", width);
            self.halo::<SoA, AoSoA<8>>("SoA to AoSoA8", width);
            self.halo::<AoSoA<8>, AoSoA<8>>("AoSoA8 to AoSoA8", width);
        }
    }

    fn halo<From, To>(&mut self, name: &str, width: usize)
    where
        From: RecordLayout<Particle> + Default,
        To: RecordLayout<Particle> + Default,
    {
        let extents = [256, 128];
        let source =
            alloc_from_fn::<Particle, From, _>(extents, |[i, j]| Particle::sample(128 * i + j)).expect("memory");
        let mut target = alloc::<Particle, To, _>(extents).expect("memory");
        let part = source.slice((.., 16..16 + width));
        let mut to = target.slice_mut((.., 8..8 + width));
        let reference = Reference { limit: Some(SHORT), ..Reference::default() };
        self.views(&format!("{name}, {width} elements"), &mut to, &part, reference);
    }

    /// Column-major to row-major, by the better one of two blocked loops.
    fn orders<R: Sample>(&mut self, name: &str) {
        self.head(&format!("{name}, column-major to row-major"));
        for n in [64, 256, 992, 1024, 4096] {
            if self.short && n > 1024 {
                break;
            }
            let mapping = Mapped::<R, _, AoS, ColMajor>::new(extents!(dyn n, dyn n)).expect("small");
            let source = View::from_fn(mapping, |[i, j]| R::sample(i * n + j)).expect("memory");
            let mut target = alloc::<R, AoS, _>([n, n]).expect("memory");
            target.copy_from(&source).expect("equal extents");
            assert!(target == source, "{n} x {n}");
            let from: Vec<R> = (0..n * n).map(R::sample).collect();
            let (mut to, mut along) = (from.clone(), from.clone());
            let by_hand = [hand::transpose::<R, true>, hand::transpose::<R, false>];
            by_hand[0](&from, &mut to, n);
            by_hand[1](&from, &mut along, n);
            assert!(to == along, "transposed by hand");
            let time = |by_hand: fn(&[R], &mut [R], usize), to: &mut Vec<R>| {
                (0..5).map(|_| seconds(|| by_hand(black_box(&from), to, n))).fold(f64::MAX, f64::min)
            };
            let [target_first, source_first] = by_hand.map(|by_hand| time(by_hand, &mut to));
            let by_hand = by_hand[usize::from(source_first < target_first)];
            let hand = || by_hand(black_box(&from), black_box(&mut to), n);
            let reference = Reference { hand: Some(Box::new(hand)), llama: None, limit: Some(BY_HAND) };
            let copy = || black_box(&mut target).copy_from(black_box(&source)).expect("equal extents");
            self.row(&format!("{n} x {n}"), n * n * size_of::<R>(), copy, reference);
        }
    }
}

fn main() -> ExitCode {
    let has = |option: &str| std::env::args().any(|argument| argument == option);
    if !has("--bench") || has("--test") || has("--list") {
        return ExitCode::SUCCESS;
    }
    let only =
        std::env::args().find_map(|argument| argument.strip_prefix("only=").map(str::to_owned)).unwrap_or_default();
    let quick = has("quick");
    let mut table =
        Table { short: quick || has("short"), quick, only, title: String::new(), shown: true, over: Vec::new() };
    let all = |numbers: [f64; 6]| numbers.map(Some);
    table.particles(1 << 10, [None; 6]);
    table.particles(1 << 14, all([4.3, 3.4, 1.4, 1.5, 1.5, 0.8]));
    table.records::<Event100>("events of 100 leaves", 1 << 10, all([4.5, 3.7, 1.3, 1.1, 1.4, 1.2]));
    table.records::<Event20>("events of 20 leaves", 1 << 12, [None; 6]);
    table.records::<Padded>("records with padding", 1 << 12, [None; 6]);
    table.records::<Bytes>("7 leaves of 1 byte", 1 << 14, [None; 6]);
    table.records::<Halves>("7 leaves of 2 bytes", 1 << 14, [None; 6]);
    table.records::<Doubles>("7 leaves of 8 bytes", 1 << 12, [None; 6]);
    table.records::<Wide>("7 leaves of 16 bytes", 1 << 12, [None; 6]);
    table.records::<EightBytes>("8 leaves of 1 byte", 1 << 14, [None; 6]);
    table.records::<SixDoubles>("6 leaves of 8 bytes", 1 << 12, [None; 6]);
    table.records::<DozenWide>("12 leaves of 16 bytes", 1 << 11, [None; 6]);
    table.records::<Pixel>("16 leaves of 1 byte", 1 << 14, [None; 6]);
    table.records::<Dozen>("12 leaves of 4 bytes", 1 << 12, [None; 6]);
    table.records::<Many>("32 leaves of 4 bytes", 1 << 12, [None; 6]);
    table.short_rows();
    table.halos();
    table.orders::<f32>("f32");
    table.orders::<f64>("f64");
    table.orders::<Rgb>("pixels of 3 bytes");
    table.orders::<DeepRgb>("pixels of 6 bytes");
    table.orders::<FloatRgb>("pixels of 12 bytes");
    if !table.short {
        table.records::<Event20>("events of 20 leaves", 1 << 20, [None; 6]);
        table.records::<Event100>("events of 100 leaves", 1 << 18, [None; 6]);
        table.particles(1 << 22, [None; 6]);
        table.particles(1 << 24, all([2.3, 1.85, 1.15, 1.2, 1.3, 1.15]));
        table.records::<Event100>("events of 100 leaves", 1 << 20, all([12.0, 3.8, 1.5, 1.4, 1.4, 1.2]));
    }
    table.over.iter().for_each(|class| println!("over the limit: {class}"));
    ExitCode::from(u8::from(!table.over.is_empty()))
}

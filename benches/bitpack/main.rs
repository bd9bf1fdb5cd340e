//! Bit-packed values through views, beside the algorithm that LLAMA has for them, written by hand: one value at a time,
//! from the word of 32 bits that it starts in and, if need be, the next.
//!
//! `cargo bench --bench bitpack`; with `-- ratio`, only the ratios of views to hand-written loops.

mod kernels;
#[path = "../kernels/ratio.rs"]
mod ratio;
mod words;

use core::hint::black_box;
use core::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput};
use layout::bits::{
    BitPackedFloatAoS, BitPackedFloatSoA, BitPackedIntAoS, BitPackedIntSoA, Bits, DynBits, DynFloatBits, FloatBits,
    KeepSign, Wrap,
};
use layout::prelude::*;

use kernels::{How, Value, Vector, hand_read, hand_update, hand_write, hand_write_three};
use words::Words;

/// Runs each kernel over a view, and over words. Both know the number of bits at compile time, or neither.
struct Kernels<'c> {
    count: usize,
    group: Option<BenchmarkGroup<'c, WallTime>>,
}

impl Kernels<'_> {
    fn pair<S>(&mut self, name: &str, state: &mut S, mut view: impl FnMut(&mut S), mut hand: impl FnMut(&mut S)) {
        if let Some(group) = &mut self.group {
            group.bench_function(format!("{name}/view"), |b| b.iter(|| view(state)));
            group.bench_function(format!("{name}/hand"), |b| b.iter(|| hand(state)));
        } else {
            ratio::print(&format!("bitpack {} {name}", self.count), state, view, hand);
        }
    }

    /// All kernels of one layout. `BITS` is zero if the number is known at run time only.
    fn run<T: Value, L: RecordLayout<T>, const BITS: u32, const E: u32, const M: u32>(
        &mut self,
        name: &str,
        layout: L,
        how: How,
    ) {
        let count = self.count;
        let mapping = Mapped::with(extents!(dyn count), layout, RowMajor).expect("bits that fit");
        let packed: Vector<T, L> = View::zeroed(mapping).expect("memory");
        let words = Words::new(count, how.bits);
        let mut state = (packed, words);

        for lanes in [true, false] {
            let access = if lanes { "lanes" } else { "loop" };
            let write = if lanes { T::write_lanes::<L> } else { T::write_loop::<L> };
            let read = if lanes { T::read_lanes::<L> } else { T::read_loop::<L> };
            let update = if lanes { T::update_lanes::<L> } else { T::update_loop::<L> };
            for turn in 0..2 {
                let (view, words) = &mut state;
                write(view, T::STEP);
                hand_write::<T, BITS, E, M>(words, T::STEP, how);
                if turn == 1 {
                    update(view, T::STEP);
                    hand_update::<T, BITS, E, M>(words, T::STEP, how);
                }
                let by_hand: Vec<T> = (0..count).map(|i| T::get(words, i, how)).collect();
                assert_eq!(view.to_vec(), by_hand, "{name}/{access}");
                // Without these, the sum of floats is zero, as of nothing.
                for i in [0, count - 1] {
                    view.set([i], T::FIRST);
                    T::set(words, i, how, T::FIRST);
                }
                let sums = (read(view), hand_read::<T, BITS, E, M>(words, how));
                assert!(sums.0 == sums.1, "{name}/{access}: {sums:?}");
            }
            self.pair(
                &format!("read {name}/{access}"),
                &mut state,
                |(view, _)| {
                    black_box(read(black_box(view)));
                },
                |(_, words)| {
                    black_box(hand_read::<T, BITS, E, M>(black_box(words), black_box(how)));
                },
            );
            self.pair(
                &format!("write {name}/{access}"),
                &mut state,
                |(view, _)| write(black_box(view), black_box(T::STEP)),
                |(_, words)| hand_write::<T, BITS, E, M>(black_box(words), black_box(T::STEP), black_box(how)),
            );
            self.pair(
                &format!("update {name}/{access}"),
                &mut state,
                |(view, _)| update(black_box(view), black_box(T::STEP)),
                |(_, words)| hand_update::<T, BITS, E, M>(black_box(words), black_box(T::STEP), black_box(how)),
            );
        }
    }

    /// Reads and writes of all of three leaves, in lanes.
    fn three<T: Value, L: RecordLayout<[T; 3]>, const BITS: u32, const E: u32, const M: u32>(
        &mut self,
        name: &str,
        layout: L,
        how: How,
    ) {
        let (count, how) = (self.count, How { count: 3 * self.count, ..how });
        let mapping = Mapped::with(extents!(dyn count), layout, RowMajor).expect("bits that fit");
        let packed: Vector<[T; 3], L> = View::zeroed(mapping).expect("memory");
        let mut state = (packed, Words::new(3 * count, how.bits));

        let (view, words) = &mut state;
        T::write_three(view, T::STEP);
        hand_write_three::<T, BITS, E, M>(words, T::STEP, how);
        let by_hand: Vec<T> = (0..3 * count).map(|i| T::get(words, i, how)).collect();
        assert_eq!(view.to_vec().as_flattened(), by_hand, "{name}");
        // As above.
        for i in [0, count - 1] {
            view.set([i], [T::FIRST; 3]);
            (3 * i..3 * i + 3).for_each(|i| T::set(words, i, how, T::FIRST));
        }
        assert!(T::read_three(view) == hand_read::<T, BITS, E, M>(words, how), "{name}");
        self.pair(
            &format!("read {name}"),
            &mut state,
            |(view, _)| {
                black_box(T::read_three(black_box(view)));
            },
            |(_, words)| {
                black_box(hand_read::<T, BITS, E, M>(black_box(words), black_box(how)));
            },
        );
        self.pair(
            &format!("write {name}"),
            &mut state,
            |(view, _)| T::write_three(black_box(view), black_box(T::STEP)),
            |(_, words)| hand_write_three::<T, BITS, E, M>(black_box(words), black_box(T::STEP), black_box(how)),
        );
    }

    fn integers<T: Value, const BITS: u32>(&mut self, name: &str) {
        let how = How { count: self.count, bits: BITS, float: (0, 0) };
        let name = format!("{name} {BITS} bits");
        let layout = BitPackedIntSoA::<Bits<BITS>, KeepSign, Wrap>::default();
        self.run::<T, _, BITS, 0, 0>(&format!("{name} const"), layout, how);
        let layout = BitPackedIntSoA::<_, KeepSign, Wrap>::new(DynBits(black_box(BITS)));
        self.run::<T, _, 0, 0, 0>(&format!("{name} dyn"), layout, how);
        let layout = BitPackedIntAoS::<Bits<BITS>, KeepSign, Wrap>::default();
        self.three::<T, _, BITS, 0, 0>(&format!("{name} const/3 leaves AoS"), layout, how);
        let layout = BitPackedIntAoS::<_, KeepSign, Wrap>::new(DynBits(black_box(BITS)));
        self.three::<T, _, 0, 0, 0>(&format!("{name} dyn/3 leaves AoS"), layout, how);
    }

    fn floats<const BITS: u32, const E: u32, const M: u32>(&mut self) {
        let how = How { count: self.count, bits: BITS, float: (E, M) };
        let name = format!("f32 e{E}m{M}");
        let layout = BitPackedFloatSoA::<FloatBits<E, M>>::default();
        self.run::<f32, _, BITS, E, M>(&format!("{name} const"), layout, how);
        let layout = BitPackedFloatSoA::new(black_box(DynFloatBits { exponent: E, mantissa: M }));
        self.run::<f32, _, 0, 0, 0>(&format!("{name} dyn"), layout, how);
        let layout = BitPackedFloatAoS::<FloatBits<E, M>>::default();
        self.three::<f32, _, BITS, E, M>(&format!("{name} const/3 leaves AoS"), layout, how);
        let layout = BitPackedFloatAoS::new(black_box(DynFloatBits { exponent: E, mantissa: M }));
        self.three::<f32, _, 0, 0, 0>(&format!("{name} dyn/3 leaves AoS"), layout, how);
    }

    fn all(&mut self) {
        self.integers::<u16, 3>("u16");
        self.integers::<u16, 7>("u16");
        self.integers::<u16, 12>("u16");
        self.integers::<u32, 7>("u32");
        self.integers::<u32, 12>("u32");
        self.integers::<u32, 19>("u32");
        self.integers::<i32, 7>("i32");
        self.integers::<i32, 12>("i32");
        self.integers::<i32, 19>("i32");
        self.floats::<16, 5, 10>();
        self.floats::<16, 8, 7>();
        self.floats::<19, 6, 12>();
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let count = if cfg!(debug_assertions) { 192 } else { 1 << 14 };
    if ratio::wanted() {
        Kernels { count, group: None }.all();
    }
    let mut group = criterion.benchmark_group(format!("bitpack/{count}"));
    group.sample_size(10).warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_millis(500));
    group.throughput(Throughput::Elements(count as u64));
    Kernels { count, group: Some(group) }.all();
    criterion.final_summary();
}

//! Bit-packed values through views, beside the algorithm that LLAMA has for them, written by hand: one value at a time,
//! from the word of 32 bits that it starts in and, if need be, the next.
//!
//! `cargo bench --bench bitpack`; with `-- ratio`, only the ratios of views to hand-written loops.

#[path = "kernels/ratio.rs"]
mod ratio;

use core::hint::black_box;
use core::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput};
use layout::prelude::*;
use layout::{BitPackedFloatSoA, BitPackedIntSoA, Bits, DynBits, DynFloatBits, FloatBits, KeepSign, Lanes, Wrap};

const W: usize = 16;

/// Words of 32 bits with values of `bits` bits each, as LLAMA has them.
#[derive(Clone)]
struct Words {
    words: Vec<u32>,
    bits: u32,
}

impl Words {
    fn new(count: usize, bits: u32) -> Self {
        Self { words: vec![0; (count * bits as usize).div_ceil(32)], bits }
    }

    #[inline(always)]
    fn mask(bits: u32) -> u32 {
        u32::MAX >> (32 - bits)
    }

    /// Value `i`, without sign.
    #[inline(always)]
    fn get(&self, i: usize, bits: u32) -> u32 {
        let bit = i * bits as usize;
        let (word, offset) = (bit / 32, (bit % 32) as u32);
        // SAFETY: there are words for all values.
        let mut value = unsafe { self.words.get_unchecked(word) } >> offset;
        if offset + bits > 32 {
            // SAFETY: as above.
            value |= unsafe { self.words.get_unchecked(word + 1) } << (32 - offset);
        }
        value & Self::mask(bits)
    }

    /// Value `i`, with its sign.
    #[inline(always)]
    fn get_signed(&self, i: usize, bits: u32) -> i32 {
        let value = self.get(i, bits);
        let sign = 1 << (bits - 1);
        (if value & sign == 0 { value } else { value | !Self::mask(bits) }).cast_signed()
    }

    #[inline(always)]
    fn set(&mut self, i: usize, bits: u32, value: u32) {
        let bit = i * bits as usize;
        let (word, offset) = (bit / 32, (bit % 32) as u32);
        let (mask, value) = (Self::mask(bits), value & Self::mask(bits));
        // SAFETY: there are words for all values.
        let low = unsafe { self.words.get_unchecked_mut(word) };
        *low = *low & !(mask << offset) | value << offset;
        if offset + bits > 32 {
            // SAFETY: as above.
            let high = unsafe { self.words.get_unchecked_mut(word + 1) };
            *high = *high & !(mask >> (32 - offset)) | value >> (32 - offset);
        }
    }
}

/// A float of other widths, as LLAMA repacks it: the mantissa cut, too small exponents as zero.
#[inline(always)]
fn repack(bits: u32, from: (u32, u32), to: (u32, u32)) -> u32 {
    let ((from_e, from_m), (to_e, to_m)) = (from, to);
    let ones = |bits: u32| (1_u32 << bits) - 1;
    let (sign, exponent, mantissa) =
        (bits >> (from_e + from_m) & 1, bits >> from_m & ones(from_e), bits & ones(from_m));
    let mut mantissa = if from_m > to_m { mantissa >> (from_m - to_m) } else { mantissa << (to_m - from_m) };
    let exponent = if exponent == ones(from_e) {
        ones(to_e)
    } else if exponent == 0 {
        0
    } else {
        let exponent = (exponent + ones(to_e - 1)).cast_signed() - ones(from_e - 1).cast_signed();
        if exponent <= 0 {
            mantissa = 0;
            0
        } else if exponent >= ones(to_e).cast_signed() {
            mantissa = 0;
            ones(to_e)
        } else {
            exponent.cast_unsigned()
        }
    };
    sign << (to_e + to_m) | exponent << to_m | mantissa
}

type Vector<T, L> = Owned<Mapped<T, DynExtents<1>, L>>;

/// The kernels over views, of a type that is a leaf by name: none is inlined.
macro_rules! kernels {
    ($next:tt, |$a:ident, $b:ident| $sum:expr) => {
        #[inline(always)]
        fn plus(self, other: Self) -> Self {
            let ($a, $b) = (self, other);
            $sum
        }

        #[inline(never)]
        fn read_lanes<L: RecordLayout<Self>>(view: &Vector<Self, L>) -> Self {
            let (mut sums, mut sum) = (Lanes::<Self, W>::splat(Self::default()), Self::default());
            view.for_each_lanes::<W>(|slot| sums += slot.get(), |slot| sum = sum.plus(slot.get()));
            sums.to_array().into_iter().fold(sum, Self::plus)
        }

        #[inline(never)]
        fn read_loop<L: RecordLayout<Self>>(view: &Vector<Self, L>) -> Self {
            let mut sum = Self::default();
            view.for_each(|slot| sum = sum.plus(slot.get()));
            sum
        }

        #[inline(never)]
        fn write_lanes<L: RecordLayout<Self>>(view: &mut Vector<Self, L>, step: Self) {
            let mut value = Self::FIRST;
            let mut values = Lanes::<Self, W>::from_fn(|_| {
                let this = value;
                value = value.next(step);
                this
            });
            let jump = Lanes::splat(step.often());
            view.for_each_lanes_mut::<W>(
                |mut slot| {
                    slot.set(values);
                    values = values $next jump;
                },
                |mut slot| slot.set(step),
            );
        }

        #[inline(never)]
        fn write_loop<L: RecordLayout<Self>>(view: &mut Vector<Self, L>, step: Self) {
            let mut value = Self::FIRST;
            view.for_each_mut(|mut slot| {
                slot.set(value);
                value = value.next(step);
            });
        }

        #[inline(never)]
        fn update_lanes<L: RecordLayout<Self>>(view: &mut Vector<Self, L>, step: Self) {
            view.for_each_lanes_mut::<W>(
                |mut slot| slot.set(slot.get() $next Lanes::splat(step)),
                |mut slot| slot.set(slot.get().next(step)),
            );
        }

        #[inline(never)]
        fn update_loop<L: RecordLayout<Self>>(view: &mut Vector<Self, L>, step: Self) {
            view.for_each_mut(|mut slot| slot.set(slot.get().next(step)));
        }
    };
}

/// What the loops need to know of a type: values start with `FIRST` and go on by `step`.
trait Value: Leaf + Default + PartialEq + core::fmt::Debug {
    const FIRST: Self;
    const STEP: Self;
    fn next(self, step: Self) -> Self;
    /// What `W` steps are.
    fn often(self) -> Self;
    fn plus(self, other: Self) -> Self;
    fn get(words: &Words, i: usize, how: How) -> Self;
    fn set(words: &mut Words, i: usize, how: How, value: Self);
    fn read_lanes<L: RecordLayout<Self>>(view: &Vector<Self, L>) -> Self;
    fn read_loop<L: RecordLayout<Self>>(view: &Vector<Self, L>) -> Self;
    fn write_lanes<L: RecordLayout<Self>>(view: &mut Vector<Self, L>, step: Self);
    fn write_loop<L: RecordLayout<Self>>(view: &mut Vector<Self, L>, step: Self);
    fn update_lanes<L: RecordLayout<Self>>(view: &mut Vector<Self, L>, step: Self);
    fn update_loop<L: RecordLayout<Self>>(view: &mut Vector<Self, L>, step: Self);
}

/// How values are stored: bits of the whole, and of the parts of a float.
#[derive(Clone, Copy)]
struct How {
    count: usize,
    bits: u32,
    float: (u32, u32),
}

macro_rules! integers {
    ($($type:ident $get:ident)+) => {$(
        impl Value for $type {
            #[inline(always)]
            fn get(words: &Words, i: usize, how: How) -> Self {
                words.$get(i, how.bits) as Self
            }
            #[inline(always)]
            fn set(words: &mut Words, i: usize, how: How, value: Self) {
                words.set(i, how.bits, value as u32);
            }
            const FIRST: Self = 0;
            const STEP: Self = 1;
            #[inline(always)]
            fn next(self, step: Self) -> Self {
                self.wrapping_add(step)
            }
            fn often(self) -> Self {
                self * W as Self
            }
            kernels!(+, |a, b| a.wrapping_add(b));
        }
    )+};
}

integers!(u16 get u32 get i32 get_signed);

impl Value for f32 {
    #[inline(always)]
    fn get(words: &Words, i: usize, how: How) -> Self {
        Self::from_bits(repack(words.get(i, how.bits), how.float, (8, 23)))
    }
    #[inline(always)]
    fn set(words: &mut Words, i: usize, how: How, value: Self) {
        words.set(i, how.bits, repack(value.to_bits(), (8, 23), how.float));
    }
    // Plus and minus one half, in turns: both sides store it without loss.
    const FIRST: Self = 0.5;
    const STEP: Self = -1.0;
    #[inline(always)]
    fn next(self, step: Self) -> Self {
        self * step
    }
    fn often(self) -> Self {
        self.powi(W as i32)
    }
    kernels!(*, |a, b| a + b);
}

/// Runs each kernel over a view, and over words. Both know the number of bits at compile time, or neither.
struct Kernels<'c> {
    count: usize,
    group: Option<BenchmarkGroup<'c, WallTime>>,
}

#[inline(never)]
fn hand_read<T: Value, const BITS: u32, const E: u32, const M: u32>(words: &Words, how: How) -> T {
    let how = if BITS == 0 { how } else { How { bits: BITS, float: (E, M), ..how } };
    (0..how.count).fold(T::default(), |sum, i| sum.plus(T::get(words, i, how)))
}

#[inline(never)]
fn hand_write<T: Value, const BITS: u32, const E: u32, const M: u32>(words: &mut Words, step: T, how: How) {
    let how = if BITS == 0 { how } else { How { bits: BITS, float: (E, M), ..how } };
    let mut value = T::FIRST;
    for i in 0..how.count {
        T::set(words, i, how, value);
        value = value.next(step);
    }
}

#[inline(never)]
fn hand_update<T: Value, const BITS: u32, const E: u32, const M: u32>(words: &mut Words, step: T, how: How) {
    let how = if BITS == 0 { how } else { How { bits: BITS, float: (E, M), ..how } };
    for i in 0..how.count {
        let value = T::get(words, i, how).next(step);
        T::set(words, i, how, value);
    }
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

    fn integers<T: Value, const BITS: u32>(&mut self, name: &str) {
        let how = How { count: self.count, bits: BITS, float: (0, 0) };
        let name = format!("{name} {BITS} bits");
        let layout = BitPackedIntSoA::<Bits<BITS>, KeepSign, Wrap>::default();
        self.run::<T, _, BITS, 0, 0>(&format!("{name} const"), layout, how);
        let layout = BitPackedIntSoA::<_, KeepSign, Wrap>::new(DynBits(black_box(BITS)));
        self.run::<T, _, 0, 0, 0>(&format!("{name} dyn"), layout, how);
    }

    fn floats<const BITS: u32, const E: u32, const M: u32>(&mut self) {
        let how = How { count: self.count, bits: BITS, float: (E, M) };
        self.run::<f32, _, BITS, E, M>(
            &format!("f32 e{E}m{M} const"),
            BitPackedFloatSoA::<FloatBits<E, M>>::default(),
            how,
        );
        let layout = BitPackedFloatSoA::new(black_box(DynFloatBits { exponent: E, mantissa: M }));
        self.run::<f32, _, 0, 0, 0>(&format!("f32 e{E}m{M} dyn"), layout, how);
    }

    fn all(&mut self) {
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
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let count = if cfg!(debug_assertions) { 200 } else { 1 << 14 };
    if ratio::wanted() {
        Kernels { count, group: None }.all();
    }
    let mut group = criterion.benchmark_group(format!("bitpack/{count}"));
    group.sample_size(10).warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_millis(500));
    group.throughput(Throughput::Elements(count as u64));
    Kernels { count, group: Some(group) }.all();
    criterion.final_summary();
}

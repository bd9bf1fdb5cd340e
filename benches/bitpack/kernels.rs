//! The measured functions for one type of leaf: kernels over views, and loops over words. None is inlined.
#![allow(clippy::cast_possible_truncation, reason = "numbers are cut to bits on purpose")]
#![allow(clippy::assign_op_pattern, reason = "one macro for a sum and a product")]

use layout::Lanes;
use layout::prelude::*;

use super::words::{Words, repack};

/// Lanes of a step.
const W: usize = 16;

pub(crate) type Vector<T, L> = Owned<Mapped<T, DynExtents<1>, L>>;

/// The kernels over views.
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

        #[inline(never)]
        fn read_three<L: RecordLayout<[Self; 3]>>(view: &Vector<[Self; 3], L>) -> Self {
            let (mut sums, mut sum) = (Lanes::<Self, W>::splat(Self::default()), Self::default());
            view.for_each_lanes::<W>(
                |slots| sums += slots.element::<0>().get() + slots.element::<1>().get() + slots.element::<2>().get(),
                |slots| sum = slots.load().into_iter().fold(sum, Self::plus),
            );
            sums.to_array().into_iter().fold(sum, Self::plus)
        }

        #[inline(never)]
        fn write_three<L: RecordLayout<[Self; 3]>>(view: &mut Vector<[Self; 3], L>, step: Self) {
            let mut value = Self::FIRST;
            let mut values = Lanes::<Self, W>::from_fn(|_| {
                let this = value;
                value = value.next(step);
                this
            });
            let jump = Lanes::splat(step.often());
            view.for_each_lanes_mut::<W>(
                |mut slots| {
                    slots.element_mut::<0>().set(values);
                    slots.element_mut::<1>().set(values);
                    slots.element_mut::<2>().set(values);
                    values = values $next jump;
                },
                |_| unreachable!("whole groups of lanes"),
            );
        }
    };
}

/// The facts about a type that the loops need: values start with `FIRST` and continue by `step`.
pub(crate) trait Value: Leaf + Default + PartialEq + core::fmt::Debug {
    const FIRST: Self;
    const STEP: Self;
    fn next(self, step: Self) -> Self;
    /// The sum of `W` steps.
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
    fn read_three<L: RecordLayout<[Self; 3]>>(view: &Vector<[Self; 3], L>) -> Self;
    fn write_three<L: RecordLayout<[Self; 3]>>(view: &mut Vector<[Self; 3], L>, step: Self);
}

/// The form in which values are stored: the bits of the whole, and of the parts of a float.
#[derive(Clone, Copy)]
pub(crate) struct How {
    pub(crate) count: usize,
    pub(crate) bits: u32,
    pub(crate) float: (u32, u32),
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

#[inline(never)]
pub(crate) fn hand_read<T: Value, const BITS: u32, const E: u32, const M: u32>(words: &Words, how: How) -> T {
    let how = if BITS == 0 { how } else { How { bits: BITS, float: (E, M), ..how } };
    (0..how.count).fold(T::default(), |sum, i| sum.plus(T::get(words, i, how)))
}

#[inline(never)]
pub(crate) fn hand_write<T: Value, const BITS: u32, const E: u32, const M: u32>(words: &mut Words, step: T, how: How) {
    let how = if BITS == 0 { how } else { How { bits: BITS, float: (E, M), ..how } };
    let mut value = T::FIRST;
    for i in 0..how.count {
        T::set(words, i, how, value);
        value = value.next(step);
    }
}

#[inline(never)]
pub(crate) fn hand_update<T: Value, const BITS: u32, const E: u32, const M: u32>(words: &mut Words, step: T, how: How) {
    let how = if BITS == 0 { how } else { How { bits: BITS, float: (E, M), ..how } };
    for i in 0..how.count {
        let value = T::get(words, i, how).next(step);
        T::set(words, i, how, value);
    }
}

/// Writes each value three times: elements of three leaves.
#[inline(never)]
pub(crate) fn hand_write_three<T: Value, const BITS: u32, const E: u32, const M: u32>(
    words: &mut Words,
    step: T,
    how: How,
) {
    let how = if BITS == 0 { how } else { How { bits: BITS, float: (E, M), ..how } };
    let mut value = T::FIRST;
    for i in (0..how.count).step_by(3) {
        T::set(words, i, how, value);
        T::set(words, i + 1, how, value);
        T::set(words, i + 2, how, value);
        value = value.next(step);
    }
}

//! Every operation on lanes gives in each lane the bits that it gives on single values.

#![allow(clippy::cast_possible_truncation, reason = "the low bits of a random number are one")]

use core::fmt::Debug;
use std::panic::catch_unwind;

use layout::{Lanes, Mask};
use support::random::Random;

/// A number that can be drawn at random, special values often, and compared by its bits.
trait Draw: Copy + Debug {
    fn draw(random: &mut Random) -> Self;
    fn same(self, other: Self) -> bool;
}

macro_rules! draw_integers {
    ($($integer:ident)+) => {$(
        impl Draw for $integer {
            fn draw(random: &mut Random) -> Self {
                let wide = (u128::from(random.next()) << 64 | u128::from(random.next())) as $integer;
                match random.next() % 8 {
                    0 => $integer::MIN,
                    1 => $integer::MAX,
                    2 => 0,
                    3 => $integer::MAX.wrapping_add($integer::MAX).wrapping_add(1),
                    4 => wide % 64,
                    _ => wide,
                }
            }

            fn same(self, other: Self) -> bool {
                self == other
            }
        }
    )+};
}

draw_integers! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize }

macro_rules! draw_floats {
    ($($float:ident $bits:ident)+) => {$(
        impl Draw for $float {
            fn draw(random: &mut Random) -> Self {
                match random.next() % 16 {
                    0 => $float::NAN,
                    1 => -$float::NAN,
                    2 => $float::INFINITY,
                    3 => $float::NEG_INFINITY,
                    4 => 0.0,
                    5 => -0.0,
                    6 => $float::from_bits(1),
                    7 => $float::MAX,
                    8 => $float::MIN_POSITIVE / 2.0,
                    9 => $float::from_bits(random.next() as $bits),
                    10 => -0.7,
                    _ => (random.next() >> 40) as $float / 1024.0 - 8192.0,
                }
            }

            /// Which bits a NaN that comes from arithmetic has is not specified.
            fn same(self, other: Self) -> bool {
                self.to_bits() == other.to_bits() || (self.is_nan() && other.is_nan())
            }
        }
    )+};
}

draw_floats! { f32 u32 f64 u64 }

fn draw<T: Draw, const W: usize>(random: &mut Random) -> [T; W] {
    core::array::from_fn(|_| T::draw(random))
}

#[track_caller]
fn check<T: Draw, const W: usize>(what: &str, lanes: [T; W], scalar: impl Fn(usize) -> T) {
    for (lane, value) in lanes.into_iter().enumerate() {
        let expected = scalar(lane);
        assert!(value.same(expected), "{what}, lane {lane} of {W}: {value:?} instead of {expected:?}");
    }
}

/// One operator, with lanes on both sides; for one width also in all its other forms.
macro_rules! binary {
    ($a:ident, $b:ident, $op:tt, $assign:tt, $scalar:expr) => {{
        let scalar = $scalar;
        let (a, b) = (Lanes::from_array($a), Lanes::from_array($b));
        let what = stringify!($op);
        check(what, (a $op b).to_array(), |i| scalar($a[i], $b[i]));
        if const { W == 5 } {
            check(what, (a $op $b[0]).to_array(), |i| scalar($a[i], $b[0]));
            check(what, ($a[0] $op b).to_array(), |i| scalar($a[0], $b[i]));
            let mut c = a;
            c $assign b;
            check(what, c.to_array(), |i| scalar($a[i], $b[i]));
            let mut c = a;
            c $assign $b[0];
            check(what, c.to_array(), |i| scalar($a[i], $b[0]));
        }
    }};
}

macro_rules! comparisons {
    ($a:ident, $b:ident; $($method:ident $op:tt)+) => {
        let (a, b) = (Lanes::from_array($a), Lanes::from_array($b));
        $(
            let expected: [bool; W] = core::array::from_fn(|i| $a[i] $op $b[i]);
            assert_eq!(a.$method(b).to_array(), expected);
        )+
        let mask = a.simd_lt($b[0]);
        assert_eq!(mask.to_array(), $a.map(|a| a < $b[0]));
        let selected = mask.select(a, b).to_array();
        for i in 0..W {
            let expected = if $a[i] < $b[0] { $a[i] } else { $b[i] };
            assert_eq!(selected[i].to_ne_bytes(), expected.to_ne_bytes());
        }
    };
}

/// All widths; fewer for integers without vectors, which saves compile time.
macro_rules! widths {
    (plain $check:ident) => {
        $check::<1>();
        $check::<5>();
        $check::<16>();
    };
    (vectors $check:ident) => {
        $check::<1>();
        $check::<2>();
        $check::<3>();
        $check::<4>();
        $check::<5>();
        $check::<8>();
        $check::<16>();
        $check::<29>();
        $check::<32>();
    };
}

macro_rules! integers {
    ($($integer:ident $negative:ident $widths:ident;)+) => {$(
        #[test]
        fn $integer() {
            fn all<const W: usize>() {
                let mut random = Random(W as u64);
                for _ in 0..40 {
                    let (a, b) = (draw::<$integer, W>(&mut random), draw::<$integer, W>(&mut random));
                    binary!(a, b, +, +=, $integer::wrapping_add);
                    binary!(a, b, -, -=, $integer::wrapping_sub);
                    binary!(a, b, *, *=, $integer::wrapping_mul);
                    let divisor = b.map(|b| if b == 0 { 7 } else { b });
                    binary!(a, divisor, /, /=, $integer::wrapping_div);
                    binary!(a, divisor, %, %=, $integer::wrapping_rem);
                    binary!(a, b, &, &=, |a, b| a & b);
                    binary!(a, b, |, |=, |a, b| a | b);
                    binary!(a, b, ^, ^=, |a, b| a ^ b);
                    binary!(a, b, <<, <<=, |a: $integer, b| a.wrapping_shl(b as u32));
                    binary!(a, b, >>, >>=, |a: $integer, b| a.wrapping_shr(b as u32));
                    check("!", (!Lanes::from_array(a)).to_array(), |i| !a[i]);
                    integers!(@ $negative a);
                    comparisons!(a, b; simd_eq == simd_ne != simd_lt < simd_le <= simd_gt > simd_ge >=);
                    let sum = a.into_iter().fold(0, $integer::wrapping_add);
                    let (x, y) = (Lanes::from_array(a), Lanes::from_array(b));
                    assert_eq!(x.sum(), sum);
                    check("min", x.min(y).to_array(), |i| a[i].min(b[i]));
                    check("max", x.max(y).to_array(), |i| a[i].max(b[i]));
                    check("clamp", x.clamp(3, 60).to_array(), |i| a[i].clamp(3, 60));
                    assert_eq!((Some(x.reduce_min()), Some(x.reduce_max())), (a.into_iter().min(), a.into_iter().max()));
                }
            }
            widths!($widths all);
        }
    )+};
    (@ signed $a:ident) => {
        check("-", (-Lanes::from_array($a)).to_array(), |i| $a[i].wrapping_neg());
        check("abs", Lanes::from_array($a).abs().to_array(), |i| $a[i].wrapping_abs());
    };
    (@ unsigned $a:ident) => {};
}

integers! {
    u8 unsigned vectors; u16 unsigned vectors; u32 unsigned vectors; u64 unsigned vectors;
    i8 signed vectors; i16 signed vectors; i32 signed vectors; i64 signed vectors;
    u128 unsigned plain; usize unsigned plain; i128 signed plain; isize signed plain;
}

macro_rules! floats {
    ($($float:ident)+) => {$(
        #[test]
        fn $float() {
            fn exact<const W: usize>(what: &str, lanes: Lanes<$float, W>, scalar: impl Fn(usize) -> $float) {
                for (lane, value) in lanes.to_array().into_iter().enumerate() {
                    assert_eq!(value.to_bits(), scalar(lane).to_bits(), "{what}, lane {lane} of {W}");
                }
            }

            /// Which of two zeros is the smaller is not specified.
            fn extreme<const W: usize>(lanes: Lanes<$float, W>, scalar: impl Fn(usize) -> $float) {
                for (lane, value) in lanes.to_array().into_iter().enumerate() {
                    let expected = scalar(lane);
                    assert!(value.same(expected) || (value == 0.0 && expected == 0.0), "{value} {expected}");
                }
            }

            fn all<const W: usize>() {
                let mut random = Random(W as u64);
                for _ in 0..60 {
                    let (a, b) = (draw::<$float, W>(&mut random), draw::<$float, W>(&mut random));
                    let c = draw::<$float, W>(&mut random);
                    binary!(a, b, +, +=, |a, b| a + b);
                    binary!(a, b, -, -=, |a, b| a - b);
                    binary!(a, b, *, *=, |a, b| a * b);
                    binary!(a, b, /, /=, |a, b| a / b);
                    binary!(a, b, %, %=, |a, b| a % b);
                    comparisons!(a, b; simd_eq == simd_ne != simd_lt < simd_le <= simd_gt > simd_ge >=);
                    let (x, y) = (Lanes::from_array(a), Lanes::from_array(b));
                    exact("array", x, |i| a[i]);
                    exact("splat", Lanes::<_, W>::splat(a[0]), |_| a[0]);
                    exact("-", -x, |i| -a[i]);
                    exact("abs", x.abs(), |i| a[i].abs());
                    exact("map", x.map(|a| -a), |i| -a[i]);
                    extreme(x.min(y), |i| a[i].min(b[i]));
                    extreme(x.max(y), |i| a[i].max(b[i]));
                    extreme(x.clamp(-1.0, 2.0), |i| a[i].max(-1.0).min(2.0));
                    let (least, greatest) = (a.into_iter().reduce($float::min), a.into_iter().reduce($float::max));
                    extreme(Lanes::<_, 2>::from_array([x.reduce_min(), x.reduce_max()]), |i| {
                        [least, greatest][i].expect("there are lanes")
                    });
                    check("recip", x.recip().to_array(), |i| 1.0 / a[i]);
                    #[cfg(any(feature = "std", feature = "wide"))]
                    {
                        check("sqrt", x.sqrt().to_array(), |i| a[i].sqrt());
                        // With signs of zeros.
                        check("floor", x.floor().to_array(), |i| a[i].floor());
                        check("ceil", x.ceil().to_array(), |i| a[i].ceil());
                        check("trunc", x.trunc().to_array(), |i| a[i].trunc());
                        check("round", x.round().to_array(), |i| a[i].round());
                    }
                    #[cfg(feature = "std")]
                    check("mul_add", x.mul_add(y, c).to_array(), |i| a[i].mul_add(b[i], c[i]));
                    check("not fused", (x * y + Lanes::from_array(c)).to_array(), |i| a[i] * b[i] + c[i]);
                    let sum = a.into_iter().reduce(|sum, value| sum + value).unwrap();
                    assert!(x.sum().same(sum));
                }
            }
            widths!(vectors all);
        }
    )+};
}

floats! { f32 f64 }

/// The greatest distance of a function's results from those of the standard library, in units of the last place.
#[cfg(any(feature = "std", feature = "wide"))]
macro_rules! distances {
    ($float:ident: $($function:ident $from:literal..$to:literal $limit:literal;)+) => {$(
        let mut most = 0;
        let step = ($to - $from) / 100_003.0;
        for k in 0..14_000_u32 {
            let x: [$float; 7] = core::array::from_fn(|lane| $from + step * $float::from((7 * k + lane as u32) as f32));
            for (x, found) in x.into_iter().zip(Lanes::from_array(x).$function().to_array()) {
                let expected = x.$function();
                // Near zeros of a function the distance in bits says little.
                let distance = (found.to_bits() as i64 - expected.to_bits() as i64).abs();
                most = most.max(if expected.abs() > 1e-3 || stringify!($function) == "exp" { distance } else { 0 });
            }
        }
        assert!(most <= $limit, "{} of {}: {most}", stringify!($function), stringify!($float));
    )+};
}

#[cfg(any(feature = "std", feature = "wide"))]
#[test]
fn functions_have_a_small_rounding_error() {
    distances! { f32: exp -87.0..88.0 2; ln 1e-3..1e3 2; ln 1.2e-38..1e-30 2; ln 1e30..1e38 2; sin -100.0..100.0 2; cos -100.0..100.0 2; }
    distances! { f64: exp -708.0..709.0 2; ln 1e-3..1e3 2; ln 2.3e-308..1e-300 2; ln 1e300..1e308 2; sin -100.0..100.0 2; cos -100.0..100.0 2; }
    let inf = f64::INFINITY;
    for (function, x, expected) in [
        (Lanes::exp as fn(Lanes<f64, 5>) -> Lanes<f64, 5>, 800.0, inf),
        (Lanes::exp, -800.0, 0.0),
        (Lanes::exp, inf, inf),
        (Lanes::exp, -inf, 0.0),
        (Lanes::ln, 0.0, -inf),
        (Lanes::ln, inf, inf),
    ] {
        assert_eq!(function(Lanes::splat(x)).to_array(), [expected; 5], "of {x}");
    }
    for (function, x) in [
        (Lanes::exp as fn(Lanes<f32, 5>) -> Lanes<f32, 5>, f32::NAN),
        (Lanes::ln, -1.0),
        (Lanes::sin, f32::INFINITY),
        (Lanes::cos, f32::NEG_INFINITY),
        (Lanes::sin, f32::NAN),
    ] {
        assert!(function(Lanes::splat(x)).to_array()[0].is_nan(), "of {x}");
    }
}

#[test]
fn shifts_use_the_low_bits() {
    let lanes = Lanes::from_array([1_u8, 2, 3, 255]);
    assert_eq!((lanes << 9).to_array(), [2, 4, 6, 254]);
    assert_eq!((lanes >> Lanes::from_array([0, 1, 8, 7])).to_array(), [1, 1, 3, 1]);
    assert_eq!((Lanes::from_array([-8_i64, 1]) >> -63).to_array(), [-4, 0]);
}

#[test]
fn division_by_zero_panics() {
    assert!(catch_unwind(|| Lanes::from_array([1, 2, 3]) / Lanes::from_array([1, 0, 1])).is_err());
    assert!(catch_unwind(|| Lanes::from_array([1_u8, 2]) % 0).is_err());
    assert_eq!((Lanes::from_array([i32::MIN]) / -1).to_array(), [i32::MIN]);
}

#[test]
fn masks() {
    fn all<const W: usize>() {
        let mut random = Random(W as u64);
        for _ in 0..40 {
            let a: [bool; W] = core::array::from_fn(|_| random.next().is_multiple_of(2));
            let b: [bool; W] = core::array::from_fn(|_| random.next().is_multiple_of(2));
            let (x, y) = (Mask::from_array(a), Mask::from(b));
            assert_eq!(x.to_array(), a);
            assert_eq!((x & y).to_array(), core::array::from_fn(|i| a[i] & b[i]));
            assert_eq!((x | y).to_array(), core::array::from_fn(|i| a[i] | b[i]));
            assert_eq!((x ^ y).to_array(), core::array::from_fn(|i| a[i] ^ b[i]));
            assert_eq!((!x).to_array(), a.map(|a| !a));
            assert_eq!(x == y, a == b);
            assert_eq!(x.any(), a.contains(&true));
            assert_eq!(x.all(), !a.contains(&false));
            assert_eq!(x.count(), a.iter().filter(|a| **a).count());
            assert!((0..W).all(|i| x[i] == a[i]));
            assert_eq!(Mask::from(Lanes::from(x)), x);
            let mut z = x;
            z &= y;
            z |= !x;
            z ^= y;
            assert_eq!(z, ((x & y) | !x) ^ y);

            // Values of each size, and values that are not numbers.
            let letters: [char; W] = core::array::from_fn(|i| char::from(b'a' + (i % 26) as u8));
            let selected = x.select(Lanes::from_array(letters), Lanes::splat('\u{10ffff}'));
            assert_eq!(selected.to_array(), core::array::from_fn(|i| if a[i] { letters[i] } else { '\u{10ffff}' }));
            let selected = x.select(Lanes::from_array(b), Lanes::splat(true));
            assert_eq!(selected.to_array(), core::array::from_fn(|i| !a[i] || b[i]));
            let selected = x.select(Lanes::splat(-1_i128), Lanes::splat(i128::MIN));
            assert_eq!(selected.to_array(), a.map(|a| if a { -1 } else { i128::MIN }));
        }
        assert_eq!(Mask::<W>::splat(true), !Mask::splat(false));
    }
    widths!(vectors all);
}

#[test]
fn access() {
    let mut lanes = Lanes::<u16, 5>::from_fn(|lane| lane as u16);
    lanes[3] += 10;
    lanes.as_mut_array()[0] = 7;
    assert_eq!(lanes.as_array(), &[7, 1, 2, 13, 4]);
    assert_eq!(<[u16; 5]>::from(lanes), lanes.to_array());
    assert_eq!(Lanes::from([7, 1, 2, 13, 4]), lanes);
    assert_eq!(Lanes::<u16, 5>::default(), Lanes::splat(0));
    assert_eq!(lanes.map(u32::from).sum(), 27);
    assert_eq!(Lanes::<f32, 0>::default().sum(), 0.0);
    assert_eq!(
        format!("{:?} {:?}", Lanes::from_array([1, 2]), Mask::splat(true) & Mask::from([true])),
        "Lanes([1, 2]) Mask([true])"
    );
}

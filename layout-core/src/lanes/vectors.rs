//! Operations on whole arrays, in SIMD vectors if the type has them.

#[cfg(feature = "wide")]
use core::mem::transmute_copy;

use crate::leaf::Leaf;

/// Runs `$do` for each machine vector, named `Vector`, that `$w` lanes fill; then for the narrower vectors that the
/// rest fills; and then `$one` for each lane that is left. `$start` is the first lane.
///
/// The widest vectors have `$n` lanes and 512 bits. On a target without AVX-512 they are not used: the machine vectors
/// then have half as many lanes.
///
/// The code is unrolled for up to eight vectors: LLVM unrolls a loop too late to keep an array in vectors that the loop
/// accesses.
#[cfg(feature = "wide")]
macro_rules! cut {
    ([$Widest:ident $Vector:ident $Half:ident $n:literal] $w:expr, |$start:ident| $do:expr, $one:expr) => {
        #[cfg(target_feature = "avx512f")]
        {
            {
                use wide::$Widest as Vector;
                cut!(@whole [0 1 2 3 4 5 6 7] $w, $n, $start $do);
            }
            if const { $w % $n >= $n / 2 } {
                use wide::$Vector as Vector;
                let $start = $w / $n * $n;
                $do;
            }
        }
        #[cfg(not(target_feature = "avx512f"))]
        {
            use wide::$Vector as Vector;
            cut!(@whole [0 1 2 3 4 5 6 7] $w, $n / 2, $start $do);
        }
        if const { $w % ($n / 2) >= $n / 4 } {
            use wide::$Half as Vector;
            let $start = $w / ($n / 2) * ($n / 2);
            $do;
        }
        if const { $w % ($n / 4) > 0 } {
            for $start in $w - $w % ($n / 4)..$w {
                $one;
            }
        }
    };
    (@whole [$($step:literal)+] $w:expr, $n:expr, $start:ident $vector:expr) => {
        $(
            if const { $w / ($n) > $step } {
                let $start = $step * ($n);
                $vector;
            }
        )+
        for step in 8..$w / ($n) {
            let $start = step * ($n);
            $vector;
        }
    };
}

/// The `N` values from `start` on.
#[cfg(feature = "wide")]
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn part<T, const N: usize>(array: &[T], start: usize) -> &[T; N] {
    array[start..].first_chunk().expect("in range")
}

/// The `N` values from `start` on, mutably.
#[cfg(feature = "wide")]
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn part_mut<T, const N: usize>(array: &mut [T], start: usize) -> &mut [T; N] {
    array[start..].first_chunk_mut().expect("in range")
}

/// Applies `$many` to vectors of lanes of `$a` while there are enough lanes, and `$one` to each lane that is left.
macro_rules! unary {
    ([] $a:ident, $one:expr, |$x:ident| $many:expr) => {
        $a.map($one)
    };
    ($vectors:tt $a:ident, $one:expr, |$x:ident| $many:expr) => {{
        let mut result = $a;
        #[cfg(feature = "wide")]
        cut!(
            $vectors W,
            |start| {
                let $x = Vector::new(*$crate::lanes::vectors::part(&result, start));
                *$crate::lanes::vectors::part_mut(&mut result, start) = ($many).to_array();
            },
            result[start] = $one(result[start])
        );
        #[cfg(not(feature = "wide"))]
        for a in &mut result {
            *a = $one(*a);
        }
        result
    }};
}

/// The same as `unary!`, for two arrays.
macro_rules! binary {
    ($vectors:tt $a:ident, $b:ident, $one:expr) => {
        by_lane!($a, $b, $one)
    };
    ([] $a:ident, $b:ident, $one:expr, |$x:ident, $y:ident| $many:expr) => {
        by_lane!($a, $b, $one)
    };
    ($vectors:tt $a:ident, $b:ident, $one:expr, |$x:ident, $y:ident| $many:expr) => {{
        let (mut result, other) = ($a, $b);
        #[cfg(feature = "wide")]
        cut!(
            $vectors W,
            |start| {
                let $x = Vector::new(*$crate::lanes::vectors::part(&result, start));
                let $y = Vector::new(*$crate::lanes::vectors::part(&other, start));
                *$crate::lanes::vectors::part_mut(&mut result, start) = ($many).to_array();
            },
            result[start] = $one(result[start], other[start])
        );
        #[cfg(not(feature = "wide"))]
        for (a, b) in result.iter_mut().zip(other) {
            *a = $one(*a, b);
        }
        result
    }};
}

/// Applies `$one` to each lane of two arrays.
macro_rules! by_lane {
    ($a:ident, $b:ident, $one:expr) => {{
        use $crate::lanes::vectors::settle;
        let (a, b) = (settle($a), settle($b));
        settle(core::array::from_fn(|lane| $one(a[lane], b[lane])))
    }};
}

macro_rules! settle {
    ($($Bits:ident $vectors:tt;)+) => {
        /// Returns the array unchanged, but loaded and stored in vectors.
        ///
        /// This must be called wherever lanes come from or go to single values. LLVM splits an array on its stack that
        /// is accessed by elements into scalars, and with it every array that is copied to or from it; a loop variable
        /// is then packed and unpacked in each iteration. An operation on vectors, even one that does nothing, prevents
        /// that.
        #[cfg_attr(not(unoptimized), inline(always))]
        pub(super) fn settle<T: Leaf, const W: usize>(array: [T; W]) -> [T; W] {
            $(
                #[cfg(feature = "wide")]
                if const { size_of::<T>() == size_of::<$Bits>() } {
                    // SAFETY: the size is the same, and a leaf has no uninitialized bytes (contract of
                    // `NoUninit`).
                    let bits = unsafe { transmute_copy::<[T; W], [$Bits; W]>(&array) };
                    // The result must not be stored back to its source: the compiler would remove that.
                    let bits = unary!($vectors bits, |bits| bits, |vector| vector & vector);
                    // SAFETY: these are the bits of the array.
                    return unsafe { transmute_copy::<[$Bits; W], [T; W]>(&bits) };
                }
            )+
            array
        }
    };
}

settle! {
    u8 [u8x64 u8x32 u8x16 64]; u16 [u16x32 u16x16 u16x8 32]; u32 [u32x16 u32x8 u32x4 16]; u64 [u64x8 u64x4 u64x2 8];
}

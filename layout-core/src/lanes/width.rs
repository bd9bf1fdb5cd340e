//! Numbers of lanes that suit a record on the target machine.

use crate::leaf_table::LeafTable;
use crate::record::Record;

/// The size in bytes of the largest vector register of the target that the compiler may use.
///
/// Options such as `-C target-cpu=native` raise it: 16 on plain x86-64, 32 with AVX, 64 with AVX-512.
pub const VECTOR_BYTES: usize = if cfg!(target_feature = "avx512f") {
    64
} else if cfg!(target_feature = "avx") {
    32
} else if cfg!(any(
    target_feature = "sse2",
    target_feature = "neon",
    target_feature = "simd128",
    target_feature = "v",
    target_feature = "altivec"
)) {
    16
} else {
    size_of::<usize>()
};

/// The number of lanes with which the smallest leaves of `R` fill a register; every leaf then fills whole registers.
///
/// This gives few groups, each with much work to do at once, but registers run out if a kernel uses many leaves; see
/// [`least_lanes`].
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
/// use layout::{VECTOR_BYTES, least_lanes, most_lanes};
///
/// #[derive(Clone, Copy, Default, Record)]
/// struct Hit { time: f64, charge: f32 }
///
/// assert_eq!(most_lanes::<Hit>(), VECTOR_BYTES / 4);
/// assert_eq!(least_lanes::<Hit>(), VECTOR_BYTES / 8);
///
/// let mut hits = alloc::<Hit, SoA, _>(1001)?;
/// hits.for_each_lanes_masked_mut::<{ most_lanes::<Hit>() }>(|mut hit, _| hit.charge += 1.0);
/// assert_eq!(hits.load(1000).charge, 1.0);
/// # Ok::<(), ViewError>(())
/// ```
#[must_use]
pub const fn most_lanes<R: Record>() -> usize {
    lanes(sizes::<R>().0)
}

/// The number of lanes with which the largest leaves of `R` fill a register; no leaf then takes more than one register.
///
/// Returns one if the largest leaf is larger than a register, or if the record has no leaf. See [`most_lanes`].
#[must_use]
pub const fn least_lanes<R: Record>() -> usize {
    lanes(sizes::<R>().1)
}

/// The number of lanes of `size` bytes that fit a register, as a power of two.
const fn lanes(size: usize) -> usize {
    if size == 0 || size > VECTOR_BYTES { 1 } else { 1 << (VECTOR_BYTES / size).ilog2() }
}

/// The sizes of the smallest and the largest leaf.
const fn sizes<R: Record>() -> (usize, usize) {
    let (leaves, mut smallest, mut largest, mut i) = (LeafTable::of::<R>(), usize::MAX, 0, 0);
    while i < leaves.count() {
        let size = leaves.leaf(i).size();
        if size > 0 && size < smallest {
            smallest = size;
        }
        if size > largest {
            largest = size;
        }
        i += 1;
    }
    (smallest, largest)
}

//! The decision whether strides leave gaps between positions.

/// Returns `true` if the sums of index times stride are all numbers from the lowest to the highest sum. No extent is zero.
///
/// With the strides sorted by size, the sums over the first of them are all numbers up to what they reach. The next
/// stride leaves a gap if it is larger than that reach and one more; then no later stride, being larger, fills the gap.
/// The sign of a stride only moves the lowest sum.
pub(crate) fn is_exhaustive(extents: &[usize], strides: &[isize]) -> bool {
    // The number of consecutive sums so far, by strides below `least`.
    let (mut sums, mut least) = (1usize, 1usize);
    loop {
        let steps = extents.iter().zip(strides).map(|(extent, stride)| (extent - 1, stride.unsigned_abs()));
        let Some(next) =
            steps.clone().filter(|(steps, stride)| *steps > 0 && *stride >= least).map(|step| step.1).min()
        else {
            return true;
        };
        if next > sums {
            return false;
        }
        // Steps along all dimensions of this stride. The highest position fits `isize`, so nothing overflows.
        let reach = steps.filter(|(_, stride)| *stride == next).map(|(steps, stride)| steps * stride).sum::<usize>();
        (sums, least) = (sums + reach, next + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::is_exhaustive;

    /// Returns `true` if the sums have no gaps, by listing them.
    fn has_no_gaps(extents: [usize; 3], strides: [isize; 3]) -> bool {
        let [x, y, z] = extents.map(usize::cast_signed);
        let sum = |i, j, k| i * strides[0] + j * strides[1] + k * strides[2];
        let mut sums: Vec<isize> =
            (0..x).flat_map(|i| (0..y).flat_map(move |j| (0..z).map(move |k| sum(i, j, k)))).collect();
        sums.sort_unstable();
        sums.windows(2).all(|pair| pair[1] - pair[0] <= 1)
    }

    #[test]
    fn gaps_are_found_for_all_small_strides() {
        for extents in [[1, 1, 1], [2, 3, 1], [3, 2, 4], [4, 1, 2], [2, 2, 2]] {
            for number in 0..19 * 19 * 19 {
                let strides = [number % 19 - 6, number / 19 % 19 - 9, number / 361];
                assert_eq!(is_exhaustive(&extents, &strides), has_no_gaps(extents, strides), "{extents:?} {strides:?}");
            }
        }
    }

    #[test]
    fn large_strides_do_not_overflow() {
        let most = isize::MAX.cast_unsigned();
        assert!(is_exhaustive(&[most], &[1]));
        assert!(!is_exhaustive(&[2, 1], &[isize::MIN, 1]));
        assert!(is_exhaustive(&[1, 1], &[isize::MIN, isize::MAX]));
    }
}

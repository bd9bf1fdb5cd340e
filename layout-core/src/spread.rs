//! Spreading the bits of a number.

/// The steps that spread bits so that each bit is followed by `rank - 1` other bits.
pub(crate) struct Spread {
    /// For each step, which moves groups of half as many bits as the step before: the distance by which upper halves
    /// move, and the mask of the bits after the step.
    steps: [(u32, usize); 5],
    /// The mask of the bits after the last step.
    #[cfg_attr(
        not(target_feature = "bmi2"),
        allow(dead_code, reason = "for an instruction that not all processors have")
    )]
    mask: usize,
}

impl Spread {
    pub(crate) const fn by(rank: usize) -> Self {
        // Without dimensions there are no bits to spread.
        let rank = if rank == 0 { 1 } else { rank };
        let mut steps = [(0, usize::MAX); 5];
        // The first step moves the upper half of the bits that have room.
        let mut group = (usize::BITS as usize / rank).next_power_of_two() / 2;
        let mut step = 0;
        while rank > 1 && group > 0 {
            #[expect(clippy::cast_possible_truncation, reason = "less than the bits of a `usize`")]
            let distance = (group * (rank - 1)) as u32;
            steps[step] = (distance, mask(group, rank));
            group /= 2;
            step += 1;
        }
        Self { steps, mask: mask(1, rank) }
    }
}

/// A mask of groups of `group` bits, each followed by `rank - 1` times as many other bits.
const fn mask(group: usize, rank: usize) -> usize {
    let mut mask = 0;
    let mut bit = 0;
    while bit < usize::BITS as usize {
        if (bit / group).is_multiple_of(rank) {
            mask |= 1 << bit;
        }
        bit += 1;
    }
    mask
}

impl Spread {
    /// Spreads bits: bit `k` becomes bit `k * rank`. Bits without room are dropped.
    #[cfg(all(target_arch = "x86_64", target_pointer_width = "64", target_feature = "bmi2"))]
    #[inline(always)]
    pub(crate) fn spread(&'static self, number: usize) -> usize {
        // SAFETY: the target has the instruction.
        let spread = unsafe { core::arch::x86_64::_pdep_u64(number as u64, self.mask as u64) };
        #[expect(clippy::cast_possible_truncation, reason = "`usize` has 64 bits here")]
        return spread as usize;
    }

    /// Spreads bits: bit `k` becomes bit `k * rank`. Bits without room are dropped.
    #[cfg(not(all(target_arch = "x86_64", target_pointer_width = "64", target_feature = "bmi2")))]
    #[inline(always)]
    pub(crate) fn spread(&'static self, number: usize) -> usize {
        self.in_steps(number)
    }

    /// The same as [`spread`](Self::spread), for processors without an instruction for it.
    #[cfg_attr(target_feature = "bmi2", allow(dead_code, reason = "there is an instruction"))]
    #[inline(always)]
    fn in_steps(&'static self, number: usize) -> usize {
        self.steps.iter().fold(number, |bits, (distance, mask)| (bits | bits << distance) & mask)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_spread_by_each_rank() {
        static SPREADS: [Spread; 9] = {
            let mut spreads = [const { Spread::by(0) }; 9];
            let mut rank = 0;
            while rank < 9 {
                spreads[rank] = Spread::by(rank);
                rank += 1;
            }
            spreads
        };
        for (rank, how) in SPREADS.iter().enumerate().skip(1) {
            let bits = usize::BITS as usize / rank;
            for number in [1, 2, 3, 0b1011, 0x5A5A_A5A5, 0x0123_4567, 0x89AB_CDEF, usize::MAX] {
                let number = if bits == usize::BITS as usize { number } else { number & ((1 << bits) - 1) };
                let one_by_one = (0..bits).fold(0, |spread, bit| spread | (number >> bit & 1) << (bit * rank));
                assert_eq!(how.in_steps(number), one_by_one, "{number:#x} by {rank}");
                assert_eq!(how.spread(number), one_by_one, "{number:#x} by {rank}");
            }
        }
    }
}

//! The algorithm that LLAMA has for bit-packed values, written by hand: one value at a time, from the word of 32 bits that
//! it starts in and, if need be, the next.
#![allow(clippy::cast_possible_truncation, reason = "rests of divisions by 32")]

/// Words of 32 bits with values of `bits` bits each, as LLAMA has them.
pub(crate) struct Words {
    words: Vec<u32>,
}

impl Words {
    pub(crate) fn new(count: usize, bits: u32) -> Self {
        Self { words: vec![0; (count * bits as usize).div_ceil(32)] }
    }

    #[inline(always)]
    fn mask(bits: u32) -> u32 {
        u32::MAX >> (32 - bits)
    }

    /// Value `i`, without sign.
    #[inline(always)]
    pub(crate) fn get(&self, i: usize, bits: u32) -> u32 {
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
    pub(crate) fn get_signed(&self, i: usize, bits: u32) -> i32 {
        let value = self.get(i, bits);
        let sign = 1 << (bits - 1);
        (if value & sign == 0 { value } else { value | !Self::mask(bits) }).cast_signed()
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, i: usize, bits: u32, value: u32) {
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
pub(crate) fn repack(bits: u32, from: (u32, u32), to: (u32, u32)) -> u32 {
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

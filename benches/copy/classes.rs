//! The copied data: records of several sizes, and the loops that one writes by hand for them.

use layout::Record;

/// Seven leaves of four bytes, without a gap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
pub(crate) struct Particle {
    pub(crate) pos: [f32; 3],
    pub(crate) vel: [f32; 3],
    pub(crate) mass: f32,
}

/// A record that ends in padding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
pub(crate) struct Padded {
    pub(crate) time: f64,
    pub(crate) value: f32,
    pub(crate) flag: u8,
}

/// Pixels.
pub(crate) type Rgb = [u8; 3];
pub(crate) type DeepRgb = [u16; 3];
pub(crate) type FloatRgb = [f32; 3];

/// Seven leaves of one size each.
pub(crate) type Bytes = [u8; 7];
pub(crate) type Halves = [u16; 7];
pub(crate) type Doubles = [f64; 7];
pub(crate) type Wide = [u128; 7];

/// More leaves of one size, and as many as the compiler copies in vectors.
pub(crate) type EightBytes = [u8; 8];
pub(crate) type SixDoubles = [f64; 6];
pub(crate) type DozenWide = [u128; 12];
pub(crate) type Pixel = [u8; 16];
pub(crate) type Dozen = [f32; 12];
pub(crate) type Many = [f32; 32];

/// A record of which each element is different.
pub(crate) trait Sample: Record + PartialEq + Default {
    fn sample(i: usize) -> Self;
}

#[expect(clippy::cast_possible_truncation, reason = "the low bits are as good as any")]
fn number(i: usize, leaf: usize) -> u8 {
    (i * 31 + (i >> 8) + leaf * 7) as u8
}

impl Sample for Particle {
    fn sample(i: usize) -> Self {
        let of = |leaf: usize| f32::from(number(i, leaf));
        Self { pos: [0, 1, 2].map(of), vel: [3, 4, 5].map(of), mass: of(6) }
    }
}

impl Sample for Padded {
    fn sample(i: usize) -> Self {
        Self { time: f64::from(number(i, 0)), value: f32::from(number(i, 1)), flag: number(i, 2) }
    }
}

macro_rules! arrays {
    ($([$number:ty; $len:literal])+) => {$(
        impl Sample for [$number; $len] {
            fn sample(i: usize) -> Self {
                core::array::from_fn(|leaf| <$number>::from(number(i, leaf)))
            }
        }
    )+};
}
arrays! { [u8; 3] [u16; 3] [f32; 3] [u8; 7] [u16; 7] [f64; 7] [u128; 7] [u8; 16] [f32; 12] [f32; 32] [u8; 8] [f64; 6] [u128; 12] }

impl Sample for f32 {
    fn sample(i: usize) -> Self {
        f32::from(number(i, 0))
    }
}

impl Sample for f64 {
    fn sample(i: usize) -> Self {
        f64::from(number(i, 0))
    }
}

pub(crate) use crate::event::{Event20, Event100};

impl Sample for Event20 {
    fn sample(i: usize) -> Self {
        crate::event::event20(i)
    }
}

impl Sample for Event100 {
    fn sample(i: usize) -> Self {
        crate::event::event100(i)
    }
}

/// Loops over typed rows. Columns are arguments of their own, so that the compiler knows that they do not overlap.
pub(crate) mod hand {
    /// A row of particles, and a column.
    pub(crate) type Row = [f32; 7];
    /// A block of `L` particles.
    pub(crate) type Block<const L: usize> = [[f32; L]; 7];

    macro_rules! columns {
        ($name:ident, $back:ident: $($c:ident $k:literal)+) => {
            #[inline(never)]
            pub(crate) fn $name(rows: &[Row], [$($c),+]: [&mut [f32]; 7]) {
                #[expect(clippy::too_many_arguments, reason = "the compiler knows of arguments that they do not overlap")]
                #[inline(always)]
                fn columns(rows: &[Row], $($c: &mut [f32]),+) {
                    let n = rows.len();
                    $(let $c = &mut $c[..n];)+
                    for i in 0..n {
                        $($c[i] = rows[i][$k];)+
                    }
                }
                columns(rows, $($c),+);
            }

            #[inline(never)]
            pub(crate) fn $back(rows: &mut [Row], [$($c),+]: [&[f32]; 7]) {
                let n = rows.len();
                $(let $c = &$c[..n];)+
                for (i, row) in rows.iter_mut().enumerate() {
                    *row = [$($c[i]),+];
                }
            }
        };
    }
    columns! { to_columns, from_columns: a 0 b 1 c 2 d 3 e 4 f 5 g 6 }

    /// Rows to blocks, and back.
    #[inline(never)]
    pub(crate) fn to_blocks<const L: usize>(rows: &[Row], blocks: &mut [Block<L>]) {
        for (rows, block) in rows.as_chunks::<L>().0.iter().zip(blocks) {
            for (leaf, run) in block.iter_mut().enumerate() {
                *run = rows.each_ref().map(|row| row[leaf]);
            }
        }
    }

    #[inline(never)]
    pub(crate) fn from_blocks<const L: usize>(rows: &mut [Row], blocks: &[Block<L>]) {
        for (rows, block) in rows.as_chunks_mut::<L>().0.iter_mut().zip(blocks) {
            for (lane, row) in rows.iter_mut().enumerate() {
                *row = block.each_ref().map(|run| run[lane]);
            }
        }
    }

    /// Columns to blocks, and back.
    #[inline(never)]
    pub(crate) fn columns_to_blocks<const L: usize>(columns: [&[f32]; 7], blocks: &mut [Block<L>]) {
        let columns = columns.map(|column| column.as_chunks::<L>().0);
        for (k, block) in blocks.iter_mut().enumerate() {
            for (run, column) in block.iter_mut().zip(&columns) {
                *run = column[k];
            }
        }
    }

    #[inline(never)]
    pub(crate) fn blocks_to_columns<const L: usize>(blocks: &[Block<L>], columns: [&mut [f32]; 7]) {
        let mut columns = columns.map(|column| column.as_chunks_mut::<L>().0);
        for (k, block) in blocks.iter().enumerate() {
            for (run, column) in block.iter().zip(&mut columns) {
                column[k] = *run;
            }
        }
    }

    /// Blocks of 8 to blocks of 32.
    #[inline(never)]
    pub(crate) fn blocks_to_blocks(from: &[Block<8>], to: &mut [Block<32>]) {
        for (four, block) in from.as_chunks::<4>().0.iter().zip(to) {
            for (leaf, run) in block.iter_mut().enumerate() {
                for (quarter, from) in run.as_chunks_mut::<8>().0.iter_mut().zip(four) {
                    *quarter = from[leaf];
                }
            }
        }
    }

    /// A square matrix transposed, in blocks: along rows of the target, and along those of the source.
    #[inline(never)]
    pub(crate) fn transpose<T: Copy, const ALONG_TARGET: bool>(from: &[T], to: &mut [T], n: usize) {
        const BLOCK: usize = 32;
        for i in (0..n).step_by(BLOCK) {
            for j in (0..n).step_by(BLOCK) {
                for k in i..i + BLOCK {
                    if ALONG_TARGET {
                        let row = &mut to[k * n + j..][..BLOCK];
                        for (l, value) in row.iter_mut().enumerate() {
                            *value = from[(j + l) * n + k];
                        }
                    } else {
                        let row = &from[k * n + j..][..BLOCK];
                        for (l, value) in row.iter().enumerate() {
                            to[(j + l) * n + k] = *value;
                        }
                    }
                }
            }
        }
    }
}

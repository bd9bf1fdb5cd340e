//! Vectors by hand: one for each leaf with one check of the capacity, and one of blocks.

use crate::Vector;
use crate::heavier;
use crate::kernels::{Particle, TIME_STEP};
use crate::peers::{leaves, particle};

/// A `Vec` for each leaf. All have room for as many, so that one is asked.
#[derive(Default)]
pub(crate) struct Columns {
    /// Their lengths are set where they grow.
    columns: [Vec<f32>; 7],
    len: usize,
}

impl Columns {
    #[inline(always)]
    fn reserve(&mut self, additional: usize) {
        if additional > self.columns[0].capacity() - self.len {
            self.grow(additional);
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, additional: usize) {
        let capacity = (self.len + additional).max(2 * self.len).max(8);
        for column in &mut self.columns {
            // SAFETY: as many values were written.
            unsafe { column.set_len(self.len) };
            column.reserve_exact(capacity - self.len);
        }
    }

    /// Writes a particle for which there is room.
    #[inline(always)]
    fn write(columns: &mut [*mut f32; 7], len: &mut usize, p: &Particle) {
        for (column, value) in columns.iter().zip(leaves(p)) {
            // SAFETY: callers made room in every column.
            let place = unsafe { column.add(*len) };
            // SAFETY: as above.
            unsafe { place.write(value) };
        }
        *len += 1;
    }

    fn pointers(&mut self) -> [*mut f32; 7] {
        self.columns.each_mut().map(Vec::as_mut_ptr)
    }

    fn slices(&mut self) -> [&mut [f32]; 7] {
        self.columns.each_mut().map(|column| {
            // SAFETY: as many values were written.
            unsafe { column.set_len(self.len) };
            &mut column[..]
        })
    }
}

impl Vector for Columns {
    fn with_room(count: usize) -> Self {
        Self { columns: core::array::from_fn(|_| Vec::with_capacity(count)), len: 0 }
    }

    fn clear(&mut self) {
        self.len = 0;
    }

    #[inline(always)]
    fn push(&mut self, p: Particle) {
        self.reserve(1);
        let mut columns = self.pointers();
        Self::write(&mut columns, &mut self.len, &p);
    }

    fn extend(&mut self, from: &[Particle]) {
        self.reserve(from.len());
        let (mut columns, mut len) = (self.pointers(), self.len);
        heavier(from).for_each(|p| Self::write(&mut columns, &mut len, &p));
        self.len = len;
    }

    fn extend_from_slice(&mut self, from: &[Particle]) {
        self.reserve(from.len());
        let (mut columns, mut len) = (self.pointers(), self.len);
        from.iter().for_each(|p| Self::write(&mut columns, &mut len, p));
        self.len = len;
    }

    fn retain(&mut self, keep: impl Fn(f32) -> bool) {
        let columns = self.pointers();
        let mut kept = 0;
        for i in 0..self.len {
            // SAFETY: all columns have as many values.
            let at = columns.map(|column| unsafe { column.add(i) });
            // SAFETY: as above.
            if keep(unsafe { at[6].read() }) {
                if kept != i {
                    for (column, at) in columns.iter().zip(at) {
                        // SAFETY: no more are kept than there are.
                        let place = unsafe { column.add(kept) };
                        // SAFETY: as above.
                        let value = unsafe { at.read() };
                        // SAFETY: as above.
                        unsafe { place.write(value) };
                    }
                }
                kept += 1;
            }
        }
        self.len = kept;
    }

    fn advance(&mut self) {
        let [x, y, z, vx, vy, vz, _] = self.slices();
        for (((((x, y), z), vx), vy), vz) in x.iter_mut().zip(y).zip(z).zip(vx).zip(vy).zip(vz) {
            *x += *vx * TIME_STEP;
            *y += *vy * TIME_STEP;
            *z += *vz * TIME_STEP;
        }
    }

    fn all(&self) -> Vec<Particle> {
        let columns = self.columns.each_ref().map(|column| column.as_ptr());
        let value = |i: usize, column: *const f32| {
            // SAFETY: as many values were written.
            let place = unsafe { column.add(i) };
            // SAFETY: as above.
            unsafe { place.read() }
        };
        (0..self.len).map(|i| particle(columns.map(|column| value(i, column)))).collect()
    }
}

/// The lanes of a block.
const L: usize = 16;

/// Blocks of 16 particles, leaf by leaf.
#[derive(Default)]
pub(crate) struct Blocks {
    blocks: Vec<[[f32; L]; 7]>,
    len: usize,
}

impl Blocks {
    /// Makes room for `additional` particles.
    #[inline(always)]
    fn reserve(&mut self, additional: usize) {
        if additional > L * self.blocks.len() - self.len {
            let blocks = (self.len + additional).div_ceil(L);
            self.blocks.resize(blocks, [[0.0; L]; 7]);
        }
    }

    /// The number at which a value lies in the blocks seen as one slice.
    #[inline(always)]
    const fn place(i: usize, leaf: usize) -> usize {
        i / L * (7 * L) + leaf * L + i % L
    }

    /// Writes a particle for which there is room.
    #[inline(always)]
    fn write(values: *mut f32, i: usize, p: &Particle) {
        for (leaf, value) in leaves(p).into_iter().enumerate() {
            // SAFETY: callers made room.
            let place = unsafe { values.add(Self::place(i, leaf)) };
            // SAFETY: as above.
            unsafe { place.write(value) };
        }
    }

    /// Particles block by block, after those that complete one.
    #[inline(always)]
    fn extend_by_blocks(&mut self, from: &[Particle]) {
        self.reserve(from.len());
        let values = self.blocks.as_mut_ptr().cast::<f32>();
        let (head, from) = from.split_at((self.len.next_multiple_of(L) - self.len).min(from.len()));
        for p in head {
            Self::write(values, self.len, p);
            self.len += 1;
        }
        let (whole, rest) = from.as_chunks::<L>();
        let first = self.len / L;
        for (block, from) in self.blocks[first..].iter_mut().zip(whole) {
            for (lane, p) in from.iter().enumerate() {
                for (leaf, value) in leaves(p).into_iter().enumerate() {
                    block[leaf][lane] = value;
                }
            }
        }
        self.len += L * whole.len();
        for p in rest {
            Self::write(values, self.len, p);
            self.len += 1;
        }
    }
}

impl Vector for Blocks {
    fn with_room(count: usize) -> Self {
        Self { blocks: vec![[[0.0; L]; 7]; count.div_ceil(L)], len: 0 }
    }

    fn clear(&mut self) {
        self.len = 0;
    }

    #[inline(always)]
    fn push(&mut self, p: Particle) {
        self.reserve(1);
        Self::write(self.blocks.as_mut_ptr().cast(), self.len, &p);
        self.len += 1;
    }

    fn extend(&mut self, from: &[Particle]) {
        // An iterator gives one particle after another, and no blocks.
        self.reserve(from.len());
        let (values, mut len) = (self.blocks.as_mut_ptr().cast::<f32>(), self.len);
        heavier(from).for_each(|p| {
            Self::write(values, len, &p);
            len += 1;
        });
        self.len = len;
    }

    fn extend_from_slice(&mut self, from: &[Particle]) {
        self.extend_by_blocks(from);
    }

    fn retain(&mut self, keep: impl Fn(f32) -> bool) {
        let values = self.blocks.as_mut_ptr().cast::<f32>();
        let mut kept = 0;
        for i in 0..self.len {
            // SAFETY: there are as many particles.
            let at = |leaf| unsafe { values.add(Self::place(i, leaf)) };
            // SAFETY: as above.
            if keep(unsafe { at(6).read() }) {
                if kept != i {
                    // SAFETY: as above.
                    Self::write(values, kept, &particle(core::array::from_fn(|leaf| unsafe { at(leaf).read() })));
                }
                kept += 1;
            }
        }
        self.len = kept;
    }

    fn advance(&mut self) {
        for block in &mut self.blocks[..self.len.div_ceil(L)] {
            // The whole block, also where particles end within it.
            let [x, y, z, vx, vy, vz, _] = block;
            for (at, velocity) in [(x, vx), (y, vy), (z, vz)] {
                for lane in 0..L {
                    at[lane] += velocity[lane] * TIME_STEP;
                }
            }
        }
    }

    fn all(&self) -> Vec<Particle> {
        (0..self.len).map(|i| particle(core::array::from_fn(|leaf| self.blocks[i / L][leaf][i % L]))).collect()
    }
}

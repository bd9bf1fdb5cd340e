//! Memory that is watched, and how much of it no cache holds.

use bytemuck::{Pod, Zeroable};

/// A byte that no test writes by chance.
pub const PATTERN: u8 = 0xa5;

/// So many bytes that no cache holds them, for the copies: the next block is fetched ahead.
pub const FAR: usize = 10 << 20;

/// Bytes at a multiple of 128 plus an offset, each the pattern at first.
pub struct Buffer {
    lines: Vec<Line>,
    offset: usize,
    len: usize,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(128))]
struct Line([u8; 128]);

impl Buffer {
    /// A buffer of `len` bytes, `offset` after a multiple of 128.
    #[must_use]
    pub fn at(offset: usize, len: usize) -> Self {
        Self { lines: vec![Line([PATTERN; 128]); (offset + len).div_ceil(128)], offset, len }
    }

    /// Its bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.lines)[self.offset..][..self.len]
    }

    /// Its bytes, to write.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.lines)[self.offset..][..self.len]
    }
}

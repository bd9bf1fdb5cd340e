//! Memory that is watched.

use bytemuck::{Pod, Zeroable};

/// What no test writes by chance.
pub(crate) const PATTERN: u8 = 0xa5;

/// Bytes at a multiple of 128 plus an offset, each the pattern at first.
pub(crate) struct Buffer {
    lines: Vec<Line>,
    offset: usize,
    len: usize,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(128))]
struct Line([u8; 128]);

impl Buffer {
    pub(crate) fn at(offset: usize, len: usize) -> Self {
        Self { lines: vec![Line([PATTERN; 128]); (offset + len).div_ceil(128)], offset, len }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.lines)[self.offset..][..self.len]
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.lines)[self.offset..][..self.len]
    }
}

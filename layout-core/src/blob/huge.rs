//! Owned memory in huge pages.

use core::alloc::Layout;
use core::fmt;

use alloc::alloc::handle_alloc_error;
use memmap2::MmapMut;

use super::bytes::{Bytes, BytesMut};
use super::heap::Allocate;
use crate::error::ViewError;

/// Owned memory of zero, aligned to 2 MiB, for which the operating system is asked to use huge pages.
///
/// The processor keeps the addresses of few pages at hand. A kernel that accesses elements in random order, or many columns
/// at once, needs one entry for 2 MiB instead of one for 4 KiB. Use [`Heap`](super::Heap) for views of less than a few MiB.
///
/// On Linux, the memory is marked by `madvise(MADV_HUGEPAGE)`. If the system has no huge pages, or if it is not Linux, the
/// memory has pages of the usual size.
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
/// use layout::blob::HugePages;
///
/// let mut grid = f64::alloc_in::<SoA, HugePages>([1000, 1000])?;
/// grid.set([3, 4], 2.0);
/// assert_eq!(grid.blob_bytes(0).as_ptr().addr() % HugePages::SIZE, 0);
/// # Ok::<(), ViewError>(())
/// ```
pub struct HugePages {
    map: MmapMut,
    /// The distance of the first byte from the start of the map.
    skipped: usize,
    len: usize,
    align: usize,
}

impl HugePages {
    /// The size of a huge page, to which the memory is aligned: 2 MiB.
    pub const SIZE: usize = 2 << 20;
}

impl Allocate for HugePages {
    fn zeroed(size: usize, align: usize) -> Result<Self, ViewError> {
        if !align.is_power_of_two() {
            return Err(ViewError::Alignment { align });
        }
        let align = align.max(Self::SIZE);
        // Whole pages, the first of which starts at a multiple of the alignment. What is never touched takes no memory.
        let pages = size.checked_next_multiple_of(Self::SIZE);
        let whole = pages.and_then(|pages| pages.checked_add(align)).filter(|whole| isize::try_from(*whole).is_ok());
        let map =
            whole.and_then(|whole| MmapMut::map_anon(whole).ok()).ok_or(ViewError::OutOfMemory { bytes: size })?;
        // A system without huge pages refuses the advice, and the memory is good all the same.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        let skipped = map.as_ptr().align_offset(align);
        Ok(Self { map, skipped, len: size, align })
    }
}

// SAFETY: the map has the bytes from `skipped` on, initialized; it belongs to nobody else, and stays where it is when
// the value is moved.
unsafe impl Bytes for HugePages {
    const MUTABLE: bool = true;
    const OWNED: bool = true;

    #[cfg_attr(not(unoptimized), inline(always))]
    fn as_ptr(&self) -> *const u8 {
        self.map.as_ptr().wrapping_add(self.skipped)
    }

    fn len(&self) -> usize {
        self.len
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn kept_align(&self) -> usize {
        self.align
    }
}

// SAFETY: the map is owned, so that a mutable borrow of the value excludes all others.
unsafe impl BytesMut for HugePages {
    #[cfg_attr(not(unoptimized), inline(always))]
    fn as_mut_ptr(&mut self) -> *mut u8 {
        self.map.as_mut_ptr().wrapping_add(self.skipped)
    }
}

impl Clone for HugePages {
    fn clone(&self) -> Self {
        let Ok(mut copy) = Self::zeroed(self.len, self.align) else {
            handle_alloc_error(Layout::from_size_align(self.len, 1).unwrap_or(Layout::new::<u8>()));
        };
        let (from, to) = (self.skipped..self.skipped + self.len, copy.skipped..copy.skipped + self.len);
        copy.map[to].copy_from_slice(&self.map[from]);
        copy
    }
}

impl fmt::Debug for HugePages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HugePages").field("len", &self.len).finish_non_exhaustive()
    }
}

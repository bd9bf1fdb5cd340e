//! Mapped files of the program.

use layout_core::{Bytes, BytesMut};
use memmap2::{Mmap, MmapMut};

/// A file that the program mapped into memory, as memory of a store.
///
/// # Examples
///
/// ```
/// use layout::AoS;
/// use layout::store::{DimOrdering, FileBytes, Runtime};
///
/// let mut map = memmap2::MmapMut::map_anon(4 * 8)?;
/// map[..8].copy_from_slice(&2.5_f64.to_ne_bytes());
/// let rt = Runtime::new()?;
/// let attached = rt.attach::<f64, AoS, _, _>(4, &DimOrdering::C, FileBytes(map))?;
/// attached.store().slice(0, 1, None)?.fill(1.0)?;
/// assert_eq!(attached.store().to_vec()?, [2.5, 1.0, 1.0, 1.0]);
/// attached.detach()?.0.flush()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct FileBytes<M>(pub M);

macro_rules! maps {
    ($map:ty, $mutable:literal) => {
        // SAFETY: a map is initialized bytes, which lie elsewhere and stay there. That nobody changes the file meanwhile is what
        // whoever made the map promised.
        unsafe impl Bytes for FileBytes<$map> {
            const MUTABLE: bool = $mutable;

            fn as_ptr(&self) -> *const u8 {
                self.0.as_ref().as_ptr()
            }

            fn len(&self) -> usize {
                self.0.as_ref().len()
            }
        }
    };
}

maps!(Mmap, false);
maps!(MmapMut, true);

// SAFETY: a mutable borrow of the value is one of the map.
unsafe impl BytesMut for FileBytes<MmapMut> {
    fn as_mut_ptr(&mut self) -> *mut u8 {
        self.0.as_mut_ptr()
    }
}

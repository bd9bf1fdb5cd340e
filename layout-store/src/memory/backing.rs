//! The memory of the elements of a store: main memory, a file, or memory of the program.

use core::any::Any;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use layout_core::{Bytes, BytesMut, Heap};
use memmap2::MmapMut;

use super::{Budget, Charge, MemoryError};
use crate::sync::{Condvar, Mutex};

/// The place of the elements of a store.
///
/// # Examples
///
/// A store in a file may be larger than main memory:
///
/// ```
/// use layout::store::{DimOrdering, Runtime, Store, StoreTarget};
///
/// let rt = Runtime::builder().memory_limit(1 << 20).build()?;
/// let large = 1 << 28;
/// let error = rt.create::<f64, layout::AoS, _>(large).unwrap_err().to_string();
/// assert_eq!(error, "2147483648 bytes of memory are needed; allowed are 1048576, of which 0 are in use");
/// let folder = StoreTarget::File(std::env::temp_dir());
/// let store: Store<f64, _> = rt.create_in(large, &DimOrdering::C, &folder)?;
/// store.slice(0, -10, None)?.fill(1.0)?;
/// assert_eq!(store.get([large - 1])?, 1.0);
/// # Ok::<(), layout::store::StoreError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreTarget {
    /// Main memory.
    #[default]
    Main,
    /// A file without a name in this folder, mapped into memory; it is removed with the store. It takes disk space when elements are
    /// written: if there is none left then, the system ends the process, as for any mapped file.
    File(PathBuf),
}

/// The owner of the memory of a region. It is not accessed while a hold exists.
pub(crate) enum Memory {
    Main {
        heap: Heap,
        _charge: Charge,
    },
    /// A few bytes in the region itself.
    Within {
        _charge: Charge,
    },
    File {
        map: MmapMut,
        /// The byte of the map at which the memory of the store starts.
        start: usize,
        folder: PathBuf,
    },
    Given(Box<dyn Any + Send>),
}

/// Takes memory of the program, to read, or to read and write.
pub(crate) type Take<B> = fn(B) -> (Memory, *mut u8);

impl Memory {
    /// `size` zero bytes, aligned to `align`, and their address.
    pub(super) fn new(
        target: &StoreTarget,
        (size, align): (usize, usize),
        budget: &Arc<Budget>,
    ) -> Result<(Self, *mut u8), MemoryError> {
        match target {
            StoreTarget::Main => {
                let charge = charge(size, budget)?;
                let heap = Heap::zeroed(size, align)?;
                let base = heap.as_ptr().cast_mut();
                Ok((Self::Main { heap, _charge: charge }, base))
            }
            StoreTarget::File(folder) => {
                // A map starts at the start of a page, whose alignment may be that of the smallest page.
                let size = size.saturating_add(align.saturating_sub(PAGE));
                let mut map = mapped(folder, size).map_err(|error| MemoryError::File {
                    folder: folder.clone(),
                    size,
                    why: error.to_string(),
                })?;
                let start = map.as_ptr().align_offset(align);
                let base = map[start..].as_mut_ptr();
                Ok((Self::File { map, start, folder: folder.clone() }, base))
            }
        }
    }

    /// `size` bytes in the region itself, which knows their address.
    pub(super) fn within(size: usize, budget: &Arc<Budget>) -> Result<(Self, *mut u8), MemoryError> {
        Ok((Self::Within { _charge: charge(size, budget)? }, core::ptr::null_mut()))
    }

    /// The address of the memory, to read; `None` if the memory is the program's, or in the region itself.
    pub(crate) fn own(&self) -> Option<*const u8> {
        match self {
            Self::Main { heap, .. } => Some(heap.as_ptr()),
            Self::File { map, start, .. } => Some(map[*start..].as_ptr()),
            Self::Within { .. } | Self::Given(_) => None,
        }
    }

    /// The place of the memory; `None` if the memory is the program's.
    pub(super) fn target(&self) -> Option<StoreTarget> {
        match self {
            Self::Main { .. } | Self::Within { .. } => Some(StoreTarget::Main),
            Self::File { folder, .. } => Some(StoreTarget::File(folder.clone())),
            Self::Given(_) => None,
        }
    }

    /// Memory of the program, to read.
    pub(crate) fn given<B: Bytes + Send + 'static>(memory: B) -> (Self, *mut u8) {
        let memory = Box::new(memory);
        let base = memory.as_ptr().cast_mut();
        (Self::Given(memory), base)
    }

    /// Memory of the program, to read and write.
    pub(crate) fn given_mut<B: BytesMut + Send + 'static>(memory: B) -> (Self, *mut u8) {
        let mut memory = Box::new(memory);
        let base = memory.as_mut_ptr();
        (Self::Given(memory), base)
    }
}

/// Memory that a call of the program lends to a store; see [`lend`].
pub(crate) struct Lent {
    start: *mut u8,
    len: usize,
    gone: Arc<Gone>,
}

/// Tells when lent memory is no longer in use.
#[derive(Default)]
struct Gone {
    is: Mutex<bool>,
    wake: Condvar,
}

/// Lends memory of the program to `f`, which may hand it on. Returns, or goes on with a panic, when nobody has it any more.
pub(crate) fn lend<B: BytesMut + Send, T>(memory: &mut B, f: impl FnOnce(Lent) -> T) -> T {
    /// Waits when it is dropped, also during a panic.
    struct Wait(Arc<Gone>);

    impl Drop for Wait {
        fn drop(&mut self) {
            let mut gone = self.0.is.lock();
            while !*gone {
                self.0.wake.wait(&mut gone);
            }
        }
    }

    let gone = Arc::<Gone>::default();
    let _wait = Wait(gone.clone());
    f(Lent { start: memory.as_mut_ptr(), len: memory.len(), gone })
}

impl Drop for Lent {
    fn drop(&mut self) {
        *self.gone.is.lock() = true;
        self.gone.wake.notify_all();
    }
}

// SAFETY: it stands for a mutable borrow of a value that is `Send`, as `lend` asks.
unsafe impl Send for Lent {}

// SAFETY: the bytes are those of a value that keeps the promises of `Bytes`, which lies elsewhere, and is borrowed mutably by
// `lend` until this is dropped: nobody else changes or moves them meanwhile.
unsafe impl Bytes for Lent {
    const MUTABLE: bool = true;

    fn as_ptr(&self) -> *const u8 {
        self.start
    }

    fn len(&self) -> usize {
        self.len
    }
}

// SAFETY: the address comes from a mutable borrow, and a mutable borrow of this is the only way to it.
unsafe impl BytesMut for Lent {
    fn as_mut_ptr(&mut self) -> *mut u8 {
        self.start
    }
}

/// So many bytes of main memory are never refused, so that locales need not agree on each scalar, or on each element that they show.
pub(crate) const FEW_BYTES: usize = 64;

/// Counts main memory of a store.
fn charge(size: usize, budget: &Arc<Budget>) -> Result<Charge, MemoryError> {
    if size <= FEW_BYTES { Ok(budget.count(size)) } else { budget.charge(size) }
}

/// The smallest size of a page, in bytes.
const PAGE: usize = 4096;

/// A new file without a name, of `size` zero bytes.
fn mapped(folder: &Path, size: usize) -> std::io::Result<MmapMut> {
    let file = tempfile::tempfile_in(folder)?;
    file.set_len(u64::try_from(size).unwrap_or(u64::MAX).max(1))?;
    // SAFETY: the file has no name, so that nobody else can open it and change or shorten it.
    unsafe { MmapMut::map_mut(&file) }
}

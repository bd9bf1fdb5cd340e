//! Memory that Arrow and views share: columns of containers as buffers, and buffers as blobs of views.

use core::fmt;
use std::sync::Arc;

use arrow_buffer::Buffer;
use layout_core::{Bytes, Heap, Mapped, Record, RecordLayout, RecordVec, View, ViewError, extents};
use layout_mappings::AoS;

/// A column of a vector, which keeps the whole vector.
struct SharedColumn<R: Record, L: RecordLayout<R>> {
    vec: Arc<RecordVec<R, L>>,
    leaf: usize,
}

impl<R: Record, L: RecordLayout<R>> AsRef<[u8]> for SharedColumn<R, L> {
    fn as_ref(&self) -> &[u8] {
        self.vec.column_bytes(self.leaf).unwrap_or(&[])
    }
}

/// The bytes of a leaf of all records as a buffer, without a copy. The last buffer frees the vector. The column must be contiguous.
pub(super) fn shared<R: Record, L: RecordLayout<R>>(vec: &Arc<RecordVec<R, L>>, leaf: usize) -> Buffer {
    Buffer::from(bytes::Bytes::from_owner(SharedColumn { vec: Arc::clone(vec), leaf }))
}

/// A column of a record batch, as a blob of a view: the batch's own buffer, or a copy if the values had to be converted or aligned.
///
/// # Examples
///
/// ```
/// use layout::interop::arrow::{Arrays, BatchError, Nulls, as_view, into_batch};
/// use layout::prelude::*;
///
/// let batch = into_batch(RecordVec::<[u16; 2], SoA>::from(&[[1, 2], [3, 4]]), Arrays::Fields)?;
/// let columns = as_view::<[u16; 2]>(&batch, Nulls::Reject)?.into_blobs().into_inner();
/// assert_eq!((columns.len(), columns[0].is_shared()), (2, true));
/// # Ok::<(), BatchError>(())
/// ```
pub struct BatchColumn(Memory);

enum Memory {
    Shared(Buffer),
    Copied(Heap),
}

impl BatchColumn {
    pub(super) fn new(buffer: Buffer) -> Self {
        Self(Memory::Shared(buffer))
    }

    /// A column of `size` bytes aligned to `align`. `write` fills the bytes, which are zero before.
    pub(super) fn written(size: usize, align: usize, write: impl FnOnce(&mut [u8])) -> Result<Self, ViewError> {
        let heap = Heap::zeroed(size, align)?;
        // A view of bytes lends them to safe code.
        let mut view = View::from_bytes(Mapped::<u8, _, AoS>::new(extents!(dyn size))?, heap)?;
        write(view.blob_bytes_mut(0));
        Ok(Self(Memory::Copied(view.into_blobs().into_inner())))
    }

    /// Returns `true` if the column is the buffer of the batch, and no copy.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        matches!(self.0, Memory::Shared(_))
    }
}

impl fmt::Debug for BatchColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes, {}", Bytes::len(self), if self.is_shared() { "shared" } else { "copied" })
    }
}

// SAFETY: the bytes of an Arrow buffer are initialized and lie outside it. Nothing writes to them while the buffer lives: `Buffer` lends
// them shared only, and gives them to write (`into_mutable`, `into_vec`) only to the sole owner of the memory, by value. A slice of a
// buffer keeps its address and its length when it moves. `Heap` makes the same promises, and is not lent here to write.
unsafe impl Bytes for BatchColumn {
    const MUTABLE: bool = false;

    fn as_ptr(&self) -> *const u8 {
        match &self.0 {
            Memory::Shared(buffer) => buffer.as_ptr(),
            Memory::Copied(heap) => heap.as_ptr(),
        }
    }

    fn len(&self) -> usize {
        match &self.0 {
            Memory::Shared(buffer) => buffer.len(),
            Memory::Copied(heap) => Bytes::len(heap),
        }
    }
}

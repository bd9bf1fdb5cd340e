//! A list of a fixed capacity on the stack, of which only what is in use is ever written.

use core::mem::MaybeUninit;

/// Up to `N` items.
pub(super) struct List<T, const N: usize> {
    /// The first `len` are initialized.
    items: [MaybeUninit<T>; N],
    len: usize,
}

impl<T: Copy, const N: usize> List<T, N> {
    /// No items; touches no memory.
    #[inline(always)]
    pub(super) const fn new() -> Self {
        Self { items: [const { MaybeUninit::uninit() }; N], len: 0 }
    }

    /// Adds an item, of which there is room for one more.
    #[inline(always)]
    pub(super) fn push(&mut self, item: T) {
        self.items[self.len].write(item);
        self.len += 1;
    }

    /// Whether there is room for one more item.
    #[inline(always)]
    pub(super) const fn has_room(&self) -> bool {
        self.len < N
    }

    #[inline(always)]
    pub(super) fn as_slice(&self) -> &[T] {
        let first: *const T = self.items.as_ptr().cast();
        // SAFETY: the first `len` items are initialized, and no more than `N`.
        unsafe { core::slice::from_raw_parts(first, self.len) }
    }

    #[inline(always)]
    pub(super) fn as_mut_slice(&mut self) -> &mut [T] {
        let first: *mut T = self.items.as_mut_ptr().cast();
        // SAFETY: as in `as_slice`.
        unsafe { core::slice::from_raw_parts_mut(first, self.len) }
    }
}

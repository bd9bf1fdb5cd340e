//! A list of fixed capacity on the stack; only items in use are ever written.

use core::mem::MaybeUninit;

/// Up to `N` items.
pub(super) struct List<T, const N: usize> {
    /// The first `len` items are initialized.
    items: [MaybeUninit<T>; N],
    len: usize,
}

impl<T: Copy, const N: usize> List<T, N> {
    /// A list without items; touches no memory.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) const fn new() -> Self {
        Self { items: [const { MaybeUninit::uninit() }; N], len: 0 }
    }

    /// Adds an item. There must be room for it.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) fn push(&mut self, item: T) {
        self.items[self.len].write(item);
        self.len += 1;
    }

    /// Returns `true` if there is room for one more item.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) const fn has_room(&self) -> bool {
        self.len < N
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) fn as_slice(&self) -> &[T] {
        let first: *const T = self.items.as_ptr().cast();
        // SAFETY: the first `len` items are initialized, and no more than `N`.
        unsafe { core::slice::from_raw_parts(first, self.len) }
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) fn as_mut_slice(&mut self) -> &mut [T] {
        let first: *mut T = self.items.as_mut_ptr().cast();
        // SAFETY: as in `as_slice`.
        unsafe { core::slice::from_raw_parts_mut(first, self.len) }
    }
}

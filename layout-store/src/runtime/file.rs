//! New stores from files.

use std::path::Path;

use layout_core::{Record, RecordLayout};

use super::Runtime;
use crate::error::StoreError;
use crate::geometry::StoreRank;
use crate::ops::npy_header;
use crate::store::Store;

impl Runtime {
    /// Creates a store with the extents and the elements of a `.npy` file, as [`Store::write_npy`] or `numpy.save` writes it; see
    /// [`Store::read_npy`] for the files that can be read. Waits for the elements.
    ///
    /// To have the store distributed, in another order, or in a file, create such a store and call [`Store::read_npy`].
    ///
    /// # Errors
    ///
    /// The errors of [`Store::read_npy`] and of [`create`](Self::create). Returns an error, too, if the file has another number of
    /// dimensions than the rank of the store.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Dim, Runtime, Store, StoreError};
    ///
    /// let path = std::env::temp_dir().join(format!("create-{}.npy", std::process::id()));
    /// // numpy.save(path, numpy.arange(6, dtype=numpy.uint8).reshape(2, 3))
    /// let text = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }";
    /// let header = format!("{text:117}\n");
    /// std::fs::write(&path, [&b"\x93NUMPY\x01\x00\x76\x00"[..], header.as_bytes(), &[0, 1, 2, 3, 4, 5]].concat())?;
    ///
    /// let rt = Runtime::new()?;
    /// let grid: Store<u8, Dim<2>> = rt.create_from_npy(&path)?;
    /// assert_eq!(grid.get([1, 0])?, 3);
    /// let line: Result<Store<u8, Dim<1>>, _> = rt.create_from_npy(&path);
    /// assert!(matches!(line, Err(StoreError::Rank { given: 2, expected: 1 })));
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn create_from_npy<R, D, L>(&self, path: impl AsRef<Path>) -> Result<Store<R, D, L>, StoreError>
    where
        R: Record,
        D: StoreRank,
        L: RecordLayout<R> + Default,
    {
        let header = npy_header::<R>(&self.launcher, "create_from_npy", path.as_ref())?;
        let given = header.extents.len();
        if let Some(expected) = D::RANK.filter(|expected| *expected != given) {
            return Err(StoreError::Rank { given, expected });
        }
        let store = Store::new_in(&self.launcher, header.extents, None)?;
        store.read_npy_after(&header, path.as_ref())?;
        Ok(store)
    }
}

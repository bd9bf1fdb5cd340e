//! Stores whose bytes are read as other records.

use core::any::{TypeId, type_name};

use layout_core::{LeafTable, Record, RecordLayout};
use layout_mappings::{AoS, AoSoA, SoA};

use super::Store;
use crate::error::StoreError;
use crate::geometry::{Sealed, StoreRank};

/// Record layouts in which only the sizes and alignments of leaves decide their positions: `AoS`, `SoA` and `AoSoA`, but not with the order
/// of fields that the compiler chose.
#[diagnostic::on_unimplemented(
    message = "stores in the layout `{Self}` cannot be reinterpreted",
    note = "where leaves lie there may depend on their types; `AoS`, `SoA` and `AoSoA` can be"
)]
pub trait BySize: Sealed {}

impl<P> Sealed for AoS<P> {}
impl<P> BySize for AoS<P> {}
impl<S> Sealed for SoA<S> {}
impl<S> BySize for SoA<S> {}
impl<const L: usize, P> Sealed for AoSoA<L, P> {}
impl<const L: usize, P> BySize for AoSoA<L, P> {}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Store<R, D, L> {
    /// The same elements through the same transform, with their bytes read as records `S`.
    ///
    /// # Errors
    ///
    /// Returns an error if leaves differ in number, size or alignment, or if a leaf, such as `bool`, has invalid bit patterns.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let numbers: Store<f64, _> = rt.create_from([2, 2], &[1.0, 2.0, 3.0, -4.0])?;
    /// let bits: Store<u64, _> = numbers.transpose([1, 0])?.reinterpret_as()?;
    /// assert_eq!(bits.get([1, 0])?, 2.0_f64.to_bits());
    /// bits.fill(1.5_f64.to_bits())?;
    /// assert_eq!(numbers.to_vec()?, [1.5; 4]);
    /// assert_eq!(
    ///     numbers.reinterpret_as::<u32>().unwrap_err().to_string(),
    ///     "records `f64` cannot be taken for `u32`: leaf 0 has 8 bytes aligned to 8, and 4 bytes aligned to 4"
    /// );
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    pub fn reinterpret_as<S>(&self) -> Result<Store<S, D, L>, StoreError>
    where
        S: Record,
        L: RecordLayout<S> + BySize,
    {
        let (from, to) = (LeafTable::of::<R>(), LeafTable::of::<S>());
        let fail = |why| StoreError::Reinterpret { from: type_name::<R>(), to: type_name::<S>(), why };
        if from.count() != to.count() {
            return Err(fail(format!("one has {} leaves, and the other {}", from.count(), to.count())));
        }
        for leaf in 0..from.count() {
            let ((size, align), (new, new_align)) =
                ((from.leaf(leaf).size(), from.leaf(leaf).align()), (to.leaf(leaf).size(), to.leaf(leaf).align()));
            if (size, align) != (new, new_align) {
                return Err(fail(format!(
                    "leaf {leaf} has {size} bytes aligned to {align}, and {new} bytes aligned to {new_align}"
                )));
            }
        }
        if !from.any_bits() || !to.any_bits() {
            return Err(fail("not every pattern of bits is a value of each leaf".to_owned()));
        }
        self.elements.root.storage.accept(TypeId::of::<(S, L)>());
        Ok(self.through(self.elements.transform.clone()))
    }
}

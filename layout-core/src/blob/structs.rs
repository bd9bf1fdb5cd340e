//! Structs as the bytes of a view.

use alloc::{boxed::Box, vec::Vec};
use core::ops::DerefMut;

use super::bytes::{Bytes, BytesMut};
use crate::leaf_table::LeafTable;
use crate::record::Record;
use crate::sealed::Sealed;

/// A `Vec` or `Box` of structs, or a mutable slice of them, as the bytes of a view.
///
/// The structs must have no padding, and every bit pattern must be a value of each leaf: then all bytes are
/// initialized, and any bytes that a view writes form structs again. Other structs do not compile. To borrow structs of
/// any kind, use [`View::from_records`](crate::View::from_records).
///
/// # Examples
///
/// ```
/// use layout::blob::Structs;
/// use layout::prelude::*;
///
/// #[derive(Clone, Copy, Debug, PartialEq, Record)]
/// struct Point { x: f32, y: f32 }
///
/// let points = vec![Point { x: 1.0, y: 2.0 }; 10];
/// let mapping = Mapped::<Point, _, AoS<Aligned, Native>>::new(extents!(dyn 10))?;
/// let mut view = View::from_bytes(mapping, Structs::new(points))?;
/// view.at_mut(9).y.set(7.0);
/// let points: Vec<Point> = view.into_blobs().into_inner().into_inner();
/// assert_eq!(points[9], Point { x: 1.0, y: 7.0 });
/// # Ok::<(), ViewError>(())
/// ```
///
/// ```compile_fail,E0080
/// #[derive(Clone, Copy, layout::Record)]
/// struct Padded { a: u8, b: u32 }
///
/// layout::blob::Structs::new(vec![Padded { a: 1, b: 2 }]);
/// ```
#[derive(Clone, Debug)]
pub struct Structs<V>(V);

impl<V: Sequence> Structs<V> {
    /// Fails to compile unless all structs are plain bytes, and all bytes are structs.
    const ARE_BYTES: () = {
        let table = LeafTable::of::<V::Record>();
        assert!(
            table.is_struct() && table.packed() == size_of::<V::Record>(),
            "this struct has padding, which is no bytes of a view: fill it with a field of its own"
        );
        assert!(
            table.any_bits(),
            "some bytes are no value of a leaf of this struct, such as `bool`, and a view of another record may write them"
        );
    };

    /// Takes these structs as bytes.
    #[must_use]
    pub fn new(structs: V) -> Self {
        let () = Self::ARE_BYTES;
        Self(structs)
    }

    /// Returns the structs.
    #[must_use]
    pub fn into_inner(self) -> V {
        self.0
    }
}

/// A container of structs that keeps them outside itself, so they stay in place when the container moves: `Vec<R>`, `Box<[R]>` or
/// `&mut [R]`.
///
/// # Examples
///
/// ```
/// use layout::blob::{Sequence, Structs};
/// use layout::prelude::*;
///
/// /// A view of one dimension that takes these structs.
/// fn view_of<V: Sequence<Record = f32>>(structs: V) -> Result<View<Mapped<f32, DynExtents<1>, AoS>, Region<Structs<V>>>, ViewError> {
///     View::from_bytes(Mapped::new(extents!(dyn structs.len()))?, Structs::new(structs))
/// }
/// assert_eq!(view_of(vec![1.0, 2.0])?.load(1), 2.0);
/// assert_eq!(view_of(&mut [3.0_f32][..])?.load(0), 3.0);
/// # Ok::<(), ViewError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "a view cannot own its structs in a `{Self}`",
    note = "give it a `Vec<R>`, a `Box<[R]>` or a `&mut [R]`, where `R` has `#[derive(Record)]`"
)]
pub trait Sequence: Sealed + DerefMut<Target = [<Self as Sequence>::Record]> {
    /// The struct.
    type Record: Record;
}

impl<R: Record> Sequence for Vec<R> {
    type Record = R;
}

impl<R: Record> Sequence for &mut [R] {
    type Record = R;
}

impl<R: Record> Sequence for Box<[R]> {
    type Record = R;
}

// SAFETY: structs without padding are initialized bytes, which lie elsewhere: they do not change or move while the value is
// borrowed, nor when it is moved.
unsafe impl<V: Sequence> Bytes for Structs<V> {
    const MUTABLE: bool = true;

    fn as_ptr(&self) -> *const u8 {
        self.0.as_ptr().cast()
    }

    fn len(&self) -> usize {
        size_of_val(&*self.0)
    }
}

// SAFETY: a mutable borrow of the value is one of the structs, of which any bytes are values.
unsafe impl<V: Sequence> BytesMut for Structs<V> {
    fn as_mut_ptr(&mut self) -> *mut u8 {
        self.0.as_mut_ptr().cast()
    }
}

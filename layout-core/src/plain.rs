//! Plain data of other crates: as one leaf, and as a record of equal bytes.

use core::fmt;
use core::ops::{Add, AddAssign, Deref, DerefMut, Div, DivAssign, Mul, MulAssign, Sub, SubAssign};

use bytemuck::{Pod, TransparentWrapper, Zeroable};

use crate::columns::{ColumnKind, Columns, GiveColumn, TakeColumn};
use crate::leaf::Leaf;
use crate::path::{Naming, Path, Select};
use crate::portable::{Portable, PortableError, read_record, write_record};
use crate::record::{AccessMut, Record, Scalar};
use crate::slot::Slot;
use crate::tree::Node;

/// A type for which all bytes are values and that has no padding: a [`bytemuck::Pod`] that is `Send` and `Sync`.
///
/// A field of such a type may be a leaf by `#[record(leaf)]`, or be stored as another plain type by
/// `#[record(as = Type)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not plain data",
    label = "this type is not `bytemuck::Pod`",
    note = "a field with `#[record(leaf)]` or `#[record(as = Type)]` is copied byte by byte: derive `bytemuck::Pod` for your own type, and enable the feature `bytemuck` of the crate that another type comes from"
)]
pub trait PlainData: Pod + Send + Sync {}

#[diagnostic::do_not_recommend]
impl<F: Pod + Send + Sync> PlainData for F {}

/// The message about a field that is stored as a type of another size.
pub(crate) const OTHER_SIZE: &str =
    "a field is stored as a type of another size than its own: `#[record(as = Type)]` takes a type of the same size";

/// Panics unless both types have the same size; the derive calls this function in a constant, so that the message names the field.
#[doc(hidden)]
pub const fn assert_same_size<F, T>() {
    assert!(size_of::<F>() == size_of::<T>(), "{}", OTHER_SIZE);
}

/// A leaf of any plain type, such as a vector of another crate. A field with `#[record(leaf)]` is stored as this type.
///
/// The slots of such a field return and take `F` itself.
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
///
/// #[derive(Clone, Copy, Debug, PartialEq, Record)]
/// struct Particle {
///     #[record(leaf)]
///     pos: glam::Vec3,
///     mass: f32,
/// }
///
/// let mut particles = alloc::<Particle, SoA, _>(10)?;
/// particles.at_mut(3).pos.set(glam::Vec3::new(3.0, 4.0, 0.0));
/// particles.at_mut(3).pos *= 2.0;
/// assert_eq!(particles.at(3).pos.get().length(), 10.0);
/// assert_eq!(particles.at(3).pos * 0.5, glam::Vec3::new(3.0, 4.0, 0.0));
/// assert_eq!(particles.load(3).pos.y, 8.0);
/// # Ok::<(), ViewError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct PodLeaf<F>(pub F);

// SAFETY: it has the bytes of `F`.
unsafe impl<F: Zeroable> Zeroable for PodLeaf<F> {}
// SAFETY: as above.
unsafe impl<F: Pod> Pod for PodLeaf<F> {}
// SAFETY: as above.
unsafe impl<F> TransparentWrapper<F> for PodLeaf<F> {}

impl<F> From<F> for PodLeaf<F> {
    fn from(value: F) -> Self {
        Self(value)
    }
}

impl<F> Deref for PodLeaf<F> {
    type Target = F;

    fn deref(&self) -> &F {
        &self.0
    }
}

impl<F> DerefMut for PodLeaf<F> {
    fn deref_mut(&mut self) -> &mut F {
        &mut self.0
    }
}

// SAFETY: the tree is one leaf of the type itself, whose slot is the access and a marker, and `bind` hands the access to
// that slot only.
unsafe impl<F: PlainData> Record for PodLeaf<F> {
    const TREE: &'static Node = &Node::leaf::<Self>();
    type Origin = Self;
    type Slots<A: Copy, P: Path<Type = Self>> = PodSlot<A, P>;

    #[inline(always)]
    fn bind<A: Copy, P: Path<Type = Self>>(access: A) -> PodSlot<A, P> {
        PodSlot(Slot::new(access))
    }

    #[inline(always)]
    fn load<A: Scalar, P: Path<Root = A::Record, Type = Self>>(slot: &PodSlot<A, P>) -> Self {
        slot.0.load()
    }

    #[inline(always)]
    fn store<A: Scalar + AccessMut, P: Path<Root = A::Record, Type = Self>>(self, slot: &mut PodSlot<A, P>) {
        slot.0.store(self);
    }
}

// SAFETY: the tree is that leaf, and all bytes are values of a `Pod` type.
unsafe impl<F: PlainData> Leaf for PodLeaf<F> {
    const ANY_BITS: bool = true;
}

impl<F: PlainData> Portable for PodLeaf<F> {
    #[inline]
    fn write(&self, to: &mut impl Extend<u8>) {
        write_record(self, to);
    }

    #[inline]
    fn read(from: &mut &[u8]) -> Result<Self, PortableError> {
        read_record(from)
    }
}

impl<F: PlainData> Columns for PodLeaf<F> {
    type Columns<'a, K: ColumnKind> = K::Column<'a, F>;

    fn take<'a, K: ColumnKind>(next: &mut impl TakeColumn<'a, K>) -> Option<K::Column<'a, F>> {
        next.take::<Self>().map(K::peel)
    }

    fn as_slices<'c, K: ColumnKind>(columns: &'c K::Column<'_, F>) -> &'c [F] {
        K::as_slice(columns)
    }

    fn give<'c>(columns: &'c [F], each: &mut impl GiveColumn<'c>) {
        each.give(Self::wrap_slice(columns));
    }
}

/// The accessor of a field with `#[record(leaf)]`: a [`Slot`] that gives and takes the type of the field.
///
/// The methods of [`Slot`] itself, also those of slots of lanes, return and take a [`PodLeaf`].
#[repr(transparent)]
pub struct PodSlot<A, P>(Slot<A, P>);

impl<F: PlainData, A: Scalar, P: Path<Root = A::Record, Type = PodLeaf<F>>> PodSlot<A, P> {
    /// Reads the value.
    #[inline(always)]
    #[must_use]
    pub fn get(&self) -> F {
        self.0.load().0
    }

    /// Writes the value.
    #[inline(always)]
    #[track_caller]
    pub fn set(&mut self, value: F)
    where
        A: AccessMut,
    {
        self.0.store(PodLeaf(value));
    }

    /// Reads the value, as the `load` of a struct's slots does.
    #[inline(always)]
    #[must_use]
    pub fn load(&self) -> F {
        self.get()
    }

    /// Writes the value, as the `store` of a struct's slots does.
    #[inline(always)]
    #[track_caller]
    pub fn store(&mut self, value: F)
    where
        A: AccessMut,
    {
        self.set(value);
    }
}

impl<F, A, P> fmt::Debug for PodSlot<A, P>
where
    F: PlainData + fmt::Debug,
    A: Scalar,
    P: Path<Root = A::Record, Type = PodLeaf<F>>,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

/// Compares the value of the leaf with a value.
impl<F, V, A, P> PartialEq<V> for PodSlot<A, P>
where
    F: PlainData + PartialEq<V>,
    A: Scalar,
    P: Path<Root = A::Record, Type = PodLeaf<F>>,
{
    #[inline(always)]
    fn eq(&self, value: &V) -> bool {
        self.get() == *value
    }
}

macro_rules! operators {
    ($($assign:ident $method:ident $operator:ident $apply:ident),+) => {$(
        operators!(@ PodSlot<A, P>: $operator $apply);
        operators!(@ &PodSlot<A, P>: $operator $apply);

        impl<F, V, A, P> $assign<V> for PodSlot<A, P>
        where
            F: PlainData + $operator<V, Output = F>,
            A: Scalar + AccessMut,
            P: Path<Root = A::Record, Type = PodLeaf<F>>,
        {
            #[inline(always)]
            fn $method(&mut self, value: V) {
                self.set(self.get().$apply(value));
            }
        }
    )+};
    (@ $slot:ty: $operator:ident $apply:ident) => {
        impl<F, V, A, P> $operator<V> for $slot
        where
            F: PlainData + $operator<V>,
            A: Scalar,
            P: Path<Root = A::Record, Type = PodLeaf<F>>,
        {
            type Output = <F as $operator<V>>::Output;

            #[inline(always)]
            fn $apply(self, value: V) -> Self::Output {
                self.get().$apply(value)
            }
        }
    };
}

operators! {
    AddAssign add_assign Add add, SubAssign sub_assign Sub sub, MulAssign mul_assign Mul mul, DivAssign div_assign Div div
}

impl<A, P> Deref for PodSlot<A, P> {
    type Target = Slot<A, P>;

    fn deref(&self) -> &Slot<A, P> {
        &self.0
    }
}

impl<A, P> DerefMut for PodSlot<A, P> {
    fn deref_mut(&mut self) -> &mut Slot<A, P> {
        &mut self.0
    }
}

impl<P: Path> Select for PodSlot<Naming, P> {
    type Path = P;
}

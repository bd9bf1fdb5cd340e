//! Names that the derive uses too, and names from macros.

use layout::{Record, path};

#[expect(unused_macros, reason = "the macros of the library use those of `core`")]
macro_rules! panic {
    () => {};
}
#[expect(unused_macros, reason = "the macros of the library use those of `core`")]
macro_rules! concat {
    () => {};
}
#[expect(unused_macros, reason = "the macros of the library use those of `core`")]
macro_rules! stringify {
    () => {};
}

/// Shadows what a careless expansion would name.
mod shadows {
    pub(crate) struct Node;
    pub(crate) struct Path;
    pub(crate) struct Slot;
    #[expect(non_upper_case_globals, reason = "the name of the expansion's own variable")]
    pub(crate) const access: u8 = 0;
    #[expect(non_upper_case_globals, reason = "the name of an argument in other code")]
    pub(crate) const value: u8 = 0;
    pub(crate) const fn count() -> usize {
        2
    }
    pub(crate) type Result<T> = core::result::Result<T, u8>;
    #[expect(non_snake_case, reason = "the names of other items")]
    pub(crate) fn Ok() {}
    #[expect(non_snake_case, reason = "the names of other items")]
    pub(crate) fn Err() {}
    pub(crate) const fn copy() -> usize {
        1
    }
    pub(crate) const fn record() -> usize {
        2
    }
    pub(crate) const fn plain() -> usize {
        3
    }
    pub(crate) const fn default() -> usize {
        4
    }
    /// Variants with the names of const parameters.
    pub(crate) enum Side {
        W,
        N,
    }
}
#[expect(unused_imports, reason = "only a careless expansion would name them")]
use shadows::Side::*;
use shadows::*;

#[derive(Clone, Copy, Record)]
#[expect(non_snake_case, reason = "the names of the expansion's own parameters")]
struct Names {
    __slots: u8,
    __access: u8,
    __A: u16,
    __P: u32,
    access: u64,
    load: f32,
    store: f32,
}

/// Bounds and lengths that name the type itself, and items of the program.
#[derive(Clone, Copy, Record)]
struct Bounded<T: Record + PartialEq<Self>>
where
    Self: Clone,
    [Self; 2]: Sized,
{
    values: [T; count()],
}

#[derive(Clone, Copy, Record)]
struct Myself
where
    Self: PartialEq<Self>,
{
    value: f32,
}

impl PartialEq for Myself {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

/// Const parameters with the names of variants.
#[derive(Clone, Copy, Record)]
#[record(columns)]
struct Row<const W: usize> {
    values: [f32; W],
    #[record(leaf)]
    word: [u8; W],
    #[record(skip)]
    cache: core::marker::PhantomData<[Self; W]>,
}

/// Variants with the names of associated items.
#[derive(Clone, Copy, bytemuck::NoUninit, bytemuck::CheckedBitPattern, Record)]
#[record(leaf)]
#[repr(u8)]
#[expect(clippy::upper_case_acronyms, reason = "the names of associated constants")]
enum Ambiguous {
    Slots,
    Columns,
    Origin,
    Type,
    TREE,
    BYTES,
}

/// Lengths of stored and of skipped types.
#[derive(Clone, Copy, Record)]
struct Lengths<T: Record> {
    #[record(as = [u16; record()])]
    word: u32,
    #[record(as = [u8; plain() + copy()])]
    bytes: u32,
    values: [T; default()],
    #[record(skip)]
    unit: core::marker::PhantomData<[T; default() + record()]>,
}

/// The derive uses the record and the types of its fields without a warning.
#[deprecated = "use another"]
#[derive(Clone, Copy, Record)]
#[record(columns)]
struct Old {
    #[deprecated = "use `charge`"]
    energy: f32,
    charge: f32,
}

#[allow(deprecated, reason = "it is old, too; `derive(Clone)` takes no `expect`")]
#[derive(Clone, Copy, Record)]
#[record(columns)]
struct Older {
    old: Old,
}

#[derive(Clone, Copy, Record)]
struct Parameters<__A: Record, __P: Record, const N: usize> {
    a: __A,
    p: [__P; N],
}

/// A type of the user's, with the name that the struct of slots would take.
#[derive(Clone, Copy, Record)]
struct HolderSlots {
    count: u8,
}

#[derive(Clone, Copy, Record)]
struct Holder {
    slots: HolderSlots,
    own: [u8; Self::LENGTH],
}

impl Holder {
    const LENGTH: usize = 3;
}

/// A module of the user's that has the name of a library, and a type of such a name.
mod own {
    use layout::Record;

    mod core {
        use layout::Record;

        #[derive(Clone, Copy, Record)]
        pub(super) struct Cell<T: Record> {
            value: T,
        }
    }

    #[derive(Clone, Copy, Record)]
    struct Grid {
        cell: core::Cell<f32>,
    }
}

/// The same name as a raw identifier.
#[derive(Clone, Copy, Record)]
struct RawSlots {
    count: u8,
}

#[derive(Clone, Copy, Record)]
struct Raw {
    slots: r#RawSlots,
}

trait Near<'a> {}
impl Near<'_> for f32 {}

/// The name of the lifetime that columns have, in the user's own bound.
#[derive(Clone, Copy, Record)]
#[record(columns)]
struct Columned<T: layout::columns::Columns + for<'columns> Near<'columns>> {
    columns: T,
}

#[cfg(feature = "alloc")]
#[derive(Clone, Copy, Record)]
struct T {
    x: f32,
}

#[cfg(feature = "alloc")]
layout::choice::layouts! {
    struct Layouts of T = [layout::AoS, layout::SoA];
}

macro_rules! records {
    ($($name:ident { $($field:ident: $ty:ty),* })*) => {$(
        #[derive(Clone, Copy, Record)]
        struct $name {
            $($field: $ty,)*
            last: [$crate::names::HolderSlots; 2],
        }
    )*};
}

records! {
    First { x: f32, y: [u8; 3] }
    Second { first: First }
}

#[test]
fn all_leaves_are_there() {
    assert_eq!(layout::Extents::array(&layout::extents!(dyn 3, 2)), [3, 2]);
    assert_eq!(Names::TREE.leaves(), 7);
    assert_eq!(Parameters::<u8, f32, 3>::TREE.leaves(), 4);
    assert_eq!(Holder::TREE.leaves(), 4);
    assert_eq!(<Ambiguous as Record>::TREE.leaves(), 1);
    assert_eq!(Row::<3>::TREE.leaves(), 3 + 1);
    assert_eq!(Myself::TREE.leaves(), 1);
    assert_eq!((Raw::TREE.leaves(), Columned::<f32>::TREE.leaves()), (1, 1));
    assert_eq!(<path!(Second, first.y[1]) as layout::Path>::LEAF, 2);
    assert_eq!(Lengths::<u8>::TREE.leaves(), 2 + 4 + 4);
    assert_eq!(Older::TREE.leaves(), 2);
    assert_eq!(Second::TREE.leaves(), 1 + 3 + 2 + 2);
}

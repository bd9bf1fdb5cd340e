//! Reductions: they combine contributions to one value.

/// A reduction combines contributions. It must be associative, and [`identity`](Self::identity) must be neutral.
///
/// Values of task bodies ([`TaskBuilder::reduce`](crate::TaskBuilder::reduce)) are combined by halves: the first half has the largest power
/// of two of points below the number of all, and each half is combined in the same way. Contributions to a store
/// ([`reduce`](crate::reduce)) are combined with its elements one after another, in the order of points. So results, also floating-point
/// sums, depend only on the number of pieces.
///
/// # Examples
///
/// Sums of two values at once, and a user-defined reduction:
///
/// ```
/// use layout::store::{Reduction, Runtime, Sum};
///
/// #[derive(Clone, Copy)]
/// struct Longest;
///
/// impl Reduction<String> for Longest {
///     fn identity(&self) -> String {
///         String::new()
///     }
///     fn combine(&self, a: String, b: String) -> String {
///         if b.len() > a.len() { b } else { a }
///     }
/// }
///
/// let rt = Runtime::new()?;
/// let moments = rt.task("moments").over([4])?.reduce(Sum, |task, ()| Ok([1, task.point()[0]]))?;
/// assert_eq!(moments.get()?, [4, 0 + 1 + 2 + 3]);
///
/// let name = rt.task("name").over([3])?.reduce(Longest, |task, ()| Ok("x".repeat(task.point()[0] as usize)))?;
/// assert_eq!(name.get()?, "xx");
/// # Ok::<(), layout::store::StoreError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no reduction of values of type `{T}`",
    note = "numbers have `Sum`, `Product`, `Max` and `Min`, integers and `bool` also `And`, `Or` and `Xor`, and arrays have them \
            entry by entry; `reduce_fields!` makes structs have them field by field; implement `Reduction` for others"
)]
pub trait Reduction<T>: Clone + Send + Sync + 'static {
    /// The neutral value.
    fn identity(&self) -> T;

    /// Combines two values; `a` comes before `b`.
    fn combine(&self, a: T, b: T) -> T;
}

/// The sum; integers wrap around. An element that is -0.0 becomes 0.0, even without a contribution.
#[derive(Clone, Copy, Debug)]
pub struct Sum;
/// The product; integers wrap around.
#[derive(Clone, Copy, Debug)]
pub struct Product;
/// The largest; NaN counts as less than all numbers. An element that is NaN becomes negative infinity if no contribution is a number.
#[derive(Clone, Copy, Debug)]
pub struct Max;
/// The smallest; NaN counts as larger than all numbers. An element that is NaN becomes infinity if no contribution is a number.
#[derive(Clone, Copy, Debug)]
pub struct Min;
/// The bitwise and.
#[derive(Clone, Copy, Debug)]
pub struct And;
/// The bitwise or.
#[derive(Clone, Copy, Debug)]
pub struct Or;
/// The bitwise exclusive or.
#[derive(Clone, Copy, Debug)]
pub struct Xor;

/// Implements reductions for structs, field by field: `reduce_fields!(Sum, Min for Particle { pos, mass })`.
///
/// All fields are listed. Each is reduced by the reduction before `for`, or by one of its own (`least: Min`). A reduction for one struct is
/// a unit struct of the program: `struct Summary;`. Reductions are single names: import them.
///
/// # Examples
///
/// ```
/// use layout::{Record, SoA};
/// use layout::store::{Max, Min, Runtime, Store, Sum, broadcast, read, reduce, reduce_fields};
///
/// #[derive(Clone, Copy, Debug, PartialEq, Record)]
/// struct Force {
///     at: [f64; 2],
///     count: u32,
/// }
///
/// reduce_fields!(Sum for Force { at, count });
///
/// #[derive(Clone, Copy, Debug, PartialEq, Record)]
/// struct Stats {
///     sum: Force,
///     least: f64,
///     most: f64,
/// }
///
/// #[derive(Clone, Copy)]
/// struct Summary;
///
/// reduce_fields!(Summary for Stats { sum: Sum, least: Min, most: Max });
///
/// let rt = Runtime::builder().pieces(4).min_chunk(1).build()?;
/// let masses: Store<f64, _> = rt.create_from_fn(100, |at| at[0] as f64)?;
/// let stats = rt.task("stats").args((read(&masses),)).reduce(Summary, |_, (masses,)| {
///     let one = |mass: f64| Stats { sum: Force { at: [mass, -mass], count: 1 }, least: mass, most: mass };
///     Ok(masses.values().map(one).reduce(|a, b| layout::store::Reduction::combine(&Summary, a, b)).unwrap())
/// })?;
/// let sum = Force { at: [4950.0, -4950.0], count: 100 };
/// assert_eq!(stats.get()?, Stats { sum, least: 0.0, most: 99.0 });
///
/// // Elements of a store, field by field.
/// let forces: Store<Force, _, SoA> = rt.create(2)?;
/// forces.fill(Force { at: [0.0; 2], count: 0 })?;
/// rt.task("push")
///     .args((read(&masses), reduce(&forces, Sum)))
///     .constrain(|(_, forces)| broadcast(forces))
///     .launch(|_, (masses, mut forces)| {
///         let push = |mass: f64| forces.reduce(mass as usize % 2, Force { at: [1.0, mass], count: 1 });
///         masses.values().for_each(push);
///     })?;
/// assert_eq!(forces.get([1])?, Force { at: [50.0, 2500.0], count: 50 });
/// # Ok::<(), layout::store::StoreError>(())
/// ```
///
/// A field without a reduction does not compile:
///
/// ```compile_fail,E0277
/// use layout::store::{Sum, reduce_fields};
///
/// struct Flag {
///     set: bool,
/// }
/// reduce_fields!(Sum for Flag { set });
/// ```
#[macro_export]
macro_rules! reduce_fields {
    ($($op:ident),+ for $record:ident $fields:tt) => {
        $($crate::reduce_fields!(@one $op, $record $fields);)+
    };
    (@one $op:ident, $record:ident { $($field:ident $(: $by:ident)?),+ $(,)? }) => {
        impl $crate::Reduction<$record> for $op {
            #[inline]
            fn identity(&self) -> $record {
                $record { $($field: $crate::Reduction::identity($crate::reduce_fields!(@by self $($by)?))),+ }
            }

            #[inline]
            fn combine(&self, a: $record, b: $record) -> $record {
                $record { $($field: $crate::Reduction::combine($crate::reduce_fields!(@by self $($by)?), a.$field, b.$field)),+ }
            }
        }
    };
    (@by $op:ident) => { $op };
    (@by $op:ident $by:ident) => { &$by };
}

macro_rules! reductions {
    ($($op:ident [$($t:ty)+] $identity:expr, |$a:ident, $b:ident| $combine:expr;)+) => {$($(
        impl Reduction<$t> for $op {
            fn identity(&self) -> $t {
                type T = $t;
                let identity: T = $identity;
                identity
            }

            fn combine(&self, $a: $t, $b: $t) -> $t {
                $combine
            }
        }
    )+)+};
}

macro_rules! of_arrays {
    ($($op:ident)+) => {$(
        /// Entry by entry.
        impl<T, const N: usize> Reduction<[T; N]> for $op
        where
            Self: Reduction<T>,
        {
            fn identity(&self) -> [T; N] {
                core::array::from_fn(|_| self.identity())
            }

            fn combine(&self, a: [T; N], b: [T; N]) -> [T; N] {
                let mut b = b.into_iter();
                a.map(|a| match b.next() {
                    Some(b) => self.combine(a, b),
                    None => unreachable!("both have as many entries"),
                })
            }
        }
    )+};
}

of_arrays! { Sum Product Max Min And Or Xor }

reductions! {
    Sum [i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize] 0, |a, b| a.wrapping_add(b);
    Sum [f32 f64] 0.0, |a, b| a + b;
    Product [i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize] 1, |a, b| a.wrapping_mul(b);
    Product [f32 f64] 1.0, |a, b| a * b;
    Max [i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize] T::MIN, |a, b| a.max(b);
    Max [f32 f64] T::NEG_INFINITY, |a, b| a.max(b);
    Min [i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize] T::MAX, |a, b| a.min(b);
    Min [f32 f64] T::INFINITY, |a, b| a.min(b);
    And [i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize] !0, |a, b| a & b;
    Or [i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize] 0, |a, b| a | b;
    Xor [i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize] 0, |a, b| a ^ b;
    And [bool] true, |a, b| a & b;
    Or [bool] false, |a, b| a | b;
    Xor [bool] false, |a, b| a ^ b;
}

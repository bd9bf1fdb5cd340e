//! Numbers as types, computed from types.
//!
//! Stable Rust cannot compute a const parameter from a type parameter: `AoSoA<{ most_lanes::<R>() }>` does not compile where `R` is a
//! parameter. An associated constant may be computed from anything, so the number is the constant of a type.

use crate::invariant::Invariant;
use crate::lanes::{least_lanes, most_lanes};
use crate::record::Record;

/// A number as a type, for generic code, in which a const parameter cannot be computed.
///
/// `AoSoABy<C>` is `AoSoA` with `C::VALUE` lanes, `AlignBy<C>` is `AlignTo`, and `BitsBy<C>` is `Bits`. [`with_lanes`] runs a kernel
/// with `C::VALUE` lanes. [`MostLanes<R>`](MostLanes) and [`LeastLanes<R>`](LeastLanes) are the numbers of lanes for a record; a type of
/// your own can compute any other number.
///
/// # Examples
///
/// ```
/// use core::marker::PhantomData;
///
/// use layout::prelude::*;
/// use layout::constant::{AoSoABy, Constant};
///
/// /// As many elements of `R` as have room in 4 KiB.
/// struct PerPage<R>(PhantomData<R>);
///
/// impl<R: Record> Constant for PerPage<R> {
///     const VALUE: usize = 4096 / size_of::<R>();
/// }
///
/// /// A view with a block in each page, for any record.
/// fn paged<R: Record>(count: usize) -> Result<ViewOf<R, 1, AoSoABy<PerPage<R>>>, ViewError> {
///     R::alloc::<AoSoABy<PerPage<R>>>(count)
/// }
///
/// let view = paged::<[f32; 4]>(1000)?;
/// assert_eq!(view.mapping().place_of([256], 0).offset, 4096);
/// # Ok::<(), ViewError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no number as a type",
    note = "implement `Constant` for a type of your own, with the number as `VALUE`; or use `MostLanes<R>` or `LeastLanes<R>` of `layout::constant`",
    note = "where the number is not computed from a type parameter, use `AoSoA<8>`, `AlignTo<64>` or `Bits<5>`"
)]
pub trait Constant: 'static {
    /// The number.
    const VALUE: usize;
}

/// The number of lanes [`most_lanes::<R>()`](most_lanes), as a type.
///
/// # Examples
///
/// ```
/// use layout::constant::{Constant, MostLanes};
/// use layout::most_lanes;
///
/// assert_eq!(MostLanes::<[f32; 2]>::VALUE, most_lanes::<[f32; 2]>());
/// ```
pub struct MostLanes<R>(Invariant<R>);

impl<R: Record> Constant for MostLanes<R> {
    const VALUE: usize = most_lanes::<R>();
}

/// The number of lanes [`least_lanes::<R>()`](least_lanes), as a type.
///
/// # Examples
///
/// ```
/// use layout::constant::{Constant, LeastLanes};
/// use layout::least_lanes;
///
/// assert_eq!(LeastLanes::<[f64; 2]>::VALUE, least_lanes::<[f64; 2]>());
/// ```
pub struct LeastLanes<R>(Invariant<R>);

impl<R: Record> Constant for LeastLanes<R> {
    const VALUE: usize = least_lanes::<R>();
}

/// A task to run with a number of lanes that is computed from a type: a function that is generic over the number.
///
/// # Examples
///
/// See [`with_lanes`].
pub trait LanesTask {
    /// The result.
    type Output;

    /// Runs the task with `W` lanes.
    fn run<const W: usize>(self) -> Self::Output;
}

/// Runs a task with `C::VALUE` lanes, which must be a power of two, and 64 at most.
///
/// The number is known when the program is compiled, and the compiler generates code for this number of lanes only.
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
/// use layout::constant::{LanesTask, MostLanes, with_lanes};
///
/// /// Sums numbers, with as many lanes as a register holds of their type.
/// struct Sum<'v, T>(&'v [T]);
///
/// impl<T: Float + Default> LanesTask for Sum<'_, T> {
///     type Output = T;
///     fn run<const W: usize>(self) -> T {
///         let (groups, rest) = self.0.as_chunks::<W>();
///         let sum = groups.iter().fold(Lanes::splat(T::default()), |sum, group| sum + Lanes::from_array(*group));
///         rest.iter().fold(Lanes::<T, 1>::splat(sum.sum()), |sum, one| sum + *one).sum()
///     }
/// }
///
/// fn sum<T: Float + Default + Record>(values: &[T]) -> T {
///     with_lanes::<MostLanes<T>, _>(Sum(values))
/// }
///
/// assert_eq!(sum(&[0.5_f32; 101]), 50.5);
/// assert_eq!(sum(&[0.5_f64; 101]), 50.5);
/// ```
pub fn with_lanes<C: Constant, T: LanesTask>(task: T) -> T::Output {
    const {
        assert!(
            C::VALUE.is_power_of_two() && C::VALUE <= 64,
            "`with_lanes` takes a power of two up to 64: use `MostLanes<R>`, `LeastLanes<R>`, or such a number"
        );
    }
    match const { C::VALUE } {
        1 => task.run::<1>(),
        2 => task.run::<2>(),
        4 => task.run::<4>(),
        8 => task.run::<8>(),
        16 => task.run::<16>(),
        32 => task.run::<32>(),
        _ => task.run::<64>(),
    }
}

//! Lists of linearizations to try.

use layout_core::{IndexArray, Linearization};

/// A task to run with each linearization of a list: a function that is generic over the linearization.
///
/// # Examples
///
/// See [`LinearizationList`].
pub trait LinearizationTask<A: IndexArray> {
    /// The result.
    type Output;

    /// Runs the task with this linearization.
    fn run<Lin: Linearization<A> + Default>(self, linearization: Lin) -> Self::Output;
}

/// A list of linearizations for indices `A`, as a type: a tuple of one to eight, such as `(RowMajor, ColMajor, Tiled<8, 8>)`.
///
/// [`Advisor::linearizations`](crate::Advisor::linearizations) takes such a list.
///
/// # Examples
///
/// ```
/// use layout::inspect::{LinearizationList, LinearizationTask};
/// use layout::prelude::*;
///
/// /// The number of positions of a grid of 3 x 3.
/// struct Span;
///
/// impl LinearizationTask<[usize; 2]> for Span {
///     type Output = Option<usize>;
///     fn run<Lin: Linearization<[usize; 2]> + Default>(self, linearization: Lin) -> Option<usize> {
///         linearization.span([3, 3])
///     }
/// }
///
/// type Orders = (RowMajor, Tiled<2, 2>, Morton);
/// assert_eq!(Orders::run_nth(0, Span), Some(9));
/// assert_eq!(Orders::run_nth(1, Span), Some(16));
/// assert_eq!(<Orders as LinearizationList<[usize; 2]>>::COUNT, 3);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no list of linearizations for indices of type `{A}`",
    note = "give a tuple of linearizations, such as `(RowMajor, ColMajor, Morton)`; a list of one is `(Morton,)`"
)]
pub trait LinearizationList<A: IndexArray> {
    /// The number of linearizations.
    const COUNT: usize;

    /// Runs the task with linearization number `number` of the list.
    ///
    /// # Panics
    ///
    /// Panics if there is no linearization of this number.
    fn run_nth<T: LinearizationTask<A>>(number: usize, task: T) -> T::Output;
}

macro_rules! lists {
    ($($count:literal: $($number:literal $linearization:ident)+;)+) => {$(
        impl<A: IndexArray, $($linearization: Linearization<A> + Default),+> LinearizationList<A> for ($($linearization,)+) {
            const COUNT: usize = $count;

            fn run_nth<T: LinearizationTask<A>>(number: usize, task: T) -> T::Output {
                match number {
                    $($number => task.run($linearization::default()),)+
                    _ => panic!("there are {} linearizations, and none of number {number}", $count),
                }
            }
        }
    )+};
}

lists! {
    1: 0 L0;
    2: 0 L0 1 L1;
    3: 0 L0 1 L1 2 L2;
    4: 0 L0 1 L1 2 L2 3 L3;
    5: 0 L0 1 L1 2 L2 3 L3 4 L4;
    6: 0 L0 1 L1 2 L2 3 L3 4 L4 5 L5;
    7: 0 L0 1 L1 2 L2 3 L3 4 L4 5 L5 6 L6;
    8: 0 L0 1 L1 2 L2 3 L3 4 L4 5 L5 6 L6 7 L7;
}

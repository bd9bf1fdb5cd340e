//! Layouts chosen at run time.

use alloc::string::{String, ToString};

use thiserror::Error;

use crate::mapping::RecordLayout;
use crate::record::Record;

/// A task to run in a layout that is chosen at run time: a function that is generic over the layout.
///
/// The compiler generates a separate copy of the task for each layout of the list, each as fast as without a choice.
///
/// # Examples
///
/// See [`LayoutList`].
pub trait LayoutTask<R: Record> {
    /// The result.
    type Output;

    /// Runs the task in the layout `L`.
    fn run<L: RecordLayout<R> + Default>(self) -> Self::Output;
}

/// A list of layouts of the record `R` to choose from at run time. [`layouts!`](crate::layouts!) makes it.
///
/// # Examples
///
/// ```
/// use layout::choice::{LayoutList, LayoutTask, layouts};
/// use layout::prelude::*;
///
/// layouts! {
///     /// What the option `--layout` takes.
///     struct Layouts of [f32; 3] = [AoS, SoA, AoSoA<16>];
/// }
///
/// /// The sum over so many elements.
/// struct Total(usize);
///
/// impl LayoutTask<[f32; 3]> for Total {
///     type Output = Result<f32, ViewError>;
///     fn run<L: RecordLayout<[f32; 3]> + Default>(self) -> Result<f32, ViewError> {
///         let view = alloc_from_fn::<[f32; 3], L, _>(self.0, |[i]| [i as f32, 1.0, 2.0])?;
///         let mut sum = 0.0;
///         view.for_each(|p| sum += p.load().iter().sum::<f32>());
///         Ok(sum)
///     }
/// }
///
/// assert_eq!(Layouts::NAMES, ["AoS", "SoA", "AoSoA<16>"]);
/// assert_eq!(Layouts::run("AoSoA<16>", Total(10)).unwrap()?, 75.0);
/// let error = Layouts::run("SoAoS", Total(10)).unwrap_err();
/// assert_eq!(error.to_string(), "there is no layout `SoAoS`; there are AoS, SoA, AoSoA<16>");
/// # Ok::<(), ViewError>(())
/// ```
pub trait LayoutList<R: Record> {
    /// The names of the layouts, as written in the list.
    const NAMES: &'static [&'static str];

    /// Runs the task in layout number `number` of the list.
    ///
    /// # Panics
    ///
    /// Panics if there is no layout of this number.
    fn run_nth<T: LayoutTask<R>>(number: usize, task: T) -> T::Output;

    /// Runs the task in the layout of this name; spaces do not matter.
    ///
    /// # Errors
    ///
    /// Returns an error if the list has no layout of this name.
    fn run<T: LayoutTask<R>>(name: &str, task: T) -> Result<T::Output, UnknownLayout> {
        let plain = |name: &str| name.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        match Self::NAMES.iter().position(|known| plain(known) == plain(name)) {
            Some(number) => Ok(Self::run_nth(number, task)),
            None => Err(UnknownLayout { name: name.to_string(), known: Self::NAMES }),
        }
    }
}

/// The error for a name that no layout of a list has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no layout `{name}`; there are {}", known.join(", "))]
pub struct UnknownLayout {
    /// The name that was given.
    pub name: String,
    /// The layouts of the list.
    pub known: &'static [&'static str],
}

/// Makes a type that lists layouts of a record, to choose from at run time; see [`LayoutList`].
#[macro_export]
macro_rules! layouts {
    ($(#[$attribute:meta])* $visibility:vis struct $name:ident of $record:ty = [$($layout:ty),+ $(,)?];) => {
        $(#[$attribute])*
        $visibility struct $name;

        impl $crate::LayoutList<$record> for $name {
            const NAMES: &'static [&'static $crate::__private::str] = &[$($crate::__private::stringify!($layout)),+];

            fn run_nth<__T: $crate::LayoutTask<$record>>(number: $crate::__private::usize, task: __T) -> __T::Output {
                let mut next = 0;
                $(
                    if number == next {
                        return task.run::<$layout>();
                    }
                    next += 1;
                )+
                $crate::__private::panic!("there are {next} layouts, and none of number {number}")
            }
        }
    };
}

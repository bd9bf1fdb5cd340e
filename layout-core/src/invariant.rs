//! Types that do not follow subtypes of their parameters.

use core::marker::PhantomData;

/// A marker of types that are these, and no subtypes or supertypes of them.
///
/// `for<'a> fn(&'a u8)` is a subtype of `fn(&'static u8)`, and a trait may have other constants for each. So a type that was
/// checked for the constants of its parameters, such as a mapping, must not become one with other parameters.
pub type Invariant<T> = PhantomData<fn(T) -> T>;

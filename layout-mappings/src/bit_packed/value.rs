//! Conversion between values and bits for leaves of every size, and the check for values that do not fit.

use layout_core::{Leaf, Record, ValueError};

use super::form::Form;
use super::word::{Word, of_leaf};

/// Converts the upper bits of a word to a value.
#[inline(always)]
pub(super) fn decode<T: Leaf, V: Form, X: Word>(form: V, top: X) -> T {
    let top = top.wide() << (64 - X::BITS);
    // `check` refused more bits than the type has.
    if const { size_of::<T>() <= 4 } { form.read::<T, u32>(u32::top(top)) } else { form.read::<T, u64>(top) }
}

/// Converts a value to the lower bits of a word, which must have enough bits.
#[inline(always)]
pub(super) fn encode<T: Leaf, V: Form, X: Word>(form: V, value: T) -> X {
    X::low(if const { size_of::<T>() <= 4 } {
        form.write::<T, u32>(value).wide()
    } else {
        form.write::<T, u64>(value).wide()
    })
}

/// Returns `true` if the value fits.
#[inline(always)]
fn fits<T: Leaf, V: Form>(form: V, value: T) -> bool {
    if const { size_of::<T>() <= 4 } { form.fits::<T, u32>(value) } else { form.fits::<T, u64>(value) }
}

/// Returns an error if the value does not fit.
pub(super) fn check<R: Record, T: Leaf, V: Form>(form: V, leaf: usize, value: T) -> Result<(), ValueError> {
    if fits(form, value) {
        return Ok(());
    }
    let range = form.range(T::KIND, size_of::<T>());
    let wide = of_leaf::<u64, T>(value);
    let value = if T::KIND.is_signed() { wide.cast_signed().into() } else { wide.into() };
    Err(ValueError { leaf: R::TREE.leaf_name(leaf), value, least: *range.start(), most: *range.end() })
}

/// Panics if a value does not fit and the policy refuses such values.
#[inline(always)]
#[track_caller]
pub(super) fn assert_fit<R: Record, T: Leaf, V: Form, const W: usize>(form: V, leaf: usize, values: &[T; W]) {
    // All values are checked, so that the lanes are checked together in a vector.
    if V::REFUSES && values.iter().fold(false, |any, value| any | !fits(form, *value)) {
        refuse::<R, T, V>(form, leaf, values);
    }
}

/// Panics with the first value that does not fit.
#[cold]
#[inline(never)]
#[track_caller]
fn refuse<R: Record, T: Leaf, V: Form>(form: V, leaf: usize, values: &[T]) {
    for value in values {
        if let Err(error) = check::<R, T, V>(form, leaf, *value) {
            panic!("{error}");
        }
    }
}

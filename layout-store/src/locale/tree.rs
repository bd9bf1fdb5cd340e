//! A tree over numbers: of points, whose values are combined along it, and of locales.

use core::ops::Range;

/// The number above another one; `None` for the first number.
pub(super) fn above(number: usize) -> Option<usize> {
    number.checked_sub(1).map(|before| number & before)
}

/// The numbers of a subtree, of `count` numbers in all.
pub(super) fn subtree(number: usize, count: usize) -> Range<usize> {
    let lowest = number & number.wrapping_neg();
    number..if number == 0 { count } else { count.min(number + lowest) }
}

/// The numbers directly below another one, of `count` numbers in all, in ascending order.
pub(super) fn below(number: usize, count: usize) -> impl Iterator<Item = usize> {
    let end = subtree(number, count).end;
    (0..usize::BITS).map(move |bit| number.saturating_add(1 << bit)).take_while(move |below| *below < end)
}

//! A tree over numbers: of points, whose values come together along it, and of locales.

use core::ops::Range;

/// The number above another one; the first one has none.
pub(super) fn above(number: usize) -> Option<usize> {
    number.checked_sub(1).map(|before| number & before)
}

/// The numbers of a subtree, of so many.
pub(super) fn subtree(number: usize, count: usize) -> Range<usize> {
    let lowest = number & number.wrapping_neg();
    number..if number == 0 { count } else { count.min(number + lowest) }
}

/// The numbers right below another one, of so many, the first one first.
pub(super) fn below(number: usize, count: usize) -> impl Iterator<Item = usize> {
    let end = subtree(number, count).end;
    (0..usize::BITS).map(move |bit| number.saturating_add(1 << bit)).take_while(move |below| *below < end)
}

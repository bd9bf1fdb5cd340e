//! Containers in layouts whose elements share bytes: they hold one element, and refuse to grow.

use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;

use layout::composed::{Byteswap, ChangeType};
use layout::prelude::*;
use layout::{Jagged, One, RecordLayout};

fn one_element_at_most<L: RecordLayout<u32> + Default>() {
    let mut vec = RecordVec::<u32, L>::new();
    assert!(matches!(vec.try_reserve(2), Err(ViewError::NotUnique)));
    assert_eq!((vec.len(), vec.capacity()), (0, 0));
    assert!(catch_unwind(AssertUnwindSafe(|| (0..2).for_each(|value| vec.push(value)))).is_err());
    assert!(vec.len() < 2);
    assert!(catch_unwind(|| RecordVec::<u32, L>::with_capacity(2)).is_err());
    assert!(catch_unwind(|| (0..3).collect::<RecordVec<u32, L>>()).is_err());
    assert!(catch_unwind(|| [[1, 2], [3, 4]].into_iter().collect::<Jagged<u32, L>>()).is_err());
}

#[test]
fn vectors_have_no_elements_that_share_bytes() {
    one_element_at_most::<One>();
    one_element_at_most::<Byteswap<One>>();
    one_element_at_most::<ChangeType<One, u32, u16>>();
}

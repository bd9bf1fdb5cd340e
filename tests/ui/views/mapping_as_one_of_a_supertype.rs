//! A checked mapping becomes one of a supertype, whose number of lanes nobody checked.
#![allow(coherence_leak_check)]

use core::marker::PhantomData;

use layout::constant::{AoSoABy, Constant};
use layout::prelude::*;

struct Number<T>(PhantomData<T>);

impl Constant for Number<for<'a> fn(&'a u8)> {
    const VALUE: usize = 8;
}

impl Constant for Number<fn(&'static u8)> {
    const VALUE: usize = 0;
}

type Of<T> = Mapped<[u8; 2], DynExtents<1>, AoSoABy<Number<T>>>;

fn unchecked(checked: Of<for<'a> fn(&'a u8)>) -> Of<fn(&'static u8)> {
    checked
}

fn main() {}

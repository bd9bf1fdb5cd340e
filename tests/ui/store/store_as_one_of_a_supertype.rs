//! A store becomes one in a layout of a supertype, which puts leaves where the store has no memory.
#![allow(coherence_leak_check)]

use core::marker::PhantomData;

use layout::SoASingle;
use layout::constant::{AlignBy, Constant};
use layout_store::{Dim, Store};

struct Number<T>(PhantomData<T>);

impl Constant for Number<for<'a> fn(&'a u8)> {
    const VALUE: usize = 64;
}

impl Constant for Number<fn(&'static u8)> {
    const VALUE: usize = 1 << 20;
}

type Of<T> = Store<[u32; 2], Dim<1>, SoASingle<AlignBy<Number<T>>>>;

fn larger(small: Of<for<'a> fn(&'a u8)>) -> Of<fn(&'static u8)> {
    small
}

fn main() {}

//! A number of lanes that is computed from a type is zero.

use core::marker::PhantomData;

use layout::constant::AoSoABy;
use layout::constant::Constant;
use layout::prelude::*;

struct PerLine<R>(PhantomData<R>);

impl<R: Record> Constant for PerLine<R> {
    const VALUE: usize = 64 / size_of::<R>();
}

fn main() {
    let _ = <[f64; 9]>::alloc::<AoSoABy<PerLine<[f64; 9]>>>(100);
}

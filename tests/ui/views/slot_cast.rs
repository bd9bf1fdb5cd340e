//! A slot is cast, not its value.

use layout::prelude::*;

#[derive(Clone, Copy, Record)]
struct Hit {
    channel: u16,
    energy: f32,
}

fn main() {
    let view = alloc::<Hit, SoA, _>(4).unwrap();
    let _ = view.at(1).channel as usize;
}

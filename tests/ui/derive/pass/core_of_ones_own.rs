// A crate may put another one in the place of `core`: the derive measures offsets all the same, and macros do not use it.
#![forbid(unsafe_code)]

extern crate self as core;

pub mod marker {
    pub use std::marker::*;
}

pub mod primitive {
    pub use std::primitive::*;
}

pub mod mem {
    macro_rules! offset_of {
        ($($tokens:tt)*) => {
            1
        };
    }
    pub(crate) use offset_of;

    pub const fn size_of<T>() -> usize {
        1
    }
}

use layout::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Hit {
    id: u8,
    energy: f64,
    seen: bool,
}

fn main() {
    let _ = (mem::offset_of!(Hit, id), mem::size_of::<Hit>());
    let hits = [Hit { id: 90, energy: 2.0, seen: true }, Hit { id: 91, energy: 4.0, seen: false }];
    let mapping = Mapped::<Hit, _, AoS<layout::Aligned, layout::Native>>::new(extents!(dyn 2)).unwrap();
    assert_eq!(View::from_records(mapping, &hits).unwrap().to_vec(), hits);
    assert_eq!(<layout::path!(Hit, energy) as layout::Path>::LEAF, 1);
}

use layout::prelude::*;
use layout::record::{Child, Root, Select};

#[derive(Clone, Copy, Record)]
struct Hit {
    id: u8,
    flags: [bool; 0],
}

/// A path value of one's own.
struct First;

impl Select for First {
    type Path = Child<Child<Root<Hit>, 1>, 0>;
}

fn main() {
    let hits = alloc::<Hit, SoA, _>(3).unwrap();
    println!("{}", hits.field(First).get(0));
}

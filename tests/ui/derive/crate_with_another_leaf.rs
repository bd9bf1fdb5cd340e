// A module that hands on `layout`, with another unsafe trait in the place of `Leaf`: the derive would implement that.
mod evil {
    pub mod __private {
        pub use bytemuck::Zeroable as Leaf;
        pub use layout::__private::{
            Access, AccessMut, ColumnKind, Columns, Extend, GiveColumn, Node, Option, Path, Portable, PortableError, Record,
            Result, Scalar, Slices, Slot, TakeColumn, read_record, write_record,
        };
    }
}

#[derive(Clone, Copy, layout::Record)]
#[record(leaf, crate = evil)]
struct Name(&'static str);

fn main() {
    println!("{}", <Name as bytemuck::Zeroable>::zeroed().0);
}

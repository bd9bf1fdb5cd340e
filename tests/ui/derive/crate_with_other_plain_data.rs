// A module that hands on `layout`, with a trait that all types have in the place of `PlainData`.
mod evil {
    pub mod __private {
        pub use layout::__private::*;

        pub trait PlainData {}

        impl<F> PlainData for F {}
    }
}

#[derive(Clone, Copy, layout::Record)]
#[record(crate = evil)]
struct Name {
    #[record(as = [usize; 2])]
    text: &'static str,
}

fn main() {}

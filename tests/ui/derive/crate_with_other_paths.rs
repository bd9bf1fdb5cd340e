// A module that hands on `layout`, with paths of its own: all fields would be one leaf.
mod evil {
    pub mod __private {
        pub use layout::__private::*;

        pub trait Pick {
            type Of<P>;
        }
        pub struct Number<const I: usize>;
        impl<const I: usize> Pick for Number<I> {
            type Of<P> = layout::record::Child<P, 0>;
        }
        pub type Child<P, const I: usize> = <Number<I> as Pick>::Of<P>;
    }
}

#[derive(Clone, Copy, layout::Record)]
#[record(crate = evil)]
struct Pair {
    a: f32,
    b: f32,
}

fn main() {
    let mut view = layout::alloc::<Pair, layout::SoA, _>(1).unwrap();
    let pair = view.at_mut(0);
    let (a, b) = (pair.a.into_mut(), pair.b.into_mut());
    core::mem::swap(a, b);
}

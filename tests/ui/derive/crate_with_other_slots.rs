// A module that hands on `layout`, with slots of its own: they would have the access to the leaf, which can be copied.
mod evil {
    pub mod __private {
        pub use layout::__private::*;

        pub struct Slot<A, P>(pub A, core::marker::PhantomData<P>);
        impl<A, P> Slot<A, P> {
            pub fn new(access: A) -> Self {
                Self(access, core::marker::PhantomData)
            }
            pub fn get<T>(_: &Self) -> T {
                unimplemented!()
            }
            pub fn set<T>(_: &mut Self, _: T) {}
        }
    }
}

use layout::Record;

#[derive(Clone, Copy, bytemuck::NoUninit, bytemuck::CheckedBitPattern, Record)]
#[record(leaf, crate = evil)]
#[repr(transparent)]
struct Id(u8);

fn main() {
    let mut view = layout::alloc::<Id, layout::SoA, _>(1).unwrap();
    // Two ways to one leaf, through which two mutable references to it could be had.
    let access = view.at_mut(0).0;
    let _ = (Id::bind::<_, layout::record::Root<Id>>(access), Id::bind::<_, layout::record::Root<Id>>(access));
}

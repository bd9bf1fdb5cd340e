//! `Clone` and `Copy` of types with a parameter that is not a part of the value, which a derive would ask to be `Copy` too.

macro_rules! copied {
    ([$($parameters:tt)*] $type:ty) => {
        impl<$($parameters)*> Clone for $type {
            #[inline(always)]
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<$($parameters)*> Copy for $type {}
    };
}

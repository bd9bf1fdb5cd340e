//! `Clone` and `Copy` for types with a parameter that is not part of the value. A derive would require that parameter to be `Copy` too.

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

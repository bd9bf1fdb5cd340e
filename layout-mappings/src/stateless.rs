//! What layouts without state have in common: their values are all equal.

macro_rules! stateless {
    ([$($parameters:tt)*] $layout:ty) => {
        impl<$($parameters)*> Default for $layout {
            fn default() -> Self {
                Self(PhantomData)
            }
        }

        impl<$($parameters)*> Clone for $layout {
            #[inline(always)]
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<$($parameters)*> Copy for $layout {}

        impl<$($parameters)*> PartialEq for $layout {
            fn eq(&self, _: &Self) -> bool {
                true
            }
        }
    };
}

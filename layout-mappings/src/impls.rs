//! Impls that layouts and their options have in common, whatever their parameters.

/// Implements the trait of options for each option, with its constant.
macro_rules! options {
    ($trait:ident::$constant:ident: $type:ty; $($option:ty = $value:expr),+) => {$(
        impl $trait for $option {
            const $constant: $type = $value;
        }
    )+};
}

/// `Default`, `Clone`, `Copy` and `PartialEq` for a layout made of parts. A derive would require them of all parameters.
macro_rules! of_parts {
    ([$($parameter:ident),+] $layout:ty { $($part:ident: $type:ident),+; $marker:ident }) => {
        impl<$($parameter),+> Default for $layout
        where
            $($type: Default),+
        {
            fn default() -> Self {
                Self { $($part: $type::default(),)+ $marker: PhantomData }
            }
        }

        impl<$($parameter),+> Clone for $layout
        where
            $($type: Copy),+
        {
            #[inline(always)]
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<$($parameter),+> Copy for $layout where $($type: Copy),+ {}

        impl<$($parameter),+> PartialEq for $layout
        where
            $($type: PartialEq),+
        {
            fn eq(&self, other: &Self) -> bool {
                true $(&& self.$part == other.$part)+
            }
        }
    };
}

/// The same for a layout without state, whose values are all equal.
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

//! The impls of `Record` and `Leaf` for a type that is one leaf.

use proc_macro2::TokenStream;
use quote::quote;

use crate::emit::bounds::bounded;
use crate::model::Model;

/// ```text
/// unsafe impl Record for Rgb {
///     const TREE: &'static Node = &Node::leaf::<Self>();
///     type Origin = Self;
///     type Slots<__A: Copy, __P: Path<Type = Self>> = Slot<__A, __P>;
///
///     fn bind<__A: Copy, __P: Path<Type = Self>>(__access: __A) -> <Self as Record>::Slots<__A, __P> {
///         <Self as Record>::slot(__access)
///     }
///
///     fn load<__A: Scalar, __P: Path<Root = __A::Record, Type = Self>>(__slots: &<Self as Record>::Slots<__A, __P>) -> Self {
///         __A::value(Slot::get(__slots))
///     }
///
///     fn store<__A: Scalar + AccessMut, __P: Path<Root = __A::Record, Type = Self>>(
///         self,
///         __slots: &mut <Self as Record>::Slots<__A, __P>,
///     ) {
///         Slot::set(__slots, __A::wrap(self));
///     }
/// }
/// // An item by name, which no other unsafe trait has.
/// unsafe impl Leaf for Rgb {
///     const ANY_BITS: bool = false;
/// }
/// ```
pub(super) fn impls(model: &Model<'_>) -> TokenStream {
    let Model { this, private, fresh, .. } = model;
    let (access, path) = (&fresh.access, &fresh.path);
    // Not `Self::Slots`, which may be a variant of an enum.
    let slots = quote!(<Self as #private::Record>::Slots<#access, #path>);
    let generics = bounded(model, &[]);
    let (parameters, _, bounds) = generics.split_for_impl();
    quote! {
        #[automatically_derived]
        unsafe impl #parameters #private::Record for #this #bounds {
            const TREE: &'static #private::Node = &#private::Node::leaf::<Self>();
            type Origin = Self;
            type Slots<#access: ::core::marker::Copy, #path: #private::Path<Type = Self>> =
                #private::Slot<#access, #path>;

            #[inline(always)]
            fn bind<#access: ::core::marker::Copy, #path: #private::Path<Type = Self>>(
                __access: #access,
            ) -> #slots {
                <Self as #private::Record>::slot(__access)
            }

            #[inline(always)]
            fn load<
                #access: #private::Scalar,
                #path: #private::Path<Root = <#access as #private::Access>::Record, Type = Self>,
            >(__slots: &#slots) -> Self {
                <#access as #private::Scalar>::value(#private::Slot::get(__slots))
            }

            #[inline(always)]
            fn store<
                #access: #private::Scalar + #private::AccessMut,
                #path: #private::Path<Root = <#access as #private::Access>::Record, Type = Self>,
            >(self, __slots: &mut #slots) {
                #private::Slot::set(__slots, <#access as #private::Scalar>::wrap(self));
            }
        }

        #[automatically_derived]
        unsafe impl #parameters #private::Leaf for #this #bounds {
            const ANY_BITS: ::core::primitive::bool = false;
        }
    }
}

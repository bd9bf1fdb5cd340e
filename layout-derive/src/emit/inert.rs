//! Inert impls for a type that cannot be a record, next to the errors that say why.

use proc_macro2::TokenStream;
use quote::quote;

use crate::emit::portable;
use crate::model::Model;

/// Emits a record without fields, so that code that names the type as a record gets no second error.
///
/// The type may fail to be `Copy`, by the same mistake that is reported. With the bound, this impl holds only if the
/// type is `Copy`; `for<'__any>` keeps rustc from reporting a bound that never holds.
///
/// ```text
/// unsafe impl Record for Particle
/// where
///     Self: 'static,
///     for<'__any> Self: Copy + Send + Sync,
/// {
///     const TREE: &'static Node = &Node::branch::<Self>(&[]);
///     type Origin = Self;
///     type Slots<__A: Copy, __P: Path<Type = Self>> = Slot<__A, __P>;
///     // bodies that never run
/// }
/// ```
pub(crate) fn impls(model: &Model<'_>) -> TokenStream {
    // A type with a lifetime is not `'static`, and the bound would be a second error.
    if model.generics.lifetimes().next().is_some() {
        return TokenStream::new();
    }
    let Model { this, private, fresh, .. } = model;
    let (access, path) = (&fresh.access, &fresh.path);
    let mut generics = model.generics.clone();
    let clause = generics.make_where_clause();
    clause.predicates.push(syn::parse_quote!(Self: 'static));
    clause.predicates.push(syn::parse_quote!(
        for<'__any> Self: ::core::marker::Copy + ::core::marker::Send + ::core::marker::Sync
    ));
    // Not `Self::Slots`, which may be a variant of an enum.
    let slots = quote!(<Self as #private::Record>::Slots<#access, #path>);
    let portable = portable::of(model, &generics);
    let (parameters, _, bounds) = generics.split_for_impl();
    quote! {
        #portable

        #[automatically_derived]
        unsafe impl #parameters #private::Record for #this #bounds {
            const TREE: &'static #private::Node = &#private::Node::branch::<Self>(&[]);
            type Origin = Self;
            type Slots<#access: ::core::marker::Copy, #path: #private::Path<Type = Self>> =
                #private::Slot<#access, #path>;

            fn bind<#access: ::core::marker::Copy, #path: #private::Path<Type = Self>>(
                _: #access,
            ) -> #slots {
                ::core::unreachable!()
            }

            fn load<
                #access: #private::Scalar,
                #path: #private::Path<Root = <#access as #private::Access>::Record, Type = Self>,
            >(_: &#slots) -> Self {
                ::core::unreachable!()
            }

            fn store<
                #access: #private::Scalar + #private::AccessMut,
                #path: #private::Path<Root = <#access as #private::Access>::Record, Type = Self>,
            >(self, _: &mut #slots) {
                ::core::unreachable!()
            }
        }
    }
}

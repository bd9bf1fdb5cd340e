//! The struct of slots of a record, and its methods.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::parse_quote;

use crate::emit::bounds::{bounded, spanned_as};
use crate::emit::slots_generics;
use crate::model::{Field, Model};

/// The struct of slots, its `load` and `store`, and its use as a path value.
pub(super) fn items(model: &Model<'_>, fields: &[Field<'_>], tuple: bool) -> TokenStream {
    let definition = definition(model, fields, tuple);
    let methods = methods(model, fields);
    let select = select(model, fields);
    quote!(#definition #methods #select)
}

/// Emits the struct of slots: for each field of the record, the slots of its type.
///
/// ```text
/// /// The places of the fields of [`Particle`].
/// pub struct ParticleSlots<__A: Copy, __P: Path<Type = Particle>> {
///     pub pos: <Vec3<f32> as Record>::Slots<__A, Child<__P, 0>>,
///     mass: <f32 as Record>::Slots<__A, Child<__P, 1>>,
/// }
/// ```
fn definition(model: &Model<'_>, fields: &[Field<'_>], tuple: bool) -> TokenStream {
    let Model { visibility, private, fresh, docs, .. } = model;
    let (access, path) = (&fresh.access, &fresh.path);
    let slots_fields = fields.iter().enumerate().map(|(i, field)| {
        let Field { member, text, visibility, docs, ty, .. } = field;
        let place = format!("The place of `{text}`.");
        let name = (!tuple).then(|| quote!(#member:));
        quote! {
            #[doc = #place]
            #[doc = ""]
            #(#docs)*
            #visibility #name <#ty as #private::Record>::Slots<#access, #private::Child<#path, #i>>
        }
    });
    let body = quote!(#(#slots_fields,)*);
    let generics = slots_generics(model, fields);
    let (parameters, _, bounds) = generics.split_for_impl();
    let slots = &fresh.slots;
    let title = format!("The places of the fields of [`{}`].", model.name);
    let head = quote! {
        #[doc = #title]
        #[doc = ""]
        #(#docs)*
        #visibility struct #slots #parameters
    };
    if tuple { quote!(#head (#body) #bounds;) } else { quote!(#head #bounds { #body }) }
}

/// ```text
/// impl<__A: Scalar, __P: Path<Root = __A::Record, Type = Particle>> ParticleSlots<__A, __P> {
///     /// Reads the whole [`Particle`].
///     pub fn load(&self) -> Particle {
///         <Particle as Record>::load::<__A, __P>(self)
///     }
///
///     /// Writes the whole [`Particle`].
///     pub fn store(&mut self, value: Particle)
///     where
///         __A: AccessMut,
///     {
///         <Particle as Record>::store::<__A, __P>(value, self);
///     }
/// }
/// ```
///
/// ```text
/// impl<__A: Scalar, __P: Path<Root = __A::Record, Type = Particle>> Debug for ParticleSlots<__A, __P>
/// where
///     __P::Type: Debug,
/// {
///     fn fmt(&self, __f: &mut Formatter<'_>) -> fmt::Result {
///         Debug::fmt(&<Particle as Record>::load::<__A, __P>(self), __f)
///     }
/// }
/// ```
///
/// `__P::Type` is the record. A bound that names it without a parameter would have to hold.
///
/// With `#[record(as = glam::Vec3)]`, `load` returns `<glam::Vec3 as From<Vec3>>::from(..)`, and `store` takes a
/// `glam::Vec3`, which it converts to a `Vec3` by `From`.
fn methods(model: &Model<'_>, fields: &[Field<'_>]) -> TokenStream {
    let Model { name, this, private, fresh, .. } = model;
    let (slots, access, path) = (&fresh.slots, &fresh.access, &fresh.path);
    let mut generics = bounded(model, fields);
    generics.params.push(parse_quote!(#access: #private::Scalar));
    generics.params.push(parse_quote!(
        #path: #private::Path<Root = <#access as #private::Access>::Record, Type = #this>
    ));
    let mut shown = generics.clone();
    shown.make_where_clause().predicates.push(parse_quote!(<#path as #private::Path>::Type: #private::fmt::Debug));
    let (_, _, shown) = shown.split_for_impl();
    let (parameters, _, bounds) = generics.split_for_impl();
    let arguments = slots_arguments(model, &quote!(#access), &quote!(#path));
    let (value, loaded, stored, like) = match &model.value {
        None => (this.clone(), quote!(__record), quote!(__value), String::new()),
        Some(ty) => {
            // Errors about missing conversions belong on the type.
            let from = |to: &TokenStream, from: &TokenStream| {
                spanned_as(ty, quote!(<#to as ::core::convert::From<#from>>::from))
            };
            let (into, back) = (from(&quote!(#ty), this), from(this, &quote!(#ty)));
            (quote!(#ty), quote!(#into(__record)), quote!(#back(__value)), format!(" as a `{}`", ty.to_token_stream()))
        }
    };
    let load = format!("Reads the whole [`{name}`]{like}.");
    let store = format!("Writes the whole [`{name}`]{like}.");
    quote! {
        #[automatically_derived]
        impl #parameters #slots #arguments #bounds {
            #[doc = #load]
            #[inline(always)]
            #[must_use]
            pub fn load(&self) -> #value {
                let __record = <#this as #private::Record>::load::<#access, #path>(self);
                #loaded
            }

            #[doc = #store]
            #[inline(always)]
            #[track_caller]
            pub fn store(&mut self, __value: #value)
            where
                #access: #private::AccessMut,
            {
                <#this as #private::Record>::store::<#access, #path>(#stored, self);
            }
        }

        #[automatically_derived]
        impl #parameters #private::fmt::Debug for #slots #arguments #shown {
            fn fmt(&self, __f: &mut #private::fmt::Formatter<'_>) -> #private::fmt::Result {
                #private::fmt::Debug::fmt(&<#this as #private::Record>::load::<#access, #path>(self), __f)
            }
        }
    }
}

/// ```text
/// impl<__P: Path<Type = Particle>> Select for ParticleSlots<Naming, __P> {
///     type Path = __P;
/// }
/// ```
fn select(model: &Model<'_>, fields: &[Field<'_>]) -> TokenStream {
    let Model { this, private, fresh, .. } = model;
    let (slots, path) = (&fresh.slots, &fresh.path);
    let mut generics = bounded(model, fields);
    generics.params.push(parse_quote!(#path: #private::Path<Type = #this>));
    let (parameters, _, bounds) = generics.split_for_impl();
    let arguments = slots_arguments(model, &quote!(#private::Naming), &quote!(#path));
    quote! {
        #[automatically_derived]
        impl #parameters #private::Select for #slots #arguments #bounds {
            type Path = #path;
        }
    }
}

/// `<T, access, path>`.
pub(super) fn slots_arguments(model: &Model<'_>, access: &TokenStream, path: &TokenStream) -> TokenStream {
    let own = &model.arguments;
    quote!(<#(#own,)* #access, #path>)
}

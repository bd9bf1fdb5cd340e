//! The impls of `Record` and `Field` for a struct, and its `PATHS`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse_quote;

use crate::emit::bounds::{bounded, spanned_as};
use crate::emit::slots::slots_arguments;
use crate::model::{Field, Model, Skipped};

/// The impls for the struct itself.
pub(super) fn impls(model: &Model<'_>, fields: &[Field<'_>]) -> TokenStream {
    let record = record(model, fields);
    let field_types = field_types(model, fields);
    let children = children(model, fields);
    let paths = paths(model, fields);
    quote!(#record #field_types #children #paths)
}

/// ```text
/// unsafe impl Record for Particle {
///     const TREE: &'static Node =
///         &Node::branch::<Self>(&[<Self as Field<0>>::NODE, <Self as Field<1>>::NODE]);
///     type Origin = Self;
///     type Slots<__A: Copy, __P: Path<Type = Self>> = ParticleSlots<__A, __P>;
///
///     // Each value comes through the field's own slots: two elements may have had theirs swapped.
///     fn load<__A: Scalar, __P: Path<Root = __A::Record, Type = Self>>(__slots: &Self::Slots<__A, __P>) -> Self {
///         Self {
///             pos: <Vec3<f32> as Record>::load::<__A, Child<__P, 0>>(&__slots.pos),
///             mass: <f32 as Record>::load::<__A, Child<__P, 1>>(&__slots.mass),
///         }
///     }
///
///     fn store<__A: Scalar + AccessMut, __P: Path<Root = __A::Record, Type = Self>>(
///         self,
///         __slots: &mut Self::Slots<__A, __P>,
///     ) {
///         <Vec3<f32> as Record>::store::<__A, Child<__P, 0>>(self.pos, &mut __slots.pos);
///         <f32 as Record>::store::<__A, Child<__P, 1>>(self.mass, &mut __slots.mass);
///     }
/// }
/// ```
///
/// A field that is stored as another type is loaded as `<Self as Field<0>>::declared(..)`, and
/// `<Self as Field<0>>::stored(self.pos)` is stored. A skipped field is loaded as `Default::default()`.
fn record(model: &Model<'_>, fields: &[Field<'_>]) -> TokenStream {
    let Model { this, private, fresh, .. } = model;
    let (slots, access, path) = (&fresh.slots, &fresh.access, &fresh.path);
    let generics = bounded(model, fields);
    let (parameters, _, bounds) = generics.split_for_impl();
    let slots_arguments = slots_arguments(model, &quote!(#access), &quote!(#path));

    let members: Vec<_> = fields.iter().map(|field| &field.member).collect();
    let types: Vec<_> = fields.iter().map(|field| &field.ty).collect();
    let numbers: Vec<_> = (0..fields.len()).collect();
    let loaded = fields.iter().enumerate().map(|(i, Field { ty, member, declared, .. })| {
        let load = quote!(
            <#ty as #private::Record>::load::<#access, #private::Child<#path, #i>>(&__slots.#member)
        );
        if declared.is_some() { quote!(<Self as #private::Field<#i>>::declared(#load)) } else { load }
    });
    let stored = fields.iter().enumerate().map(|(i, Field { member, declared, .. })| match declared {
        Some(_) => quote!(<Self as #private::Field<#i>>::stored(self.#member)),
        None => quote!(self.#member),
    });
    let skipped = model
        .skipped
        .iter()
        .map(|Skipped { member, ty }| quote!(#member: <#ty as ::core::default::Default>::default(),));

    quote! {
        #[automatically_derived]
        unsafe impl #parameters #private::Record for #this #bounds {
            const TREE: &'static #private::Node =
                &#private::Node::branch::<Self>(&[#(<Self as #private::Field<#numbers>>::NODE,)*]);
            type Origin = Self;
            type Slots<#access: ::core::marker::Copy, #path: #private::Path<Type = Self>> =
                #slots #slots_arguments;

            #[inline(always)]
            fn load<
                #access: #private::Scalar,
                #path: #private::Path<Root = <#access as #private::Access>::Record, Type = Self>,
            >(__slots: &Self::Slots<#access, #path>) -> Self {
                Self {
                    #(#members: #loaded,)*
                    #(#skipped)*
                }
            }

            #[inline(always)]
            fn store<
                #access: #private::Scalar + #private::AccessMut,
                #path: #private::Path<Root = <#access as #private::Access>::Record, Type = Self>,
            >(self, __slots: &mut Self::Slots<#access, #path>) {
                #(<#types as #private::Record>::store::<#access, #private::Child<#path, #numbers>>(
                    #stored,
                    &mut __slots.#members,
                );)*
            }
        }
    }
}

/// The offset of a field is measured: `offset_of!` would need a path, which could lead to another macro.
///
/// ```text
/// unsafe impl Field<0> for Particle {
///     type Type = Vec3<f32>;
///     const NAME: &'static str = "pos";
///     const OFFSET: usize = {
///         let __bytes = <Self as Record>::BYTES;
///         let __start = (&raw const __bytes).cast::<Self>();
///         // SAFETY: the field lies in the bytes of the struct.
///         unsafe { (&raw const (*__start).pos).byte_offset_from(__start) }.cast_unsigned()
///     };
///     // If the field is stored as another type: the distance to a field after this one, in an array of them.
///     const SIZE: usize = {
///         assert_same_size::<glam::Vec3, Vec3<f32>>();
///         let __bytes = <Self as Record>::BYTES;
///         let __start = (&raw const __bytes).cast::<Self>();
///         // SAFETY: the field lies in the bytes of the struct.
///         let __field = unsafe { &raw const (*__start).pos };
///         // SAFETY: the end of the field lies in the bytes of the struct, or right after them.
///         unsafe { __field.add(1).byte_offset_from(__field) }.cast_unsigned()
///     };
/// }
/// ```
fn field_types(model: &Model<'_>, fields: &[Field<'_>]) -> TokenStream {
    let Model { this, private, .. } = model;
    let generics = bounded(model, fields);
    let (parameters, _, bounds) = generics.split_for_impl();
    fields
        .iter()
        .enumerate()
        .map(|(i, field)| {
            let Field { ty, text, member, declared, .. } = field;
            // Rustc reports a private type in a public record here, so the error belongs on the field.
            let definition = spanned_as(ty, quote!(type Type = #ty;));
            let size = declared.as_ref().map(|own| {
                // `NODE` compares the sizes too; this error is at the type.
                let assertion = spanned_as(ty, quote!(#private::assert_same_size::<#own, #ty>()));
                quote! {
                    const SIZE: ::core::primitive::usize = {
                        #assertion;
                        let __bytes = <Self as #private::Record>::BYTES;
                        let __start = (&raw const __bytes).cast::<Self>();
                        // SAFETY: the field lies in the bytes of the struct.
                        let __field = unsafe { &raw const (*__start).#member };
                        // SAFETY: the end of the field lies in the bytes of the struct, or right after them.
                        unsafe { __field.add(1).byte_offset_from(__field) }.cast_unsigned()
                    };
                }
            });
            quote! {
                #[automatically_derived]
                unsafe impl #parameters #private::Field<#i> for #this #bounds {
                    #definition
                    const NAME: &'static ::core::primitive::str = #text;
                    const OFFSET: ::core::primitive::usize = {
                        let __bytes = <Self as #private::Record>::BYTES;
                        let __start = (&raw const __bytes).cast::<Self>();
                        // SAFETY: the field lies in the bytes of the struct.
                        unsafe { (&raw const (*__start).#member).byte_offset_from(__start) }.cast_unsigned()
                    };
                    #size
                }
            }
        })
        .collect()
}

/// Checks that `Child` in the slots is the path of the field, whatever the module `__private` calls `Child`.
///
/// ```text
/// fn __children<__P: Path<Type = Particle>>() {
///     let _: Child<__P, 0> = <Particle as Field<0>>::child::<__P>();
///     let _: Child<__P, 1> = <Particle as Field<1>>::child::<__P>();
/// }
/// ```
fn children(model: &Model<'_>, fields: &[Field<'_>]) -> TokenStream {
    let Model { this, private, fresh, .. } = model;
    let path = &fresh.path;
    let mut generics = bounded(model, fields);
    generics.params.push(parse_quote!(#path: #private::Path<Type = #this>));
    let (parameters, _, bounds) = generics.split_for_impl();
    let numbers = 0..fields.len();
    quote! {
        fn __children #parameters () #bounds {
            #(let _: #private::Child<#path, #numbers> =
                <#this as #private::Field<#numbers>>::child::<#path>();)*
        }
    }
}

/// ```text
/// impl Particle {
///     /// The paths of the fields of [`Particle`].
///     pub const PATHS: <Self as Record>::Slots<Naming, Root<Self>> = paths::<Self>();
/// }
/// ```
fn paths(model: &Model<'_>, fields: &[Field<'_>]) -> TokenStream {
    let Model { name, this, visibility, private, .. } = model;
    let generics = bounded(model, fields);
    let (parameters, _, bounds) = generics.split_for_impl();
    let title = format!("The paths of the fields of [`{name}`].");
    quote! {
        #[automatically_derived]
        impl #parameters #this #bounds {
            #[doc = #title]
            #visibility const PATHS: <Self as #private::Record>::Slots<#private::Naming, #private::Root<Self>> =
                #private::paths::<Self>();
        }
    }
}

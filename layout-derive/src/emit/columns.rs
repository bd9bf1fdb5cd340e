//! The struct of columns of a record, and the impl of `Columns`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{TypeParam, parse_quote};

use crate::emit::bounds::{bounded, with_columns};
use crate::model::{Field, Model, mentions};

/// The struct, for the user's module, and the impls.
pub(super) fn items(model: &Model<'_>, fields: &[Field<'_>], tuple: bool) -> (TokenStream, TokenStream) {
    (definition(model, fields, tuple), impls(model, fields))
}

/// ```text
/// /// The columns of the fields of [`Particle`].
/// pub struct ParticleColumns<'columns, K: ColumnKind = Slices>
/// where
///     Vec3<f32>: Columns,
/// {
///     pub pos: <Vec3<f32> as Columns>::Columns<'columns, K>,
///     mass: <f32 as Columns>::Columns<'columns, K>,
/// }
/// // With a parameter of which no value is stored, the type of the first field is `<Particle<U> as Field<0>>::Type`.
/// ```
fn definition(model: &Model<'_>, fields: &[Field<'_>], tuple: bool) -> TokenStream {
    let Model { this, visibility, private, fresh, docs, .. } = model;
    let (columns, kind, lifetime) = (&fresh.columns, &fresh.kind, &fresh.lifetime);
    let is_used =
        |parameter: &TypeParam| fields.iter().any(|field| mentions(field.ty.to_token_stream(), &parameter.ident));
    // A struct must use its parameters: then the first field's type is named as that of a field of the record.
    let through_record = !model.generics.type_params().all(is_used);
    let columns_fields = fields.iter().enumerate().map(|(number, field)| {
        let Field { member, text, visibility, docs, ty, .. } = field;
        let ty = match number {
            0 if through_record => quote!(<#this as #private::Field<0>>::Type),
            _ => ty.to_token_stream(),
        };
        let title = format!("The column of `{text}`.");
        let name = (!tuple).then(|| quote!(#member:));
        quote! {
            #[doc = #title]
            #[doc = ""]
            #(#docs)*
            #visibility #name <#ty as #private::Columns>::Columns<#lifetime, #kind>
        }
    });
    let body = quote!(#(#columns_fields,)*);
    let generics = if through_record { bounded(model, fields) } else { model.generics.clone() };
    let mut generics = with_columns(model, fields, generics);
    generics.params.insert(0, parse_quote!(#lifetime));
    generics.params.push(parse_quote!(#kind: #private::ColumnKind = #private::Slices));
    let bounds = &generics.where_clause;
    let parameters = generics.params.iter();
    let title = format!("The columns of the fields of [`{}`].", model.name);
    let allow = model.deprecated.then(|| quote!(#[allow(deprecated)]));
    let head = quote! {
        #allow
        #[doc = #title]
        #[doc = ""]
        #(#docs)*
        #visibility struct #columns <#(#parameters),*>
    };
    if tuple { quote!(#head (#body) #bounds;) } else { quote!(#head #bounds { #body }) }
}

/// ```text
/// impl<'columns, K: ColumnKind> ParticleColumns<'columns, K> {
///     /// The columns, borrowed as slices.
///     pub fn as_slices(&self) -> ParticleColumns<'_, Slices> {
///         <Particle as Columns>::as_slices(self)
///     }
/// }
///
/// impl Columns for Particle {
///     type Columns<'columns, K: ColumnKind> = ParticleColumns<'columns, K>;
///
///     fn take<'columns, K: ColumnKind>(__next: &mut impl TakeColumn<'columns, K>) -> Option<Self::Columns<'columns, K>> {
///         Some(ParticleColumns {
///             pos: <Vec3<f32> as Columns>::take(__next)?,
///             mass: <f32 as Columns>::take(__next)?,
///         })
///     }
///
///     fn as_slices<'columns, K: ColumnKind>(__columns: &'columns Self::Columns<'_, K>) -> Self::Columns<'columns, Slices> {
///         ParticleColumns {
///             pos: <Vec3<f32> as Columns>::as_slices::<K>(&__columns.pos),
///             mass: <f32 as Columns>::as_slices::<K>(&__columns.mass),
///         }
///     }
///
///     fn give<'columns>(__columns: Self::Columns<'columns, Slices>, __each: &mut impl GiveColumn<'columns>) {
///         <Vec3<f32> as Columns>::give(__columns.pos, __each);
///         <f32 as Columns>::give(__columns.mass, __each);
///     }
/// }
/// ```
fn impls(model: &Model<'_>, fields: &[Field<'_>]) -> TokenStream {
    let Model { this, private, fresh, .. } = model;
    let (columns, kind, lifetime) = (&fresh.columns, &fresh.kind, &fresh.lifetime);
    let generics = with_columns(model, fields, bounded(model, fields));
    let (parameters, _, bounds) = generics.split_for_impl();
    let of = |lifetime: TokenStream, kind: TokenStream| {
        let own = &model.arguments;
        quote!(#columns<#lifetime, #(#own,)* #kind>)
    };
    let slices = quote!(#private::Slices);
    let (made, borrowed) = (of(quote!(#lifetime), quote!(#kind)), of(quote!('_), slices.clone()));
    let mut with_kind = generics.clone();
    with_kind.params.insert(0, parse_quote!(#lifetime));
    with_kind.params.push(parse_quote!(#kind: #private::ColumnKind));
    let (kind_parameters, _, _) = with_kind.split_for_impl();
    let members: Vec<_> = fields.iter().map(|field| &field.member).collect();
    let types: Vec<_> = fields.iter().map(|field| &field.ty).collect();
    quote! {
        #[automatically_derived]
        impl #kind_parameters #made #bounds {
            /// The columns, borrowed as slices.
            #[must_use]
            pub fn as_slices(&self) -> #borrowed {
                <#this as #private::Columns>::as_slices::<#kind>(self)
            }
        }

        #[automatically_derived]
        impl #parameters #private::Columns for #this #bounds {
            type Columns<#lifetime, #kind: #private::ColumnKind> = #made;

            fn take<#lifetime, #kind: #private::ColumnKind>(
                __next: &mut impl #private::TakeColumn<#lifetime, #kind>,
            ) -> #private::Option<Self::Columns<#lifetime, #kind>> {
                #private::Option::Some(#columns {
                    #(#members: <#types as #private::Columns>::take::<#kind>(__next)?,)*
                })
            }

            fn as_slices<#lifetime, #kind: #private::ColumnKind>(
                __columns: &#lifetime Self::Columns<'_, #kind>,
            ) -> Self::Columns<#lifetime, #slices> {
                #columns {
                    #(#members: <#types as #private::Columns>::as_slices::<#kind>(&__columns.#members),)*
                }
            }

            fn give<#lifetime>(
                __columns: Self::Columns<#lifetime, #slices>,
                __each: &mut impl #private::GiveColumn<#lifetime>,
            ) {
                #(<#types as #private::Columns>::give(__columns.#members, __each);)*
            }
        }
    }
}

/// A leaf is one column.
///
/// ```text
/// impl Columns for Rgb {
///     type Columns<'columns, K: ColumnKind> = <K as ColumnKind>::Column<'columns, Self>;
///
///     fn take<'columns, K: ColumnKind>(
///         __next: &mut impl TakeColumn<'columns, K>,
///     ) -> Option<<Self as Columns>::Columns<'columns, K>> {
///         TakeColumn::take(__next)
///     }
///
///     fn as_slices<'columns, K: ColumnKind>(
///         __columns: &'columns <Self as Columns>::Columns<'_, K>,
///     ) -> <Self as Columns>::Columns<'columns, Slices> {
///         <K as ColumnKind>::as_slice(__columns)
///     }
///
///     fn give<'columns>(__columns: <Self as Columns>::Columns<'columns, Slices>, __each: &mut impl GiveColumn<'columns>) {
///         GiveColumn::give(__each, __columns);
///     }
/// }
/// ```
pub(super) fn of_leaf(model: &Model<'_>) -> TokenStream {
    let Model { this, private, fresh, .. } = model;
    let (kind, lifetime) = (&fresh.kind, &fresh.lifetime);
    // Not `Self::Columns`, which may be a variant of an enum.
    let columns = quote!(<Self as #private::Columns>::Columns);
    let generics = bounded(model, &[]);
    let (parameters, _, bounds) = generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #parameters #private::Columns for #this #bounds {
            type Columns<#lifetime, #kind: #private::ColumnKind> = <#kind as #private::ColumnKind>::Column<#lifetime, Self>;

            fn take<#lifetime, #kind: #private::ColumnKind>(
                __next: &mut impl #private::TakeColumn<#lifetime, #kind>,
            ) -> #private::Option<#columns<#lifetime, #kind>> {
                #private::TakeColumn::take(__next)
            }

            fn as_slices<#lifetime, #kind: #private::ColumnKind>(
                __columns: &#lifetime #columns<'_, #kind>,
            ) -> #columns<#lifetime, #private::Slices> {
                <#kind as #private::ColumnKind>::as_slice(__columns)
            }

            fn give<#lifetime>(
                __columns: #columns<#lifetime, #private::Slices>,
                __each: &mut impl #private::GiveColumn<#lifetime>,
            ) {
                #private::GiveColumn::give(__each, __columns);
            }
        }
    }
}

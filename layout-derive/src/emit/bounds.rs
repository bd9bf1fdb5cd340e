//! Bounds on the record and its field types, so that rustc reports a mistake once.
//!
//! A dozen emitted lines use a field's type as a record and the struct as `Copy`. If one of these does not hold, each
//! line would report it. So all items have these facts as bounds, and the code inside may assume them. What remains is
//! the error on the bound itself.
//!
//! * Without generic parameters, rustc reports a bound that never holds at each item, with the same words and the same
//!   span, and shows equal errors once.
//! * With generic parameters, the caller must meet the bound, and [`assertion`] fails to compile if the user's own
//!   bounds do not imply it.
//!
//! The standard leaves need no bound. Bounds on plain data (`#[record(as = Type)]` of a field) are stated with `for<'__any>`,
//! which keeps rustc from reporting them by the name of a trait of `bytemuck`; [`assertion`] reports all of them.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{Generics, Type, TypeParam, TypeParamBound, WherePredicate};

use crate::model::{Field, Model, Skipped, mentions};
use crate::parse::Storage;

/// The record's generics, with the bounds.
///
/// ```text
/// <T: Record> where Particle<T>: Copy, Vec3<T>: Record, Color: Record
/// ```
///
/// With `#[record(as = [f32; 3])] pos: glam::Vec3` also `[f32; 3]: PlainData, glam::Vec3: PlainData`, and with
/// `#[record(skip)] cache: Cache` also `Cache: Default`.
pub(super) fn bounded(model: &Model<'_>, fields: &[Field<'_>]) -> Generics {
    let Model { name, this, private, .. } = model;
    let mut generics = model.generics.clone();
    let predicates = &mut generics.make_where_clause().predicates;
    let copy = spanned_as(name, quote!(::core::marker::Copy));
    predicates.push(syn::parse_quote!(#this: #copy));
    for ty in types(fields).into_iter().filter(|ty| !is_parameter_with_bound(model, ty, &["Record", "Columns"])) {
        add(&mut generics, ty, &spanned_as(ty, quote!(#private::Record)), None);
    }
    for ty in plain(fields).into_iter().filter(|ty| !is_parameter_with_bound(model, ty, &["PlainData"])) {
        add(&mut generics, ty, &spanned_as(ty, quote!(#private::PlainData)), Some(quote!(for<'__any>)));
    }
    let predicates = &mut generics.make_where_clause().predicates;
    for Skipped { ty, .. } in &model.skipped {
        let default = spanned_as(ty, quote!(::core::default::Default));
        predicates.push(syn::parse_quote!(#ty: #default));
    }
    generics
}

/// The same generics with the bound `Columns` for the types of the fields.
pub(super) fn with_columns(model: &Model<'_>, fields: &[Field<'_>], mut generics: Generics) -> Generics {
    let private = &model.private;
    let types = types_of(fields.iter().filter(|field| !is_standard(&field.ty)).map(|field| &field.ty));
    for ty in types.into_iter().filter(|ty| !is_parameter_with_bound(model, ty, &["Columns"])) {
        add(&mut generics, ty, &spanned_as(ty, quote!(#private::Columns)), None);
    }
    generics
}

/// Adds a bound, at the parameter itself if it has bounds there: clippy warns about bounds in two places.
fn add(generics: &mut Generics, ty: &Type, bound: &TokenStream, lifetimes: Option<TokenStream>) {
    let is_type = |parameter: &&mut TypeParam| match ty {
        Type::Path(path) => path.path.is_ident(&parameter.ident) && !parameter.bounds.is_empty(),
        _ => false,
    };
    if let Some(parameter) = generics.type_params_mut().find(is_type) {
        parameter.bounds.push(syn::parse_quote!(#bound));
    } else {
        generics.make_where_clause().predicates.push(syn::parse_quote!(#lifetimes #ty: #bound));
    }
}

/// The types of which both bytes and values are converted: those that fields are stored as, and the fields' own.
fn plain<'a>(fields: &'a [Field<'_>]) -> Vec<&'a Type> {
    types_of(fields.iter().flat_map(|Field { declared, ty, storage, .. }| {
        matches!(storage, Storage::As(_)).then_some(ty).into_iter().chain(declared)
    }))
}

/// ```text
/// fn __records<T: Real>() {
///     fn __copy<__R: Copy>() {}
///     fn __record<__R: Record>() {}
///     fn __plain<__R: PlainData>() {}
///     fn __default<__R: Default>() {}
///     __copy::<Particle<T>>();
///     __record::<Vec3<T>>();
/// }
/// ```
pub(super) fn assertion(model: &Model<'_>, fields: &[Field<'_>]) -> TokenStream {
    let Model { name, this, private, .. } = model;
    let is_generic = |ty: &&Type| {
        let mut parameters = model.generics.params.iter().map(|parameter| match parameter {
            syn::GenericParam::Lifetime(parameter) => &parameter.lifetime.ident,
            syn::GenericParam::Type(parameter) => &parameter.ident,
            syn::GenericParam::Const(parameter) => &parameter.ident,
        });
        parameters.any(|parameter| mentions(ty.to_token_stream(), parameter))
    };
    let plain = plain(fields);
    if model.generics.params.is_empty() && plain.is_empty() {
        return TokenStream::new();
    }
    let types = types(fields).into_iter().filter(is_generic);
    let skipped = model.skipped.iter().map(|skipped| &skipped.ty).filter(is_generic);
    let (parameters, _, bounds) = model.generics.split_for_impl();
    let record = spanned_as(name, this.clone());
    quote! {
        fn __records #parameters () #bounds {
            fn __copy<__R: ::core::marker::Copy>() {}
            fn __record<__R: #private::Record>() {}
            fn __plain<__R: #private::PlainData>() {}
            fn __default<__R: ::core::default::Default>() {}
            __copy::<#record>();
            #(__record::<#types>();)*
            #(__plain::<#plain>();)*
            #(__default::<#skipped>();)*
        }
    }
}

/// Returns `true` if the type is a parameter for which the user wrote one of these bounds, such as `T: Record`; clippy warns
/// if the bound is repeated.
fn is_parameter_with_bound(model: &Model<'_>, ty: &Type, traits: &[&str]) -> bool {
    let Type::Path(path) = ty else { return false };
    let is_record = |bound: &TypeParamBound| match bound {
        TypeParamBound::Trait(bound) => {
            bound.path.segments.last().is_some_and(|last| traits.iter().any(|name| last.ident == name))
        }
        _ => false,
    };
    let mut parameters = model.generics.type_params();
    let in_list =
        parameters.any(|parameter| path.path.is_ident(&parameter.ident) && parameter.bounds.iter().any(is_record));
    let mut predicates = model.generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    in_list
        || predicates.any(|predicate| match predicate {
            WherePredicate::Type(predicate) => predicate.bounded_ty == *ty && predicate.bounds.iter().any(is_record),
            _ => false,
        })
}

/// The different types of the fields, without the standard leaves.
fn types<'a>(fields: &'a [Field<'_>]) -> Vec<&'a Type> {
    // `PodLeaf` is a record if the field's type is plain data.
    let fields = fields.iter().filter(|field| !matches!(field.storage, Storage::Leaf) && !is_standard(&field.ty));
    types_of(fields.map(|field| &field.ty))
}

/// Each type once.
fn types_of<'a>(all: impl Iterator<Item = &'a Type>) -> Vec<&'a Type> {
    let mut types = Vec::new();
    for ty in all {
        if !types.contains(&ty) {
            types.push(ty);
        }
    }
    types
}

/// Gives generated tokens the span of the tokens that they are about, so that errors on them point there.
///
/// The tokens stay marked as generated: rustc would warn about a trivial bound in the user's own code.
pub(super) fn spanned_as(place: &impl ToTokens, tokens: TokenStream) -> TokenStream {
    let mut spans = place.to_token_stream().into_iter().map(|token| token.span());
    let first = spans.next().unwrap_or_else(Span::call_site);
    let last = spans.last().unwrap_or(first);
    let mut tokens: Vec<_> = tokens.into_iter().collect();
    let end = tokens.len().saturating_sub(1);
    for (i, token) in tokens.iter_mut().enumerate() {
        token.set_span(token.span().located_at(if i == end { last } else { first }));
    }
    tokens.into_iter().collect()
}

/// Returns `true` if the type is a number, `bool` or `char`, or an array of these.
pub(crate) fn is_standard(ty: &Type) -> bool {
    const LEAVES: [&str; 16] = [
        "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32", "f64", "bool",
        "char",
    ];
    match ty {
        Type::Array(array) => is_standard(&array.elem),
        Type::Group(group) => is_standard(&group.elem),
        Type::Paren(paren) => is_standard(&paren.elem),
        Type::Path(path) => LEAVES.iter().any(|leaf| path.path.is_ident(leaf)),
        _ => false,
    }
}

//! Stage 1: the `#[record(..)]` attributes.

use syn::ext::IdentExt;
use syn::meta::ParseNestedMeta;
use syn::parse::ParseStream;
use syn::{Attribute, Data, DeriveInput, Expr, LitStr, Path, Token, Type, parse_quote};

use crate::errors::Errors;

/// The contents of the attributes.
pub(crate) struct Attributes {
    /// `true` if the whole type is one leaf.
    pub(crate) leaf: bool,
    /// The path of the `layout` crate.
    pub(crate) layout: Path,
    /// The type that the slots of the struct are loaded as, if it is not the struct.
    pub(crate) value: Option<Type>,
    /// `true` if the derive defines a struct of columns.
    pub(crate) columns: bool,
}

/// Reads the attributes of the type, and reports those of its fields and variants.
pub(crate) fn attributes(input: &DeriveInput, errors: &mut Errors) -> Attributes {
    let (mut leaf, mut columns) = (false, false);
    let (mut layout, mut value) = (None, None);
    for attribute in input.attrs.iter().filter(|a| is_record(a)) {
        if !matches!(attribute.meta, syn::Meta::List(_)) {
            errors.at(
                attribute,
                "write `#[record(leaf)]`, `#[record(columns)]`, `#[record(as = Type)]` or `#[record(crate = path)]`",
            );
            continue;
        }
        let parsed = attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("leaf") {
                if core::mem::replace(&mut leaf, true) {
                    errors.at(&meta.path, "`leaf` is given twice: remove one");
                }
            } else if meta.path.is_ident("columns") {
                if core::mem::replace(&mut columns, true) {
                    errors.at(&meta.path, "`columns` is given twice: remove one");
                }
            } else if meta.path.is_ident("crate") {
                let path = meta.value().and_then(crate_path);
                let path = path.map_err(|error| {
                    syn::Error::new(error.span(), "write the path to the `layout` crate: `crate = some::path`")
                })?;
                if layout.replace(path).is_some() {
                    errors.at(&meta.path, "`crate` is given twice: remove one");
                }
            } else if meta.path.is_ident("as") {
                let ty = meta.value().and_then(|input| input.parse::<Type>());
                let ty = ty.map_err(|error| syn::Error::new(error.span(), "write a type: `as = some::Type`"))?;
                if value.replace(ty).is_some() {
                    errors.at(&meta.path, "`as` is given twice: remove one");
                }
            } else {
                unknown_key(&meta, errors);
                skip_value(&meta)?;
            }
            Ok(())
        });
        if let Err(error) = parsed {
            errors.push(error);
        }
    }
    refuse_inner(input, errors);
    if let (true, Some(ty)) = (leaf, &value) {
        errors.at(ty, "a leaf is read as what it is: `as` is for a struct of leaves; remove `as` or `leaf`");
        value = None;
    }
    // A leaf is one column, with or without the attribute.
    Attributes { leaf, columns, layout: layout.unwrap_or_else(|| parse_quote!(::layout)), value }
}

fn is_record(attribute: &Attribute) -> bool {
    attribute.path().is_ident("record")
}

/// `some::path` or `"some::path"`.
fn crate_path(input: ParseStream<'_>) -> syn::Result<Path> {
    if input.peek(LitStr) {
        input.parse::<LitStr>()?.parse_with(Path::parse_mod_style)
    } else {
        Path::parse_mod_style(input)
    }
}

fn unknown_key(meta: &ParseNestedMeta<'_>, errors: &mut Errors) {
    let key = meta.path.segments.iter().map(|segment| segment.ident.unraw().to_string());
    let key = key.collect::<Vec<_>>().join("::");
    errors.at(
        &meta.path,
        format_args!(
            "unknown key `{key}`: a record knows `leaf`, `columns`, `as = Type` and `crate = path`; \
             its layout is chosen by the view, not by the record"
        ),
    );
}

/// Skips the value of an unknown key, so that the mistake is reported once.
fn skip_value(meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    if meta.input.peek(Token![=]) {
        meta.value()?.parse::<Expr>()?;
    } else if meta.input.peek(syn::token::Paren) {
        let content;
        syn::parenthesized!(content in meta.input);
        content.parse::<proc_macro2::TokenStream>()?;
    }
    Ok(())
}

/// Reports `#[record(..)]` on a field or a variant; it belongs on the type.
fn refuse_inner(input: &DeriveInput, errors: &mut Errors) {
    let mut refuse = |attributes: &[Attribute], place: &str| {
        for attribute in attributes.iter().filter(|a| is_record(a)) {
            errors.at(
                attribute,
                format_args!("`#[record(..)]` belongs on the type, not on a {place}: move it to the type's definition"),
            );
        }
    };
    match &input.data {
        Data::Struct(data) => data.fields.iter().for_each(|field| refuse(&field.attrs, "field")),
        Data::Union(data) => data.fields.named.iter().for_each(|field| refuse(&field.attrs, "field")),
        Data::Enum(data) => {
            for variant in &data.variants {
                refuse(&variant.attrs, "variant");
                variant.fields.iter().for_each(|field| refuse(&field.attrs, "field"));
            }
        }
    }
}

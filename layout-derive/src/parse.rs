//! Stage 1: the `#[record(..)]` attributes.

use core::mem::replace;

use proc_macro2::{TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::meta::ParseNestedMeta;
use syn::parse::ParseStream;
use syn::{Attribute, Data, DeriveInput, Field, LitStr, Path, Token, Type, parse_quote};

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
    /// The contents of the attributes of a struct's fields, in their order.
    pub(crate) fields: Vec<FieldAttributes>,
}

/// The contents of the attributes of one field.
#[derive(Default)]
pub(crate) struct FieldAttributes {
    /// The way in which the field is stored.
    pub(crate) storage: Storage,
    /// The field's name in the tree.
    pub(crate) name: Option<LitStr>,
}

/// The way in which a field is stored.
#[derive(Default)]
pub(crate) enum Storage {
    /// As what it is.
    #[default]
    Own,
    /// As one leaf of plain data.
    Leaf,
    /// As this type, of equal bytes.
    As(Box<Type>),
    /// Not at all.
    Skipped,
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
                if replace(&mut leaf, true) {
                    errors.at(&meta.path, "`leaf` is given twice: remove one");
                }
                refuse_value(&meta, errors)?;
            } else if meta.path.is_ident("columns") {
                if replace(&mut columns, true) {
                    errors.at(&meta.path, "`columns` is given twice: remove one");
                }
                refuse_value(&meta, errors)?;
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
    refuse_inner(input, leaf, errors);
    let fields = match &input.data {
        Data::Struct(data) if !leaf => data.fields.iter().map(|field| field_attributes(field, errors)).collect(),
        _ => Vec::new(),
    };
    if let (true, Some(ty)) = (leaf, &value) {
        errors.at(ty, "a leaf is read as what it is: `as` is for a struct of leaves; remove `as` or `leaf`");
        value = None;
    }
    // A leaf is one column, with or without the attribute.
    Attributes { leaf, columns, fields, layout: layout.unwrap_or_else(|| parse_quote!(::layout)), value }
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
    let key = key_text(&meta.path);
    errors.at(
        &meta.path,
        format_args!(
            "unknown key `{key}`: a record knows `leaf`, `columns`, `as = Type` and `crate = path`; \
             its layout is chosen by the view, not by the record"
        ),
    );
}

/// Reports a value behind a key that takes none.
fn refuse_value(meta: &ParseNestedMeta<'_>, errors: &mut Errors) -> syn::Result<()> {
    let value = skip_value(meta)?;
    if !value.is_empty() {
        let message = format!("`{}` takes no value: remove `{value}`", key_text(&meta.path));
        errors.at(value, message);
    }
    Ok(())
}

/// Skips the value of an unknown key, so that the mistake is reported once.
fn skip_value(meta: &ParseNestedMeta<'_>) -> syn::Result<TokenStream> {
    let is = |token: &TokenTree, mark| matches!(token, TokenTree::Punct(punct) if punct.as_char() == mark);
    // Commas within `<..>` are part of a type; a `<` that nothing closes is an operator, and the `>` of an arrow closes nothing.
    let closes = |token: &TokenTree, arrow: &mut bool| !replace(arrow, is(token, '-')) && is(token, '>');
    let is_closed = |mut arrow| meta.input.cursor().token_stream().into_iter().any(|token| closes(&token, &mut arrow));
    let (mut value, mut open, mut arrow) = (TokenStream::new(), 0, false);
    while !meta.input.is_empty() && (!meta.input.peek(Token![,]) || (open > 0 && is_closed(arrow))) {
        let token = meta.input.parse()?;
        open += i32::from(is(&token, '<')) - i32::from(closes(&token, &mut arrow));
        value.extend([token]);
    }
    Ok(value)
}

/// Reads the attributes of a struct's field.
fn field_attributes(field: &Field, errors: &mut Errors) -> FieldAttributes {
    let mut found = FieldAttributes::default();
    // The key that says how the field is stored.
    let mut storage: Option<Path> = None;
    for attribute in field.attrs.iter().filter(|a| is_record(a)) {
        if !matches!(attribute.meta, syn::Meta::List(_)) {
            errors.at(
                attribute,
                "write `#[record(leaf)]`, `#[record(as = Type)]`, `#[record(skip)]` or `#[record(rename = \"name\")]`",
            );
            continue;
        }
        let parsed = attribute.parse_nested_meta(|meta| {
            let key = &meta.path;
            let stored = if key.is_ident("leaf") {
                refuse_value(&meta, errors)?;
                Storage::Leaf
            } else if key.is_ident("skip") {
                refuse_value(&meta, errors)?;
                Storage::Skipped
            } else if key.is_ident("as") {
                let ty = meta.value().and_then(|input| input.parse::<Type>());
                let ty = ty.map_err(|error| syn::Error::new(error.span(), "write a type: `as = some::Type`"))?;
                Storage::As(Box::new(ty))
            } else if key.is_ident("rename") {
                let name = meta.value().and_then(|input| input.parse::<LitStr>());
                let name = name.map_err(|error| syn::Error::new(error.span(), "write a name: `rename = \"name\"`"))?;
                if found.name.replace(name).is_some() {
                    errors.at(key, "`rename` is given twice: remove one");
                }
                return Ok(());
            } else {
                unknown_field_key(&meta, errors);
                return skip_value(&meta).map(drop);
            };
            match &storage {
                Some(other) if other == key => {
                    errors.at(key, format_args!("`{}` is given twice: remove one", key_text(key)));
                }
                Some(other) => errors.at(
                    key,
                    format_args!(
                        "`{}` and `{}` both say how the field is stored: remove one",
                        key_text(other),
                        key_text(key)
                    ),
                ),
                None => (storage, found.storage) = (Some(key.clone()), stored),
            }
            Ok(())
        });
        if let Err(error) = parsed {
            errors.push(error);
        }
    }
    if let (Storage::Skipped, Some(name)) = (&found.storage, &found.name) {
        errors.at(name, "a skipped field is not stored, so it has no name to change: remove `rename` or `skip`");
    }
    found
}

fn key_text(key: &Path) -> String {
    key.segments.iter().map(|segment| segment.ident.unraw().to_string()).collect::<Vec<_>>().join("::")
}

fn unknown_field_key(meta: &ParseNestedMeta<'_>, errors: &mut Errors) {
    let key = key_text(&meta.path);
    let reason = match key.as_str() {
        "align" => {
            "a layout aligns leaves, for example `SoASingle` or `SoA<OneBlob<AlignTo<64>>>`, or the type of a leaf does by \
             `#[repr(align(64))]`"
        }
        "flatten" => "a branch keeps its name in the paths of its leaves",
        "columns" | "crate" => "it belongs on the type",
        "default" => "`skip` takes the value of `Default`",
        _ => "its layout is chosen by the view, not by the record",
    };
    errors.at(
        &meta.path,
        format_args!(
            "unknown key `{key}`: a field knows `leaf`, `as = Type`, `skip` and `rename = \"name\"`; {reason}"
        ),
    );
}

/// Reports `#[record(..)]` on a variant, or on a field of a type that has no fields in the tree.
fn refuse_inner(input: &DeriveInput, leaf: bool, errors: &mut Errors) {
    let mut refuse = |attributes: &[Attribute], message: &str| {
        attributes.iter().filter(|a| is_record(a)).for_each(|attribute| errors.at(attribute, message));
    };
    let whole = "the whole type is one leaf, so its fields are no part of the tree: remove `#[record(..)]` from the field, or \
                 `#[record(leaf)]` from the type";
    match &input.data {
        Data::Struct(data) if leaf => data.fields.iter().for_each(|field| refuse(&field.attrs, whole)),
        Data::Struct(_) => {}
        Data::Union(data) => data.fields.named.iter().for_each(|field| refuse(&field.attrs, whole)),
        Data::Enum(data) => {
            for variant in &data.variants {
                let message = "`#[record(..)]` belongs on the type, not on a variant: move it to the type's definition";
                refuse(&variant.attrs, message);
                variant.fields.iter().for_each(|field| refuse(&field.attrs, whole));
            }
        }
    }
}

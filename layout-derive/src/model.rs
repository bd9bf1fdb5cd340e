//! Stage 2: the input, with names for its parts.
//!
//! The model keeps the syntax that the user wrote, so that errors, also those of rustc, point to it.

use std::collections::HashSet;

use proc_macro2::{Group, Ident, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt;
use syn::parse::Parse;
use syn::{
    Attribute, ConstParam, Data, DataStruct, DeriveInput, GenericParam, Generics, Index, Lifetime, LitStr, Member,
    Path, Type, Visibility, parse_quote,
};

use crate::parse::{Attributes, FieldAttributes, Storage};

/// The type under the derive.
pub(crate) struct Model<'a> {
    pub(crate) name: &'a Ident,
    pub(crate) visibility: Visibility,
    pub(crate) docs: Vec<&'a Attribute>,
    pub(crate) generics: Generics,
    /// The type's own generic arguments.
    pub(crate) arguments: Vec<TokenStream>,
    /// The type with its arguments.
    pub(crate) this: TokenStream,
    pub(crate) kind: Kind<'a>,
    /// The type that the slots of the struct are loaded as, if it is not the struct.
    pub(crate) value: Option<Type>,
    /// `true` if the derive defines a struct of columns.
    pub(crate) columns: bool,
    /// The fields that are not stored.
    pub(crate) skipped: Vec<Skipped>,
    /// `true` if an attribute is about deprecated items: the emitted items may use them.
    pub(crate) deprecated: bool,
    /// The path to `layout::__private`.
    pub(crate) private: Path,
    /// Names for emitted items, different from all names in the input.
    pub(crate) fresh: Fresh,
}

/// The kind of a type.
pub(crate) enum Kind<'a> {
    /// One leaf, by `#[record(leaf)]`.
    Leaf,
    /// A struct that is not a leaf.
    Struct { fields: Vec<Field<'a>>, tuple: bool },
    /// An enum that is not a leaf, with its `enum` keyword.
    Enum(&'a syn::token::Enum),
    /// A union that is not a leaf, with its `union` keyword.
    Union(&'a syn::token::Union),
}

/// A field of a struct.
pub(crate) struct Field<'a> {
    /// The field's name, or its number in a tuple struct.
    pub(crate) member: Member,
    /// The field's name in the tree: the member as text, without `r#`, unless the user gives another.
    pub(crate) text: String,
    pub(crate) visibility: Visibility,
    pub(crate) docs: Vec<&'a Attribute>,
    /// The type that the field is stored as.
    pub(crate) ty: Type,
    /// The field's own type, if it is stored as another type.
    pub(crate) declared: Option<Type>,
    pub(crate) storage: &'a Storage,
    /// The name that the user gives the field in the tree.
    pub(crate) renamed: Option<&'a LitStr>,
}

/// A field of a struct that is not stored.
pub(crate) struct Skipped {
    pub(crate) member: Member,
    pub(crate) ty: Type,
}

/// The new names of the expansion.
pub(crate) struct Fresh {
    /// The struct of slots.
    pub(crate) slots: Ident,
    /// The struct of columns.
    pub(crate) columns: Ident,
    /// The lifetime of the columns. A record has no lifetimes of its own.
    pub(crate) lifetime: Lifetime,
    /// The parameter for the kind of columns.
    pub(crate) kind: Ident,
    /// The parameter for the access.
    pub(crate) access: Ident,
    /// The parameter for the path.
    pub(crate) path: Ident,
}

impl<'a> Model<'a> {
    /// Names the parts of `input`.
    pub(crate) fn new(input: &'a DeriveInput, attributes: &'a Attributes) -> Self {
        let layout = &attributes.layout;
        let private: Path = parse_quote!(#layout::__private);
        let mut skipped = Vec::new();
        let (name, mut generics) = (&input.ident, input.generics.clone());
        let arguments = arguments(&generics);
        // The user's own brackets: the type keeps its span.
        let (open, close) = (&generics.lt_token, &generics.gt_token);
        let this = quote!(#name #open #(#arguments),* #close);
        generics
            .type_params_mut()
            .flat_map(|parameter| &mut parameter.bounds)
            .for_each(|bound| name_self(bound, &this));
        if let Some(clause) = &mut generics.where_clause {
            clause.predicates.iter_mut().for_each(|predicate| name_self(predicate, &this));
        }
        let kind = match &input.data {
            _ if attributes.leaf => Kind::Leaf,
            Data::Struct(data) => Kind::Struct {
                fields: fields(data, &attributes.fields, &this, &private, &mut skipped),
                tuple: matches!(data.fields, syn::Fields::Unnamed(_)),
            },
            Data::Enum(data) => Kind::Enum(&data.enum_token),
            Data::Union(data) => Kind::Union(&data.union_token),
        };
        let mut value = attributes.value.clone();
        if let Some(ty) = &mut value {
            name_self(ty, &this);
        }
        Self {
            name,
            value,
            columns: attributes.columns,
            skipped,
            deprecated: is_about_deprecated(input),
            visibility: generated(&input.vis),
            docs: docs(&input.attrs),
            generics,
            arguments,
            this,
            kind,
            private,
            fresh: Fresh::new(input),
        }
    }
}

/// A constant in braces: a bare name would be that of a type, if there is one.
fn arguments(generics: &Generics) -> Vec<TokenStream> {
    let argument = |parameter: &GenericParam| match parameter {
        GenericParam::Lifetime(parameter) => parameter.lifetime.to_token_stream(),
        GenericParam::Type(parameter) => parameter.ident.to_token_stream(),
        GenericParam::Const(ConstParam { ident, .. }) => quote!({ #ident }),
    };
    generics.params.iter().map(argument).collect()
}

/// The fields that are stored; all others are added to `skipped`.
fn fields<'a>(
    data: &'a DataStruct,
    attributes: &'a [FieldAttributes],
    this: &TokenStream,
    private: &Path,
    skipped: &mut Vec<Skipped>,
) -> Vec<Field<'a>> {
    let mut fields = Vec::new();
    for (number, (field, attributes)) in data.fields.iter().zip(attributes).enumerate() {
        let named = |ty: &Type| {
            let mut ty = ty.clone();
            name_self(&mut ty, this);
            ty
        };
        let (own, member) = (named(&field.ty), member(number, field));
        let (ty, declared) = match &attributes.storage {
            Storage::Own => (own, None),
            Storage::Leaf => (parse_quote!(#private::PodLeaf<#own>), Some(own)),
            Storage::As(ty) => (named(ty), Some(own)),
            Storage::Skipped => {
                skipped.push(Skipped { member, ty: own });
                continue;
            }
        };
        let text = match (&attributes.name, &field.ident) {
            (Some(name), _) => name.value(),
            (None, Some(name)) => name.unraw().to_string(),
            (None, None) => number.to_string(),
        };
        let (visibility, docs) = (generated(&field.vis), docs(&field.attrs));
        fields.push(Field {
            member,
            text,
            visibility,
            docs,
            ty,
            declared,
            storage: &attributes.storage,
            renamed: attributes.name.as_ref(),
        });
    }
    fields
}

/// The name of a field in code, or its number.
fn member(number: usize, field: &syn::Field) -> Member {
    match &field.ident {
        Some(name) => {
            let span = Span::call_site().located_at(name.span());
            // The name gets the edition of this crate, where it is a keyword; in the user's edition it may be none.
            if name == "gen" {
                return Member::Named(Ident::new_raw("gen", span));
            }
            let mut name = name.clone();
            name.set_span(span);
            Member::Named(name)
        }
        None => Member::Unnamed(Index::from(number)),
    }
}

impl Fresh {
    fn new(input: &DeriveInput) -> Self {
        let mut taken = HashSet::new();
        collect_names(input.to_token_stream(), &mut taken);
        let here = Span::call_site();
        let unused = |mut name: String| {
            while taken.contains(&name) {
                name.push('_');
            }
            name
        };
        let fresh = |name: &str| Ident::new(&unused(name.to_string()), here);
        Self {
            slots: fresh(&format!("{}Slots", input.ident.unraw())),
            // Of the user's own name, which code names as it names the record.
            columns: format_ident!("{}Columns", input.ident.unraw(), span = here.located_at(input.ident.span())),
            lifetime: Lifetime::new(&unused("'columns".to_string()), here),
            kind: fresh("K"),
            access: fresh("__A"),
            path: fresh("__P"),
        }
    }
}

/// Collects all identifiers in `tokens`, without `r#`, and lifetimes, with their `'`.
fn collect_names(tokens: TokenStream, names: &mut HashSet<String>) {
    let mut mark = "";
    for token in tokens {
        match token {
            TokenTree::Ident(name) => {
                names.insert(format!("{mark}{}", name.unraw()));
            }
            TokenTree::Group(group) => collect_names(group.stream(), names),
            TokenTree::Punct(punct) if punct.as_char() == '\'' => {
                mark = "'";
                continue;
            }
            _ => {}
        }
        mark = "";
    }
}

/// Replaces `Self` in the syntax by the type's name: in the struct of slots, `Self` is another type.
fn name_self<T: ToTokens + Parse>(syntax: &mut T, this: &TokenStream) {
    fn replace(tokens: TokenStream, this: &TokenStream) -> TokenStream {
        let mut tokens = tokens.into_iter().peekable();
        // The first half of `::`, not the colon of `Self: Bound`.
        let is_path = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ':' && punct.spacing() == Spacing::Joint);
        let mut replaced = TokenStream::new();
        while let Some(token) = tokens.next() {
            replaced.extend(match token {
                TokenTree::Ident(name) if name == "Self" && tokens.peek().is_some_and(is_path) => quote!(<#this>),
                TokenTree::Ident(name) if name == "Self" => this.clone(),
                TokenTree::Group(group) => {
                    let mut replaced = Group::new(group.delimiter(), replace(group.stream(), this));
                    replaced.set_span(group.span());
                    TokenTree::Group(replaced).into()
                }
                token => token.into(),
            });
        }
        replaced
    }
    let tokens = syntax.to_token_stream();
    if mentions(tokens.clone(), &Ident::new("Self", Span::call_site()))
        && let Ok(named) = syn::parse2(replace(tokens, this))
    {
        *syntax = named;
    }
}

/// Returns `true` if the identifier is among the tokens.
pub(crate) fn mentions(tokens: TokenStream, name: &Ident) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == *name,
        TokenTree::Group(group) => mentions(group.stream(), name),
        _ => false,
    })
}

fn is_about_deprecated(input: &DeriveInput) -> bool {
    let fields = match &input.data {
        Data::Struct(data) => data.fields.iter().flat_map(|field| &field.attrs).collect(),
        _ => Vec::new(),
    };
    let deprecated = Ident::new("deprecated", Span::call_site());
    input.attrs.iter().chain(fields).any(|attribute| mentions(attribute.to_token_stream(), &deprecated))
}

fn docs(attributes: &[Attribute]) -> Vec<&Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("doc")).collect()
}

/// The visibility, marked as generated, so that lints on the user's `pub` are not repeated for emitted items.
fn generated(visibility: &Visibility) -> Visibility {
    let mut visibility = visibility.clone();
    match &mut visibility {
        Visibility::Public(token) => token.span = Span::call_site().located_at(token.span),
        Visibility::Restricted(restricted) => {
            let span = &mut restricted.pub_token.span;
            *span = Span::call_site().located_at(*span);
        }
        Visibility::Inherited => {}
    }
    visibility
}

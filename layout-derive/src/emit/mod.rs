//! Stage 4: the impls.
//!
//! Everything is emitted inside `const _`, so that only the name `PATHS` reaches the user's module, and the struct of
//! columns if the user asks for it, with absolute paths through `layout::__private`. Generated tokens have the derive's own span: lints such as `unsafe_code` and
//! `missing_docs` of the user's crate concern the user's code. A field's type keeps its span, so that rustc's errors on
//! it point to the field.

mod bounds;
mod columns;
pub(crate) mod inert;
mod leaf;
mod portable;
mod record;
mod slots;

pub(crate) use bounds::is_standard;

use proc_macro2::TokenStream;
use quote::quote;
use syn::Generics;

use crate::check::Tree;
use crate::model::{Field, Model};

/// ```text
/// const _: () = {
///     ...
/// };
/// ```
pub(crate) fn impls(model: &Model<'_>, tree: Tree<'_>) -> TokenStream {
    let (columns, items) = match tree {
        Tree::Leaf => {
            let leaf = leaf::impls(model);
            let portable = portable::impls(model, &[]);
            let assertion = bounds::assertion(model, &[]);
            let columns = columns::of_leaf(model);
            (TokenStream::new(), quote!(#leaf #portable #columns #assertion))
        }
        Tree::Branch { fields, tuple } => {
            let slots = slots::items(model, fields, tuple);
            let record = record::impls(model, fields);
            let portable = portable::impls(model, fields);
            let assertion = bounds::assertion(model, fields);
            let (columns, impls) =
                if model.columns { columns::items(model, fields, tuple) } else { Default::default() };
            (columns, quote!(#slots #record #portable #impls #assertion))
        }
    };
    let allow = model.deprecated.then(|| quote!(#[allow(deprecated)]));
    quote! {
        #columns
        #allow
        const _: () = {
            #items
        };
    }
}

/// The generics of the slots: the record's own, the access, and the path.
///
/// ```text
/// <T: Record, __A: Copy, __P: Path<Type = Vec3<T>>>
/// ```
fn slots_generics(model: &Model<'_>, fields: &[Field<'_>]) -> Generics {
    let Model { this, private, fresh, .. } = model;
    let (access, path) = (&fresh.access, &fresh.path);
    let mut generics = bounds::bounded(model, fields);
    generics.params.push(syn::parse_quote!(#access: ::core::marker::Copy));
    generics.params.push(syn::parse_quote!(#path: #private::Path<Type = #this>));
    generics
}

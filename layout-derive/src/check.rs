//! Stage 3: checks that the type can become a record; each error says what to do instead.

use std::collections::HashSet;

use quote::ToTokens;
use syn::{GenericArgument, Member, PathArguments, Type, TypeParam, TypePath, WherePredicate};

use crate::emit::is_standard;
use crate::errors::Errors;
use crate::model::{Field, Kind, Model, mentions};
use crate::parse::Storage;

/// A model that passed the checks.
pub(crate) enum Tree<'a> {
    /// One leaf.
    Leaf,
    /// A branch with at least one field.
    Branch { fields: &'a [Field<'a>], tuple: bool },
}

/// Checks the type, and returns `None` if it cannot be a record.
///
/// Errors of earlier stages do not count: with a wrong attribute the type can still be a record, and emitting its impls
/// spares the user the errors that their absence would cause.
pub(crate) fn check<'a>(model: &'a Model<'a>, errors: &mut Errors) -> Option<Tree<'a>> {
    let mut found = Errors::default();
    for lifetime in model.generics.lifetimes() {
        found.at(
            &lifetime.lifetime,
            "a record holds no references, so it has no lifetime parameters: store the values, \
             or an index into another view",
        );
    }
    let tree = match &model.kind {
        Kind::Leaf => Some(Tree::Leaf),
        Kind::Struct { fields, tuple } => {
            check_fields(model, fields, *tuple, &mut found);
            Some(Tree::Branch { fields, tuple: *tuple })
        }
        Kind::Enum(keyword) => {
            found.at(
                keyword,
                "an enum has no fixed leaves: add `#[record(leaf)]`, `#[repr(u8)]` and the derives `bytemuck::NoUninit` and \
                 `bytemuck::CheckedBitPattern` (`bytemuck` with its feature `derive`) to make the whole enum one leaf, \
                 or use a struct",
            );
            None
        }
        Kind::Union(keyword) => {
            found.at(
                keyword,
                "a union has no fixed leaves: add `#[record(leaf)]`, and implement `bytemuck::Pod` and `Zeroable` by \
                 hand, to make the whole union one leaf, or use a struct",
            );
            None
        }
    };
    if found.is_empty() {
        return tree;
    }
    errors.append(found);
    None
}

fn check_fields(model: &Model<'_>, fields: &[Field<'_>], tuple: bool, errors: &mut Errors) {
    if fields.is_empty() {
        let message = match model.skipped.as_slice() {
            [] => "a record needs at least one field: add a field, or remove the derive",
            _ => "a record needs at least one field that is stored: remove `skip` from one, or remove the derive",
        };
        errors.at(model.name, message);
    }
    let mentions_lifetime = |ty: &Type| {
        model.generics.lifetimes().any(|parameter| mentions(ty.to_token_stream(), &parameter.lifetime.ident))
    };
    // A lifetime that a field uses is reported where it is declared.
    for field in fields.iter().filter(|field| !mentions_lifetime(&field.ty)) {
        check_storage(model, field, errors);
    }
    check_names(fields, errors);
    let numbered = |member: &Member| match member {
        Member::Unnamed(index) => Some(index.index),
        Member::Named(_) => None,
    };
    let last = fields.iter().filter_map(|field| numbered(&field.member)).max();
    for skipped in model.skipped.iter().filter(|skipped| tuple && numbered(&skipped.member) < last) {
        errors.at(
            &skipped.ty,
            "a skipped field of a tuple struct comes last, so that the other fields keep their numbers: move it to the \
             end, or name the fields",
        );
    }
    for parameter in model.generics.type_params() {
        let name = &parameter.ident;
        let is_part = |ty: &Type| mentions(ty.to_token_stream(), name);
        if fields.iter().any(|field| field.declared.is_none() && is_part(&field.ty)) && !is_bound(model, parameter) {
            errors.at(
                parameter,
                format_args!("`{name}` is part of a record, so it has to be one: write `{name}: Record`"),
            );
        }
    }
}

/// Reports types that a field cannot be stored as, and `#[record(leaf)]` on a field that is a leaf without it.
fn check_storage(model: &Model<'_>, field: &Field<'_>, errors: &mut Errors) {
    match (&field.declared, field.storage) {
        (Some(own), Storage::Leaf) if !matches!(own, Type::Array(_)) && is_standard(own) => {
            errors.at(own, format_args!("`{}` is a leaf already: remove `leaf`", own.to_token_stream()));
        }
        (Some(own), Storage::Leaf) => check_type(model, own, errors),
        _ => check_type(model, &field.ty, errors),
    }
}

/// Reports names that a path cannot have, and names that two fields have.
fn check_names(fields: &[Field<'_>], errors: &mut Errors) {
    let mut names = HashSet::new();
    let (own, renamed): (Vec<_>, Vec<_>) = fields.iter().partition(|field| field.renamed.is_none());
    names.extend(own.iter().map(|field| &field.text));
    for field in renamed {
        let Some(place) = field.renamed else { continue };
        let wrong = |c: char| c.is_control() || c.is_whitespace() || matches!(c, '.' | '[' | ']' | '/' | '\\' | '"');
        if field.text.is_empty() || field.text.contains(wrong) {
            errors.at(
                place,
                "a name has at least one character, and no space, `.`, `[`, `]`, `/`, `\\` or `\"`: leaves are named by paths such as \
                 `pos.x` and `tags[2]`",
            );
        } else if !names.insert(&field.text) {
            errors.at(place, format_args!("two fields have the name `{}`: choose another", field.text));
        }
    }
}

/// Reports types that can never be records.
fn check_type(model: &Model<'_>, ty: &Type, errors: &mut Errors) {
    match ty {
        Type::Array(array) => check_type(model, &array.elem, errors),
        Type::Group(group) => check_type(model, &group.elem, errors),
        Type::Paren(paren) => check_type(model, &paren.elem, errors),
        Type::Path(path) => check_path(model, path, errors),
        Type::Reference(_) => {
            errors.at(ty, "a reference has no place in a record: store the value itself, or an index into another view")
        }
        Type::Ptr(_) => errors.at(
            ty,
            "a raw pointer has no place in a record: it means nothing in another memory; \
             store an index or an offset into another view",
        ),
        Type::BareFn(_) => errors.at(
            ty,
            "a function pointer has no place in a record: it means nothing in another memory; \
             store an enum with `#[record(leaf)]` and choose the function by it",
        ),
        Type::Tuple(_) => errors.at(
            ty,
            "a tuple has no place in a record: its fields have no names and its layout is unspecified; \
             use a struct with `#[derive(Clone, Copy, Record)]`",
        ),
        Type::Slice(_) => errors.at(
            ty,
            "a slice has no place in a record: its length is not known; use an array `[T; N]`, \
             or store an index and a length into another view",
        ),
        Type::TraitObject(_) => {
            errors.at(ty, "a trait object has no place in a record: its type is not known; use a concrete type")
        }
        _ => {}
    }
}

/// Reports the standard library's types that own memory, by name.
fn check_path(model: &Model<'_>, ty: &TypePath, errors: &mut Errors) {
    let path = &ty.path;
    let (None, Some(first), Some(last)) = (&ty.qself, path.segments.first(), path.segments.last()) else {
        return;
    };
    // A derive sees only names. A user's own type with such a name can be written `self::Vec<T>`, and one in a function gets
    // an alias. The library's own lie in modules, as `core::cell::Cell` does; `core::Cell` is the user's.
    let alone = path.segments.len() == 1;
    if !alone && (path.segments.len() == 2 || ["std", "alloc", "core"].iter().all(|name| first.ident != name)) {
        return;
    }
    // The name of a constant looks like that of a type. Only parameters are known to be constants.
    let is_type = |argument: &GenericArgument| match argument {
        GenericArgument::Type(Type::Path(path)) => {
            !model.generics.const_params().any(|parameter| path.path.is_ident(&parameter.ident))
        }
        argument => matches!(argument, GenericArgument::Type(_)),
    };
    let generic = match &last.arguments {
        PathArguments::AngleBracketed(list) => list.args.iter().any(is_type),
        _ => false,
    };
    let name = last.ident.to_string();
    let message = match name.as_str() {
        "Vec" | "VecDeque" | "LinkedList" | "BinaryHeap" | "HashMap" | "HashSet" | "BTreeMap" | "BTreeSet"
            if generic =>
        {
            "its elements live elsewhere; use an array `[T; N]`, or store an index or an offset into another view"
        }
        "Box" | "Rc" | "Arc" | "Cow" if generic => {
            "its value lives elsewhere; store the value itself, or an index into another view"
        }
        "Cell" | "RefCell" | "Mutex" | "RwLock" | "OnceCell" | "OnceLock" if generic => {
            "a view decides who may write; store the value itself"
        }
        "String" | "OsString" | "CString" | "PathBuf" | "str" => {
            "its text lives elsewhere; use an array `[u8; N]`, or store an index or an offset into another view"
        }
        _ => return,
    };
    let own = if alone {
        format!("; for a type of your own write `self::{name}`, or an alias of it in a function")
    } else {
        String::new()
    };
    errors.at(ty, format_args!("`{name}` has no place in a record: {message}{own}"));
}

/// Returns `true` if the parameter has any bound; rustc decides whether the bound is `Record` or implies it.
fn is_bound(model: &Model<'_>, parameter: &TypeParam) -> bool {
    let bound_in_where = |predicate: &WherePredicate| match predicate {
        WherePredicate::Type(predicate) => mentions(predicate.bounded_ty.to_token_stream(), &parameter.ident),
        _ => false,
    };
    !parameter.bounds.is_empty()
        || model.generics.where_clause.iter().flat_map(|clause| &clause.predicates).any(bound_in_where)
}

//! The derive macro of the `layout-dsl` crate; use it as `layout::Record`.
//!
//! Four stages, one file each: `parse` reads the attributes, `model` names the parts of the input,
//! `check` finds what cannot become a record, and `emit` writes the impls. No stage panics and none
//! stops at the first mistake: all of them push into one `errors::Errors`.
#![forbid(unsafe_code)]

mod check;
mod emit;
mod errors;
mod model;
mod parse;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

use crate::errors::Errors;
use crate::model::Model;

/// Makes a struct a record: a tree of leaves that a mapping may place anywhere in memory.
///
/// Each field is a leaf (a number, `bool`, `char`, ...), another record, or an array `[T; N]` of either. The struct
/// must be `Copy`: write `#[derive(Clone, Copy, Record)]`. If a generic parameter is the type of a field, it needs the
/// bound `T: Record`.
///
/// The derive also defines the constant `PATHS`, with the record's own field names: `Particle::PATHS.pos.x` names a
/// leaf.
///
/// # Attributes of the type
///
/// * `#[record(leaf)]`, on a struct, an enum or a union: the whole type is one leaf. The type must implement
///   `bytemuck::NoUninit` and `bytemuck::CheckedBitPattern`.
/// * `#[record(columns)]`, on a struct `Particle`: defines the struct `ParticleColumns`, with a slice for each leaf, and
///   implements `Columns`. All fields must have columns: leaves have, and records with this attribute.
/// * `#[record(as = some::Type)]`, on a struct: its slots are loaded as that type, such as a vector of another crate,
///   and stored from it. The struct defines the leaves, and both types must convert into each other by `From`.
///   `View::load`, and a load of a record that contains the struct, return the struct.
/// * `#[record(crate = some::path)]`: the path of the `layout` crate, if it was renamed.
///
/// # Attributes of a field
///
/// * `#[record(leaf)]`: the field is one leaf, of any type that is plain data (`bytemuck::Pod`), also of an array or of a
///   type of another crate.
/// * `#[record(as = some::Type)]`: the field is stored as that type, an array or a record with `#[repr(C)]`, whose leaves
///   a layout places. The tree, paths and slots see the stored type; a loaded record has the field's own type. Both types
///   must be plain data (`bytemuck::Pod`) of the same size, since the bytes of one are taken as the other.
/// * `#[record(rename = "name")]`: the name of the field in the tree, and so in `path!`, in files, messages and pictures.
///   The fields of slots, of `PATHS` and of columns keep the name of the struct's field.
/// * `#[record(skip)]`: the field is not stored. A loaded record has the value of `Default` there. In a tuple struct,
///   skipped fields come last.
#[proc_macro_derive(Record, attributes(record))]
pub fn derive_record(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let mut errors = Errors::default();
    let attributes = parse::attributes(&input, &mut errors);
    let model = Model::new(&input, &attributes);
    let impls = match check::check(&model, &mut errors) {
        Some(tree) => emit::impls(&model, tree),
        None => emit::inert::impls(&model),
    };
    let errors = errors.into_tokens();
    quote::quote!(#errors #impls).into()
}

//! The impl of `Portable` for a record.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Generics;

use crate::emit::bounds::bounded;
use crate::model::{Field, Model};

/// ```text
/// impl Portable for Particle {
///     fn write(&self, __to: &mut impl Extend<u8>) {
///         write_record(self, __to);
///     }
///
///     fn read(__from: &mut &[u8]) -> Result<Self, PortableError> {
///         read_record(__from)
///     }
/// }
/// ```
pub(super) fn impls(model: &Model<'_>, fields: &[Field<'_>]) -> TokenStream {
    of(model, &bounded(model, fields))
}

pub(super) fn of(model: &Model<'_>, generics: &Generics) -> TokenStream {
    let Model { this, private, .. } = model;
    let (parameters, _, bounds) = generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #parameters #private::Portable for #this #bounds {
            #[inline]
            fn write(&self, __to: &mut impl #private::Extend<::core::primitive::u8>) {
                #private::write_record(self, __to);
            }

            #[inline]
            fn read(
                __from: &mut &[::core::primitive::u8],
            ) -> #private::Result<Self, #private::PortableError> {
                #private::read_record(__from)
            }
        }
    }
}

//! The mistakes found so far; all are reported at once.

use proc_macro2::TokenStream;
use quote::ToTokens;

/// Collects errors, so that one mistake does not hide the next.
#[derive(Default)]
#[must_use]
pub(crate) struct Errors(Option<syn::Error>);

impl Errors {
    /// Adds the error `message` at `tokens`.
    pub(crate) fn at(&mut self, tokens: impl ToTokens, message: impl core::fmt::Display) {
        self.push(syn::Error::new_spanned(tokens, message));
    }

    /// Adds an error.
    pub(crate) fn push(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(errors) => errors.combine(error),
            None => self.0 = Some(error),
        }
    }

    /// Adds all errors of `other`.
    pub(crate) fn append(&mut self, other: Self) {
        if let Some(error) = other.0 {
            self.push(error);
        }
    }

    /// Returns `true` if no mistake was found.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// One `compile_error!` for each error.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.0.map(syn::Error::into_compile_error).unwrap_or_default()
    }
}

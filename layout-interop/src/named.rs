//! The path value of a path that is known by its type.

use core::marker::PhantomData;

use layout_core::{Path, Select};

/// The path value of `P`.
pub(crate) struct Named<P>(pub(crate) PhantomData<P>);

impl<P: Path> Select for Named<P> {
    type Path = P;
}

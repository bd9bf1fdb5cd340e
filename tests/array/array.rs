//! Global arrays: elements that lie where a distribution says, against lists of them.

use layout_array::ArrayError;
use layout_core::Portable;
use layout_store::{Builder, Runtime};
use support::locales::on_locales;

mod expressions;
mod halo;
mod hashed;
mod loops;
mod maps;
mod narrow;
mod product;
mod replicas;
mod robust;
mod scalars;
mod scan;
mod scope;
mod sort;
mod sparse;
mod swaps;
mod text;

/// So many locales run each test.
const LOCALES: [usize; 5] = [1, 2, 3, 4, 6];

/// Small arrays are divided, too.
fn builder(locales: usize) -> Builder {
    Runtime::builder().locales(locales).threads(1).min_chunk(1).whole_below(0)
}

/// The result of a program on each locale.
fn on<I, T>(builder: Builder, input: I, program: fn(&Runtime, I) -> Result<T, ArrayError>) -> Vec<T>
where
    I: Clone + Send + Sync + 'static,
    T: Portable + Send + 'static,
{
    let told = on_locales(builder, (input, program), |rt, (input, program)| {
        program(rt, input).map_err(|error| error.to_string())
    });
    told.expect("locales").into_iter().map(|result| result.expect("a program without errors")).collect()
}

support::with_processes!();

//! Locales of `layout-dsl` that are processes of an MPI job: the same program runs alone, or once for each rank under `mpirun`.
//!
//! ```no_run
//! use layout_store::{Store, StoreError, Sum, read};
//!
//! let sum = layout_mpi::run(|rt| {
//!     let x: Store<f64, _> = rt.create_from_fn(1_000_000, |at| at[0] as f64)?;
//!     rt.task("sum").args((read(&x),)).reduce(Sum, |_, (x,)| Ok(x.values().sum::<f64>()))?.get()
//! })?;
//! assert_eq!(sum?, 499_999_500_000.0);
//! # Ok::<(), layout_mpi::MpiError>(())
//! ```
//!
//! ```text
//! cargo run --release               one locale, on all processors
//! mpirun -n 4 target/release/...    four locales, each with its part of every store
//! ```
//!
//! It needs an MPI library with its compiler and libclang when it is built (Debian: `openmpi-bin libopenmpi-dev libclang-dev`); `MPICC`
//! names the compiler where there are several libraries, each of which needs a target folder of its own.
//!
//! # When something goes wrong
//!
//! A task that panics is a fault, as everywhere, and programs that differ are told
//! [`Diverged`](layout_store::StoreError::Diverged) on each rank. What one rank cannot survive ends the whole job at once, with one line on
//! standard error: a program that panics with code 101, a message that was lost or is none with code 102. A rank that is lost is noticed
//! by `mpirun`, which ends the others, and tells which one.

mod calls;
mod end;
mod error;
mod launcher;
mod run;
mod transport;

pub use error::{CallError, MpiError};
#[doc(hidden)]
pub use run::run_over;
pub use run::{builder, run, run_with};
pub use transport::Mpi;

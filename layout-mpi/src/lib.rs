//! MPI for the stores of `layout-dsl`: each locale is a rank of an MPI job. The same program also runs alone, as one locale, without
//! `mpirun`.
//!
//! ```no_run
//! use layout::store::{Store, StoreError, Sum, read};
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
//! Building this crate needs an MPI library with its compiler wrapper, and libclang (Debian: `openmpi-bin libopenmpi-dev libclang-dev`).
//! If several MPI libraries are installed, the environment variable `MPICC` names the compiler wrapper of the library to use. Use a
//! separate target folder for each MPI library.
//!
//! # Profile and logs
//!
//! ```text
//! LAYOUT_PROFILE=trace.json mpirun -n 4 target/release/...
//! ```
//!
//! With this variable, rank 0 prints a table at the end: the launches, times and bytes sent of each task on all ranks, and the time that
//! each rank spent in tasks, in messages and without work. The file has a timeline of all ranks, which <https://ui.perfetto.dev> opens. The
//! variable must reach all ranks: Open MPI sends it to other machines by `-x LAYOUT_PROFILE`.
//!
//! A program is run by each rank, so each rank logs. To log on rank 0 only, ask for the rank:
//!
//! ```no_run
//! # let initialize_the_subscriber = || {};
//! let steps = 100;
//! layout_mpi::run(|rt| {
//!     if rt.locale() == 0 {
//!         initialize_the_subscriber(); // such as `tracing_subscriber::fmt::init`
//!     }
//!     for step in 0..steps {
//!         // ...
//!         if rt.locale() == 0 && step % 10 == 0 {
//!             eprintln!("step {step} of {steps}");
//!         }
//!     }
//! })?;
//! # Ok::<(), layout_mpi::MpiError>(())
//! ```
//!
//! With feature `tracing`, launches and waits of the program are spans, with the number of the locale.
//!
//! # When something goes wrong
//!
//! | Event | Result |
//! |---|---|
//! | a task panics | a fault, as on any runtime |
//! | ranks run different programs | the error [`Diverged`](layout_store::StoreError::Diverged) on each rank |
//! | the program panics on a rank | the whole job ends with exit code 101 |
//! | a message is lost or invalid | the whole job ends with exit code 102 |
//! | a rank is killed | `mpirun` ends the other ranks, and names the lost rank (MPICH: a process, at times one that it ended itself) |
//!
//! Before a job ends with code 101 or 102, one line on standard error gives the reason.

mod calls;
mod end;
mod error;
mod launcher;
mod profile;
mod run;
mod transport;

pub use error::{CallError, MpiError};
#[doc(hidden)]
pub use run::run_over;
pub use run::{builder, run, run_with};
pub use transport::Mpi;

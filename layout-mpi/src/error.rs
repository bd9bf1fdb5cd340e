//! Errors.

use layout_store::StoreError;
use thiserror::Error;

pub use crate::calls::CallError;

/// The error of a program that does not run on the ranks of a job.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum MpiError {
    /// An error of the runtime.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A call of the library failed.
    #[error("MPI does not start: {0}")]
    Call(#[from] CallError),
    /// The launcher started another number of processes than the library finds: each would run the program alone.
    #[error(
        "{launcher} started {told} processes, and this program is built for {library}, which knows of {found}: start it by the \
         `mpirun` of that library, or build it for the other one (`MPICC`, in a target folder of its own)"
    )]
    Launcher {
        /// The launcher that started the processes.
        launcher: &'static str,
        /// The number of processes that the launcher reports.
        told: usize,
        /// The library that the program is built for.
        library: String,
        /// The number of ranks that the library finds.
        found: usize,
    },
    /// A number of ranks that this rank cannot join.
    #[error("rank {rank} of {size} cannot join the first {given}")]
    Ranks {
        /// The ranks that were to be joined.
        given: usize,
        /// This rank.
        rank: usize,
        /// The ranks of the job.
        size: usize,
    },
}

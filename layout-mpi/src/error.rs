//! Errors.

use layout_store::StoreError;
use thiserror::Error;

pub use crate::calls::CallError;

/// Why a program does not run on the ranks of a job.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum MpiError {
    /// What the runtime told.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A call of the library failed.
    #[error("MPI does not start: {0}")]
    Call(#[from] CallError),
    /// So many processes were started together, and the library knows another number: each would run the program alone.
    #[error(
        "{launcher} started {told} processes, and this program is built for {library}, which knows of {found}: start it by the \
         `mpirun` of that library, or build it for the other one (`MPICC`, in a target folder of its own)"
    )]
    Launcher {
        /// Who started them.
        launcher: &'static str,
        /// How many processes there are, as it tells them.
        told: usize,
        /// The library that the program is built for.
        library: String,
        /// How many ranks it finds.
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

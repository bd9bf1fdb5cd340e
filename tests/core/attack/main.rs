//! Undefined behavior, asked for: what a crate without unsafe code may write, with the records, numbers and hidden items
//! that are least expected. The tests are run under AddressSanitizer, too (`ci/sanitizers.sh`).
#![forbid(unsafe_code)]
#![allow(clippy::cast_possible_truncation, reason = "numbers are small, or cut on purpose")]

mod hidden;
mod limits;
mod programs;
mod shadows;
mod shared;
mod zero_sized;

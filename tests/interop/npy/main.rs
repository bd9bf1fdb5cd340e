//! Views as `.npy` and `.npz` files and back; the same files against NumPy, where there is one.

mod mismatches;
mod python;
mod records;
mod round_trips;

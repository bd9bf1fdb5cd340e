//! Leaves of views as tensors of DLPack, and back: addresses, strides, the deleter, refusals; NumPy, if `LAYOUT_PYTHON` is set.

mod invalid;
mod python;
mod raw;
mod round_trips;

//! Copies between layouts, orders and parts: every element is compared by itself, and no other byte changes.
#![cfg(feature = "alloc")]

mod fields;
mod leaves;
mod orders;
mod packed;
mod splits;

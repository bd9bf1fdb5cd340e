//! Copies between all layouts, orders and parts: every element is compared by itself, and no other byte changes.
#![cfg(feature = "alloc")]

#[path = "copy/fields.rs"]
mod fields;
#[path = "copy/layouts.rs"]
mod layouts;
#[path = "copy/orders.rs"]
mod orders;

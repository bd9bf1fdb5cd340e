//! Parts of views: slices, views of some fields, and parts that are written at the same time.

mod disjoint;
mod fields;
mod lasting;
mod slices;

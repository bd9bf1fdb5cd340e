//! Record batches of Arrow: round trips of random records in every layout, batches of others, and pyarrow.

mod batches;
mod lists;
mod python;
mod records;
mod round_trips;
mod schemas;

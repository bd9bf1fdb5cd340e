//! Several locales: they run the same program, each with its own memory, and send each other messages.
//!
//! Every locale runs the same program and keeps the same metadata, so each knows without asking which elements the others have and need. A
//! launch is planned on every locale; its points run where they are placed, and locales send the elements that others lack.

mod access;
mod asked;
mod buffers;
mod chair;
mod claim;
mod contributions;
mod control;
#[cfg(test)]
mod control_tests;
mod council;
#[cfg(test)]
mod council_model;
#[cfg(test)]
mod council_tests;
mod exchange;
mod flow;
mod fresh;
mod gather;
mod here;
mod history;
mod images;
mod instances;
mod known;
mod ledger;
mod meeting;
mod message;
mod net;
mod operation;
mod owners;
mod packing;
mod planned;
mod root;
mod scope;
mod transport;
mod tree;
mod versions;

pub(crate) use access::{Access, Agree, Touch, access, access_here, look_at_once, wait_for_users, write_at_once};
pub(crate) use asked::{Asked, Reach, Refusal};
pub use buffers::Buffer;
pub(crate) use claim::{Claim, Faces, enlist, settle};
pub(crate) use contributions::{Parts, deliver};
pub(crate) use exchange::{Exchanged, Outbound, Passed, copies, transfers};
pub(crate) use gather::{Gathered, Part, fold, gather};
pub(crate) use here::Locale;
pub(crate) use history::{Fingerprint, Order, fingerprint};
pub(crate) use images::{Image, Images, Reached, Reaches};
pub(crate) use instances::{Place, Places, Purpose, Storage, place_of};
pub(crate) use known::Known;
pub(crate) use ledger::Ledger;
pub(crate) use net::Net;
pub use net::Traffic;
pub(crate) use operation::{Argument, Launch, Operation};
pub(crate) use owners::{Joined, Owners};
pub(crate) use packing::size_of_packed;
pub use packing::{pack, unpack};
pub(crate) use planned::{Assumed, Planned};
pub use planned::{PlannedLaunch, PlannedMessage};
pub(crate) use root::{Key, Root};
pub(crate) use transport::Local;
pub use transport::{Inbox, Transport};

//! Slots and accesses: the accessors of leaves, for one element, for lanes, and by atomic operations.
//!
//! The struct of slots that the derive makes is generic over the access. [`Slots`](crate::Slots) and
//! [`SlotsMut`](crate::SlotsMut), the slots of an element of a view, are at the root.
//!
//! * Slots: [`Slot`] of a leaf, [`ArraySlots`] of an array, [`PodSlot`] of a field with `#[record(leaf)]`; [`SlotsAt`] of a record.
//! * Accesses: [`Access`], [`AccessMut`] and [`Scalar`] are the traits. [`At`] reaches one element, [`Borrowed`] an element of an array,
//!   and [`LanesAt`] several elements, whose [`Count`] is [`Whole`] or [`Partial`].
//! * Atomic operations: [`Atomics`] of a view has [`AtomicSlots`] by the access [`AtomicAt`], for each [`AtomicLeaf`];
//!   [`AtomicNumber`]s are added.
//!
//! # Examples
//!
#![cfg_attr(feature = "alloc", doc = "```")]
#![cfg_attr(not(feature = "alloc"), doc = "```ignore")]
//! use layout::Path;
//! use layout::prelude::*;
//! use layout::slot::{AccessMut, Slot};
//!
//! // A function of one leaf, for one element and for lanes, in any record and layout.
//! fn double<A: AccessMut, P: Path<Root = A::Record, Type = f32>>(slot: &mut Slot<A, P>)
//! where
//!     A::Value<f32>: std::ops::Add<Output = A::Value<f32>> + Copy,
//! {
//!     let value = slot.get();
//!     slot.set(value + value);
//! }
//!
//! let mut view = alloc_from_fn::<[f32; 2], SoA, _>(10, |[i]| [i as f32, 0.0])?;
//! view.for_each_lanes_mut::<8>(|mut p| double(&mut p.element_mut::<0>()), |mut p| double(&mut p.element_mut::<0>()));
//! assert_eq!(view.at(9).at(0).get(), 18.0);
//! # Ok::<(), ViewError>(())
//! ```

#[cfg(feature = "rayon")]
#[doc(inline)]
pub use layout_core::SendSlots;
#[doc(inline)]
pub use layout_core::{
    Access, AccessMut, ArraySlots, At, AtomicAt, AtomicLeaf, AtomicNumber, AtomicSlots, Atomics, Borrowed, Count,
    LanesAt, Partial, PodSlot, Scalar, Slot, SlotsAt, Whole,
};

//! Distributions that deal out indices in turn, whose parts have strides.

use core::sync::atomic::{AtomicUsize, Ordering};

use layout_domain::{AnyAxis, BlockCyclic, Cyclic, Dimensional, Targets};
use layout_store::{Distribution, Rect};
use proptest::prelude::*;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Cyclic,
    /// Of blocks of so many indices.
    BlockCyclic(u64),
    /// In turn along every second dimension, from this one on, and in blocks along the others.
    Dimensional(usize),
}

/// A distribution over all locales, from an index on, which may be before the first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deal {
    kind: Kind,
    start: i64,
}

impl Deal {
    pub(crate) fn name(self) -> &'static str {
        match self.kind {
            Kind::Cyclic => "dealt out in turn",
            Kind::BlockCyclic(_) => "dealt out in blocks",
            Kind::Dimensional(_) => "dealt out along some dimensions",
        }
    }

    pub(crate) fn distribution(self, extents: &[i64], locales: usize) -> Distribution {
        match *extents {
            [a] => self.over([a], locales),
            [a, b] => self.over([a, b], locales),
            [a, b, c] => self.over([a, b, c], locales),
            _ => unreachable!("arrays have one to three dimensions"),
        }
    }

    fn over<const R: usize>(self, extents: [i64; R], locales: usize) -> Distribution {
        let (targets, start) = (Targets::<R>::all(locales).unwrap(), [self.start; R]);
        match self.kind {
            Kind::Cyclic => Distribution::map(Cyclic::new(start, targets)),
            Kind::BlockCyclic(block) => Distribution::map(BlockCyclic::new(start, [block; R], targets).unwrap()),
            Kind::Dimensional(first) => {
                let axis = |dim: usize| match (dim + first).is_multiple_of(2) {
                    true => AnyAxis::cyclic(self.start),
                    false => AnyAxis::block(0..extents[dim]).unwrap(),
                };
                Distribution::map(Dimensional::of(core::array::from_fn(axis), targets))
            }
        }
    }
}

pub(crate) fn deal() -> impl Strategy<Value = Deal> {
    let kind = prop_oneof![
        2 => Just(Kind::Cyclic),
        1 => (1..4_u64).prop_map(Kind::BlockCyclic),
        1 => (0..2_usize).prop_map(Kind::Dimensional),
    ];
    (kind, -4..5_i64).prop_map(|(kind, start)| Deal { kind, start })
}

/// Tiles with steps that task bodies have seen here: of arguments that are cut, and of those that follow with a margin.
static SEEN: [AtomicUsize; 2] = [AtomicUsize::new(0), AtomicUsize::new(0)];

/// Takes note of a tile that a task body sees.
pub(crate) fn saw(rect: &Rect, has_margin: bool) {
    if rect.steps().iter().any(|step| *step > 1) {
        SEEN[usize::from(has_margin)].fetch_add(1, Ordering::Relaxed);
    }
}

/// The number of such tiles that were seen since the last call.
pub(crate) fn tiles_with_steps() -> [usize; 2] {
    [0, 1].map(|margin| SEEN[margin].swap(0, Ordering::Relaxed))
}

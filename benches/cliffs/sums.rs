//! Sums of a column in the first-level cache, by lanes.

use core::hint::black_box;

use layout::{Blobs, Lanes, Mapping, SoA, View, alloc_from_fn};

use crate::row;
use crate::table::Table;

const COUNT: usize = 4096;

/// By 64 partial sums, which are added at the end.
#[inline(never)]
fn hand(column: &[f32]) -> f32 {
    let mut sums = [0.0; 64];
    let (groups, rest) = column.as_chunks::<64>();
    for group in groups {
        for (sum, value) in sums.iter_mut().zip(group) {
            *sum += value;
        }
    }
    sums.iter().sum::<f32>() + rest.iter().sum::<f32>()
}

#[inline(never)]
fn view<const W: usize, M: Mapping<Record = f32>, B: Blobs>(view: &View<M, B>) -> f32 {
    let (mut sums, mut rest) = (Lanes::<f32, W>::splat(0.0), 0.0);
    view.for_each_lanes::<W>(|slot| sums += slot.get(), |slot| rest += slot.get());
    sums.sum() + rest
}

pub(crate) fn run(table: &mut Table) {
    let view_of = alloc_from_fn::<f32, SoA, _>(COUNT, |[i]| (i % 97) as f32).expect("a small view");
    let mut all = (view_of.to_vec(), view_of);
    macro_rules! class {
        ($w:literal) => {{
            let name = format!("sum of a column, lanes {}", $w);
            if table.wants(&name) {
                // Whole numbers, which every order adds exactly.
                assert!(view::<$w, _, _>(&all.1) == hand(&all.0), "{name}");
                row(
                    table,
                    &name,
                    &mut all,
                    |all| {
                        black_box(view::<$w, _, _>(black_box(&all.1)));
                    },
                    |all| {
                        black_box(hand(black_box(&all.0)));
                    },
                );
            }
        }};
    }
    class!(8);
    class!(16);
    class!(32);
    class!(64);
}

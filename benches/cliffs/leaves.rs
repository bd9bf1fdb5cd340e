//! Records of many leaves, each of which becomes half of it and a quarter of the next one: plain loops, and lanes with and without masks, in the
//! first-level cache.

use core::hint::black_box;

use layout::{AoSoA, BlobsMut, Mapping, Record, RecordLayout, SoA, View, alloc_from_fn};
use wide::f32x16;

use crate::row;
use crate::table::Table;

/// Elements; no multiple of the lanes.
const COUNT: usize = 1003;

/// A record of these leaves, and the kernel as a walk of each kind.
macro_rules! record {
    ($Record:ident $leaves:literal { $($leaf:ident $number:literal $next:ident),+ }) => {
        #[derive(Clone, Copy, Debug, PartialEq, Record)]
        struct $Record { $($leaf: f32),+ }

        impl Leaves<$leaves> for $Record {
            fn of(numbers: [f32; $leaves]) -> Self {
                Self { $($leaf: numbers[$number]),+ }
            }

            fn numbers(self) -> [f32; $leaves] {
                [$(self.$leaf),+]
            }

            #[inline(never)]
            fn plain<M: Mapping<Record = Self>, B: BlobsMut>(view: &mut View<M, B>) {
                view.for_each_mut(|mut p| { $( p.$leaf.set(p.$leaf.get() * 0.5 + p.$next.get() * 0.25); )+ });
            }

            #[inline(never)]
            fn lanes<M: Mapping<Record = Self>, B: BlobsMut>(view: &mut View<M, B>) {
                view.for_each_lanes_mut::<16>(
                    |mut p| { $( p.$leaf.set(p.$leaf.get() * 0.5 + p.$next.get() * 0.25); )+ },
                    |mut p| { $( p.$leaf.set(p.$leaf.get() * 0.5 + p.$next.get() * 0.25); )+ },
                );
            }

            #[inline(never)]
            fn masked<M: Mapping<Record = Self>, B: BlobsMut>(view: &mut View<M, B>) {
                view.for_each_lanes_masked_mut::<16>(|mut p, _| {
                    $( p.$leaf.set(p.$leaf.get() * 0.5 + p.$next.get() * 0.25); )+
                });
            }
        }
    };
}

trait Leaves<const N: usize>: Record + PartialEq + core::fmt::Debug {
    fn of(numbers: [f32; N]) -> Self;
    fn numbers(self) -> [f32; N];
    fn plain<M: Mapping<Record = Self>, B: BlobsMut>(view: &mut View<M, B>);
    fn lanes<M: Mapping<Record = Self>, B: BlobsMut>(view: &mut View<M, B>);
    fn masked<M: Mapping<Record = Self>, B: BlobsMut>(view: &mut View<M, B>);
}

record!(Eight 8 { a 0 b, b 1 c, c 2 d, d 3 e, e 4 f, f 5 g, g 6 h, h 7 a });
record!(Twelve 12 { a 0 b, b 1 c, c 2 d, d 3 e, e 4 f, f 5 g, g 6 h, h 7 i, i 8 j, j 9 k, k 10 l, l 11 a });

/// The numbers of 16 elements: by hand, the walk of every layout is this one.
type Block<const N: usize> = [[f32; 16]; N];

#[inline(never)]
fn hand<const N: usize>(blocks: &mut [Block<N>]) {
    for block in blocks {
        for leaf in 0..N {
            let next = f32x16::new(block[(leaf + 1) % N]);
            block[leaf] = (f32x16::new(block[leaf]) * 0.5 + next * 0.25).to_array();
        }
    }
}

fn number(i: usize, leaf: usize) -> f32 {
    f32::from(u16::try_from((31 * i + 7 * leaf) % 97).expect("less than 97"))
}

fn layout<const N: usize, R: Leaves<N>, L: RecordLayout<R> + Default>(table: &mut Table, layout: &str) {
    macro_rules! walk {
        ($name:literal $walk:ident) => {
            let name = format!("leaves {N}, {} {layout}", $name);
            if table.wants(&name) {
                let view = alloc_from_fn::<R, L, _>(COUNT, |[i]| R::of(core::array::from_fn(|leaf| number(i, leaf))));
                let mut blocks: Vec<Block<N>> = vec![[[0.0; 16]; N]; COUNT.div_ceil(16)];
                for i in 0..COUNT {
                    (0..N).for_each(|leaf| blocks[i / 16][leaf][i % 16] = number(i, leaf));
                }
                let mut both = (view.expect("a small view"), blocks);
                R::$walk(&mut both.0);
                hand(&mut both.1);
                for (i, record) in both.0.to_vec().into_iter().enumerate() {
                    assert_eq!(record.numbers(), both.1[i / 16].map(|leaf| leaf[i % 16]), "{name}: {i}");
                }
                row(
                    table,
                    &name,
                    &mut both,
                    |both| R::$walk(black_box(&mut both.0)),
                    |both| hand(black_box(&mut both.1)),
                );
            }
        };
    }
    walk!("plain" plain);
    walk!("lanes" lanes);
    walk!("masked lanes" masked);
}

fn record<const N: usize, R: Leaves<N>>(table: &mut Table) {
    layout::<N, R, SoA>(table, "SoA");
    layout::<N, R, AoSoA<8>>(table, "AoSoA8");
    layout::<N, R, AoSoA<16>>(table, "AoSoA16");
}

pub(crate) fn run(table: &mut Table) {
    record::<8, Eight>(table);
    record::<12, Twelve>(table);
}

//! Records whose leaves a kernel changes one after another, by lanes: leaf by leaf as the kernel says, in the first-level cache.

use core::fmt::Debug;
use core::hint::black_box;

use layout::{AoS, BlobsMut, Mapping, Record, View, alloc_from_fn};

use crate::row;
use crate::table::Table;

/// A record, the loop by hand over a slice of them, and the kernel on lanes.
trait Kernel: Record + PartialEq + Debug {
    fn number(i: usize) -> Self;
    fn hand(records: &mut [Self]);
    fn lanes<const W: usize, M: Mapping<Record = Self>, B: BlobsMut>(view: &mut View<M, B>);
}

/// A record of these leaves; each in turn becomes half of it and a quarter of another, and one.
macro_rules! record {
    ($Record:ident { $($leaf:ident: $T:ty),+ } $($to:ident $from:ident)+) => {
        #[derive(Clone, Copy, Debug, PartialEq, Record)]
        struct $Record { $($leaf: $T),+ }

        impl Kernel for $Record {
            fn number(i: usize) -> Self {
                let mut number = u8::try_from(i % 97).expect("less than 97");
                Self { $($leaf: {
                    number = number.wrapping_mul(31).wrapping_add(7);
                    <$T>::from(number)
                }),+ }
            }

            #[inline(never)]
            fn hand(records: &mut [Self]) {
                for p in records {
                    $( p.$to = p.$to * 0.5 + 1.0 + p.$from * 0.25; )+
                }
            }

            #[inline(never)]
            fn lanes<const W: usize, M: Mapping<Record = Self>, B: BlobsMut>(view: &mut View<M, B>) {
                view.for_each_lanes_mut::<W>(
                    |mut p| { $( p.$to.set(p.$to.get() * 0.5 + 1.0 + p.$from.get() * 0.25); )+ },
                    |mut p| { $( p.$to.set(p.$to.get() * 0.5 + 1.0 + p.$from.get() * 0.25); )+ },
                );
            }
        }
    };
}

record!(Two { a: f32, b: f32 } a b b a);
record!(TwoApart { a: f32, b: f32 } a a b b);
record!(ThreeApart { a: f32, b: f32, c: f32 } a a b b c c);
record!(SevenApart { a: f32, b: f32, c: f32, d: f32, e: f32, f: f32, g: f32 } a a b b c c d d e e f f g g);
record!(Three { a: f32, b: f32, c: f32 } a b b c c a);
record!(Four { a: f32, b: f32, c: f32, d: f32 } a b b c c d d a);
record!(Seven { a: f32, b: f32, c: f32, d: f32, e: f32, f: f32, g: f32 } a b b c c d d e e f f g g a);
record!(SevenOne { a: f32, b: f32, c: f32, d: f32, e: f32, f: f32, g: f32 } c g);
record!(TwoWide { a: f64, b: f64 } a b b a);
record!(ThreeWide { a: f64, b: f64, c: f64 } a b b c c a);
record!(FourWide { a: f64, b: f64, c: f64, d: f64 } a b b c c d d a);
record!(MixedSix { a: f64, b: f64, c: f32, d: f32, e: f32, f: f32 } a b b a c d d e e f f c);
record!(Mixed { a: f64, b: f32, c: f32 } a a b c c b);
record!(Padded { a: f64, b: f64, c: f32 } a b b a c c);

fn record<R: Kernel>(table: &mut Table, name: &str) {
    const COUNT: usize = 1024;
    let view = || alloc_from_fn::<R, AoS, _>(COUNT, |[i]| R::number(i)).expect("a small view");
    let hand = || (0..COUNT).map(R::number).collect::<Vec<_>>();
    macro_rules! lanes {
        ($w:literal) => {
            let name = format!("records {name}, lanes {}, AoS", $w);
            if table.wants(&name) {
                let mut both = (view(), hand());
                R::lanes::<$w, _, _>(&mut both.0);
                R::hand(&mut both.1);
                assert_eq!(both.0.to_vec(), both.1, "{name}");
                row(
                    table,
                    &name,
                    &mut both,
                    |both| R::lanes::<$w, _, _>(black_box(&mut both.0)),
                    |both| R::hand(black_box(&mut both.1)),
                );
            }
        };
    }
    lanes!(8);
    lanes!(16);
}

pub(crate) fn run(table: &mut Table) {
    record::<Two>(table, "of 2 f32");
    record::<Three>(table, "of 3 f32");
    record::<Four>(table, "of 4 f32");
    record::<Seven>(table, "of 7 f32");
    record::<SevenOne>(table, "of 7 f32, one written");
    record::<TwoApart>(table, "of 2 f32, each by itself");
    record::<ThreeApart>(table, "of 3 f32, each by itself");
    record::<SevenApart>(table, "of 7 f32, each by itself");
    record::<TwoWide>(table, "of 2 f64");
    record::<ThreeWide>(table, "of 3 f64");
    record::<FourWide>(table, "of 4 f64");
    record::<MixedSix>(table, "of 2 f64 and 4 f32");
    record::<Mixed>(table, "of f64 and 2 f32");
    record::<Padded>(table, "of 2 f64, f32 and padding");
}

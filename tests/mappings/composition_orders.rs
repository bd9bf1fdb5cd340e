//! Layouts of layouts around one another in every order, from one list.
//!
//! Each converts, moves or splits values in its own way; whole numbers survive all of that. Each composition gives back what
//! was written, by element, by leaf, and in lanes.

use core::any::type_name;

use layout::author::Codec;
use layout::bits::{BitPackedFloatSoA, BitPackedIntSoA, Bits, FloatBits};
use layout::composed::{Bytesplit, Byteswap, Cast, ChangeType, FusedBlobs, OfType, Projected, Split};
use layout::{AoS, AoSoA, Packed, RecordLayout, SoA, SoASingle, alloc};

use support::hit::{self, Branch, Element, Hit, Many};

/// A layout of layouts.
trait Around {
    /// It, around `L`.
    type Of<L>;
}

type Of<A, L> = <A as Around>::Of<L>;

macro_rules! around {
    ($($name:ident = $layout:ty;)+) => {$(
        struct $name;

        impl Around for $name {
            type Of<L> = $layout;
        }
    )+};
}

around! {
    Part = Split<Branch, L, AoS>;
    Rest = Split<Many, SoA, L>;
    Fused = Split<Element, L, SoASingle<Packed>, FusedBlobs>;
    Bytes = Bytesplit<L>;
    Swapped = Byteswap<L>;
    Turned = Projected<L, (OfType<hit::Turned>, OfType<Cast<f32, f64>>)>;
    Narrow = ChangeType<L, f64, f32>;
    // The innermost: around nothing, and after conversions to what they store.
    PackedInts = Projected<ChangeType<BitPackedIntSoA<Bits<40>>, u128, u64>, To<u64>>;
    PackedFloats = Projected<ChangeType<BitPackedFloatSoA<FloatBits<11, 40>>, f32, f64>, ToFloats>;
}

type To<S> = (OfType<Cast<u8, S>>, OfType<Cast<u16, S>>, OfType<Cast<f32, S>>, OfType<Cast<f64, S>>);
type ToFloats = (OfType<Cast<u8, f64>>, OfType<Cast<u16, f64>>, OfType<Cast<u64, f64>>, OfType<Cast<u128, f64>>);

/// The innermost layout of layouts in layouts: it has runs.
type Last = AoSoA<4>;

macro_rules! pairs {
    ([$($outer:ident)+] $inner:tt) => {$( pairs!($outer $inner); )+};
    ($outer:ident [$($inner:ident)+]) => {$( round_trip::<Of<$outer, Of<$inner, Last>>>(); )+};
}

macro_rules! triples {
    ([$($outer:ident)+] $middle:tt $inner:tt) => {$( triples!($outer $middle $inner); )+};
    ($outer:ident [$($middle:ident)+] $inner:tt) => {$( triples!($outer $middle $inner); )+};
    ($outer:ident $middle:ident [$($inner:ident)+]) => {$(
        round_trip::<Of<$outer, Of<$middle, Of<$inner, Last>>>>();
    )+};
}

/// Pairs of all, and triples of those that change values. `Swapped` goes around those that keep bits only.
macro_rules! every_order {
    (keep: $($kept:ident)+; convert: $($converted:ident)+; last: $($last:ident)+) => {
        #[test]
        fn pairs() {
            pairs!([$($kept)+ $($converted)+] [$($kept)+ $($converted)+ $($last)+ Swapped]);
            pairs!(Swapped [$($kept)+ Swapped]);
        }

        #[test]
        fn triples_that_change_values() {
            triples!([$($converted)+] [$($converted)+] [$($converted)+ $($last)+ Swapped]);
            triples!([$($converted)+ Swapped] Swapped [Swapped]);
        }

        /// `Byteswap` around the others does not compile: `tests/ui/views/byteswap_of_*`.
        #[test]
        fn byteswap_is_around_what_keeps_bits() {
            $( assert!(keeps_bits::<Of<$kept, Last>>() && !keeps_bits::<Of<$kept, Of<PackedInts, Last>>>()); )+
            $( assert!(!keeps_bits::<Of<$converted, Last>>()); )+
            $( assert!(!keeps_bits::<Of<$last, Last>>()); )+
        }
    };
}

every_order! {
    keep: Part Rest Fused Bytes;
    convert: Turned Narrow;
    last: PackedInts PackedFloats
}

fn keeps_bits<L: RecordLayout<Hit>>() -> bool {
    <L::Codec as Codec<Hit, L>>::KEEPS_BITS
}

fn round_trip<L: RecordLayout<Hit> + Default>() {
    const LEN: usize = 11;
    let mut expected: Vec<Hit> = (0..LEN).map(Hit::whole).collect();
    let mut view = alloc::<Hit, L, _>(LEN).unwrap();
    for (k, value) in expected.iter().enumerate() {
        view.set(k, *value);
    }
    assert_eq!(view.to_vec(), expected, "{} by element", type_name::<L>());

    for leaf in 0..7 {
        let value = Hit::whole(40 + leaf);
        value.poke(leaf, &mut view.at_mut(3 + leaf % 2));
        expected[3 + leaf % 2] = expected[3 + leaf % 2].with(leaf, value);
    }
    assert_eq!(view.to_vec(), expected, "{} by leaf", type_name::<L>());

    view.for_each_lanes_mut::<4>(
        |mut hits| {
            let counts = hits.counts.element::<1>().get();
            hits.counts.element_mut::<0>().set(counts);
            hits.at.x.set(hits.at.y.get());
        },
        |mut hit| {
            let counts = hit.counts.element::<1>().get();
            hit.counts.element_mut::<0>().set(counts);
            hit.at.x.set(hit.at.y.get());
        },
    );
    for hit in &mut expected {
        hit.counts[0] = hit.counts[1];
        hit.at.x = hit.at.y;
    }
    assert_eq!(view.to_vec(), expected, "{} in lanes", type_name::<L>());
}

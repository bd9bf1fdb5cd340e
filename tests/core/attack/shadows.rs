//! The derive is told by `#[record(crate = path)]` where `layout` is, and believes nothing that it finds there.

/// `layout`, with items of one's own in the place of those that the derive might name.
mod evil {
    pub(crate) mod __private {
        pub(crate) use layout::__private::*;

        pub(crate) struct FieldNode;

        #[expect(dead_code, reason = "the derive asks the real one only")]
        impl FieldNode {
            pub(crate) const fn new(_: &'static str, _: usize, _: &'static layout::record::Node) -> Self {
                Self
            }
        }
    }
}

use layout::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Record)]
#[record(crate = evil)]
struct Hit {
    id: u8,
    energy: f64,
    seen: bool,
}

#[test]
fn offsets_are_those_of_the_struct() {
    let hits = [Hit { id: 1, energy: 2.0, seen: true }, Hit { id: 3, energy: 4.0, seen: false }];
    let mapping = Mapped::<Hit, _, AoS<layout::Aligned, layout::Native>>::new(extents!(dyn 2)).unwrap();
    let view = View::from_records(mapping, &hits).unwrap();
    assert_eq!(view.to_vec(), hits);
    assert!(view.at(0).seen.get() && !view.at(1).seen.get());
}

/// `layout`, with other functions and types for fields that are stored as another type.
mod forged {
    pub(crate) mod __private {
        pub(crate) use layout::__private::*;

        pub(crate) const fn assert_same_size<F, T>() {}

        pub(crate) type PodLeaf<F> = layout::record::PodLeaf<[F; 1]>;
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
#[record(crate = forged)]
struct Track {
    seen: bool,
    #[record(leaf)]
    place: [f32; 3],
    #[record(as = [u16; 2])]
    word: u32,
}

#[test]
fn fields_are_stored_as_types_of_equal_bytes() {
    let tracks = [Track { seen: true, place: [1.0, 2.0, 3.0], word: 7 }; 2];
    let mapping = Mapped::<Track, _, AoS<layout::Aligned, layout::Native>>::new(extents!(dyn 2)).unwrap();
    let view = View::from_records(mapping, &tracks).unwrap();
    assert_eq!(view.to_vec(), tracks);
    assert_eq!(u32::from(view.at(1).word.at(0).get()) + u32::from(view.at(1).word.at(1).get()), 7);
}

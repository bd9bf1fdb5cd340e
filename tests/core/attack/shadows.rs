//! The derive is told by `#[record(crate = path)]` where `layout` is, and believes nothing that it finds there.

/// `layout`, with items of one's own in the place of those that the derive might name.
mod evil {
    pub(crate) mod __private {
        pub(crate) use layout::__private::*;

        pub(crate) struct FieldNode;

        #[expect(dead_code, reason = "the derive asks the real one only")]
        impl FieldNode {
            pub(crate) const fn new(_: &'static str, _: usize, _: &'static layout::Node) -> Self {
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

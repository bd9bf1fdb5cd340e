//! Types and fields that are public, private, and between.

use layout::Record;

/// Public types in a public module.
pub mod open {
    use layout::Record;

    /// A private record among public ones.
    #[derive(Clone, Copy, Record)]
    struct Hidden {
        value: u8,
    }

    /// A record with columns, and fields of all visibilities.
    #[derive(Clone, Copy, Record)]
    #[record(columns)]
    pub struct Sample<T: Record + layout::columns::Columns> {
        /// A documented field.
        #[record(leaf)]
        pub place: [f32; 3],
        value: T,
        #[record(skip)]
        cache: u8,
        #[record(as = [u8; 4])]
        pub(crate) within: u32,
    }

    #[derive(Clone, Copy, Record)]
    struct Holder {
        hidden: Hidden,
    }

    /// A documented record.
    #[derive(Clone, Copy, Record)]
    pub struct Documented<T: Record> {
        /// A documented field.
        pub value: T,
        private: f32,
        pub(crate) within: u8,
        pub(in crate::visibility) here: u8,
    }
}

#[derive(Clone, Copy, Record)]
struct Tuple(f32, open::Documented<u8>);

#[test]
fn fields_keep_their_visibility() {
    let paths = open::Documented::<f32>::PATHS;
    let _ = (paths.value, paths.within, paths.here);
    assert_eq!(Tuple::TREE.leaves(), 5);
}

//! The derive's output compiles in crates with the strictest lints, without a prelude, with names that
//! could meet its own, and where `layout` has another name.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, unused, unnameable_types, unused_qualifications)]
#![deny(nonstandard_style, rust_2018_idioms, trivial_casts, single_use_lifetimes, private_bounds, private_interfaces)]
#![expect(unreachable_pub, reason = "a test is a binary: nothing is reachable from outside")]
#![expect(dead_code, reason = "what is derived has to compile; not all of it is run")]

mod names;
mod no_prelude;
mod renamed;
mod visibility;

use layout::Record;

#[test]
fn a_function_body_may_hold_a_record() {
    #[derive(Clone, Copy, Record)]
    struct Local<const N: usize> {
        values: [f32; N],
    }
    assert_eq!(Local::<5>::TREE.leaves(), 5);

    // Such a name is taken for that of the library, and a function has no path `self::Cell`.
    #[derive(Clone, Copy, Record)]
    struct Cell<T: Record> {
        value: T,
    }
    type Own = Cell<f32>;
    #[derive(Clone, Copy, Record)]
    struct Grid {
        cell: Own,
    }
    assert_eq!(Grid::TREE.leaves(), 1);
}

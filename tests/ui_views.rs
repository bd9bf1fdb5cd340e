//! The errors of views: one mistake in each file of `tests/ui/views`.

#[test]
fn mistakes_are_reported_once() {
    let cases = trybuild::TestCases::new();
    // A case that passes makes trybuild build, and not only check: constants are evaluated.
    cases.pass("tests/ui/views/pass/*.rs");
    cases.compile_fail("tests/ui/views/*.rs");
}

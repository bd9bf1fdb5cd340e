//! The errors of `#[derive(Record)]`: one mistake in each file of `tests/ui/derive`.

#[test]
fn mistakes_are_reported_once() {
    let cases = trybuild::TestCases::new();
    // A case that passes makes trybuild build, and not only check: constants are evaluated.
    cases.pass("tests/ui/derive/pass/*.rs");
    cases.compile_fail("tests/ui/derive/*.rs");
}

//! What does not compile, and what the compiler says: one mistake in each file.

use trybuild::TestCases;

#[test]
fn messages() {
    let cases = TestCases::new();
    // A case that passes makes trybuild build, and not only check: constants are evaluated.
    for folder in ["derive", "views"] {
        cases.pass(format!("tests/ui/{folder}/pass/*.rs"));
        cases.compile_fail(format!("tests/ui/{folder}/*.rs"));
    }
    #[cfg(feature = "store")]
    cases.compile_fail("tests/ui/store/*.rs");
}

//! What does not compile, and what the compiler says: wrong ranks, and tiles used otherwise than was said.

#[test]
fn messages() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}

//! What does not compile, and what the compiler says about it.

#[test]
fn refused_programs_are_explained() {
    trybuild::TestCases::new().compile_fail("tests/ui/*/*.rs");
}

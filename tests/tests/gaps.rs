//! Programs that should compile and do not yet: each is a defect, and leaves this list when it is gone.

#[test]
#[ignore = "known defects of inference: literals in an array that goes into a field"]
fn programs_that_rust_accepts_compile() {
    trybuild::TestCases::new().pass("tests/gaps/*.rs");
}

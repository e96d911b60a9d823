//! The book's tables of Numba-CUDA's features: each row has a spelling and a test, which exists. What is missing is a list at the end.
//! So do the tables of the chapter "From NumPy, CuPy and JAX" that name tests. `array_functions/numpy.rs` tests the rows of the others.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use gpu_tests::kernels::all_cases;

const PAGE: &str = include_str!("../../docs/src/numba-features.md");

const FROM_NUMPY: &str = include_str!("../../docs/src/from-numpy.md");

/// The end of the head of a table of [`FROM_NUMPY`] whose rows name tests.
const WITH_TESTS: &str = " | test |\n|---|---|---|\n";

/// The heading of the page's last section, which has no table.
const MISSING: &str = "\n## Not supported yet\n";

/// The rows of all tables, as their cells.
fn rows() -> Vec<Vec<&'static str>> {
    let cells = |line: &'static str| line.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>();
    let tables = PAGE.lines().filter(|line| line.starts_with('|')).map(cells);
    // The head of a table is the line before its rule.
    let mut rows: Vec<Vec<_>> = Vec::new();
    for row in tables {
        if row.iter().all(|cell| cell.starts_with("---")) {
            rows.pop().expect("a table has a head");
        } else {
            rows.push(row);
        }
    }
    rows
}

/// The tests that the last cell of a row names.
fn tests_of(row: &[&'static str]) -> Vec<&'static str> {
    row.last().expect("a row has cells").split('`').skip(1).step_by(2).collect()
}

/// `file.rs::function` of a test of the repository.
fn exists(path: &str, function: &str) -> bool {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package is in the repository");
    let text = fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    text.contains(&format!("fn {function}("))
}

#[test]
fn every_feature_has_a_spelling_and_a_test() {
    let rows = rows();
    assert!(rows.len() > 100, "only {} rows are understood", rows.len());
    for row in rows {
        assert!(matches!(row.len(), 2 | 3), "a row of {} cells: {row:?}", row.len());
        assert!(row.iter().all(|cell| !cell.is_empty() && !cell.contains("not there")), "`{}` is not said: {row:?}", row[0]);
    }
}

#[test]
fn what_is_missing_stands_at_the_end() {
    let (tables, missing) = PAGE.split_once(MISSING).expect("the page says what is missing");
    assert!(tables.contains("\n|"), "the tables come first");
    assert!(!missing.contains("\n|") && !missing.contains("\n#"), "a table or a section comes after what is missing");
    assert!(missing.lines().any(|line| line.starts_with("* ")), "nothing is missing");
}

#[test]
fn every_named_test_exists() {
    let cases: HashSet<&str> = all_cases().map(|case| case.name.strip_prefix("gpu_tests::kernels::").unwrap_or(case.name)).collect();
    let of_numpy: Vec<_> = rows_with_tests(FROM_NUMPY).collect();
    assert!(of_numpy.len() >= 14, "only {} rows are understood", of_numpy.len());
    for row in rows().into_iter().chain(of_numpy) {
        let tests = tests_of(&row);
        assert!(!tests.is_empty(), "no test shows `{}`", row[0]);
        for test in tests {
            let found = match test.split_once(".rs::") {
                Some((file, function)) => exists(&format!("{file}.rs"), function),
                None => cases.contains(test),
            };
            assert!(found, "there is no test `{test}`, which the row of `{}` names", row[0]);
        }
    }
}

/// The rows of the tables whose last column names tests: the first and the last cell.
fn rows_with_tests(page: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    let tables = page.split(WITH_TESTS).skip(1).flat_map(|table| table.split("\n\n").next());
    let row = |line: &'static str| {
        let (others, last) = line.trim_end().trim_end_matches('|').rsplit_once(" | ").unwrap_or_else(|| panic!("a row of cells: {line}"));
        vec![others.trim_start_matches('|').trim(), last.trim()]
    };
    tables.flat_map(str::lines).map(row)
}

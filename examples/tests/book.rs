//! The book is complete: every page is in its table of contents, and its code blocks are tests.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The pages below `folder`, as paths relative to the root of the repository.
fn pages_in(folder: PathBuf) -> Vec<String> {
    let mut pages = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            pages.extend(pages_in(path));
        } else if path.extension().is_some_and(|extension| extension == "md") && !path.ends_with("SUMMARY.md") {
            pages.push(path.strip_prefix(root()).unwrap().to_str().unwrap().replace('\\', "/"));
        }
    }
    pages
}

/// The targets of the links in `text` to files of the repository.
fn linked_files(text: &str) -> Vec<String> {
    // Code is not linked: neither blocks, which are every other part between fences, nor spans, every other between ticks.
    let prose: String = text.split("```").step_by(2).flat_map(|prose| prose.split('`').step_by(2)).collect();
    let targets = prose.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target);
    let files = targets.filter(|target| !target.contains("://") && !target.starts_with('#'));
    files.map(|target| target.split('#').next().unwrap().to_owned()).collect()
}

#[test]
fn every_page_is_in_the_table_of_contents_and_tested() {
    let (summary, tests) = (read("docs/src/SUMMARY.md"), read("examples/src/book.rs") + &read("tests/src/book.rs"));
    let contents = linked_files(&summary);
    let pages = pages_in(root().join("docs/src"));
    assert_eq!(pages.len(), contents.len(), "{pages:?} and {contents:?}");
    for page in pages {
        let name = page.strip_prefix("docs/src/").unwrap();
        assert!(contents.iter().any(|linked| linked == name), "{name} is not in SUMMARY.md");
        assert!(tests.contains(&format!("{page}\"")), "{page} is in neither examples/src/book.rs nor tests/src/book.rs");
    }
}

#[test]
fn links_between_files_lead_somewhere() {
    let pages = pages_in(root().join("docs/src"));
    for page in pages.iter().map(String::as_str).chain(["README.md", "CONTRIBUTING.md", "examples/README.md", "docs/src/SUMMARY.md"]) {
        let text = read(page);
        let folder = root().join(page).parent().unwrap().to_path_buf();
        for target in linked_files(&text) {
            assert!(folder.join(&target).exists(), "{page} links to {target}");
        }
    }
}

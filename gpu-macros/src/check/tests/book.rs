//! The book's chapter on the proofs names the file of each rule.

use std::path::Path;

#[test]
fn the_files_that_the_book_names_exist() {
    let chapter = include_str!("../../../../docs/src/proofs.md");
    let names: Vec<&str> = chapter.split('`').filter(|name| name.ends_with(".rs") && !name.contains(' ')).collect();
    assert!(names.len() > 20, "{names:?}");
    for name in names {
        let folders = ["src/check", "src"].map(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
        assert!(folders.iter().any(|folder| folder.join(name).exists()), "`{name}` does not exist");
    }
}

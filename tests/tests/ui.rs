//! What does not compile, and what the compiler says about it: one file per mistake.
//!
//! `TRYBUILD=overwrite cargo test --test ui` writes the messages, which are then reviewed as text. A fixture holds one mistake and gets
//! one message, unless its documentation says `errors: 3`.

use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn refused_programs_are_explained() {
    trybuild::TestCases::new().compile_fail("tests/ui/*/*.rs");
}

/// Names of the implementation, which no message may contain.
const INTERNAL: &[&str] = &[
    "__",
    "gr_",
    "mixed",
    "ExprKind",
    "Lowerer",
    "::Device`",
    "wrapping_",
    "overflowing_add",
    "unwrap_failed",
    "SourceUnit",
    "SiteKind",
    "impl IntoSlice",
    "Blocks<",
    "Stop>",
];

#[test]
fn messages_never_name_the_implementation() {
    for Fixture { name, messages, .. } in fixtures() {
        // rustc draws lines of underscores, and quotes the declaration of what a bound is on.
        let is_ours = |line: &&str| !line.contains("____") && !line.contains(" | pub fn ");
        let messages: String = messages.lines().filter(is_ours).flat_map(|line| [line, "\n"]).collect();
        // A word of CUDA's.
        let messages = messages.replace("__device__", "");
        for internal in INTERNAL {
            assert!(!messages.contains(internal), "{name}: `{internal}` in\n{messages}");
        }
        // A constant of the user's may panic where rustc evaluates it; the macro may not.
        for panicked in ["custom attribute panicked", "proc macro panicked"] {
            assert!(!messages.contains(panicked), "{name}: the macro panicked\n{messages}");
        }
    }
}

#[test]
fn one_mistake_gives_one_message() {
    for Fixture { name, program, messages } in fixtures() {
        let declared =
            program.lines().find_map(|line| line.strip_prefix("//! errors: ")).map(|count| count.parse().expect("a number of errors"));
        let count = |kind: &str| messages.lines().filter(|line| line.starts_with(kind)).count();
        assert_eq!(count("error"), declared.unwrap_or(1), "{name}:\n{messages}");
        assert_eq!(count("warning"), 0, "{name}:\n{messages}");
    }
}

#[test]
fn messages_of_the_macro_read_like_those_of_rustc() {
    for Fixture { name, messages, .. } in fixtures() {
        // rustc's own mostly have a code.
        for message in messages.lines().filter_map(|line| line.strip_prefix("error: ")) {
            assert!(!message.ends_with(['.', '!']), "{name}: a full stop after `{message}`");
            assert!(!message.starts_with(char::is_uppercase), "{name}: a capital in `{message}`");
        }
    }
}

struct Fixture {
    name: String,
    program: String,
    messages: String,
}

fn fixtures() -> Vec<Fixture> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui");
    let fixtures: Vec<Fixture> = folders(&root).iter().flat_map(|folder| programs(folder)).collect();
    assert!(fixtures.len() > 100, "{} fixtures in {}", fixtures.len(), root.display());
    fixtures
}

fn folders(root: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(root).expect("the fixtures are there");
    entries.map(|entry| entry.expect("a readable entry").path()).filter(|path| path.is_dir()).collect()
}

fn programs(folder: &Path) -> Vec<Fixture> {
    let entries = fs::read_dir(folder).expect("a readable folder");
    let paths = entries.map(|entry| entry.expect("a readable entry").path()).filter(|path| path.extension().is_some_and(|end| end == "rs"));
    paths
        .map(|path| Fixture {
            name: path.display().to_string(),
            program: fs::read_to_string(&path).expect("a readable fixture"),
            messages: fs::read_to_string(path.with_extension("stderr")).expect("a fixture has its messages beside it"),
        })
        .collect()
}

//! What does not compile, and what the compiler says about it.
//!
//! `programs/` has a file for each topic, with many mistakes. A line with a mistake ends in `//~`, and gets one message, or in `//~ 3`
//! for three. `UPDATE_EXPECT=1 cargo test -p gpu-ui` writes the messages, which are then reviewed as text.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use expect_test::expect_file;

mod compile;
mod message;

use compile::workspace;
use message::Message;

/// Names of the implementation, which no message may contain.
const INTERNAL: &[&str] = &[
    "__",
    "gr_",
    "gpu_code_",
    "gpu_device_",
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

/// Words of CUDA C's that look like ours, and a name that says what to write.
const CUDA_WORDS: &[&str] = &["__device__", "__global__", "__shfl_down_sync", "__expf", "write_gpu_device_above_this_impl"];

/// What is written with a capital wherever it stands.
const NAMES: &[&str] = &["Rust", "CUDA", "PTX"];

/// A file of `programs/`, and what rustc says about it.
struct Program {
    /// Relative to the workspace.
    path: PathBuf,
    source: String,
    messages: Vec<Message>,
}

impl Program {
    /// How many messages each line should get, of those that should get one.
    fn mistakes(&self) -> Vec<(usize, usize)> {
        let mark = |line: &str| {
            let (_, count) = line.rsplit_once("//~")?;
            Some(if count.is_empty() { 1 } else { count.trim().parse().expect("a number of messages") })
        };
        self.source.lines().enumerate().filter_map(|(index, line)| Some((index + 1, mark(line)?))).collect()
    }

    fn messages_at(&self, line: usize) -> usize {
        self.messages.iter().filter(|message| message.line == Some(line)).count()
    }

    fn place(&self, line: usize) -> String {
        format!("{}:{line}", self.path.display())
    }
}

#[test]
fn refused_programs_are_explained() {
    for program in programs() {
        let text: Vec<&str> = program.messages.iter().map(|message| message.text.as_str()).collect();
        expect_file![workspace().join(&program.path).with_extension("stderr")].assert_eq(&(text.join("\n\n") + "\n"));
    }
}

#[test]
fn one_mistake_gives_one_message_at_its_line() {
    let mut count = 0;
    let mut wrong = Vec::new();
    for program in programs() {
        let mistakes = program.mistakes();
        for &(line, expected) in &mistakes {
            let found = program.messages_at(line);
            if found != expected {
                wrong.push(format!("{}: {found} messages instead of {expected}", program.place(line)));
            }
            count += expected;
        }
        let is_expected = |line: Option<usize>| line.is_some_and(|line| mistakes.iter().any(|&(mistake, _)| mistake == line));
        for message in program.messages.iter().filter(|message| !is_expected(message.line)) {
            wrong.push(format!("{}, where there is no mistake:\n{}", program.place(message.line.unwrap_or(0)), message.text));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 600, "only {count} mistakes");
}

#[test]
fn messages_never_name_the_implementation() {
    // Some programs name it themselves.
    let of_users = programs().iter().filter(|program| !program.path.to_string_lossy().contains("hidden_"));
    for message in of_users.flat_map(|program| &program.messages) {
        // rustc draws lines of underscores, quotes the declaration of what a bound is on, and says in which function a constant is.
        let of_rustc = ["____", " | pub fn ", "LL | |", "required by ", ": evaluation of `", "^^^ evaluation of `"];
        let is_ours = |line: &&str| !of_rustc.iter().any(|words| line.contains(words));
        let text: String = message.text.lines().filter(is_ours).flat_map(|line| [line, "\n"]).collect();
        let text = CUDA_WORDS.iter().fold(text, |text, word| text.replace(word, ""));
        for internal in INTERNAL {
            assert!(!text.contains(internal), "`{internal}` in\n{text}");
        }
        // A constant of the user's may panic where rustc evaluates it; the macro may not.
        for panicked in ["custom attribute panicked", "proc macro panicked"] {
            assert!(!text.contains(panicked), "the macro panicked:\n{text}");
        }
    }
}

#[test]
fn messages_of_the_macro_read_like_those_of_rustc() {
    // rustc's own mostly have a code.
    let ours = programs().iter().flat_map(|program| &program.messages).filter_map(|message| message.text.strip_prefix("error: "));
    for message in ours.filter_map(|text| text.lines().next()) {
        assert!(!message.ends_with(['.', '!']), "a full stop after `{message}`");
        let is_name = NAMES.iter().any(|name| message.split_whitespace().next() == Some(name));
        assert!(is_name || !message.starts_with(char::is_uppercase), "a capital in `{message}`");
    }
}

/// All of them, compiled once.
fn programs() -> &'static [Program] {
    static PROGRAMS: LazyLock<Vec<Program>> = LazyLock::new(|| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs");
        let entries = fs::read_dir(&folder).expect("the programs are there");
        let relative = |path: PathBuf| path.strip_prefix(workspace()).expect("a path in the workspace").to_owned();
        let mut paths: Vec<PathBuf> = entries.map(|entry| relative(entry.expect("a readable entry").path())).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
        paths.sort();
        let outputs = compile::all(&paths);
        let read = |(path, output): (PathBuf, String)| Program {
            source: fs::read_to_string(workspace().join(&path)).expect("a readable program"),
            messages: message::read(&output, &path),
            path,
        };
        paths.into_iter().zip(outputs).map(read).collect()
    });
    &PROGRAMS
}

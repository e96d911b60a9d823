//! The NVRTC that tests of this crate compile with.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::thread;

use super::{Compilers, Library};
use crate::compile::{Architecture, CompileError, Options};
use crate::source::KernelOptions;

/// An installed NVRTC; else `None`, after saying that `test` was skipped.
///
/// # Panics
///
/// If there is none and `GPU_RUNTIME_REQUIRE` is `nvrtc` or `cuda`.
pub(crate) fn nvrtc_or_skip(test: &str) -> Option<&'static Library> {
    let found = Compilers::installed().iter().find_map(|compiler| compiler.library().ok());
    if found.is_none() {
        let required = std::env::var("GPU_RUNTIME_REQUIRE").is_ok_and(|what| what.contains("nvrtc") || what.contains("cuda"));
        assert!(!required, "`{test}` needs NVRTC: {}", super::nvrtc_status());
        eprintln!("skipped `{test}`: {}", super::nvrtc_status());
    }
    found
}

/// The most bytes of texts that are compiled at once.
const MOST: usize = 100_000;

/// Compiles the texts of kernels for an architecture, which must work. Nobody looks at the machine code, so it is not optimized, which would
/// take most of the time.
///
/// Each text is compiled once, and many at once, each in a namespace, as much of the time that a small text takes is the same for any. A
/// namespace hides names that mean something in CUDA: a text that is the first with a name before a parenthesis is compiled alone, as by a
/// launch.
///
/// # Panics
///
/// If one does not compile.
pub(crate) fn assert_all_compile(nvrtc: &Library, kernel: &str, sources: &[String]) {
    let (mut texts, mut functions) = (HashSet::new(), HashSet::new());
    let (mut alone, mut units): (Vec<&str>, Vec<Vec<&str>>) = (Vec::new(), Vec::new());
    for source in sources.iter().filter(|source| texts.insert(source.as_str())) {
        let first = called(source).filter(|name| !name.starts_with("gr_") && functions.insert(*name)).count() > 0;
        match units.last_mut().filter(|unit| unit.iter().map(|text| text.len()).sum::<usize>() + source.len() <= MOST) {
            _ if first => alone.push(source),
            Some(unit) => unit.push(source),
            None => units.push(vec![source]),
        }
    }
    thread::scope(|scope| {
        for part in alone.chunks(4) {
            scope.spawn(move || part.iter().for_each(|source| assert_compiles(nvrtc, kernel, source)));
        }
        for unit in &units {
            scope.spawn(move || {
                if let Err(error) = compile(nvrtc, kernel, &in_namespaces(unit)) {
                    unit.iter().for_each(|source| assert_compiles(nvrtc, kernel, source));
                    panic!("only together: {error}\n{error:?}");
                }
            });
        }
    });
}

fn assert_compiles(nvrtc: &Library, kernel: &str, source: &str) {
    if let Err(error) = compile(nvrtc, kernel, source) {
        panic!("{error}\n{error:?}\n{source}");
    }
}

fn compile(nvrtc: &Library, kernel: &str, source: &str) -> Result<(), CompileError> {
    let options = Options { kernel: KernelOptions { opt: Some(0), ..KernelOptions::DEFAULT }, ..Options::DEFAULT };
    nvrtc.compile(kernel, source, Architecture { major: 9, minor: 0 }.into(), &options).map(drop)
}

/// A namespace cannot have two functions with the same C name, and neither can two namespaces: nothing has C linkage.
fn in_namespaces(texts: &[&str]) -> String {
    let mut joined = String::new();
    for (number, text) in texts.iter().enumerate() {
        let text = text.replace("extern \"C\" {", "inline namespace globals {").replace("extern \"C\" ", "");
        let _ = writeln!(joined, "namespace in_{number} {{\n{text}\n}}");
        for line in text.lines().filter_map(|line| line.strip_prefix("#define ")) {
            let macro_name = line.split(|c: char| !is_of_name(c)).next().expect("a split has a first part");
            let _ = writeln!(joined, "#undef {macro_name}");
        }
    }
    joined
}

/// The names before a parenthesis.
fn called(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('(').map(|(end, _)| {
        let before = text[..end].trim_end();
        &before[before.trim_end_matches(is_of_name).len()..]
    })
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

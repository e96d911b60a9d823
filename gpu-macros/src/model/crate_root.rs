//! Whether the root of the crate that is being compiled can give the name of a crate to another one.
//!
//! Only `extern crate sound as gpu_runtime;` in the root module can: what a macro, an attribute or `include!` adds to the root cannot rename what the
//! compiler was given, which rustc refuses. So the words stand in the root's file, and where they do not, nothing has to be asserted. An assertion has a
//! price: rustc's messages name a crate by an `extern crate` item, if there is one anywhere.

use std::ffi::OsString;
use std::sync::OnceLock;

/// `true` also where the root's file is not found: in an editor, or where the compiler gets its arguments from a file.
pub(super) fn may_rename_crates() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(|| root_text().is_none_or(|text| has_extern_crate(&text)))
}

/// What rustc, in whose process a macro runs, was told to compile.
fn root_text() -> Option<String> {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let is_source = |argument: &&OsString| argument.to_str().is_some_and(|text| text.ends_with(".rs"));
    let mut sources = arguments.iter().filter(is_source);
    let root = sources.next()?;
    let is_only_one = sources.next().is_none() && !arguments.iter().any(|argument| argument.to_string_lossy().starts_with('@'));
    is_only_one.then(|| std::fs::read_to_string(root).ok())?
}

/// Whether the words `extern crate` stand there, or may stand there with a comment in between.
fn has_extern_crate(text: &str) -> bool {
    let mut rest = text.split("extern");
    rest.next();
    rest.any(|behind| behind.trim_start().starts_with(['c', '/']) || behind.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::has_extern_crate;

    #[test]
    fn the_words_are_found_however_they_are_separated() {
        for text in [
            "extern crate self as core;",
            "#[macro_use]\npub extern\n\tcrate sound as gpu_runtime;",
            "extern /* a */ crate self as core;",
            "extern// a\ncrate self as core;",
            "macro_rules! renamed { () => { extern crate self as core; } }",
        ] {
            assert!(has_extern_crate(text), "{text}");
        }
        for text in ["", "use gpu_runtime::prelude::*;\n", "extern \"C\" { fn f(); }", "unsafe extern {}", "fn external() {}"] {
            assert!(!has_extern_crate(text), "{text}");
        }
    }
}

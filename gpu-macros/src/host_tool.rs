//! The program that runs the macros: a compiler, or an editor.

use std::sync::OnceLock;

/// Whether rust-analyzer runs the macro. It does so in a separate process, whose program has its name.
pub(crate) fn is_editor() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(|| {
        let program = std::env::current_exe().ok();
        program.and_then(|path| path.file_stem().map(|name| name.to_string_lossy().starts_with("rust-analyzer"))) == Some(true)
    })
}

//! Runs rustc on programs, against the libraries that this test is compiled against.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

const LIBRARIES: &[&str] = &rustc_invocation::libraries!();

/// What rustc prints about each program, as many at a time as there are processors.
pub(crate) fn all(programs: &[PathBuf]) -> Vec<String> {
    let outputs: Vec<Mutex<String>> = programs.iter().map(|_| Mutex::default()).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(index) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&index| index < programs.len()) {
            *outputs[index].lock().unwrap_or_else(PoisonError::into_inner) = compile(&programs[index]);
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    outputs.into_iter().map(|output| output.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

/// Where rustc runs, and what the paths of programs and of the runtime's files in its messages are relative to.
pub(crate) fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the workspace is around this package")
}

/// What rustc prints about one.
fn compile(program: &Path) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // Nothing is compiled to machine code: programs are refused before.
    let output = compile_with(program, folder.path(), &["--emit=metadata"]);
    String::from_utf8(output.stderr).expect("rustc prints UTF-8")
}

/// The same with these arguments, and files that are written to `folder`.
pub(crate) fn compile_with(program: &Path, folder: &Path, arguments: &[&str]) -> Output {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let is_unstable = arguments.iter().any(|argument| argument.starts_with("-Z"));
    // `CARGO` decides what rustc suggests.
    Command::new(rustc)
        .args(["--edition=2024", "--out-dir"])
        .arg(folder)
        .args(arguments)
        .args(LIBRARIES)
        .arg(program)
        .current_dir(workspace())
        .env("CARGO", "cargo")
        .envs(is_unstable.then_some(("RUSTC_BOOTSTRAP", "1")))
        .stdin(Stdio::null())
        .output()
        .expect("rustc starts")
}

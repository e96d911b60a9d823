//! Runs rustc on programs, against the libraries that this test is compiled against.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
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
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    // Nothing is compiled to machine code: programs are refused before. `CARGO` decides what rustc suggests.
    let output = Command::new(rustc)
        .args(["--edition=2024", "--emit=metadata", "--out-dir"])
        .arg(folder.path())
        .args(LIBRARIES)
        .arg(program)
        .current_dir(workspace())
        .env("CARGO", "cargo")
        .stdin(Stdio::null())
        .output()
        .expect("rustc starts");
    String::from_utf8(output.stderr).expect("rustc prints UTF-8")
}

//! The NVRTC that tests of this crate compile with.

use std::thread;

use super::{Compilers, Library};
use crate::compile::{Architecture, Options};
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

/// Compiles the text of a kernel for an architecture, which must work. Nobody looks at the machine code, so it is not
/// optimized, which would take most of the time.
///
/// # Panics
///
/// If it does not compile.
#[track_caller]
pub(crate) fn assert_compiles(nvrtc: &Library, kernel: &str, source: &str) {
    let options = Options { kernel: KernelOptions { opt: Some(0), ..KernelOptions::DEFAULT }, ..Options::DEFAULT };
    if let Err(error) = nvrtc.compile(kernel, source, Architecture { major: 9, minor: 0 }.into(), &options) {
        panic!("{error}\n{error:?}\n{source}");
    }
}

/// The same for several texts, some at a time.
pub(crate) fn assert_all_compile(nvrtc: &Library, kernel: &str, sources: &[String]) {
    thread::scope(|scope| {
        for part in sources.chunks(4) {
            scope.spawn(move || part.iter().for_each(|source| assert_compiles(nvrtc, kernel, source)));
        }
    });
}

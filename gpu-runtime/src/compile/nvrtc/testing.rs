//! The NVRTC that tests of this crate compile with.

use super::{Compilers, Library};

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

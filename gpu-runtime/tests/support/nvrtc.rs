//! Tests that need NVRTC.

/// Whether this machine has NVRTC; says that `test` is skipped if not, and fails if it is required.
pub(crate) fn has_nvrtc(test: &str) -> bool {
    let status = gpu_runtime::nvrtc_status();
    if matches!(status, gpu_runtime::NvrtcStatus::Found { .. }) {
        return true;
    }
    let required = std::env::var("GPU_RUNTIME_REQUIRE").is_ok_and(|what| what.contains("nvrtc") || what.contains("cuda"));
    assert!(!required, "`{test}` needs NVRTC: {status}");
    eprintln!("skipped `{test}`: {status}");
    false
}

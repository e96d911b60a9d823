//! What tests need of the machine: NVRTC, a GPU, a C++ compiler. Without it, a test says that it was skipped, or fails where the environment
//! variable `GPU_RUNTIME_REQUIRE` names it, such as `nvrtc,hostcc`.

use gpu_runtime::{Device, NvrtcStatus, nvrtc_status};

/// Whether the tests must not skip for lack of `tool`: `nvrtc`, `cuda`, which needs NVRTC too, or `hostcc`.
#[must_use]
pub fn is_required(tool: &str) -> bool {
    let names = |name: &str| name == tool || name == "cuda" && tool == "nvrtc";
    std::env::var("GPU_RUNTIME_REQUIRE").is_ok_and(|required| required.split(',').map(str::trim).any(names))
}

/// Whether kernels can be compiled for GPUs here.
///
/// # Panics
///
/// If they cannot, and NVRTC is required.
#[must_use]
pub fn has_nvrtc(test: &str) -> bool {
    let status = nvrtc_status();
    let found = matches!(status, NvrtcStatus::Found { .. });
    if !found {
        assert!(!is_required("nvrtc"), "`{test}` needs NVRTC: {status}");
        eprintln!("skipped `{test}`: {status}");
    }
    found
}

/// The first GPU.
///
/// # Panics
///
/// If there is none, and a GPU is required.
#[must_use]
pub fn gpu_or_skip(test: &str) -> Option<Device> {
    let gpu = Device::gpu(0);
    if let Err(error) = &gpu {
        assert!(!is_required("cuda"), "`{test}` needs a GPU: {error}");
        eprintln!("skipped `{test}` on a GPU: {error}");
    }
    gpu.ok()
}

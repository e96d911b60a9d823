//! Errors between generated source and machine code.

use std::fmt;

use super::Architecture;

/// A kernel could not be compiled for the GPU.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// No usable NVRTC, NVIDIA's run-time compiler, is installed.
    #[error(
        "NVRTC, which compiles kernels for the GPU, was not found\n  searched:\n{}  help: `pip install nvidia-cuda-nvrtc`, or \
         install the CUDA toolkit (12.0 or later), or set GPU_RUNTIME_NVRTC to the library or its folder",
        list(.searched)
    )]
    NvrtcNotFound {
        /// Every place that was searched, in order, and what was wrong with it.
        searched: Vec<String>,
    },

    /// NVRTC does not support this GPU: NVRTC or the GPU is too old.
    #[error(
        "the GPU is {device}, but NVRTC {} compiles for {oldest} to {newest}\n  found: {}\n  help: {}",
        version(.nvrtc), .path, advice(.device, .newest)
    )]
    UnsupportedArchitecture {
        /// The device's architecture.
        device: Architecture,
        /// The oldest architecture that this NVRTC supports.
        oldest: Architecture,
        /// The newest architecture that this NVRTC supports.
        newest: Architecture,
        /// The major and minor version of NVRTC.
        nvrtc: (u32, u32),
        /// The library that was used.
        path: String,
    },

    /// NVRTC rejected the generated CUDA C.
    #[error("NVRTC could not compile kernel `{kernel}`:\n{}", list(.messages))]
    Rejected {
        /// The kernel's name.
        kernel: String,
        /// Only the errors, as `file:line: error: …`. File and line are those of the Rust source.
        messages: Vec<String>,
        /// The whole output of NVRTC.
        log: String,
        /// The generated CUDA C.
        cuda_source: SourceText,
    },

    /// The machine code could not be linked with the PTX of a device function.
    #[error("kernel `{kernel}` could not be linked with PTX: {messages}")]
    NotLinked {
        /// The kernel's name.
        kernel: String,
        /// The message of the driver's linker.
        messages: String,
    },

    /// The PTX of a kernel cannot be used.
    #[error("kernel `{kernel}`, which is written in PTX: {reason}")]
    Ptx {
        /// The kernel's name.
        kernel: String,
        /// What is wrong with it.
        reason: String,
    },

    /// The bytes are no bundle of kernels that were compiled ahead of time.
    #[error("this is not a bundle of compiled kernels: {reason}\n  help: write it again with `Bundle::compile`")]
    InvalidBundle {
        /// What is wrong with them.
        reason: String,
    },

    /// A call into NVRTC failed without a message about the source.
    #[error("{call} failed while compiling kernel `{kernel}`: {reason}")]
    NvrtcCall {
        /// The kernel's name.
        kernel: String,
        /// NVRTC's name for the call.
        call: &'static str,
        /// NVRTC's name for the error.
        reason: String,
    },
}

/// Generated CUDA C inside an error: available in full, but one line in `{:?}`, so that `unwrap` stays readable.
#[derive(Clone, PartialEq, Eq)]
pub struct SourceText(String);

impl SourceText {
    pub(crate) fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SourceText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{} lines of CUDA C>", self.0.lines().count())
    }
}

/// A line for each.
pub(crate) fn list(lines: &[String]) -> String {
    lines.iter().map(|line| format!("    {line}\n")).collect()
}

fn version((major, minor): &(u32, u32)) -> String {
    format!("{major}.{minor}")
}

fn advice(device: &Architecture, newest: &Architecture) -> &'static str {
    if device > newest {
        "install a newer nvidia-cuda-nvrtc or CUDA toolkit: this one does not know the GPU yet"
    } else {
        "install an older nvidia-cuda-nvrtc or CUDA toolkit: this one no longer supports the GPU"
    }
}

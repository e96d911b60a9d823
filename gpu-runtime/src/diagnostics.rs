//! What this machine has installed to run kernels, and what is missing.

use std::fmt;

use crate::backend::cuda::{self, GpuSummary};
use crate::compile::{NvrtcStatus, nvrtc_status};
use crate::{Device, Error};

/// Searches for the driver, GPUs and NVRTC, to show why a program uses a device.
///
/// ```
/// println!("{}", gpu_runtime::diagnostics());
/// ```
#[must_use]
// Compiled only where it is used.
#[inline]
pub fn diagnostics() -> Diagnostics {
    let driver = match cuda::driver_version() {
        Ok(Ok(version)) => Ok(version),
        Ok(Err(absence)) => Err(absence.into()),
        Err(error) => Err(error),
    };
    Diagnostics { driver, gpus: GpuSummary::all(), nvrtc: nvrtc_status(), cpu: Device::cpu().name().to_owned() }
}

/// The result of [`diagnostics`]. `{}` prints one finding per line.
#[derive(Debug)]
#[non_exhaustive]
pub struct Diagnostics {
    /// The CUDA version that NVIDIA's driver supports (major, minor), or why there is none.
    pub driver: Result<(u32, u32), Error>,
    /// The GPUs in CUDA's order, or why there are none.
    pub gpus: Result<Vec<GpuSummary>, Error>,
    /// Whether kernels can be compiled for the GPU.
    pub nvrtc: NvrtcStatus,
    /// The name of the CPU device.
    pub cpu: String,
}

impl fmt::Display for Diagnostics {
    // Compiled only where it is used.
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.driver {
            Ok((major, minor)) => writeln!(f, "driver: supports CUDA {major}.{minor}")?,
            Err(error) => writeln!(f, "driver: {error}")?,
        }
        match (&self.driver, &self.gpus) {
            (_, Ok(gpus)) => gpus.iter().enumerate().try_for_each(|(ordinal, gpu)| writeln!(f, "GPU {ordinal}: {gpu}"))?,
            // Without a driver the reason is on the line before.
            (Err(_), Err(_)) => {}
            (Ok(_), Err(error)) => writeln!(f, "GPU: {error}")?,
        }
        writeln!(f, "CPU: {}", self.cpu)?;
        write!(f, "compiler: {}", self.nvrtc)
    }
}

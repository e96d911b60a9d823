//! Kernels that are compiled ahead of time, on a machine without a GPU, for programs that run without NVRTC.
//!
//! A [`Bundle`] has the machine code of a list of kernels for a list of architectures. One program writes it to a file, with NVRTC and
//! without a GPU; another one, or the same one later, loads it and needs NVIDIA's driver only. `cargo run --example aot` does both.
//!
//! ```no_run
//! use gpu_runtime::aot::Bundle;
//! use gpu_runtime::prelude::*;
//!
//! #[gpu_kernel]
//! fn double(x: &mut [f32]) {
//!     let i = grid_1d();
//!     if i < x.len() {
//!         x[i] *= 2.0;
//!     }
//! }
//!
//! // Once, where NVRTC is installed.
//! let bundle = Bundle::compile(&[double::handle()], &["sm_80", "sm_90", "compute_90"])?;
//! std::fs::write("kernels.bundle", bundle.as_bytes())?;
//!
//! // In each run, before the first launch. `include_bytes!` embeds the file.
//! // SAFETY: the file was written above.
//! unsafe { Bundle::load(std::fs::read("kernels.bundle")?)? };
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Each entry is known by the full text of its program, so a bundle cannot be outdated: a kernel that has changed since is not found in it,
//! and is compiled by NVRTC as usual. The same holds for another version of this crate.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::Result;
use crate::compile::bundle::{self, BundleTarget, CodeFormat, Index};
use crate::compile::{self, CompileError, Options, Program};
use crate::kernel::{KernelHandle, in_parallel};

/// The machine code of a list of kernels for a list of architectures: see [the module](self).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle(Vec<u8>);

impl Bundle {
    /// Compiles the kernels for each of the targets, in parallel on rayon's global pool. This needs NVRTC and no GPU.
    ///
    /// | target | the result runs on |
    /// |---|---|
    /// | `sm_90` | GPUs of this architecture, and later ones of its generation |
    /// | `sm_90a` | GPUs of this architecture only, and may use instructions that only they have |
    /// | `sm_100f` | this architecture and its family |
    /// | `compute_90` | this architecture and all later ones: PTX, which the driver compiles when it loads it |
    ///
    /// A kernel with `suffix = "a"` is compiled for `sm_90a` where the target is `sm_90`. A kernel that is written in PTX is in the program
    /// already, and the driver compiles it.
    ///
    /// # Errors
    ///
    /// [`Error::Compile`](crate::Error::Compile) if NVRTC is missing, does not support a target, or rejects a kernel;
    /// [`Error::Architecture`](crate::Error::Architecture) if a target is none.
    #[inline]
    pub fn compile(kernels: &[KernelHandle], targets: &[&str]) -> Result<Self> {
        let targets = targets.iter().map(|name| BundleTarget::parse(name)).collect::<std::result::Result<Vec<_>, _>>()?;
        let programs: Vec<_> =
            kernels.iter().flat_map(|kernel| kernel.programs().into_iter().map(|program| (program, kernel.options()))).collect();
        // The driver compiles those that are PTX already.
        let compiled = programs.iter().filter(|(program, _)| program.ptx.is_none());
        let mut known = HashSet::new();
        let mut jobs = Vec::new();
        for (program, options) in compiled {
            for target in targets.iter().map(|target| target.with_features_of(options)) {
                let hash = bundle::hash(program, target, options);
                // Kernels may have the same text, such as instances that do not use their parameter.
                if known.insert(hash) {
                    jobs.push((hash, target, program, options));
                }
            }
        }
        let compiled = in_parallel(&jobs, |&(hash, target, program, options)| Ok((hash, target, code(program, target, options)?)));
        Ok(Self(bundle::write(&compiled.into_iter().collect::<Result<Vec<_>>>()?)))
    }

    /// What [`load`](Self::load) takes: write it to a file.
    #[inline]
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Lets later first launches in this process take their kernels from the bundle, before they look into the disk cache or for NVRTC.
    /// The bytes are those of `include_bytes!`, or of a file that was read. Several bundles can be loaded.
    ///
    /// # Errors
    ///
    /// [`Error::Compile`](crate::Error::Compile) if the bytes are not those of a bundle.
    ///
    /// # Safety
    ///
    /// [`compile`](Self::compile) must have written the bytes: a GPU runs the code in them.
    #[inline]
    pub unsafe fn load(bytes: impl Into<Cow<'static, [u8]>>) -> Result<()> {
        bundle::load(Index::read(bytes.into())?);
        Ok(())
    }
}

/// The code of one entry.
#[inline]
fn code(program: &Program, BundleTarget { format, target }: BundleTarget, options: &Options) -> std::result::Result<Vec<u8>, CompileError> {
    match format {
        CodeFormat::Cubin => compile::cubin(program, target, options),
        CodeFormat::Ptx => {
            let mut text = compile::ptx(program, target, options)?.into_bytes();
            // The driver takes a C string.
            text.push(0);
            Ok(text)
        }
    }
}

//! The functions of a kernel's module, for tools.
//!
//! Each costs every kernel a hundredth of what rustc checks it in. So those that few programs call are methods of the kernel's
//! [handle](KernelHandle) only.

use crate::kernel::KernelDefinition;
use crate::{BlockDim, Device, KernelAttributes, KernelHandle, Launch, Result};

/// Declares them for the kernel `$instance`. `#[gpu_kernel]` calls this, because the compiler expands it faster than an attribute prints
/// them, once for each kernel. For the same reason, each function has one attribute for its documentation.
#[doc(hidden)]
#[macro_export]
macro_rules! __kernel_tools {
    ([$($instance:tt)*] [$($generics:tt)*] [$($clause:tt)*] [$($findings:tt)*]) => {
        #[doc = "What is not proved of the kernel: the accesses by which its threads may race, each with its line."]
        pub const fn findings() -> &'static [&'static ::core::primitive::str] {
            &[$($findings)*]
        }

        #[doc = "The kernel as a value: for its PTX and machine code, what it needs of a device, and lists of kernels."]
        #[inline]
        pub fn handle $($generics)* () -> $crate::KernelHandle $($clause)* {
            $crate::KernelHandle::of::<$($instance)*>()
        }

        #[doc = "Compiles the kernel for that device and loads it, so that its first launch starts at once.\n\n# Errors\n\n\
            The kernel does not compile for it."]
        #[inline]
        pub fn prepare $($generics)* (device: &$crate::Device) -> $crate::Result<()> $($clause)* {
            $crate::KernelHandle::of::<$($instance)*>().prepare(device)
        }

        #[doc = "The generated CUDA C with every check, and everything that the kernel calls."]
        #[inline]
        pub fn cuda_source $($generics)* () -> ::std::string::String $($clause)* {
            $crate::KernelHandle::of::<$($instance)*>().cuda_source()
        }

        #[doc = "What the kernel needs on that device: registers, memory, occupancy; and the checks that remain, with the reason. On the CPU, \
            what it needs on an `sm_90`, as NVRTC tells.\n\n# Errors\n\n\
            The kernel does not compile for it, or NVRTC was not found."]
        #[inline]
        pub fn report $($generics)* (device: &$crate::Device) -> $crate::Result<$crate::KernelReport> $($clause)* {
            $crate::KernelHandle::of::<$($instance)*>().report(device)
        }
    };
}

/// The functions of a kernel's module, of a kernel with its arguments: a kernel in an `impl` has no module.
impl<K: KernelDefinition> Launch<'_, K> {
    /// The kernel as a value, for lists of kernels: see [`prepare`](crate::prepare()) and [`aot`](crate::aot).
    #[inline]
    pub fn handle(&self) -> KernelHandle {
        KernelHandle::of::<K>()
    }

    /// The generated CUDA C with every check, and everything that the kernel calls.
    #[inline]
    pub fn cuda_source(&self) -> String {
        self.handle().cuda_source()
    }

    /// The CUDA C of launches that show all indices to be in bounds.
    #[inline]
    pub fn unchecked_source(&self) -> String {
        self.handle().unchecked_source()
    }

    /// PTX from NVRTC, for an architecture such as `"sm_90"`.
    ///
    /// # Errors
    ///
    /// NVRTC was not found, or it does not support the architecture.
    #[inline]
    pub fn ptx(&self, arch: &str) -> Result<String> {
        self.handle().ptx(arch)
    }

    /// Machine code (an ELF image) for an architecture such as `"sm_90"`.
    ///
    /// # Errors
    ///
    /// NVRTC was not found, or it does not support the architecture.
    #[inline]
    pub fn cubin(&self, arch: &str) -> Result<Vec<u8>> {
        self.handle().cubin(arch)
    }

    /// The registers and memory that the kernel needs on a GPU, with every check.
    ///
    /// # Errors
    ///
    /// The device is a CPU, or the kernel does not compile for it.
    #[inline]
    pub fn attributes(&self, device: &Device) -> Result<KernelAttributes> {
        self.handle().attributes(device)
    }

    /// How many blocks of that shape the device holds at the same time: see [`KernelHandle`](crate::KernelHandle::max_resident_blocks).
    ///
    /// # Errors
    ///
    /// No device runs such a block, or the kernel does not compile for it.
    #[inline]
    pub fn max_resident_blocks(&self, device: &Device, block: impl Into<BlockDim>) -> Result<usize> {
        self.handle().max_resident_blocks(device, block)
    }
}

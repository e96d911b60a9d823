//! The functions of a kernel's module, for tools.

use crate::kernel::KernelDefinition;
use crate::{__private, BlockDim, Device, KernelAttributes, KernelHandle, Launch, Result};

/// Declares them for the kernel `$instance`. `#[gpu_kernel]` calls this, because the compiler expands it faster than an attribute prints
/// them, once for each kernel. For the same reason, each function has one attribute for its documentation.
#[doc(hidden)]
#[macro_export]
macro_rules! __kernel_tools {
    ([$($instance:tt)*] [$($generics:tt)*] [$($clause:tt)*] [$($findings:tt)*] $([$($checks:tt)*])?) => {
        #[doc = "What is not proved of the kernel: the accesses by which its threads may race, each with its line."]
        pub const fn findings() -> &'static [&'static ::core::primitive::str] {
            &[$($findings)*]
        }

        #[doc = "The kernel as a value, for lists of kernels: see `gpu_runtime::prepare` and `gpu_runtime::aot`."]
        #[inline]
        pub fn handle $($generics)* () -> $crate::KernelHandle $($clause)* {
            $crate::KernelHandle::of::<$($instance)*>()
        }

        #[doc = "Compiles the kernel for that device and loads it, so that its first launch starts at once.\n\n# Errors\n\n\
            The kernel does not compile for it."]
        #[inline]
        pub fn prepare $($generics)* (device: &$crate::Device) -> $crate::Result<()> $($clause)* {
            $crate::prepare(device, &[$crate::KernelHandle::of::<$($instance)*>()])
        }

        #[doc = "The generated CUDA C with every check, and everything that the kernel calls."]
        #[inline]
        pub fn cuda_source $($generics)* () -> ::std::string::String $($clause)* {
            $crate::__private::cuda_source::<$($instance)*>()
        }

        #[doc = "The CUDA C of launches that show all indices to be in bounds: without the checks that are marked in `cuda_source()`."]
        #[inline]
        pub fn unchecked_source $($generics)* () -> ::std::string::String $($clause)* {
            $crate::__private::unchecked_source::<$($instance)*>()
        }

        #[doc = "PTX from NVRTC, for an architecture such as `\"sm_90\"`.\n\n# Errors\n\n\
            NVRTC was not found, or it does not support the architecture."]
        #[inline]
        pub fn ptx $($generics)* (arch: &::core::primitive::str) -> $crate::Result<::std::string::String> $($clause)* {
            $crate::__private::ptx::<$($instance)*>(arch)
        }

        #[doc = "Machine code (an ELF image) for an architecture such as `\"sm_90\"`.\n\n# Errors\n\n\
            NVRTC was not found, or it does not support the architecture."]
        #[inline]
        pub fn cubin $($generics)* (arch: &::core::primitive::str) -> $crate::Result<::std::vec::Vec<::core::primitive::u8>> $($clause)* {
            $crate::__private::cubin::<$($instance)*>(arch)
        }

        #[doc = "The registers and memory that the kernel needs on a GPU, with every check.\n\n# Errors\n\n\
            The device is a CPU, or the kernel does not compile for it."]
        #[inline]
        pub fn attributes $($generics)* (device: &$crate::Device) -> $crate::Result<$crate::KernelAttributes> $($clause)* {
            $crate::__private::attributes::<$($instance)*>(device)
        }

        #[doc = "What the kernel needs on that device: registers, memory, occupancy; and the checks that remain, with the reason. On the CPU, \
            what it needs on an `sm_90`, as NVRTC tells.\n\n# Errors\n\n\
            The kernel does not compile for it, or NVRTC was not found."]
        #[inline]
        pub fn report $($generics)* (device: &$crate::Device) -> $crate::Result<$crate::KernelReport> $($clause)* {
            $crate::__private::report::<$($instance)*>(device, &[$($findings)*], &[$($($checks)*)?])
        }

        #[doc = "How many blocks of that shape the device holds at the same time: the most that can wait for each other in `sync_grid()`. \
            If they have dynamic shared memory, it may hold fewer.\n\n# Errors\n\n\
            No device runs such a block, or the kernel does not compile for it."]
        #[inline]
        pub fn max_resident_blocks $($generics)* (
            device: &$crate::Device,
            block: impl ::core::convert::Into<$crate::BlockDim>,
        ) -> $crate::Result<::core::primitive::usize> $($clause)* {
            $crate::__private::max_resident_blocks::<$($instance)*>(device, ::core::convert::Into::into(block))
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
        __private::cuda_source::<K>()
    }

    /// The CUDA C of launches that show all indices to be in bounds.
    #[inline]
    pub fn unchecked_source(&self) -> String {
        __private::unchecked_source::<K>()
    }

    /// PTX from NVRTC, for an architecture such as `"sm_90"`.
    ///
    /// # Errors
    ///
    /// NVRTC was not found, or it does not support the architecture.
    #[inline]
    pub fn ptx(&self, arch: &str) -> Result<String> {
        __private::ptx::<K>(arch)
    }

    /// Machine code (an ELF image) for an architecture such as `"sm_90"`.
    ///
    /// # Errors
    ///
    /// NVRTC was not found, or it does not support the architecture.
    #[inline]
    pub fn cubin(&self, arch: &str) -> Result<Vec<u8>> {
        __private::cubin::<K>(arch)
    }

    /// The registers and memory that the kernel needs on a GPU, with every check.
    ///
    /// # Errors
    ///
    /// The device is a CPU, or the kernel does not compile for it.
    #[inline]
    pub fn attributes(&self, device: &Device) -> Result<KernelAttributes> {
        __private::attributes::<K>(device)
    }

    /// How many blocks of that shape the device holds at the same time.
    ///
    /// # Errors
    ///
    /// No device runs such a block, or the kernel does not compile for it.
    #[inline]
    pub fn max_resident_blocks(&self, device: &Device, block: impl Into<BlockDim>) -> Result<usize> {
        __private::max_resident_blocks::<K>(device, block.into())
    }
}

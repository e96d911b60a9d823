//! Linking machine code with PTX that the user wrote, which the driver does.
//!
//! NVRTC has left the functions that the PTX defines open, and the cache keeps what it made. Linking takes the driver about as long as
//! loading PTX, at the first launch in every process.

use std::ffi::{CString, c_void};
use std::ptr;

use cudarc::driver::sys::{self, CUjit_option, CUjitInputType};

use super::driver::{check, driver_error};
use crate::compile::CompileError;
use crate::{Error, Result};

/// How much the linker may say of what is wrong.
const LOG_BYTES: usize = 16 << 10;

/// What the driver links, until it is destroyed. The log is where the driver knows it to be.
struct Linker {
    state: sys::CUlinkState,
    log: Box<[u8; LOG_BYTES]>,
}

impl Drop for Linker {
    fn drop(&mut self) {
        // SAFETY: created by the driver and destroyed once. A failure to free it leaves nothing to do.
        let _ = unsafe { sys::cuLinkDestroy(self.state) };
    }
}

/// `cubin`, of the kernel `name`, with the functions that `modules` of PTX define. The GPU's context is current.
pub(super) fn link(name: &str, cubin: &[u8], modules: &[&str]) -> Result<Vec<u8>> {
    let linker = Linker::new()?;
    linker.add(name, CUjitInputType::CU_JIT_INPUT_CUBIN, cubin)?;
    for module in modules {
        let text = CString::new(*module)
            .map_err(|error| CompileError::NotLinked { kernel: name.to_owned(), messages: format!("the PTX has a null byte: {error}") })?;
        linker.add(name, CUjitInputType::CU_JIT_INPUT_PTX, text.as_bytes_with_nul())?;
    }
    let (mut image, mut size) = (ptr::null_mut(), 0);
    // SAFETY: the call writes a pointer and a number.
    let status = unsafe { sys::cuLinkComplete(linker.state, &mut image, &mut size) };
    linker.explain(name, "cuLinkComplete", status)?;
    // SAFETY: the driver keeps as many bytes there until the linker is destroyed.
    Ok(unsafe { std::slice::from_raw_parts(image.cast::<u8>(), size) }.to_vec())
}

impl Linker {
    fn new() -> Result<Self> {
        let mut log = Box::new([0u8; LOG_BYTES]);
        let mut options = [CUjit_option::CU_JIT_ERROR_LOG_BUFFER, CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
        let mut values = [log.as_mut_ptr().cast::<c_void>(), ptr::without_provenance_mut(LOG_BYTES)];
        let mut state = ptr::null_mut();
        // SAFETY: there are as many options as values, each of its option's kind; the log stays where it is as long as the linker.
        check("cuLinkCreate", unsafe { sys::cuLinkCreate_v2(2, options.as_mut_ptr(), values.as_mut_ptr(), &mut state) })?;
        Ok(Self { state, log })
    }

    fn add(&self, name: &str, kind: CUjitInputType, data: &[u8]) -> Result<()> {
        // SAFETY: the driver reads `data` during the call; without a name or options, their pointers may be null.
        let status = unsafe {
            let data_at = data.as_ptr().cast_mut().cast();
            sys::cuLinkAddData_v2(self.state, kind, data_at, data.len(), ptr::null(), 0, ptr::null_mut(), ptr::null_mut())
        };
        self.explain(name, "cuLinkAddData", status)
    }

    /// The linker's own words, where it has some.
    fn explain(&self, name: &str, call: &'static str, status: sys::CUresult) -> Result<()> {
        if status == sys::CUresult::CUDA_SUCCESS {
            return Ok(());
        }
        let end = self.log.iter().position(|&byte| byte == 0).unwrap_or(LOG_BYTES);
        match String::from_utf8_lossy(&self.log[..end]).trim() {
            "" => Err(driver_error(call, cudarc::driver::result::DriverError(status))),
            messages => Err(Error::from(CompileError::NotLinked { kernel: name.to_owned(), messages: messages.to_owned() })),
        }
    }
}

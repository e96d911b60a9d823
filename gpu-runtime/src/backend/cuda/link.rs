//! Linking machine code with the user's PTX, by the driver.
//!
//! In NVRTC's output and in the cache, the functions that the PTX defines are unresolved. Linking takes the driver about as long as loading
//! PTX, at the first launch in every process.

use std::ffi::{CString, c_void};
use std::ptr;

use super::driver::{check, driver_error};
use super::sys::{self, CUjit_option, CUjitInputType};
use crate::compile::{Code, CodeFormat, CompileError};
use crate::{Error, Result};

/// How much the linker may say of what is wrong.
const LOG_BYTES: usize = 16 << 10;

/// What the driver links, until it is destroyed.
struct Linker {
    state: sys::CUlinkState,
    /// Freed after the state, which points into it.
    log: Log,
}

impl Drop for Linker {
    fn drop(&mut self) {
        // SAFETY: created by the driver and destroyed once. A failure to free it leaves nothing to do.
        let _ = unsafe { sys::call!(cuLinkDestroy(self.state)) };
    }
}

/// What the linker has to say, and the options that tell it where to. The driver keeps pointers to all of it and writes there until
/// the linker is destroyed: the text, and how long it is into the second value. So it has a place of its own and no reference to it
/// outlives a look.
struct Log(*mut LogMemory);

struct LogMemory {
    options: [CUjit_option; 2],
    values: [*mut c_void; 2],
    text: [u8; LOG_BYTES],
}

impl Drop for Log {
    fn drop(&mut self) {
        // SAFETY: made by `Box::into_raw`, and freed once.
        drop(unsafe { Box::from_raw(self.0) });
    }
}

impl Log {
    fn new() -> Self {
        let memory = Box::into_raw(Box::new(LogMemory {
            options: [CUjit_option::CU_JIT_ERROR_LOG_BUFFER, CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES],
            values: [ptr::null_mut(), ptr::without_provenance_mut(LOG_BYTES)],
            text: [0; LOG_BYTES],
        }));
        // SAFETY: the memory was just made.
        unsafe { (*memory).values[0] = (&raw mut (*memory).text).cast() };
        Self(memory)
    }

    /// How many options there are, where, and where their values.
    fn options(&self) -> (u32, *mut CUjit_option, *mut *mut c_void) {
        // SAFETY: the memory lives as long as the log; only addresses are taken.
        unsafe { (2, (&raw mut (*self.0).options).cast(), (&raw mut (*self.0).values).cast()) }
    }

    /// What was written so far. No call of the driver may be under way.
    fn text(&self) -> String {
        // SAFETY: the memory lives as long as the log, and the linker writes only during its calls.
        let text = unsafe { &(*self.0).text };
        let end = text.iter().position(|&byte| byte == 0).unwrap_or(LOG_BYTES);
        String::from_utf8_lossy(&text[..end]).trim().to_owned()
    }
}

/// `code`, of the kernel `name`, with the functions that `modules` of PTX define. The GPU's context is current.
pub(super) fn link(name: &str, code: &Code, modules: &[&str]) -> Result<Vec<u8>> {
    let linker = Linker::new()?;
    let kind = match code.format {
        CodeFormat::Cubin => CUjitInputType::CU_JIT_INPUT_CUBIN,
        CodeFormat::Ptx => CUjitInputType::CU_JIT_INPUT_PTX,
    };
    linker.add(name, kind, &code.bytes)?;
    for module in modules {
        let text = CString::new(*module)
            .map_err(|error| CompileError::NotLinked { kernel: name.to_owned(), messages: format!("the PTX has a null byte: {error}") })?;
        linker.add(name, CUjitInputType::CU_JIT_INPUT_PTX, text.as_bytes_with_nul())?;
    }
    let (mut image, mut size) = (ptr::null_mut(), 0);
    // SAFETY: the call writes a pointer and a number.
    let status = unsafe { sys::call!(cuLinkComplete(linker.state, &mut image, &mut size)) };
    linker.explain(name, "cuLinkComplete", status)?;
    // SAFETY: the driver keeps as many bytes there until the linker is destroyed.
    Ok(unsafe { std::slice::from_raw_parts(image.cast::<u8>(), size) }.to_vec())
}

impl Linker {
    fn new() -> Result<Self> {
        let log = Log::new();
        let (count, options, values) = log.options();
        let mut state = ptr::null_mut();
        // SAFETY: there are as many options as values, each of its option's kind, which stay where they are as long as the linker.
        check("cuLinkCreate", unsafe { sys::call!(cuLinkCreate_v2(count, options, values, &mut state)) })?;
        Ok(Self { state, log })
    }

    fn add(&self, name: &str, kind: CUjitInputType, data: &[u8]) -> Result<()> {
        // SAFETY: the driver reads `data` during the call; without a name or options, their pointers may be null.
        let status = unsafe {
            let data_at = data.as_ptr().cast_mut().cast();
            sys::call!(cuLinkAddData_v2(self.state, kind, data_at, data.len(), ptr::null(), 0, ptr::null_mut(), ptr::null_mut()))
        };
        self.explain(name, "cuLinkAddData", status)
    }

    /// The linker's own words, where it has some.
    fn explain(&self, name: &str, call: &'static str, status: sys::Status) -> Result<()> {
        if status == sys::Status::SUCCESS {
            return Ok(());
        }
        match self.log.text() {
            messages if messages.is_empty() => Err(driver_error(call, status)),
            messages => Err(Error::from(CompileError::NotLinked { kernel: name.to_owned(), messages })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_driver_writes_to_the_addresses_it_was_given_is_read_after_the_log_has_moved() {
        let log = Log::new();
        let (count, _, values) = log.options();
        // SAFETY: there are two values.
        let text = unsafe { *values }.cast::<u8>();
        let moved = Box::new(log);
        assert_eq!((count, moved.text()), (2, String::new()));
        // SAFETY: the log lives, and these are its text and the length of it.
        unsafe {
            text.copy_from_nonoverlapping(c"unresolved `f`\n".as_ptr().cast(), 16);
            *values.add(1) = ptr::without_provenance_mut(15);
        }
        assert_eq!(moved.text(), "unresolved `f`");
        // SAFETY: as above; the text fills what there is.
        unsafe { text.write_bytes(b'x', LOG_BYTES) };
        assert_eq!(moved.text(), "x".repeat(LOG_BYTES));
    }
}

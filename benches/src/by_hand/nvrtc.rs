//! Compiles the references with the NVRTC that compiles our kernels, so that both come from the same compiler.

use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr;

use gpu_runtime::{NvrtcStatus, nvrtc_status};
use libloading::{Library, Symbol};

use crate::Result;

/// NVRTC's handle to a program.
type Program = *mut std::ffi::c_void;

/// Machine code of `source` for an architecture such as `sm_90`.
pub fn cubin(source: &str, architecture: &str) -> Result<Vec<u8>> {
    let path = match nvrtc_status() {
        NvrtcStatus::Found { path, .. } => path,
        missing => return Err(missing.to_string().into()),
    };
    // SAFETY: `nvrtc_status` has loaded this library already, and checked that it is NVRTC.
    let library = unsafe { Library::new(path)? };
    let source = CString::new(source)?;
    let option = CString::new(format!("--gpu-architecture={architecture}"))?;
    // SAFETY: the signatures are those of nvrtc.h; every pointer is valid for the call that it is passed to.
    unsafe {
        let create: Symbol<
            '_,
            unsafe extern "C" fn(*mut Program, *const c_char, *const c_char, c_int, *const *const c_char, *const *const c_char) -> c_int,
        > = library.get(b"nvrtcCreateProgram\0")?;
        let compile: Symbol<'_, unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int> =
            library.get(b"nvrtcCompileProgram\0")?;
        let destroy: Symbol<'_, unsafe extern "C" fn(*mut Program) -> c_int> = library.get(b"nvrtcDestroyProgram\0")?;

        let mut program = ptr::null_mut();
        check("nvrtcCreateProgram", create(&mut program, source.as_ptr(), ptr::null(), 0, ptr::null(), ptr::null()))?;
        let compiled = check("nvrtcCompileProgram", compile(program, 1, &option.as_ptr()))
            .map_err(|error| match output(&library, c"nvrtcGetProgramLogSize", c"nvrtcGetProgramLog", program) {
                Ok(log) => format!("{error}: {}", String::from_utf8_lossy(&log)).into(),
                Err(_) => error,
            })
            .and_then(|()| output(&library, c"nvrtcGetCUBINSize", c"nvrtcGetCUBIN", program));
        destroy(&mut program);
        compiled
    }
}

/// What the two functions `size` and `get` say about `program`.
///
/// # Safety
///
/// Both are functions of NVRTC that go together, and the program exists.
unsafe fn output(library: &Library, size: &CStr, get: &CStr, program: Program) -> Result<Vec<u8>> {
    // SAFETY: the signatures are those of nvrtc.h, and the buffer has as many bytes as NVRTC asks for.
    unsafe {
        let read_size: Symbol<'_, unsafe extern "C" fn(Program, *mut usize) -> c_int> = library.get(size.to_bytes_with_nul())?;
        let read: Symbol<'_, unsafe extern "C" fn(Program, *mut c_char) -> c_int> = library.get(get.to_bytes_with_nul())?;
        let mut bytes = 0;
        check("reading the size of NVRTC's output", read_size(program, &mut bytes))?;
        let mut output = vec![0u8; bytes];
        check("reading NVRTC's output", read(program, output.as_mut_ptr().cast()))?;
        Ok(output)
    }
}

fn check(call: &str, status: c_int) -> Result<()> {
    if status == 0 { Ok(()) } else { Err(format!("{call} failed with status {status}").into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the test can run; fails where `GPU_RUNTIME_REQUIRE` asks for NVRTC and there is none.
    fn nvrtc_or_skip(test: &str) -> bool {
        let status = nvrtc_status();
        let found = matches!(status, NvrtcStatus::Found { .. });
        assert!(found || std::env::var_os("GPU_RUNTIME_REQUIRE").is_none(), "{test}: {status}");
        if !found {
            eprintln!("skipped {test}: {status}");
        }
        found
    }

    #[test]
    fn a_kernel_compiles_to_machine_code() {
        if nvrtc_or_skip("a_kernel_compiles_to_machine_code") {
            let cubin = cubin("extern \"C\" __global__ void k(float* x) { x[threadIdx.x] = 1; }", "sm_90").unwrap();
            assert_eq!(cubin[..4], *b"\x7fELF");
        }
    }

    #[test]
    fn every_reference_compiles() {
        if nvrtc_or_skip("every_reference_compiles") {
            for source in [
                include_str!("../../gpu/vector_add.cu"),
                include_str!("../../gpu/matmul.cu"),
                include_str!("../../gpu/integration.cu"),
                include_str!("../../gpu/trig.cu"),
            ] {
                cubin(source, "sm_90").unwrap();
            }
        }
    }

    #[test]
    fn a_mistake_comes_back_with_the_log() {
        if nvrtc_or_skip("a_mistake_comes_back_with_the_log") {
            let error = cubin("__global__ void k() { undeclared = 1; }", "sm_90").unwrap_err().to_string();
            assert!(error.contains("undeclared"), "{error}");
        }
    }
}

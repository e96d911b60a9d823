//! A loaded NVRTC, and safe calls of its functions.

use std::ffi::{CStr, CString, OsStr, c_char, c_int};
use std::mem::ManuallyDrop;
use std::path::Path;
use std::ptr;

use cudarc::nvrtc::sys as header;

use super::super::error::SourceText;
use super::super::symbols::{self, Status, call, functions};
use super::super::{Architecture, CompileError, Options, Target};
use super::log;
use crate::insertion_sort::insertion_sort;

/// The oldest NVRTC that this crate works with: the first that takes every option we pass and knows `sm_90`.
const OLDEST_VERSION: (u32, u32) = (12, 0);

/// The first NVRTC that leaves out what our programs never use (textures, CUDA's runtime on the device), which saves a third of the time
/// that a small kernel takes.
const MINIMAL_SINCE: (u32, u32) = (12, 4);

/// The first NVRTC that can leave out optimizations before the assembler's.
const QUICK_SINCE: (u32, u32) = (12, 9);

functions! {
    /// The functions of NVRTC that we call.
    Functions {
        nvrtcVersion
        nvrtcGetErrorString
        nvrtcGetNumSupportedArchs
        nvrtcGetSupportedArchs
        nvrtcCreateProgram
        nvrtcDestroyProgram
        nvrtcCompileProgram
        nvrtcGetProgramLogSize
        nvrtcGetProgramLog
        nvrtcGetCUBINSize
        nvrtcGetCUBIN
        nvrtcGetPTXSize
        nvrtcGetPTX
    }
}

/// A loaded NVRTC.
pub(crate) struct Library {
    functions: Functions,
    version: (u32, u32),
    /// Ascending and never empty.
    architectures: Vec<Architecture>,
    name: String,
    /// Keeps `functions` callable. Never unloaded: NVRTC registers clean-up with the threads that call it.
    _library: ManuallyDrop<libloading::Library>,
}

impl Library {
    /// Loads the library at `path`, or by a bare file name through the system's loader. The error says what is wrong.
    pub(super) fn load(path: &OsStr) -> Result<Self, String> {
        let name = path.to_string_lossy().into_owned();
        preload_builtins(Path::new(path));
        // SAFETY: running NVRTC's initialisers is what the user asked for by installing it, and they need nothing set up.
        let library = unsafe { libloading::Library::new(path) }.map_err(|error| format!("{name}: {}", symbols::reason(&error)))?;
        let functions = Functions::of(&library).map_err(|error| format!("{name}: {}", symbols::reason(&error)))?;
        let version = functions.query_version().map_err(|error| format!("{name}: {error}"))?;
        if version < OLDEST_VERSION {
            let ((major, minor), (oldest_major, oldest_minor)) = (version, OLDEST_VERSION);
            return Err(format!("{name}: version {major}.{minor}, but {oldest_major}.{oldest_minor} or later is needed"));
        }
        let architectures = functions.query_architectures().map_err(|error| format!("{name}: {error}"))?;
        Ok(Self { functions, version, architectures, name, _library: ManuallyDrop::new(library) })
    }

    /// Major and minor.
    pub(crate) fn version(&self) -> (u32, u32) {
        self.version
    }

    /// The target to compile for so that the code runs on devices of `wanted`: itself, else the nearest before it in
    /// its generation, which NVRTC may know although it is older than the device.
    pub(crate) fn target_for(&self, wanted: Target) -> Result<Target, CompileError> {
        let (oldest, newest) = (self.architectures[0], self.architectures[self.architectures.len() - 1]);
        wanted.nearest_of(&self.architectures).ok_or_else(|| CompileError::UnsupportedArchitecture {
            device: wanted.architecture,
            oldest,
            newest,
            nvrtc: self.version,
            path: self.name.clone(),
        })
    }

    /// Compiles `source`; `kernel` names it in messages.
    pub(crate) fn compile(&self, kernel: &str, source: &str, target: Target, options: &Options) -> Result<Compiled<'_>, CompileError> {
        self.compile_with(kernel, source, target, options, None)
    }

    /// What the assembler says about the machine code of `source`.
    // Compiled only where it is used.
    #[inline]
    pub(crate) fn assembler_log(&self, kernel: &str, source: &str, target: Target, options: &Options) -> Result<String, CompileError> {
        let compiled = self.compile_with(kernel, source, target, options, Some("--ptxas-options=--verbose"))?;
        compiled.log()
    }

    fn compile_with(
        &self,
        kernel: &str,
        source: &str,
        target: Target,
        options: &Options,
        more: Option<&str>,
    ) -> Result<Compiled<'_>, CompileError> {
        let compiled = self.create(kernel, source)?;
        let mut arguments = options.arguments();
        arguments.extend(more.map(str::to_owned));
        arguments.push(format!("--gpu-architecture={target}"));
        arguments.extend((self.version >= MINIMAL_SINCE).then(|| "--minimal".to_owned()));
        arguments.extend((self.version >= QUICK_SINCE && !options.optimizes()).then(|| "--Ofast-compile=max".to_owned()));
        let arguments: Vec<CString> =
            arguments.into_iter().map(|argument| CString::new(argument).expect("our options have no NUL")).collect();
        let pointers: Vec<*const c_char> = arguments.iter().map(|argument| argument.as_ptr()).collect();
        // SAFETY: the handle is live, and `pointers` holds as many C strings as we say, which NVRTC reads during the call.
        let status =
            unsafe { call!(self.functions, header::nvrtcCompileProgram(compiled.handle, pointers.len() as c_int, pointers.as_ptr())) };
        if status == Status::SUCCESS {
            return Ok(compiled);
        }
        let log = compiled.log().unwrap_or_default();
        if log.trim().is_empty() {
            return Err(self.call_error(kernel, "nvrtcCompileProgram", status));
        }
        Err(CompileError::Rejected { kernel: kernel.to_owned(), messages: log::errors(&log), log, cuda_source: SourceText::new(source) })
    }

    fn create(&self, kernel: &str, source: &str) -> Result<Compiled<'_>, CompileError> {
        let call = "nvrtcCreateProgram";
        let c_string = |text: String| {
            CString::new(text).map_err(|error| CompileError::NvrtcCall { kernel: kernel.to_owned(), call, reason: error.to_string() })
        };
        let (source, name) = (c_string(source.to_owned())?, c_string(format!("{kernel}.cu"))?);
        let mut handle = ptr::null_mut();
        // SAFETY: `source` and `name` are C strings that NVRTC copies; there are no headers, so their lists may be null.
        let status = unsafe {
            call!(self.functions, header::nvrtcCreateProgram(&mut handle, source.as_ptr(), name.as_ptr(), 0, ptr::null(), ptr::null()))
        };
        if status != Status::SUCCESS {
            return Err(self.call_error(kernel, call, status));
        }
        Ok(Compiled { library: self, handle, kernel: kernel.to_owned() })
    }

    fn call_error(&self, kernel: &str, call: &'static str, status: Status) -> CompileError {
        CompileError::NvrtcCall { kernel: kernel.to_owned(), call, reason: self.functions.describe(status) }
    }
}

impl std::fmt::Debug for Library {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Library").field("name", &self.name).field("version", &self.version).finish_non_exhaustive()
    }
}

/// NVRTC opens its built-in functions by a bare name when it compiles, and a pip wheel's folder is on no loader path. A
/// library that the process has already is found by its name: load it from beside NVRTC first. If there is none, NVRTC's
/// own search may still succeed, and its message is better than ours.
fn preload_builtins(nvrtc: &Path) {
    let Some(entries) = nvrtc.parent().and_then(|folder| folder.read_dir().ok()) else { return };
    for entry in entries.flatten() {
        let file_name = entry.file_name();
        let is_builtins = file_name.to_str().is_some_and(|name| {
            name.starts_with("libnvrtc-builtins.so.") || name.starts_with("nvrtc-builtins64_") && name.ends_with(".dll")
        });
        if is_builtins {
            // SAFETY: the file comes with NVRTC and holds data and plain functions.
            if let Ok(library) = unsafe { libloading::Library::new(entry.path()) } {
                std::mem::forget(library);
            }
        }
    }
}

impl Functions {
    fn query_version(&self) -> Result<(u32, u32), String> {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: both pointers are to live integers.
        let status = unsafe { call!(self, header::nvrtcVersion(&mut major, &mut minor)) };
        if status == Status::SUCCESS { Ok((major as u32, minor as u32)) } else { Err(format!("nvrtcVersion: {}", self.describe(status))) }
    }

    fn query_architectures(&self) -> Result<Vec<Architecture>, String> {
        let mut count = 0;
        // SAFETY: the pointer is to a live integer.
        let status = unsafe { call!(self, header::nvrtcGetNumSupportedArchs(&mut count)) };
        if status != Status::SUCCESS || count <= 0 {
            return Err(format!("nvrtcGetNumSupportedArchs: {}", self.describe(status)));
        }
        let mut numbers = vec![0; count as usize];
        // SAFETY: NVRTC writes as many numbers as it just said, and `numbers` has room for them.
        let status = unsafe { call!(self, header::nvrtcGetSupportedArchs(numbers.as_mut_ptr())) };
        if status != Status::SUCCESS {
            return Err(format!("nvrtcGetSupportedArchs: {}", self.describe(status)));
        }
        insertion_sort(&mut numbers, |a, b| a < b);
        Ok(numbers.into_iter().map(|number| Architecture::from_number(number as u32)).collect())
    }

    fn describe(&self, status: Status) -> String {
        // SAFETY: `Functions::of` found it, so it is not null; this is its type, but that it takes any status.
        let describe: unsafe extern "C" fn(Status) -> *const c_char = unsafe { self.nvrtcGetErrorString.function() };
        // SAFETY: NVRTC gives a static C string for any status.
        let name = unsafe { describe(status) };
        if name.is_null() {
            return format!("status {}", status.0);
        }
        // SAFETY: not null, and a static C string.
        unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
    }
}

/// A program that NVRTC holds, compiled.
#[derive(Debug)]
pub(crate) struct Compiled<'a> {
    library: &'a Library,
    handle: header::nvrtcProgram,
    kernel: String,
}

impl Compiled<'_> {
    /// Machine code.
    pub(crate) fn cubin(&self) -> Result<Vec<u8>, CompileError> {
        let (functions, handle) = (&self.library.functions, self.handle);
        self.output(
            "nvrtcGetCUBIN",
            // SAFETY: the handle is live, and `output` passes what the functions write.
            |size| unsafe { call!(functions, header::nvrtcGetCUBINSize(handle, size)) },
            // SAFETY: as above.
            |bytes| unsafe { call!(functions, header::nvrtcGetCUBIN(handle, bytes)) },
        )
    }

    /// NVIDIA's portable assembly text.
    pub(crate) fn ptx(&self) -> Result<String, CompileError> {
        let (functions, handle) = (&self.library.functions, self.handle);
        let ptx = self.output(
            "nvrtcGetPTX",
            // SAFETY: the handle is live, and `output` passes what the functions write.
            |size| unsafe { call!(functions, header::nvrtcGetPTXSize(handle, size)) },
            // SAFETY: as above.
            |bytes| unsafe { call!(functions, header::nvrtcGetPTX(handle, bytes)) },
        );
        ptx.map(|bytes| text(&bytes))
    }

    /// What the compiler has to say.
    fn log(&self) -> Result<String, CompileError> {
        let (functions, handle) = (&self.library.functions, self.handle);
        let log = self.output(
            "nvrtcGetProgramLog",
            // SAFETY: the handle is live, and `output` passes what the functions write.
            |size| unsafe { call!(functions, header::nvrtcGetProgramLogSize(handle, size)) },
            // SAFETY: as above.
            |bytes| unsafe { call!(functions, header::nvrtcGetProgramLog(handle, bytes)) },
        );
        log.map(|bytes| text(&bytes))
    }

    /// What two functions give: one the size, the other, `call`, as many bytes.
    fn output(
        &self,
        call: &'static str,
        size: impl FnOnce(&mut usize) -> Status,
        bytes: impl FnOnce(*mut c_char) -> Status,
    ) -> Result<Vec<u8>, CompileError> {
        let check = |status| match status {
            Status::SUCCESS => Ok(()),
            failed => Err(self.library.call_error(&self.kernel, call, failed)),
        };
        let mut count = 0;
        check(size(&mut count))?;
        let mut output = vec![0_u8; count];
        check(bytes(output.as_mut_ptr().cast()))?;
        Ok(output)
    }
}

impl Drop for Compiled<'_> {
    fn drop(&mut self) {
        // SAFETY: created by this library and destroyed once. A failure to free it leaves nothing to do.
        let _ = unsafe { call!(self.library.functions, header::nvrtcDestroyProgram(&mut self.handle)) };
    }
}

/// NVRTC's texts end with a NUL that counts in their size.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned()
}

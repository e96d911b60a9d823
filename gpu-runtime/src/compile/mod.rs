//! From a kernel's source units to machine code: linking, NVRTC and the cache of cubins.
//!
//! ```text
//! SourceUnit ──program──▶ Program ──key──▶ cache ──hit──▶ cubin
//!                            │               └──miss──▶ nvrtc ──▶ cubin, also into the cache
//! ```
//!
//! NVRTC is a library of 110 MB that takes longer to load than a cached kernel takes to start. So the search for it looks
//! at files only, the file it finds is part of the cache key, and only a miss loads it.

mod architecture;
pub(crate) mod bundle;
mod cache;
mod disassembler;
mod error;
mod inspect;
mod key;
pub(crate) mod nvrtc;
mod options;
mod program;
mod ptx_kernel;
mod resources;
pub(crate) mod search;
mod snippets;
mod structs;
pub(crate) mod symbols;
mod target;
mod trust;
pub(crate) mod used;
mod variant;

pub use architecture::{Architecture, ParseArchitectureError};
pub(crate) use disassembler::sass;
pub(crate) use error::list;
pub use error::{CompileError, SourceText};
pub use inspect::{Cache, CacheEntry, cache};
pub use nvrtc::{NvrtcStatus, nvrtc_status};
pub(crate) use options::Options;
pub(crate) use program::{
    Program, assemble, at_call, callee_of_single_threads, callees_need_a_thread, can_fail, commented_source, readable_parts,
    readable_source,
};
pub(crate) use resources::{Resources, assembler_log, serialization};
pub(crate) use target::Target;
pub use used::{UsedKernel, kernels_of};
pub use variant::Variant;

pub(crate) use bundle::CodeFormat;
use cache::Store;
use key::Key;
use nvrtc::{Compilers, Library};

use crate::observe::{self, Activity};

/// What the driver loads: machine code, or PTX, which it compiles.
pub(crate) struct Code {
    pub(crate) format: CodeFormat,
    /// PTX ends with a null byte.
    pub(crate) bytes: Vec<u8>,
}

/// The code of `program` for a device: from what was compiled ahead of time, from the disk cache or from NVRTC. Where the program has PTX,
/// it is still to be linked with that.
pub(crate) fn code_for(program: &Program, device: Architecture, options: &Options) -> Result<Code, CompileError> {
    if let Some(module) = program.ptx {
        return ptx_kernel::code(program, module);
    }
    match bundle::find(program, device, options) {
        Some((format, bytes)) => Ok(Code { format, bytes }),
        None => Ok(Code { format: CodeFormat::Cubin, bytes: cubin(program, options.target_for(device), options)? }),
    }
}

/// Machine code for `program` that runs where code for `target` does, from the disk cache or from NVRTC. Where the program has PTX, it is still
/// to be linked with that.
pub(crate) fn cubin(program: &Program, target: Target, options: &Options) -> Result<Vec<u8>, CompileError> {
    ptx_kernel::refuse_without_gpu(program)?;
    let options = options.for_program(program);
    cached_cubin(Compilers::installed(), Store::from_environment().as_ref(), program, target, &options)
}

/// PTX for `program` as NVRTC makes it for `target`, or as the user wrote it. Never cached: only people and tests read it.
pub(crate) fn ptx(program: &Program, target: Target, options: &Options) -> Result<String, CompileError> {
    if let Some(module) = program.ptx {
        return ptx_kernel::check(program, module).map(|()| module.to_owned());
    }
    let options = &options.for_program(program);
    let mut attempts = Attempts::new(Compilers::installed());
    for compiler in Compilers::installed().iter() {
        if let Some((nvrtc, target)) = attempts.usable(compiler.library(), target) {
            return nvrtc.compile(&program.entry, &program.text, target, options).and_then(|compiled| compiled.ptx());
        }
    }
    Err(attempts.into_error())
}

fn cached_cubin(
    compilers: &Compilers,
    store: Option<&Store>,
    program: &Program,
    target: Target,
    options: &Options,
) -> Result<Vec<u8>, CompileError> {
    let program_hash = key::program_hash(program.deciding_text(options.keep_lines()), &target, options);
    let mut attempts = Attempts::new(compilers);
    for compiler in compilers.iter() {
        let key = compiler.identity().map(|compiler| Key { program: program_hash, compiler });
        if let (Some(key), Some(store)) = (&key, store) {
            let _observed = observe::begin(Activity::Cache, &program.entry, 0);
            if let Some(hit) = store.get(key) {
                return Ok(hit);
            }
        }
        if let Some((nvrtc, target)) = attempts.usable(compiler.library(), target) {
            let _observed = observe::begin(Activity::Compile, &program.entry, 0);
            let cubin = nvrtc.compile(&program.entry, &program.text, target, options)?.cubin()?;
            if let (Some(store), Some(key)) = (store, key) {
                store.put(&key, &cubin);
            }
            return Ok(cubin);
        }
    }
    store.and_then(|store| store.get_from_any_compiler(&program_hash)).ok_or_else(|| attempts.into_error())
}

/// Why each NVRTC that was tried could not be used.
struct Attempts {
    searched: Vec<String>,
    unsupported: Option<CompileError>,
}

impl Attempts {
    fn new(compilers: &Compilers) -> Self {
        Self { searched: compilers.searched().to_vec(), unsupported: None }
    }

    /// The library with the target to compile for, or `None` and a note.
    fn usable<'a>(&mut self, library: Result<&'a Library, String>, wanted: Target) -> Option<(&'a Library, Target)> {
        match library {
            Err(reason) => {
                self.searched.push(reason);
                None
            }
            Ok(library) => match library.target_for(wanted) {
                Ok(target) => Some((library, target)),
                Err(error) => {
                    self.unsupported.get_or_insert(error);
                    None
                }
            },
        }
    }

    fn into_error(self) -> CompileError {
        self.unsupported.unwrap_or(CompileError::NvrtcNotFound { searched: self.searched })
    }
}

#[cfg(test)]
mod tests;

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
mod cache;
mod error;
mod key;
pub(crate) mod nvrtc;
mod options;
mod program;
mod snippets;
mod structs;
mod trust;

pub use architecture::{Architecture, ParseArchitectureError};
pub use error::{CompileError, SourceText};
pub use nvrtc::{NvrtcStatus, nvrtc_status};
pub(crate) use options::Options;
pub use program::Variant;
pub(crate) use program::{Program, assemble, callees_need_a_thread, can_fail, commented_source, readable_parts, readable_source};

use cache::Store;
use key::Key;
use nvrtc::{Compilers, Library};

/// Machine code for `program` that runs on `architecture`, from the disk cache or from NVRTC. Where the program has PTX, it is still
/// to be linked with that.
pub(crate) fn cubin(program: &Program, architecture: Architecture, options: &Options) -> Result<Vec<u8>, CompileError> {
    let options = options.for_program(program);
    cached_cubin(Compilers::installed(), Store::from_environment().as_ref(), program, architecture, &options)
}

/// PTX for `program` as NVRTC makes it for `architecture`. Never cached: only people and tests read it.
pub(crate) fn ptx(program: &Program, architecture: Architecture, options: &Options) -> Result<String, CompileError> {
    let options = &options.for_program(program);
    let mut attempts = Attempts::new(Compilers::installed());
    for compiler in Compilers::installed().iter() {
        if let Some((nvrtc, target)) = attempts.usable(compiler.library(), architecture) {
            return nvrtc.compile(&program.entry, &program.text, target, options).and_then(|compiled| compiled.ptx());
        }
    }
    Err(attempts.into_error())
}

fn cached_cubin(
    compilers: &Compilers,
    store: Option<&Store>,
    program: &Program,
    architecture: Architecture,
    options: &Options,
) -> Result<Vec<u8>, CompileError> {
    let program_hash = key::program_hash(program.deciding_text(options.keep_lines()), architecture, options);
    let mut attempts = Attempts::new(compilers);
    for compiler in compilers.iter() {
        let key = compiler.identity().map(|compiler| Key { program: program_hash, compiler });
        if let Some(hit) = key.and_then(|key| store?.get(&key)) {
            return Ok(hit);
        }
        if let Some((nvrtc, target)) = attempts.usable(compiler.library(), architecture) {
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

    /// The library with the architecture to compile for, or `None` and a note.
    fn usable<'a>(&mut self, library: Result<&'a Library, String>, device: Architecture) -> Option<(&'a Library, Architecture)> {
        match library {
            Err(reason) => {
                self.searched.push(reason);
                None
            }
            Ok(library) => match library.target_for(device) {
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

//! NVIDIA's libraries for arrays: loaded when a function of one is first called, never closed.
//!
//! They are found as NVRTC is: see [`search`](crate::compile::search). Each queue has a handle of its own, whose calls run on the stream of
//! the queue. Callers order them by the memory that they use, like launches ([`Queue::ordered`](super::Queue::ordered)).

#[cfg(feature = "blas")]
pub(crate) mod cublas;
#[cfg(feature = "fft")]
pub(crate) mod cufft;
#[cfg(feature = "linalg")]
pub(crate) mod cusolver;
#[cfg(feature = "cluster")]
pub(crate) mod nccl;
#[cfg(any(feature = "blas", feature = "fft", feature = "linalg"))]
mod per_queue;

use std::mem::ManuallyDrop;
use std::path::Path;

use crate::compile::search::{LibraryName, Machine, Place, search};
use crate::compile::symbols::{Status, reason};
use crate::{Error, Result};

/// A library, and what it needs.
pub(super) struct Requirement {
    pub(super) name: LibraryName,
    /// The libraries that it links to, in the order in which they are loaded: a folder that the system's loader does not search has them
    /// next to it.
    pub(super) beside: &'static [&'static str],
    /// What to install.
    pub(super) help: &'static str,
}

/// The functions of a library, loaded from the best place where `open` finds them. Or why there are none.
pub(super) fn load<F>(
    library: &'static Requirement,
    open: fn(&libloading::Library) -> std::result::Result<F, libloading::Error>,
) -> Loaded<F> {
    let mut found = search(&Machine::this(), &library.name);
    for place in &found.places {
        if let Place::File(file) = place {
            library.beside.iter().for_each(|stem| preload(file, &LibraryName { stem, ..library.name }));
        }
        // SAFETY: running the initialisers of a library of CUDA is what the user asked for by installing it.
        let opened = unsafe { libloading::Library::new(place.path()) };
        match opened.and_then(|opened| Ok((open(&opened)?, ManuallyDrop::new(opened)))) {
            Ok((functions, _)) => return Ok(functions),
            Err(error) => found.notes.push(format!("{}: {}", place.path().display(), reason(&error))),
        }
    }
    Err(Missing { library, searched: found.notes })
}

pub(super) type Loaded<F> = std::result::Result<F, Missing>;

/// A library that is not installed.
pub(super) struct Missing {
    library: &'static Requirement,
    searched: Vec<String>,
}

impl From<&Missing> for Error {
    fn from(missing: &Missing) -> Self {
        let Requirement { name, help, .. } = missing.library;
        Self::LibraryNotFound { library: name.title, searched: missing.searched.clone(), help, variable: name.variable }
    }
}

/// Loads the file of `name` next to `file`, where there is one, so that the loader knows it when it loads `file`.
fn preload(file: &Path, name: &LibraryName) {
    let Some(entries) = file.parent().and_then(|folder| folder.read_dir().ok()) else { return };
    let files = entries.flatten().filter(|entry| entry.file_name().to_str().is_some_and(|file| name.version(file).is_some()));
    if let Some(file) = files.max_by_key(std::fs::DirEntry::file_name) {
        // SAFETY: as for the library itself.
        std::mem::forget(unsafe { libloading::Library::new(file.path()) });
    }
}

/// The error of a call that returned `status`, if it failed.
pub(super) fn check(library: &'static Requirement, call: &'static str, status: Status, name: fn(Status) -> &'static str) -> Result<()> {
    match status {
        Status::SUCCESS => Ok(()),
        failed => Err(error(library, call, failed, name)),
    }
}

/// The error of a call that returned `status`.
fn error(library: &'static Requirement, call: &'static str, status: Status, name: fn(Status) -> &'static str) -> Error {
    Error::Library { library: library.name.title, call, status: status.0.cast_signed(), name: name(status) }
}

//! NVIDIA's libraries for arrays: loaded when a function of one is first called, never closed.
//!
//! They are found as NVRTC is: see [`search`](crate::compile::search). Each queue has a handle of its own, whose calls run on the stream of
//! the queue. Callers order them by the memory that they use, like launches ([`Queue::ordered`]).

#[cfg(feature = "blas")]
pub(crate) mod cublas;
#[cfg(feature = "fft")]
pub(crate) mod cufft;
#[cfg(feature = "linalg")]
pub(crate) mod cusolver;

use std::ffi::c_int;
use std::mem::ManuallyDrop;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Queue;
use crate::backend::recording::{self, Unrecordable};
use crate::compile::search::{LibraryName, Machine, Place, search};
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
            Err(error) => found.notes.push(format!("{}: {}", place.path().display(), innermost(&error))),
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

/// The loader's own words, which `libloading` keeps as the source of its errors.
fn innermost(error: &dyn std::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), innermost)
}

/// The error of a call that returned `status`, if it failed.
pub(super) fn check(library: &'static Requirement, call: &'static str, status: c_int, name: fn(c_int) -> &'static str) -> Result<()> {
    match status {
        0 => Ok(()),
        _ => Err(Error::Library { library: library.name.title, call, status, name: name(status) }),
    }
}

/// A handle for each queue, made when the queue first needs it and kept as long as the process.
pub(super) struct PerQueue<H: 'static>(Mutex<Vec<(*const Queue, &'static Mutex<H>)>>);

// SAFETY: the pointers are compared only; a queue is never freed.
unsafe impl<H: Send> Sync for PerQueue<H> {}

impl<H> PerQueue<H> {
    pub(super) const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// That of `queue`, whose context is current then. Whoever has it, has it alone.
    pub(super) fn of(&self, queue: &Queue, make: impl FnOnce() -> Result<H>) -> Result<MutexGuard<'static, H>> {
        // It would run at once.
        recording::refuse(Unrecordable::Library)?;
        queue.gpu().make_current()?;
        let mut handles = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = handles.iter().find(|(other, _)| std::ptr::eq(*other, queue)).map(|(_, handle)| *handle);
        let handle = match known {
            Some(handle) => handle,
            None => {
                let handle: &'static Mutex<H> = Box::leak(Box::new(Mutex::new(make()?)));
                handles.push((queue, handle));
                handle
            }
        };
        drop(handles);
        Ok(handle.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A table of the functions of a library, by their names.
macro_rules! functions {
    ($(#[$doc:meta])* $Functions:ident; $(fn $name:ident($($arg:ident: $type:ty),* $(,)?);)*) => {
        $(#[$doc])*
        #[allow(non_snake_case)]
        struct $Functions {
            $($name: unsafe extern "C" fn($($type),*) -> std::ffi::c_int,)*
        }

        impl $Functions {
            fn of(library: &libloading::Library) -> std::result::Result<Self, libloading::Error> {
                Ok(Self {
                    $(
                        // SAFETY: the library's function of this name has these parameters.
                        $name: *unsafe { library.get::<unsafe extern "C" fn($($type),*) -> std::ffi::c_int>(stringify!($name)) }?,
                    )*
                })
            }
        }
    };
}
pub(super) use functions;

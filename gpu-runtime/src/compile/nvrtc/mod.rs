//! NVRTC, NVIDIA's run-time compiler: where it is, and calls into it.

mod library;
mod log;
#[cfg(test)]
pub(crate) mod testing;

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::UNIX_EPOCH;

pub(super) use library::Library;

use super::key::{self, Hash};
use super::search::{LibraryName, Machine, Place, Searched, search};
use crate::backend::cuda;

/// Whether kernels can be compiled for the GPU on this machine: a library with its version, or what was searched.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NvrtcStatus {
    /// NVRTC is there and loads.
    #[non_exhaustive]
    Found {
        /// The file, or its bare name when only the system's loader knows where it is.
        path: PathBuf,
        /// Major and minor version.
        version: (u32, u32),
    },
    /// NVRTC is missing or cannot be loaded. Kernels still run on the CPU, and on the GPU those in the disk cache.
    #[non_exhaustive]
    Missing {
        /// Every place that was searched, in order, and what was wrong with it.
        searched: Vec<String>,
    },
}

impl fmt::Display for NvrtcStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Found { path, version: (major, minor) } => write!(f, "NVRTC {major}.{minor}: {}", path.display()),
            Self::Missing { searched } => super::CompileError::NvrtcNotFound { searched: searched.clone() }.fmt(f),
        }
    }
}

/// Looks for NVRTC and loads it. The same search serves the first launch of a kernel that is not in the disk cache.
///
/// In order: the file or folder that `GPU_RUNTIME_NVRTC` names, and nothing else if it is set; `CUDA_PATH` and `CUDA_HOME`;
/// `/usr/local/cuda*`, newest first; the pip packages `nvidia-cuda-nvrtc` and `nvidia-cuda-nvrtc-cu12` of the active virtual
/// environment, of Conda, of the Pythons on `PATH` and of the user; the folders and names that the system's loader knows.
/// Environment variables are read once per process.
///
/// ```
/// println!("{}", gpu_runtime::nvrtc_status());
/// ```
#[must_use]
pub fn nvrtc_status() -> NvrtcStatus {
    Compilers::installed().status()
}

pub(super) const NVRTC: LibraryName = LibraryName {
    title: "NVRTC",
    stem: "nvrtc",
    python_package: "cuda_nvrtc",
    variable: "GPU_RUNTIME_NVRTC",
    oldest_major: 12,
    loader_names: if cfg!(windows) {
        &["nvrtc64_130_0.dll", "nvrtc64_120_0.dll"]
    } else {
        &["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"]
    },
};

/// Every NVRTC on this machine, best first. Finding them loads none.
#[derive(Debug, Default)]
pub(super) struct Compilers {
    compilers: Vec<Compiler>,
    searched: Vec<String>,
}

impl Compilers {
    /// Those that a search of this machine finds, once per process.
    pub(super) fn installed() -> &'static Self {
        static INSTALLED: OnceLock<Compilers> = OnceLock::new();
        INSTALLED.get_or_init(|| {
            let mut found = Self::at(search(&Machine::this(), &NVRTC));
            if let Ok(Ok((driver_major, _))) = cuda::driver_version() {
                found.prefer_for_driver(driver_major);
            }
            found
        })
    }

    pub(super) fn at(found: Searched) -> Self {
        Self { compilers: found.places.into_iter().map(Compiler::at).collect(), searched: found.notes }
    }

    /// Puts compilers of a later major version than the driver's last: it may refuse what they make.
    pub(super) fn prefer_for_driver(&mut self, driver_major: u32) {
        let is_later = |compiler: &Compiler| compiler.major().is_some_and(|major| major > driver_major);
        let (later, others) = std::mem::take(&mut self.compilers).into_iter().partition(is_later);
        self.compilers = others;
        self.compilers.extend::<Vec<_>>(later);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Compiler> {
        self.compilers.iter()
    }

    /// Every place that was searched, for messages.
    pub(super) fn searched(&self) -> &[String] {
        &self.searched
    }

    pub(super) fn status(&self) -> NvrtcStatus {
        let mut searched = self.searched.clone();
        for compiler in &self.compilers {
            match compiler.library() {
                Ok(library) => return NvrtcStatus::Found { path: compiler.place.path(), version: library.version() },
                Err(reason) => searched.push(reason),
            }
        }
        NvrtcStatus::Missing { searched }
    }
}

/// One NVRTC, loaded when it is first needed.
#[derive(Debug)]
pub(super) struct Compiler {
    pub(super) place: Place,
    library: OnceLock<Result<Library, String>>,
}

impl Compiler {
    fn at(place: Place) -> Self {
        Self { place, library: OnceLock::new() }
    }

    /// The major version that the file's name tells.
    pub(super) fn major(&self) -> Option<u32> {
        NVRTC.version(self.place.path().file_name()?.to_str()?)?.first().copied()
    }

    /// The library, loaded by the first call. The error says what is wrong with it.
    pub(super) fn library(&self) -> Result<&Library, String> {
        let name: OsString = self.place.path().into_os_string();
        self.library.get_or_init(|| Library::load(&name)).as_ref().map_err(String::clone)
    }

    /// What tells this NVRTC from any other in the cache key, if it can be used.
    ///
    /// For a file: path, size and time of modification, which an upgrade changes and which do not need it loaded. A name
    /// that only the loader knows says nothing about the file behind it, so that one is loaded for its version.
    pub(super) fn identity(&self) -> Option<Hash> {
        match &self.place {
            Place::File(path) => {
                let metadata = path.metadata().ok()?;
                let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
                let path = path.as_os_str().as_encoded_bytes();
                Some(key::compiler_hash([b"file".as_slice(), path, &metadata.len().to_le_bytes(), &modified.to_le_bytes()]))
            }
            Place::Loader(name) => {
                let (major, minor) = self.library().ok()?.version();
                Some(key::compiler_hash([b"loader".as_slice(), name.as_bytes(), &major.to_le_bytes(), &minor.to_le_bytes()]))
            }
        }
    }
}

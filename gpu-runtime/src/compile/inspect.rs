//! The disk cache as a program sees it: what it has, and how to clear it.

use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::cache::Store;

/// The disk cache of compiled kernels. `None` if it is off, if there is no folder for it, or if other users can write to that folder:
/// the book's chapter on environment variables says which.
///
/// ```
/// if let Some(cache) = gpu_runtime::cache() {
///     println!("{} kernels of {} bytes in {}", cache.entries().len(), cache.bytes(), cache.folder().display());
/// }
/// ```
#[inline]
#[must_use]
pub fn cache() -> Option<Cache> {
    Store::from_environment().map(Cache)
}

/// The disk cache of compiled kernels: the result of [`cache`]. Other processes may use the same folder at the same time.
#[derive(Debug, Clone)]
pub struct Cache(Store);

/// A compiled kernel in the [`Cache`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CacheEntry {
    /// The name of the kernel; empty if the file cannot be read.
    pub kernel: String,
    /// Its file.
    pub path: PathBuf,
    /// The size of the file.
    pub bytes: u64,
    /// When a program last used it.
    pub last_used: SystemTime,
}

impl Cache {
    /// The folder, which need not exist yet.
    #[inline]
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.0.folder()
    }

    /// The kernels in it, those first that were used last.
    #[must_use]
    // Compiled only where it is used.
    #[inline]
    pub fn entries(&self) -> Vec<CacheEntry> {
        self.0.list()
    }

    /// The size of all files.
    #[inline]
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.entries().iter().map(|entry| entry.bytes).sum()
    }

    /// Removes all kernels, and what [`autotune`](crate::autotune) has chosen. Kernels that the process has loaded are not affected.
    ///
    /// # Errors
    ///
    /// A file could not be removed. The others are.
    // Compiled only where it is used.
    #[inline]
    pub fn clear(&self) -> io::Result<()> {
        self.0.clear()
    }

    /// The number that was kept under `key`.
    #[inline]
    pub(crate) fn choice(&self, key: &str) -> Option<usize> {
        self.0.choice(key)
    }

    #[inline]
    pub(crate) fn keep_choice(&self, key: &str, number: usize) {
        self.0.keep_choice(key, number);
    }

    #[cfg(test)]
    pub(crate) fn in_folder(folder: &Path) -> Self {
        Self(Store::in_folder(folder))
    }
}

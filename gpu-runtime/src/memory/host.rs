//! Vectors of the host for what comes from a device.

use crate::backend::pages::prefer_huge_pages;
use crate::source::DeviceType;
use crate::{Error, Result};

/// An empty vector with room for `len` elements, in huge pages where it is large.
///
/// # Errors
///
/// [`Error::OutOfMemory`] if there is not that much memory.
pub(crate) fn reserve<T: DeviceType>(len: usize) -> Result<Vec<T>> {
    let mut vec = Vec::new();
    let bytes = len.saturating_mul(size_of::<T>());
    vec.try_reserve_exact(len).map_err(|_| Error::OutOfMemory { device: "the host".to_owned(), bytes })?;
    prefer_huge_pages(&mut vec);
    Ok(vec)
}

//! Pages of host memory: huge pages, and pages that are populated before they are written.

use std::ops::Range;

use crate::source::DeviceType;

/// Below this many bytes, the allocator has its own way with pages.
const LARGE: usize = 4 << 20;

/// The usual huge page. Populating a part of one populates all of it, so that parts are not given to several threads.
pub(crate) const HUGE_PAGE: usize = 2 << 20;

/// An empty vector with room for `len` elements, in huge pages where the system has them and the vector is large.
///
/// Its pages do not exist before they are written: this is for [`HostOutput::uninitialised`](super::cuda::pipeline::HostOutput::uninitialised).
///
/// # Panics
///
/// If that many elements do not fit the address space, and as `Vec` does where memory is exhausted.
pub(crate) fn uninitialised_vec<T: DeviceType>(len: usize) -> Vec<T> {
    let mut vector: Vec<T> = Vec::with_capacity(len);
    prefer_huge_pages(&mut vector);
    vector
}

/// Asks for huge pages for the room of an empty vector, if it is large.
pub(crate) fn prefer_huge_pages<T: DeviceType>(vector: &mut Vec<T>) {
    let room = vector.spare_capacity_mut();
    prefer_huge_pages_at(room.as_mut_ptr().cast(), size_of_val(room));
}

/// Asks for huge pages for memory that has not been touched, if it is large.
pub(crate) fn prefer_huge_pages_at(start: *mut u8, bytes: usize) {
    if bytes >= LARGE {
        system::advise_huge_pages(start, bytes);
    }
}

/// Makes the pages of this memory exist, so that writing it does not fault. Its contents stay what they are.
///
/// # Safety
///
/// The memory must be mapped and writable.
pub(crate) unsafe fn populate(start: *mut u8, bytes: usize) {
    // SAFETY: the caller guarantees this.
    unsafe { system::populate(start, bytes) };
}

/// The pages of 4 KiB that lie wholly in the memory from `start` on: addresses relative to it.
fn whole_pages(start: usize, bytes: usize) -> Range<usize> {
    const PAGE: usize = 4096;
    let first = start.next_multiple_of(PAGE) - start;
    let end = ((start + bytes) / PAGE * PAGE).saturating_sub(start);
    first..end.max(first)
}

#[cfg(target_os = "linux")]
mod system {
    use std::ffi::{c_int, c_void};

    use super::whole_pages;

    // Of the C library, which std links anyway. The numbers are the same on every architecture that has a GPU.
    const MADV_HUGEPAGE: c_int = 14;
    const MADV_POPULATE_WRITE: c_int = 23;

    unsafe extern "C" {
        fn madvise(start: *mut c_void, bytes: usize, advice: c_int) -> c_int;
    }

    /// Advice is never wrong to give: where the kernel knows nothing of it, pages come one by one as they are written.
    fn advise(start: *mut u8, bytes: usize, advice: c_int) {
        let pages = whole_pages(start.addr(), bytes);
        if !pages.is_empty() {
            // SAFETY: neither advice changes what the memory holds, and the pages belong to it as a whole. The kernel refuses
            // what is not mapped.
            let _ = unsafe { madvise(start.wrapping_add(pages.start).cast(), pages.len(), advice) };
        }
    }

    pub(super) fn advise_huge_pages(start: *mut u8, bytes: usize) {
        advise(start, bytes, MADV_HUGEPAGE);
    }

    /// # Safety
    ///
    /// The memory must be mapped and writable.
    pub(super) unsafe fn populate(start: *mut u8, bytes: usize) {
        advise(start, bytes, MADV_POPULATE_WRITE);
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    pub(super) fn advise_huge_pages(_start: *mut u8, _bytes: usize) {}

    /// # Safety
    ///
    /// None: pages come as they are written.
    pub(super) unsafe fn populate(_start: *mut u8, _bytes: usize) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_pages_are_advised_on() {
        assert_eq!(whole_pages(4096, 8192), 0..8192);
        assert_eq!(whole_pages(4097, 8192), 4095..8191);
        assert!(whole_pages(10, 4096).is_empty());
        assert!(whole_pages(4090, 3).is_empty());
    }

    #[test]
    fn a_large_vector_has_room_and_takes_what_is_written() {
        let len = LARGE / 4 + 5;
        let mut vector = uninitialised_vec::<u32>(len);
        assert!(vector.is_empty() && vector.capacity() >= len);
        // SAFETY: the capacity is the vector's own.
        unsafe { populate(vector.spare_capacity_mut().as_mut_ptr().cast(), len * 4) };
        vector.extend(0..len as u32);
        assert!(vector.iter().enumerate().all(|(i, &value)| value as usize == i));
    }
}

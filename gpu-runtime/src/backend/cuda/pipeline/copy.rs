//! Copies within host memory that bypass the cache.

/// Copies `bytes` without bringing the target into the cache, or reading it from memory first as an ordinary store does.
/// For memory that is not read soon.
///
/// # Safety
///
/// `source` must be readable and `target` writable for `bytes` bytes, and they must not overlap.
#[cfg(target_arch = "x86_64")]
pub(super) unsafe fn copy_streaming(source: *const u8, target: *mut u8, bytes: usize) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};

    const VECTOR: usize = size_of::<__m128i>();
    const LINE: usize = 4 * VECTOR;
    let head = target.align_offset(LINE).min(bytes);
    let whole = (bytes - head) / LINE * LINE;
    // SAFETY: the three parts together are the range that the caller guarantees; streaming stores want aligned addresses,
    // which follow the head. SSE2 is part of x86-64.
    unsafe {
        source.copy_to_nonoverlapping(target, head);
        for offset in (head..head + whole).step_by(LINE) {
            let line: [__m128i; 4] = std::array::from_fn(|part| _mm_loadu_si128(source.add(offset + part * VECTOR).cast()));
            for (part, &vector) in line.iter().enumerate() {
                _mm_stream_si128(target.add(offset + part * VECTOR).cast(), vector);
            }
        }
        // Streaming stores are not ordered with later ones, such as the one that says that this copy is done.
        _mm_sfence();
        source.add(head + whole).copy_to_nonoverlapping(target.add(head + whole), bytes - head - whole);
    }
}

/// Copies `bytes`: other processors have no such stores, or the library uses them already.
///
/// # Safety
///
/// `source` must be readable and `target` writable for `bytes` bytes, and they must not overlap.
#[cfg(not(target_arch = "x86_64"))]
pub(super) unsafe fn copy_streaming(source: *const u8, target: *mut u8, bytes: usize) {
    // SAFETY: the caller guarantees this.
    unsafe { source.copy_to_nonoverlapping(target, bytes) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_streaming_copy_is_a_copy_wherever_it_starts_and_ends() {
        let source: Vec<u8> = (0..1000).map(|i| (i % 251) as u8 + 1).collect();
        for (from, to, bytes) in [(0, 0, 1000), (1, 3, 900), (5, 64, 64), (0, 63, 65), (7, 1, 3), (0, 0, 0), (3, 17, 640)] {
            let mut target = vec![0u8; 1100];
            // SAFETY: both ranges lie in their vectors.
            unsafe { copy_streaming(source[from..].as_ptr(), target[to..].as_mut_ptr(), bytes) };
            assert_eq!(target[to..to + bytes], source[from..from + bytes]);
            assert!(target[..to].iter().chain(&target[to + bytes..]).all(|&byte| byte == 0), "{from} {to} {bytes}");
        }
    }
}

//! Processes that are forked from one that has used a device.
//!
//! A fork has one thread: rayon's workers are gone, and whoever gives them work waits forever. CUDA does not work there either. So a process
//! that has workers or the driver notes it, and a fork of it gets an error from every device. Without that note, a fork may use all devices.

use std::sync::atomic::{AtomicU8, Ordering};

use crate::{Error, Result};

static STATE: AtomicU8 = AtomicU8::new(UNUSED);

const UNUSED: u8 = 0;
const USED: u8 = 1;
const FORKED: u8 = 2;

/// Notes that this process has what a fork of it would not have.
#[inline]
pub(crate) fn note_use() {
    if STATE.load(Ordering::Relaxed) == UNUSED {
        note_first_use();
    }
}

#[cold]
fn note_first_use() {
    if STATE.compare_exchange(UNUSED, USED, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
        #[cfg(unix)]
        watch();
    }
}

/// Lets the system call a function in each fork.
#[cfg(unix)]
fn watch() {
    use std::ffi::c_int;

    type Handler = Option<unsafe extern "C" fn()>;

    unsafe extern "C" {
        fn pthread_atfork(prepare: Handler, parent: Handler, child: Handler) -> c_int;
    }

    unsafe extern "C" fn in_child() {
        STATE.store(FORKED, Ordering::Relaxed);
    }

    // SAFETY: the function only stores a number, which is allowed in a fork. If there is no memory to remember it, forks are not noticed.
    unsafe { pthread_atfork(None, None, Some(in_child)) };
}

/// Whether this process was forked from one that has used a device.
#[inline]
pub(crate) fn is_fork() -> bool {
    STATE.load(Ordering::Relaxed) == FORKED
}

/// Fails in such a process.
#[inline]
pub(crate) fn check() -> Result<()> {
    if is_fork() { Err(Error::Forked) } else { Ok(()) }
}

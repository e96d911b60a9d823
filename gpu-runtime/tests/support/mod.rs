//! What several test files need.

use std::cell::RefCell;
use std::sync::{Mutex, MutexGuard, PoisonError};

use gpu_runtime::prelude::*;

/// Held by the one test that uses the GPU: a failure is reported to whoever waits for the GPU first, which must be the test that
/// made it.
static GPU: Mutex<()> = Mutex::new(());

thread_local! {
    /// The test's hold on the GPU, until its thread ends.
    static HOLD: RefCell<Option<MutexGuard<'static, ()>>> = const { RefCell::new(None) };
}

/// The first GPU, which no other test uses meanwhile. Without one the test says that it was skipped, or fails where `GPU_RUNTIME_REQUIRE=cuda` asks for a GPU.
pub(crate) fn gpu_or_skip(test: &str) -> Option<Device> {
    match Device::gpu(0) {
        Ok(device) => {
            HOLD.with_borrow_mut(|hold| {
                hold.get_or_insert_with(|| GPU.lock().unwrap_or_else(PoisonError::into_inner));
            });
            Some(device)
        }
        Err(error) if std::env::var("GPU_RUNTIME_REQUIRE").is_ok_and(|required| required.contains("cuda")) => {
            panic!("{test} needs a GPU: {error}")
        }
        Err(error) => {
            eprintln!("skipped {test}: {error}");
            None
        }
    }
}

/// The bytes of truth values that a device computed. Bytes other than 0 and 1 are no values of `bool`, so they are not looked at
/// as such.
#[allow(dead_code, reason = "not every test file needs it")]
pub(crate) fn bytes_of(flags: &[bool]) -> &[u8] {
    // SAFETY: a `bool` is a byte, and any byte is a `u8`.
    unsafe { std::slice::from_raw_parts(flags.as_ptr().cast(), flags.len()) }
}

/// The CPU, and the GPU if there is one: for tests of what must be the same on both.
#[allow(dead_code, reason = "not every test file needs it")]
pub(crate) fn devices(test: &str) -> Vec<Device> {
    [Device::cpu()].into_iter().chain(gpu_or_skip(test)).collect()
}

//! What is to be done when the process ends.

use std::ffi::c_int;

unsafe extern "C" {
    fn atexit(function: extern "C" fn()) -> c_int;
}

/// Calls `function` when the process ends by returning from `main` or by `exit`, before what was asked for earlier. It must not panic.
pub(super) fn at_exit(function: extern "C" fn()) {
    // SAFETY: the function is a constant of the program. Where there is no room for it, it is not called, and nothing else happens.
    let _ = unsafe { atexit(function) };
}

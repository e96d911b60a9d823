//! Calls from the driver when a stream has come so far.

use std::ffi::c_void;
use std::mem::ManuallyDrop;

use super::driver::check;
use super::{Queue, sys};
use crate::Result;

/// What the driver calls, once. Driver functions must not be called there.
type Callback = Box<dyn FnOnce() + Send>;

impl Queue {
    /// Calls `callback` when everything on the queue so far is done, on a thread of the driver; or returns it if that is the case already.
    /// Work that comes later waits for the call to return.
    ///
    /// `cuStreamAddCallback` and not `cuLaunchHostFunc`: the latter makes no call if the context is lost.
    ///
    /// The callback owns what the work on the queue uses. So if the driver does not take it, this waits; and if that fails too, the callback
    /// is never dropped, as nobody knows whether the work is done.
    pub(crate) fn when_done(&self, callback: Callback) -> Result<Option<Callback>> {
        let callback = ManuallyDrop::new(callback);
        self.gpu().make_current()?;
        if self.is_idle() {
            return Ok(Some(ManuallyDrop::into_inner(callback)));
        }
        let data: *mut Callback = Box::into_raw(Box::new(ManuallyDrop::into_inner(callback)));
        // SAFETY: the stream is never destroyed. The driver calls the function once, with this data.
        let added =
            check("cuStreamAddCallback", unsafe { sys::call!((cuStreamAddCallback: sys::AddCallback)(self.stream, call, data.cast(), 0)) });
        if added.is_ok() {
            return Ok(None);
        }
        self.wait()?;
        // SAFETY: the driver has not taken it.
        Ok(Some(*unsafe { Box::from_raw(data) }))
    }
}

/// # Safety
///
/// `data` comes from [`Queue::when_done`], and this is called once for it.
unsafe extern "C" fn call(_stream: sys::CUstream, _status: sys::Status, data: *mut c_void) {
    // SAFETY: the caller guarantees it.
    let callback = unsafe { Box::from_raw(data.cast::<Callback>()) };
    // Nothing may unwind into the driver.
    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(callback));
}

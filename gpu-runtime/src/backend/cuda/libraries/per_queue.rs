//! The handles of a library.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::Result;
use crate::backend::cuda::Queue;

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

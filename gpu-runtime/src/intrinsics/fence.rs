//! The order in which others see what a thread writes.

use std::sync::atomic::{Ordering, fence};

use super::intrinsic;

intrinsic! {
    /// What this thread wrote before it is visible to the whole GPU before what it writes after.
    ///
    /// CUDA: `__threadfence()`. Numba: `cuda.threadfence()`. On the CPU it is std's `fence` with `SeqCst`.
    ///
    /// # Panics
    ///
    /// If called outside a kernel.
    pub fn thread_fence() -> ();
    |thread| {
        thread.launch("thread_fence");
        fence(Ordering::SeqCst);
    }
}

intrinsic! {
    /// What this thread wrote before it is visible to the threads of its block before what it writes after.
    ///
    /// CUDA: `__threadfence_block()`. Numba: `cuda.threadfence_block()`. On the CPU it is std's `fence` with `SeqCst`.
    ///
    /// # Panics
    ///
    /// If called outside a kernel.
    pub fn thread_fence_block() -> ();
    |thread| {
        thread.launch("thread_fence_block");
        fence(Ordering::SeqCst);
    }
}

intrinsic! {
    /// What this thread wrote before it is visible to the whole machine, its CPUs and other GPUs too, before what it writes after.
    ///
    /// CUDA: `__threadfence_system()`. Numba: `cuda.threadfence_system()`. On the CPU it is std's `fence` with `SeqCst`.
    ///
    /// # Panics
    ///
    /// If called outside a kernel.
    pub fn thread_fence_system() -> ();
    |thread| {
        thread.launch("thread_fence_system");
        fence(Ordering::SeqCst);
    }
}

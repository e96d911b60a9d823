//! Memory fences: the order in which other threads see the writes of a thread.

use std::sync::atomic::{Ordering, fence};

use super::intrinsic;

intrinsic! {
    /// A memory fence: the whole GPU sees this thread's writes before the fence earlier than its writes after it.
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
        thread.synchronizes();
    }
}

intrinsic! {
    /// A memory fence: the threads of the block see this thread's writes before the fence earlier than its writes after it.
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
        thread.synchronizes();
    }
}

intrinsic! {
    /// A memory fence: the whole machine, including CPUs and other GPUs, sees this thread's writes before the fence earlier than its writes
    /// after it.
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
        thread.synchronizes();
    }
}

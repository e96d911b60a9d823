//! Clocks.

use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::intrinsic;

intrinsic! {
    /// Suspends the thread for about `ns` nanoseconds: at most twice as long, and less than one or two milliseconds.
    ///
    /// CUDA: `__nanosleep(ns)`. Numba: `cuda.nanosleep(ns)`. A GPU older than compute capability 7.0 does not wait. On the CPU, the worker
    /// sleeps, and with it the whole block: no other thread of the block runs in this time.
    ///
    /// # Panics
    ///
    /// If called outside a kernel.
    pub fn nanosleep(ns: u32) -> ();
    |thread| {
        thread.launch("nanosleep");
        if ns > 0 {
            std::thread::sleep(Duration::from_nanos(ns.into()));
        }
    }
}

intrinsic! {
    /// A counter of clock cycles: the difference of two values is the duration of the code between them, on one multiprocessor.
    ///
    /// CUDA: `clock64()`. Numba has no counterpart. On the CPU, it counts nanoseconds.
    ///
    /// # Panics
    ///
    /// If called outside a kernel.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// /// The cycles that a sine takes, for each thread.
    /// #[gpu_kernel]
    /// fn sine_cycles(x: &[f64], out: &mut [f64], cycles: &mut [u64]) {
    ///     let i = grid_1d();
    ///     if i < x.len() {
    ///         let start = clock_cycles();
    ///         out[i] = x[i].sin();
    ///         cycles[i] = clock_cycles() - start;
    ///     }
    /// }
    ///
    /// # fn main() -> gpu_runtime::Result<()> {
    /// let device = Device::best()?;
    /// let x = device.to_device(&[1.0; 32])?;
    /// let (mut out, mut cycles) = (device.zeros::<f64>(32)?, device.zeros::<u64>(32)?);
    /// sine_cycles(&x, &mut out, &mut cycles).forall(32)?;
    /// assert!(cycles.to_host()?.iter().all(|&cycles| cycles < 1 << 40));
    /// # Ok(())
    /// # }
    /// ```
    pub fn clock_cycles() -> u64;
    |thread| {
        thread.launch("clock_cycles");
        static START: OnceLock<Instant> = OnceLock::new();
        START.get_or_init(Instant::now).elapsed().as_nanos() as u64
    }
}

intrinsic! {
    /// A clock in nanoseconds that all multiprocessors share. It advances in steps, of about a microsecond on most GPUs.
    ///
    /// PTX: `%globaltimer`. On the CPU, it counts from the start of 1970.
    ///
    /// # Panics
    ///
    /// If called outside a kernel.
    pub fn global_timer_ns() -> u64;
    |thread| {
        thread.launch("global_timer_ns");
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64)
    }
}

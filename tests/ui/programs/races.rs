//! Safe launches of kernels whose threads may race.

use gpu_runtime::prelude::*;

/// Every thread writes element 0.
mod all_threads_write_one_element {
    use super::*;

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        out[0] = x[grid_1d()];
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<f32>(8)?;
        let mut out = device.zeros::<f32>(8)?;
        kernel(&x, &mut out).launch(1, 8) //~
    }
}

/// `forall` of an unproved kernel.
mod forall_of_unproved_kernel {
    use super::*;

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        out[0] = x[grid_1d()];
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<f32>(8)?;
        let mut out = device.zeros::<f32>(8)?;
        kernel(&x, &mut out).forall(8) //~
    }
}

/// A barrier of the grid that not all blocks reach.
mod grid_barrier_for_some_blocks {
    use super::*;

    #[gpu_kernel]
    fn kernel(out: &mut [f32]) {
        let i = grid_1d();
        if block_idx().x > 2 {
            sync_grid();
        }
        if i < out.len() {
            out[i] = 1.0;
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let mut out = device.zeros::<f32>(8)?;
        kernel(&mut out).launch(4, 8) //~
    }
}

/// An index from memory.
mod index_from_memory {
    use super::*;

    #[gpu_kernel]
    fn kernel(index: &[u32], out: &mut [f32]) {
        let i = grid_1d();
        if i < index.len() {
            out[index[i] as usize] = 1.0;
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let index = device.zeros::<u32>(8)?;
        let mut out = device.zeros::<f32>(8)?;
        kernel(&index, &mut out).launch(1, 8) //~
    }
}

/// A thread reads what its neighbour writes.
mod neighbour_is_read {
    use super::*;

    #[gpu_kernel]
    fn kernel(out: &mut [f32]) {
        let i = grid_1d();
        if i + 1 < out.len() {
            out[i] = out[i + 1];
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let mut out = device.zeros::<f32>(8)?;
        kernel(&mut out).launch(1, 8) //~
    }
}

/// A barrier makes what others wrote visible; that nobody writes meanwhile is not followed.
mod neighbour_is_read_after_grid_barrier {
    use super::*;

    #[gpu_kernel]
    fn kernel(x: &mut [f32], out: &mut [f32]) {
        let i = grid_1d();
        x[i] = i as f32;
        sync_grid();
        if i > 0 {
            out[i] = x[i - 1];
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let (mut x, mut out) = (device.zeros::<f32>(8)?, device.zeros::<f32>(8)?);
        kernel(&mut x, &mut out).launch(4, 2) //~
    }
}

/// A thread writes its neighbour's element as well.
mod neighbour_is_written {
    use super::*;

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i + 1 < out.len() {
            out[i] = x[i];
            out[i + 1] = x[i];
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<f32>(8)?;
        let mut out = device.zeros::<f32>(8)?;
        kernel(&x, &mut out).launch(1, 8) //~
    }
}

/// A condition of the proof that is false: the threads of a block have more elements than the distance of the blocks.
mod constants_that_do_not_fit {
    use super::*;

    const STEP: usize = 16;
    const BLOCK: usize = 2 * STEP;

    #[gpu_kernel(block = BLOCK)]
    fn kernel(out: &mut [f32]) {
        let i = block_idx().x * STEP + thread_idx().x;
        if i < out.len() {
            out[i] += 1.0;
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let mut out = device.zeros::<f32>(64)?;
        // SAFETY: there is one block.
        unsafe { kernel(&mut out).launch_unchecked(1, 32)? };
        kernel(&mut out).launch(4, 32) //~
    }
}

/// A function of the warp where only some of its threads are.
mod warp_under_condition {
    use super::*;

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < x.len() {
            out[i] = warp_sum(x[i]);
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<f32>(8)?;
        let mut out = device.zeros::<f32>(8)?;
        kernel(&x, &mut out).launch(1, 8) //~
    }
}

/// Operators, methods and comparisons whose twins safe code has written by hand: they may return anything.
mod operations_written_by_hand {
    use super::*;
    use gpu_runtime::__private::{Stop, Thread};
    use gpu_runtime::calls::AssociatedFunction;
    use std::sync::atomic::{AtomicU32, Ordering};

    static CALLS: AtomicU32 = AtomicU32::new(0);

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Shift {
        by: u32,
    }

    #[gpu_device]
    impl Shift {
        fn more(self, other: u32) -> Shift {
            Shift { by: self.by + other + thread_idx().x as u32 }
        }
    }

    impl Shift {
        fn max(self, _: u32) -> Shift {
            self
        }

        fn gpu_device_max(self, _: u32, _: &Thread<'_>) -> Result<Shift, Stop> {
            Ok(Shift { by: CALLS.fetch_add(1, Ordering::Relaxed) })
        }

        fn gpu_code_max(self, other: u32) -> impl AssociatedFunction<Output = Shift> {
            self.gpu_code_more(other)
        }
    }

    #[gpu_device]
    impl std::ops::Add<u32> for Shift {
        type Output = Shift;
        fn add(self, other: u32) -> Shift {
            self.max(other)
        }
    }

    #[gpu_device]
    impl PartialEq for Shift {
        fn eq(&self, other: &Shift) -> bool {
            self.max(1u32).by % 2 == other.by
        }
    }

    #[gpu_kernel]
    fn method(shift: Shift, out: &mut [f32]) {
        let (a, b) = (shift.max(1u32), shift.max(1u32));
        out[grid_1d() + a.by as usize - b.by as usize] = 1.0;
    }

    #[gpu_kernel]
    fn operator(shift: Shift, out: &mut [f32]) {
        let (a, b) = (shift + 1u32, shift + 1u32);
        out[grid_1d() + a.by as usize - b.by as usize] = 1.0;
    }

    #[gpu_kernel]
    fn equality(shift: Shift, out: &mut [f32]) {
        let (a, b) = (shift == shift, shift == shift);
        out[grid_1d() + a as usize - b as usize] = 1.0;
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let mut out = device.zeros::<f32>(8)?;
        method(Shift { by: 1 }, &mut out).launch(1, 8)?; //~
        operator(Shift { by: 1 }, &mut out).launch(1, 8)?; //~
        equality(Shift { by: 1 }, &mut out).launch(1, 8) //~
    }
}

/// A barrier that depends on what a function returns, which is not one value for the block.
mod barrier_under_result {
    use super::*;
    use gpu_runtime::block::{block_max, block_scan};

    #[gpu_kernel]
    fn kernel(x: &[u32], out: &mut [u32]) {
        let i = grid_1d();
        let sum = block_scan(x[i]).await;
        let most: u32 = block_max(sum).await;
        if sum > 3 && most > 3 {
            sync_threads();
        }
        out[i] = sum;
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<u32>(8)?;
        let mut out = device.zeros::<u32>(8)?;
        kernel(&x, &mut out).launch(1, 8) //~
    }
}

/// A barrier in a loop that each thread leaves when it is done.
mod barrier_in_divergent_loop {
    use super::*;

    #[gpu_kernel]
    fn kernel(out: &mut [f32]) {
        let i = grid_1d();
        while out[i] > 1.0 {
            out[i] *= 0.5;
            sync_threads();
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let mut out = device.zeros::<f32>(8)?;
        kernel(&mut out).launch(1, 8) //~
    }
}

/// One thread of each group writes: whether a group is in one block depends on the size of the blocks.
mod groups_of_undeclared_blocks {
    use super::*;

    #[gpu_kernel]
    fn kernel(out: &mut [f32]) {
        let i = grid_1d();
        if i % 16 == 1 && i / 16 < out.len() {
            out[i / 16] = 1.0;
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let mut out = device.zeros::<f32>(8)?;
        kernel(&mut out).launch(1, 128) //~
    }
}

/// An index that may overflow.
mod index_of_32_bits {
    use super::*;

    #[gpu_kernel]
    fn kernel(by: i32, out: &mut [f32]) {
        let i = grid_1d() as i32;
        out[(i * i - by) as usize] = 1.0;
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let mut out = device.zeros::<f32>(8)?;
        kernel(2, &mut out).launch(1, 8) //~
    }
}

const WIDTH: usize = 4;

mod narrow {
    pub const WIDTH: usize = 1;
}

/// A constant that the body imports is not the one around the kernel, which would suffice.
mod constant_of_an_import {
    use super::*;

    #[gpu_kernel]
    fn kernel(out: &mut [u32]) {
        use narrow::WIDTH;
        let i = grid_1d();
        for k in 0..4 {
            let index = i * WIDTH + k;
            if index < out.len() {
                out[index] += 1;
            }
        }
    }

    fn caller(out: &mut DeviceArray<u32>) -> gpu_runtime::Result<()> {
        kernel(out).launch(1, 8) //~
    }
}

/// The same of everything in a module.
mod constant_of_a_module {
    use super::*;

    #[gpu_kernel]
    fn kernel(out: &mut [u32]) {
        use narrow::*;
        let i = grid_1d();
        for k in 0..4 {
            let index = i * WIDTH + k;
            if index < out.len() {
                out[index] += 1;
            }
        }
    }

    fn caller(out: &mut DeviceArray<u32>) -> gpu_runtime::Result<()> {
        kernel(out).launch(1, 8) //~
    }
}

/// Warps of another size.
mod another_warp_size {
    use super::*;

    mod wide {
        pub const WARP_SIZE: usize = 64;
    }

    #[gpu_kernel(block = 64)]
    fn kernel(out: &mut [u32]) {
        use wide::WARP_SIZE;
        let warp = grid_1d() / WARP_SIZE;
        if lane_id() == 0 && warp < out.len() {
            out[warp] += 1;
        }
    }

    fn caller(out: &mut DeviceArray<u32>) -> gpu_runtime::Result<()> {
        kernel(out).launch(1, 64) //~ 2
    }
}

/// Two constants of one text: one is of the crate of the outer macro, which has 64.
mod constants_of_two_crates {
    use super::*;

    macro_rules! rows {
        ($count:expr) => {
            #[gpu_kernel]
            fn kernel(out: &mut [u32]) {
                let i = grid_1d();
                for k in 0..$count {
                    let index = i * $crate::WIDTH + k;
                    if index < out.len() {
                        out[index] += 1;
                    }
                }
            }
        };
    }

    impostor::with_width!(rows);

    fn caller(out: &mut DeviceArray<u32>) -> gpu_runtime::Result<()> {
        kernel(out).launch(1, 8) //~
    }
}

fn main() {}

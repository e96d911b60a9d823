//! Functions that kernels with tiles call: all threads of a block must run them together.

use std::sync::atomic::{AtomicU32, Ordering};

use gpu_runtime::Error;
use gpu_runtime::prelude::*;

#[gpu_device]
fn first() -> f32 {
    if thread_idx().x == 0 { 1.0 } else { 0.0 }
}

#[gpu_device]
fn first_of_another() -> f32 {
    first()
}

#[gpu_device]
fn count(counters: &[AtomicU32]) -> f32 {
    counters[0].fetch_add(1, Ordering::Relaxed) as f32
}

#[gpu_device]
fn printed(x: f32) -> f32 {
    println!("{x}");
    x
}

#[gpu_device]
fn share(x: i32, of: i32) -> i32 {
    of / x
}

#[gpu_device]
fn halved(x: f32) -> f32 {
    x / 2.0
}

#[derive(Debug, Clone, Copy, DeviceType)]
#[repr(C)]
struct Lane(f32);

#[gpu_device]
impl std::ops::Mul<Lane> for Lane {
    type Output = Lane;

    fn mul(self, other: Lane) -> Lane {
        Lane(self.0 * other.0 + lane_id() as f32)
    }
}

#[gpu_kernel(block = 64)]
fn splat(c: ViewMut<f32, 2>) {
    c.tile_mut(block_idx().x, 0).store(Tile::<f32, 16, 16>::splat(first_of_another()));
}

#[gpu_kernel(block = 64)]
fn counted(counters: &[AtomicU32], c: ViewMut<f32, 2>) {
    c.tile_mut(block_idx().x, 0).store(Tile::<f32, 16, 16>::splat(count(counters)));
}

#[gpu_kernel(block = 64)]
fn in_a_closure(c: ViewMut<f32, 2>) {
    c.tile_mut(block_idx().x, 0).store(Tile::<f32, 16, 16>::zeros().map(|x| printed(x)));
}

#[gpu_kernel(block = 64)]
fn operator(c: ViewMut<f32, 2>) {
    let product = Lane(1.0) * Lane(2.0);
    c.tile_mut(block_idx().x, 0).store(Tile::<f32, 16, 16>::splat(product.0));
}

#[gpu_kernel(block = 64)]
fn divided(of: i32, c: ViewMut<i32, 2>) {
    c.tile_mut(block_idx().x, 0).store(Tile::<i32, 16, 16>::zeros().map(|x| share(x, of)));
}

#[gpu_kernel(block = 64)]
fn together(c: ViewMut<f32, 2>) {
    c.tile_mut(block_idx().x, 0).store(Tile::<f32, 16, 16>::splat(4.0).map(|x| halved(x)));
}

#[test]
fn a_function_for_single_threads_is_refused() -> gpu_runtime::Result<()> {
    for device in [Device::cpu()].into_iter().chain(Device::gpu(0)) {
        let mut c = device.zeros::<f32>([16, 16])?;
        let mut counters = device.zeros::<u32>(1)?;
        let refused = [
            ("first", splat(&mut c).launch(1, 64)),
            ("count", counted(&mut counters, &mut c).launch(1, 64)),
            ("printed", in_a_closure(&mut c).launch(1, 64)),
            ("mul", operator(&mut c).launch(1, 64)),
            ("share", divided(3, &mut device.zeros::<i32>([16, 16])?).launch(1, 64)),
        ];
        for (name, result) in refused {
            let error = result.expect_err(name);
            assert!(matches!(error, Error::NotForTiles { function, .. } if function.contains(name)), "{error}");
        }
        together(&mut c).launch(1, 64)?;
        assert_eq!(c.to_host()?, [2.0; 256]);
    }
    Ok(())
}

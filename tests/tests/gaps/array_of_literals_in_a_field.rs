//! Literals in an array take the type of the field that the array goes into, as literals beside it do.

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Pixel {
    grey: u8,
    at: [f32; 2],
}

#[gpu_kernel]
fn reset(pixels: &mut [Pixel]) {
    let i = grid_1d();
    if i < pixels.len() {
        pixels[i] = Pixel { grey: 0, at: [0.0; 2] };
    }
}

fn main() {}

//! A checked method of a field gives an option of the field's type.

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Pixel {
    grey: u8,
    at: [f32; 2],
}

#[gpu_kernel]
fn darken(pixels: &[Pixel], out: &mut [u8]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = pixels[i].grey.checked_sub(7).unwrap_or(0);
    }
}

fn main() {}

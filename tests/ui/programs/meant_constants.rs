//! Names that are taken for something by their text, and mean something else: what rustc finds by their values.

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, PartialEq, DeviceType)]
#[repr(u32)]
pub enum Color {
    Red,
    Blue,
}

use Color::*;

#[allow(non_upper_case_globals)]
const Red: Color = Color::Blue;

#[gpu_kernel]
fn colors(out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        let color = if i % 2 == 0 { Red } else { Blue }; //~
        out[i] = (color == Color::Blue) as u32;
    }
}

fn main() {}

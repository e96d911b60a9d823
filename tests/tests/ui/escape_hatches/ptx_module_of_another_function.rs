//! A module of PTX defines the function whose attribute names it.

use gpu_runtime::prelude::*;

#[gpu_device(unsafe(ptx = ".version 7.0\n.target sm_50\n.address_size 64\n.visible .func other() { ret; }"))]
fn norm(x: f32) -> f32 {
    x
}

fn main() {}

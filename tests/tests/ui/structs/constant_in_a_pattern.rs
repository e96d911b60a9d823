//! A constant of a struct is no pattern.

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
struct Cell {
    row: u32,
    column: u32,
}

const CORNER: Cell = Cell { row: 0, column: 0 };

#[gpu_kernel]
fn kernel(cells: &[Cell], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = match cells[i] {
            CORNER => 1,
            _ => 0,
        };
    }
}

fn main() {}

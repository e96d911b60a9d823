//! Struct literals are refused.

use gpu_runtime::prelude::*;

struct Point {
    x: f32,
    y: f32,
}

fn norm(p: Point) -> f32 {
    p.x * p.x + p.y * p.y
}

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let p = Point { x: x[i], y: 0.0 };
        out[i] = 1.0;
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    assert_eq!(norm(Point { x: 0.0, y: 0.0 }), 0.0);
    kernel(&x, &mut out).launch(1, 8)
}

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn k(out: &mut [f32]) {
    const SCALE: f32 = 2.0;
    for i in grid_stride_1d(out.len()) {
        if i % 2 == 0 {
            const SCALE: f32 = 3.0;
            out[i] *= SCALE;
        }
        out[i] *= SCALE;
    }
}

fn main() {}

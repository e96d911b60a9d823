use gpu_runtime::prelude::*;

#[gpu_kernel]
fn k(out: &mut [f32]) {
    #[cfg(target_os = "none")]
    {
        return;
    }
    let i = grid_1d();
    if i < out.len() {
        out[i] = 1.0;
    }
}

fn main() {}

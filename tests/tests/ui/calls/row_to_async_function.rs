//! A row of a shared array would be a reference that lasts while other threads write.

use gpu_runtime::prelude::*;

#[gpu_device]
async fn first(row: &[f32]) -> f32 {
    sync_threads();
    row[0]
}

#[gpu_kernel]
fn kernel(out: &mut [f32]) {
    let mut tile = shared::<[[f32; 8]; 8]>();
    let i = grid_1d();
    tile[i][0] = 1.0;
    out[i] = first(&tile[i]).await;
}

fn main() -> gpu_runtime::Result<()> {
    let mut out = Device::cpu().zeros::<f32>(8)?;
    kernel(&mut out).launch(1, 8)
}

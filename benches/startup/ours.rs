//! The shortest whole program: from the start of the process to a first checked result. Timed from outside by `startup`.
//!
//! With the argument `--report` it says whether it had to load NVRTC, which a cached kernel must not need.

use gpu_runtime::prelude::*;

const LEN: usize = 4096;

#[gpu_kernel]
fn add_kernel(x: &[i32], y: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] + y[i];
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::gpu(0)?;
    let x = device.to_device(&(0..LEN as i32).collect::<Vec<_>>())?;
    let y = device.to_device(&vec![1; LEN])?;
    let mut out = device.zeros::<i32>(LEN)?;
    add_kernel(&x, &y, &mut out).launch(32, 128)?;
    assert!(out.to_host()?.into_iter().eq(1..=LEN as i32), "wrong sum");
    if std::env::args().any(|argument| argument == "--report") {
        let mapped = std::fs::read_to_string("/proc/self/maps").is_ok_and(|maps| maps.contains("libnvrtc"));
        println!("nvrtc_loaded={mapped}");
    }
    Ok(())
}

//! The program of `startup_ours`, written by hand on cudarc: what its user saves by compiling nothing and checking nothing.
//!
//! With the argument `--context-only` it ends as soon as the GPU is open: no program that uses one can be faster.

use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg as _};
use cudarc::nvrtc;

const LEN: usize = 4096;

const SOURCE: &str = r#"
extern "C" __global__ void add(const int* x, const int* y, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // cudarc panics where a library is missing.
    // SAFETY: loading NVIDIA's libraries has no preconditions.
    if !unsafe { cudarc::driver::sys::is_culib_present() } {
        return Err("the driver is not in the loader's path".into());
    }
    let context = CudaContext::new(0)?;
    if std::env::args().any(|argument| argument == "--context-only") {
        return Ok(());
    }
    // SAFETY: as above.
    if !unsafe { nvrtc::sys::is_culib_present() } {
        return Err("NVRTC is not in the loader's path: add the folder of libnvrtc.so to LD_LIBRARY_PATH".into());
    }
    let stream = context.default_stream();
    let x = stream.clone_htod(&(0..LEN as i32).collect::<Vec<_>>())?;
    let y = stream.clone_htod(&vec![1; LEN])?;
    let mut out = stream.alloc_zeros::<i32>(LEN)?;
    let add = context.load_module(nvrtc::compile_ptx(SOURCE)?)?.load_function("add")?;
    let len = LEN as i32;
    let mut launch = stream.launch_builder(&add);
    launch.arg(&x).arg(&y).arg(&mut out).arg(&len);
    // SAFETY: these are the kernel's parameters, and it stays below `len`.
    unsafe { launch.launch(LaunchConfig { grid_dim: (32, 1, 1), block_dim: (128, 1, 1), shared_mem_bytes: 0 })? };
    assert!(stream.clone_dtoh(&out)?.into_iter().eq(1..=len), "wrong sum");
    Ok(())
}

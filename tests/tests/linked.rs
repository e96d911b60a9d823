//! Device functions in PTX, which the driver links with the machine code of the kernels that call them.
//!
//! Without a GPU, what NVRTC makes of them, and that the CPU runs their Rust.

use gpu_runtime::{CompileError, Error, prelude::*};
use gpu_tests::require::{gpu_or_skip, has_nvrtc};

#[gpu_device(unsafe(ptx = include_str!("linked/smooth.ptx")))]
fn smooth(a: f32, b: f32) -> f32 {
    a.mul_add(0.75, b * 0.25)
}

#[gpu_device(unsafe(ptx = include_str!("linked/smooth.ptx")))]
fn ends(x: &mut [u64]) -> u64 {
    let sum = x[0] + x[x.len() - 1];
    x[0] = sum;
    sum
}

/// In Rust, between the kernel and the PTX.
#[gpu_device]
fn smooth_twice(a: f32, b: f32) -> f32 {
    smooth(smooth(a, b), b)
}

#[gpu_kernel]
fn filter(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i + 1 < x.len() {
        out[i] = smooth_twice(x[i], x[i + 1]) + smooth(x[i], 0.0);
    }
}

/// Fails beside PTX: the record of failures is found in what was linked.
#[gpu_kernel]
fn ends_of(x: &mut [u64], index: usize) {
    if grid_1d() == 0 {
        let sum = ends(x);
        x[index] = sum * 10;
    }
}

fn filtered(x: &[f32]) -> Vec<f32> {
    x.windows(2).map(|pair| smooth_twice(pair[0], pair[1]) + smooth(pair[0], 0.0)).collect()
}

fn run_on(device: &Device) {
    let x: Vec<f32> = (0..100).map(|i| (i * i % 37) as f32 / 8.0).collect();
    let mut out = device.zeros::<f32>(99).unwrap();
    filter(&device.to_device(&x).unwrap(), &mut out).launch(4, 32).unwrap();
    assert_eq!(out.to_host().unwrap(), filtered(&x));

    let mut numbers = device.to_device(&[3u64, 0, 0, 1 << 40]).unwrap();
    // SAFETY: one thread uses the array.
    unsafe { ends_of(&mut numbers, 2).launch_unchecked(1, 32) }.unwrap();
    let sum = (1 << 40) + 3;
    assert_eq!(numbers.to_host().unwrap(), [sum, 0, sum * 10, 1 << 40]);
    // SAFETY: as above.
    let failed = unsafe { ends_of(&mut numbers, 4).launch_unchecked(1, 32) }.and_then(|()| device.synchronize());
    assert!(matches!(failed, Err(Error::KernelFailed(_))), "{failed:?}");
}

#[test]
fn functions_run_in_rust_on_the_cpu() {
    run_on(&Device::cpu());
    assert_eq!(smooth(1.0, 2.0), 1.25);
}

#[test]
fn functions_are_linked_on_a_gpu() {
    if let Some(gpu) = gpu_or_skip("functions_are_linked_on_a_gpu") {
        run_on(&gpu);
        // Once more from the cache, in a handle of its own.
        run_on(&Device::gpu(0).unwrap());
    }
}

#[test]
fn machine_code_leaves_them_open() {
    if !has_nvrtc("machine_code_leaves_them_open") {
        return;
    }
    let text = filter::handle().ptx("sm_90").unwrap();
    assert!(text.contains(".extern .func") && text.contains("smooth") && !text.contains("weights"), "{text}");
    assert!(filter::cuda_source().contains("extern \"C\" __device__ f32 smooth(f32 a, f32 b);"), "{}", filter::cuda_source());
    assert!(!filter::handle().cubin("sm_75").unwrap().is_empty() && !ends_of::handle().cubin("sm_90").unwrap().is_empty());
}

#[gpu_device(unsafe(ptx = ".version 6.3\n.target sm_50\n.address_size 64\n.visible .func lost_other() { ret; }\n// lost"))]
fn lost(x: f32) -> f32 {
    x
}

#[gpu_kernel]
fn calls_lost(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = lost(1.0);
    }
}

#[test]
fn what_the_ptx_does_not_define_is_named() {
    let Some(gpu) = gpu_or_skip("what_the_ptx_does_not_define_is_named") else { return };
    let mut out = gpu.zeros::<f32>(1).unwrap();
    let error = calls_lost(&mut out).launch(1, 1).unwrap_err();
    let message = error.to_string();
    assert!(matches!(error, Error::Compile(CompileError::NotLinked { .. })), "{error:?}");
    assert!(message.contains("calls_lost") && message.contains("lost"), "{message}");
}

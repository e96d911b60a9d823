//! Kernels whose code is CUDA C or PTX.

use gpu_runtime::prelude::*;

/// As it could stand in a file for PyCUDA or CuPy.
const SAXPY: &str = r#"
    __device__ float scaled(float a, float x) { return a * x; }
    extern "C" __global__ void __launch_bounds__(256) saxpy(size_t n, float a, const float* __restrict__ x, float* y) {
        size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) y[i] = scaled(a, x[i]) + y[i];
    }
"#;

#[gpu_kernel(fmad = false, unsafe(cuda = SAXPY))]
fn saxpy(n: usize, a: f32, x: &[f32], y: &mut [f32]) {
    let i = grid_1d();
    if i < n {
        y[i] = a * x[i] + y[i];
    }
}

#[gpu_kernel(unsafe(cuda = r#"extern "C" __global__ void counted(unsigned* count) { atomicAdd(count, 1u); }"#))]
fn counted(count: &[std::sync::atomic::AtomicU32]);

#[allow(dead_code)] // only compiled
#[gpu_kernel(unsafe(cuda = r#"extern "C" __global__ void other_types(const double* x, float* y) { y[0] = x[0]; }"#))]
fn other_types(x: &[f32], y: &mut [f32]);

#[allow(dead_code)] // only compiled
#[gpu_kernel(unsafe(cuda = "__global__ void mangled(float* y) { y[0] = 1; }"))]
fn mangled(y: &mut [f32]);

#[test]
fn a_kernel_in_cuda_c_has_a_typed_launcher() {
    for device in Device::all() {
        let x = device.to_device(&[1.0f32, 2.0, 3.0]).unwrap();
        let mut y = device.to_device(&[10.0f32; 3]).unwrap();
        // SAFETY: both arrays have three elements, and each thread uses its own.
        unsafe { saxpy(3, 2.0, &x, &mut y).launch_unchecked(1, 32) }.unwrap();
        assert_eq!(y.to_host().unwrap(), [12.0, 14.0, 16.0], "{device}");

        let mut count = device.to_device(&[0u32]).unwrap();
        // SAFETY: the threads use the element by atomics.
        unsafe { counted(&mut count).launch_unchecked(2, 32) }.unwrap();
        match device.is_gpu() {
            true => assert_eq!(count.to_host().unwrap(), [64]),
            false => assert!(device.synchronize().unwrap_err().to_string().contains("runs on a GPU only")),
        }
    }
    assert!(saxpy::findings()[0].contains("written in CUDA C, which is not checked"), "{:?}", saxpy::findings());
}

#[test]
fn a_kernel_in_cuda_c_has_the_parameters_of_its_signature() {
    if matches!(gpu_runtime::nvrtc_status(), gpu_runtime::NvrtcStatus::Missing { .. }) {
        eprintln!("skipped `a_kernel_in_cuda_c_has_the_parameters_of_its_signature`: there is no NVRTC");
        return;
    }
    assert!(saxpy::handle().ptx("sm_90").unwrap().contains(".maxntid 256"));
    counted::handle().cubin("sm_90").unwrap();
    let error = other_types::handle().cubin("sm_90").unwrap_err().to_string();
    assert!(error.contains("the parameters of the CUDA C are not those of the Rust signature"), "{error}");
    let error = mangled::handle().cubin("sm_90").unwrap_err().to_string();
    assert!(error.contains("linkage specification is incompatible"), "{error}");
}

/// As `nvcc --ptx` writes it, and parameters of other types next to it.
const SCALE_PTX: &str = "
    .version 7.0
    .target sm_50
    .address_size 64
    .visible .entry other() { ret; }
    .visible .entry scale(
        .param .u64 .ptr .global .align 4 scale_param_0, // x
        .param .f32 scale_param_1,
        .param .u32 scale_param_2
    ) {
        .reg .pred %p; .reg .f32 %f<3>; .reg .b32 %r<5>; .reg .b64 %d<4>;
        ld.param.u64 %d1, [scale_param_0];
        ld.param.f32 %f1, [scale_param_1];
        ld.param.u32 %r1, [scale_param_2];
        mov.u32 %r2, %ctaid.x;
        mov.u32 %r3, %ntid.x;
        mov.u32 %r4, %tid.x;
        mad.lo.u32 %r4, %r2, %r3, %r4;
        setp.ge.u32 %p, %r4, %r1;
        @%p ret;
        cvta.to.global.u64 %d1, %d1;
        mul.wide.u32 %d2, %r4, 4;
        add.u64 %d3, %d1, %d2;
        ld.global.f32 %f2, [%d3];
        mul.f32 %f2, %f2, %f1;
        st.global.f32 [%d3], %f2;
        ret;
    }
";

#[gpu_kernel(unsafe(ptx = SCALE_PTX))]
fn scale(x: &mut [f32], by: f32, n: u32) {
    let i = grid_1d();
    if i < n as usize {
        x[i] *= by;
    }
}

mod wrong_ptx {
    use super::*;

    #[allow(dead_code)] // only compiled
    #[gpu_kernel(unsafe(ptx = SCALE_PTX))]
    pub(super) fn scale(x: &mut [f32], by: f32, n: usize);

    #[allow(dead_code)] // only compiled
    #[gpu_kernel(unsafe(ptx = SCALE_PTX))]
    pub(super) fn absent(x: &mut [f32]);
}

#[test]
fn a_kernel_in_ptx_has_a_typed_launcher() {
    for device in Device::all() {
        let mut x = device.to_device(&[1.0f32, 2.0, 3.0]).unwrap();
        // SAFETY: the array has three elements, and each thread uses its own.
        unsafe { scale(&mut x, 2.5, 3).launch_unchecked(1, 32) }.unwrap();
        assert_eq!(x.to_host().unwrap(), [2.5, 5.0, 7.5], "{device}");
    }
    assert!(scale::findings()[0].contains("written in PTX, which is not checked"), "{:?}", scale::findings());
}

#[test]
fn a_kernel_in_ptx_has_the_parameters_of_its_signature() {
    assert_eq!(scale::handle().ptx("sm_90").unwrap(), SCALE_PTX);
    let error = wrong_ptx::scale::handle().ptx("sm_90").unwrap_err().to_string();
    assert!(error.contains("the parameters have [8, 4, 4] bytes in the PTX, and [8, 4, 8] in the Rust signature"), "{error}");
    let error = wrong_ptx::absent::handle().ptx("sm_90").unwrap_err().to_string();
    assert!(error.contains("no `.entry` of this name\n  found: `other`, `scale`"), "{error}");
    let error = scale::handle().cubin("sm_90").unwrap_err().to_string();
    assert!(error.contains("only the driver of a GPU compiles it"), "{error}");
}

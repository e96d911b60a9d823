//! Device functions in CUDA C and PTX.

use gpu_runtime::prelude::*;

/// CUDA C is text.
mod cuda_not_text {
    use super::*;

    #[gpu_device(unsafe(cuda = 2))] //~
    fn twice(x: f32) -> f32 {
        x * 2.0
    }

    fn caller() {
        assert_eq!(twice(1.0), 2.0);
    }
}

/// A kernel in CUDA C takes pointers.
mod kernel_of_a_view {
    use super::*;

    #[gpu_kernel(unsafe(cuda = "extern \"C\" __global__ void fill(float* x) { x[0] = 1; }"))]
    fn fill(x: ViewMut<f32, 2>); //~
}

/// A kernel in CUDA C is not checked.
mod kernel_without_unsafe {
    use super::*;

    #[gpu_kernel(cuda = "extern \"C\" __global__ void fill(float* x) { x[0] = 1; }")] //~
    fn fill(x: &mut [f32]) {
        x[0] = 1.0;
    }
}

/// Nothing compiles PTX with the options of NVRTC, and a kernel is an entry.
mod kernel_in_ptx {
    use super::*;

    #[gpu_kernel(opt = 2, unsafe(ptx = ".visible .entry scale(.param .u64 x) { ret; }"))] //~
    fn scale(x: &mut [f32]);

    #[gpu_kernel(unsafe(ptx = ".visible .func other() { ret; }"))] //~
    fn fill(x: &mut [f32]);

    #[gpu_kernel(unsafe(ptx = ".visible .entry rows(.param .u64 x) { ret; }"))]
    fn rows(x: ViewMut<f32, 2>); //~
}

/// The text has the function of that name.
mod cuda_of_another_function {
    use super::*;

    #[gpu_device(unsafe(cuda = "__device__ float double_of(float x) { return 2 * x; }"))] //~
    fn twice(x: f32) -> f32 {
        x * 2.0
    }

    fn caller() {
        assert_eq!(twice(1.0), 2.0);
    }
}

/// CUDA C has no tuples.
mod cuda_returns_a_tuple {
    use super::*;

    #[gpu_device(unsafe(cuda = "__device__ float both(float x) { return x; }"))]
    fn both(x: f32) -> (f32, f32) { //~
        (x, x)
    }

    fn caller() {
        assert_eq!(both(1.0), (1.0, 1.0));
    }
}

/// One text for each function.
mod cuda_twice {
    use super::*;

    #[gpu_device(unsafe(cuda = include_str!("a.cu")), unsafe(cuda = include_str!("b.cu")))] //~
    fn twice(x: f32) -> f32 {
        x * 2.0
    }

    fn caller() {
        assert_eq!(twice(1.0), 2.0);
    }
}

/// Nobody checks CUDA C.
mod cuda_without_unsafe {
    use super::*;

    #[gpu_device(cuda = "__device__ float twice(float x) { return 2 * x; }")] //~
    fn twice(x: f32) -> f32 {
        x * 2.0
    }

    fn caller() {
        assert_eq!(twice(1.0), 2.0);
    }
}

/// The alternative is of the type of the output.
#[gpu_kernel]
fn ptx_alternative_of_another_type(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() && i < x.len() {
        out[i] = unsafe { ptx!("brev.b32 {}, {};", out(u32), in(x[i]), else { true }) }; //~
    }
}

/// The alternative computes a value.
#[gpu_kernel]
fn ptx_alternative_returns(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() && i < x.len() {
        out[i] = unsafe { ptx!("brev.b32 {}, {};", out(u32), in(x[i]), else { return }) }; //~
    }
}

/// PTX has no registers for `bool` that could be passed.
#[gpu_kernel]
fn ptx_bool_output(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() && i < x.len() {
        let odd = unsafe { ptx!("odd {};", out(bool), else { true }) }; //~
        out[i] = odd as u32;
    }
}

/// PTX has no registers for bytes.
#[gpu_kernel]
fn ptx_byte(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() && i < x.len() {
        let byte = x[i] as u8;
        out[i] = unsafe { ptx!("cvt.u32.u8 {}, {};", out(u32), in(byte), else { byte as u32 }) }; //~
    }
}

/// Outputs come first.
#[gpu_kernel]
fn ptx_input_before_output(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() && i < x.len() {
        out[i] = unsafe { ptx!("brev.b32 {1}, {0};", in(x[i]), out(u32), else { x[i].reverse_bits() }) }; //~
    }
}

/// PTX's own braces are doubled.
#[gpu_kernel]
fn ptx_lone_brace(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() && i < x.len() {
        out[i] = unsafe { ptx!("{ mov.u32 {0}, 1; }", out(u32), else { 1 }) }; //~
    }
}

/// An operand that is not there.
#[gpu_kernel]
fn ptx_missing_operand(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() && i < x.len() {
        out[i] = unsafe { ptx!("mov.u32 {0}, {1};", out(u32), else { 1 }) }; //~
    }
}

/// There is one definition for GPUs.
mod ptx_module_and_cuda {
    use super::*;

    #[gpu_device(unsafe(cuda = "__device__ float norm(float x) { return x; }"), unsafe(ptx = "norm"))] //~
    fn norm(x: f32) -> f32 {
        x
    }
}

/// A module of PTX defines the function whose attribute names it.
#[gpu_device(unsafe(ptx = ".version 7.0\n.target sm_50\n.address_size 64\n.visible .func other() { ret; }"))] //~
fn ptx_module_of_another_function(x: f32) -> f32 {
    x
}

/// What PTX takes has a register, and one type.
mod ptx_module_takes_a_view {
    use super::*;

    #[gpu_device(unsafe(ptx = ".visible .func norm"))]
    fn norm<T: Float>(x: View<f32, 2>, y: T) -> f32 { //~ 2
        x[[0, 0]]
    }
}

/// Nobody checks what PTX does.
mod ptx_module_without_unsafe {
    use super::*;

    #[gpu_device(ptx = include_str!("norm.ptx"))] //~
    fn norm(x: f32) -> f32 {
        x
    }
}

/// An input whose type only rustc knows.
mod ptx_opaque_input {
    use super::*;

    macro_rules! mask {
        ($name:ident) => {
            const $name: u32 = 3;
        };
    }

    mask!(MASK);

    #[gpu_kernel]
    fn kernel(x: &[u32], out: &mut [u32]) {
        let i = grid_1d();
        if i < out.len() && i < x.len() {
            out[i] = unsafe { ptx!("brev.b32 {}, {};", out(u32), in(MASK), else { MASK.reverse_bits() }) }; //~
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.to_device(&[1; 8])?;
        let mut out = device.zeros(8)?;
        kernel(&x, &mut out).launch(1, 8)
    }
}

/// The type of an input picks its register, in a method too.
mod ptx_opaque_input_in_method {
    use super::*;

    mod elsewhere {
        use super::*;

        #[derive(Clone, Copy, DeviceType)]
        #[repr(C)]
        pub struct Wide {
            pub x: u64,
        }
    }

    use elsewhere::Wide;

    #[gpu_device]
    impl Wide {
        fn low(self) -> u32 {
            unsafe { ptx!("cvt.u32.u64 {}, {};", out(u32), in(self.x), else { 0 }) } //~
        }
    }

    fn caller() {
        assert_eq!(Wide { x: 1 }.low(), 0);
    }
}

/// Nobody checks PTX.
#[gpu_kernel]
fn ptx_outside_unsafe(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() && i < x.len() {
        out[i] = ptx!("brev.b32 {}, {};", out(u32), in(x[i]), else { x[i].reverse_bits() }); //~
    }
}

/// Nothing comes of it.
#[gpu_kernel]
fn ptx_pure_without_output(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() && i < x.len() {
        unsafe { ptx!("membar.gl;", options(pure), else {}) }; //~
        out[i] = 1;
    }
}

/// A part that does not exist.
#[gpu_kernel]
fn ptx_unknown_part(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() && i < x.len() {
        out[i] = unsafe { ptx!("mov.u32 {0}, 1;", inout(u32), else { 1 }) }; //~
    }
}

/// An operand that is not in the text.
#[gpu_kernel]
fn ptx_unused_operand(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() && i < x.len() {
        out[i] = unsafe { ptx!("mov.u32 {0}, 1;", out(u32), in(x[i]), else { 1 }) }; //~
    }
}

/// A CPU has no PTX.
#[gpu_kernel]
fn ptx_without_alternative(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() && i < x.len() {
        out[i] = unsafe { ptx!("brev.b32 {}, {};", out(u32), in(x[i])) }; //~
    }
}

/// Generated code trusts the runtime, and a module can be anything.
mod fake_runtime {
    pub use gpu_runtime::*;

    pub mod __private {
        pub use gpu_runtime::__private::*;
    }

    #[gpu_device(crate = crate::fake_runtime)] //~
    fn twice(x: f32) -> f32 {
        x * 2.0
    }

    #[gpu_kernel(crate = self)] //~
    fn kernel(out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = 1.0;
        }
    }

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    #[device_type(crate = super::fake_runtime)] //~
    pub struct Pair(f32, f32);

    // Who writes `unsafe` answers for it.
    #[gpu_device(unsafe(crate = crate::fake_runtime))]
    fn half(x: f32) -> f32 {
        x * 0.5
    }
}

/// Only a path may need `unsafe`.
#[gpu_kernel(unsafe(block = 32))] //~
fn unsafe_block(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = 1.0;
    }
}

// Callers of what was refused compile.

fn callers() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.to_device(&[1; 8])?;
    let mut out = device.zeros(8)?;
    ptx_alternative_of_another_type(&x, &mut out).launch(1, 8)?;
    ptx_alternative_returns(&x, &mut out).launch(1, 8)?;
    ptx_bool_output(&x, &mut out).launch(1, 8)?;
    ptx_byte(&x, &mut out).launch(1, 8)?;
    ptx_input_before_output(&x, &mut out).launch(1, 8)?;
    ptx_lone_brace(&x, &mut out).launch(1, 8)?;
    ptx_missing_operand(&x, &mut out).launch(1, 8)?;
    ptx_outside_unsafe(&x, &mut out).launch(1, 8)?;
    ptx_pure_without_output(&x, &mut out).launch(1, 8)?;
    ptx_unknown_part(&x, &mut out).launch(1, 8)?;
    ptx_unused_operand(&x, &mut out).launch(1, 8)?;
    ptx_without_alternative(&x, &mut out).launch(1, 8)?;
    Ok(())
}

fn main() {}

//! Names of CUDA C, Numba and C: what a kernel has in their place.

use gpu_runtime::prelude::*;

/// Numba's atomics.
#[gpu_kernel]
fn atomic_of_numba(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        cuda.atomic.add(out, 0, x[i]); //~
    }
}

/// CUDA C's coordinates are values.
#[gpu_kernel]
fn block_of_cuda(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = blockIdx.x as f32; //~
    }
}

/// A coordinate is a function.
#[gpu_kernel]
fn coordinate_without_call(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = thread_idx.x as f32; //~
    }
}

/// Numba's coordinates are in a module.
#[gpu_kernel]
fn coordinate_of_numba(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = cuda.threadIdx.x as f32; //~
    }
}

/// Numba's index of the thread.
#[gpu_kernel]
fn grid_of_numba(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = cuda.grid(1) as f32; //~
    }
}

/// The same as a path.
#[gpu_kernel]
fn grid_as_path(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = cuda::grid(1) as f32; //~
    }
}

/// The same as it is imported in Python.
#[gpu_kernel]
fn grid_alone(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = grid(1) as f32; //~
    }
}

/// Numba's barrier.
#[gpu_kernel]
fn barrier_of_numba(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        cuda.syncthreads(); //~
    }
}

/// CUDA C's shuffles.
#[gpu_kernel]
fn shuffle_of_cuda(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = __shfl_down_sync(0xffff_ffff, x[i], 1); //~
    }
}

/// C prints with `printf`.
#[gpu_kernel]
fn print_of_cuda(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        printf("%f", x[i]); //~
    }
}

/// C has functions where Rust has methods.
#[gpu_kernel]
fn square_root(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = sqrt(x[i]); //~
    }
}

/// With the suffix of `float`.
#[gpu_kernel]
fn square_root_of_float(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = sqrtf(x[i]); //~
    }
}

/// A function of two numbers.
#[gpu_kernel]
fn minimum(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = min(x[i], 1.0); //~
    }
}

/// A name that Rust does not have.
#[gpu_kernel]
fn absolute_value(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = fabs(x[i]); //~
    }
}

/// A name of two methods.
#[gpu_kernel]
fn power(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = pow(x[i], 2.0); //~
    }
}

/// An intrinsic of CUDA C.
#[gpu_kernel]
fn fast_exponential(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = __expf(x[i]); //~
    }
}

/// A conversion as in Python.
#[gpu_kernel]
fn conversion(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = float(i); //~
    }
}

/// A conversion as in CUDA C.
#[gpu_kernel]
fn conversion_by_type(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = f32(i); //~
    }
}

/// Python's length.
#[gpu_kernel]
fn length_as_function(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = len(x) as f32; //~
    }
}

/// The length in other languages.
#[gpu_kernel]
fn length_as_method(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x.length() as f32; //~
    }
}

/// A method as in C#.
#[gpu_kernel]
fn capital_method(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i].Sqrt(); //~
    }
}

/// The user's own functions of such names are theirs.
mod own_functions {
    use super::*;

    #[gpu_device]
    fn min(a: f32, b: f32) -> f32 {
        if a < b { a } else { b }
    }

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = min(x[i], 1.0);
        }
    }

    fn inside_of_a_function() {
        #[gpu_device]
        fn sqrt(a: f32) -> f32 {
            a * 0.5
        }

        #[gpu_kernel]
        fn kernel(x: &[f32], out: &mut [f32]) {
            let i = grid_1d();
            if i < out.len() {
                out[i] = sqrt(x[i]);
            }
        }
    }
}

/// The attribute alone is imported.
mod no_prelude {
    use gpu_runtime::gpu_kernel;

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d(); //~
        if i < out.len() {
            out[i] = x[i];
        }
    }
}

/// A function in another module, without the attribute.
mod plain_function {
    use super::*;

    mod helpers {
        pub(super) fn half(x: f32) -> f32 {
            x * 0.5
        }
    }

    fn twice(x: f32) -> f32 {
        x * 2.0
    }

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = twice(x[i]).sqrt(); //~
        }
    }

    #[gpu_kernel]
    fn of_another_module(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = helpers::half(x[i]); //~
        }
    }

    #[gpu_device]
    fn at_two(f: impl Fn(f32) -> f32) -> f32 {
        f(2.0)
    }

    #[gpu_kernel]
    fn passed(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = at_two(twice) + x[i]; //~
        }
    }
}

/// A misspelt function.
#[gpu_kernel]
fn unknown_function(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = sqare(x[i]); //~
    }
}

/// A kernel cannot be called from a kernel.
mod kernel_from_kernel {
    use super::*;

    #[gpu_kernel]
    fn other(out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = 1.0;
        }
    }

    #[gpu_kernel]
    fn kernel(out: &mut [f32]) {
        other(out); //~
    }
}

/// `.await` of what does not wait, and a call of what waits without it.
mod awaiting {
    use super::*;

    #[gpu_device]
    async fn first(x: f32) -> f32 {
        let mut tile = shared::<[f32; 64]>();
        tile[thread_idx().x] = x;
        sync_threads();
        tile[0]
    }

    #[gpu_device]
    fn plain(x: f32) -> f32 {
        x + 1.0
    }

    #[gpu_kernel(block = 64)]
    fn not_awaited(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = x[i];
        }
        let y = first(1.0) * 2.0; //~
        if i < out.len() {
            out[i] += y;
        }
    }

    #[gpu_kernel(block = 64)]
    fn awaited(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = plain(x[i]).await * 2.0; //~
        }
    }
}

fn main() {}

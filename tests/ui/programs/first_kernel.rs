//! What a first kernel gets wrong, by those who come from CUDA C, Numba, OpenCL or Rust for the host.

use gpu_runtime::prelude::*;

/// Numba declares shared memory by a function of `cuda`.
#[gpu_kernel]
fn shared_array_of_numba(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    let tile = cuda::shared::array(64, f32); //~
    out[i] = tile[0];
}

/// Numba's atomics take the array and the index.
#[gpu_kernel]
fn atomic_of_numba(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    cuda::atomic::add(out, 0, x[i]); //~
}

/// The same with the dots of Python.
#[gpu_kernel]
fn dotted_atomic_of_numba(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    cuda.atomic.add(out, 0, x[i]); //~
}

/// An atomic addition is a method.
#[gpu_kernel]
fn atomic_add_function(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    atomic_add(out, 0, x[i]); //~
}

/// OpenCL's name of the index.
#[gpu_kernel]
fn global_id_of_opencl(out: &mut [f32]) {
    let i = grid_1d();
    let j = get_global_id(0); //~
    out[j] = 1.0;
}

/// A name that is nearly that of an intrinsic.
#[gpu_kernel]
fn grid_without_underscore(out: &mut [f32]) {
    let i = grid_1d();
    let j = grid1d(); //~
    out[j] = 1.0;
}

/// A name that is nearly that of a method.
#[gpu_kernel]
fn method_with_a_typo(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    out[i] = x[i].sqr(); //~
}

/// The crate `rand` is for the host.
#[gpu_kernel]
fn random_crate(out: &mut [f32]) {
    let i = grid_1d();
    let r: f32 = rand::random(); //~
    out[i] = r;
}

/// The threads are the parallel loop.
#[gpu_kernel]
fn parallel_iterator(out: &mut [f32]) {
    let i = grid_1d();
    out.par_iter_mut().for_each(|v| *v = 1.0); //~
}

/// Sorting takes more than one thread.
#[gpu_kernel]
fn sort_in_a_kernel(out: &mut [f32]) {
    let i = grid_1d();
    out.sort(); //~
}

/// A loop counts with integers.
#[gpu_kernel]
fn range_of_floats(out: &mut [f32]) {
    let i = grid_1d();
    for t in 0.0..1.0 { //~
        out[i] += t;
    }
}

/// Numbers of two types have no product; the sum around it is no second mistake.
#[gpu_kernel]
fn index_times_float(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    out[i] = i * x[i]; //~
    out[i] = 1.0 + x[i] * 2.0 / i; //~
    out[i] = -(x[i] * i) + 1.0; //~
}

/// A value needs an `else`.
#[gpu_kernel]
fn if_as_a_value(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    let v = if x[i] > 0.0 { 1.0 }; //~
    out[i] = v;
}

/// An array is no value.
#[gpu_kernel]
fn array_as_a_whole(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    out = x; //~
}

/// Elements are printed, not arrays.
#[gpu_kernel]
fn printed_array(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    println!("{:?}", x); //~
    out[i] = 1.0;
}

/// A part is copied element by element.
#[gpu_kernel]
fn assigned_part(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    out[0..4] = x[0..4]; //~
}

/// A part is used through a reference.
#[gpu_kernel]
fn loop_over_a_part(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    for v in x[0..4] { //~
        out[i] += v;
    }
}

/// Kernels have bytes.
#[gpu_kernel]
fn character(out: &mut [u8]) {
    let i = grid_1d();
    out[i] = 'a' as u8; //~
}

/// The length of shared memory is a constant.
#[gpu_kernel]
fn shared_length_of_a_variable(out: &mut [f32]) {
    let i = grid_1d();
    let n = 64;
    let tile = shared::<[f32; n]>(); //~
    out[i] = tile[0];
}

/// So is that of a local array.
#[gpu_kernel]
fn length_of_a_variable(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    let n = x.len();
    let a = [0.0f32; n + 1]; //~
    let b: [f32; n] = [0.0; 4]; //~
    out[i] = a[0] + b[0];
}

/// Device memory holds no pointers.
#[gpu_kernel]
fn slice_of_slices(x: &[&[f32]], out: &mut [f32]) { //~
    let i = grid_1d();
    out[i] = x[i][0];
}

/// Nor vectors.
#[gpu_kernel]
fn slice_of_vecs(x: &[Vec<f32>], out: &mut [f32]) { //~
    let i = grid_1d();
    out[i] = x[i][0];
}

/// A kernel takes slices.
#[gpu_kernel]
fn reference_to_a_vec(x: &Vec<f32>, out: &mut [f32]) { //~
    let i = grid_1d();
    out[i] = x[i];
}

/// Kernels have no strings.
#[gpu_kernel]
fn string_slice(name: &str, out: &mut [f32]) { //~
    let i = grid_1d();
    out[i] = 1.0;
}

/// A barrier is a plain call.
#[gpu_kernel]
fn awaited_barrier(out: &mut [f32]) {
    let i = grid_1d();
    sync_threads().await; //~
    out[i] = 1.0;
}

/// Rust has no increment.
#[gpu_kernel]
fn increment(out: &mut [u32]) {
    let i = grid_1d();
    let mut count = 0;
    count++; //~
    out[i] = count;
}

/// Nor C's conditional expression.
#[gpu_kernel]
fn conditional(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    let v = x[i] > 0.0 ? 1.0 : 0.0; //~
    out[i] = v;
}

/// A statement ends in a semicolon.
#[gpu_kernel]
fn no_semicolon(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    let v = x[i] //~
    out[i] = v;
}

/// In an `impl` too.
mod no_semicolon_in_an_impl {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Point {
        x: f32,
    }

    #[gpu_device]
    impl Point {
        fn twice(self) -> f32 {
            let y = self.x //~
            y + y
        }
    }
}

/// Slices take the place of pointers.
#[gpu_kernel]
fn pointers(x: *const f32, //~
    out: *mut f32, //~
    n: usize,
) {
    let i = grid_1d();
    if i < n {
        unsafe { *out.add(i) = *x.add(i) };
    }
}

/// A function is called by its name.
#[gpu_kernel]
fn function_pointer(f: fn(f32) -> f32, out: &mut [f32]) { //~
    let i = grid_1d();
    out[i] = f(1.0);
}

/// Both values of an `if` have one type.
#[gpu_kernel]
fn values_of_two_types(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    out[i] = if x[i] > 0.0 { 1 } else { 2.0 }; //~
}

/// A method that changes its struct takes `&mut self`.
mod shared_self {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Counter {
        count: u32,
    }

    #[gpu_device]
    impl Counter {
        fn increment(&self) {
            self.count += 1; //~
        }
    }

    #[gpu_kernel]
    fn kernel(counters: &mut [Counter]) {
        let i = grid_1d();
        if i < counters.len() {
            counters[i].increment();
        }
    }
}

/// In a device function too.
#[gpu_device]
async fn awaited_in_a_function(x: f32) -> f32 {
    sync_threads().await; //~
    x
}

/// A sum that begins as an integer; what follows from it is no second mistake.
#[gpu_kernel]
fn sum_that_begins_as_an_integer(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    let mut sum = 0; //~
    for &v in x {
        sum += v;
    }
    out[i] = sum;
}

/// An index of another type is one mistake, however often it is used.
#[gpu_kernel]
fn index_of_another_type(x: &[f32], out: &mut [f32]) {
    let i: i32 = grid_1d(); //~
    out[i] = x[i];
}

/// Python counts from the end with negative numbers.
#[gpu_kernel]
fn negative_index(x: &[f32], out: &mut [f32]) {
    out[grid_1d()] = x[-1]; //~
}

/// A method without its parentheses, and one that integers have.
#[gpu_kernel]
fn methods_of_floats(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    out[i] = x[i].sqrt; //~
    out[i] = x[i].pow(2); //~
}

/// Other libraries for Rust have a function for each coordinate.
#[gpu_kernel]
fn function_of_a_coordinate(out: &mut [f32]) {
    let i = block_idx_x() * block_dim_x() + thread_idx_x(); //~ 3
    out[i] = 1.0;
}

/// A global counter.
mod static_variable {
    use super::*;

    static mut COUNT: u32 = 0;

    #[gpu_kernel]
    fn kernel(out: &mut [u32]) {
        unsafe { COUNT += 1 }; //~
        out[grid_1d()] = 1;
    }
}

/// A function of Rust's that has no attribute.
mod plain_function {
    use super::*;

    #[inline]
    fn helper(x: f32) -> f32 {
        x * 2.0
    }

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = helper(x[i]); //~
        }
    }
}

/// Numba's decorator takes the types.
#[vectorize("float32(float32)")] //~
fn signature_of_numba(x: f32) -> f32 {
    x
}

/// An iterator over an array of a device.
fn mapped_by_a_closure(x: &DeviceArray<f32>, by: f32) -> gpu_runtime::Result<DeviceArray<f32>> {
    x.map(|v| v * by).collect() //~
}

fn main() {}

//! Closures: what they capture, and where they may stand.

use gpu_runtime::prelude::*;

#[gpu_device]
fn at_two(f: impl Fn(f32) -> f32) -> f32 {
    f(2.0)
}

/// A function of a block, called in a closure.
mod awaits {
    use super::*;

    #[gpu_device]
    async fn next(tile: &mut [u32], value: u32) -> u32 {
        let t = thread_idx().x;
        tile[t] = value;
        sync_threads();
        tile[(t + 1) % 32]
    }

    #[gpu_kernel(block = 32)]
    fn kernel(x: &[u32], out: &mut [u32]) {
        let mut tile = shared::<[u32; 32]>();
        let i = grid_1d();
        let of = |value: u32| next(&mut tile, value).await; //~
        out[i] = of(x[i]);
    }
}

/// A barrier in a closure.
#[gpu_kernel]
fn barrier(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let wait = || sync_threads(); //~
        wait();
        out[i] = x[i];
    }
}

/// A jump out of a closure.
#[gpu_kernel]
fn break_out(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        for _ in 0..3 {
            let stop = || {
                break; //~
            };
            stop();
        }
        out[i] = x[i];
    }
}

/// A closure without a name.
#[gpu_kernel]
fn called_in_place(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = (|v: f32| v * v)(x[i]); //~
    }
}

/// A closure that writes to an array around it.
#[gpu_kernel]
fn changes_element(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let mut store = |k: usize| out[k] = x[k]; //~
        store(i);
    }
}

/// A closure that changes its copy.
#[gpu_kernel]
fn changes_variable(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let mut sum = 0.0f32;
        let mut add = move |v: f32| sum += v; //~
        add(x[i]);
        out[i] = sum;
    }
}

/// A closure that writes to a view around it.
#[gpu_kernel]
fn changes_view(x: &[f32], out: ViewMut<f32, 2>) {
    let (j, i) = grid_2d();
    let mut store = |value: f32| out[[i, j]] = value; //~
    store(x[i]);
}

/// A second name for a closure.
#[gpu_kernel]
fn copied(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let square = |v: f32| v * v;
        let _other = square; //~
        out[i] = square(x[i]);
    }
}

/// A closure that returns nothing, for one that returns a number.
#[gpu_kernel]
fn diverges(out: &mut [f32]) {
    out[grid_1d()] = at_two(|_x: f32| panic!("never")); //~
}

/// A closure as an element.
#[gpu_kernel]
fn in_tuple(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let (square, _) = (|v: f32| v * v, 1); //~
        out[i] = square(x[i]);
    }
}

/// A closure that lends a view around it to a function that writes to it.
mod lends_view {
    use super::*;

    #[gpu_device]
    fn fill(out: ViewMut<f32, 1>, value: f32) -> f32 {
        out[[0]] = value;
        value
    }

    #[gpu_kernel]
    fn kernel(x: &[f32], out: ViewMut<f32, 1>) {
        let store = |value: f32| fill(out, value); //~
        store(x[0]);
    }
}

/// A call with too few arguments.
#[gpu_kernel]
fn number_of_arguments(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let sum = |a: f32, b: f32| a + b;
        out[i] = sum(x[i]); //~
    }
}

/// A parameter that is taken apart.
#[gpu_kernel]
fn pattern_parameter(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let sum = |(a, b): (f32, f32)| a + b; //~
        out[i] = sum((x[i], 1.0));
    }
}

/// A result whose type only the callee knows.
#[gpu_kernel]
fn result_not_visible(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = at_two(|_t: f32| 1.0); //~
    }
}

/// Shared memory in a closure.
#[gpu_kernel]
fn shared_memory(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let first = || {
            let tile = shared::<[f32; 8]>(); //~
            tile[0]
        };
        out[i] = first() + x[i];
    }
}

/// A closure that writes to a slice around it, past the caches.
#[gpu_kernel]
fn stores_with_hint(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    let mut store = |value: f32| out.store_streaming(i, value); //~
    store(x[i]);
}

/// A parameter whose type only the callee knows.
#[gpu_kernel]
fn type_not_visible(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = at_two(|t| t * 2.0); //~
    }
}

/// A function of a warp in a closure.
#[gpu_kernel]
fn warp(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    let sum = |value: u32| warp_sum(value); //~
    out[i] = sum(x[i]);
}

#[gpu_device]
fn doubled(x: f32) -> f32 {
    x * 2.0
}

#[gpu_device]
fn halved(x: f32) -> f32 {
    x * 0.5
}

/// One of several functions as an argument.
#[gpu_kernel]
fn chosen_function_passed(x: &[f32], n: u32, out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let f = if n == 0 { doubled } else { halved };
        out[i] = f(x[i]) + at_two(f); //~
    }
}

/// The same as a value.
#[gpu_kernel]
fn chosen_function_stored(x: &[f32], n: u32, out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let f = if n == 0 { doubled } else { halved };
        let pair = (f, f(x[i])); //~
        out[i] = pair.1;
    }
}

/// The function's own name is a variable where it is called.
#[gpu_kernel]
fn hidden_function(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let f = doubled;
        let doubled = |x: f32| x * 3.0;
        out[i] = f(x[i]) + doubled(1.0); //~
    }
}

/// A function that is called by an index.
#[gpu_kernel]
fn indexed_function(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let functions = [1.0f32, 2.0];
        out[i] = functions[i](x[i]); //~ 2
    }
}

/// An argument that changes the receiver of a method, which takes a function too.
mod changed_receiver {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Counter {
        count: u32,
    }

    #[gpu_device]
    impl Counter {
        fn step(&mut self) -> u32 {
            self.count += 1;
            self.count
        }

        fn joined(self, other: u32, function: impl Fn(u32) -> u32) -> u32 {
            function(self.count) * 10 + other
        }
    }

    #[gpu_kernel]
    fn kernel(out: &mut [u32]) {
        let i = grid_1d();
        if i < out.len() {
            let mut own = Counter { count: 1 };
            out[i] = own.joined(own.step(), |x: u32| x + 1); //~
            let next = own.step();
            out[i] += own.joined(next, |x: u32| x + 1);
        }
    }
}

fn main() {}

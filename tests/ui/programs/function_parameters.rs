//! Functions as parameters of device functions, and as their arguments.

use gpu_runtime::prelude::*;

/// A function of a block in place of a function.
mod async_function {
    use super::*;

    #[gpu_device]
    async fn waiting(x: f32) -> f32 {
        sync_threads();
        x
    }

    #[gpu_device]
    fn twice(f: impl Fn(f32) -> f32, x: f32) -> f32 {
        f(x) + f(x)
    }

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        out[i] = twice(waiting, x[i]); //~ 2
    }
}

/// A function parameter that can be called once.
#[gpu_device]
fn fn_once(f: impl FnOnce(f32) -> f32) -> f32 { //~
    f(0.0)
}

/// A function pointer as a parameter.
#[gpu_device]
fn fn_pointer(f: fn(f32) -> f32) -> f32 { //~
    f(2.0)
}

/// A function of something else than numbers.
#[gpu_device]
fn function_of_slices(f: impl Fn(&[f32]) -> f32, x: &[f32]) -> f32 { //~
    f(x)
}

/// A function that returns nothing.
#[gpu_device]
fn function_without_result(f: impl Fn(f32)) -> f32 { //~
    f(1.0);
    2.0
}

/// A generic function whose types are not named.
mod generic_function {
    use super::*;

    #[gpu_device]
    fn square<T: Num>(x: T) -> T {
        x * x
    }

    #[gpu_device]
    fn at_two(f: impl Fn(f32) -> f32) -> f32 {
        f(2.0)
    }

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = at_two(square) + x[i]; //~
        }
    }
}

/// A kernel whose type parameter is a function.
#[gpu_kernel]
fn kernel_function_parameter<F: Fn(f32) -> f32>(f: F, out: &mut [f32]) { //~
    out[grid_1d()] = f(1.0);
}

/// A kernel that takes a function.
#[gpu_kernel]
fn kernel_takes_function(f: impl Fn(f32) -> f32, out: &mut [f32]) { //~
    out[grid_1d()] = f(1.0);
}

/// Methods that take functions of other parameters, and what they pass to these.
mod methods_take_functions {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Particle {
        at: [f32; 2],
        mass: f32,
    }

    #[gpu_device]
    impl Particle {
        fn scaled(self, by: impl Fn(f32) -> f32) -> f32 {
            by(self.mass)
        }

        fn compared(&self, with: impl Fn(&Particle) -> f32) -> f32 {
            with(self)
        }

        fn of_value(&self, by: impl Fn(f32) -> f32) -> f32 {
            by(&self.mass) //~
        }

        fn of_rows(self, f: impl Fn(&[f32]) -> f32) -> f32 { //~
            self.mass
        }
    }

    #[gpu_device]
    fn of_reference(particle: Particle, f: impl Fn(&Particle) -> f32) -> f32 {
        f(particle) //~
    }

    #[gpu_kernel]
    fn kernel(particles: &[Particle], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = particles[i].scaled(|mass: f64| mass); //~
            out[i] += particles[i].compared(|p: Particle| p.mass); //~
            out[i] += particles[i].scaled(2.0); //~
        }
    }
}

/// An `impl` that is no function.
#[gpu_device]
fn other_impl(values: impl Iterator<Item = f32>) -> f32 { //~
    0.0
}

/// A device function that returns a closure.
#[gpu_device]
fn returned(factor: f32) -> impl Fn(f32) -> f32 { //~
    move |x: f32| x * factor
}

/// A method of numbers by its name.
mod std_function {
    use super::*;

    #[gpu_device]
    fn at_two(f: impl Fn(f32) -> f32) -> f32 {
        f(2.0)
    }

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = at_two(f32::sqrt) + x[i]; //~
        }
    }
}

/// A function written in CUDA C that takes a function.
mod taken_by_cuda {
    use super::*;

    #[gpu_device(unsafe(cuda = "template <class F> __device__ float twice(F f, float x) { return f(f(x)); }"))]
    fn twice(f: impl Fn(f32) -> f32, x: f32) -> f32 { //~
        f(f(x))
    }
}

/// An argument of another type.
#[gpu_kernel]
fn wrong_argument(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let square = |v: f32| v * v;
        out[i] = square(i); //~
    }
}

fn main() {}

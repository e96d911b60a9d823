//! Modules with the names of functions, and what a module imports.

use std::array::from_fn;
use std::cmp::{max, min};
use std::mem::{self, swap};

use gpu_runtime::prelude::*;

use crate::bench::Bench;
use crate::{cases, launch};

mod blend;
mod scale;
mod shared;
mod sums {
    use gpu_runtime::prelude::*;

    /// In a module that stands in the file.
    #[gpu_device]
    pub(super) fn sums(x: f32, y: f32) -> f32 {
        x + y
    }
}

use blend::{blend, halfway};
use scale::scale;
use sums::sums;

cases![
    a_module_may_have_the_name_of_its_kernel,
    a_module_may_have_the_name_of_its_function,
    a_module_may_have_the_name_of_an_intrinsic,
    a_module_may_import_functions_of_std,
    kernels_may_be_functions_of_types,
];

fn a_module_may_have_the_name_of_its_kernel(bench: &Bench) {
    let mut x = vec![1.0, 2.0, 3.0];
    launch!(bench, scale(&mut x, 3.0), 1, 32);
    assert_eq!(x, [3.0, 6.0, 9.0]);
    assert!(scale::cuda_source().contains("scale"), "its tools are those of the module");

    let device = Device::cpu();
    let mut y = device.to_device(&[1.0, 2.0]).expect("there is memory");
    scale(&mut y, 2.0).launch(1, 32).expect("the launch is correct");
    assert_eq!(y.to_host().expect("the launch succeeded"), [2.0, 4.0]);
}

/// Calls functions of modules of their names: by the name, and by the path.
#[gpu_kernel(fmad = false)]
pub fn blends(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = sums(blend(x[i], 1.0, 0.5), blend::blend(x[i], 3.0, 0.25)) + halfway(0.0, x[i]);
    }
}

/// Functions of other modules see them too.
pub mod elsewhere {
    use super::blend::blend;
    use gpu_runtime::prelude::*;

    /// By the name, imported from the module, and by a path.
    #[gpu_kernel(fmad = false)]
    pub fn blends_elsewhere(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = blend(x[i], 1.0, 0.5) + super::blend::blend(x[i], 3.0, 0.25);
        }
    }
}

fn a_module_may_have_the_name_of_its_function(bench: &Bench) {
    let x = vec![1.0, 2.0];
    let (mut out, mut elsewhere) = (vec![0.0; 2], vec![0.0; 2]);
    launch!(bench, blends(&x, &mut out), 1, 32);
    launch!(bench, elsewhere::blends_elsewhere(&x, &mut elsewhere), 1, 32);
    assert_eq!(out, [1.0 + 1.5 + 0.5, 1.5 + 2.25 + 1.0]);
    assert_eq!(elsewhere, [1.0 + 1.5, 1.5 + 2.25]);
    assert_eq!(blend(1.0, 3.0, 0.5), 2.0);
}

/// `shared` is also a module here.
#[gpu_kernel]
pub fn reversed_in_shared(x: &mut [u32]) {
    let mut tile = shared::<[u32; 32]>();
    let t = thread_idx().x;
    let i = grid_1d();
    tile[t] = x[i] + shared::OFFSET;
    sync_threads();
    x[i] = tile[31 - t];
}

fn a_module_may_have_the_name_of_an_intrinsic(bench: &Bench) {
    let mut x: Vec<u32> = (0..64).collect();
    launch!(bench, reversed_in_shared(&mut x), 2, 32);
    let expected = (0..64).map(|i| i / 32 * 32 + 31 - i % 32 + shared::OFFSET);
    assert_eq!(x, expected.collect::<Vec<_>>());
}

/// `min`, `max`, `swap`, `replace` and `from_fn`, which the module imports.
#[gpu_kernel]
pub fn imported_functions(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        let (mut low, mut high) = (x[i], 10);
        if low > high {
            swap(&mut low, &mut high);
        }
        let old = mem::replace(&mut low, 7);
        let powers: [i32; 3] = from_fn(|k| old + k as i32);
        out[i] = min(powers[0], powers[2]) * 100 + max(low, high);
    }
}

fn a_module_may_import_functions_of_std(bench: &Bench) {
    let x = vec![3, 12];
    let mut out = vec![0; 2];
    launch!(bench, imported_functions(&x, &mut out), 1, 32);
    assert_eq!(out, [3 * 100 + 10, 10 * 100 + 12]);
}

/// A type of the host, with its kernels.
#[derive(Debug)]
pub struct Simulation;

impl Simulation {
    const GRAVITY: f32 = -8.0;
    const WIDTH: usize = 32;

    /// Not a kernel.
    fn height(&self) -> f32 {
        -Self::GRAVITY
    }

    /// A step of all particles, with a constant of the type.
    #[gpu_kernel(fmad = false)]
    pub fn step(x: &mut [f32], v: &mut [f32], dt: f32) {
        let i = grid_1d();
        if i < x.len() && i < v.len() {
            v[i] += Self::GRAVITY * dt;
            x[i] += v[i] * dt;
        }
    }

    /// Generic, with shared memory, a block by a constant of the type, and a launch that is not proved.
    #[gpu_kernel(block = Self::WIDTH)]
    fn reverse<T: Num>(x: &mut [T]) {
        let mut tile = shared::<[T; Simulation::WIDTH]>();
        let t = thread_idx().x;
        let i = grid_1d();
        if i < x.len() {
            tile[t] = x[i];
            sync_threads();
            x[x.len() - 1 - i] = tile[t];
        }
    }
}

fn kernels_may_be_functions_of_types(bench: &Bench) {
    let device = match bench {
        Bench::Device(device) | Bench::Recording(device, _) => device.clone(),
        // Their types have no names, so their CUDA C is not among that of the other kernels.
        Bench::Compiled(_) => Device::cpu(),
    };
    let run = || -> gpu_runtime::Result<_> {
        let (mut x, mut v) = (device.to_device(&[1.0, 2.0])?, device.to_device(&[0.0, 4.0])?);
        let source = Simulation::step(&mut x, &mut v, 0.5).cuda_source();
        assert!(source.contains("__global__ void step(f32* __restrict__ x,"), "{source}");
        Simulation::step(&mut x, &mut v, 0.5).launch(1, 32)?;
        let mut ints = device.to_device(&(0..32).collect::<Vec<i32>>())?;
        // SAFETY: the block exchanges elements through shared memory, and each thread writes its own.
        unsafe { Simulation::reverse(&mut ints).launch_unchecked(1, 32)? };
        Ok((x.to_host()?, v.to_host()?, ints.to_host()?))
    };
    let (x, v, ints) = run().expect("the launches succeed");
    assert_eq!((x, v), (vec![-1.0, 2.0], vec![-4.0, 0.0]));
    assert_eq!(ints, (0..32).rev().collect::<Vec<_>>());
    assert_eq!(Simulation.height(), 8.0);
}

//! 32,768 systems of 256 equations with three diagonals, solved by parallel cyclic reduction in shared memory.

use gpu_benches::beside::noise;
use gpu_benches::{Result, check};
use gpu_runtime::prelude::*;

use super::{Programs, all_close};

const SYSTEMS: usize = 32_768;
const SIZE: usize = 256;

#[gpu_kernel(block = SIZE)]
pub(crate) fn solve(lower: &[f32], diagonal: &[f32], upper: &[f32], right: &[f32], x: &mut [f32]) {
    let mut a = shared::<[f32; SIZE]>();
    let mut b = shared::<[f32; SIZE]>();
    let mut c = shared::<[f32; SIZE]>();
    let mut d = shared::<[f32; SIZE]>();
    let t = thread_idx().x;
    let at = block_idx().x * SIZE + t;
    a[t] = lower[at];
    b[t] = diagonal[at];
    c[t] = upper[at];
    d[t] = right[at];
    sync_threads();
    let mut stride = 1;
    while stride < SIZE {
        let left = if t >= stride { t - stride } else { 0 };
        let next = if t + stride < SIZE { t + stride } else { SIZE - 1 };
        let k1 = a[t] / b[left];
        let k2 = c[t] / b[next];
        let new_a = -a[left] * k1;
        let new_b = b[t] - c[left] * k1 - a[next] * k2;
        let new_c = -c[next] * k2;
        let new_d = d[t] - d[left] * k1 - d[next] * k2;
        sync_threads();
        a[t] = new_a;
        b[t] = new_b;
        c[t] = new_c;
        d[t] = new_d;
        sync_threads();
        stride *= 2;
    }
    x[at] = d[t] / b[t];
}

pub(crate) fn run(programs: &mut Programs<'_>) -> Result<()> {
    let mut random = noise(25);
    let mut part = || (random() % 1000) as f32 / 1000.0;
    let count = SYSTEMS * SIZE;
    let lower: Vec<f32> = (0..count).map(|at| if at % SIZE == 0 { 0.0 } else { part() }).collect();
    let upper: Vec<f32> = (0..count).map(|at| if at % SIZE == SIZE - 1 { 0.0 } else { part() }).collect();
    let diagonal: Vec<f32> = (0..count).map(|_| 3.0 + part()).collect();
    let right: Vec<f32> = (0..count).map(|_| part()).collect();
    let (device, cuda) = (programs.gpu.device, programs.gpu.cuda);
    let (device_lower, device_diagonal) = (device.to_device(&lower)?, device.to_device(&diagonal)?);
    let (device_upper, device_right) = (device.to_device(&upper)?, device.to_device(&right)?);
    let mut x = device.zeros::<f32>(count)?;
    let hand_inputs = [cuda.upload(&lower)?, cuda.upload(&diagonal)?, cuda.upload(&upper)?, cuda.upload(&right)?];
    let hand_x = cuda.zeros::<f32>(count)?;
    let arguments: Vec<u64> = hand_inputs.iter().chain([&hand_x]).map(gpu_benches::by_hand::Memory::address).collect();
    let mut hand = programs.gpu.by_hand(include_str!("tridiagonal.cu"), "solve", [SYSTEMS as u32, 1], [SIZE as u32, 1], &arguments)?;
    programs.compare(
        "tridiagonal systems",
        50,
        || solve(&device_lower, &device_diagonal, &device_upper, &device_right, &mut x).launch(SYSTEMS, SIZE),
        &mut hand,
    )?;
    let mut by_hand = vec![0.0; count];
    cuda.download(&hand_x, 0, &mut by_hand)?;
    let found = x.to_host()?;
    check(all_close(&found, &by_hand, 1e-5), "the solutions, ours or by hand")?;
    let term =
        |factors: &[f32], at: usize, from: Option<usize>| from.filter(|&from| from < count).map_or(0.0, |from| factors[at] * found[from]);
    let left_side = |at: usize| term(&lower, at, at.checked_sub(1)) + diagonal[at] * found[at] + term(&upper, at, Some(at + 1));
    check((0..count).all(|at| (left_side(at) - right[at]).abs() < 1e-4), "the solutions")
}

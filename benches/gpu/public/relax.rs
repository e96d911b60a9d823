//! A round of shortest paths: each vertex of a graph takes the least cost of its neighbours and one more. All numbers are `i32`, as in CUDA C.

use gpu_benches::beside::noise;
use gpu_benches::{Result, check};
use gpu_runtime::prelude::*;

use super::Programs;

const VERTICES: usize = 1 << 21;
const DEGREE: usize = 8;
const THREADS: usize = 256;

#[gpu_kernel]
pub(crate) fn relax(starts: &[i32], edges: &[i32], cost: &[i32], out: &mut [i32], n: i32) {
    let v = grid_1d() as i32;
    if v < n {
        let mut best = cost[v as usize];
        let begin = starts[v as usize];
        let end = starts[(v + 1) as usize];
        let mut e = begin;
        while e < end {
            let u = edges[e as usize];
            let c = cost[u as usize] + 1;
            if c < best {
                best = c;
            }
            e += 1;
        }
        out[v as usize] = best;
    }
}

pub(crate) fn run(programs: &mut Programs<'_>) -> Result<()> {
    let mut random = noise(44);
    let starts: Vec<i32> = (0..=VERTICES).map(|v| (v * DEGREE) as i32).collect();
    let edges: Vec<i32> = (0..VERTICES * DEGREE).map(|_| (random() as usize % VERTICES) as i32).collect();
    let cost: Vec<i32> = (0..VERTICES).map(|_| (random() % 1000) as i32).collect();
    let (device, cuda) = (programs.gpu.device, programs.gpu.cuda);
    let (device_starts, device_edges, device_cost) = (device.to_device(&starts)?, device.to_device(&edges)?, device.to_device(&cost)?);
    let mut out = device.zeros::<i32>(VERTICES)?;
    let (hand_starts, hand_edges, hand_cost) = (cuda.upload(&starts)?, cuda.upload(&edges)?, cuda.upload(&cost)?);
    let hand_out = cuda.zeros::<i32>(VERTICES)?;
    let grid = VERTICES / THREADS;
    let mut hand = programs.gpu.by_hand(
        include_str!("relax.cu"),
        "relax",
        [grid as u32, 1],
        [THREADS as u32, 1],
        &[hand_starts.address(), hand_edges.address(), hand_cost.address(), hand_out.address(), VERTICES as u64],
    )?;
    let n = VERTICES as i32;
    programs.compare(
        "shortest paths",
        20,
        || relax(&device_starts, &device_edges, &device_cost, &mut out, n).launch(grid, THREADS),
        &mut hand,
    )?;
    let mut by_hand = vec![0; VERTICES];
    cuda.download(&hand_out, 0, &mut by_hand)?;
    check(out.to_host()? == by_hand, "the costs, ours or by hand")
}

//! The squared distances of 65,536 points of three dimensions to their eight nearest of 8192 others, by comparing all.

use gpu_benches::beside::noise;
use gpu_benches::{Result, check};
use gpu_runtime::prelude::*;

use super::{Programs, all_close};

const QUERIES: usize = 65_536;
const POINTS: usize = 8192;
const NEAREST: usize = 8;
const THREADS: usize = 128;

#[gpu_kernel]
pub(crate) fn nearest(points: &[[f32; 3]], queries: &[[f32; 3]], distances: &mut [[f32; NEAREST]]) {
    let i = grid_1d();
    if i >= queries.len() {
        return;
    }
    let query = queries[i];
    let mut best = [f32::INFINITY; NEAREST];
    for point in points {
        let mut distance = 0.0;
        for axis in 0..3 {
            distance += (point[axis] - query[axis]) * (point[axis] - query[axis]);
        }
        if distance < best[NEAREST - 1] {
            let mut place = NEAREST - 1;
            while place > 0 && best[place - 1] > distance {
                best[place] = best[place - 1];
                place -= 1;
            }
            best[place] = distance;
        }
    }
    distances[i] = best;
}

pub(crate) fn run(programs: &mut Programs<'_>) -> Result<()> {
    let mut random = noise(22);
    let mut some = |count: usize| -> Vec<[f32; 3]> { (0..count).map(|_| [0; 3].map(|_| (random() % 100_000) as f32 / 1e5)).collect() };
    let (points, queries) = (some(POINTS), some(QUERIES));
    let (device, cuda) = (programs.gpu.device, programs.gpu.cuda);
    let (device_points, device_queries) = (device.to_device(&points)?, device.to_device(&queries)?);
    let mut distances = device.zeros::<[f32; NEAREST]>(QUERIES)?;
    let (hand_points, hand_queries) = (cuda.upload(&points)?, cuda.upload(&queries)?);
    let hand_distances = cuda.zeros::<[f32; NEAREST]>(QUERIES)?;
    let grid = QUERIES.div_ceil(THREADS);
    let mut hand = programs.gpu.by_hand(
        include_str!("nearest.cu"),
        "nearest",
        [grid as u32, 1],
        [THREADS as u32, 1],
        &[hand_points.address(), hand_queries.address(), hand_distances.address(), POINTS as u64, QUERIES as u64],
    )?;
    programs.compare("nearest points", 5, || nearest(&device_points, &device_queries, &mut distances).launch(grid, THREADS), &mut hand)?;
    let mut by_hand = vec![[0.0; NEAREST]; QUERIES];
    cuda.download(&hand_distances, 0, &mut by_hand)?;
    let found = distances.to_host()?;
    check(all_close(found.as_flattened(), by_hand.as_flattened(), 1e-6), "the distances, ours or by hand")?;
    for (query, found) in queries.iter().zip(&found).step_by(1000) {
        let mut all: Vec<f32> = points.iter().map(|point| (0..3).map(|axis| (point[axis] - query[axis]).powi(2)).sum()).collect();
        all.sort_by(f32::total_cmp);
        check(all_close(found, &all[..NEAREST], 1e-6), "the distances")?;
    }
    Ok(())
}

//! The assignment of points to the nearest of a few centers, as a step of k-means makes it. A coordinate of all points is one row.

use gpu_benches::beside::noise;
use gpu_benches::{Result, check};
use gpu_runtime::prelude::*;

use super::Programs;

#[gpu_kernel]
pub(crate) fn assign(points: &[f32], count: i32, axes: i32, centers: &[f32], groups: i32, nearest: &mut [i32]) {
    let point = grid_1d() as i32;
    if point < count {
        let mut best = -1;
        let mut least = f32::MAX;
        for group in 0..groups {
            let mut distance = 0.0;
            for axis in 0..axes {
                let difference = points[(axis * count + point) as usize] - centers[(group * axes + axis) as usize];
                distance += difference * difference;
            }
            if distance < least {
                least = distance;
                best = group;
            }
        }
        nearest[point as usize] = best;
    }
}

const COUNT: usize = 1_000_003;
const AXES: usize = 34;
const GROUPS: usize = 5;
const THREADS: usize = 256;

pub(crate) fn run(programs: &mut Programs<'_>) -> Result<()> {
    let mut random = noise(2);
    let mut uniform = move || random() as f32 / (1u32 << 31) as f32;
    let points: Vec<f32> = (0..COUNT * AXES).map(|_| uniform()).collect();
    let centers: Vec<f32> = (0..GROUPS * AXES).map(|_| uniform()).collect();
    let (device, cuda) = (programs.gpu.device, programs.gpu.cuda);
    let (device_points, device_centers) = (device.to_device(&points)?, device.to_device(&centers)?);
    let mut nearest = device.zeros::<i32>(COUNT)?;
    let (hand_points, hand_centers, hand_nearest) = (cuda.upload(&points)?, cuda.upload(&centers)?, cuda.zeros::<i32>(COUNT)?);
    let (grid, [count, axes, groups]) = (COUNT.div_ceil(THREADS), [COUNT, AXES, GROUPS].map(|number| number as u64));
    let mut hand = programs.gpu.by_hand(
        include_str!("k_means.cu"),
        "assign",
        [grid as u32, 1],
        [THREADS as u32, 1],
        &[hand_points.address(), count, axes, hand_centers.address(), groups, hand_nearest.address()],
    )?;
    let ours = || assign(&device_points, COUNT as i32, AXES as i32, &device_centers, GROUPS as i32, &mut nearest).launch(grid, THREADS);
    programs.compare("nearest centers", 50, ours, &mut hand)?;
    let distance = |point: usize, group: usize| -> f32 {
        (0..AXES).map(|axis| (points[axis * COUNT + point] - centers[group * AXES + axis]).powi(2)).sum()
    };
    // Two centers may be as near, but for rounding.
    let is_nearest = |(point, &found): (usize, &i32)| {
        let least = (0..GROUPS).map(|group| distance(point, group)).fold(f32::MAX, f32::min);
        (0..GROUPS as i32).contains(&found) && distance(point, found as usize) <= least * (1.0 + 1e-5)
    };
    check(nearest.to_host()?.iter().enumerate().step_by(101).all(is_nearest), "the nearest centers")
}

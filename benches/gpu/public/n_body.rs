//! How 32,768 bodies attract each other, a tile of them in shared memory at a time.

use gpu_benches::beside::noise;
use gpu_benches::{Result, check};
use gpu_runtime::prelude::*;

use super::{Programs, all_close};

const COUNT: usize = 1 << 15;
const BLOCK: usize = 256;

#[gpu_kernel(block = BLOCK)]
pub(crate) fn accelerate(bodies: &[[f32; 4]], accelerations: &mut [[f32; 3]]) {
    let mut near = shared::<[[f32; 4]; BLOCK]>();
    let (i, t) = (grid_1d(), thread_idx().x);
    let own = if i < bodies.len() { bodies[i] } else { [0.0; 4] };
    let mut sum = [0.0f32; 3];
    for start in (0..bodies.len()).step_by(BLOCK) {
        near[t] = if start + t < bodies.len() { bodies[start + t] } else { [0.0; 4] };
        sync_threads();
        for other in near.iter() {
            let d = [other[0] - own[0], other[1] - own[1], other[2] - own[2]];
            let inverse = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 0.001).rsqrt();
            let scale = other[3] * inverse * inverse * inverse;
            for axis in 0..3 {
                sum[axis] += d[axis] * scale;
            }
        }
        sync_threads();
    }
    if i < accelerations.len() {
        accelerations[i] = sum;
    }
}

pub(crate) fn run(programs: &mut Programs<'_>) -> Result<()> {
    let mut random = noise(41);
    let bodies: Vec<[f32; 4]> = (0..COUNT).map(|_| [(); 4].map(|()| (random() % 10_000) as f32 / 10_000.0)).collect();
    let (device, cuda) = (programs.gpu.device, programs.gpu.cuda);
    let (device_bodies, mut accelerations) = (device.to_device(&bodies)?, device.to_device(&vec![[0.0; 3]; COUNT])?);
    let (hand_bodies, hand_accelerations) = (cuda.upload(bodies.as_flattened())?, cuda.zeros::<f32>(3 * COUNT)?);
    let mut hand = programs.gpu.by_hand(
        include_str!("n_body.cu"),
        "accelerate",
        [(COUNT / BLOCK) as u32, 1],
        [BLOCK as u32, 1],
        &[hand_bodies.address(), hand_accelerations.address(), COUNT as u64],
    )?;
    programs.compare("n bodies", 20, || accelerate(&device_bodies, &mut accelerations).launch(COUNT / BLOCK, BLOCK), &mut hand)?;
    let found = accelerations.to_host()?;
    let mut by_hand = vec![0.0; 3 * COUNT];
    cuda.download(&hand_accelerations, 0, &mut by_hand)?;
    check(all_close(found.as_flattened(), &by_hand, 1e-4), "the accelerations, ours or by hand")?;
    for i in (0..COUNT).step_by(4999) {
        let mut sum = [0.0f64; 3];
        for other in &bodies {
            let d: [f64; 3] = std::array::from_fn(|axis| f64::from(other[axis]) - f64::from(bodies[i][axis]));
            let scale = f64::from(other[3]) * (d.iter().map(|d| d * d).sum::<f64>() + 0.001).powf(-1.5);
            (0..3).for_each(|axis| sum[axis] += d[axis] * scale);
        }
        check(all_close(&found[i], &sum.map(|sum| sum as f32), 1e-3), "the accelerations")?;
    }
    Ok(())
}

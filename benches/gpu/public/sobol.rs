//! Sobol's quasi-random numbers: 2 Mi vectors of 64 dimensions, the direction numbers of a dimension in shared memory.

use gpu_benches::{Result, check};
use gpu_runtime::prelude::*;

use super::Programs;
use gpu_benches::beside::noise;

const THREADS: usize = 128;
const BLOCKS: usize = 128;
const DIRECTIONS: usize = 32;
const VECTORS: usize = 1 << 21;
const DIMENSIONS: usize = 64;
const TWO_POW_M32: f32 = 1.0 / 4_294_967_296.0;

#[gpu_kernel]
pub(crate) fn sobol(vectors: usize, directions: &[u32], output: &mut [f32]) {
    let mut v = shared::<[u32; DIRECTIONS]>();
    let dimension = block_idx().y;
    let t = thread_idx().x;
    if t < DIRECTIONS {
        v[t] = directions[DIRECTIONS * dimension + t];
    }
    sync_threads();

    let first = block_idx().x * block_dim().x + t;
    let stride = grid_dim().x * block_dim().x; // a power of two
    let bits = stride.trailing_zeros() as usize;
    let mut gray = first ^ (first >> 1);
    let mut x = 0;
    for k in 0..bits {
        if gray & 1 != 0 {
            x ^= v[k];
        }
        gray >>= 1;
    }
    let output_of_dimension = vectors * dimension;
    if first < vectors {
        output[output_of_dimension + first] = x as f32 * TWO_POW_M32;
    }
    let last_bit = v[bits - 1];
    for i in (first + stride..vectors).step_by(stride) {
        let zero = (!((i - stride) | (stride - 1))).trailing_zeros() as usize;
        x ^= last_bit ^ v[zero];
        output[output_of_dimension + i] = x as f32 * TWO_POW_M32;
    }
}

pub(crate) fn run(programs: &mut Programs<'_>) -> Result<()> {
    let mut random = noise(8);
    let directions: Vec<u32> =
        (0..DIMENSIONS * DIRECTIONS).map(|i| ((random() | 1) & (u32::MAX >> (31 - i % 32))) << (31 - i % 32)).collect();
    let (device, cuda) = (programs.gpu.device, programs.gpu.cuda);
    let device_directions = device.to_device(&directions)?;
    let mut output = device.zeros::<f32>(VECTORS * DIMENSIONS)?;
    let (hand_directions, hand_output) = (cuda.upload(&directions)?, cuda.zeros::<f32>(VECTORS * DIMENSIONS)?);
    let mut hand = programs.gpu.by_hand(
        include_str!("sobol.cu"),
        "sobol",
        [BLOCKS as u32, DIMENSIONS as u32],
        [THREADS as u32, 1],
        &[VECTORS as u64, hand_directions.address(), hand_output.address()],
    )?;
    programs.compare(
        "quasi-random numbers",
        50,
        || sobol(VECTORS, &device_directions, &mut output).launch((BLOCKS, DIMENSIONS), THREADS),
        &mut hand,
    )?;
    let mut by_hand = vec![0.0; VECTORS * DIMENSIONS];
    cuda.download(&hand_output, 0, &mut by_hand)?;
    check(output.to_host()? == by_hand, "the numbers, ours or by hand")?;
    let expected = directions.chunks_exact(DIRECTIONS).flat_map(|directions| {
        let mut x = 0;
        (0..VECTORS as u32).map(move |i| {
            let number = x as f32 * TWO_POW_M32;
            x ^= directions[(!i).trailing_zeros() as usize];
            number
        })
    });
    check(by_hand.into_iter().eq(expected), "the numbers")
}

//! A bitonic sort of each 1024 of 16 Mi keys, in shared memory.

use gpu_benches::beside::noise;
use gpu_benches::{Result, check};
use gpu_runtime::prelude::*;

use super::Programs;

const KEYS: usize = 1 << 24;
const SIZE: usize = 1024;
const THREADS: usize = SIZE / 2;

#[gpu_kernel(block = THREADS)]
fn sort(keys: &mut [u32]) {
    let mut part = shared::<[u32; SIZE]>();
    let t = thread_idx().x;
    let first = block_idx().x * SIZE;
    part[t] = keys[first + t];
    part[t + THREADS] = keys[first + t + THREADS];
    let mut size = 2;
    while size <= SIZE {
        let ascending = t & (size / 2) == 0;
        let mut stride = size / 2;
        while stride > 0 {
            sync_threads();
            let low = 2 * t - (t & (stride - 1));
            let (a, b) = (part[low], part[low + stride]);
            if (a > b) == ascending {
                part[low] = b;
                part[low + stride] = a;
            }
            stride /= 2;
        }
        size *= 2;
    }
    sync_threads();
    keys[first + t] = part[t];
    keys[first + t + THREADS] = part[t + THREADS];
}

pub(crate) fn run(programs: &mut Programs<'_>) -> Result<()> {
    let mut random = noise(20);
    let mut keys: Vec<u32> = (0..KEYS).map(|_| random()).collect();
    let (device, cuda) = (programs.gpu.device, programs.gpu.cuda);
    let mut ours = device.to_device(&keys)?;
    let hand_keys = cuda.upload(&keys)?;
    let grid = KEYS / SIZE;
    let mut hand =
        programs.gpu.by_hand(include_str!("bitonic.cu"), "sort", [grid as u32, 1], [THREADS as u32, 1], &[hand_keys.address()])?;
    programs.compare("bitonic sort", 50, || sort(&mut ours).launch(grid, THREADS), &mut hand)?;
    let mut by_hand = vec![0; KEYS];
    cuda.download(&hand_keys, 0, &mut by_hand)?;
    keys.chunks_exact_mut(SIZE).for_each(<[u32]>::sort_unstable);
    check(by_hand == keys, "the keys by hand")?;
    check(ours.to_host()? == keys, "our keys")
}

//! 1024 random numbers of each of 16,384 Mersenne twisters, whose 19 words are a local array that is a ring.

use gpu_benches::beside::noise;
use gpu_benches::{Result, check};
use gpu_runtime::prelude::*;

use super::Programs;

const TWISTERS: usize = 16_384;
const NUMBERS: usize = 1024;
const THREADS: usize = 128;
const N: usize = 19;
const M: usize = 9;

#[gpu_kernel]
pub(crate) fn twister(matrices: &[u32], masks_b: &[u32], masks_c: &[u32], seeds: &[u32], out: &mut [f32], per_thread: i32, threads: i32) {
    let tid = grid_1d() as i32;
    if tid >= threads {
        return;
    }
    let matrix = matrices[tid as usize];
    let (b, c) = (masks_b[tid as usize], masks_c[tid as usize]);
    let mut mt = [0u32; N];
    mt[0] = seeds[tid as usize];
    for i in 1..N {
        mt[i] = 1812433253u32.wrapping_mul(mt[i - 1] ^ (mt[i - 1] >> 30)).wrapping_add(i as u32);
    }
    let mut state = 0usize;
    let mut m1 = mt[0];
    for k in 0..per_thread {
        let mut next = state + 1;
        let mut far = state + M;
        if next >= N {
            next -= N;
        }
        if far >= N {
            far -= N;
        }
        let m0 = m1;
        m1 = mt[next];
        let mut x = (m0 & 0xfffffffe) | (m1 & 1);
        x = mt[far] ^ (x >> 1) ^ (if x & 1 == 1 { matrix } else { 0 });
        mt[state] = x;
        state = next;
        x ^= x >> 12;
        x ^= (x << 7) & b;
        x ^= (x << 15) & c;
        x ^= x >> 18;
        out[(tid + threads * k) as usize] = (x as f32 + 1.0) / 4294967296.0;
    }
}

pub(crate) fn run(programs: &mut Programs<'_>) -> Result<()> {
    let mut random = noise(32);
    let mut words = || -> Vec<u32> { (0..TWISTERS).map(|_| random()).collect() };
    let (matrices, masks_b, masks_c, seeds) = (words(), words(), words(), words());
    let (device, cuda) = (programs.gpu.device, programs.gpu.cuda);
    let [a, b, c, s] = [&matrices, &masks_b, &masks_c, &seeds].map(|words| device.to_device(words));
    let (a, b, c, s) = (a?, b?, c?, s?);
    let mut out = device.zeros::<f32>(TWISTERS * NUMBERS)?;
    let uploaded = [&matrices, &masks_b, &masks_c, &seeds].map(|words| cuda.upload(words));
    let [hand_a, hand_b, hand_c, hand_s] = uploaded;
    let (hand_a, hand_b, hand_c, hand_s) = (hand_a?, hand_b?, hand_c?, hand_s?);
    let hand_out = cuda.zeros::<f32>(TWISTERS * NUMBERS)?;
    let mut hand = programs.gpu.by_hand(
        include_str!("twister.cu"),
        "twister",
        [(TWISTERS / THREADS) as u32, 1],
        [THREADS as u32, 1],
        &[hand_a.address(), hand_b.address(), hand_c.address(), hand_s.address(), hand_out.address(), NUMBERS as u64, TWISTERS as u64],
    )?;
    programs.compare(
        "Mersenne twisters",
        50,
        || twister(&a, &b, &c, &s, &mut out, NUMBERS as i32, TWISTERS as i32).launch(TWISTERS / THREADS, THREADS),
        &mut hand,
    )?;
    let mut by_hand = vec![0.0; TWISTERS * NUMBERS];
    cuda.download(&hand_out, 0, &mut by_hand)?;
    let found = out.to_host()?;
    check(found == by_hand, "the numbers, ours or by hand")?;
    // The state of one is the last N numbers before they are tempered.
    let expected = |tid: usize| -> Vec<f32> {
        let mut state = vec![seeds[tid]];
        for i in 1..N {
            let last = state[i - 1];
            state.push(1_812_433_253u32.wrapping_mul(last ^ (last >> 30)).wrapping_add(i as u32));
        }
        let mut numbers = Vec::new();
        for k in 0..NUMBERS {
            let mixed = (state[k] & !1) | (state[k + 1] & 1);
            let mut x = state[k + M] ^ (mixed >> 1) ^ if mixed & 1 == 1 { matrices[tid] } else { 0 };
            state.push(x);
            x ^= x >> 12;
            x ^= (x << 7) & masks_b[tid];
            x ^= (x << 15) & masks_c[tid];
            x ^= x >> 18;
            numbers.push((x as f32 + 1.0) / 4_294_967_296.0);
        }
        numbers
    };
    let agrees = |tid: usize| expected(tid).into_iter().enumerate().all(|(k, number)| found[tid + TWISTERS * k] == number);
    check((0..TWISTERS).step_by(101).all(agrees), "the numbers")
}

//! The random numbers of the runtime, in kernels.

use gpu_runtime::prelude::*;
use gpu_runtime::rng::*;

use crate::bench::{Bench, assert_same};
use crate::{cases, launch};

cases![
    xoroshiro_has_numbas_numbers,
    xoroshiro_has_numbas_normal_numbers,
    a_state_goes_on_where_it_stopped,
    philox_is_the_same_everywhere,
    normal_numbers_are_those_of_the_host,
];

/// Four numbers of each thread's state.
#[gpu_kernel]
pub fn bits(states: &mut [u64], out: &mut [u64]) {
    let i = grid_1d();
    if 2 * i < states.len() {
        for k in 0..4 {
            out[4 * i + k] = xoroshiro128p_next(states, i);
        }
    }
}

/// Uniform and normal numbers in turn, as the simulator drew them.
#[gpu_kernel]
pub fn draws(states: &mut [u64], uniform32: &mut [f32], uniform64: &mut [f64], normal32: &mut [f32], normal64: &mut [f64]) {
    let i = grid_1d();
    if 2 * i < states.len() {
        for k in 0..2 {
            uniform32[2 * i + k] = xoroshiro128p_uniform_f32(states, i);
            uniform64[2 * i + k] = xoroshiro128p_uniform_f64(states, i);
            normal32[2 * i + k] = xoroshiro128p_normal_f32(states, i);
            normal64[2 * i + k] = xoroshiro128p_normal_f64(states, i);
        }
    }
}

/// What Numba 0.68's simulator (`NUMBA_ENABLE_CUDASIM=1`) draws from `create_xoroshiro128p_states(3, seed=1)`: four times `next`, then
/// twice `uniform_float32`, `uniform_float64`, `normal_float32` and `normal_float64`, by thread.
#[rustfmt::skip]
mod numba {
    pub(super) const BITS: [u64; 12] = [
        0x22145bd91204b982, 0x60c88516f644812e, 0x3b056fab69fc74dd, 0x75dde50d5f276a45,
        0xe05863863b1a0286, 0x35d4f476e08d5559, 0x6b48e8d378de8c7b, 0x14a696847e78f7ad,
        0xdeffd0157988eac6, 0x7440e460bf94758f, 0xddda649adfadbc1e, 0x984222403d112948,
    ];
    pub(super) const UNIFORM32: [u32; 6] = [0x3e824ea4, 0x3f1a36a5, 0x3e879375, 0x3dec273c, 0x3f4e89d8, 0x3f276f54];
    pub(super) const UNIFORM64: [u64; 6] = [
        0x3fec75da27624d84, 0x3f8722fbd3b831c0, 0x3fc195724e770f80, 0x3f96ca305dd8d6c0, 0x3fe6341b90634256, 0x3fdaa6cdaf9b76c6,
    ];
    pub(super) const NORMAL32: [f32; 6] = [-1.1158375, 0.69783115, 0.13002473, 0.9026425, 0.43808252, -1.3394426];
    pub(super) const NORMAL64: [f64; 6] = [
        -0.2676602805333648, 0.34753916842811655, -0.9119841157283501, 3.443398579505904, 0.43624369834830207, -1.207297975796345,
    ];
}

fn xoroshiro_has_numbas_numbers(bench: &Bench) {
    let mut states = xoroshiro128p_states(3, 1, 0);
    let mut out = vec![0; 12];
    launch!(bench, bits(&mut states, &mut out), 1, 32);
    assert_same(&out, &numba::BITS);
}

fn xoroshiro_has_numbas_normal_numbers(bench: &Bench) {
    let mut states = xoroshiro128p_states(3, 1, 0);
    let mut skipped = vec![0; 12];
    launch!(bench, bits(&mut states, &mut skipped), 1, 32);
    let (mut uniform32, mut uniform64) = (vec![0.0; 6], vec![0.0; 6]);
    let (mut normal32, mut normal64) = (vec![0.0; 6], vec![0.0; 6]);
    launch!(bench, draws(&mut states, &mut uniform32, &mut uniform64, &mut normal32, &mut normal64), 1, 32);
    assert_same(&uniform32, &numba::UNIFORM32.map(f32::from_bits));
    assert_same(&uniform64, &numba::UNIFORM64.map(f64::from_bits));
    for i in 0..6 {
        assert!((normal32[i] - numba::NORMAL32[i]).abs() < 2e-6, "{normal32:?}");
        // Numba rounds the uniform numbers to `f32` first.
        assert!((normal64[i] - numba::NORMAL64[i]).abs() < 2e-6, "{normal64:?}");
    }
}

/// A step by the functions of values.
#[gpu_kernel]
pub fn steps(states: &mut [u64], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let (mut s0, mut s1) = (states[2 * i], states[2 * i + 1]);
        let mut sum = 0.0f32;
        for _ in 0..3 {
            let x: f32;
            (x, s0, s1) = xoroshiro_uniform_f32(s0, s1);
            sum += x;
        }
        out[i] = sum;
        states[2 * i] = s0;
        states[2 * i + 1] = s1;
    }
}

fn a_state_goes_on_where_it_stopped(bench: &Bench) {
    let mut states = xoroshiro128p_states(40, 7, 2);
    let mut host = states.clone();
    for _ in 0..2 {
        let mut out = vec![0.0; 40];
        launch!(bench, steps(&mut states, &mut out), 2, 32);
        let mut three = |i| (0..3).fold(0.0, |sum, _| sum + xoroshiro128p_uniform_f32(&mut host, i));
        assert_same(&out, &(0..40).map(&mut three).collect::<Vec<f32>>());
    }
    assert_same(&states, &host);
}

#[gpu_kernel]
pub fn counted(seed: u64, words: &mut [u32], whole: &mut [u64], single: &mut [f32], double: &mut [f64]) {
    let i = grid_1d();
    if i < whole.len() {
        let index = i as u64 * 0x1234_5678_9abcu64;
        let (a, b, c, d): (u32, u32, u32, u32) = random_bits(seed, 3, index);
        words[4 * i] = a;
        words[4 * i + 1] = b;
        words[4 * i + 2] = c;
        words[4 * i + 3] = d;
        whole[i] = random_u64(seed, 3, index) ^ random_u32(seed, 4, index) as u64;
        single[i] = random_uniform_f32(seed, 3, index);
        double[i] = random_uniform_f64(seed, 3, index);
    }
}

fn philox_is_the_same_everywhere(bench: &Bench) {
    let n = 100;
    let (mut words, mut whole, mut single, mut double) = (vec![0; 4 * n], vec![0; n], vec![0.0; n], vec![0.0; n]);
    let seed = 0xfeed_0000_0000_beef;
    launch!(bench, counted(seed, &mut words, &mut whole, &mut single, &mut double), 4, 32);
    for i in 0..n {
        let index = i as u64 * 0x1234_5678_9abc;
        let expected = philox4x32(index as u32, (index >> 32) as u32, 3, 0, 0x0000_beef, 0xfeed_0000);
        assert_same(&words[4 * i..4 * i + 4], &[expected.0, expected.1, expected.2, expected.3]);
        let bits = u64::from(expected.1) << 32 | u64::from(expected.0);
        assert_eq!(whole[i], bits ^ u64::from(philox4x32(index as u32, (index >> 32) as u32, 4, 0, 0x0000_beef, 0xfeed_0000).0));
        assert_same(&single[i..=i], &[(expected.0 >> 8) as f32 / 16_777_216.0]);
        assert_same(&double[i..=i], &[(bits >> 11) as f64 / 9_007_199_254_740_992.0]);
    }
}

#[gpu_kernel]
pub fn normal(seed: u64, single: &mut [f32], double: &mut [f64]) {
    let i = grid_1d();
    if i < single.len() {
        single[i] = random_normal_f32(seed, 0, i as u64);
        double[i] = random_normal_f64(seed, 1, i as u64);
    }
}

fn normal_numbers_are_those_of_the_host(bench: &Bench) {
    let n = 500;
    let (mut single, mut double) = (vec![0.0; n], vec![0.0; n]);
    launch!(bench, normal(11, &mut single, &mut double), n.div_ceil(64), 64);
    for i in 0..n {
        assert!((single[i] - random_normal_f32(11, 0, i as u64)).abs() < 4e-6, "{i}: {}", single[i]);
        assert!((double[i] - random_normal_f64(11, 1, i as u64)).abs() < 1e-14, "{i}: {}", double[i]);
    }
}

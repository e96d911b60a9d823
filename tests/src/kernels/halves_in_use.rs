//! Floats of 16 bits among everything else: parameters, structs, shared memory, generic functions, warps, atomics.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use gpu_runtime::block::{block_max, block_sum};
use gpu_runtime::prelude::*;
use half::{bf16, f16};

use crate::bench::{Bench, assert_same, assert_ulps};
use crate::{cases, launch};

cases![
    single_precision_sums_of_products,
    fields_and_elements_are_places wraps = true,
    tiles_in_shared_memory_transpose,
    generic_functions_take_them,
    generic_kernels_take_them,
    functions_of_f32_are_rounded,
    special_functions_are_rounded,
    warps_exchange_them,
    blocks_sum_them,
    values_of_control_flow,
    atomics_change_them,
    atomics_compare_bits,
    outcomes_of_exchanges_compare_bits,
    atomics_lie_in_shared_memory,
];

fn halves(values: impl IntoIterator<Item = f32>) -> Vec<f16> {
    values.into_iter().map(f16::from_f32).collect()
}

/// What a network's layer is: products of halves, summed in `f32`.
#[gpu_kernel(fmad = false)]
pub fn layer(weights: &[f16], x: &[bf16], scale: f16, out: &mut [f16]) {
    let row = grid_1d();
    if row < out.len() {
        let mut sum = 0.0;
        for k in 0..x.len() {
            sum += weights[row * x.len() + k].to_f32() * x[k].to_f32();
        }
        let scaled = sum * scale.to_f32();
        out[row] = f16::from_f32(scaled.max(0.0));
    }
}

fn single_precision_sums_of_products(bench: &Bench) {
    let (rows, columns) = (40, 30);
    let weights = halves((0..rows * columns).map(|i| (i as f32 * 0.37).sin()));
    let x: Vec<bf16> = (0..columns).map(|i| bf16::from_f32((i as f32).sqrt() - 2.0)).collect();
    let scale = f16::from_f32(0.3);
    let mut out = vec![f16::NAN; rows];
    launch!(bench, layer(&weights, &x, scale, &mut out), 2, 32);
    let sum = |row: &[f16]| row.iter().zip(&x).fold(0.0, |sum, (w, x)| sum + w.to_f32() * x.to_f32());
    let expected: Vec<f16> = weights.chunks(columns).map(|row| f16::from_f32((sum(row) * scale.to_f32()).max(0.0))).collect();
    assert_same(&out, &expected);
    assert!(out.contains(&f16::ZERO) && out.iter().any(|&x| x > f16::ONE));
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Sample {
    tag: u8,
    weight: f16,
    mass: f32,
    channels: [bf16; 3],
}

#[gpu_device]
impl Sample {
    /// With the channels in the other order.
    pub fn mirrored(self) -> Self {
        Sample { channels: [self.channels[2], self.channels[1], self.channels[0]], ..self }
    }

    pub fn weighted(self, by: f16) -> f16 {
        self.weight * by
    }
}

#[gpu_kernel]
pub fn update_samples(samples: &mut [Sample], by: f16) {
    let i = grid_1d();
    if i < samples.len() {
        samples[i] = samples[i].mirrored();
        samples[i].weight = samples[i].weighted(by) - f16::ONE;
        samples[i].channels[1] += bf16::from_f64(0.1);
        samples[i].mass = samples[i].weight.to_f32() * 2.0;
        if samples[i].weight.to_f32() < samples[i].channels[0].to_f32() {
            samples[i].tag += 1;
        }
    }
}

fn fields_and_elements_are_places(bench: &Bench) {
    let channels = [1.5f32, -2.0, 8.0].map(bf16::from_f32);
    let mut samples = vec![Sample { tag: 255, weight: f16::from_f32(3.3), mass: 0.0, channels }; 5];
    launch!(bench, update_samples(&mut samples, f16::from_f32(0.7)), 1, 8);
    let weight = f16::from_f32(f16::from_f32(3.3).to_f32() * f16::from_f32(0.7).to_f32()) - f16::ONE;
    let middle = bf16::from_f32(-2.0) + bf16::from_f32(0.1);
    let expected = Sample { tag: 0, weight, mass: weight.to_f32() * 2.0, channels: [channels[2], middle, channels[0]] };
    assert_eq!(samples, [expected; 5]);
}

#[gpu_kernel(block = (16, 16))]
pub fn transpose(n: usize, input: &[f16], out: &mut [f16]) {
    let mut tile = shared::<[[f16; 18]; 16]>();
    let mut own: [f16; 2] = [f16::ZERO; 2];
    let (x, y) = (thread_idx().x, thread_idx().y);
    let (left, top) = (block_idx().x * 16, block_idx().y * 16);
    if left + x < n && top + y < n {
        own[1] = input[(top + y) * n + left + x];
    }
    tile[y][x] = own[0] + own[1];
    sync_threads();
    if top + x < n && left + y < n {
        out[(left + y) * n + top + x] = tile[x][y];
    }
}

fn tiles_in_shared_memory_transpose(bench: &Bench) {
    let n = 37;
    let input = halves((0..n * n).map(|i| i as f32));
    let mut out = vec![f16::NAN; n * n];
    launch!(bench, transpose(n, &input, &mut out), (3, 3), (16, 16));
    assert_same(&out, &(0..n * n).map(|i| input[i % n * n + i / n]).collect::<Vec<_>>());
}

#[gpu_device]
fn lerp<T: Float>(a: T, b: T, t: T) -> T {
    a + (b - a) * t.clamp(T::ZERO, T::ONE)
}

#[gpu_device]
fn largest<T: Num>(x: &[T]) -> T {
    let mut largest = T::MIN;
    for i in 0..x.len() {
        largest = largest.max(x[i]);
    }
    largest
}

#[gpu_kernel]
pub fn blend(a: &[f16], b: &[f16], t: &[f32], out: &mut [f16], top: &mut [f16], signs: &mut [bf16]) {
    let i = grid_1d();
    if i < out.len() && i < top.len() && i < signs.len() {
        out[i] = lerp(a[i], b[i], t[i].cast::<f16>());
        top[i] = largest(a);
        let sign: bf16 = lerp(bf16::NEG_ONE, bf16::ONE, bf16::from_f32(t[i]));
        signs[i] = sign;
    }
}

fn generic_functions_take_them(bench: &Bench) {
    let (a, b) = (halves((0..50).map(|i| i as f32 * 0.3)), halves((0..50).map(|i| 90.0 - i as f32)));
    let t: Vec<f32> = (0..50).map(|i| i as f32 * 0.03 - 0.2).collect();
    let (mut out, mut top, mut signs) = (vec![f16::NAN; 50], vec![f16::NAN; 50], vec![bf16::NAN; 50]);
    launch!(bench, blend(&a, &b, &t, &mut out, &mut top, &mut signs), 2, 32);
    let at = |i: usize| a[i] + (b[i] - a[i]) * f16::from_f32(t[i]).clamp(f16::ZERO, f16::ONE);
    assert_same(&out, &(0..50).map(at).collect::<Vec<_>>());
    assert_same(&top, &[a[49]; 50]);
    let sign = |t: &f32| bf16::NEG_ONE + (bf16::ONE - bf16::NEG_ONE) * bf16::from_f32(*t).clamp(bf16::ZERO, bf16::ONE);
    assert_same(&signs, &t.iter().map(sign).collect::<Vec<_>>());
}

#[gpu_kernel]
pub fn normalise<T: Float>(x: &mut [T], by: T, wide: &mut [f32], whole: &mut [i32]) {
    let i = grid_1d();
    if i < x.len() && i < wide.len() && i < whole.len() {
        let y = (x[i] - T::from_i32(3)) / by * T::from_f64(-0.1) + T::EPSILON;
        x[i] = if y.is_finite() && y < T::MAX { y.mul_add(T::PI, T::ONE) } else { T::INFINITY };
        wide[i] = x[i].cast::<f32>();
        whole[i] = x[i].floor().cast::<i32>();
    }
}

fn generic_kernels_take_them(bench: &Bench) {
    macro_rules! check {
        ($T:ident) => {
            let start: Vec<$T> = (0..40).map(|i| $T::from_f32(i as f32 * 1.7)).collect();
            let (mut x, mut wide, mut whole) = (start.clone(), vec![0.0; 40], vec![0; 40]);
            let by = $T::from_f32(0.11);
            bench.launch::<normalise::Kernel<$T>>((&mut x, by, &mut wide, &mut whole), 2, 32);
            let expected = |x: $T| {
                let y = (x - $T::from_f32(3.0)) / by * $T::from_f32(-0.1) + $T::EPSILON;
                // 8 or 11 digits: f64 has the product and the sum.
                $T::from_f64(y.to_f64() * $T::PI.to_f64() + 1.0)
            };
            assert_same(&x, &start.iter().map(|&x| expected(x)).collect::<Vec<_>>());
            assert_same(&wide, &x.iter().map(|x| x.to_f32()).collect::<Vec<_>>());
            assert_same(&whole, &x.iter().map(|x| x.to_f32().floor() as i32).collect::<Vec<_>>());
        };
    }
    check!(f16);
    check!(bf16);
}

#[gpu_kernel]
pub fn elementary(x: &[f16], out: &mut [[f16; 12]]) {
    let i = grid_1d();
    if i < x.len() && i < out.len() {
        let x = x[i];
        out[i][0] = x.sin();
        out[i][1] = x.cos();
        out[i][2] = x.exp();
        out[i][3] = x.abs().ln();
        out[i][4] = x.tanh();
        out[i][5] = x.atan2(f16::from_f32(0.5));
        out[i][6] = x.abs().powf(f16::from_f32(1.5));
        out[i][7] = x.powi(3);
        out[i][8] = x.hypot(f16::ONE);
        out[i][9] = x.to_degrees();
        out[i][10] = x.exp_m1();
        let (sine, cosine) = x.sin_cos();
        out[i][11] = sine * cosine;
    }
}

fn functions_of_f32_are_rounded(bench: &Bench) {
    let x = halves((-60..=60).map(|i| i as f32 * 0.173));
    let mut out = vec![[f16::NAN; 12]; x.len()];
    launch!(bench, elementary(&x, &mut out), 4, 32);
    let each = |x: f16| {
        let x = f64::from(x);
        let functions = [x.sin(), x.cos(), x.exp(), x.abs().ln(), x.tanh(), x.atan2(0.5), x.abs().powf(1.5), x.powi(3)];
        let more = [x.hypot(1.0), x.to_degrees(), x.exp_m1()].map(f16::from_f64);
        let product = f16::from_f64(x.sin()) * f16::from_f64(x.cos());
        functions.map(f16::from_f64).into_iter().chain(more).chain([product])
    };
    // An error of f32 is far below half a digit, and rarely decides.
    let expected: Vec<f16> = x.iter().flat_map(|&x| each(x)).collect();
    assert_ulps("functions of f16", out.as_flattened(), &expected, 1);
    let different = out.as_flattened().iter().zip(&expected).filter(|(a, b)| a != b).count();
    assert!(different < 12, "{different} are not rounded correctly");
}

#[gpu_kernel]
pub fn special(x: &[bf16], out: &mut [[bf16; 6]], exponents: &mut [i32]) {
    let i = grid_1d();
    if i < x.len() && i < out.len() && i < exponents.len() {
        let x = x[i];
        out[i][0] = x.erf();
        out[i][1] = x.rsqrt();
        out[i][2] = x.ldexp(3);
        let (fraction, exponent) = x.frexp();
        out[i][3] = fraction;
        out[i][4] = x.next_after(bf16::INFINITY);
        out[i][5] = x.fast_exp();
        exponents[i] = exponent + x.ilogb();
    }
}

fn special_functions_are_rounded(bench: &Bench) {
    let x: Vec<bf16> = (1..80).map(|i| bf16::from_f32(i as f32 * 0.07)).collect();
    let (mut out, mut exponents) = (vec![[bf16::NAN; 6]; x.len()], vec![0; x.len()]);
    launch!(bench, special(&x, &mut out, &mut exponents), 3, 32);
    for ((x, found), sum) in x.iter().zip(out).zip(exponents) {
        let wide = x.to_f32();
        let (fraction, exponent) = wide.frexp();
        let next = bf16::from_bits(x.to_bits() + 1);
        let expected = [DeviceMath::erf(wide), 1.0 / wide.sqrt(), wide * 8.0, fraction].map(bf16::from_f32);
        assert_ulps("special functions", &found[..4], &expected, 1);
        assert_eq!((found[4], sum), (next, exponent + wide.ilogb()));
        assert_ulps("fast exponential", &found[5..], &[bf16::from_f32(wide.exp())], 1);
    }
}

#[gpu_kernel]
pub fn exchange(x: &[f16], out: &mut [[f16; 7]], equal: &mut [u32]) {
    let i = grid_1d();
    let own = x[i];
    let broadcast = warp_shuffle(own, 3);
    let (up, down, across) = (warp_shuffle_up(own, 1), warp_shuffle_down(own, 2), warp_shuffle_xor(own, 5));
    let (sum, low, high) = (warp_sum(own), warp_min(own), warp_max(own));
    out[i] = [broadcast, up, down, across, sum, low, high];
    equal[i] = warp_match_any(own);
}

fn warps_exchange_them(bench: &Bench) {
    let x = halves((0..64).map(|i| ((i * 37) % 19) as f32 * 0.3 - 2.0));
    let (mut out, mut equal) = (vec![[f16::NAN; 7]; 64], vec![0; 64]);
    launch!(bench, exchange(&x, &mut out, &mut equal), 1, 64);
    for (warp, values) in x.chunks(32).enumerate() {
        // 16 lanes apart, then 8, and so on, each sum rounded.
        let mut sums = values.to_vec();
        for distance in [16, 8, 4, 2, 1] {
            sums = (0..distance).map(|lane| sums[lane] + sums[lane + distance]).collect();
        }
        let low = values.iter().copied().reduce(f16::min).expect("there are 32");
        let high = values.iter().copied().reduce(f16::max).expect("there are 32");
        for lane in 0..32 {
            let up = values[lane.max(1) - 1];
            let down = values[if lane + 2 < 32 { lane + 2 } else { lane }];
            let expected = [values[3], up, down, values[lane ^ 5], sums[0], low, high];
            assert_same(&out[warp * 32 + lane], &expected);
            let same = (0..32).filter(|&other| values[other] == values[lane]).fold(0, |mask, other| mask | 1 << other);
            assert_eq!(equal[warp * 32 + lane], same);
        }
    }
}

#[gpu_kernel(block = 128)]
pub fn block_totals(x: &[f16], sums: &mut [f16], tops: &mut [bf16]) {
    let i = grid_1d();
    let own: f16 = if i < x.len() { x[i] } else { f16::ZERO };
    let sum = block_sum(own).await;
    let top = block_max(bf16::from_f32(own.to_f32())).await;
    if thread_idx().x == 0 {
        sums[block_idx().x] = sum;
        tops[block_idx().x] = top;
    }
}

fn blocks_sum_them(bench: &Bench) {
    // Whole numbers, whose sums are exact.
    let x = halves((0..300).map(|i| (i % 7) as f32 - 2.0));
    let (mut sums, mut tops) = (vec![f16::NAN; 3], vec![bf16::NAN; 3]);
    launch!(bench, block_totals(&x, &mut sums, &mut tops), 3, 128);
    assert_same(&sums, &halves(x.chunks(128).map(|block| block.iter().map(|x| x.to_f32()).sum::<f32>())));
    assert_same(&tops, &[bf16::from_f32(4.0); 3]);
}

#[gpu_kernel]
pub fn choose(x: &[f16], out: &mut [f16], bits: &mut [u16]) {
    let i = grid_1d();
    if i < out.len() && i < bits.len() {
        let clipped = match x[i] {
            y if y > f16::ONE => f16::ONE,
            y if y.is_nan() => f16::ZERO,
            y => y * y,
        };
        let mut root = clipped;
        while root * root > clipped && root > f16::EPSILON {
            root = root / f16::from_f32(2.0);
        }
        let found: Option<f16> = if root > f16::ZERO { Some(root) } else { None };
        out[i] = found.unwrap_or(f16::NEG_ONE);
        bits[i] = clipped.to_bits() ^ 1;
    }
}

fn values_of_control_flow(bench: &Bench) {
    let x = [&halves((-20..60).map(|i| i as f32 * 0.07))[..], &[f16::NAN, f16::INFINITY]].concat();
    let (mut out, mut bits) = (vec![f16::NAN; x.len()], vec![0; x.len()]);
    launch!(bench, choose(&x, &mut out, &mut bits), 3, 32);
    for ((x, found), bits) in x.iter().zip(out).zip(bits) {
        let clipped = if *x > f16::ONE {
            f16::ONE
        } else if x.is_nan() {
            f16::ZERO
        } else {
            *x * *x
        };
        let mut root = clipped;
        while root * root > clipped && root > f16::EPSILON {
            root /= f16::from_f32(2.0);
        }
        assert!(found == if root > f16::ZERO { root } else { f16::NEG_ONE }, "{found} of {x}");
        assert_eq!(bits, clipped.to_bits() ^ 1);
    }
}

/// Whole numbers and powers of 2, whose sums are exact in any order.
#[gpu_kernel]
pub fn accumulate(x: &[f16], sums: &[AtomicF16], tops: &[AtomicBf16], ends: &[AtomicF16]) {
    let i = grid_1d();
    if i < x.len() {
        sums[i % 3].fetch_add(x[i], Relaxed);
        sums[3].fetch_sub(x[i], AcqRel);
        tops[0].fetch_max(bf16::from_f32(x[i].to_f32()), Relaxed);
        tops[1].fetch_min(bf16::from_f32(x[i].to_f32()), Relaxed);
        tops[2].fetch_add(bf16::from_f32(0.5), Relaxed);
        ends[0].block_scope().fetch_max(f16::NAN, Relaxed);
        ends[1].system_scope().fetch_min(x[i], Relaxed);
    }
}

fn atomics_change_them(bench: &Bench) {
    let x = halves((0..100).map(|i| (i % 9) as f32 - 3.0));
    let (mut sums, mut tops, mut ends) = (vec![f16::ZERO; 4], vec![bf16::ZERO; 3], vec![f16::ONE, f16::NAN]);
    launch!(bench, accumulate(&x, &mut sums, &mut tops, &mut ends), 1, 128);
    let sum = |start: usize, step: usize| x.iter().skip(start).step_by(step).map(|x| x.to_f32()).sum::<f32>();
    assert_same(&sums, &halves([sum(0, 3), sum(1, 3), sum(2, 3), -sum(0, 1)]));
    assert_same(&tops, &[5.0, -3.0, 50.0].map(bf16::from_f32));
    assert_same(&ends, &[f16::ONE, f16::from_f32(-3.0)]);
}

/// One thread: what each method returns, and leaves.
#[gpu_kernel]
pub fn operate(a: &[AtomicF16], out: &mut [f16], happened: &mut [bool]) {
    if grid_1d() == 0 {
        out[0] = a[1].load(Acquire);
        a[1].store(f16::NEG_ZERO, Release);
        happened[0] = a[1].compare_exchange(f16::ZERO, f16::ONE, Relaxed, Relaxed).is_ok();
        happened[1] = a[1].compare_exchange(f16::NEG_ZERO, f16::NAN, Relaxed, Relaxed).is_ok();
        happened[2] = a[1].compare_exchange_weak(f16::NAN, f16::MAX, Relaxed, Relaxed).is_err();
        out[1] = a[1].swap(f16::from_f32(2.5), Relaxed);
        out[2] = a[1].fetch_compare_exchange(f16::from_f32(2.5), f16::PI, Relaxed);
        let old = a[1].fetch_add(f16::ONE, Relaxed);
        out[3] = old + f16::ONE;
    }
}

fn atomics_compare_bits(bench: &Bench) {
    // The neighbours lie in the same words.
    let mut a = vec![f16::from_f32(0.1), f16::from_f32(0.2), f16::from_f32(0.3)];
    let (mut out, mut happened) = (vec![f16::ZERO; 4], vec![false; 3]);
    launch!(bench, operate(&mut a, &mut out, &mut happened), 1, 1);
    assert_eq!(happened, [false, true, false]);
    assert_same(&out, &[f16::from_f32(0.2), f16::MAX, f16::from_f32(2.5), f16::PI + f16::ONE]);
    assert_same(&a, &[f16::from_f32(0.1), f16::PI + f16::ONE, f16::from_f32(0.3)]);
}

/// One thread: what a pattern makes of an exchange where values are equal and bits are not, and the other way round.
#[gpu_kernel]
pub fn exchange_in_patterns(a: &[AtomicF16], b: &[AtomicBf16], out: &mut [u32], found: &mut [f16]) {
    if grid_1d() == 0 {
        out[0] = match a[0].compare_exchange(f16::NEG_ZERO, f16::ONE, Relaxed, Relaxed) {
            Ok(_) => 1,
            Err(zero) => {
                found[0] = zero;
                0
            }
        };
        for _ in 0..100 {
            if let Ok(nan) = a[1].compare_exchange_weak(f16::NAN, f16::ONE, Relaxed, Relaxed) {
                found[1] = nan;
                out[1] += 1;
            }
        }
        out[2] = match b[0].compare_exchange(bf16::NAN, bf16::ONE, AcqRel, Acquire) {
            Ok(_) => 1,
            Err(_) => 0,
        };
    }
}

fn outcomes_of_exchanges_compare_bits(bench: &Bench) {
    let (mut a, mut b) = (vec![f16::ZERO, f16::NAN], vec![bf16::NAN]);
    let (mut out, mut found) = (vec![0; 3], vec![f16::PI; 2]);
    launch!(bench, exchange_in_patterns(&mut a, &mut b, &mut out, &mut found), 1, 1);
    assert_eq!(out, [0, 1, 1]);
    assert_same(&found, &[f16::ZERO, f16::NAN]);
    assert_same(&a, &[f16::ZERO, f16::ONE]);
    assert_same(&b, &[bf16::ONE]);
}

#[gpu_kernel]
pub fn shared_totals(x: &[f16], out: &mut [f16]) {
    let totals = shared::<[AtomicF16; 5]>();
    let t = thread_idx().x;
    if t < 5 {
        totals[t].store(f16::ZERO, Relaxed);
    }
    sync_threads();
    if t < x.len() {
        totals[t % 5].fetch_add(x[t], Relaxed);
    }
    sync_threads();
    if t < out.len() {
        out[t] = totals[t % 5].load(Relaxed);
    }
}

fn atomics_lie_in_shared_memory(bench: &Bench) {
    let x = halves((0..60).map(|i| (i % 8) as f32 * 0.25));
    let mut out = vec![f16::NAN; 5];
    launch!(bench, shared_totals(&x, &mut out), 1, 64);
    let sum = |start: usize| x.iter().skip(start).step_by(5).map(|x| x.to_f32()).sum::<f32>();
    assert_same(&out, &halves((0..5).map(sum)));
}

//! The layers: functions of traced arrays whose gradients are written here, because what they keep is of type `T`, and their kernels do more than one
//! operation.
//!
//! Each takes `x`, a row of `f32` for each token of all sequences, one after the other, and begins with the norm of the rows.

use gpu_runtime::Result;
use gpu_runtime::gradient::{Stored, custom_vjp_with};
use gpu_runtime::prelude::*;

use crate::kernels::attention::{Sequences, attend, attend_back};
use crate::kernels::classifier::classify_rows;
use crate::kernels::norm::{Norm, normalize};
use crate::precision::Activation;

/// Which part of `x` GELU is, as GPT-2 has it: `(1 + tanh u) / 2` with `u = √(2/π) (x + 0.044715 x³)`, which is `1 / (1 + exp(-2u))`.
#[gpu_device]
fn part_of_gelu(x: f32) -> f32 {
    1.0f32.fast_div(1.0 + (x * (-1.595_769_1 - 0.071_354_816 * (x * x))).fast_exp())
}

#[vectorize]
pub fn gelu(x: f32) -> f32 {
    x * part_of_gelu(x)
}

/// Its derivative.
#[vectorize]
pub fn slope_of_gelu(x: f32) -> f32 {
    let part = part_of_gelu(x);
    part + (part - part * part) * (x * (1.595_769_1 + 0.214_064_45 * (x * x)))
}

/// `x wᵀ + b`
fn linear<'v, T: Activation>(
    x: &'v DeviceArray<T>,
    w: DeviceView<'v, f32>,
    b: DeviceView<'v, f32>,
) -> Result<impl ArrayLike<Item = f32, Expression: 'v>> {
    Ok(T::linear(x.view(), w)?.lazy() + b)
}

/// `x` with the precision of `T`.
fn narrow<T: Activation>(x: impl ArrayLike<Item = f32>) -> Result<DeviceArray<T>> {
    x.lazy().cast::<T>().collect()
}

/// The sum over the rows: the gradient by a bias.
fn by_bias<T: Activation>(gradient: &DeviceArray<T>) -> Result<DeviceArray<f32>> {
    gradient.cast::<f32>().sum_axis(0)
}

/// Gain and bias of the norm of half a layer, and weights and biases of its two products.
pub type Half<'a> = [Stored<'a, f32>; 6];

/// `x`, and what each position takes from itself and those before it.
///
/// # Errors
///
/// As for array functions.
pub fn attention<'a, T: Activation>(
    x: &Stored<'a, f32>,
    [gain, bias, w, b, w_out, b_out]: &Half<'a>,
    sequences: Sequences,
) -> Result<Stored<'a, f32>> {
    custom_vjp_with(
        [x, gain, bias, w, b, w_out, b_out],
        move |[x, gain, bias, w, b, w_out, b_out]| {
            let norm = normalize::<T>(x, gain, bias)?;
            let qkv = narrow::<T>(linear(&norm.out, w, b)?)?;
            let attended = attend(&qkv, sequences)?;
            let y = (linear(&attended.out, w_out, b_out)?.lazy() + x).collect()?;
            Ok((y, (norm, qkv, attended)))
        },
        move |[x, gain, _, w, _, w_out, _], _, (norm, qkv, attended), gradient| {
            let of_out = narrow::<T>(gradient)?;
            let of_attended = narrow::<T>(T::product(of_out.view(), w_out)?)?;
            let of_qkv = attend_back(qkv, attended, &of_attended, sequences)?;
            let of_normed = narrow::<T>(T::product(of_qkv.view(), w)?)?;
            let (by_x, by_gain, by_bias_of_norm) = norm.back(x, gain, &of_normed, gradient)?;
            let by_w = T::by_weights(&of_qkv, &norm.out)?;
            let by_w_out = T::by_weights(&of_out, &attended.out)?;
            Ok([by_x, by_gain, by_bias_of_norm, by_w, by_bias(&of_qkv)?, by_w_out, by_bias(&of_out)?])
        },
    )
}

/// `x`, and what each position computes by itself: two products, with GELU between them.
///
/// # Errors
///
/// As for array functions.
pub fn mlp<'a, T: Activation>(x: &Stored<'a, f32>, [gain, bias, w, b, w_out, b_out]: &Half<'a>) -> Result<Stored<'a, f32>> {
    custom_vjp_with(
        [x, gain, bias, w, b, w_out, b_out],
        |[x, gain, bias, w, b, w_out, b_out]| {
            let norm = normalize::<T>(x, gain, bias)?;
            let hidden = narrow::<T>(linear(&norm.out, w, b)?)?;
            let active = narrow::<T>(gelu::map(hidden.cast::<f32>()))?;
            let y = (linear(&active, w_out, b_out)?.lazy() + x).collect()?;
            Ok((y, (norm, hidden, active)))
        },
        |[x, gain, _, w, _, w_out, _], _, (norm, hidden, active), gradient| {
            let of_out = narrow::<T>(gradient)?;
            let of_hidden = narrow::<T>(T::product(of_out.view(), w_out)?.lazy() * slope_of_gelu::map(hidden.cast::<f32>()))?;
            let of_normed = narrow::<T>(T::product(of_hidden.view(), w)?)?;
            let (by_x, by_gain, by_bias_of_norm) = norm.back(x, gain, &of_normed, gradient)?;
            let by_w = T::by_weights(&of_hidden, &norm.out)?;
            let by_w_out = T::by_weights(&of_out, active)?;
            Ok([by_x, by_gain, by_bias_of_norm, by_w, by_bias(&of_hidden)?, by_w_out, by_bias(&of_out)?])
        },
    )
}

/// The mean of −ln of the probability that each row has for its target. The scores of all tokens become their gradient in place.
///
/// # Errors
///
/// As for array functions.
pub fn classify<'a, T: Activation>(
    x: &Stored<'a, f32>,
    [gain, bias]: [&Stored<'a, f32>; 2],
    of_tokens: &Stored<'a, f32>,
    targets: &'a DeviceArray<u32>,
    vocabulary: usize,
) -> Result<Stored<'a, f32>> {
    custom_vjp_with(
        [x, gain, bias, of_tokens],
        move |[x, gain, bias, of_tokens]| {
            let norm: Norm<T> = normalize(x, gain, bias)?;
            let mut scores = narrow::<T>(T::linear(norm.out.view(), of_tokens)?)?;
            let losses = classify_rows(&mut scores, targets, vocabulary)?;
            Ok((losses.mean_axis(..)?, (norm, scores)))
        },
        |[x, gain, _, of_tokens], _, (norm, of_scores), gradient| {
            let of_normed = narrow::<T>(T::product(of_scores.view(), of_tokens)?.lazy() * gradient)?;
            let nothing = x.device().zeros(x.shape())?;
            let (by_x, by_gain, by_bias) = norm.back(x, gain, &of_normed, nothing.view())?;
            Ok([by_x, by_gain, by_bias, (T::by_weights(of_scores, &norm.out)? * gradient).collect()?])
        },
    )
}

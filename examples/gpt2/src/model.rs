//! The model: its weights, and the loss that it has for tokens.

use gpu_runtime::gradient::Stored;
use gpu_runtime::prelude::*;
use gpu_runtime::{Result, Shape};

use crate::kernels::attention::Sequences;
use crate::layers::{attention, classify, mlp};
use crate::precision::Activation;

/// The size of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    pub layers: usize,
    pub heads: usize,
    /// Elements of each position's vector.
    pub width: usize,
    /// The positions that have a vector of their own: the longest sequence.
    pub context: usize,
    /// Tokens that there are.
    pub vocabulary: usize,
    /// Rows of the matrix of tokens, a multiple of 128.
    pub rows: usize,
}

impl Config {
    /// GPT-2, 124 million weights.
    pub const GPT2: Self = Self { layers: 12, heads: 12, width: 768, context: 1024, vocabulary: 50257, rows: 50304 };

    /// All weights: the matrices of tokens and positions, those of each layer, and the last norm. Products that are added to `x` begin with smaller ones.
    pub fn tensors(&self) -> Vec<(Shape, First)> {
        let (c, residual) = (self.width, 0.02 / (2.0 * self.layers as f32).sqrt());
        let norm = [(Shape::from(c), First::All(1.0)), (Shape::from(c), First::All(0.0))];
        let linear = |outputs: usize, inputs: usize, deviation: f32| {
            [(Shape::from([outputs, inputs]), First::Normal(deviation)), (Shape::from(outputs), First::All(0.0))]
        };
        let attention = [norm, linear(3 * c, c, 0.02), linear(c, c, residual)].concat();
        let mlp = [norm, linear(4 * c, c, 0.02), linear(c, 4 * c, residual)].concat();
        let embeddings = [[self.rows, c], [self.context, c]].map(|shape| (Shape::from(shape), First::Normal(0.02)));
        [&embeddings[..], &[attention, mlp].concat().repeat(self.layers), &norm].concat()
    }

    /// The operations on floats for each token of a step: six for each weight of a product, and attention.
    pub fn flops(&self) -> f64 {
        let (c, attention) = (self.width, 6 * self.layers * self.width * self.context);
        (6 * (self.layers * 12 * c * c + self.rows * c) + attention) as f64
    }
}

/// What a tensor is before a training.
#[derive(Clone, Copy, Debug)]
pub enum First {
    /// Random numbers of this deviation.
    Normal(f32),
    All(f32),
}

/// The weights of a model.
#[derive(GraphData)]
pub struct Gpt {
    pub weights: Vec<DeviceArray<f32>>,
}

impl Gpt {
    /// Random weights, as those of GPT-2 before its training.
    ///
    /// # Errors
    ///
    /// The device has too little memory.
    pub fn random(device: &Device, config: &Config, seed: u64) -> Result<Self> {
        let mut random = device.random(seed);
        let weights = config.tensors().into_iter().map(|(shape, first)| match first {
            First::Normal(deviation) => (random.normal::<f32>(shape)? * deviation).collect(),
            First::All(number) => device.full(shape, number),
        });
        Ok(Self { weights: weights.collect::<Result<_>>()? })
    }
}

/// The mean loss of the predictions of `targets`, each the token after one of `tokens`.
///
/// # Errors
///
/// The device fails, or a shape does not fit.
pub fn loss<'a, T: Activation>(
    weights: &[Stored<'a, f32>],
    config: &Config,
    tokens: &'a DeviceArray<u32>,
    targets: &'a DeviceArray<u32>,
) -> Result<Stored<'a, f32>> {
    let [of_tokens, of_positions, layers @ .., gain, bias] = weights else { unreachable!("there are as many as `Config::shapes` says") };
    let [batch, length] = [0, 1].map(|axis| tokens.shape()[axis]);
    let sequences = Sequences { heads: config.heads, length };
    let embedded = of_tokens.take(tokens)? + of_positions.part((..length, ..))?;
    let mut x = embedded.reshape([batch * length, config.width])?;
    let (halves, _) = layers.as_chunks();
    for (i, half) in halves.iter().enumerate() {
        x = if i % 2 == 0 { attention::<T>(&x, half, sequences)? } else { mlp::<T>(&x, half)? };
    }
    classify::<T>(&x, [gain, bias], of_tokens, targets, config.vocabulary)
}

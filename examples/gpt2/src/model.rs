//! The model: its weights, and the loss that it has for tokens.

use gpu_runtime::{Result, Shape};
use gpu_runtime::gradient::Stored;
use gpu_runtime::prelude::*;

use crate::layers::{Sequences, attention, classify, mlp};
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

    /// The shapes of all weights: the matrices of tokens and positions, those of each layer, and the last norm.
    pub fn shapes(&self) -> Vec<Shape> {
        let (c, norm) = (self.width, [Shape::from(self.width); 2]);
        let linear = |outputs: usize, inputs: usize| [Shape::from([outputs, inputs]), Shape::from(outputs)];
        let layer = [norm, linear(3 * c, c), linear(c, c), norm, linear(4 * c, c), linear(c, 4 * c)].concat();
        let embeddings = [[self.rows, c], [self.context, c]].map(Shape::from);
        [&embeddings[..], &layer.repeat(self.layers), &norm].concat()
    }

    /// The operations on floats for each token of a step: six for each weight of a product, and attention.
    pub fn flops(&self) -> f64 {
        let (c, attention) = (self.width, 6 * self.layers * self.width * self.context);
        (6 * (self.layers * 12 * c * c + self.rows * c) + attention) as f64
    }
}

/// The tensors of a layer's half: gain and bias of its norm, then weights and bias of its two products.
const HALF: usize = 6;

/// The weights of a model.
#[derive(GraphData)]
pub struct Gpt {
    pub weights: Vec<DeviceArray<f32>>,
}

impl Gpt {
    /// Random weights, as those of GPT-2 before its training: normal with deviation 0.02, and those of products that are added to `x` smaller.
    ///
    /// # Errors
    ///
    /// The device has too little memory.
    pub fn random(device: &Device, config: &Config, seed: u64) -> Result<Self> {
        let mut random = device.random(seed);
        let (count, residual) = (config.shapes().len(), 0.02 / (2.0 * config.layers as f32).sqrt());
        let weights = config.shapes().into_iter().enumerate().map(|(i, shape)| {
            let (is_last_norm, place) = (i + 2 >= count, i.wrapping_sub(2) % HALF);
            match (shape.rank(), place) {
                (2, 4) if i > 1 => (random.normal::<f32>(shape)? * residual).collect(),
                (2, _) => (random.normal::<f32>(shape)? * 0.02).collect(),
                (_, 0) if !is_last_norm || i + 2 == count => device.ones(shape),
                _ => device.zeros(shape),
            }
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
    for halves in layers.chunks_exact(2 * HALF) {
        let (first, second) = halves.split_at(HALF);
        x = mlp::<T>(&attention::<T>(&x, first, sequences)?, second)?;
    }
    classify::<T>(&x, [gain, bias], of_tokens, targets, config.vocabulary)
}

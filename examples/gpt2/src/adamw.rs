//! AdamW: steps along means of the gradients, divided by the roots of means of their squares.

use gpu_runtime::Result;
use gpu_runtime::prelude::*;

/// How large the steps are.
#[derive(Clone, Copy, Debug, DeviceType)]
#[repr(C)]
pub struct Rates {
    pub rate: f32,
    /// What the means of gradients, and those of squares, keep.
    pub kept: [f32; 2],
    pub epsilon: f32,
    /// What each matrix loses of its elements, as a part of the rate.
    pub decay: f32,
}

impl Default for Rates {
    fn default() -> Self {
        Self { rate: 3e-4, kept: [0.9, 0.999], epsilon: 1e-8, decay: 0.0 }
    }
}

/// The means.
#[derive(GraphData)]
pub struct AdamW {
    means: Vec<DeviceArray<f32>>,
    squares: Vec<DeviceArray<f32>>,
    /// Which part of the zeros that they began with is left in means and in squares, on the device, so that a graph computes it.
    zeros: [DeviceArray<f32>; 2],
}

/// A step of four weights in each thread.
#[gpu_kernel]
#[allow(clippy::too_many_arguments)]
fn step_of_weights(
    gradient: &[Float4],
    zeros_of_mean: &[f32],
    zeros_of_square: &[f32],
    rates: Rates,
    weights: &mut [Float4],
    means: &mut [Float4],
    squares: &mut [Float4],
) {
    let i = grid_1d();
    if i < weights.len() && i < means.len() && i < squares.len() && i < gradient.len() {
        let (of_mean, of_square) = (1.0 / (1.0 - zeros_of_mean[0]), 1.0 / (1.0 - zeros_of_square[0]));
        let slope = gradient[i];
        let mean = means[i] * rates.kept[0] + slope * (1.0 - rates.kept[0]);
        let square = squares[i] * rates.kept[1] + slope * slope * (1.0 - rates.kept[1]);
        means[i] = mean;
        squares[i] = square;
        let corrected = square * of_square;
        let deviation = Float4::new(corrected.x.sqrt(), corrected.y.sqrt(), corrected.z.sqrt(), corrected.w.sqrt());
        let direction = mean * of_mean / (deviation + Float4::splat(rates.epsilon));
        weights[i] = weights[i] - (direction + weights[i] * rates.decay) * rates.rate;
    }
}

impl AdamW {
    /// Before the first step.
    ///
    /// # Errors
    ///
    /// The device has too little memory.
    pub fn new(weights: &[DeviceArray<f32>]) -> Result<Self> {
        let of_weights = || weights.iter().map(|weights| weights.device().zeros_like(weights)).collect::<Result<Vec<_>>>();
        let all = || weights[0].device().full(1, 1.0);
        Ok(Self { means: of_weights()?, squares: of_weights()?, zeros: [all()?, all()?] })
    }

    /// A step of all weights.
    ///
    /// # Errors
    ///
    /// As for launches; and an error if the number of a tensor's elements is not a multiple of four.
    pub fn step(&mut self, rates: Rates, weights: &mut [DeviceArray<f32>], gradients: &[DeviceArray<f32>]) -> Result<()> {
        for (zeros, kept) in self.zeros.iter_mut().zip(rates.kept) {
            *zeros *= kept;
        }
        let [of_mean, of_square] = &self.zeros;
        let means = self.means.iter_mut().zip(&mut self.squares);
        for ((weights, gradient), (mean, square)) in weights.iter_mut().zip(gradients).zip(means) {
            let decay = if weights.shape().rank() == 2 { rates.decay } else { 0.0 };
            let count = weights.len() / 4;
            let (mut weights, mut mean, mut square) = (weights.as_vectors_mut()?, mean.as_vectors_mut()?, square.as_vectors_mut()?);
            let rates = Rates { decay, ..rates };
            step_of_weights(gradient.as_vectors()?, of_mean, of_square, rates, &mut weights, &mut mean, &mut square).forall(count)?;
        }
        Ok(())
    }
}

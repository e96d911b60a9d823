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
    /// Steps that were done, on the device, so that a graph counts them.
    steps: DeviceArray<u32>,
}

#[gpu_kernel]
fn step_of_weights(gradient: &[f32], steps: &[u32], rates: Rates, weights: &mut [f32], means: &mut [f32], squares: &mut [f32]) {
    let i = grid_1d();
    if i < weights.len() && i < means.len() && i < squares.len() && i < gradient.len() {
        let n = (steps[0] + 1) as f32;
        let slope = gradient[i];
        let mean = rates.kept[0] * means[i] + (1.0 - rates.kept[0]) * slope;
        let square = rates.kept[1] * squares[i] + (1.0 - rates.kept[1]) * slope * slope;
        means[i] = mean;
        squares[i] = square;
        // The first means are those of few steps.
        let direction = mean / (1.0 - rates.kept[0].powf(n)) / ((square / (1.0 - rates.kept[1].powf(n))).sqrt() + rates.epsilon);
        weights[i] -= rates.rate * (direction + rates.decay * weights[i]);
    }
}

impl AdamW {
    /// Before the first step.
    ///
    /// # Errors
    ///
    /// The device has too little memory.
    pub fn new(weights: &[DeviceArray<f32>]) -> Result<Self> {
        let zeros = || weights.iter().map(|weights| weights.device().zeros_like(weights)).collect::<Result<Vec<_>>>();
        Ok(Self { means: zeros()?, squares: zeros()?, steps: weights[0].device().zeros(1)? })
    }

    /// A step of all weights.
    ///
    /// # Errors
    ///
    /// As for launches.
    pub fn step(&mut self, rates: Rates, weights: &mut [DeviceArray<f32>], gradients: &[DeviceArray<f32>]) -> Result<()> {
        let means = self.means.iter_mut().zip(&mut self.squares);
        for ((weights, gradient), (mean, square)) in weights.iter_mut().zip(gradients).zip(means) {
            let decay = if weights.shape().rank() == 2 { rates.decay } else { 0.0 };
            let count = weights.len();
            step_of_weights(gradient, &self.steps, Rates { decay, ..rates }, weights, mean, square).forall(count)?;
        }
        self.steps += 1;
        Ok(())
    }
}

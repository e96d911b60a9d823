//! Trains a neural network on samples that are divided among all ranks, with gradients written by hand.
//!
//! Each rank computes the gradient of its samples, and one `all_reduce` adds the gradients up. So all ranks make the same step, and have
//! the same weights: what `DistributedDataParallel` does in PyTorch.
//!
//! The network has two inputs, a layer of tanh, and one output: Σ vⱼ tanh(aⱼ x + bⱼ y + cⱼ). Its weights are (a, b, c, v) of each unit.
//!
//! ```sh
//! cargo run --release -p gpu-cluster-examples --example data_parallel -- --n 32000000
//! scripts/launch-local 4 target/release/examples/data_parallel
//! ```

use gpu_cluster_examples::{Size, measure, on_ranks};
use gpu_examples::{Arguments, Failure};
use gpu_runtime::cluster::{Communicator, Operation};
use gpu_runtime::prelude::*;

const UNITS: usize = 32;
const WEIGHTS: usize = 4 * UNITS;
const RATE: f32 = 0.05;

/// How many threads share the samples, for each weight.
const PIECES: usize = 512;

/// Sample `i`: two inputs in [-2, 2], and the value there.
#[gpu_device]
fn sample(i: usize) -> [f32; 3] {
    let x = (i % 1009) as f32 / 252.0 - 2.0;
    let y = (i % 1013) as f32 / 253.0 - 2.0;
    [x, y, x.sin() * y.cos()]
}

#[gpu_kernel]
fn fill(first: usize, samples: &mut [[f32; 3]]) {
    let i = grid_1d();
    if i < samples.len() {
        samples[i] = sample(first + i);
    }
}

/// The output of the network for each sample, without the value there.
#[gpu_kernel]
fn find_errors(samples: &[[f32; 3]], weights: &[f32], errors: &mut [f32]) {
    let i = grid_1d();
    if i < errors.len() && i < samples.len() {
        let [x, y, value] = samples[i];
        let mut output = 0.0;
        for j in 0..UNITS {
            let activation = (weights[4 * j] * x + weights[4 * j + 1] * y + weights[4 * j + 2]).tanh();
            output += weights[4 * j + 3] * activation;
        }
        errors[i] = output - value;
    }
}

/// The derivative of half the sum of the squared errors with respect to each weight, for each piece of the samples.
#[gpu_kernel]
fn find_gradients(samples: &[[f32; 3]], errors: &[f32], weights: &[f32], gradients: &mut [f32]) {
    let t = grid_1d();
    if t < gradients.len() {
        let (unit, kind) = (t % WEIGHTS / 4, t % 4);
        let (a, b, c, v) = (weights[4 * unit], weights[4 * unit + 1], weights[4 * unit + 2], weights[4 * unit + 3]);
        let mut sum = 0.0;
        for i in (t / WEIGHTS..samples.len().min(errors.len())).step_by(PIECES) {
            let [x, y, _] = samples[i];
            let activation = (a * x + b * y + c).tanh();
            let inner = v * (1.0 - activation * activation);
            let derivative = match kind {
                0 => inner * x,
                1 => inner * y,
                2 => inner,
                _ => activation,
            };
            sum += errors[i] * derivative;
        }
        gradients[t] = sum;
    }
}

/// The weights before the first step.
fn first_weights() -> Vec<f32> {
    (0..WEIGHTS).map(|i| ((i * 37 + i / 4 * 5) % 23) as f32 / 11.0 - 1.0).collect()
}

/// The samples of a rank, and the weights of all.
struct Training {
    /// The samples of all ranks.
    n: usize,
    samples: DeviceArray<[f32; 3]>,
    errors: DeviceArray<f32>,
    gradients: DeviceArray<f32>,
    weights: DeviceArray<f32>,
}

impl Training {
    fn new(ranks: &Communicator, n: usize) -> gpu_runtime::Result<Self> {
        let (own, device) = (ranks.part(n), ranks.device());
        let mut samples = device.zeros(own.len())?;
        fill(own.start, &mut samples).forall(own.len())?;
        let (errors, gradients) = (device.zeros(own.len())?, device.zeros([PIECES, WEIGHTS])?);
        Ok(Self { n, samples, errors, gradients, weights: device.to_device(&first_weights())? })
    }

    /// The gradient of half the mean squared error of all samples.
    fn gradient(&mut self, ranks: &Communicator) -> gpu_runtime::Result<DeviceArray<f32>> {
        let Self { n, samples, errors, gradients, weights } = self;
        find_errors(&*samples, &*weights, &mut *errors).forall(samples.len())?;
        find_gradients(&*samples, &*errors, &*weights, &mut *gradients).forall(PIECES * WEIGHTS)?;
        let mut gradient = gradients.sum_axis(0)?;
        ranks.all_reduce(&mut gradient, Operation::Sum)?;
        gradient /= *n as f32;
        Ok(gradient)
    }

    /// A step of gradient descent.
    fn step(&mut self, ranks: &Communicator) -> gpu_runtime::Result<()> {
        let gradient = self.gradient(ranks)?;
        self.weights -= &gradient * RATE;
        Ok(())
    }

    /// Half the mean squared error of all samples, for the weights of the last step but one.
    fn loss(&self, ranks: &Communicator) -> gpu_runtime::Result<f64> {
        let errors = self.errors.lazy().cast::<f64>();
        let mut sum = (errors * errors).sum_axis(0)?;
        ranks.all_reduce(&mut sum, Operation::Sum)?;
        Ok(sum.to_host()?[0] / self.n as f64 / 2.0)
    }
}

fn main() -> Result<(), Failure> {
    let about = "Trains a neural network on n samples, which are divided among all ranks.";
    let arguments = Arguments::parse(about, &["--n", "--steps", "--ranks"]);
    Ok(on_ranks(&arguments, |ranks| {
        let before = check(ranks)?;
        let size = Size::of(&arguments, ranks, 32_000_000, 4000, 1);
        let steps = arguments.number("--steps").unwrap_or(20);
        let run = |ranks: &Communicator, training: &mut Training| (0..steps).try_for_each(|_| training.step(ranks));
        let (training, speed) = measure(ranks, size, Training::new, run)?;
        let n = speed.n;
        let after = training.loss(ranks)?;
        assert!(after < before / 2.0, "the network learns nothing: {before}, then {after}");
        if ranks.rank() == 0 {
            println!("{steps} steps of {n} samples and {WEIGHTS} weights on {speed}; loss {before:.4}, then {after:.4}");
        }
        Ok(())
    })?)
}

/// Compares the gradient of a few samples with differences of the loss, and returns the loss.
fn check(ranks: &Communicator) -> gpu_runtime::Result<f64> {
    let n = 500;
    let mut training = Training::new(ranks, n)?;
    let gradient = training.gradient(ranks)?.to_host()?;
    let weights: Vec<f64> = first_weights().into_iter().map(f64::from).collect();
    let loss_with = |i: usize, change: f64| {
        let mut weights = weights.clone();
        weights[i] += change;
        loss(&weights, n)
    };
    for (i, found) in gradient.into_iter().enumerate() {
        let expected = (loss_with(i, 1e-4) - loss_with(i, -1e-4)) / 2e-4;
        assert!((f64::from(found) - expected).abs() < 1e-4, "derivative {i} is {found}, not {expected}");
    }
    Ok(loss(&weights, n))
}

/// Half the mean squared error of the first samples, as loops.
fn loss(weights: &[f64], n: usize) -> f64 {
    let squared_error = |i: usize| {
        let [x, y, value] = sample(i).map(f64::from);
        let output: f64 = weights.chunks_exact(4).map(|w| w[3] * (w[0] * x + w[1] * y + w[2]).tanh()).sum();
        (output - value).powi(2)
    };
    (0..n).map(squared_error).sum::<f64>() / n as f64 / 2.0
}

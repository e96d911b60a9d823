//! Logistic regression by gradient descent, with array functions alone: 100,000 points of 32 features in two classes.
//!
//! The model is P(y = 1) = 1 / (1 + exp(−x·w)). A step adds up the gradient Σ (P − y) x of the loss, the mean of −ln P of the true classes.
//! Source: Hastie, Tibshirani and Friedman, *The Elements of Statistical Learning*, 2nd edition, section 4.4.
//!
//! ```sh
//! cargo run --release --example logistic_regression -- --n 100000 --steps 40
//! ```

use gpu_examples::{Arguments, Comparison, Failure};
use gpu_runtime::prelude::*;

const FEATURES: usize = 32;
const RATE: f32 = 4.0;

/// The probability of class 1, from the score x·w.
#[vectorize]
fn probability(score: f32) -> f32 {
    1.0 / (1.0 + (-score).exp())
}

/// −ln P of the true class, without overflow.
#[vectorize]
fn loss(score: f32, class: f32) -> f32 {
    score.max(0.0) - score * class + (-score.abs()).exp().ln_1p()
}

/// The points, one in each row, and their classes, 0 or 1.
struct Data {
    points: DeviceArray<f32>,
    classes: DeviceArray<f32>,
}

impl Data {
    /// Points around 0, whose classes depend on their scores by `weights`, and on chance.
    fn around(weights: &DeviceArray<f32>, n: usize) -> gpu_runtime::Result<Self> {
        let mut random = weights.device().random(1);
        let points = random.normal::<f32>([n, FEATURES])?;
        let chance = random.uniform::<f32>(n)?;
        let scores = (&points * weights).sum_axis(1)?;
        let classes = chance.lt(probability::map(&scores)).select(1.0f32, 0.0).collect()?;
        Ok(Self { points, classes })
    }

    /// One step of gradient descent. Returns the mean loss before it.
    fn step(&self, weights: &mut DeviceArray<f32>) -> gpu_runtime::Result<f32> {
        let Self { points, classes } = self;
        let scores = (points * &*weights).sum_axis(1)?;
        let mean_loss = loss::map(&scores, classes).mean()?;
        let errors = probability::map(&scores) - classes;
        let gradient = (points * errors.insert_axis(1)).sum_axis(0)?;
        *weights -= &gradient * (RATE / classes.len() as f32);
        Ok(mean_loss)
    }
}

/// The same step as loops.
fn step_plain(points: &[f32], classes: &[f32], weights: &mut [f32; FEATURES]) -> f32 {
    let (mut gradient, mut sum) = ([0.0; FEATURES], 0.0);
    for (point, &class) in points.chunks_exact(FEATURES).zip(classes) {
        let score: f32 = point.iter().zip(&*weights).map(|(x, w)| x * w).sum();
        sum += f64::from(loss(score, class));
        let error = probability(score) - class;
        gradient.iter_mut().zip(point).for_each(|(sum, x)| *sum += f64::from(error * x));
    }
    let n = classes.len() as f64;
    weights.iter_mut().zip(gradient).for_each(|(w, sum)| *w -= RATE * (sum / n) as f32);
    (sum / n) as f32
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse("Fits a logistic regression to n points.", &["--n", "--steps"]);
    let device = arguments.device()?;
    let n = arguments.number("--n").unwrap_or(100_000);
    let steps = arguments.number("--steps").unwrap_or(40);
    println!("fitting {FEATURES} weights to {n} points in {steps} steps on {device}");

    let truth: Vec<f32> = (0..FEATURES).map(|i| (i as f32 - 15.5) / 16.0).collect();
    let data = Data::around(&device.to_device(&truth)?, n)?;
    let (points, classes) = (data.points.to_host()?, data.classes.to_host()?);

    let mut weights = device.zeros::<f32>(FEATURES)?;
    let mut plain = [0.0; FEATURES];
    // Compiles the kernels, so that compiling is not timed.
    data.step(&mut device.zeros(FEATURES)?)?;
    let mut comparison = Comparison::new("points");
    for step in 0..steps {
        let found = comparison.time(n, || data.step(&mut weights))?;
        let expected = comparison.time_plain(n, || step_plain(&points, &classes, &mut plain));
        if (found - expected).abs() > 1e-4 {
            return Err(format!("step {step}: the loss is {found}, not {expected}").into());
        }
        if step % steps.div_ceil(5) == 0 {
            println!("step {step:3}: loss {found:.5}");
        }
    }
    print!("{comparison}");

    let weights = weights.to_host()?;
    for (i, (w, expected)) in weights.iter().zip(plain).enumerate() {
        if (w - expected).abs() > 1e-3 {
            return Err(format!("weight {i} is {w}, not {expected}").into());
        }
    }
    let furthest = weights.iter().zip(&truth).map(|(w, truth)| (w - truth).abs()).fold(0.0, f32::max);
    println!("the weights are at most {furthest:.3} away from those that the classes were made with");
    Ok(())
}

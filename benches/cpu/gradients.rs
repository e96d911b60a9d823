//! Gradients of array expressions on the CPU: a logistic regression and a step of a neural network, against the same gradients written by
//! hand with array functions, and how long the values alone take.

use std::process::ExitCode;

use gpu_benches::measure::{Sample, alternate, repeat, seconds_in_a_row};
use gpu_benches::report::{Better, Figure, Report, Target};
use gpu_benches::{Result, check, cpu_benchmark};
use gpu_runtime::gradient::{constant, value_and_grad};
use gpu_runtime::prelude::*;

fn main() -> ExitCode {
    cpu_benchmark("cpu_gradients", run)
}

fn run(report: &mut Report) -> Result<()> {
    logistic_regression(report)?;
    network(report)
}

fn logistic_regression(report: &mut Report) -> Result<()> {
    let device = Device::cpu();
    let mut random = device.random(1);
    let points = random.normal::<f32>([100_000, 32])?;
    let signs = random.uniform::<f32>(100_000)?.lt(0.5).select(1.0f32, -1.0).collect()?;
    let weights = (random.normal::<f32>(32)? * 0.1).collect()?;
    let (mut ours, mut by_hand) = (None, None);
    let times = alternate(
        || {
            seconds_in_a_row(|| {
                ours = Some(value_and_grad(&weights, |w| (-(&signs * constant(&points).matmul(w)?)).softplus().mean())?);
                Ok(())
            })
        },
        || {
            seconds_in_a_row(|| {
                let margins = (&signs * points.matmul(&weights)?).collect()?;
                let loss = (-&margins).softplus().mean()?;
                let slopes = (-(&signs * (-&margins).sigmoid()) / 100_000.0).collect()?;
                by_hand = Some((loss, slopes.matmul(&points)?));
                Ok(())
            })
        },
    )?;
    let value = repeat(|| {
        seconds_in_a_row(|| {
            (-(&signs * points.matmul(&weights)?)).softplus().mean()?;
            Ok(())
        })
    })?;
    let ((loss, gradient), (expected, by_weights)) = (ours.expect("it ran"), by_hand.expect("it ran"));
    check((loss - expected).abs() < 1e-5 && (gradient - &by_weights).abs().max()? < 1e-5, "the gradient of a regression")?;
    add(report, "logistic regression, 100,000 × 32", times, value);
    Ok(())
}

fn network(report: &mut Report) -> Result<()> {
    let device = Device::cpu();
    let mut random = device.random(1);
    let (x, labels) = (random.normal::<f32>([256, 784])?, (iota(256) % 10).cast::<u32>().on(&device).collect()?);
    let (w1, w2) = ((random.normal::<f32>([784, 256])? * 0.05).collect()?, (random.normal::<f32>([256, 10])? * 0.1).collect()?);
    let (b1, b2) = (random.normal::<f32>(256)?, random.normal::<f32>(10)?);
    let (mut ours, mut by_hand) = (None, None);
    let times = alternate(
        || {
            seconds_in_a_row(|| {
                ours = Some(value_and_grad((&w1, &b1, &w2, &b2), |(w1, b1, w2, b2)| {
                    let hidden = (constant(&x).matmul(w1)? + b1).relu();
                    (hidden.matmul(w2)? + b2).cross_entropy(&labels)
                })?);
                Ok(())
            })
        },
        || {
            seconds_in_a_row(|| {
                let hidden = (x.matmul(&w1)? + &b1).relu().collect()?;
                let scores = (hidden.matmul(&w2)? + &b2).collect()?;
                let loss = scores.cross_entropy(&labels)?;
                let by_scores = ((scores.softmax(1)? - labels.one_hot::<f32>(10)?) / 256.0).collect()?;
                let by_hidden = (by_scores.matmul(w2.t())? * hidden.gt(0.0).select(1.0f32, 0.0)).collect()?;
                let gradients = (x.t().matmul(&by_hidden)?, by_hidden.sum_axis(0)?, hidden.t().matmul(&by_scores)?, by_scores.sum_axis(0)?);
                by_hand = Some((loss, gradients));
                Ok(())
            })
        },
    )?;
    let value = repeat(|| {
        seconds_in_a_row(|| {
            let hidden = (x.matmul(&w1)? + &b1).relu().collect()?;
            (hidden.matmul(&w2)? + &b2).cross_entropy(&labels)?;
            Ok(())
        })
    })?;
    let ((loss, found), (expected, gradients)) = (ours.expect("it ran"), by_hand.expect("it ran"));
    let furthest = (found.0 - &gradients.0).abs().max()?.max((found.2 - &gradients.2).abs().max()?);
    check((loss - expected).abs() < 1e-4 && furthest < 1e-4, "the gradient of a network")?;
    add(report, "network of 784, 256 and 10, 256 rows", times, value);
    Ok(())
}

/// The gradient against that by hand, and against the value alone.
fn add(report: &mut Report, case: &str, (ours, by_hand): (Sample, Sample), value: Sample) {
    let ms = |seconds: f64| seconds * 1e3;
    for (name, sample, target) in [("gradient by hand", by_hand, Some(Target::Ratio(1.1))), ("value alone", value, None)] {
        report.add(Figure {
            case: format!("{case}, {name}"),
            unit: "ms",
            better: Better::Less,
            ours: ours.map(ms),
            reference: (name, sample.map(ms)),
            limit: None,
            target,
        });
    }
}

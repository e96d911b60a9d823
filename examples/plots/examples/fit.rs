//! A curve fitted to noisy samples by gradient descent, and drawn.
//!
//! The curve is a decaying oscillation, h exp(−d t) cos(f t). A step goes against the gradient, by h, d and f, of the mean of the squared
//! errors: `value_and_grad` computes it in one kernel for each of them.
//!
//! ```sh
//! cargo run --release -p plots --example fit -- --n 100000 --steps 200
//! ```

mod plotting;

use gpu_examples::{Arguments, Comparison, Failure};
use gpu_runtime::gradient::value_and_grad;
use gpu_runtime::prelude::*;
use plotters::prelude::*;
use plotting::{BLUE, GREEN, Labels, ORANGE};

/// Seconds between the first sample and the last one.
const DURATION: f64 = 8.0;
const RATE: f64 = 0.3;
/// Height, decay and frequency: of the samples, and where the descent begins.
const TRUE: [f64; 3] = [2.0, 0.4, 3.0];
const START: [f64; 3] = [1.0, 0.1, 2.6];
/// Samples in the plot.
const DRAWN: usize = 250;

#[vectorize(grad)]
fn curve(t: f64, height: f64, decay: f64, frequency: f64) -> f64 {
    height * (-decay * t).exp() * (frequency * t).cos()
}

/// One step of gradient descent. Returns the mean of the squared errors before it.
fn step(t: &DeviceArray<f64>, samples: &DeviceArray<f64>, parameters: &mut [DeviceArray<f64>]) -> gpu_runtime::Result<f64> {
    let (error, gradient) = value_and_grad(&*parameters, |p| (curve::traced(t, &p[0], &p[1], &p[2]) - samples).square().mean())?;
    for (parameter, slope) in parameters.iter_mut().zip(&gradient) {
        *parameter -= slope * RATE;
    }
    Ok(error)
}

/// The same step as a loop, with the derivatives by hand.
fn step_plain(t: &[f64], samples: &[f64], parameters: &mut [f64; 3]) {
    let [height, decay, frequency] = *parameters;
    let mut gradient = [0.0; 3];
    for (t, sample) in t.iter().zip(samples) {
        let (envelope, (sin, cos)) = ((-decay * t).exp(), (frequency * t).sin_cos());
        let error = height * envelope * cos - sample;
        gradient[0] += 2.0 * error * envelope * cos;
        gradient[1] -= 2.0 * error * t * height * envelope * cos;
        gradient[2] -= 2.0 * error * t * height * envelope * sin;
    }
    parameters.iter_mut().zip(gradient).for_each(|(parameter, slope)| *parameter -= RATE * slope / t.len() as f64);
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse("Fits a curve to n samples in that many steps, and draws it into fit.svg.", &["--n", "--steps"]);
    let device = arguments.device()?;
    let n = arguments.number("--n").unwrap_or(100_000);
    let steps = arguments.number("--steps").unwrap_or(200);
    if n == 0 || steps == 0 {
        return Err("a fit needs samples and steps".into());
    }
    println!("fitting a curve to {n} samples in {steps} steps on {device}");

    let t = (iota(n).on(&device).cast::<f64>() * (DURATION / n as f64)).collect()?;
    let noise = device.random(1).normal::<f64>(n)? * 0.2;
    let samples = (curve::map(&t, TRUE[0], TRUE[1], TRUE[2]) + noise).collect()?;
    let (host_t, host) = (t.to_host()?, samples.to_host()?);
    let start = || START.iter().map(|&parameter| device.to_device(&[parameter])).collect::<gpu_runtime::Result<Vec<_>>>();
    // Compiles the kernels, so that this is not timed.
    step(&t, &samples, &mut start()?)?;
    let mut comparison = Comparison::new("samples");
    let (mut parameters, mut expected, mut errors) = (start()?, START, Vec::new());
    let found = comparison.time(n * steps, || {
        for _ in 0..steps {
            errors.push(step(&t, &samples, &mut parameters)?);
        }
        parameters.iter().map(|parameter| Ok(parameter.to_host()?[0])).collect::<gpu_runtime::Result<Vec<f64>>>()
    })?;
    comparison.time_plain(n * steps, || (0..steps).for_each(|_| step_plain(&host_t, &host, &mut expected)));
    print!("{comparison}");
    println!("height {:.3}, decay {:.3}, frequency {:.3}; the samples are of {TRUE:?}", found[0], found[1], found[2]);
    for (found, expected) in found.iter().zip(expected) {
        if (found - expected).abs() > 1e-9 {
            return Err(format!("the fit is {found}, and with derivatives by hand it is {expected}").into());
        }
    }
    draw(&host_t, &host, &found, &errors)
}

fn draw(t: &[f64], samples: &[f64], fitted: &[f64], errors: &[f64]) -> Result<(), Failure> {
    let line = |p: &[f64]| -> Vec<(f64, f64)> {
        (0..=400).map(|i| DURATION * f64::from(i) / 400.0).map(|t| (t, curve(t, p[0], p[1], p[2]))).collect()
    };
    let of_curve =
        Labels { title: "Samples, the first curve and the fit".to_owned(), x: ("seconds", [0.0, DURATION]), y: ("value", [-2.5, 2.5]) };
    let highest = errors.iter().copied().fold(0.0, f64::max);
    let of_errors =
        Labels { title: "Mean squared error".to_owned(), x: ("step", [0.0, errors.len() as f64]), y: ("error", [0.0, 1.1 * highest]) };
    plotting::write(
        "fit.svg",
        [
            (of_curve, &|chart| {
                let points = t.iter().zip(samples).step_by(samples.len().div_ceil(DRAWN));
                chart.draw_series(points.map(|(&t, &y)| Circle::new((t, y), 2, GREEN.mix(0.5).filled())))?;
                chart.draw_series(LineSeries::new(line(&START), ORANGE.stroke_width(2)))?;
                chart.draw_series(LineSeries::new(line(fitted), BLUE.stroke_width(2)))?;
                Ok(())
            }),
            (of_errors, &|chart| {
                let points = errors.iter().enumerate().map(|(step, &error)| (step as f64, error));
                chart.draw_series(LineSeries::new(points, BLUE.stroke_width(2)))?;
                Ok(())
            }),
        ],
    )
}

//! The power spectrum of a noisy signal by Welch's method: the mean over windowed parts of the squared magnitudes of their transforms.
//!
//! Source: Welch, *The use of fast Fourier transform for the estimation of power spectra*, IEEE Transactions on Audio and Electroacoustics
//! 15, 1967.
//!
//! ```sh
//! cargo run --release -p plots --example fft_spectrum -- --parts 256 --rounds 5
//! ```

mod plotting;

use std::f64::consts::TAU;

use gpu_examples::{Arguments, Comparison, Failure};
use gpu_runtime::prelude::*;
use plotters::prelude::*;
use plotting::{BLUE, Labels, ORANGE};

/// Samples in a second.
const RATE: f64 = 8000.0;
/// Samples of a part. Parts overlap by half.
const LEN: usize = 1024;
const STEP: usize = LEN / 2;
/// The frequencies of the tones in Hz, and their amplitudes. The noise has a standard deviation of 1.
const TONES: [f64; 3] = [440.0, 1320.0, 2850.0];
const AMPLITUDES: [f64; 3] = [1.0, 0.5, 0.2];

/// The tones and noise.
#[vectorize]
fn sample(index: usize, noise: f64) -> f64 {
    let mut sum = noise;
    for tone in 0..TONES.len() {
        sum += AMPLITUDES[tone] * (TAU * TONES[tone] * index as f64 / RATE).sin();
    }
    sum
}

/// Hann's window: 0 at both ends of a part, 1 in the middle.
#[vectorize]
fn hann(index: usize) -> f64 {
    0.5 - 0.5 * (TAU * index as f64 / LEN as f64).cos()
}

/// The power at each frequency, from 0 to half the rate.
fn spectrum(signal: &DeviceArray<f64>) -> gpu_runtime::Result<DeviceArray<f64>> {
    let halves = signal.shape()[0] / STEP;
    let halves = signal.view().reshape([halves, STEP])?;
    let parts = concatenate([halves.slice_axis(0, ..halves.shape()[0] - 1), halves.slice_axis(0, 1..)], 1)?;
    let transforms = (&parts * hann::map(iota(LEN))).rfft()?;
    (transforms.norm_sqr() / LEN as f64).mean_axis(0)
}

/// The same as sums over all samples for each frequency.
fn spectrum_plain(signal: &[f64]) -> Vec<f64> {
    let window: Vec<f64> = (0..LEN).map(hann).collect();
    let turn: Vec<(f64, f64)> = (0..LEN).map(|i| (TAU * i as f64 / LEN as f64).sin_cos()).collect();
    let parts = || (0..=signal.len() - LEN).step_by(STEP).map(|first| &signal[first..][..LEN]);
    let power_at = |frequency: usize| -> f64 {
        let power = |part: &[f64]| {
            let (mut re, mut im) = (0.0, 0.0);
            for (i, (x, w)) in part.iter().zip(&window).enumerate() {
                let (sin, cos) = turn[i * frequency % LEN];
                re += x * w * cos;
                im -= x * w * sin;
            }
            (re * re + im * im) / LEN as f64
        };
        parts().map(power).sum::<f64>() / parts().count() as f64
    };
    (0..=LEN / 2).map(power_at).collect()
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse("Draws the power spectrum of a noisy signal into fft_spectrum.svg.", &["--parts", "--rounds"]);
    let device = arguments.device()?;
    let parts = arguments.number("--parts").unwrap_or(256);
    let rounds = arguments.number("--rounds").unwrap_or(5);
    if parts < 8 {
        return Err("noise hides the tones in the mean of so few parts: `--parts` must be at least 8".into());
    }
    let n = (parts + 1) * STEP;
    println!("transforming {parts} parts of {LEN} samples on {device}");

    let noise = device.random(1).normal::<f64>(n)?;
    let signal = sample::map(iota(n), &noise).collect()?;
    let host = signal.to_host()?;
    // Compiles the kernels and loads the library, so that neither is timed.
    spectrum(&signal)?.to_host()?;
    let mut comparison = Comparison::new("samples");
    let (mut found, mut expected) = Default::default();
    for _ in 0..rounds {
        found = comparison.time(n, || spectrum(&signal)?.to_host())?;
        expected = comparison.time_plain(n, || spectrum_plain(&host));
    }
    print!("{comparison}");

    for (k, (found, expected)) in found.iter().zip(&expected).enumerate() {
        if (found - expected).abs() > 1e-9 * expected.max(1.0) {
            return Err(format!("the power at frequency {k} is {found}, not {expected}").into());
        }
    }
    let frequency = |k: usize| k as f64 * RATE / LEN as f64;
    let decibels: Vec<f64> = found.iter().map(|power| 10.0 * power.log10()).collect();
    // A peak is louder than all other frequencies near it. The tones are the highest ones.
    let is_peak = |&k: &usize| (k - 8..k + 9).all(|near| decibels[near] <= decibels[k]);
    let mut peaks: Vec<usize> = (8..found.len() - 8).filter(is_peak).collect();
    peaks.sort_by(|&j, &k| decibels[k].total_cmp(&decibels[j]));
    peaks.truncate(TONES.len());
    peaks.sort_unstable();
    for &k in &peaks {
        println!("a tone near {:.0} Hz: {:.1} dB", frequency(k), decibels[k]);
    }
    if peaks.len() != TONES.len() || peaks.iter().zip(TONES).any(|(&k, tone)| (frequency(k) - tone).abs() > RATE / LEN as f64) {
        return Err(
            format!("the peaks are at {:?} Hz, not at those of {TONES:?}", peaks.into_iter().map(frequency).collect::<Vec<_>>()).into()
        );
    }
    draw(&host, &decibels)
}

fn draw(signal: &[f64], decibels: &[f64]) -> Result<(), Failure> {
    let of_signal = Labels { title: "Signal".to_owned(), x: ("ms", [0.0, 1e3 * STEP as f64 / RATE]), y: ("amplitude", [-5.0, 5.0]) };
    let of_spectrum = Labels { title: "Power spectrum".to_owned(), x: ("Hz", [0.0, RATE / 2.0]), y: ("dB", [-10.0, 25.0]) };
    plotting::write(
        "fft_spectrum.svg",
        [
            (of_signal, &|chart| {
                let points = signal[..STEP].iter().enumerate().map(|(i, x)| (1e3 * i as f64 / RATE, *x));
                chart.draw_series(LineSeries::new(points, BLUE))?;
                Ok(())
            }),
            (of_spectrum, &|chart| {
                for tone in TONES {
                    chart.draw_series(LineSeries::new([(tone, -10.0), (tone, 25.0)], ORANGE.mix(0.6)))?;
                }
                let points = decibels.iter().enumerate().map(|(k, power)| (k as f64 * RATE / LEN as f64, *power));
                chart.draw_series(LineSeries::new(points, BLUE.stroke_width(2)))?;
                Ok(())
            }),
        ],
    )
}

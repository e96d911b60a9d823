//! A small model beside one in plain Rust, without files.

mod plain;

use gpt2::adamw::Rates;
use gpt2::model::loss;
use gpt2::tokens::Tokens;
use gpt2::training::Batch;
use gpt2::{Activation, Config, Gpt, Training, checkpoint};
use gpu_runtime::Result;
use gpu_runtime::cluster::{Communicator, on_devices};
use gpu_runtime::gradient::{value_and_grad, variable};
use gpu_runtime::prelude::*;
use half::bf16;

const SMALL: Config = Config { layers: 2, heads: 2, width: 32, context: 128, vocabulary: 90, rows: 128 };

/// Tokens of a step.
const LENGTH: usize = 64;

/// A text that is not random: each token follows from the two before it.
fn text(count: usize) -> Vec<u32> {
    let mut text = vec![1, 2];
    while text.len() < count {
        let [.., a, b] = text[..] else { unreachable!() };
        text.push((3 * a + b + 7) % SMALL.vocabulary as u32);
    }
    text
}

/// A model whose weights are larger than those before a training, so that each tensor has a gradient.
fn model(device: &Device) -> Result<Gpt> {
    let mut model = Gpt::random(device, &SMALL, 1)?;
    let mut random = device.random(2);
    for weights in &mut model.weights {
        let added = random.normal::<f32>(weights.shape())?;
        *weights += &(added * 0.15).collect()?;
    }
    Ok(model)
}

fn batch(device: &Device, sequences: usize) -> Result<Batch> {
    let mut batch = Batch::new(device, sequences, SMALL.context)?;
    batch.set(&text(sequences * SMALL.context + 1))?;
    Ok(batch)
}

/// The largest difference between a derivative of the loss along a direction, one for each tensor, and that of plain Rust, as a part of the latter.
fn largest_error<T: Activation>(device: &Device) -> Result<f64> {
    let (model, batch, text) = (model(device)?, batch(device, 2)?, text(2 * SMALL.context + 1));
    let (value, gradients) = value_and_grad(&model.weights[..], |weights| loss::<T>(&weights, &SMALL, &batch.tokens, &batch.targets))?;
    let weights = model.weights.iter().map(|weights| Ok(weights.to_host()?.into_iter().map(f64::from).collect()));
    let mut weights: Vec<Vec<f64>> = weights.collect::<Result<_>>()?;
    let of_plain = |weights: &[Vec<f64>]| plain::loss(weights, &SMALL, &text[..text.len() - 1], &text[1..], SMALL.context);
    let mut largest = (f64::from(value) / of_plain(&weights) - 1.0).abs();
    for (i, gradient) in gradients.iter().enumerate() {
        // Along the gradient itself, no part of it can hide behind another.
        let gradient: Vec<f64> = gradient.to_host()?.into_iter().map(f64::from).collect();
        let length = gradient.iter().map(|x| x * x).sum::<f64>().sqrt();
        let mut moved = |by: f64| {
            weights[i].iter_mut().zip(&gradient).for_each(|(weight, slope)| *weight += by * slope / length);
            let loss = of_plain(&weights);
            weights[i].iter_mut().zip(&gradient).for_each(|(weight, slope)| *weight -= by * slope / length);
            loss
        };
        let difference = (moved(1e-4) - moved(-1e-4)) / 2e-4;
        largest = largest.max((length / difference - 1.0).abs());
    }
    Ok(largest)
}

#[test]
fn loss_and_gradients_are_those_of_plain_rust() -> Result<()> {
    let (of_tf32, of_bf16) = (largest_error::<f32>(&Device::cpu())?, largest_error::<bf16>(&Device::cpu())?);
    assert!(of_tf32 < 2e-3 && of_bf16 < 2e-2, "{of_tf32}, {of_bf16}");
    Ok(())
}

/// Those of some steps, with so many sequences for each rank.
fn losses<T: Activation>(ranks: &Communicator, sequences: usize, steps: usize) -> Result<Vec<f32>> {
    let mut tokens = Tokens::new(text(2048));
    let count = sequences * LENGTH;
    let mut training = Training::new(ranks, Gpt::random(ranks.device(), &SMALL, 1)?)?;
    let (rates, mut batch) = (Rates { rate: 3e-3, ..Rates::default() }, Batch::new(ranks.device(), sequences, LENGTH)?);
    let loss_of_step = |_| {
        batch.set(&tokens.batch(count * ranks.size())[ranks.rank() * count..])?;
        training.step::<T>(ranks, &SMALL, rates, &batch)?;
        Ok(training.loss.to_host()?[0])
    };
    (0..steps).map(loss_of_step).collect()
}

fn falls<T: Activation>(device: &Device) -> Result<()> {
    let losses = losses::<T>(&Communicator::alone(device), 1, 30)?;
    let of_guesses = (SMALL.vocabulary as f32).ln();
    assert!((losses[0] - of_guesses).abs() < 0.2 && losses[29] < 0.9 * losses[0], "{losses:?}");
    Ok(())
}

#[test]
fn the_loss_falls_in_thirty_steps() -> Result<()> {
    falls::<f32>(&Device::cpu())?;
    falls::<bf16>(&Device::cpu())
}

/// Within the rounding of sums in another order.
#[test]
fn two_ranks_train_as_one_with_the_sequences_of_both() -> Result<()> {
    let alone = losses::<f32>(&Communicator::alone(&Device::cpu()), 2, 4)?;
    for losses in on_devices(&[Device::cpu(), Device::cpu()], |ranks| losses::<f32>(ranks, 1, 4))? {
        let largest = losses.iter().zip(&alone).map(|(one, other)| (one / other - 1.0).abs()).fold(0.0, f32::max);
        assert!(largest < 1e-5, "{losses:?} are not {alone:?}");
    }
    Ok(())
}

#[test]
fn a_model_is_read_as_it_was_written() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let (device, path) = (Device::cpu(), std::env::temp_dir().join(format!("gpt2-{}.bin", std::process::id())));
    let model = model(&device)?;
    checkpoint::write(&SMALL, &model, &path)?;
    let read = checkpoint::read(&device, &path);
    std::fs::remove_file(&path)?;
    let (config, read) = read?;
    assert_eq!(config, SMALL);
    for (read, written) in read.weights.iter().zip(&model.weights) {
        assert_eq!((read.shape(), read.to_host()?), (written.shape(), written.to_host()?));
    }
    let batch = batch(&device, 1)?;
    let loss = loss::<f32>(&variable(&read.weights[..]), &config, &batch.tokens, &batch.targets)?;
    assert!(loss.value()?.to_host()?[0].is_finite());
    Ok(())
}

/// Also where the exponential in it has no finite value.
#[test]
fn the_slope_of_gelu_is_finite() -> Result<()> {
    for (x, slope) in [(-100.0, 0.0), (-12.0, 0.0), (-9.0, 0.0), (0.0, 0.5), (12.0, 1.0), (100.0, 1.0)] {
        let found = gpt2::layers::slope_of_gelu::map(&Device::cpu().to_device(&[x])?).to_host()?[0];
        assert!((found - slope).abs() < 1e-6, "at {x}: {found}");
    }
    Ok(())
}

//! A small GPT that learns to write like this book, character by character: one gradient of the whole model a step. Its loss is drawn.
//!
//! ```sh
//! cargo run --release -p plots --example train_gpt -- --steps 1000
//! ```

mod plotting;

use std::collections::BTreeSet;
use std::time::Instant;

use gpu_examples::{Arguments, Failure};
use gpu_runtime::Result;
use gpu_runtime::gradient::{Stored, select, value_and_grad, variable};
use gpu_runtime::prelude::*;
use plotters::prelude::*;
use plotting::{BLUE, Labels};

/// What it learns from.
const TEXT: &str = concat!(
    include_str!("../../../docs/src/tutorial/first-kernel.md"),
    include_str!("../../../docs/src/tutorial/threads.md"),
    include_str!("../../../docs/src/tutorial/failures.md"),
    include_str!("../../../docs/src/tutorial/arrays.md"),
    include_str!("../../../docs/src/tutorial/array-functions.md"),
    include_str!("../../../docs/src/tutorial/reductions.md"),
    include_str!("../../../docs/src/tutorial/streams.md"),
);
/// Characters from which the next one is predicted, and sequences in a step.
const CONTEXT: usize = 64;
const BATCH: usize = 16;
const LAYERS: usize = 4;
const WIDTH: usize = 64;
const HEADS: usize = 4;
const RATE: f32 = 2e-3;

/// The weights of all layers: characters and positions, six matrices a layer, and the scores of characters.
fn first_weights(device: &Device, characters: usize) -> Result<Vec<DeviceArray<f32>>> {
    let layer = [[WIDTH; 2], [WIDTH; 2], [WIDTH; 2], [WIDTH; 2], [WIDTH, 4 * WIDTH], [4 * WIDTH, WIDTH]];
    let shapes =
        [[characters, WIDTH], [CONTEXT, WIDTH]].into_iter().chain([layer; LAYERS].into_iter().flatten()).chain([[WIDTH, characters]]);
    let mut random = device.random(1);
    shapes.map(|shape| (random.normal::<f32>(shape)? * 0.05).collect()).collect()
}

/// For each character of some sequences of [`CONTEXT`], the scores of the next one.
fn scores<'a>(weights: &[Stored<'a, f32>], characters: &'a DeviceArray<u32>) -> Result<Stored<'a, f32>> {
    let [of_characters, of_positions, layers @ .., head] = weights else { unreachable!("there are as many as `first_weights` makes") };
    let sequences = characters.len() / CONTEXT;
    let embedded = of_characters.take(characters)?.reshape([sequences, CONTEXT, WIDTH])? + of_positions;
    let mut x = embedded.reshape([sequences * CONTEXT, WIDTH])?;
    for layer in layers.chunks(6) {
        x = transformed(&x, layer)?;
    }
    x.layer_norm(1, 1e-5)?.matmul(head)
}

/// One layer: each character looks at those before it, and is then changed by itself.
fn transformed<'a>(x: &Stored<'a, f32>, layer: &[Stored<'a, f32>]) -> Result<Stored<'a, f32>> {
    let [of_queries, of_keys, of_values, of_mixed, wider, narrower] = layer else { unreachable!("a layer has six matrices") };
    let (size, sequences) = (WIDTH / HEADS, x.shape()?[0] / CONTEXT);
    let y = x.layer_norm(1, 1e-5)?.keep()?;
    let heads = |of: &Stored<'a, f32>| y.matmul(of)?.reshape([sequences, CONTEXT, HEADS, size])?.permute([0, 2, 1, 3]);
    let (queries, keys, values) = (heads(of_queries)?, heads(of_keys)?, heads(of_values)?);
    let products = queries.matmul(keys.permute([0, 1, 3, 2])?)? * (1.0 / (size as f32).sqrt());
    let is_seen = iota(CONTEXT).le(iota([CONTEXT, 1]));
    let mixed = select(is_seen, products, f32::NEG_INFINITY).softmax(3)?.matmul(&values)?;
    let mixed = mixed.permute([0, 2, 1, 3])?.reshape([sequences * CONTEXT, WIDTH])?;
    let x = (x + mixed.matmul(of_mixed)?).keep()?;
    let changed = x.layer_norm(1, 1e-5)?.matmul(wider)?.gelu().matmul(narrower)?;
    (x + changed).keep()
}

/// Adam: steps along means of the gradients, divided by the roots of means of their squares.
struct Adam {
    means: Vec<DeviceArray<f32>>,
    squares: Vec<DeviceArray<f32>>,
    steps: i32,
}

impl Adam {
    fn new(weights: &[DeviceArray<f32>]) -> Result<Self> {
        let zeros = || weights.iter().map(|weights| weights.device().zeros_like(weights)).collect::<Result<Vec<_>>>();
        Ok(Self { means: zeros()?, squares: zeros()?, steps: 0 })
    }

    fn step(&mut self, weights: &mut [DeviceArray<f32>], gradients: &[DeviceArray<f32>]) {
        self.steps += 1;
        let [of_mean, of_square] = [0.9f32, 0.99].map(|kept| 1.0 - kept.powi(self.steps));
        let means = self.means.iter_mut().zip(&mut self.squares);
        for ((weights, gradient), (mean, square)) in weights.iter_mut().zip(gradients).zip(means) {
            *mean *= 0.9;
            *mean += gradient * 0.1;
            *square *= 0.99;
            *square += gradient.square() * 0.01;
            *weights -= &*mean * (RATE / of_mean) / ((&*square / of_square).sqrt() + 1e-8);
        }
    }
}

/// Random numbers on the host: xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end
    }

    /// A number of a weight, each as often as the weight says.
    fn choose(&mut self, weights: &[f32]) -> usize {
        let mut rest = self.below(1 << 24) as f32 / (1 << 24) as f32 * weights.iter().sum::<f32>();
        let found = weights.iter().position(|weight| {
            rest -= weight;
            rest < 0.0
        });
        found.unwrap_or(0)
    }
}

fn main() -> std::result::Result<(), Failure> {
    let about = "Trains a GPT on the book's text in that many steps, writes that many characters, and draws the loss into train_gpt.svg.";
    let arguments = Arguments::parse(about, &["--steps", "--characters"]);
    let device = arguments.device()?;
    let steps = arguments.number("--steps").unwrap_or(1000).max(1);
    let characters: Vec<char> = TEXT.chars().collect::<BTreeSet<char>>().into_iter().collect();
    let text: Vec<u32> = TEXT.chars().map(|c| characters.binary_search(&c).expect("it is in the text") as u32).collect();
    let mut weights = first_weights(&device, characters.len())?;
    let count: usize = weights.iter().map(DeviceArray::len).sum();
    println!("learning {} characters by {count} weights in {steps} steps on {device}", text.len());

    let (mut adam, mut random, mut losses) = (Adam::new(&weights)?, Random(1), Vec::new());
    let start = Instant::now();
    for step in 0..steps {
        let starts: Vec<usize> = (0..BATCH).map(|_| random.below(text.len() - CONTEXT)).collect();
        let sequences = |shift: usize| -> Vec<u32> { starts.iter().flat_map(|&start| text[start + shift..][..CONTEXT].to_vec()).collect() };
        let (input, next) = (device.to_device(&sequences(0))?, device.to_device(&sequences(1))?);
        let (loss, gradients) = value_and_grad(&weights[..], |weights| scores(&weights, &input)?.cross_entropy(&next))?;
        adam.step(&mut weights, &gradients);
        losses.push(f64::from(loss));
        if step % 100 == 0 || step + 1 == steps {
            println!("step {step}: loss {loss:.3}");
        }
    }
    println!("{:.1} ms a step", start.elapsed().as_secs_f64() * 1e3 / steps as f64);
    let written = write(&device, &weights, &text[..CONTEXT], arguments.number("--characters").unwrap_or(200), &mut random)?;
    println!("it writes: {}", written.into_iter().map(|c| characters[c as usize]).collect::<String>());
    let first = (characters.len() as f64).ln();
    if !losses.last().is_some_and(|loss| loss.is_finite() && *loss < first) {
        return Err(format!("the loss is {:?}, and that of any guess is {first}", losses.last()).into());
    }
    draw(&losses)
}

/// So many characters that follow `start`.
fn write(device: &Device, weights: &[DeviceArray<f32>], start: &[u32], count: usize, random: &mut Random) -> Result<Vec<u32>> {
    let mut text = start.to_vec();
    for _ in 0..count {
        let last = device.to_device(&text[text.len() - CONTEXT..])?;
        let chances = scores(&variable(weights), &last)?.value()?.softmax(1)?;
        text.push(random.choose(&chances.row(CONTEXT - 1).to_host()?) as u32);
    }
    Ok(text[CONTEXT..].to_vec())
}

fn draw(losses: &[f64]) -> std::result::Result<(), Failure> {
    let highest = losses.iter().copied().fold(0.0, f64::max);
    let labels = Labels {
        title: "Loss of a small GPT".to_owned(),
        x: ("step", [0.0, losses.len() as f64]),
        y: ("nats a character", [0.0, highest]),
    };
    plotting::write(
        "train_gpt.svg",
        [(labels, &|chart| {
            let points = losses.iter().enumerate().map(|(step, &loss)| (step as f64, loss));
            chart.draw_series(LineSeries::new(points, BLUE.stroke_width(2)))?;
            Ok(())
        })],
    )
}

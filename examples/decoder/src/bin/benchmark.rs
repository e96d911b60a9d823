//! The time of a token, beside the time in which the memory delivers the bytes that a token reads, and the time of as many kernels that do nothing.

use std::time::{Duration, Instant};

use decoder::Decoder;
use decoder::gguf::Gguf;
use decoder::model::Model;
use gpu_examples::{Arguments, Failure};
use gpu_runtime::prelude::*;

fn main() -> Result<(), Failure> {
    let about = "Measures the time of a token. The model is $DECODER_MODEL.";
    let arguments = Arguments::parse(about, &["--tokens", "--rounds", "--start"]);
    let device = arguments.device()?;
    let on_cpu = !device.is_gpu();
    let tokens = arguments.number("--tokens").unwrap_or(if on_cpu { 4 } else { 64 });
    let rounds = arguments.number("--rounds").unwrap_or(if on_cpu { 1 } else { 7 });
    let start = arguments.number("--start").unwrap_or(32);
    let file = Gguf::open(std::env::var("DECODER_MODEL")?)?;
    let model = Model::load(&device, &file, start + tokens)?;
    let mut decoder = Decoder::new(&model)?;
    let prompt: Vec<u32> = (0..start as u32).map(|i| 1000 + i).collect();
    let bytes = file.tensor_bytes();
    let (megabytes, kernels) = (bytes as f64 / 1e6, model.kernels());
    let x = device.zeros::<f32>(if on_cpu { 1 << 26 } else { 1 << 29 })?;
    let mut one = device.zeros::<f32>(1)?;
    let mut chain = Graph::record(&device, (&mut one,), |(one,)| (0..kernels).try_for_each(|_| nothing(&mut *one).launch(1, 32)))?;
    let (mut prompts, mut steps, mut loops, mut reads, mut chains) = (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for round in 0..=rounds {
        decoder.rewind(0)?;
        let ((), prompt) = device.time(|| decoder.read(&prompt))?;
        let ((), step) = device.time(|| (0..tokens).try_for_each(|_| decoder.advance()))?;
        decoder.rewind(start as u32)?;
        let clock = Instant::now();
        for _ in 0..tokens {
            decoder.token()?;
            decoder.advance()?;
        }
        decoder.token()?;
        let in_loop = clock.elapsed();
        let (_, read) = device.time(|| x.sum_axis(..))?;
        let ((), empty) = device.time(|| (0..10).try_for_each(|_| chain.launch((&mut one,))))?;
        // The first round compiles.
        if round > 0 {
            prompts.push(prompt);
            steps.push(step / tokens as u32);
            loops.push(in_loop / tokens as u32);
            reads.push(read.mul_f64(bytes as f64 / (4 * x.len()) as f64));
            chains.push(empty / 10);
        }
    }
    let [prompt, step, in_loop, read, empty] = [prompts, steps, loops, reads, chains].map(median);
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    println!("{device}: medians of {rounds} rounds of {tokens} tokens, from position {start} on");
    println!("prompt of {start} tokens   {:9.1} µs", micros(prompt));
    println!("a token, on the device  {:9.1} µs, {:.0} a second", micros(step), 1.0 / step.as_secs_f64());
    println!("a token, read each time {:9.1} µs, {:.0} a second", micros(in_loop), 1.0 / in_loop.as_secs_f64());
    println!("its {megabytes:.1} MB of weights   {:9.1} µs at {:.0} GB/s", micros(read), bytes as f64 / read.as_secs_f64() / 1e9);
    println!("its {kernels} kernels, empty   {:9.1} µs", micros(empty));
    let part = |of: Duration| of.as_secs_f64() / step.as_secs_f64();
    println!("part of the memory's speed: {:.2}; of the speed of empty kernels: {:.2}", part(read), part(empty));
    Ok(())
}

#[gpu_kernel]
fn nothing(x: &mut [f32]) {
    if grid_1d() == 0 {
        x[0] += 1.0;
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

//! A pipeline: 16 chunks are uploaded, computed by two kernels and downloaded, on several streams, so that copies in both directions and
//! kernels of different chunks overlap. Nothing in the program orders them: order follows the data.
//!
//! ```sh
//! cargo run --release --example pipeline -- --n 64000000
//! ```

use std::time::Instant;

use gpu_examples::{Arguments, Failure};
use gpu_runtime::PinnedVec;
use gpu_runtime::prelude::*;

const CHUNKS: usize = 16;

#[gpu_kernel]
fn normalize(x: &[f32], scale: f32, out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] * scale;
    }
}

#[gpu_kernel]
fn smooth(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let right = if i + 1 < x.len() { x[i + 1] } else { x[i] };
        out[i] = (x[i] + right) * 0.5;
    }
}

/// Takes the chunks through the streams in turns. Only the last line waits.
fn process(streams: &[Stream], chunks: &mut [PinnedVec<f32>]) -> gpu_runtime::Result<()> {
    for (chunk, stream) in chunks.iter_mut().zip(streams.iter().cycle()) {
        let x = chunk.to(stream)?;
        let (mut scaled, mut out) = (stream.empty_like(&x)?, stream.empty_like(&x)?);
        normalize(&x, 0.5, &mut scaled).forall(x.len())?;
        smooth(&scaled, &mut out).forall(x.len())?;
        out.copy_to_pinned(chunk)?;
    }
    streams.iter().try_for_each(|stream| stream.synchronize())
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse("Takes chunks of n numbers through a device, on several streams.", &["--n"]);
    let device = arguments.device()?;
    let n = arguments.number("--n").unwrap_or(6_400_000).div_ceil(CHUNKS);
    println!("{CHUNKS} chunks of {n} f32 on {device}");

    // Page-locked memory, which the GPU reads and writes by itself. Copies in, kernels and copies out: a stream for each.
    let mut chunks = (0..CHUNKS).map(|_| device.pinned(n)).collect::<gpu_runtime::Result<Vec<_>>>()?;
    let streams = [device.stream()?, device.stream()?, device.stream()?];
    let mut run = |streams: &[Stream]| -> gpu_runtime::Result<f64> {
        chunks.iter_mut().for_each(|chunk| chunk.fill(2.0));
        let start = Instant::now();
        process(streams, &mut chunks)?;
        let seconds = start.elapsed().as_secs_f64();
        assert!(chunks.iter().all(|chunk| chunk.iter().all(|&value| value == 1.0)), "the results are wrong");
        Ok(seconds)
    };
    // The first launches compile the kernels, and the first arrays take memory from the system.
    run(&streams)?;
    let (one, several) = (run(&streams[..1])?, run(&streams)?);
    let gigabytes = (CHUNKS * n * size_of::<f32>()) as f64 * 1e-9;
    println!("one stream: {:.2} ms, {} streams: {:.2} ms", one * 1e3, streams.len(), several * 1e3);
    println!("{:.1} GB/s to the device, and as many back", gigabytes / several);
    Ok(())
}

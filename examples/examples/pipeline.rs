//! A pipeline: 16 chunks are uploaded, computed by two kernels and downloaded, each on a stream of its own, so that copies and kernels of
//! different chunks overlap. Nothing in the program orders them: order follows the data.
//!
//! ```sh
//! cargo run --release --example pipeline -- --n 16000000
//! ```

use std::time::Instant;

use gpu_examples::{Arguments, Failure};
use gpu_runtime::prelude::*;

const CHUNKS: usize = 16;
const THREADS: usize = 4;

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

/// Takes one chunk through the device, or through one of its streams.
fn process(device: &Device, chunk: &mut [f32]) -> gpu_runtime::Result<()> {
    let x = device.to_device(chunk)?;
    let (mut scaled, mut out) = (device.array_like(&x)?, device.array_like(&x)?);
    normalize(&x, 0.5, &mut scaled).forall(x.len())?;
    smooth(&scaled, &mut out).forall(x.len())?;
    out.copy_to_host(chunk)
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse("Takes chunks of n numbers through a device, on several streams.", &["--n"]);
    let device = arguments.device()?;
    let n = arguments.number("--n").unwrap_or(1_600_000);
    println!("{CHUNKS} chunks of {} f32 on {device}", n.div_ceil(CHUNKS));

    // The first launches compile the kernels.
    process(&device, &mut [1.0; 100])?;
    let run = |threads: usize| -> gpu_runtime::Result<(Vec<f32>, f64)> {
        let mut data = vec![2.0f32; n];
        let mut chunks: Vec<&mut [f32]> = data.chunks_mut(n.div_ceil(CHUNKS).max(1)).collect();
        let per_thread = chunks.len().div_ceil(threads).max(1);
        let start = Instant::now();
        std::thread::scope(|scope| {
            let work = |chunks: &mut [&mut [f32]]| {
                let stream = device.stream()?;
                chunks.iter_mut().try_for_each(|chunk| process(&stream, chunk))
            };
            let threads: Vec<_> = chunks.chunks_mut(per_thread).map(|chunks| scope.spawn(move || work(chunks))).collect();
            threads.into_iter().try_for_each(|thread| thread.join().expect("a thread that does not panic"))
        })?;
        Ok((data, start.elapsed().as_secs_f64()))
    };
    let ((one, alone), (several, together)) = (run(1)?, run(THREADS)?);
    assert!(one == several && one.iter().all(|&value| value == 1.0), "the results are wrong");
    println!("one stream: {:.2} ms, {THREADS} streams: {:.2} ms", alone * 1e3, together * 1e3);
    Ok(())
}

//! 16 chunks of 4 Mi `f32` in page-locked memory: each is uploaded, computed by two kernels and downloaded, on four streams in turns. The
//! limit is the time of the bus for all copies in both directions at once, and for one chunk more: the first upload and the last download have
//! nothing to overlap with.

use std::process::ExitCode;

use gpu_benches::by_hand::Cuda;
use gpu_benches::measure::{alternate, seconds};
use gpu_benches::report::{Better, Figure, Report, Target};
use gpu_benches::{Result, check, gpu_benchmark, limits};
use gpu_runtime::PinnedVec;
use gpu_runtime::prelude::*;

const CHUNKS: usize = 16;
const LEN: usize = 4 << 20;

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

fn main() -> ExitCode {
    gpu_benchmark("pipeline", run)
}

fn run(device: &Device, cuda: &Cuda, report: &mut Report) -> Result<()> {
    let mut inputs = Vec::new();
    for chunk in 0..CHUNKS {
        let mut input = device.pinned::<f32>(LEN)?;
        input.iter_mut().enumerate().for_each(|(i, value)| *value = ((chunk + i) % 1000 * 4) as f32);
        inputs.push(input);
    }
    let outputs = || (0..CHUNKS).map(|_| device.pinned::<f32>(LEN)).collect::<gpu_runtime::Result<Vec<_>>>();
    let (mut overlapped, mut in_turn) = (outputs()?, outputs()?);
    let streams = [device.stream()?, device.stream()?, device.stream()?, device.stream()?];
    let bytes = CHUNKS * LEN * size_of::<f32>();
    let limit = limits::bus_seconds(cuda, bytes, bytes)? * (CHUNKS + 1) as f64 / CHUNKS as f64;

    let (ours, one_stream) = alternate(
        || seconds(|| Ok(process(&streams, &inputs, &mut overlapped)?)),
        || seconds(|| Ok(process(&streams[..1], &inputs, &mut in_turn)?)),
    )?;
    for (chunk, (one, other)) in overlapped.iter().zip(&in_turn).enumerate() {
        let value = |i: usize| ((chunk + i) % 1000 * 2) as f32;
        let right = |i: usize, found: f32| found == (value(i) + value((i + 1).min(LEN - 1))) * 0.5;
        check(one.iter().enumerate().all(|(i, &found)| right(i, found)), "on four streams")?;
        check(one[..] == other[..], "on one stream")?;
    }
    report.add(Figure {
        case: "16 chunks there, two kernels, and back".to_owned(),
        unit: "ms",
        better: Better::Less,
        ours: ours.map(|seconds| seconds * 1e3),
        reference: ("on one stream", one_stream.map(|seconds| seconds * 1e3)),
        limit: Some(("pinned copies of 17 chunks, both ways at once", limit * 1e3)),
        target: Some(Target::Limit(1.0 / 0.9)),
    });
    Ok(())
}

fn process(streams: &[Stream], inputs: &[PinnedVec<f32>], outputs: &mut [PinnedVec<f32>]) -> gpu_runtime::Result<()> {
    for ((input, output), stream) in inputs.iter().zip(outputs).zip(streams.iter().cycle()) {
        let x = input.to(stream)?;
        let (mut scaled, mut out) = (stream.empty_like(&x)?, stream.empty_like(&x)?);
        normalize(&x, 0.5, &mut scaled).forall(LEN)?;
        smooth(&scaled, &mut out).forall(LEN)?;
        out.copy_to_pinned(output)?;
    }
    streams.iter().try_for_each(|stream| stream.synchronize())
}

//! `a + b` of 100 million `f32` from ordinary vectors to an ordinary vector, against the bus and against copies by hand.
//!
//! With the argument `--sweep` it also prints, to standard error, what other settings of the pipeline take.

use std::process::ExitCode;

use gpu_benches::by_hand::Cuda;
use gpu_benches::measure::{Sample, alternate, is_quick, repeat, seconds};
use gpu_benches::report::{Better, Figure, Report, Target};
use gpu_benches::{Result, check, gpu_benchmark, limits};
use gpu_runtime::__private::{PipelineSettings, StreamedOutput, stream_through, uninitialised_vec};
use gpu_runtime::prelude::*;

const LEN: usize = 100_000_000;

#[gpu_kernel]
fn add_kernel(x: &[f32], y: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] + y[i];
    }
}

fn main() -> ExitCode {
    gpu_benchmark("host_add", run)
}

fn run(device: &Device, cuda: &Cuda, report: &mut Report) -> Result<()> {
    // Whole numbers below 2²⁴, so that every sum is exact.
    let x: Vec<f32> = (0..LEN).map(|i| (i % 65_536) as f32).collect();
    let y: Vec<f32> = (0..LEN).map(|i| (i % 1000) as f32).collect();
    let bus = limits::bus_seconds(cuda, 2 * size_of_val(x.as_slice()), size_of_val(x.as_slice()))?;

    let mut sum = Vec::new();
    let mut hand_sum = Vec::new();
    let (ours, by_hand) = alternate(
        || {
            // To free the result of the round before is not part of this one.
            drop(std::mem::take(&mut sum));
            seconds(|| {
                sum = add(device, None, &x, &y)?;
                Ok(())
            })
        },
        || {
            drop(std::mem::take(&mut hand_sum));
            seconds(|| {
                hand_sum = add_pageable(device, &x, &y)?;
                Ok(())
            })
        },
    )?;
    check_sum(&sum, "our sum")?;
    check_sum(&hand_sum, "the sum by hand")?;
    report.add(figure("into a fresh vector", ours, by_hand, bus));

    let (mut device_x, mut device_y) = (device.zeros::<f32>(LEN)?, device.zeros::<f32>(LEN)?);
    let mut device_sum = device.zeros::<f32>(LEN)?;
    sum.fill(0.0);
    hand_sum.fill(0.0);
    let (ours, by_hand) = alternate(
        || seconds(|| add_into(device, None, &x, &y, StreamedOutput::Written(&mut sum))),
        || {
            seconds(|| {
                device_x.copy_from_host(&x)?;
                device_y.copy_from_host(&y)?;
                add_kernel(&device_x, &device_y, &mut device_sum).forall(LEN)?;
                Ok(device_sum.copy_to_host(&mut hand_sum)?)
            })
        },
    )?;
    check_sum(&sum, "our sum")?;
    check_sum(&hand_sum, "the sum by hand")?;
    report.add(figure("into a warm vector", ours, by_hand, bus));

    if std::env::args().any(|argument| argument == "--sweep") {
        sweep(device, &x, &y, bus)?;
    }
    Ok(())
}

/// The target is a share of the limit, as the bus is what nobody can pass.
fn figure(case: &str, ours: Sample, by_hand: Sample, bus: f64) -> Figure {
    let milliseconds = |seconds: f64| seconds * 1e3;
    Figure {
        case: case.to_owned(),
        unit: "ms",
        better: Better::Less,
        ours: ours.map(milliseconds),
        reference: ("to_device, launch, to_host", by_hand.map(milliseconds)),
        limit: Some(("pinned copies, both ways at once", milliseconds(bus))),
        target: Some(Target::Value(1.5 * milliseconds(bus))),
    }
}

/// The sum as the runtime gives it to whoever wants a vector.
fn add(device: &Device, settings: Option<PipelineSettings>, x: &[f32], y: &[f32]) -> Result<Vec<f32>> {
    let mut sum = uninitialised_vec(x.len());
    add_into(device, settings, x, y, StreamedOutput::Fresh(&mut sum.spare_capacity_mut()[..x.len()]))?;
    // SAFETY: every element was written.
    unsafe { sum.set_len(x.len()) };
    Ok(sum)
}

fn add_into(device: &Device, settings: Option<PipelineSettings>, x: &[f32], y: &[f32], sum: StreamedOutput<'_, f32>) -> Result<()> {
    let launch = |_, inputs: &[DeviceSlice<'_, f32>], outputs: &mut [DeviceSliceMut<'_, f32>]| {
        let len = inputs[0].len();
        add_kernel(inputs[0], inputs[1], &mut outputs[0]).forall(len)
    };
    // SAFETY: the kernel runs on the stream of its arrays.
    Ok(unsafe { stream_through(device, settings, &[x, y], &mut [sum], launch) }?)
}

/// The sum as a person computes it who does not think about copies.
fn add_pageable(device: &Device, x: &[f32], y: &[f32]) -> Result<Vec<f32>> {
    let (x, y) = (device.to_device(x)?, device.to_device(y)?);
    let mut sum = device.empty_like(&x)?;
    add_kernel(&x, &y, &mut sum).forall(LEN)?;
    Ok(sum.to_host()?)
}

fn check_sum(sum: &[f32], what: &str) -> Result<()> {
    let right = sum.len() == LEN && sum.iter().enumerate().all(|(i, &sum)| sum == ((i % 65_536) + (i % 1000)) as f32);
    check(right, what)
}

/// What each setting takes: in both directions, with only the inputs, and with only the output.
fn sweep(device: &Device, x: &[f32], y: &[f32], bus: f64) -> Result<()> {
    let row = |name: &str, settings: PipelineSettings| -> Result<()> {
        let settings = Some(settings);
        let fresh = repeat(|| {
            let mut sum = Vec::new();
            seconds(|| {
                sum = add(device, settings, x, y)?;
                Ok(())
            })
        })?;
        let mut sum = vec![0f32; LEN];
        let both = repeat(|| seconds(|| add_into(device, settings, x, y, StreamedOutput::Written(&mut sum))))?;
        // SAFETY: nothing uses the chunks.
        let only_in = repeat(|| seconds(|| Ok(unsafe { stream_through(device, settings, &[x, y], &mut [], |_, _, _| Ok(())) }?)))?;
        let only_out = repeat(|| {
            let sum = StreamedOutput::Written(&mut sum);
            // SAFETY: as above.
            seconds(|| Ok(unsafe { stream_through(device, settings, &[], &mut [sum], |_, _, _| Ok(())) }?))
        })?;
        let [fresh, both, only_in, only_out] = [fresh, both, only_in, only_out].map(|sample| sample.median * 1e3);
        eprintln!("  {name:<36} fresh {fresh:>7.2}  warm {both:>7.2}  inputs only {only_in:>7.2}  output only {only_out:>7.2}");
        Ok(())
    };
    eprintln!("settings of the pipeline, in ms; the bus takes {:.2}", bus * 1e3);
    let default = PipelineSettings::default();
    row("default", default)?;
    row("streaming fill", PipelineSettings { streaming_fill: true, ..default })?;
    row("without populating", PipelineSettings { populate: false, ..default })?;
    for megabytes in [1, 2, 4, 16, 32] {
        row(&format!("chunks of {megabytes} MiB"), PipelineSettings { chunk_bytes: megabytes << 20, ..default })?;
    }
    for workers in [2, 4, 8, 12, 24] {
        row(&format!("{workers} workers"), PipelineSettings { workers: Some(workers), ..default })?;
    }
    if !is_quick() {
        for slots in [2, 3, 6, 8] {
            row(&format!("{slots} slots"), PipelineSettings { slots, ..default })?;
            row(&format!("{slots} slots of 4 MiB"), PipelineSettings { slots, chunk_bytes: 4 << 20, ..default })?;
        }
        for megabytes in [4, 8, 16] {
            let settings = PipelineSettings { streaming_fill: true, chunk_bytes: megabytes << 20, workers: Some(12), ..default };
            row(&format!("streaming, {megabytes} MiB, 12 workers"), settings)?;
        }
    }
    sizes(device)
}

/// Where streaming through slots begins to pay.
fn sizes(device: &Device) -> Result<()> {
    eprintln!("sums of fewer elements, in µs: through slots, and copied as they are");
    for shift in 14..=22 {
        let len = 1usize << shift;
        let (x, y, mut sum) = (vec![1f32; len], vec![2f32; len], vec![0f32; len]);
        let [through, direct] = [0, usize::MAX].map(|short_bytes| {
            let settings = Some(PipelineSettings { short_bytes, ..PipelineSettings::default() });
            repeat(|| seconds(|| add_into(device, settings, &x, &y, StreamedOutput::Written(&mut sum)))).map(|sample| sample.median * 1e6)
        });
        eprintln!("  {:>8} KiB in all: {:>8.1} {:>8.1}", 12 * len / 1024, through?, direct?);
    }
    Ok(())
}

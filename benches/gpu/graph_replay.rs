//! What a kernel costs in a graph: 1,000 launches of a tiny kernel, each of which reads what the one before has written, against the same
//! launches captured from a stream.
//!
//! A program of its own: once a process has used nine streams, the driver takes a fifth longer for the graphs of both.

use std::process::ExitCode;

use gpu_benches::by_hand::{Arguments, Cuda};
use gpu_benches::measure::{alternate, seconds_per_call};
use gpu_benches::report::{Better, Figure, Report, Target};
use gpu_benches::{Result, check, gpu_benchmark};
use gpu_runtime::prelude::*;

const LEN: usize = 4096;
const GRID: u32 = 32;
const BLOCK: u32 = 128;
const IN_GRAPH: usize = 1000;

#[gpu_kernel]
fn add_kernel(x: &[i32], y: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] + y[i];
    }
}

fn main() -> ExitCode {
    gpu_benchmark("graph_replay", run)
}

fn run(device: &Device, cuda: &Cuda, report: &mut Report) -> Result<()> {
    const LAUNCHES: u32 = 20;
    let ones = device.to_device(&[1; LEN])?;
    let (mut even, mut odd) = (device.zeros::<i32>(LEN)?, device.zeros::<i32>(LEN)?);
    let mut graph = Graph::record(device, (&ones, &mut even, &mut odd), |(ones, even, odd)| {
        for _ in 0..IN_GRAPH / 2 {
            add_kernel(&*even, ones, &mut *odd).launch(GRID, BLOCK)?;
            add_kernel(&*odd, ones, &mut *even).launch(GRID, BLOCK)?;
        }
        Ok(())
    })?;

    let kernel = cuda.load(&add_kernel::handle().cubin(&cuda.architecture()?)?, "add_kernel")?;
    let raw_ones = cuda.upload(&[1i32; LEN])?;
    let raw = [cuda.zeros::<i32>(LEN)?, cuda.zeros::<i32>(LEN)?];
    let len = LEN as u64;
    let arguments = |from: usize| Arguments::new(&[raw[from].address(), len, raw_ones.address(), len, raw[1 - from].address(), len]);
    let mut arguments = [arguments(0), arguments(1)];
    let raw_graph = cuda.capture(|| {
        for step in 0..IN_GRAPH {
            // SAFETY: these are the parameters that an array has in generated code: its address and its length.
            unsafe { cuda.launch(kernel, [GRID, 1], [BLOCK, 1], &mut arguments[step % 2])? };
        }
        Ok(())
    })?;

    let (mut our_launches, mut raw_launches) = (0, 0);
    let (ours, by_hand) = alternate(
        || {
            our_launches += LAUNCHES + 1;
            seconds_per_call(LAUNCHES, || Ok(graph.launch((&ones, &mut even, &mut odd))?), || Ok(device.synchronize()?))
        },
        || {
            raw_launches += LAUNCHES + 1;
            seconds_per_call(LAUNCHES, || cuda.launch_graph(&raw_graph), || cuda.synchronize())
        },
    )?;
    let count = |launches: u32| launches as i32 * IN_GRAPH as i32;
    let (ours_is, mut raw_is) = (even.to_host()?, vec![0; LEN]);
    cuda.download(&raw[0], 0, &mut raw_is)?;
    check(ours_is.iter().all(|sum| sum % IN_GRAPH as i32 == 0 && *sum <= count(our_launches) && *sum > 0), "our sum")?;
    check(raw_is.iter().all(|sum| sum % IN_GRAPH as i32 == 0 && *sum <= count(raw_launches) && *sum > 0), "the sum by hand")?;

    let by_kernel = |seconds: f64| seconds * 1e6 / IN_GRAPH as f64;
    for (case, target) in [("against a captured graph", Target::Ratio(1.1)), ("time", Target::Value(1.0))] {
        report.add(Figure {
            case: format!("1,000 launches, each after the one before: {case}"),
            unit: "µs",
            better: Better::Less,
            ours: ours.map(by_kernel),
            reference: ("a captured graph", by_hand.map(by_kernel)),
            limit: Some(("a captured graph", by_kernel(by_hand.lowest))),
            target: Some(target),
        });
    }
    Ok(())
}

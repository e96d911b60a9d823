//! What a launch costs: 20,000 launches of a tiny kernel with three arrays, against `cuLaunchKernel` in a loop.
//!
//! The reference launches the machine code that we compile, with arguments prepared once: the least that a launch can cost. It does the same
//! on eight streams, where each launch reads what the one before has written, with an event and a wait between the two.

use std::process::ExitCode;

use gpu_benches::by_hand::{Arguments, Cuda};
use gpu_benches::measure::{alternate, seconds_per_call};
use gpu_benches::report::{Better, Figure, Report, Target};
use gpu_benches::{Result, check, gpu_benchmark};
use gpu_runtime::prelude::*;

const LEN: usize = 4096;
const GRID: u32 = 32;
const BLOCK: u32 = 128;
const LAUNCHES: u32 = 20_000;
const STREAMS: usize = 8;

#[gpu_kernel]
fn add_kernel(x: &[i32], y: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] + y[i];
    }
}

fn main() -> ExitCode {
    gpu_benchmark("launch_overhead", run)
}

fn run(device: &Device, cuda: &Cuda, report: &mut Report) -> Result<()> {
    let host_x: Vec<i32> = (0..LEN as i32).collect();
    let host_y = vec![1; LEN];
    let expected: Vec<i32> = host_x.iter().map(|x| x + 1).collect();

    let (x, y) = (device.to_device(&host_x)?, device.to_device(&host_y)?);
    let mut out = device.zeros::<i32>(LEN)?;

    let kernel = cuda.load(&add_kernel::handle().cubin(&cuda.architecture()?)?, "add_kernel")?;
    let (raw_x, raw_y, raw_out) = (cuda.upload(&host_x)?, cuda.upload(&host_y)?, cuda.zeros::<i32>(LEN)?);
    let len = LEN as u64;
    let mut arguments = Arguments::new(&[raw_x.address(), len, raw_y.address(), len, raw_out.address(), len]);

    let (ours, raw) = alternate(
        || seconds_per_call(LAUNCHES, || Ok(add_kernel(&x, &y, &mut out).launch(GRID, BLOCK)?), || Ok(device.synchronize()?)),
        || {
            // SAFETY: these are the parameters that an array has in generated code: its address and its length.
            let launch = || unsafe { cuda.launch(kernel, [GRID, 1], [BLOCK, 1], &mut arguments) };
            seconds_per_call(LAUNCHES, launch, || cuda.synchronize())
        },
    )?;

    check(out.to_host()? == expected, "our sum")?;
    let mut raw_result = vec![0; LEN];
    cuda.download(&raw_out, 0, &mut raw_result)?;
    check(raw_result == expected, "the sum by hand")?;

    report.add(Figure {
        case: "three arrays".to_owned(),
        unit: "µs",
        better: Better::Less,
        ours: ours.map(|seconds| seconds * 1e6),
        reference: ("cuLaunchKernel", raw.map(|seconds| seconds * 1e6)),
        limit: Some(("cuLaunchKernel", raw.lowest * 1e6)),
        target: Some(Target::Ratio(1.15)),
    });
    on_streams(device, cuda, report)
}

/// Each launch on the stream after that of the launch before, whose result it reads.
fn on_streams(device: &Device, cuda: &Cuda, report: &mut Report) -> Result<()> {
    let streams = (0..STREAMS).map(|_| device.stream()).collect::<gpu_runtime::Result<Vec<_>>>()?;
    let ones = device.to_device(&[1; LEN])?;
    let mut arrays = (0..STREAMS).map(|_| device.zeros::<i32>(LEN)).collect::<gpu_runtime::Result<Vec<_>>>()?;

    let kernel = cuda.load(&add_kernel::handle().cubin(&cuda.architecture()?)?, "add_kernel")?;
    let raw_streams = (0..STREAMS).map(|_| cuda.on_new_stream()).collect::<Result<Vec<_>>>()?;
    let events = (0..STREAMS).map(|_| cuda.event()).collect::<Result<Vec<_>>>()?;
    let raw_ones = cuda.upload(&[1i32; LEN])?;
    let raw_arrays = (0..STREAMS).map(|_| cuda.zeros::<i32>(LEN)).collect::<Result<Vec<_>>>()?;
    let len = LEN as u64;
    let mut arguments: Vec<Arguments> = (0..STREAMS)
        .map(|to| (raw_arrays[(to + STREAMS - 1) % STREAMS].address(), raw_arrays[to].address()))
        .map(|(from, to)| Arguments::new(&[from, len, raw_ones.address(), len, to, len]))
        .collect();

    let (mut our_launches, mut raw_launches) = (0, 0);
    let ours = || {
        let launch = || {
            let to = our_launches % STREAMS;
            our_launches += 1;
            let [x, out] = arrays.get_disjoint_mut([(to + STREAMS - 1) % STREAMS, to]).expect("two arrays");
            Ok(add_kernel(&*x, &ones, out).on(&streams[to]).launch(GRID, BLOCK)?)
        };
        seconds_per_call(LAUNCHES, launch, || Ok(device.synchronize()?))
    };
    let raw = || {
        let launch = || {
            let to = raw_launches % STREAMS;
            raw_launches += 1;
            raw_streams[to].follow(&raw_streams[(to + STREAMS - 1) % STREAMS], events[to])?;
            // SAFETY: these are the parameters that an array has in generated code: its address and its length.
            unsafe { raw_streams[to].launch(kernel, [GRID, 1], [BLOCK, 1], &mut arguments[to]) }
        };
        seconds_per_call(LAUNCHES, launch, || raw_streams.iter().try_for_each(Cuda::synchronize))
    };
    let (ours, raw) = alternate(ours, raw)?;

    // Each launch adds 1 to what the launch before has written.
    let (last, raw_last) = ((our_launches + STREAMS - 1) % STREAMS, (raw_launches + STREAMS - 1) % STREAMS);
    check(arrays[last].to_host()? == [our_launches as i32; LEN], "our sum")?;
    let mut raw_result = vec![0; LEN];
    cuda.download(&raw_arrays[raw_last], 0, &mut raw_result)?;
    check(raw_result == [raw_launches as i32; LEN], "the sum by hand")?;

    report.add(Figure {
        case: "eight streams, each launch after the one before".to_owned(),
        unit: "µs",
        better: Better::Less,
        ours: ours.map(|seconds| seconds * 1e6),
        reference: ("cuLaunchKernel and events", raw.map(|seconds| seconds * 1e6)),
        limit: Some(("cuLaunchKernel and events", raw.lowest * 1e6)),
        target: Some(Target::Ratio(1.15)),
    });
    Ok(())
}

//! Copies between the first two GPUs, the sum of an array divided among them, and reductions over all ranks: how fast they are.
//!
//! ```sh
//! cargo run --release -p gpu-cluster-examples --example bandwidth -- --mb 256
//! ```

use std::time::Instant;

use gpu_cluster_examples::{devices, on_ranks};
use gpu_examples::{Arguments, Failure};
use gpu_runtime::Device;
use gpu_runtime::cluster::{Communicator, Operation, Sharded, World};

/// How often each operation is timed together.
const ROUNDS: usize = 20;

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse("Bandwidth between devices, for arrays of so many megabytes.", &["--mb", "--ranks"]);
    let megabytes = |device: &Device| arguments.number("--mb").unwrap_or(if device.is_gpu() { 256 } else { 4 });
    if World::from_env()?.size() == 1
        && let [one, other, ..] = &devices(&arguments)?[..]
    {
        let len = if other.is_gpu() { 100_000_000 } else { 1_000_000 };
        sum(std::slice::from_ref(one), len)?;
        sum(&[one.clone(), other.clone()], len)?;
        copy(one, other, megabytes(other))?;
    }
    Ok(on_ranks(&arguments, |ranks| reduce(ranks, megabytes(ranks.device())))?)
}

/// Sums up an array with so many elements on each device.
fn sum(devices: &[Device], len: usize) -> Result<(), Failure> {
    let x = Sharded::<f64>::zeros(devices, len * devices.len(), 0)?;
    x.sum()?;
    let start = Instant::now();
    for _ in 0..ROUNDS {
        assert_eq!(x.sum()?, 0.0);
    }
    let seconds = start.elapsed().as_secs_f64() / ROUNDS as f64;
    println!("sum of {len} f64 on each of {} devices: {:.3} ms", devices.len(), seconds * 1e3);
    Ok(())
}

/// Copies from one device to another.
fn copy(one: &Device, other: &Device, megabytes: usize) -> Result<(), Failure> {
    let (source, mut target) = (one.to_device(&vec![1.5f32; megabytes * 250_000])?, other.zeros::<f32>(megabytes * 250_000)?);
    target.copy_from_device(&source)?;
    other.synchronize()?;
    let start = Instant::now();
    for _ in 0..ROUNDS {
        target.copy_from_device(&source)?;
    }
    one.synchronize()?;
    other.synchronize()?;
    let seconds = start.elapsed().as_secs_f64() / ROUNDS as f64;
    let way = if one.can_access(other)? { "directly" } else { "through the host" };
    println!("copy of {megabytes} MB from {one} to {other}, {way}: {:.1} GB/s", megabytes as f64 / 1e3 / seconds);
    assert_eq!(target.slice(..3).to_host()?, [1.5; 3]);
    Ok(())
}

/// Sums up an array of each rank.
fn reduce(ranks: &Communicator, megabytes: usize) -> gpu_runtime::Result<()> {
    let size = ranks.size();
    let mut x = ranks.device().zeros::<f32>(megabytes * 250_000)?;
    let mut one = ranks.device().to_device(&[1.0f32])?;
    for _ in 0..3 {
        ranks.all_reduce(&mut x, Operation::Sum)?;
    }
    ranks.all_reduce(&mut one, Operation::Sum)?;
    assert_eq!(one.to_host()?, [size as f32]);
    ranks.barrier()?;
    let start = Instant::now();
    for _ in 0..ROUNDS {
        ranks.all_reduce(&mut x, Operation::Sum)?;
    }
    ranks.device().synchronize()?;
    let seconds = start.elapsed().as_secs_f64() / ROUNDS as f64;
    ranks.barrier()?;
    let start = Instant::now();
    for _ in 0..ROUNDS {
        ranks.all_reduce(&mut one, Operation::Sum)?;
    }
    ranks.device().synchronize()?;
    let latency = start.elapsed().as_secs_f64() / ROUNDS as f64;
    if ranks.rank() == 0 {
        // What every link carries, as NCCL's tests count.
        let rate = megabytes as f64 / 1e3 / seconds * 2.0 * (size - 1) as f64 / size as f64;
        println!("all_reduce of {megabytes} MB on {size} ranks ({}): {:.3} ms, {rate:.1} GB/s on each link", ranks.device(), seconds * 1e3);
        println!("all_reduce of 4 bytes: {:.1} µs", latency * 1e6);
    }
    Ok(())
}

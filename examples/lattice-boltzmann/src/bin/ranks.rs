//! A box of fluid whose layers are divided among ranks, compared with as many layers of one rank alone.

use std::time::Instant;

use gpu_cluster_examples::on_ranks;
use gpu_examples::{Arguments, Failure};
use gpu_runtime::Result;
use gpu_runtime::cluster::Communicator;
use half::f16;
use lattice_boltzmann::Fluid;
use lattice_boltzmann::kernels::{FLUID, Storage, WALL};

fn main() -> std::result::Result<(), Failure> {
    let about = "Measures a box of side × side × side cells for each rank, with populations of 32 and 16 bits.";
    let arguments = Arguments::parse(about, &["--side", "--steps", "--rounds", "--ranks"]);
    Ok(on_ranks(&arguments, |ranks| {
        check::<f32>(ranks)?;
        check::<f16>(ranks)?;
        let is_gpu = ranks.device().is_gpu();
        let steps = arguments.number("--steps").unwrap_or(if is_gpu { 100 } else { 4 });
        let rounds = arguments.number("--rounds").unwrap_or(5);
        let sides = if is_gpu { vec![256, 384, 512] } else { vec![32, 64] };
        for side in arguments.number("--side").map_or(sides, |side| vec![side]) {
            compare::<f32>(ranks, side, steps, rounds)?;
            compare::<f16>(ranks, side, steps, rounds)?;
        }
        Ok(())
    })?)
}

/// Compares a small box of all ranks with the same box of one rank, bit by bit.
fn check<S: Storage>(ranks: &Communicator) -> Result<()> {
    let bits = |ranks: &Communicator, layers: usize| {
        let wall = |[x, y, z]: [usize; 3]| if x > 30 && (3..6).contains(&y) && z > 1 { WALL } else { FLUID };
        let start = |[x, y, z]: [usize; 3]| [0.0, 0.02 * (y as f32).sin(), 0.02 * (z as f32).sin(), 0.02 * (x as f32).cos()];
        let mut fluid = Fluid::<S>::new(ranks, [40, 9, layers], 0.05, wall, start)?;
        fluid.step(20)?;
        Ok::<Vec<u32>, gpu_runtime::Error>(fluid.flow()?.all().flat_map(|(_, flow)| flow.map(f32::to_bits)).collect())
    };
    let layers = 4 * ranks.size() + 1;
    assert!(bits(ranks, layers)? == bits(&Communicator::alone(ranks.device()), layers)?, "several ranks compute something else than one");
    Ok(())
}

/// All ranks, then rank 0 alone.
fn compare<S: Storage>(ranks: &Communicator, side: usize, steps: usize, rounds: usize) -> Result<()> {
    let all = Times::measure::<S>(ranks, side, steps, rounds)?;
    if ranks.rank() == 0 {
        let alone = Times::measure::<S>(&Communicator::alone(ranks.device()), side, steps, rounds)?;
        let (count, device) = (ranks.size(), ranks.device());
        let rate = |ranks: usize, times: &Times| (ranks * side.pow(3)) as f64 / times.step / 1e6;
        println!("{count} ranks ({device}), {side}³ cells of {} bits for each:", 8 * size_of::<S>());
        println!("  {:.0} million cells a second, one rank alone {:.0}", rate(count, &all), rate(1, &alone));
        println!("  efficiency {:.3}", alone.step / all.step);
        let megabytes = (10 * side.pow(2) * size_of::<S>()) as f64 / 1e6;
        println!("  {megabytes:.1} MB from each rank in {:.1} µs, beside a step of {:.1} µs", all.exchange * 1e6, alone.step * 1e6);
    }
    ranks.barrier()
}

/// The medians, in seconds.
struct Times {
    step: f64,
    /// Of halos by themselves.
    exchange: f64,
}

impl Times {
    fn measure<S: Storage>(ranks: &Communicator, side: usize, steps: usize, rounds: usize) -> Result<Self> {
        let mut fluid = Fluid::<S>::at_rest(ranks, [side, side, side * ranks.size()], 0.02)?;
        let step = median(ranks, steps, rounds, || fluid.step(1))?;
        let exchange = median(ranks, steps, rounds, || fluid.exchange_again())?;
        Ok(Self { step, exchange })
    }
}

/// How long all ranks take for `work`.
fn median(ranks: &Communicator, times: usize, rounds: usize, mut work: impl FnMut() -> Result<()>) -> Result<f64> {
    let mut seconds = Vec::new();
    // The first round compiles.
    for _ in 0..=rounds {
        ranks.barrier()?;
        let start = Instant::now();
        (0..times).try_for_each(|_| work())?;
        ranks.barrier()?;
        seconds.push(start.elapsed().as_secs_f64() / times as f64);
    }
    let timed = &mut seconds[1..];
    timed.sort_by(f64::total_cmp);
    Ok(timed[timed.len() / 2])
}

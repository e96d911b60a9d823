//! 64 Mi additions to 1 Mi counters, in the order of an array of indices, each of which is checked.

use std::sync::atomic::{AtomicU32, Ordering};

use gpu_benches::by_hand::Arguments;
use gpu_benches::{Result, check};
use gpu_runtime::prelude::*;

use gpu_benches::beside::{ByHand, Gpu, noise};
use gpu_benches::report::Report;

const LEN: usize = 64 << 20;
const COUNTERS: usize = 1 << 20;
const BLOCK: usize = 256;

#[gpu_kernel]
fn scatter(indices: &[u32], counters: &[AtomicU32]) {
    let i = grid_1d();
    if i < indices.len() {
        counters[indices[i] as usize].fetch_add(1, Ordering::Relaxed);
    }
}

pub(crate) fn run(gpu: &Gpu<'_>, report: &mut Report) -> Result<()> {
    let mut random = noise(6);
    let host: Vec<u32> = (0..LEN).map(|_| random() % COUNTERS as u32).collect();
    let indices = gpu.device.to_device(&host)?;
    let mut counters = gpu.device.zeros::<u32>(COUNTERS)?;
    let (hand_indices, hand_counters) = (gpu.cuda.upload(&host)?, gpu.cuda.zeros::<u32>(COUNTERS)?);
    let mut by_hand = ByHand {
        kernel: gpu.cuda.compile(include_str!("scatter.cu"), "scatter")?,
        grid: [(LEN / BLOCK) as u32, 1],
        block: [BLOCK as u32, 1],
        arguments: Arguments::new(&[hand_indices.address(), hand_counters.address(), LEN as u64]),
    };
    let (mut our_calls, mut hand_calls) = (0, 0);
    let figure = gpu.compare(
        "scattered additions",
        10,
        0.98,
        || {
            our_calls += 1;
            Ok(scatter(&indices, &mut counters).launch(LEN / BLOCK, BLOCK)?)
        },
        || {
            hand_calls += 1;
            gpu.launch(&mut by_hand)
        },
    )?;
    let mut once = vec![0; COUNTERS];
    host.iter().for_each(|&index| once[index as usize] += 1);
    let is_right = |counters: &[u32], calls: u32| counters.iter().zip(&once).all(|(found, once)| *found == once * calls);
    let mut hand_result = vec![0; COUNTERS];
    gpu.cuda.download(&hand_counters, 0, &mut hand_result)?;
    check(is_right(&hand_result, hand_calls), "the additions by hand")?;
    check(is_right(&counters.to_host()?, our_calls), "our additions")?;
    report.add(figure);
    Ok(())
}

//! A maximal independent set of a graph: a byte of priority for each vertex, decided by threads that look at their neighbours until all are.

use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::Relaxed;

use gpu_benches::beside::noise;
use gpu_benches::{Result, check};
use gpu_runtime::prelude::*;

use super::Programs;

const VERTICES: usize = 1 << 20;
const EDGES: usize = 8 * VERTICES;
const THREADS: usize = 256;
const BLOCKS: usize = 132 * 8;
/// Undecided vertices have an odd byte, their priority.
const OUT: u8 = 0;
const IN: u8 = 254;

#[gpu_kernel]
fn begin(starts: &[u32], states: &mut [u8]) {
    let v = grid_1d();
    if v < states.len() {
        let degree = starts[v + 1] - starts[v];
        let hash = (v as u32 * 0x9e37_79b9) >> 20;
        let priority = 126.0 * 16.0 / (16.0 + degree as f32 + hash as f32 / 4096.0);
        states[v] = (priority as u8 * 2) | 1;
    }
}

#[gpu_kernel]
pub(crate) fn decide(starts: &[u32], neighbours: &[u32], states: &[AtomicU8]) {
    loop {
        let mut missing = false;
        for v in grid_stride(states.len()) {
            let own = states[v].load(Relaxed);
            if own & 1 == 1 {
                let end = starts[v + 1] as usize;
                let mut k = starts[v] as usize;
                while k < end {
                    let u = neighbours[k] as usize;
                    let other = states[u].load(Relaxed);
                    if own > other || (own == other && v > u) || v == u {
                        k += 1;
                    } else {
                        break;
                    }
                }
                if k < end {
                    missing = true;
                } else {
                    for k in starts[v] as usize..end {
                        states[neighbours[k] as usize].store(OUT, Relaxed);
                    }
                    states[v].store(IN, Relaxed);
                }
            }
        }
        if !missing {
            break;
        }
    }
}

/// The neighbours of each vertex, both ways: where each list begins, and the lists.
fn graph(vertices: usize, edges: usize, seed: u64) -> (Vec<u32>, Vec<u32>) {
    let mut random = noise(seed);
    let mut lists = vec![Vec::new(); vertices];
    for _ in 0..edges {
        let (a, b) = (random() as usize % vertices, random() as usize % vertices);
        lists[a].push(b as u32);
        lists[b].push(a as u32);
    }
    let starts = std::iter::once(0).chain(lists.iter().scan(0, |sum, list| {
        *sum += list.len() as u32;
        Some(*sum)
    }));
    (starts.collect(), lists.concat())
}

pub(crate) fn run(programs: &mut Programs<'_>) -> Result<()> {
    let (starts, neighbours) = graph(VERTICES, EDGES, 34);
    let (device, cuda) = (programs.gpu.device, programs.gpu.cuda);
    let (device_starts, device_neighbours) = (device.to_device(&starts)?, device.to_device(&neighbours)?);
    let mut states = device.zeros::<u8>(VERTICES)?;
    let (hand_starts, hand_neighbours, hand_states) = (cuda.upload(&starts)?, cuda.upload(&neighbours)?, cuda.zeros::<u8>(VERTICES)?);
    let grid = VERTICES / THREADS;
    let source = include_str!("independent_set.cu");
    let values = [hand_starts.address(), hand_neighbours.address(), hand_states.address(), VERTICES as u64];
    let hand_begin = programs.gpu.by_hand(source, "begin", [grid as u32, 1], [THREADS as u32, 1], &values)?;
    let hand_decide = programs.gpu.by_hand(source, "decide", [BLOCKS as u32, 1], [THREADS as u32, 1], &values)?;
    programs.compare_all(
        "independent set",
        20,
        || {
            begin(&device_starts, &mut states).launch(grid, THREADS)?;
            decide(&device_starts, &device_neighbours, &mut states).launch(BLOCKS, THREADS)
        },
        &mut [hand_begin, hand_decide],
    )?;
    let mut by_hand = vec![0; VERTICES];
    cuda.download(&hand_states, 0, &mut by_hand)?;
    let found = states.to_host()?;
    check(found == by_hand, "the set, ours or by hand")?;
    let chosen = |v: usize| found[v] == IN;
    let around = |v: usize| neighbours[starts[v] as usize..starts[v + 1] as usize].iter().map(|&u| u as usize).filter(move |&u| u != v);
    check((0..VERTICES).all(|v| chosen(v) != around(v).any(chosen)), "the set")
}

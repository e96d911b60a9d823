//! Faults in global memory, divergent barriers, and shared memory that nothing wrote. Of global memory, compute-sanitizer finds no races.

use super::fault_table;
use gpu_runtime::prelude::*;

const SOURCE: &str = include_str!("other.rs");

fault_table! {
    Race, global_sum<1, 64>: "all threads add to one element";
    Race, global_neighbor<1, 64>: "each thread reads what its neighbor writes";
    Race, blocks_overlap<2, 64>: "two blocks write the same elements";
    Race, barrier_of_block_for_grid<2, 64>: "a barrier of the block between writing and reading what another block wrote";
    Race, atomic_and_plain<1, 64>: "a plain read of what others update";
    Race, relaxed_flag<2, 1>: "data are handed over to another block without any order";
    DivergentBarrier Synccheck, barrier_in_branches<1, 64>: "threads of a block wait at different barriers";
    DivergentBarrier Synccheck, barrier_in_one_warp<1, 64>: "each warp waits at a barrier of its own";
    NotInitialized, half_a_tile<1, 64>: "half of a tile is written, and all of it read";
    NotInitialized, never_written<1, 64>: "a tile is read that nothing wrote";
    NotInitialized, next_block<2, 64>: "only the first block writes its tile";
}

#[gpu_kernel]
fn global_sum(x: &[u32], out: &mut [u32]) {
    out[0] += x[thread_idx().x]; //~ here other
}

#[gpu_kernel]
fn global_neighbor(x: &[u32], out: &mut [u32]) {
    let t = thread_idx().x;
    out[t] = x[t] + out[t + 1]; //~ here other
}

#[gpu_kernel]
fn blocks_overlap(x: &[u32], out: &mut [u32]) {
    let t = thread_idx().x;
    out[t] = x[t] + block_idx().x as u32; //~ here other
}

#[gpu_kernel]
fn barrier_of_block_for_grid(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    out[i] = x[i]; //~ here other
    sync_threads();
    out[i + 128] = out[127 - i]; //~ here other
}

#[gpu_kernel]
fn atomic_and_plain(x: &[u32], out: &mut [u32]) {
    let t = thread_idx().x;
    if t == 1 {
        out[0] = x[5]; //~ other
    }
    if t == 40 {
        out[1] = out[0]; //~ here
    }
}

#[gpu_kernel]
fn relaxed_flag(x: &[u32], out: &mut [u32]) {
    if block_idx().x == 0 {
        out[0] = x[1]; //~ other
    } else {
        out[1] = out[0]; //~ here
    }
}

#[gpu_kernel]
fn barrier_in_branches(x: &[u32], out: &mut [u32]) {
    let t = thread_idx().x;
    if x[t] % 2 == 0 {
        sync_threads(); //~ here other
    } else {
        sync_threads(); //~ here other
    }
    out[t] = x[t];
}

#[gpu_kernel]
fn barrier_in_one_warp(x: &[u32], out: &mut [u32]) {
    let t = thread_idx().x;
    if t < 32 {
        sync_threads(); //~ here other
    } else {
        sync_threads(); //~ here other
    }
    out[t] = x[t];
}

#[gpu_kernel]
fn half_a_tile(x: &[u32], out: &mut [u32]) {
    let mut tile = shared::<[u32; 64]>();
    let t = thread_idx().x;
    if t < 32 {
        tile[t] = x[t];
    }
    sync_threads();
    out[t] = tile[t]; //~ here
}

#[gpu_kernel]
fn never_written(x: &[u32], out: &mut [u32]) {
    let tile = shared::<[u32; 64]>();
    let t = thread_idx().x;
    out[t] = x[t] + tile[t]; //~ here
}

#[gpu_kernel]
fn next_block(x: &[u32], out: &mut [u32]) {
    let mut tile = shared::<[u32; 64]>();
    let t = thread_idx().x;
    if block_idx().x == 0 {
        tile[t] = x[t];
    }
    sync_threads();
    out[grid_1d()] = tile[t]; //~ here
}

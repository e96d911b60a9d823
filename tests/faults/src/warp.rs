//! Faults of the threads of a warp: barriers that are missing, and threads that do not meet.

use super::fault_table;
use gpu_runtime::prelude::*;

const SOURCE: &str = include_str!("warp.rs");

fault_table! {
    Race Racecheck, warp_reverse<1, 32>: "no barrier of the warp before a tile is read in reverse";
    Race Racecheck, warp_tree<1, 32>: "the last levels of a reduction tree without a barrier of the warp";
    Race Racecheck, warp_tree_old_style<1, 32>: "a reduction tree that relies on warps in lockstep";
    Race Racecheck, warp_overwrite<1, 32>: "no barrier of the warp before a tile that others read is written again";
    Race Racecheck, warp_broadcast<1, 64>: "no barrier of the warp after lane 0 wrote";
    Race Racecheck, warp_halves<1, 32>: "a barrier of each half of a warp, and an access of the other half";
    Race Racecheck, warp_scan<1, 32>: "a scan in a warp with one of its two barriers";
    Race Racecheck, one_warp_ahead<1, 64>: "one warp reads what another has not finished";
    WarpMask, mask_without_caller<1, 32>: "a mask without the calling thread";
    WarpMask, masks_disagree<1, 32>: "threads of a warp pass different masks";
    DivergentWarp, warp_diverges<1, 32>: "halves of a warp call different warp functions for all lanes";
}

#[gpu_kernel]
fn warp_reverse(x: &[u32], out: &mut [u32]) {
    let mut tile = shared::<[u32; 32]>();
    let t = thread_idx().x;
    tile[t] = x[t]; //~ other
    out[t] = tile[31 - t]; //~ here
}

#[gpu_kernel]
fn warp_tree(x: &[u32], out: &mut [u32]) {
    let mut tile = shared::<[u32; 32]>();
    let t = thread_idx().x;
    tile[t] = x[t];
    sync_warp();
    let mut stride = 16;
    while stride > 0 {
        if t < stride {
            tile[t] += tile[t + stride]; //~ here other
        }
        stride /= 2;
    }
    out[t] = t as u32;
}

#[gpu_kernel]
fn warp_tree_old_style(x: &[u32], out: &mut [u32]) {
    let mut tile = shared::<[u32; 64]>();
    let t = thread_idx().x;
    tile[t] = x[t];
    tile[t + 32] = x[t + 32];
    sync_warp();
    tile[t] += tile[t + 32]; //~ here other
    tile[t] += tile[(t + 16) % 32]; //~ here other
    out[t] = t as u32;
}

#[gpu_kernel]
fn warp_overwrite(x: &[u32], out: &mut [u32]) {
    let mut tile = shared::<[u32; 32]>();
    let t = thread_idx().x;
    tile[t] = x[t];
    sync_warp();
    let value = tile[31 - t]; //~ other
    tile[t] = value; //~ here
    sync_warp();
    out[t] = tile[t];
}

#[gpu_kernel]
fn warp_broadcast(x: &[u32], out: &mut [u32]) {
    let mut firsts = shared::<[u32; 2]>();
    let t = thread_idx().x;
    if lane_id() == 0 {
        firsts[warp_id()] = x[t]; //~ other
    }
    out[t] = firsts[warp_id()]; //~ here
}

#[gpu_kernel]
fn warp_halves(x: &[u32], out: &mut [u32]) {
    let mut tile = shared::<[u32; 32]>();
    let t = thread_idx().x;
    tile[t] = x[t]; //~ other
    sync_warp_in(if t < 16 { 0xffff } else { 0xffff_0000 });
    out[t] = tile[31 - t]; //~ here
}

#[gpu_kernel]
fn warp_scan(x: &[u32], out: &mut [u32]) {
    let mut tile = shared::<[u32; 32]>();
    let t = thread_idx().x;
    tile[t] = x[t];
    sync_warp();
    let mut step = 1;
    while step < 32 {
        let before = if t >= step { tile[t - step] } else { 0 }; //~ other
        tile[t] += before; //~ here
        sync_warp();
        step *= 2;
    }
    out[t] = tile[t];
}

#[gpu_kernel]
fn one_warp_ahead(x: &[u32], out: &mut [u32]) {
    let mut tile = shared::<[u32; 64]>();
    let t = thread_idx().x;
    tile[t] = x[t]; //~ other
    sync_warp();
    out[t] = tile[(t + 32) % 64]; //~ here
}

#[gpu_kernel]
fn mask_without_caller(x: &[u32], out: &mut [u32]) {
    let t = thread_idx().x;
    out[t] = warp_sum_in(x[t], 0xffff); //~ here
}

#[gpu_kernel]
fn masks_disagree(x: &[u32], out: &mut [u32]) {
    let t = thread_idx().x;
    out[t] = warp_sum_in(x[t], if t < 16 { 0x1_ffff } else { 0xffff_8000 }); //~ here
}

#[gpu_kernel]
fn warp_diverges(x: &[u32], out: &mut [u32]) {
    let t = thread_idx().x;
    if t < 16 {
        out[t] = warp_sum(x[t]); //~ here other
    } else {
        out[t] = warp_max(x[t]); //~ here other
    }
}

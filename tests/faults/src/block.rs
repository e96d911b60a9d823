//! Faults of the threads of a block: barriers that are missing between accesses to shared memory.

use super::fault_table;
use gpu_runtime::prelude::*;

const SOURCE: &str = include_str!("block.rs");

fault_table! {
    Race Racecheck, reverse<1, 128>: "no barrier between writing a tile and reading it in reverse";
    Race Racecheck, neighbor<1, 128>: "no barrier before the right neighbor is read";
    Race Racecheck, broadcast<1, 128>: "no barrier after thread 0 wrote";
    Race Racecheck, broadcast_last<1, 128>: "no barrier after the last thread wrote";
    Race Racecheck, overwrite_after_read<1, 128>: "no barrier before a tile that others read is written again";
    Race Racecheck, tree_without_barrier<1, 128>: "a reduction tree without a barrier in its loop";
    Race Racecheck, tree_barrier_too_early<1, 128>: "the barrier of a reduction tree is before the additions of the last level only";
    Race Racecheck, tree_result<1, 128>: "no barrier between the last addition and the use of the sum by another warp";
    Race Racecheck, scan_one_barrier<1, 128>: "a scan with one of its two barriers for each step";
    Race Racecheck, scan_no_buffer<1, 128>: "a scan that updates in place between barriers";
    Race Racecheck, transpose<1, 128>: "no barrier in a transpose";
    Race Racecheck, halo_left<1, 128>: "no barrier after the halo on the left was written";
    Race Racecheck, halo_right<1, 128>: "the halo on the right is written after the barrier";
    Race Racecheck, ping_pong<1, 128>: "a ping-pong buffer with one barrier for two steps";
    Race Racecheck, same_cell<1, 128>: "all threads write one element";
    Race Racecheck, same_pair<1, 128>: "two threads write each element";
    Race Racecheck, histogram<1, 128>: "a histogram without atomics";
    Race Racecheck, counter<1, 128>: "a counter without an atomic";
    Race Racecheck, clear_and_count<1, 128>: "no barrier between clearing a counter and counting";
    Race Racecheck, count_and_read<1, 128>: "no barrier between counting and reading the counter";
    Race Racecheck, reset_for_next_round<1, 128>: "a flag is reset for the next round while others read it";
    Race Racecheck, loop_tile<1, 128>: "no barrier before the next tile of a loop is loaded";
    Race Racecheck, bitonic<1, 128>: "a bitonic stage without a barrier";
    Race Racecheck, odd_even<1, 128>: "odd-even transposition without a barrier between the phases";
    Race Racecheck, rotate<1, 128>: "each element moves to its neighbor in place";
    Race Racecheck, swap_halves<1, 128>: "two halves of a tile change places without a buffer";
    Race Racecheck, maximum<1, 128>: "a maximum that is updated without an atomic";
    Race Racecheck, gather<1, 128>: "no barrier before elements are read whose index is data";
    Race Racecheck, scatter<1, 128>: "elements are written whose index is data, several times the same";
    Race Racecheck, two_arrays<1, 128>: "a barrier orders one of two arrays only";
    Race Racecheck, dynamic_array<1, 128>: "no barrier in dynamic shared memory";
    Race Racecheck, matrix_row<1, 128>: "no barrier before a row of a nested array is read";
    Race Racecheck, sync_warp_for_block<1, 128>: "a barrier of the warp where the block has to wait";
    Race Racecheck, early_exit_of_reader<1, 128>: "one warp reads without having waited";
}

#[gpu_kernel]
fn reverse(x: &[u32], out: &mut [u32]) {
    let mut tile = shared::<[u32; 128]>();
    let t = thread_idx().x;
    tile[t] = x[t]; //~ other
    out[t] = tile[127 - t]; //~ here
}

#[gpu_kernel]
fn neighbor(x: &[u32], out: &mut [u32]) {
    let mut tile = shared::<[u32; 128]>();
    let t = thread_idx().x;
    tile[t] = x[t]; //~ other
    out[t] = tile[(t + 1) % 128]; //~ here
}

#[gpu_kernel]
fn broadcast(x: &[u32], out: &mut [u32]) {
    let mut first = shared::<[u32; 1]>();
    let t = thread_idx().x;
    if t == 0 {
        first[0] = x[7]; //~ other
    }
    out[t] = first[0]; //~ here
}

#[gpu_kernel]
fn broadcast_last(x: &[u32], out: &mut [u32]) {
    let mut last = shared::<[u32; 1]>();
    let t = thread_idx().x;
    if t == 127 {
        last[0] = x[7]; //~ other
    }
    out[t] = last[0]; //~ here
}

#[gpu_kernel]
fn overwrite_after_read(x: &[u32], out: &mut [u32]) {
    let mut tile = shared::<[u32; 128]>();
    let t = thread_idx().x;
    tile[t] = x[t];
    sync_threads();
    let value = tile[127 - t]; //~ other
    tile[t] = value + 1; //~ here
    sync_threads();
    out[t] = tile[t];
}

#[gpu_kernel]
fn tree_without_barrier(x: &[u32], out: &mut [u32]) {
    let mut tile = shared::<[u32; 128]>();
    let t = thread_idx().x;
    tile[t] = x[t];
    sync_threads();
    let mut stride = 64;
    while stride > 0 {
        if t < stride {
            tile[t] += tile[t + stride]; //~ here other
        }
        stride /= 2;
    }
    out[t] = t as u32;
}

#[gpu_kernel]
fn tree_barrier_too_early(x: &[u32], out: &mut [u32]) {
    let mut tile = shared::<[u32; 128]>();
    let t = thread_idx().x;
    tile[t] = x[t]; //~ other
    if t < 64 {
        tile[t] += tile[t + 64]; //~ here
    }
    sync_threads();
    out[t] = tile[0];
}

#[gpu_kernel]
fn tree_result(x: &[u32], out: &mut [u32]) {
    let mut tile = shared::<[u32; 128]>();
    let t = thread_idx().x;
    tile[t] = x[t];
    sync_threads();
    if t == 0 {
        tile[0] += tile[1]; //~ other
    }
    out[t] = tile[0]; //~ here
}

#[gpu_kernel]
fn scan_one_barrier(x: &[u32], out: &mut [u32]) {
    let mut tile = shared::<[u32; 128]>();
    let t = thread_idx().x;
    tile[t] = x[t];
    sync_threads();
    let mut step = 1;
    while step < 128 {
        let before = if t >= step { tile[t - step] } else { 0 }; //~ other
        tile[t] += before; //~ here
        sync_threads();
        step *= 2;
    }
    out[t] = tile[t];
}

#[gpu_kernel]
fn scan_no_buffer(x: &[u32], out: &mut [u32]) {
    let mut tile = shared::<[u32; 128]>();
    let t = thread_idx().x;
    tile[t] = x[t];
    sync_threads();
    if t > 0 {
        tile[t] += tile[t - 1]; //~ here other
    }
    sync_threads();
    out[t] = tile[t];
}

#[gpu_kernel]
fn transpose(x: &[u32], out: &mut [u32]) {
    let mut tile = shared::<[[u32; 8]; 8]>();
    let t = thread_idx().x % 64;
    let (row, column) = (t / 8, t % 8);
    if thread_idx().x < 64 {
        tile[row][column] = x[t]; //~ other
        out[t] = tile[column][row]; //~ here
    }
}

#[gpu_kernel]
fn halo_left(x: &[u32], out: &mut [u32]) {
    let mut tile = shared::<[u32; 129]>();
    let t = thread_idx().x;
    tile[t + 1] = x[t];
    sync_threads();
    if t == 127 {
        tile[0] = x[200]; //~ other
    }
    out[t] = tile[t] + tile[t + 1]; //~ here
}

#[gpu_kernel]
fn halo_right(x: &[u32], out: &mut [u32]) {
    let mut tile = shared::<[u32; 129]>();
    let t = thread_idx().x;
    tile[t] = x[t];
    sync_threads();
    if t == 0 {
        tile[128] = x[200]; //~ other
    }
    out[t] = tile[t] + tile[t + 1]; //~ here
}

#[gpu_kernel]
fn ping_pong(x: &[u32], out: &mut [u32]) {
    let mut buffers = shared::<[[u32; 128]; 2]>();
    let t = thread_idx().x;
    buffers[0][t] = x[t];
    sync_threads();
    buffers[1][t] = buffers[0][(t + 1) % 128]; //~ other
    buffers[0][t] = buffers[1][(t + 1) % 128]; //~ here
    sync_threads();
    out[t] = buffers[0][t];
}

#[gpu_kernel]
fn same_cell(x: &[u32], out: &mut [u32]) {
    let mut cell = shared::<[u32; 1]>();
    let t = thread_idx().x;
    cell[0] = x[t]; //~ here other
    sync_threads();
    out[t] = cell[0];
}

#[gpu_kernel]
fn same_pair(x: &[u32], out: &mut [u32]) {
    let mut cells = shared::<[u32; 64]>();
    let t = thread_idx().x;
    cells[t / 2] = x[t]; //~ here other
    sync_threads();
    out[t] = cells[t / 2];
}

#[gpu_kernel]
fn histogram(x: &[u32], out: &mut [u32]) {
    let mut bins = shared::<[u32; 128]>();
    let t = thread_idx().x;
    bins[t] = 0;
    sync_threads();
    bins[(x[t] % 8) as usize] += 1; //~ here other
    sync_threads();
    out[t] = bins[t];
}

#[gpu_kernel]
fn counter(x: &[u32], out: &mut [u32]) {
    let mut count = shared::<[u32; 1]>();
    let t = thread_idx().x;
    if t == 0 {
        count[0] = 0;
    }
    sync_threads();
    if x[t] % 2 == 0 {
        count[0] += 1; //~ here other
    }
    sync_threads();
    out[t] = count[0];
}

#[gpu_kernel]
fn clear_and_count(x: &[u32], out: &mut [u32]) {
    let mut bins = shared::<[u32; 128]>();
    let t = thread_idx().x;
    bins[t] = 0; //~ other
    if x[t] % 64 == 3 {
        bins[127 - t] = 1; //~ here
    }
    sync_threads();
    out[t] = bins[t];
}

#[gpu_kernel]
fn count_and_read(x: &[u32], out: &mut [u32]) {
    let mut count = shared::<[u32; 1]>();
    let t = thread_idx().x;
    if t == 5 {
        count[0] = 0;
    }
    sync_threads();
    if t == 5 {
        count[0] += x[3]; //~ other
    }
    if t == 77 {
        out[0] = count[0]; //~ here
    }
}

#[gpu_kernel]
fn reset_for_next_round(x: &[u32], out: &mut [u32]) {
    let mut flag = shared::<[u32; 1]>();
    let t = thread_idx().x;
    if t == 0 {
        flag[0] = x[9];
    }
    sync_threads();
    out[t] = flag[0]; //~ other
    if t == 64 {
        flag[0] = 0; //~ here
    }
}

#[gpu_kernel]
fn loop_tile(x: &[u32], out: &mut [u32]) {
    let mut tile = shared::<[u32; 128]>();
    let t = thread_idx().x;
    let mut sum = 0;
    for k in 0..2 {
        tile[t] = x[k * 128 + t]; //~ here
        sync_threads();
        sum += tile[127 - t]; //~ other
    }
    out[t] = sum;
}

#[gpu_kernel]
fn bitonic(x: &[u32], out: &mut [u32]) {
    let mut tile = shared::<[u32; 128]>();
    let t = thread_idx().x;
    tile[t] = 1000 - x[t];
    sync_threads();
    let mut distance = 64;
    while distance > 32 / 2 {
        let partner = t ^ distance;
        let (mine, theirs) = (tile[t], tile[partner]); //~ here other
        if partner > t && mine > theirs {
            tile[t] = theirs; //~ here other
            tile[partner] = mine; //~ here other
        }
        distance /= 2;
    }
    out[t] = x[t];
}

#[gpu_kernel]
fn odd_even(x: &[u32], out: &mut [u32]) {
    let mut tile = shared::<[u32; 128]>();
    let t = thread_idx().x;
    tile[t] = x[t];
    sync_threads();
    if t % 2 == 0 {
        tile[t + 1] += 1; //~ other
    }
    if t % 2 == 1 && t < 127 {
        tile[t + 1] += tile[t]; //~ here
    }
    sync_threads();
    out[t] = tile[t];
}

#[gpu_kernel]
fn rotate(x: &[u32], out: &mut [u32]) {
    let mut tile = shared::<[u32; 128]>();
    let t = thread_idx().x;
    tile[t] = x[t];
    sync_threads();
    tile[t] = tile[(t + 1) % 128]; //~ here other
    sync_threads();
    out[t] = tile[t];
}

#[gpu_kernel]
fn swap_halves(x: &[u32], out: &mut [u32]) {
    let mut tile = shared::<[u32; 128]>();
    let t = thread_idx().x;
    tile[t] = x[t];
    sync_threads();
    let value = tile[(t + 64) % 128]; //~ other
    tile[t] = value; //~ here
    sync_threads();
    out[t] = tile[t];
}

#[gpu_kernel]
fn maximum(x: &[u32], out: &mut [u32]) {
    let mut most = shared::<[u32; 1]>();
    let t = thread_idx().x;
    if t == 0 {
        most[0] = 0;
    }
    sync_threads();
    let most_so_far = most[0]; //~ here other
    if x[t] > most_so_far {
        most[0] = x[t]; //~ here other
    }
    sync_threads();
    out[t] = most[0];
}

#[gpu_kernel]
fn gather(x: &[u32], out: &mut [u32]) {
    let mut tile = shared::<[u32; 128]>();
    let t = thread_idx().x;
    tile[t] = x[t]; //~ other
    out[t] = tile[(x[t] as usize * 5 + 3) % 128]; //~ here
}

#[gpu_kernel]
fn scatter(x: &[u32], out: &mut [u32]) {
    let mut tile = shared::<[u32; 128]>();
    let t = thread_idx().x;
    tile[t] = 0;
    sync_threads();
    tile[(x[t] / 3) as usize] = x[t]; //~ here other
    sync_threads();
    out[t] = tile[t];
}

#[gpu_kernel]
fn two_arrays(x: &[u32], out: &mut [u32]) {
    let mut a = shared::<[u32; 128]>();
    let mut b = shared::<[u32; 128]>();
    let t = thread_idx().x;
    a[t] = x[t];
    sync_threads();
    b[t] = a[127 - t]; //~ other
    out[t] = b[127 - t]; //~ here
}

#[gpu_kernel]
fn dynamic_array(x: &[u32], out: &mut [u32]) {
    let mut tile = dynamic_shared::<u32>(block_dim().x);
    let t = thread_idx().x;
    tile[t] = x[t]; //~ other
    out[t] = tile[127 - t]; //~ here
}

#[gpu_kernel]
fn matrix_row(x: &[u32], out: &mut [u32]) {
    let mut tile = shared::<[[u32; 32]; 4]>();
    let t = thread_idx().x;
    tile[t / 32][t % 32] = x[t]; //~ other
    let mut sum = 0;
    for row in 0..4 {
        sum += tile[row][t % 32]; //~ here
    }
    out[t] = sum;
}

#[gpu_kernel]
fn sync_warp_for_block(x: &[u32], out: &mut [u32]) {
    let mut tile = shared::<[u32; 128]>();
    let t = thread_idx().x;
    tile[t] = x[t]; //~ other
    sync_warp();
    out[t] = tile[127 - t]; //~ here
}

#[gpu_kernel]
fn early_exit_of_reader(x: &[u32], out: &mut [u32]) {
    let mut tile = shared::<[u32; 128]>();
    let t = thread_idx().x;
    tile[t] = x[t]; //~ other
    if t < 32 {
        out[t] = tile[t + 64]; //~ here
    }
    sync_threads();
    out[t + 128] = tile[127 - t];
}

//! Branches, loops and jumps.

// The kernels are read, not launched.
#![allow(dead_code)]

use gpu_runtime::prelude::*;

#[gpu_kernel]
pub(crate) fn branches(a: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        if a[i] > 10 {
            out[i] = 1;
        } else if a[i] > 5 {
            out[i] = 2;
        } else {
            out[i] = 3;
        }
    }
}

#[gpu_kernel]
pub(crate) fn branch_values(a: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let sign = if a[i] > 0.0 {
            1.0
        } else if a[i] < 0.0 {
            -1.0
        } else {
            0.0
        };
        let scaled = {
            let twice = a[i] * 2.0;
            twice * sign
        };
        out[i] = scaled + if i == 0 { 1.0 } else { a[i - 1] };
    }
}

const RADIUS: i32 = 2;

#[gpu_kernel]
pub(crate) fn for_ranges(a: &[i32], n: i32, step: usize, out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        let mut sum = 0;
        for k in 0..a.len() {
            sum += a[k];
        }
        for k in 1..=n {
            sum += k;
        }
        for k in (0..n).rev() {
            if k == 3 {
                continue;
            }
            sum -= k;
        }
        for k in (0..8usize).step_by(2) {
            sum += a[k];
        }
        for k in (0..=n).rev().step_by(step) {
            sum += k;
        }
        for _ in 0..3 {
            sum *= 2;
        }
        for mut k in 0..n {
            k *= 2;
            sum += k;
        }
        for y in -RADIUS..=RADIUS {
            for x in -1..=1 {
                sum -= x * y;
            }
        }
        out[i] = sum;
    }
}

#[gpu_kernel]
pub(crate) fn while_loops(a: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        let mut n = a[i];
        let mut steps = 0;
        while n > 1 && steps < 1000 {
            n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
            steps += 1;
        }
        let mut k = 0;
        while a[k] != 0 {
            k += 1;
        }
        out[i] = steps + k as u32;
    }
}

#[gpu_kernel]
pub(crate) fn loops_with_values(a: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let mut x = a[i];
        let root = loop {
            let next = 0.5 * (x + a[i] / x);
            if (next - x).abs() < 1e-6 {
                break next;
            }
            x = next;
        };
        out[i] = root;
    }
}

#[gpu_kernel]
pub(crate) fn labels(a: &[i32], n: usize, out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        let mut count = 0;
        'rows: for row in 0..n {
            for column in 0..n {
                if a[row * n + column] == 0 {
                    continue 'rows;
                }
                if a[row * n + column] < 0 {
                    break 'rows;
                }
            }
            count += 1;
        }
        let found = 'search: {
            for k in 0..n {
                if a[k] == count {
                    break 'search k as i32;
                }
            }
            -1
        };
        out[i] = count + found;
    }
}

#[gpu_kernel]
pub(crate) fn short_circuit(a: &[i32], k: usize, out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        if k < a.len() && a[k] > 0 || a[i] / a[0] == 2 {
            out[i] = 1;
        }
        let both = i > 0 && a[i - 1] == a[i];
        let plain = i > 2 && k > 3;
        if both != plain {
            out[i] = 2;
        }
    }
}

#[gpu_kernel]
pub(crate) fn early_return(a: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i >= out.len() {
        return;
    }
    let x = if a[i] > 0.0 {
        a[i]
    } else {
        return;
    };
    out[i] = x.ln();
}

/// A loop with a step, whose indices are checked ahead under a condition; and an element of several parts in shared memory.
#[gpu_kernel(block = 32)]
pub(crate) fn warp_reads_padded_row(columns: &[i32], x: &[f32], out: &mut [f32]) {
    let mut parts = shared::<[[f32; 2]; 32]>();
    let lane = thread_idx().x;
    let (mut sum, mut k) = (0.0, lane);
    while k < columns.len() {
        let column = columns[k];
        if column >= 0 {
            sum += x[column as usize];
        }
        k += 32;
    }
    parts[lane] = [sum, k as f32];
    sync_threads();
    let part = parts[31 - lane];
    if lane < out.len() {
        out[lane] = part[0] + part[1];
    }
}

#[gpu_kernel]
pub(crate) fn endless_loop(first: usize, out: &mut [f32]) {
    let i = grid_1d() + first;
    loop {
        if i < out.len() {
            break;
        }
    }
    out[i] = 1.0;
}

#[gpu_kernel]
pub(crate) fn grid_stride_over_a_number(n: usize, out: &mut [f32]) {
    for i in grid_stride(n) {
        out[i] = 1.0;
    }
}

#[gpu_kernel]
pub(crate) fn grid_stride_loop(a: &[f32], k: f32, out: &mut [f32]) {
    for i in grid_stride(out.len()) {
        out[i] = a[i] * k;
    }
}

#[gpu_kernel]
pub(crate) fn element_loops(x: &[f32], y: &[f32], points: &[[f32; 2]], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let mut sum = 0.0;
        for v in x {
            sum += v;
        }
        for (k, v) in x.iter().enumerate().rev() {
            sum += v * k as f32;
        }
        for (a, b) in x.iter().zip(y) {
            sum -= a * b;
        }
        for &[px, py] in points.iter() {
            sum += px * py;
        }
        let mut corners = [(-1, 0), (1, 0)];
        for (dx, _) in corners {
            corners[0].1 += dx;
        }
        corners.swap(0, 1);
        out[i] = sum + corners[1].1 as f32;
    }
}

/// Indices that are largest in the last iteration, of a closure too, and one that may be below zero in the first.
#[gpu_kernel]
pub(crate) fn checks_before_loops(x: &[f32], weights: &[f32], widths: &[u32], out: &mut [f32], rows: u16) {
    let (i, j) = grid_2d();
    if i < out.len() {
        let width = widths[i] as usize;
        let at = |row: usize, column: usize| x[row * width + column];
        let mut sum = 0.0;
        for row in 0..rows {
            sum += at(row as usize, j) * weights[i];
        }
        for k in 0..2 * width + 1 {
            sum += x[i + k - width] * at(2 * k, j);
            if sum > 9.0 {
                break;
            }
        }
        out[i] = sum;
    }
}

/// A loop that looks up by what it looked up before, and changes nothing but its own variables.
#[gpu_kernel]
pub(crate) fn checks_behind_loops(text: &[u8], next: &[u16], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        let (mut state, mut count) = (0, 0);
        for k in 0..64 {
            state = next[state * 26 + text[k] as usize] as usize;
            if state == 3 {
                count += 1;
            }
        }
        out[i] = count;
    }
}

/// `while` loops that count, and one that may leave out a step.
#[gpu_kernel]
pub(crate) fn counted_loops(starts: &[i32], edges: &[i32], cost: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        let (mut best, mut e) = (i32::MAX, starts[i]);
        let end = starts[i + 1];
        while e < end {
            best = best.min(cost[edges[e as usize] as usize]);
            e += 1;
        }
        for k in starts[i]..end {
            out[k as usize] += 1;
        }
        let mut k = 0;
        while k < out.len() {
            if best == 3 {
                k += 2;
                continue;
            }
            k += 1;
        }
        out[i] = best;
    }
}

/// Loops in loops over constants, and `clamp` with limits that stay the same.
#[gpu_kernel]
pub(crate) fn nest_of_loops(image: &[u8], out: &mut [i32], width: i32, height: i32) {
    let (x, y) = (grid_1d() as i32, block_idx().y as i32);
    let mut sum = 0;
    for dy in -1..=1 {
        for dx in -1..=1 {
            let cx = (x + dx).clamp(0, width - 1);
            let cy = (y + dy).clamp(0, height - 1);
            sum += image[(cy * width + cx) as usize] as i32 * dx.clamp(-1, 1);
        }
    }
    if grid_1d() < out.len() {
        out[grid_1d()] = sum;
    }
}

#[gpu_kernel]
pub(crate) fn products_by_chain(a: &[f32], b: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
    }
}

#[gpu_kernel]
pub(crate) fn products_by_loop(a: &[f32], b: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let mut sum = -0.0;
        for k in 0..a.len().min(b.len()) {
            sum += a[k] * b[k];
        }
        out[i] = sum;
    }
}

#[gpu_kernel]
pub(crate) fn largest_by_chain(a: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = a.iter().map(|v| v * 3).fold(i32::MIN, |largest, v| largest.max(v));
    }
}

#[gpu_kernel]
pub(crate) fn largest_by_loop(a: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        let mut largest = i32::MIN;
        for k in 0..a.len() {
            largest = largest.max(a[k] * 3);
        }
        out[i] = largest;
    }
}

#[gpu_kernel]
pub(crate) fn windows_by_chain(a: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = a.windows(3).map(|w| w[0] - 2.0 * w[1] + w[2]).sum::<f32>();
    }
}

#[gpu_kernel]
pub(crate) fn windows_by_loop(a: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let mut sum = -0.0;
        if a.len() >= 3 {
            for k in 0..a.len() - 2 {
                sum += a[k] - 2.0 * a[k + 1] + a[k + 2];
            }
        }
        out[i] = sum;
    }
}

#[gpu_kernel]
pub(crate) fn rows_by_chain(a: &[f32], columns: usize, out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = a[i * columns..(i + 1) * columns].iter().sum::<f32>();
    }
}

#[gpu_kernel]
pub(crate) fn rows_by_loop(a: &[f32], columns: usize, out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let row = &a[i * columns..(i + 1) * columns];
        let mut sum = -0.0;
        for k in 0..row.len() {
            sum += row[k];
        }
        out[i] = sum;
    }
}

#[gpu_kernel]
pub(crate) fn chunks_by_chain(a: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = a.chunks_exact(4).map(|c| c[0] * c[1] + c[2] * c[3]).sum::<f32>();
    }
}

#[gpu_kernel]
pub(crate) fn chunks_by_loop(a: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let mut sum = -0.0;
        for k in 0..a.len() / 4 {
            sum += a[k * 4] * a[k * 4 + 1] + a[k * 4 + 2] * a[k * 4 + 3];
        }
        out[i] = sum;
    }
}

#[gpu_kernel]
pub(crate) fn counted_by_chain(a: &[f32], limit: f32, out: &mut [usize]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = a.iter().filter(|v| **v > limit).count();
    }
}

#[gpu_kernel]
pub(crate) fn counted_by_loop(a: &[f32], limit: f32, out: &mut [usize]) {
    let i = grid_1d();
    if i < out.len() {
        let mut count = 0;
        for k in 0..a.len() {
            if a[k] > limit {
                count += 1;
            }
        }
        out[i] = count;
    }
}

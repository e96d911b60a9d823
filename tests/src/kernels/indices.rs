//! Where a thread is: in its block, in the grid, along one, two and three axes.

use gpu_runtime::prelude::*;

use crate::bench::Bench;
use crate::{cases, launch};

cases![
    every_thread_knows_its_place,
    a_one_dimensional_grid_covers_every_element,
    two_dimensional_coordinates_are_x_and_y,
    three_dimensional_coordinates_are_x_y_and_z,
    strides_visit_every_element_once,
    a_declared_block_is_the_launched_one,
    coordinates_are_values,
    one_thread_per_block_may_write,
];

/// Twelve numbers per thread.
#[gpu_kernel]
pub fn places(out: &mut [usize]) {
    let (t, b, n, g) = (thread_idx(), block_idx(), block_dim(), grid_dim());
    let block = (b.z * g.y + b.y) * g.x + b.x;
    let thread = (t.z * n.y + t.y) * n.x + t.x;
    let first = 12 * (block * n.x * n.y * n.z + thread);
    out[first] = t.x;
    out[first + 1] = t.y;
    out[first + 2] = t.z;
    out[first + 3] = block_idx().x;
    out[first + 4] = block_idx().y;
    out[first + 5] = block_idx().z;
    out[first + 6] = n.x;
    out[first + 7] = block_dim().y;
    out[first + 8] = n.z;
    out[first + 9] = g.x;
    out[first + 10] = g.y;
    out[first + 11] = grid_dim().z;
}

fn every_thread_knows_its_place(bench: &Bench) {
    let (grid, block) = ((3usize, 2, 4), (5usize, 3, 2));
    let mut out = vec![99; 12 * 24 * 30];
    launch!(bench, places(&mut out), grid, block);
    let expected: Vec<usize> = (0..24)
        .flat_map(|b| (0..30).map(move |t| (b, t)))
        .flat_map(|(b, t)| [t % 5, t / 5 % 3, t / 15, b % 3, b / 3 % 2, b / 6, 5, 3, 2, 3, 2, 4])
        .collect();
    assert_eq!(out, expected);
}

/// The usual guard.
#[gpu_kernel]
pub fn numbered(out: &mut [usize]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] += i + 1;
    }
}

fn a_one_dimensional_grid_covers_every_element(bench: &Bench) {
    for (n, grid, block) in [(1, 1, 1), (100, 4, 32), (1000, 1, 1024), (1000, 1000, 1), (77, 8, 11)] {
        let mut out = vec![0; n];
        launch!(bench, numbered(&mut out), grid, block);
        assert_eq!(out, (1..=n).collect::<Vec<_>>());
    }
}

/// Row-major.
#[gpu_kernel]
pub fn plane(width: usize, height: usize, out: &mut [usize]) {
    let (x, y) = grid_2d();
    if x < width && y < height {
        out[y * width + x] += 1000 * y + x;
    }
}

fn two_dimensional_coordinates_are_x_and_y(bench: &Bench) {
    let mut out = vec![0; 13 * 7];
    launch!(bench, plane(13, 7, &mut out), (2, 3), (8, 3));
    assert_eq!(out, (0..7).flat_map(|y| (0..13).map(move |x| 1000 * y + x)).collect::<Vec<_>>());
}

/// The coordinates, bound together.
#[gpu_kernel]
pub fn volume(width: usize, height: usize, depth: usize, out: &mut [usize]) {
    let p = grid_3d();
    let (x, y, _) = p;
    if x < width && y < height && p.2 < depth {
        out[(p.2 * height + y) * width + x] += 10000 * p.2 + 100 * p.1 + p.0;
    }
}

fn three_dimensional_coordinates_are_x_y_and_z(bench: &Bench) {
    let mut out = vec![0; 5 * 4 * 3];
    launch!(bench, volume(5, 4, 3, &mut out), (2, 2, 2), (3, 2, 2));
    let expected: Vec<usize> = (0..3).flat_map(|z| (0..4).flat_map(move |y| (0..5).map(move |x| 10000 * z + 100 * y + x))).collect();
    assert_eq!(out, expected);
}

/// A grid of any size.
#[gpu_kernel]
pub fn strided(x: &[f32], out: &mut [f32], visits: &mut [u32]) {
    let mut rounds = 0;
    for i in grid_stride(x.len()) {
        rounds += 1;
        if i % 7 == 3 {
            continue;
        }
        out[i] = x[i] * 2.0;
        visits[i] += rounds;
    }
}

fn strides_visit_every_element_once(bench: &Bench) {
    let x: Vec<f32> = (0..203).map(|i| i as f32).collect();
    for (grid, block) in [(1, 1), (2, 16), (10, 64)] {
        let (mut out, mut visits) = (vec![-1.0; 203], vec![0; 203]);
        launch!(bench, strided(&x, &mut out, &mut visits), grid, block);
        for i in 0..203 {
            let skipped = i % 7 == 3;
            assert_eq!(out[i], if skipped { -1.0 } else { 2.0 * i as f32 });
            assert_eq!(visits[i], if skipped { 0 } else { 1 + (i / (grid * block) as usize) as u32 });
        }
    }
}

/// Extents that are known when the kernel is compiled.
#[gpu_kernel(block = (8, 4))]
pub fn declared(out: &mut [usize]) {
    let (x, y) = grid_2d();
    let width = grid_dim().x * block_dim().x;
    let mut table = [0; 8];
    table[thread_idx().x] = block_dim().y * 100 + block_dim().z;
    if y * width + x < out.len() {
        out[y * width + x] = table[thread_idx().x] + thread_idx().y;
    }
}

fn a_declared_block_is_the_launched_one(bench: &Bench) {
    let mut out = vec![0; 16 * 8 - 3];
    launch!(bench, declared(&mut out), (2, 2), (8, 4));
    assert_eq!(out, (0..125).map(|i| 401 + i / 16 % 4).collect::<Vec<_>>());
}

/// Coordinates that are stored, copied, compared and cast.
#[gpu_kernel]
pub fn values(out: &mut [i32]) {
    let place = thread_idx();
    let same = place;
    let i = block_idx().x * block_dim().x + same.x;
    if place.x == thread_idx().x && i < out.len() {
        let x = place.x as i32 - 3;
        out[i] = x * x + block_idx().x as i32 * -10;
    }
}

fn coordinates_are_values(bench: &Bench) {
    let mut out = vec![0; 10];
    launch!(bench, values(&mut out), 2, 6);
    assert_eq!(out, [9, 4, 1, 0, 1, 4, -1, -6, -9, -10]);
}

/// Thread 0 of each block sums what belongs to the block.
#[gpu_kernel]
pub fn one_writer(x: &[u64], out: &mut [u64]) {
    if thread_idx().x == 0 {
        let mut sum = 0;
        let first = block_idx().x * block_dim().x;
        for i in first..(first + block_dim().x).min(x.len()) {
            sum += x[i];
        }
        out[block_idx().x] = sum;
    }
}

fn one_thread_per_block_may_write(bench: &Bench) {
    let x: Vec<u64> = (0..70).collect();
    let mut out = vec![0; 5];
    launch!(bench, one_writer(&x, &mut out), 5, 16);
    assert_eq!(out, x.chunks(16).map(|chunk| chunk.iter().sum::<u64>()).collect::<Vec<_>>());
}

//! Indices that are computed of signed integers: what a launch shows not to overflow needs no check, and what overflows is checked as it wraps.

use gpu_runtime::FailureCause::IndexOutOfBounds;
use gpu_runtime::prelude::*;

use crate::bench::Bench;
use crate::{cases, launch, try_launch};

cases![
    neighbours_of_signed_coordinates_are_in_bounds wraps = true,
    an_index_that_overflows_is_what_it_wraps_around_to wraps = true,
    an_image_that_is_shorter_than_its_extents_is_checked wraps = true,
    threads_before_the_first_cell_do_nothing,
    rows_of_a_tile_end_where_the_image_does,
];

/// Sums of cells next to each cell, at the borders clamped, or those of the other side.
#[gpu_kernel]
pub fn neighbours(x: &[i32], out: &mut [i32], width: i32, height: i32) {
    let i = grid_1d() as i32;
    if i < width * height && (i as usize) < out.len() {
        let (row, column) = (i / width, i % width);
        let west = (column + width - 1) % width;
        let north = if row == 0 { height - 1 } else { row - 1 };
        let east = (column + 1).clamp(0, width - 1);
        let south = (row + 2).min(height - 1);
        let before = (column - 3).max(0);
        out[i as usize] = x[(row * width + west) as usize]
            + 10 * x[(north * width + column) as usize]
            + 100 * x[(row * width + east) as usize]
            + 1000 * x[(south * width + before) as usize];
    }
}

#[gpu_kernel]
pub fn shifted(x: &[i32], out: &mut [i32], first: i32, back: i32) {
    let i = grid_1d();
    if i < out.len() {
        let column = first + i as i32;
        out[i] = x[(column - back) as usize];
    }
}

/// The cells by threads that begin a row above the first one, and two columns before.
#[gpu_kernel]
pub fn from_outside(out: &mut [i32], width: i32, height: i32) {
    let (x, y) = grid_2d();
    let (column, row) = (x as i32 - 2, y as i32 - 1);
    if row >= 0 && row < height && column >= 0 && column < width {
        out[(row * width + column) as usize] += 100 * row + column + 1;
    }
}

const TILE: usize = 8;
/// What a block reads around the cells that it writes.
const HALO: i32 = 1;

/// The cells above and below each, at the borders itself, by tiles that overlap.
#[gpu_kernel(block = (TILE, TILE))]
pub fn tiled(x: &[i32], out: &mut [i32], width: i32, height: i32) {
    let mut tile = shared::<[[i32; TILE]; TILE]>();
    let (tx, ty) = (thread_idx().x as i32, thread_idx().y as i32);
    let (end, inner) = (TILE as i32 - HALO, TILE as i32 - 2 * HALO);
    let (top, left) = (inner * block_idx().y as i32 - HALO, inner * block_idx().x as i32 - HALO);
    let (row, column) = (top + ty, left + tx);
    let inside = row >= 0 && row < height && column >= 0 && column < width;
    if inside {
        tile[ty as usize][tx as usize] = x[(row * width + column) as usize];
    }
    sync_threads();
    let (first, last) = ((-top).max(0), (height - 1 - top).min(TILE as i32 - 1));
    let (north, south) = ((ty - 1).max(first), (ty + 1).min(last));
    if inside && tx >= HALO && tx < end && ty >= HALO && ty < end {
        out[(row * width + column) as usize] = 100 * tile[north as usize][tx as usize] + tile[south as usize][tx as usize];
    }
}

fn cells(count: i32) -> Vec<i32> {
    (0..count).map(|k| k * k % 7).collect()
}

fn neighbours_of_signed_coordinates_are_in_bounds(bench: &Bench) {
    for (width, height) in [(1, 1), (5, 4), (2, 9), (17, 3)] {
        let x = cells(width * height);
        let mut out = vec![0; x.len()];
        launch!(bench, neighbours(&x, &mut out, width, height), 4, 16);
        let at = |row: i32, column: i32| x[(row * width + column) as usize];
        for (i, found) in (0..).zip(&out) {
            let (row, column) = (i / width, i % width);
            let expected = at(row, (column + width - 1) % width)
                + 10 * at((row + height - 1) % height, column)
                + 100 * at(row, (column + 1).min(width - 1))
                + 1000 * at((row + 2).min(height - 1), (column - 3).max(0));
            assert_eq!(*found, expected, "{row}, {column} of {width} x {height}");
        }
    }
}

fn an_index_that_overflows_is_what_it_wraps_around_to(bench: &Bench) {
    let x = cells(20);
    for (first, back) in
        [(0, 0), (5, 3), (i32::MAX, i32::MAX), (i32::MAX, i32::MAX - 9), (i32::MIN, i32::MIN), (-3, -4), (i32::MIN, i32::MAX)]
    {
        let mut out = vec![0; 8];
        launch!(bench, shifted(&x, &mut out, first, back), 1, 8);
        let at = |i: i32| x[first.wrapping_add(i).wrapping_sub(back) as usize];
        assert_eq!(out, (0..8).map(at).collect::<Vec<_>>(), "{first}, {back}");
    }
    for (first, back) in [(0, 1), (20, 0), (i32::MIN, 0), (i32::MAX, -1), (i32::MAX, 0), (3, i32::MIN)] {
        let failure = try_launch!(bench, shifted(&x, &mut vec![0], first, back), 1, 1).expect_err("no index");
        let index = first.wrapping_sub(back) as u64;
        assert_eq!(failure.cause, IndexOutOfBounds { index, len: 20 }, "{first}, {back}");
    }
}

fn an_image_that_is_shorter_than_its_extents_is_checked(bench: &Bench) {
    let x = cells(20);
    // The first index of the first cell that is out of bounds. The last extents wrap around to 16, and 16 times the last row to 0.
    let expected = [((5, 5), 20), ((1 << 16, 65537), 65535), ((i32::MAX, 1), i32::MAX - 1), ((16, (1 << 28) + 1), 32)];
    for ((width, height), first) in expected {
        let failure = try_launch!(bench, neighbours(&x, &mut vec![0], width, height), 1, 1).expect_err("no index");
        assert_eq!(failure.cause, IndexOutOfBounds { index: first as u64, len: 20 }, "{width} x {height}");
    }
}

fn threads_before_the_first_cell_do_nothing(bench: &Bench) {
    for (width, height) in [(1, 1), (10, 11), (6, 3), (0, 4), (-1, 5), (40, 2)] {
        let mut out = vec![0; 120];
        launch!(bench, from_outside(&mut out, width, height), (3, 3), (4, 4));
        for (i, found) in (0..).zip(&out) {
            let (row, column) = if width > 0 { (i / width, i % width) } else { (height, 0) };
            // The last column and row that have a thread.
            let expected = if row < height && column < 10 && row < 11 { 100 * row + column + 1 } else { 0 };
            assert_eq!(*found, expected, "{row}, {column} of {width} x {height}");
        }
    }
}

fn rows_of_a_tile_end_where_the_image_does(bench: &Bench) {
    for (width, height) in [(1, 1), (6, 6), (7, 13), (17, 5), (12, 18)] {
        let x = cells(width * height);
        let mut out = vec![-1; x.len()];
        let blocks = |cells: i32| (cells as usize).div_ceil(TILE - 2 * HALO as usize);
        launch!(bench, tiled(&x, &mut out, width, height), (blocks(width), blocks(height)), (TILE, TILE));
        let at = |row: i32, column: i32| x[(row.clamp(0, height - 1) * width + column) as usize];
        for (i, found) in (0..).zip(&out) {
            let (row, column) = (i / width, i % width);
            assert_eq!(*found, 100 * at(row - 1, column) + at(row + 1, column), "{row}, {column} of {width} x {height}");
        }
    }
}

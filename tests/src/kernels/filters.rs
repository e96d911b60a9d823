//! Filters of images and signals, with tiles and their halos in shared memory.

use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_same};
use crate::{cases, launch};

cases![a_separable_filter_is_two_passes, edges_are_found, a_signal_is_filtered];

const RADIUS: usize = 3;
const TAPS: usize = 2 * RADIUS + 1;
const WIDE: usize = 32;
const HIGH: usize = 4;

/// Along rows: a tile as wide as the block and its halo on both sides. Beyond the image there are zeros.
#[gpu_kernel(block = (WIDE, HIGH))]
pub fn filter_rows(image: &[f32], width: usize, height: usize, taps: &[f32], out: &mut [f32]) {
    let mut tile = shared::<[[f32; WIDE + 2 * RADIUS]; HIGH]>();
    let t = thread_idx();
    let (x, y) = grid_2d();
    let first = block_idx().x * WIDE;
    for at in (t.x..WIDE + 2 * RADIUS).step_by(WIDE) {
        // The pixel is `first + at - RADIUS`, which may lie before the image.
        let inside = y < height && first + at >= RADIUS && first + at < width + RADIUS;
        tile[t.y][at] = if inside { image[y * width + first + at - RADIUS] } else { 0.0 };
    }
    sync_threads();
    if x < width && y < height {
        let mut sum = 0.0;
        #[unroll]
        for k in 0..TAPS {
            sum += tile[t.y][t.x + k] * taps[TAPS - 1 - k];
        }
        out[y * width + x] = sum;
    }
}

/// Along columns, with signed coordinates.
#[gpu_kernel(block = (WIDE, HIGH))]
pub fn filter_columns(image: &[f32], width: i32, height: i32, taps: &[f32], out: &mut [f32]) {
    let mut tile = shared::<[[f32; WIDE]; HIGH + 2 * RADIUS]>();
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    let (x, y) = ((block_idx().x * WIDE + tx) as i32, (block_idx().y * HIGH + ty) as i32);
    let mut row = ty;
    while row < HIGH + 2 * RADIUS {
        let from = y - RADIUS as i32 + (row - ty) as i32;
        tile[row][tx] = match from {
            from if x < width && from >= 0 && from < height => image[(from * width + x) as usize],
            _ => 0.0,
        };
        row += HIGH;
    }
    sync_threads();
    if x >= width || y >= height {
        return;
    }
    let mut own = [0.0f32; TAPS];
    for k in 0..TAPS {
        own[k] = taps[k];
    }
    let mut sum = 0.0;
    for k in 0..TAPS {
        sum += tile[ty + k][tx] * own[TAPS - 1 - k];
    }
    out[(y * width + x) as usize] = sum;
}

/// Small whole numbers, whose sums are exact in any order.
fn picture(width: usize, height: usize) -> Vec<f32> {
    (0..width * height).map(|i| (i * i % 23) as f32 - (i % 7) as f32).collect()
}

fn a_separable_filter_is_two_passes(bench: &Bench) {
    let (width, height) = (75, 21);
    let taps = vec![1.0, -2.0, 4.0, 7.0, 0.0, 3.0, 5.0];
    let image = picture(width, height);
    let (mut rows, mut out) = (vec![-1.0; image.len()], vec![-1.0; image.len()]);
    launch!(bench, filter_rows(&image, width, height, &taps, &mut rows), (3, 6), (32, 4));
    launch!(bench, filter_columns(&rows, width as i32, height as i32, &taps, &mut out), (3, 6), (32, 4));
    let pixel = |x: i64, y: i64| {
        let inside = (0..width as i64).contains(&x) && (0..height as i64).contains(&y);
        if inside { image[y as usize * width + x as usize] } else { 0.0 }
    };
    let expected = (0..image.len()).map(|at| {
        let (x, y) = ((at % width) as i64, (at / width) as i64);
        let mut sum = 0.0;
        for (j, down) in taps.iter().enumerate() {
            for (i, right) in taps.iter().enumerate() {
                sum += down * right * pixel(x + 3 - i as i64, y + 3 - j as i64);
            }
        }
        sum
    });
    assert_same(&out, &expected.collect::<Vec<_>>());
}

const SIDE: usize = 16;

/// What stands for a coordinate beyond the image: the nearest one of it.
#[gpu_device]
fn clamped(at: i64, end: usize) -> usize {
    at.clamp(0, end as i64 - 1) as usize
}

/// The strength of edges, and their direction in eighths of a turn; the threads share a tile with a halo of one pixel.
#[gpu_kernel(block = (SIDE, SIDE))]
pub fn sobel(image: &[u8], width: usize, height: usize, strength: &mut [u16], direction: &mut [u8]) {
    let mut tile = shared::<[[u8; SIDE + 2]; SIDE + 2]>();
    let (t, b) = (thread_idx(), block_idx());
    let mut at = t.y * SIDE + t.x;
    while at < (SIDE + 2) * (SIDE + 2) {
        let (column, row) = (at % (SIDE + 2), at / (SIDE + 2));
        let x = clamped((b.x * SIDE + column) as i64 - 1, width);
        let y = clamped((b.y * SIDE + row) as i64 - 1, height);
        tile[row][column] = image[y * width + x];
        at += SIDE * SIDE;
    }
    sync_threads();
    let (x, y) = grid_2d();
    if x < width && y < height {
        let weights = [1i32, 2, 1];
        let (mut right, mut down) = (0, 0);
        for k in 0..3 {
            right += weights[k] * (tile[t.y + k][t.x + 2] as i32 - tile[t.y + k][t.x] as i32);
            down += weights[k] * (i32::from(tile[t.y + 2][t.x + k]) - i32::from(tile[t.y][t.x + k]));
        }
        strength[y * width + x] = (right.unsigned_abs() + down.unsigned_abs()) as u16;
        direction[y * width + x] = match (right.signum(), down.signum()) {
            (0, 0) => 255,
            (1, 0) => 0,
            (1, 1) => 1,
            (0, 1) => 2,
            (-1, 1) => 3,
            (-1, 0) => 4,
            (-1, _) => 5,
            (0, _) => 6,
            _ => 7,
        };
    }
}

fn edges_are_found(bench: &Bench) {
    let (width, height) = (41, 35);
    let shade = |x: usize, y: usize| match (x, y) {
        (10..20, 8..24) => 200,
        (25.., ..12) => 40 + 3 * (x as u8 - 25),
        (_, 28..) => (x * 37 + y * 91) as u8,
        _ => 16,
    };
    let image: Vec<u8> = (0..width * height).map(|at| shade(at % width, at / width)).collect();
    let (mut strength, mut direction) = (vec![9; image.len()], vec![9; image.len()]);
    launch!(bench, sobel(&image, width, height, &mut strength, &mut direction), (3, 3), (16, 16));
    for at in 0..image.len() {
        let pixel = |dx: isize, dy: isize| {
            let x = (at % width).saturating_add_signed(dx).min(width - 1);
            let y = (at / width).saturating_add_signed(dy).min(height - 1);
            i32::from(image[y * width + x])
        };
        let right = pixel(1, -1) - pixel(-1, -1) + 2 * (pixel(1, 0) - pixel(-1, 0)) + pixel(1, 1) - pixel(-1, 1);
        let down = pixel(-1, 1) - pixel(-1, -1) + 2 * (pixel(0, 1) - pixel(0, -1)) + pixel(1, 1) - pixel(1, -1);
        assert_eq!(i32::from(strength[at]), right.abs() + down.abs(), "pixel {at}");
        let turns = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];
        let eighth = turns.iter().position(|turn| *turn == (right.signum(), down.signum())).map_or(255, |eighth| eighth as u8);
        assert_eq!(direction[at], eighth, "pixel {at}");
    }
}

/// `out[i]` is the sum of `taps[k] * x[i - k]`, with zeros before the beginning. At most `MOST` taps.
const MOST: usize = 48;
const THREADS: usize = 64;

#[gpu_kernel(block = THREADS)]
pub fn fir(x: &[i32], taps: &[i32], out: &mut [i64]) {
    let mut tile = shared::<[i32; THREADS + MOST]>();
    let mut weights = shared::<[i32; MOST]>();
    let (t, i) = (thread_idx().x, grid_1d());
    let before = taps.len().saturating_sub(1);
    assert!(taps.len() <= MOST, "too many taps");
    for at in (t..THREADS + before).step_by(block_dim().x) {
        let from = (block_idx().x * THREADS + at).checked_sub(before);
        tile[at] = match from {
            Some(from) if from < x.len() => x[from],
            Some(_) | None => 0,
        };
    }
    if t < taps.len() {
        weights[t] = taps[t];
    }
    sync_threads();
    if i < out.len() {
        let mut sum = 0;
        for k in 0..taps.len() {
            sum += weights[k] as i64 * tile[t + before - k] as i64;
        }
        out[i] = sum;
    }
}

fn a_signal_is_filtered(bench: &Bench) {
    let x: Vec<i32> = (0..1000).map(|i| i * 7919 % 2003 * 1_000_003 % 2_000_000_011 - 1_000_000_000).collect();
    for count in [1, 2, 31, 48] {
        let taps: Vec<i32> = (0..count).map(|k| (k * 37 % 19 - 9) * 10_000_000).collect();
        let mut out = vec![-1; x.len()];
        launch!(bench, fir(&x, &taps, &mut out), 16, 64);
        let mut expected = vec![0i64; x.len() + taps.len()];
        for (i, &x) in x.iter().enumerate() {
            for (k, &tap) in taps.iter().enumerate() {
                expected[i + k] += i64::from(x) * i64::from(tap);
            }
        }
        assert_same(&out, &expected[..x.len()]);
    }
}

//! Whole kernels, small as they are.

// The kernels are read, not launched.
#![allow(dead_code)]

use gpu_runtime::prelude::*;

#[gpu_kernel]
pub(crate) fn vector_add(x: &[f32], y: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] + y[i];
    }
}

#[gpu_kernel]
pub(crate) fn image_2d(image: &[u8], width: usize, height: usize, out: &mut [u8]) {
    let (x, y) = grid_2d();
    if x < width && y < height {
        out[y * width + x] = 255 - image[y * width + x];
    }
}

#[gpu_kernel]
pub(crate) fn volume_3d(field: &[f32], nx: usize, ny: usize, nz: usize, out: &mut [f32]) {
    let (x, y, z) = grid_3d();
    if x < nx && y < ny && z < nz {
        let at = (z * ny + y) * nx + x;
        out[at] = field[at] * block_dim().z as f32 + grid_dim().x as f32;
    }
}

#[gpu_kernel(block = 256)]
pub(crate) fn block_sum(x: &[f32], out: &mut [f32]) {
    let mut tile = shared::<[f32; 256]>();
    let t = thread_idx().x;
    let i = grid_1d();
    tile[t] = if i < x.len() { x[i] } else { 0.0 };
    sync_threads();
    let mut stride = block_dim().x / 2;
    while stride > 0 {
        if t < stride {
            tile[t] += tile[t + stride];
        }
        sync_threads();
        stride /= 2;
    }
    if t == 0 {
        out[block_idx().x] = tile[0];
    }
}

/// Waits in a device function with a shared array of its own.
#[gpu_device]
async fn from_first<T: Num>(value: T) -> T {
    let mut first = shared::<[T; 1]>();
    if thread_idx().x == 0 {
        first[0] = value;
    }
    sync_threads();
    first[0]
}

#[gpu_kernel]
pub(crate) fn row_sums(x: &[f32], n: &[u8], out: &mut [f32]) {
    let i = grid_1d();
    let sum = warp_sum(x[i]);
    let (lanes, _) = warp_match_all(n[i]);
    let mut more = lanes != 0;
    while sync_threads_or(more && warp_any(x[i] > 0.0)) {
        more = false;
    }
    out[i] = from_first(sum).await + warp_shuffle_down_in(sum, 1, 0xffff_ffff);
}

const TILE: usize = 16;

#[gpu_kernel(block = (TILE, TILE))]
pub(crate) fn tiled_matmul(a: &[f32], b: &[f32], n: usize, c: &mut [f32]) {
    let mut left = shared::<[[f32; TILE]; TILE]>();
    let mut right = shared::<[[f32; TILE]; TILE]>();
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    let (column, row) = grid_2d();
    let mut sum = 0.0;
    for tile in 0..n.div_ceil(TILE) {
        let (k, l) = (tile * TILE + tx, tile * TILE + ty);
        left[ty][tx] = if row < n && k < n { a[row * n + k] } else { 0.0 };
        right[ty][tx] = if l < n && column < n { b[l * n + column] } else { 0.0 };
        sync_threads();
        for k in 0..TILE {
            sum += left[ty][k] * right[k][tx];
        }
        sync_threads();
    }
    if row < n && column < n {
        c[row * n + column] = sum;
    }
}

#[gpu_device]
pub(crate) fn square(x: f32) -> f32 {
    x * x
}

#[gpu_device]
pub(crate) fn divided(x: f32, by: i32) -> (f32, bool) {
    if by == 0 {
        return (0.0, false);
    }
    (square(x) / by as f32, true)
}

#[gpu_kernel]
pub(crate) fn device_functions(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let (quotient, valid) = divided(x[i], 3);
        out[i] = if valid { quotient + square(2.0) } else { self::square(x[i]) };
    }
}

#[gpu_device]
pub(crate) fn total(values: &[f32]) -> f32 {
    let mut sum = 0.0;
    for k in 0..values.len() {
        sum += values[k];
    }
    sum
}

#[gpu_device]
pub(crate) fn fill(values: &mut [f32], value: f32) {
    for k in 0..values.len() {
        values[k] = value;
    }
}

#[gpu_kernel]
pub(crate) fn slices_in_device_functions(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let mut local = [0.0f32; 4];
        fill(&mut local, x[i]);
        fill(&mut local[1..3], 0.5);
        out[i] = total(&local) + total(x) + total(&x[..i]);
    }
}

#[gpu_device]
pub(crate) fn smoothstep<T: Float>(low: T, high: T, x: T) -> T {
    let t = ((x - low) / (high - low)).clamp(T::ZERO, T::ONE);
    t * t * (T::from_f64(3.0) - T::from_f64(2.0) * t) + t.exp().abs()
}

#[gpu_device]
pub(crate) fn largest<T: Num, U: Float>(values: &[T], start: T) -> (T, U) {
    let mut best = start;
    for k in 0..values.len() {
        best = best.max(values[k] % start);
    }
    (best, best.cast::<U>() * U::PI)
}

#[gpu_device]
pub(crate) fn hashed<T: Integer>(x: T) -> T {
    let mut hash = (-1i32).cast::<T>() ^ x;
    hash += hash << 3;
    (hash >> 2).wrapping_mul(x.rotate_left(5)) / T::from_i32(7)
}

/// Each generic function for two types.
#[gpu_kernel]
pub(crate) fn generic_functions(x: &[f32], keys: &[u32], precise: &[f64], out: &mut [f64], hashes: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        let (most, scaled): (u32, f32) = largest::<_, f32>(keys, 4);
        let step: f32 = smoothstep(0.0, scaled, x[i]);
        out[i] = smoothstep(step as f64, precise[i], 1.0) + most as f64;
        hashes[i] = hashed(keys[i]) + hashed(keys[i] as u8) as u32;
    }
}

/// In single precision, all of it.
#[gpu_kernel]
pub(crate) fn generic_in_single_precision(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let (most, circumference): (f32, f32) = largest::<f32, f32>(x, 4.0);
        out[i] = smoothstep(0.0, most, x[i]) + circumference;
    }
}

#[gpu_device]
pub(crate) fn row_total<T: Num>(a: View<T, 2>, i: usize) -> T {
    let mut sum = T::ZERO;
    for j in 0..a.shape()[1] {
        sum += a[[i, j]];
    }
    sum
}

/// Every kind of access, with and without a guard.
#[gpu_kernel]
pub(crate) fn views(a: View<f32, 2>, line: View<u8, 1>, cube: ViewMut<f32, 3>, out: ViewMut<f32, 2>) {
    let (j, i) = grid_2d();
    let [rows, columns] = out.shape();
    if i < rows && j < columns {
        out[[i, j]] = a[[i, j + 1]] + row_total(a, i);
        out[[i, j]] *= line[a.len()] as f32;
        for k in 0..cube.shape()[0] {
            cube[[k, i, j]] += out[[i, j]];
        }
    }
    let shape = cube.shape();
    if out.is_empty() && shape[2] > 0 {
        // SAFETY: the kernel is printed and never launched.
        unsafe { *cube.get_unchecked_mut([0, j, i]) = *a.get_unchecked([i, j]) };
    }
}

/// The kernel whose inner loop must have no checks.
#[gpu_kernel]
pub(crate) fn matrix_product(a: View<f32, 2>, b: View<f32, 2>, c: ViewMut<f32, 2>) {
    let (j, i) = grid_2d();
    if i < c.shape()[0] && j < c.shape()[1] {
        let mut sum = 0.0;
        for k in 0..a.shape()[1] {
            sum += a[[i, k]] * b[[k, j]];
        }
        c[[i, j]] = sum;
    }
}

#[gpu_kernel]
pub(crate) fn generic_kernel<T: Float, const N: usize>(a: T, x: &[T], y: &mut [T]) {
    let i = grid_1d();
    if i < y.len() {
        let mut powers = [T::ONE; N];
        for k in 1..N {
            powers[k] = powers[k - 1] * x[i];
        }
        y[i] += a * powers[N - 1];
    }
}

#[gpu_kernel(block = (T, T))]
pub(crate) fn matmul_in_tiles<const T: usize>(a: &[f32], b: &[f32], n: usize, c: &mut [f32]) {
    let mut left = shared::<[[f32; T]; T]>();
    let mut right = shared::<[[f32; T]; T]>();
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    let (column, row) = grid_2d();
    let mut sum = 0.0;
    for tile in 0..n / T {
        left[ty][tx] = a[row * n + tile * T + tx];
        right[ty][tx] = b[(tile * T + ty) * n + column];
        sync_threads();
        for k in 0..T {
            sum += left[ty][k] * right[k][tx];
        }
        sync_threads();
    }
    if row < n && column < n {
        c[row * n + column] = sum;
    }
}

#[gpu_device]
fn midpoint_rule(f: impl Fn(f32) -> f32, from: f32, to: f32, steps: u32) -> f32 {
    let h = (to - from) / steps as f32;
    let mut sum = 0.0;
    for i in 0..steps {
        sum += f(from + (i as f32 + 0.5) * h);
    }
    sum * h
}

#[gpu_device]
fn parabola(x: f32) -> f32 {
    x * x
}

#[gpu_kernel]
pub(crate) fn closures(x: &[f32], c: f32, out: &mut [f32]) {
    let at = |k: usize| x[k];
    let i = grid_1d();
    if i < out.len() {
        let limited = move |v: f32| if v > c { c } else { v };
        out[i] = midpoint_rule(parabola, 0.0, at(i), 10) + midpoint_rule(|t| limited(t) * at(0), 0.0, 1.0, 10);
    }
}

/// Rows that are gathered, and checked in groups.
#[gpu_kernel]
pub(crate) fn sparse_by_dense(starts: &[u32], columns: &[u32], values: &[f32], x: &[f32], y: &mut [f32], width: usize) {
    let (column, row) = grid_2d();
    if column < width && row < y.len() / width {
        let mut sum = 0.0;
        for k in starts[row] as usize..starts[row + 1] as usize {
            sum += values[k] * x[columns[k] as usize * width + column];
        }
        y[row * width + column] = sum;
    }
}

/// Indices that are gathered, and checked.
#[gpu_kernel]
pub(crate) fn sparse_rows(starts: &[u32], columns: &[u32], values: &[f32], x: &[f32], y: &mut [f32], width: usize) {
    let row = grid_1d();
    if row < y.len() {
        let mut sum = 0.0;
        let mut last = 0;
        for k in starts[row] as usize..starts[row + 1] as usize {
            last = columns[k] as usize;
            sum += values[k] * x[last * width + row % width];
        }
        y[row] = sum + x[last];
    }
}

/// Quotients, and a closure with checks.
#[gpu_kernel]
pub(crate) fn periodic(before: &[f32], after: &mut [f32], width: usize, height: usize) {
    let i = grid_1d();
    if i < width * height {
        let (x, y) = (i % width, i / width);
        let at = |x: usize, y: usize| before[y * width + x];
        after[i] = at((x + 1) % width, y) + at(x, (y + height - 1) % height);
    }
}

/// Whether `board[depth]` is none of those before: in 32 bits where its callers are.
#[gpu_device]
fn is_new(board: &[u8; 8], depth: usize) -> bool {
    for row in 0..depth {
        if board[row] == board[depth] {
            return false;
        }
    }
    true
}

#[gpu_device]
fn first_above(x: &[u32], least: u32) -> usize {
    for i in 0..x.len() {
        if x[i] > least {
            return i;
        }
    }
    x.len()
}

/// In 64 bits, as what it passes may need them.
#[gpu_device]
fn above_square(x: &[u32], n: usize) -> u32 {
    first_above(x, (n * n >> 32) as u32) as u32
}

/// Functions of both widths.
#[gpu_kernel]
pub(crate) fn narrow_functions(x: &[u32], out: &mut [u32], n: usize) {
    let i = grid_1d();
    if i < out.len() {
        let mut board = [0u8; 8];
        let place = first_above(x, 7);
        for depth in 0..8 {
            board[depth] = (place * depth) as u8;
            if is_new(&board, depth) && place < n {
                out[i] += above_square(x, n);
            }
        }
        out[i] += x[first_above(x, 3)];
        // Of the sum, only rustc knows the type.
        out[i] += (first_above(x, 9) + 1) as u32;
    }
}

/// Each state is looked up by the one before, in a table whose length a launch cannot show to suffice for every state.
#[gpu_kernel]
pub(crate) fn words(text: &[u8], next: &[u8], ends: &mut [u8], pieces: usize) {
    let piece = grid_1d();
    if piece < pieces {
        let mut state = 0;
        for i in 0..16 {
            let letter = text[i * pieces + piece] as usize;
            state = next[state * 32 + letter] as usize;
        }
        ends[piece] = state as u8;
    }
}

const LETTERS: usize = 256;

/// Casts that are indices: of a state that is looked up by the one before, of coordinates, and in a variable.
#[gpu_kernel]
pub(crate) fn transitions(text: &[u8], next: &[i32], ends: &mut [i32], width: i32) {
    let i = grid_1d();
    if i < ends.len() {
        let mut state = ends[i];
        while state >= 0 {
            state = next[state as usize * LETTERS + text[(i as i32 - width) as usize] as usize];
        }
        let last = next[i] as usize;
        ends[i] = next[last] + next[7 + last * 4];
    }
}

/// The last row of a tile of 16 × 16 for each block, along a diagonal of tiles that begins in the column `first`.
#[gpu_kernel(block = 16)]
pub(crate) fn diagonal_of_tiles(scores: &[i32], side: usize, diagonal: usize, first: usize, out: &mut [i32]) {
    let column = first + block_idx().x;
    let row = diagonal - column;
    out[grid_1d()] = scores[(row * 16 + 15) * side + column * 16 + thread_idx().x];
}

const SIDE: usize = 16;
const DEPTH: usize = 8;

/// Two neighbouring threads read a row.
#[gpu_kernel(block = (SIDE, SIDE))]
pub(crate) fn rows_of_few_threads(rows: &[f32], width: usize, out: &mut [f32]) {
    let t = thread_idx().y * SIDE + thread_idx().x;
    out[t] = rows[t / (DEPTH / 4) * width];
}

/// Indices of `i32`.
#[gpu_kernel]
pub(crate) fn nearest_center(points: &[f32], count: i32, axes: i32, centers: &[f32], groups: i32, nearest: &mut [i32]) {
    let point = grid_1d() as i32;
    if point < count {
        let mut best = -1;
        let mut least = f32::MAX;
        for group in 0..groups {
            let mut distance = 0.0;
            for axis in 0..axes {
                let difference = points[(axis * count + point) as usize] - centers[(group * axes + axis) as usize];
                distance += difference * difference;
            }
            if distance < least {
                least = distance;
                best = group;
            }
        }
        nearest[point as usize] = best;
    }
}

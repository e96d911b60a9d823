//! Gradients of kernels, compared with central differences of the kernels themselves.

use gpu_runtime::gradient::stop_gradient;
use gpu_runtime::prelude::*;

use crate::bench::{Bench, view, view_mut};
use crate::{cases, launch};

cases![
    elements_with_a_guard,
    stencils_add_to_their_neighbours,
    sparse_rows_add_where_their_columns_say,
    bodies_attract_each_other,
    products_of_matrices,
    numbers_have_gradients_too,
    device_functions_are_differentiated,
    variables_that_change_in_branches,
    what_is_overwritten_has_no_gradient,
    sums_into_an_array_keep_its_gradient,
    names_of_ours_and_theirs,
    single_precision_and_conversions,
    constants_in_between,
    views_have_gradients,
    kinks_and_untaken_branches,
    elements_of_iterators,
    what_a_dropped_value_changes_counts,
];

/// What kernels of other files have gradients by.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Wave {
    pub phase: f64,
    pub height: f64,
}

/// What the gradients hold before the launch: they are added to.
pub(super) const BEFORE: f64 = 0.25;

/// Compares `gradients`, of the sum of the elements that `forward` computes times `weights`, with central differences.
#[track_caller]
pub(super) fn check(x: &[Vec<f64>], weights: &[f64], forward: &dyn Fn(&[Vec<f64>]) -> Vec<f64>, gradients: &[&[f64]]) {
    let sum = |x: &[Vec<f64>]| -> f64 { forward(x).iter().zip(weights).map(|(value, weight)| value * weight).sum() };
    let h = 1e-5;
    assert_eq!(x.len(), gradients.len());
    for array in 0..x.len() {
        assert_eq!(x[array].len(), gradients[array].len());
        for element in 0..x[array].len() {
            let at = |step: f64| {
                let mut moved = x.to_vec();
                moved[array][element] += step;
                sum(&moved)
            };
            let expected = (at(h) - at(-h)) / (2.0 * h);
            let found = gradients[array][element] - BEFORE;
            assert!(
                (found - expected).abs() <= 1e-7 * (1.0 + expected.abs()),
                "by element {element} of array {array}: {found} for {expected}"
            );
        }
    }
}

/// Numbers between 0.5 and 1.5 without an order.
pub(super) fn numbers(count: usize, seed: usize) -> Vec<f64> {
    (0..count).map(|i| 0.5 + ((i * 7919 + seed * 104_729 + 13) % 1009) as f64 / 1009.0).collect()
}

#[gpu_kernel(grad, fmad = false)]
pub fn elementwise(x: &[f64], y: &[f64], out: &mut [f64]) {
    let i = grid_1d();
    if i < out.len() {
        let ratio = x[i] / (1.0 + y[i] * y[i]);
        out[i] = ratio.sin() * x[i] - -y[i] * 3.0 + x[i].powi(3) % 2.0;
    }
}

fn elements_with_a_guard(bench: &Bench) {
    let (x, y, weights) = (numbers(20, 1), numbers(20, 2), numbers(20, 3));
    let [mut dx, mut dy] = [(); 2].map(|()| vec![BEFORE; 20]);
    launch!(bench, elementwise::grad(&x, &y, &weights, &mut dx, &mut dy), 2, 16);
    let forward = |x: &[Vec<f64>]| {
        let mut out = vec![0.0; 20];
        launch!(bench, elementwise(&x[0], &x[1], &mut out), 2, 16);
        out
    };
    check(&[x, y], &weights, &forward, &[&dx, &dy]);
}

#[gpu_kernel(grad, fmad = false)]
pub fn stencil(x: &[f64], w: &[f64], out: &mut [f64]) {
    let i = grid_1d();
    if i >= out.len() || i + w.len() > x.len() {
        return;
    }
    let mut sum = 0.0;
    for k in 0..w.len() {
        sum += x[i + k] * w[k];
    }
    out[i] = sum * sum;
}

fn stencils_add_to_their_neighbours(bench: &Bench) {
    let (x, w, weights) = (numbers(24, 1), numbers(5, 2), numbers(20, 3));
    let (mut dx, mut dw) = (vec![BEFORE; 24], vec![BEFORE; 5]);
    launch!(bench, stencil::grad(&x, &w, &weights, &mut dx, &mut dw), 2, 16);
    let forward = |x: &[Vec<f64>]| {
        let mut out = vec![0.0; 20];
        launch!(bench, stencil(&x[0], &x[1], &mut out), 2, 16);
        out
    };
    check(&[x, w], &weights, &forward, &[&dx, &dw]);
}

#[gpu_kernel(grad, fmad = false)]
pub fn sparse_rows(starts: &[u32], columns: &[u32], values: &[f64], x: &[f64], out: &mut [f64]) {
    let row = grid_1d();
    if row < out.len() {
        let mut sum = 0.0;
        for k in starts[row] as usize..starts[row + 1] as usize {
            sum += values[k] * x[columns[k] as usize];
        }
        out[row] = sum;
    }
}

fn sparse_rows_add_where_their_columns_say(bench: &Bench) {
    let starts: Vec<u32> = vec![0, 3, 3, 7, 8, 12];
    let columns: Vec<u32> = vec![0, 2, 5, 1, 2, 3, 2, 4, 5, 4, 0, 5];
    let (values, x, weights) = (numbers(12, 1), numbers(6, 2), numbers(5, 3));
    let (mut dvalues, mut dx) = (vec![BEFORE; 12], vec![BEFORE; 6]);
    launch!(bench, sparse_rows::grad(&starts, &columns, &values, &x, &weights, &mut dvalues, &mut dx), 1, 8);
    let forward = |x: &[Vec<f64>]| {
        let mut out = vec![0.0; 5];
        launch!(bench, sparse_rows(&starts, &columns, &x[0], &x[1], &mut out), 1, 8);
        out
    };
    check(&[values, x], &weights, &forward, &[&dvalues, &dx]);
}

#[gpu_kernel(grad, fmad = false)]
pub fn bodies(x: &[f64], y: &[f64], mass: &[f64], ax: &mut [f64], ay: &mut [f64]) {
    let i = grid_1d();
    if i >= ax.len() || i >= ay.len() {
        return;
    }
    let (own_x, own_y) = (x[i], y[i]);
    let mut force_x = 0.0;
    let mut force_y = 0.0;
    for j in 0..x.len() {
        if j == i {
            continue;
        }
        let dx = x[j] - own_x;
        let dy = y[j] - own_y;
        let r2 = dx * dx + dy * dy + 0.01;
        let scale = mass[j] / (r2 * r2.sqrt());
        force_x += dx * scale;
        force_y += dy * scale;
    }
    ax[i] = force_x;
    ay[i] = force_y;
}

fn bodies_attract_each_other(bench: &Bench) {
    let (x, y, mass) = (numbers(7, 1), numbers(7, 2), numbers(7, 3));
    let weights = numbers(14, 4);
    let [mut dx, mut dy, mut dmass] = [(); 3].map(|()| vec![BEFORE; 7]);
    launch!(bench, bodies::grad(&x, &y, &mass, &weights[..7].to_vec(), &weights[7..].to_vec(), &mut dx, &mut dy, &mut dmass), 1, 8);
    let forward = |x: &[Vec<f64>]| {
        let [mut ax, mut ay] = [(); 2].map(|()| vec![0.0; 7]);
        launch!(bench, bodies(&x[0], &x[1], &x[2], &mut ax, &mut ay), 1, 8);
        [ax, ay].concat()
    };
    check(&[x, y, mass], &weights, &forward, &[&dx, &dy, &dmass]);
}

#[gpu_kernel(grad, fmad = false, block = (4, 4))]
pub fn product(a: &[f64], b: &[f64], n: usize, out: &mut [f64]) {
    let (col, row) = grid_2d();
    if row < n && col < n {
        let mut sum = 0.0;
        for k in 0..n {
            sum += a[row * n + k] * b[k * n + col];
        }
        out[row * n + col] = sum;
    }
}

fn products_of_matrices(bench: &Bench) {
    let (a, b, weights) = (numbers(25, 1), numbers(25, 2), numbers(25, 3));
    let [mut da, mut db] = [(); 2].map(|()| vec![BEFORE; 25]);
    launch!(bench, product::grad(&a, &b, 5, &weights, &mut da, &mut db), (2, 2), (4, 4));
    let forward = |x: &[Vec<f64>]| {
        let mut out = vec![0.0; 25];
        launch!(bench, product(&x[0], &x[1], 5, &mut out), (2, 2), (4, 4));
        out
    };
    check(&[a, b], &weights, &forward, &[&da, &db]);
}

#[gpu_kernel(grad, fmad = false)]
pub fn scaled(x: &[f64], scale: f64, mut offset: f64, power: i32, out: &mut [f64]) {
    let i = grid_1d();
    if i < out.len() {
        if i % 2 == 0 {
            offset *= scale;
        }
        out[i] = (scale * x[i]).powi(power) + offset;
    }
}

fn numbers_have_gradients_too(bench: &Bench) {
    let (x, weights) = (numbers(10, 1), numbers(10, 2));
    let mut dx = vec![BEFORE; 10];
    let [mut dscale, mut doffset] = [(); 2].map(|()| vec![BEFORE]);
    launch!(bench, scaled::grad(&x, 1.5, -0.5, 3, &weights, &mut dx, &mut dscale, &mut doffset), 1, 16);
    let forward = |x: &[Vec<f64>]| {
        let mut out = vec![0.0; 10];
        launch!(bench, scaled(&x[0], x[1][0], x[2][0], 3, &mut out), 1, 16);
        out
    };
    check(&[x, vec![1.5], vec![-0.5]], &weights, &forward, &[&dx, &dscale, &doffset]);
}

#[gpu_device(grad)]
fn bump(x: f64, width: f64, order: i32) -> f64 {
    (-(x / width).powi(order)).exp()
}

#[gpu_kernel(grad, fmad = false)]
pub fn bumps(x: &[f64], width: &[f64], out: &mut [f64]) {
    let i = grid_1d();
    if i < out.len() {
        let near: f64 = bump(x[i] - 1.0, width[0], 2);
        let wide: f64 = self::bump(x[i], 3.0, 4);
        out[i] = near * wide + near;
    }
}

fn device_functions_are_differentiated(bench: &Bench) {
    let (x, width, weights) = (numbers(10, 1), numbers(1, 4), numbers(10, 2));
    let (mut dx, mut dwidth) = (vec![BEFORE; 10], vec![BEFORE]);
    launch!(bench, bumps::grad(&x, &width, &weights, &mut dx, &mut dwidth), 1, 16);
    let forward = |x: &[Vec<f64>]| {
        let mut out = vec![0.0; 10];
        launch!(bench, bumps(&x[0], &x[1], &mut out), 1, 16);
        out
    };
    check(&[x, width], &weights, &forward, &[&dx, &dwidth]);
}

#[gpu_kernel(grad, fmad = false)]
pub fn branching(x: &[f64], limit: f64, out: &mut [f64]) {
    let i = grid_1d();
    if i >= out.len() {
        return;
    }
    let mut y = x[i];
    let squared;
    if y > limit {
        y = y * y;
        if y > 1.5 {
            y = limit / y;
        }
        squared = y * y;
    } else if i % 3 == 0 {
        y -= limit;
        squared = 2.0 * y;
    } else {
        y /= 2.0;
        squared = y;
    }
    let mut z = if y < 0.7 { y * 3.0 } else { y.exp() };
    z *= y;
    y = z - squared;
    z = y * limit;
    out[i] = z * squared + y;
}

fn variables_that_change_in_branches(bench: &Bench) {
    let (x, weights) = (numbers(30, 1), numbers(30, 2));
    let (mut dx, mut dlimit) = (vec![BEFORE; 30], vec![BEFORE]);
    launch!(bench, branching::grad(&x, 0.9, &weights, &mut dx, &mut dlimit), 1, 32);
    let forward = |x: &[Vec<f64>]| {
        let mut out = vec![0.0; 30];
        launch!(bench, branching(&x[0], x[1][0], &mut out), 1, 32);
        out
    };
    check(&[x, vec![0.9]], &weights, &forward, &[&dx, &dlimit]);
}

/// Each thread writes a row, some elements of it several times: the last value counts.
#[gpu_kernel(grad, fmad = false)]
pub fn overwriting_rows(x: &[f64], columns: usize, out: &mut [f64]) {
    let row = grid_1d();
    if row < x.len() && (row + 1) * columns <= out.len() {
        for k in 0..columns * 2 {
            out[row * columns + k % columns] = x[row] * (k + 1) as f64;
        }
        out[row * columns] = x[row] * x[row];
        if x[row] > 1.0 {
            out[row * columns] = 5.0;
        }
        out[row * columns + 1] -= x[row] * x[row];
    }
}

fn what_is_overwritten_has_no_gradient(bench: &Bench) {
    let (x, weights) = (numbers(6, 1), numbers(18, 2));
    let (mut dx, mut dout) = (vec![BEFORE; 6], weights.clone());
    launch!(bench, overwriting_rows::grad(&x, 3, &mut dout, &mut dx), 1, 8);
    // The values before the launch have no part in the result.
    assert_eq!(dout, [0.0; 18]);
    let forward = |x: &[Vec<f64>]| {
        let mut out = vec![7.0; 18];
        launch!(bench, overwriting_rows(&x[0], 3, &mut out), 1, 8);
        out
    };
    check(&[x], &weights, &forward, &[&dx]);
}

#[gpu_kernel(grad, fmad = false)]
pub fn adding(x: &[f64], out: &mut [f64]) {
    let i = grid_1d();
    if i < out.len() {
        for j in 0..x.len() {
            if j != i {
                out[i] += x[j] * x[i];
            }
        }
        out[i] -= x[i];
    }
}

fn sums_into_an_array_keep_its_gradient(bench: &Bench) {
    let (x, weights) = (numbers(6, 1), numbers(6, 2));
    let mut dx = vec![BEFORE; 6];
    launch!(bench, adding::grad(&x, &weights, &mut dx), 1, 8);
    let forward = |x: &[Vec<f64>]| {
        let mut out = vec![7.0; 6];
        launch!(bench, adding(&x[0], &mut out), 1, 8);
        out
    };
    check(&[x], &weights, &forward, &[&dx]);
}

const T_2: f64 = 3.0;

#[gpu_device(grad)]
fn grad(x: f64) -> f64 {
    x * x * x
}

/// The names of the adjoint's own variables, and one name for several variables.
#[gpu_kernel(grad, fmad = false)]
pub fn hiding(x: &[f64], d_x: &[f64], d_out: f64, out: &mut [f64]) {
    const T: f64 = 2.0;
    let i = grid_1d();
    if i < out.len() {
        let k = i;
        let x_now = d_x[k];
        let t = x[k] * T;
        let x = t * x_now;
        let x = x * x + t;
        let g = {
            let t = x * d_out;
            let d_t: f64 = grad(t);
            d_t * T_2
        };
        let slope = t.sqrt();
        let result = if i > 2 { slope } else { g * slope };
        out[i] = result * x + g;
    }
}

fn names_of_ours_and_theirs(bench: &Bench) {
    let (x, y, weights) = (numbers(6, 1), numbers(6, 3), numbers(6, 2));
    let ([mut dx, mut dy], mut dz) = ([(); 2].map(|()| vec![BEFORE; 6]), vec![BEFORE]);
    launch!(bench, hiding::grad(&x, &y, 0.5, &weights, &mut dx, &mut dy, &mut dz), 1, 8);
    let forward = |x: &[Vec<f64>]| {
        let mut out = vec![7.0; 6];
        launch!(bench, hiding(&x[0], &x[1], x[2][0], &mut out), 1, 8);
        out
    };
    check(&[x, y, vec![0.5]], &weights, &forward, &[&dx, &dy, &dz]);
}

#[gpu_kernel(grad, fmad = false)]
pub fn mixed(x: &[f32], w: &[f64], n: u32, kept: &mut [u32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() && i < kept.len() {
        let mut sum = 0.0;
        for k in 0..n {
            sum += x[i] as f64 * w[k as usize] * f64::from(k + 1);
        }
        kept[i] = n;
        out[i] = sum as f32 + x[i] * 0.5;
    }
}

fn single_precision_and_conversions(bench: &Bench) {
    let (x, w, weights) = (vec![0.5f32, 1.5, 2.0], vec![1.0, 2.0], vec![1.0f32, 2.0, 4.0]);
    let (mut dx, mut dw, mut kept) = (vec![0.0f32; 3], vec![0.0; 2], vec![9u32; 3]);
    launch!(bench, mixed::grad(&x, &w, 2, &mut kept, &weights, &mut dx, &mut dw), 1, 4);
    assert_eq!(dx, [5.5, 11.0, 22.0]);
    assert_eq!(dw, [11.5, 23.0]);
    assert_eq!(kept, [9; 3]);
}

#[gpu_kernel(grad, fmad = false)]
pub fn interpolated(table: &[f64], x: &[f64], out: &mut [f64]) {
    let i = grid_1d();
    if i < out.len() {
        let cell = stop_gradient(x[i]) as usize;
        let along = x[i] - stop_gradient(x[i].floor());
        let index_as_number = i as f64;
        out[i] = table[cell] * (1.0 - along) + table[cell + 1] * along * (1.0 + index_as_number);
    }
}

fn constants_in_between(bench: &Bench) {
    let (table, x, weights) = (numbers(5, 1), vec![0.25, 1.5, 2.75, 3.25], numbers(4, 2));
    let (mut dtable, mut dx) = (vec![BEFORE; 5], vec![BEFORE; 4]);
    launch!(bench, interpolated::grad(&table, &x, &weights, &mut dtable, &mut dx), 1, 4);
    let forward = |x: &[Vec<f64>]| {
        let mut out = vec![7.0; 4];
        launch!(bench, interpolated(&x[0], &x[1], &mut out), 1, 4);
        out
    };
    check(&[table, x], &weights, &forward, &[&dtable, &dx]);
}

#[gpu_kernel(grad, fmad = false)]
pub fn transposed(x: View<f64, 2>, scale: f64, mut out: ViewMut<f64, 2>) {
    let (col, row) = grid_2d();
    if row < out.shape()[0] && col < out.shape()[1] {
        out[[row, col]] = x[[col, row]] * x[[col, 0]] * scale;
    }
}

fn views_have_gradients(bench: &Bench) {
    let (x, weights) = (numbers(12, 1), numbers(12, 2));
    let (mut dx, mut dscale) = (vec![BEFORE; 12], vec![BEFORE]);
    launch!(bench, transposed::grad(view(&x, [4, 3]), 1.5, view(&weights, [3, 4]), view_mut(&mut dx, [4, 3]), &mut dscale), 1, (4, 4));
    let forward = |x: &[Vec<f64>]| {
        let mut out = vec![7.0; 12];
        launch!(bench, transposed(view(&x[0], [4, 3]), x[1][0], view_mut(&mut out, [3, 4])), 1, (4, 4));
        out
    };
    check(&[x, vec![1.5]], &weights, &forward, &[&dx, &dscale]);
}

#[gpu_kernel(grad, fmad = false)]
pub fn kinked(x: &[f64], out: &mut [f64]) {
    let i = grid_1d();
    if i < out.len() {
        let root = if x[i] > 0.0 { x[i].sqrt() } else { 0.0 };
        let inverse = if x[i] != 0.0 { 1.0 / x[i] } else { 1.0 };
        out[i] = root + inverse + x[i].abs() + x[i].max(0.0) + x[i].clamp(-1.0, 1.0);
    }
}

fn kinks_and_untaken_branches(bench: &Bench) {
    let x = vec![0.0, -4.0, 4.0];
    let mut dx = vec![0.0; 3];
    launch!(bench, kinked::grad(&x, &vec![1.0; 3], &mut dx), 1, 4);
    assert_eq!(dx, [1.5, -0.0625 - 1.0, 0.25 - 0.0625 + 2.0]);
}

#[gpu_kernel(grad, fmad = false)]
pub fn chained(x: &[f64], w: &[f64], out: &mut [f64]) {
    let i = grid_1d();
    if i >= out.len() {
        return;
    }
    let mut sum = 0.0;
    for (a, b) in x.iter().zip(w) {
        sum += a * b * x[i];
    }
    let total: f64 = w.iter().map(|w| w * w).sum();
    out[i] = sum + total;
}

fn elements_of_iterators(bench: &Bench) {
    let (x, w, weights) = (numbers(6, 1), numbers(4, 3), numbers(6, 2));
    let (mut dx, mut dw) = (vec![BEFORE; 6], vec![BEFORE; 4]);
    launch!(bench, chained::grad(&x, &w, &weights, &mut dx, &mut dw), 1, 8);
    let forward = |x: &[Vec<f64>]| {
        let mut out = vec![7.0; 6];
        launch!(bench, chained(&x[0], &x[1], &mut out), 1, 8);
        out
    };
    check(&[x, w], &weights, &forward, &[&dx, &dw]);
}

#[gpu_kernel(grad, fmad = false)]
pub fn dropped_values(x: &[f64], out: &mut [f64]) {
    let i = grid_1d();
    if i < out.len() && i < x.len() {
        let mut v = x[i];
        let _ = std::mem::replace(&mut v, 3.0 * x[i]);
        let (_, w) = (
            {
                v *= 2.0;
                v
            },
            v * x[i],
        );
        _ = if x[i] > 1.0 {
            v += 1.0;
            v
        } else {
            v *= v;
            0.0
        };
        let mut squares = 0.0;
        for _ in x.iter().map(|&element| squares += element * element) {}
        out[i] = v + w * squares;
    }
}

fn what_a_dropped_value_changes_counts(bench: &Bench) {
    let (x, weights) = (numbers(10, 1), numbers(10, 2));
    let mut dx = vec![BEFORE; 10];
    launch!(bench, dropped_values::grad(&x, &weights, &mut dx), 1, 16);
    let forward = |x: &[Vec<f64>]| {
        let mut out = vec![0.0; 10];
        launch!(bench, dropped_values(&x[0], &mut out), 1, 16);
        out
    };
    check(&[x], &weights, &forward, &[&dx]);
}

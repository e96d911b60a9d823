//! `let`: shadowing, tuples, destructuring, late initialisation; assignments and their order.

use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_same};
use crate::{cases, launch};

cases![
    a_shadowed_name_means_the_last_binding,
    tuples_are_taken_apart,
    variables_swap,
    elements_swap,
    a_variable_may_get_its_value_later,
    blocks_have_values,
    operands_are_evaluated_from_left_to_right,
    arrays_are_operands_too,
    an_index_may_write_the_array_it_indexes,
    the_value_of_an_assignment_comes_before_its_index,
    literals_take_the_type_of_their_use,
    functions_of_std_exchange_values,
    functions_of_std_choose_values,
];

/// `x` in five scopes.
#[gpu_kernel]
pub fn shadowing(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        let x = x[i];
        let x = x + 1;
        let y = {
            let x = x * 10;
            let x = x + x;
            x
        };
        let x = x as f32 * 0.5;
        if x > 2.0 {
            let x = y;
            out[i] = x + 7;
        } else {
            out[i] = y - x as i32;
        }
    }
}

fn a_shadowed_name_means_the_last_binding(bench: &Bench) {
    let mut out = vec![0; 6];
    launch!(bench, shadowing(&vec![0, 1, 2, 3, 4, 5], &mut out), 1, 32);
    // x + 1, times 20, and then 7 more or half of x + 1 less.
    assert_eq!(out, [20, 39, 59, 78, 107, 127]);
}

/// Tuples of different types, nested.
#[gpu_kernel]
pub fn tuples(x: &[f64], out: &mut [f64]) {
    let i = grid_1d();
    if i < x.len() {
        let pair = (x[i], i as u8);
        let (a, b) = pair;
        let (c, (d, _)) = (a * 2.0, (b as f64, 5));
        let nested = ((c, d), true);
        let ((e, f), flag) = nested;
        let mut changed = (e, 1i32);
        changed.0 += f;
        changed.1 -= 3;
        let single = (4.0f64,);
        let (four,) = single;
        out[3 * i] = changed.0;
        out[3 * i + 1] = changed.1 as f64;
        out[3 * i + 2] = if flag { four + pair.0 + nested.0.1 } else { 0.0 };
    }
}

fn tuples_are_taken_apart(bench: &Bench) {
    let x = vec![0.5, -1.0, 3.25];
    let mut out = vec![0.0; 9];
    launch!(bench, tuples(&x, &mut out), 1, 4);
    let expected: Vec<f64> = x.iter().enumerate().flat_map(|(i, x)| [2.0 * x + i as f64, -2.0, 4.0 + x + i as f64]).collect();
    assert_same(&out, &expected);
}

/// `(a, b) = (b, a)` and rotations.
#[gpu_kernel]
pub fn swaps(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < x.len() {
        let (mut a, mut b, mut c) = (x[i], x[i] + 1, x[i] + 2);
        (a, b) = (b, a);
        (a, b, c) = (c, a, b);
        let mut rest = 0;
        (rest, _) = (rest + a, b);
        let pair = (b, c);
        (c, b) = pair;
        out[i] = a * 1000000 + b * 10000 + c * 100 + rest;
    }
}

fn variables_swap(bench: &Bench) {
    let mut out = vec![0; 2];
    launch!(bench, swaps(&vec![1, 5], &mut out), 1, 2);
    // (1, 2, 3) → (2, 1, 3) → (3, 2, 1), rest = 3, then b and c change places.
    assert_eq!(out, [3010203, 7050607]);
}

/// Neighbours change places, through tuple assignment and compound assignment of elements.
#[gpu_kernel]
pub fn swap_neighbours(x: &mut [i64]) {
    let i = grid_1d();
    if 2 * i + 1 < x.len() {
        (x[2 * i], x[2 * i + 1]) = (x[2 * i + 1], x[2 * i]);
        x[2 * i] += 100;
        x[2 * i + 1] *= x[2 * i];
    }
}

fn elements_swap(bench: &Bench) {
    let mut x = vec![1, 2, 3, 4, 5];
    launch!(bench, swap_neighbours(&mut x), 1, 4);
    assert_eq!(x, [102, 102, 104, 312, 5]);
}

/// `let x;`
#[gpu_kernel]
pub fn late(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        let sign;
        let (low, high): (i32, i32);
        if x[i] < 0 {
            sign = -1;
            (low, high) = (x[i], 0);
        } else {
            sign = 1;
            (low, high) = (0, x[i]);
        }
        let mut sum: i32 = 0;
        for j in low..high {
            sum += j;
        }
        out[i] = sum * sign;
    }
}

fn a_variable_may_get_its_value_later(bench: &Bench) {
    let mut out = vec![0; 3];
    launch!(bench, late(&vec![-3, 0, 4], &mut out), 1, 3);
    assert_eq!(out, [6, 0, 6]);
}

/// Blocks and `if`s in every place that takes a value.
#[gpu_kernel]
pub fn block_values(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        let a = { x[i] } + {
            let b = x[i] * 2;
            if b > 4 {
                b
            } else if b > 2 {
                b * 10
            } else {
                b * 100
            }
        };
        out[{
            let j = i;
            j
        }] = if { a > 10 } {
            let c = a - 10;
            c
        } else {
            a
        } + if a == 1 {
            5
        } else {
            let d = a;
            d * d
        };
    }
}

fn blocks_have_values(bench: &Bench) {
    let x = vec![0, 1, 2, 3, 4];
    let mut out = vec![0; 5];
    launch!(bench, block_values(&x, &mut out), 1, 5);
    let expected: Vec<i32> = x
        .iter()
        .map(|x| {
            let a = x + [2 * x * 100, 2 * x * 10, 2 * x][usize::from(2 * x > 2) + usize::from(2 * x > 4)];
            let left = if a > 10 { a - 10 } else { a };
            left + if a == 1 { 5 } else { a * a }
        })
        .collect();
    assert_eq!(out, expected);
}

/// Operands that change what later operands read.
#[gpu_kernel]
#[expect(unused_assignments, reason = "that the first value is not read is what the case shows")]
pub fn order(out: &mut [i32]) {
    if grid_1d() == 0 {
        let mut n = 1;
        out[0] =
            n + {
                n = 10;
                n
            } + n;
        out[1] = {
            n += 1;
            n
        } * 100
            - {
                n *= 2;
                n
            };
        let pair = (
            n,
            {
                n = 5;
                n
            },
            n,
        );
        out[2] = pair.0 * 100 + pair.1 * 10 + pair.2;
        let list = [
            n,
            {
                n -= 4;
                n
            },
            n + 1,
        ];
        out[3] = list[0] * 100 + list[1] * 10 + list[2];
        out[4] = n.max({
            n = -7;
            n
        }) - n;
        let mut t = [0, 0, 0];
        let mut k = 0;
        t[{
            k += 1;
            k
        }] = k as i32 + 40;
        out[5] = t[0] + t[1];
        let mut m = 3;
        m += {
            m = 100;
            1
        };
        out[6] = m;
    }
}

fn operands_are_evaluated_from_left_to_right(bench: &Bench) {
    let mut out = vec![0; 7];
    launch!(bench, order(&mut out), 1, 1);
    // For numbers, `m += …` evaluates the right side before it reads `m`.
    assert_eq!(out, [1 + 10 + 10, 11 * 100 - 22, 2200 + 55, 512, 8, 40, 101]);
}

/// Whole arrays that later operands change.
#[gpu_kernel]
pub fn array_order(out: &mut [i32]) {
    if grid_1d() == 0 {
        let mut a = [1, 2];
        let pair = (a, {
            a[0] = 5;
            a[0]
        });
        out[0] = pair.0[0] * 10 + pair.1;
        let rows = [
            a,
            {
                a = [8, 9];
                a
            },
            a,
        ];
        out[1] = rows[0][0] * 100 + rows[1][1] * 10 + rows[2][0];
        let (before, after) = (a, {
            a[1] = 3;
            a
        });
        out[2] = before[1] * 10 + after[1];
        let table = [([1, 2], 3), ([4, 5], 6)];
        let mut k = 0;
        out[3] = table[k].0[{
            k = 1;
            k
        }];
        k = 0;
        let rows = [[1, 2], [3, 4]];
        let row: i32 = first_plus(&rows[k], {
            k = 1;
            k as i32
        });
        out[4] = row * 10 + rows[k].len() as i32;
    }
}

#[gpu_device]
fn first_plus(x: &[i32], more: i32) -> i32 {
    x[0] + more
}

fn arrays_are_operands_too(bench: &Bench) {
    let mut out = vec![0; 5];
    launch!(bench, array_order(&mut out), 1, 1);
    assert_eq!(out, [15, 598, 93, 2, 22]);
}

#[gpu_device]
fn entry_after_a_write(x: &mut [i32], at: usize) -> i32 {
    x[{
        x[at] += 1;
        at
    }]
}

/// The index changes what it points to; a `;` alone changes nothing.
#[gpu_kernel]
pub fn writing_index(x: &mut [i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        let mut rows = [[1, 2], [3, 4]];
        let a = x[{
            x[i] *= 10;
            i
        }];
        let b = rows[1][{
            rows[1][0] = 50;
            0
        }];
        let c: i32 = entry_after_a_write(x, i);
        out[i] = a + b + c;
    }
}

fn an_index_may_write_the_array_it_indexes(bench: &Bench) {
    let (mut x, mut out) = (vec![1, 2], vec![0; 2]);
    launch!(bench, writing_index(&mut x, &mut out), 1, 2);
    assert_eq!(x, [11, 21]);
    assert_eq!(out, [10 + 50 + 11, 20 + 50 + 21]);
}

/// The right side changes the variable in the index on the left.
#[gpu_kernel]
#[expect(unused_assignments, reason = "that the first value is not read is what the case shows")]
pub fn index_order(out: &mut [i32]) {
    if grid_1d() == 0 {
        let mut i = 0;
        out[i] = {
            i = 2;
            7
        };
        out[i + 1] += {
            i = 0;
            5
        };
    }
}

fn the_value_of_an_assignment_comes_before_its_index(bench: &Bench) {
    let mut out = vec![1; 4];
    launch!(bench, index_order(&mut out), 1, 1);
    // `i` is 2 when the first index is evaluated, and 0 when the second is.
    assert_eq!(out, [1, 6, 7, 1]);
}

/// A literal is an `f32` next to an `f32`: in `f64` the sums would differ.
#[gpu_kernel(fmad = false)]
pub fn literals(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < x.len() {
        let mut s = 0.1;
        for _ in 0..10 {
            s += x[i] * 1.1;
        }
        out[i] = s + 1e-8 + 16777217.0;
        let wide = 0.1 + 0.2;
        out[i + x.len()] = (wide - 0.3) as f32;
        let n = 3_000_000_000u32;
        let big = 0xffff_ffff_ffffu64 + 1_000;
        out[i + 2 * x.len()] = (n as u64 + big + b'a' as u64) as f32;
    }
}

fn literals_take_the_type_of_their_use(bench: &Bench) {
    let x = vec![0.3f32, 1.7, -2.9];
    let mut out = vec![0.0; 9];
    launch!(bench, literals(&x, &mut out), 1, 3);
    let sum = |x: f32| (0..10).fold(0.1f32, |s, _| s + x * 1.1f32) + 1e-8f32 + 16777217.0f32;
    let mut expected: Vec<f32> = x.iter().map(|&x| sum(x)).collect();
    expected.extend([((0.1f64 + 0.2f64) - 0.3f64) as f32; 3]);
    expected.extend([(3_000_000_000u64 + 0xffff_ffff_ffff + 1_000 + 97) as f32; 3]);
    assert_same(&out, &expected);
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Ends {
    low: i32,
    high: [i32; 2],
}

#[gpu_kernel]
pub fn exchanged(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < x.len() && i < out.len() {
        let (mut low, mut high) = (x[i], 7);
        if low > high {
            std::mem::swap(&mut low, &mut high);
        }
        let mut first = Ends { low, high: [1, 2] };
        let mut second = Ends { low: high, high: [3, 4] };
        core::mem::swap(&mut first.low, &mut second.high[i % 2]);
        std::mem::swap(&mut first, &mut second);
        let before = std::mem::replace(&mut out[i], 70);
        let taken = std::mem::take(&mut low);
        out[i] += first.low * 1000 + second.low * 100_000 + first.high[i % 2] * 7 + before + taken + low;
    }
}

fn functions_of_std_exchange_values(bench: &Bench) {
    let x = vec![3, 12, 7];
    let mut out = vec![1, 2, 3];
    launch!(bench, exchanged(&x, &mut out), 1, 32);
    let expected: Vec<i32> = x
        .iter()
        .enumerate()
        .map(|(i, &x)| {
            let (low, high) = (x.min(7), x.max(7));
            70 + high * 1000 + [3, 4][i % 2] * 100_000 + low * 7 + (i as i32 + 1) + low
        })
        .collect();
    assert_eq!(out, expected);
}

#[gpu_kernel]
pub fn chosen(x: &[u64], out: &mut [u64]) {
    let i = grid_1d();
    if i < x.len() && i < out.len() {
        out[i] = std::cmp::min(x[i], 5) + core::cmp::max(x[i], 2) * 100;
    }
}

fn functions_of_std_choose_values(bench: &Bench) {
    let mut out = vec![0; 3];
    launch!(bench, chosen(&vec![1, 4, 9], &mut out), 1, 32);
    assert_eq!(out, [201, 404, 905]);
}

//! What changes how a kernel is compiled and nothing of what it computes: options of the attribute, unrolled loops.

use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_same};
use crate::{cases, launch};

cases![options_change_no_result, bounds_and_registers_go_with_a_block, every_kind_of_loop_unrolls, unrolled_loops_can_be_left];

const WARPS: u32 = 4;

/// A few steps of a logistic map.
macro_rules! logistic {
    ($($name:ident ($($options:tt)*);)*) => {
        $(#[gpu_kernel(fmad = false, $($options)*)]
        pub fn $name(x: &[f32], out: &mut [f32]) {
            let i = grid_1d();
            if i < out.len() {
                let mut value = x[i];
                for _ in 0..10 {
                    value = 3.7 * value * (1.0 - value);
                }
                out[i] = value;
            }
        })*
    };
}

logistic! {
    plain ();
    bounded (launch_bounds = 64);
    crowded (launch_bounds = (WARPS * 32, 8));
    few_registers (max_registers = 24);
    not_optimised (opt = 0);
    barely_optimised (opt = 1);
    optimised (opt = 3);
    with_lines (lineinfo = true);
    with_all (launch_bounds = (64, 2), opt = 2, lineinfo = true);
}

fn options_change_no_result(bench: &Bench) {
    let x: Vec<f32> = (0..100).map(|i| i as f32 / 100.0).collect();
    let expected: Vec<f32> = x.iter().map(|&x| (0..10).fold(x, |value, _| 3.7 * value * (1.0 - value))).collect();
    macro_rules! check {
        ($($name:ident),*) => {
            $(
                let mut out = vec![0.0; 100];
                launch!(bench, $name(&x, &mut out), 2, 64);
                assert_same(&out, &expected);
            )*
        };
    }
    check!(plain, bounded, crowded, few_registers, not_optimised, barely_optimised, optimised, with_lines, with_all);
}

#[gpu_kernel(block = (8, 8), launch_bounds = (64, 4))]
pub fn block_and_bounds(out: &mut [usize]) {
    let (x, y) = grid_2d();
    let i = y * 16 + x;
    if x < 16 && i < out.len() {
        out[i] = thread_idx().y * 10 + thread_idx().x;
    }
}

#[gpu_kernel(block = (8, 8), max_registers = 32)]
pub fn block_and_registers(out: &mut [usize]) {
    let (x, y) = grid_2d();
    let i = y * 16 + x;
    if x < 16 && i < out.len() {
        out[i] = thread_idx().y * 10 + thread_idx().x;
    }
}

fn bounds_and_registers_go_with_a_block(bench: &Bench) {
    let expected: Vec<usize> = (0..256).map(|i| i / 16 % 8 * 10 + i % 8).collect();
    let (mut bounds, mut registers) = (vec![0; 256], vec![0; 256]);
    launch!(bench, block_and_bounds(&mut bounds), (2, 2), (8, 8));
    launch!(bench, block_and_registers(&mut registers), (2, 2), (8, 8));
    assert_eq!((&bounds, &registers), (&expected, &expected));
}

const FACTOR: usize = 2;

/// The sum of the squares below `n`, by each kind of loop.
#[gpu_kernel]
pub fn sums(n: u32, out: &mut [u32]) {
    if grid_1d() == 0 {
        let mut sum = 0;
        #[unroll]
        for k in 0..n {
            sum += k * k;
        }
        out[0] = sum;

        sum = 0;
        #[unroll(4)]
        for k in (0..n).rev() {
            sum += k * k;
        }
        out[1] = sum;

        sum = 0;
        let mut k = 0;
        #[unroll(FACTOR * 4)]
        while k < n {
            sum += k * k;
            k += 1;
        }
        out[2] = sum;

        sum = 0;
        k = 0;
        #[unroll(1)]
        loop {
            if k == n {
                break;
            }
            sum += k * k;
            k += 1;
        }
        out[3] = sum;

        sum = 0;
        #[unroll(3)]
        for k in (0..=n).step_by(2) {
            sum += k * k;
        }
        out[4] = sum;

        #[unroll]
        for i in grid_stride(3) {
            out[5 + i] = i as u32;
        }
    }
}

fn every_kind_of_loop_unrolls(bench: &Bench) {
    for n in [0, 1, 2, 7, 16] {
        let mut out = vec![9; 8];
        launch!(bench, sums(n, &mut out), 1, 1);
        let squares: u32 = (0..n).map(|k| k * k).sum();
        let even: u32 = (0..=n).step_by(2).map(|k| k * k).sum();
        assert_eq!(out, [squares, squares, squares, squares, even, 0, 1, 2], "n = {n}");
    }
}

#[gpu_device]
fn first_multiple(of: u32, above: u32) -> u32 {
    #[unroll(4)]
    for candidate in above + 1..above + of {
        if candidate % of == 0 {
            return candidate;
        }
    }
    above + of
}

#[gpu_kernel]
pub fn pairs(n: u32, out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        let mut count = 0;
        #[unroll(2)]
        'outer: for a in 1..n {
            #[unroll]
            for b in 1..8 {
                if a * b > n {
                    continue 'outer;
                }
                if a + b > n {
                    break 'outer;
                }
                count += 1;
            }
        }
        out[i] = count * 100 + first_multiple(7, n);
    }
}

fn unrolled_loops_can_be_left(bench: &Bench) {
    let mut out = vec![0; 2];
    launch!(bench, pairs(20, &mut out), 1, 2);
    let mut count = 0;
    'outer: for a in 1..20 {
        for b in 1..8 {
            if a * b > 20 {
                continue 'outer;
            }
            if a + b > 20 {
                break 'outer;
            }
            count += 1;
        }
    }
    assert_eq!(out, [count * 100 + 21; 2]);
}

//! Branches, loops, labels, early return.

use gpu_runtime::prelude::*;

use crate::bench::Bench;
use crate::{cases, launch};

cases![
    a_chain_of_conditions_takes_one_branch,
    while_loops_stop,
    loops_break_with_a_value,
    labels_name_the_loop_that_is_left,
    labelled_blocks_have_values,
    a_thread_may_return_early,
    conditions_may_have_effects,
    what_follows_a_jump_is_not_run,
    conditions_of_the_configuration_choose_code,
];

/// A value and an effect from each branch.
#[gpu_kernel]
pub fn branches(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < x.len() {
        let x = x[i];
        let kind = if x < 0 {
            -1
        } else if x == 0 {
            0
        } else if 100 / x > 9 {
            let y = x * 2;
            if y % 4 == 0 { 1 } else { 2 }
        } else {
            3
        };
        if x > 5 {
            out[i] = kind * 10;
        } else if x > 2 && 12 % x == 0 {
            out[i] = kind * 100;
        } else {
            out[i] = kind;
        }
        if kind == 3 {
            out[i] += 1000;
        }
    }
}

fn a_chain_of_conditions_takes_one_branch(bench: &Bench) {
    let x = vec![-5, 0, 1, 2, 3, 4, 5, 6, 10, 11, 100];
    let mut out = vec![0; x.len()];
    launch!(bench, branches(&x, &mut out), 1, 32);
    assert_eq!(out, [-1, 0, 2, 1, 200, 100, 2, 10, 10, 1030, 1030]);
}

/// The number of Collatz steps, and the greatest common divisor.
#[gpu_kernel]
pub fn while_loops(x: &[u32], steps: &mut [u32], divisor: &mut [u32]) {
    let i = grid_1d();
    if i < x.len() {
        let mut n = x[i];
        let mut count = 0;
        while n != 1 {
            if n % 2 == 0 {
                n /= 2;
                count += 1;
                continue;
            }
            n = 3 * n + 1;
            count += 1;
            if count > 500 {
                break;
            }
        }
        steps[i] = count;
        let (mut a, mut b) = (x[i], 36);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        divisor[i] = a;
    }
}

fn while_loops_stop(bench: &Bench) {
    let x: Vec<u32> = (1..100).collect();
    let (mut steps, mut divisor) = (vec![0; 99], vec![0; 99]);
    launch!(bench, while_loops(&x, &mut steps, &mut divisor), 4, 32);
    fn collatz(n: u32) -> u32 {
        if n == 1 { 0 } else { 1 + collatz(if n.is_multiple_of(2) { n / 2 } else { 3 * n + 1 }) }
    }
    assert_eq!(steps, x.iter().map(|&n| collatz(n)).collect::<Vec<_>>());
    assert_eq!(divisor, x.iter().map(|&n| (1..=36).rev().find(|d| n % d == 0 && 36 % d == 0).unwrap()).collect::<Vec<_>>());
}

/// `let a = loop { … break value; }`
#[gpu_kernel]
pub fn loop_values(x: &[u64], out: &mut [u64]) {
    let i = grid_1d();
    if i < x.len() {
        let mut n = 0;
        let root = loop {
            if (n + 1) * (n + 1) > x[i] {
                break n;
            }
            n += 1;
        };
        let mut k = 2;
        let (factor, rest) = loop {
            if k * k > x[i] {
                break (x[i], 1);
            }
            if x[i] % k == 0 {
                break (k, x[i] / k);
            }
            k += 1;
        };
        out[i] = root * 1000000 + factor * 1000 + rest;
        loop {
            out[i] += 1;
            if out[i] % 2 == 0 {
                break;
            }
        }
    }
}

fn loops_break_with_a_value(bench: &Bench) {
    let x: Vec<u64> = (2..90).collect();
    let mut out = vec![0; x.len()];
    launch!(bench, loop_values(&x, &mut out), 3, 32);
    let expected: Vec<u64> = (x.iter())
        .map(|&x| {
            let factor = (2..=x).find(|k| x % k == 0).unwrap();
            let n = x.isqrt() * 1_000_000 + factor * 1000 + x / factor;
            n + if n % 2 == 0 { 2 } else { 1 }
        })
        .collect();
    assert_eq!(out, expected);
}

/// Jumps out of, and on in, loops further out.
#[gpu_kernel]
pub fn labels(limit: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < limit.len() {
        let mut sum = 0;
        'rows: for row in 0..10 {
            'columns: for column in 0..10 {
                let product = row * column;
                if product == 12 {
                    continue 'rows;
                }
                if product % 5 == 4 {
                    continue 'columns;
                }
                if product == 35 {
                    break 'columns;
                }
                let mut k = 0;
                while k < 3 {
                    let extra = k;
                    k += 1;
                    if extra == 1 && column == 9 {
                        continue 'rows;
                    }
                    if sum > limit[i] {
                        break 'rows;
                    }
                    if extra == 2 {
                        continue;
                    }
                    sum += extra + product;
                }
            }
            sum += 1;
        }
        let found = 'search: loop {
            for a in 1..50 {
                for b in a..50 {
                    if a * a + b * b == sum % 100 {
                        break 'search a * 100 + b;
                    }
                    if a * b > 300 {
                        break;
                    }
                }
            }
            break -1;
        };
        out[2 * i] = sum;
        out[2 * i + 1] = found;
    }
}

fn labels_name_the_loop_that_is_left(bench: &Bench) {
    let limit = vec![0, 50, 100, 333, 500, 100_000];
    let mut out = vec![0; 12];
    launch!(bench, labels(&limit, &mut out), 1, 32);
    let expected: Vec<i32> = (limit.iter())
        .flat_map(|&limit| {
            let sum = nested_sum(limit);
            let pairs = (1..50).flat_map(|a| (a..50).map(move |b| (a, b)).take_while(move |&(a, b)| b == a || a * (b - 1) <= 300));
            let found = pairs.into_iter().find(|(a, b)| a * a + b * b == sum % 100).map_or(-1, |(a, b)| a * 100 + b);
            [sum, found]
        })
        .collect();
    assert_eq!(out, expected);
}

/// What `labels` sums, with functions in place of labels.
fn nested_sum(limit: i32) -> i32 {
    #[derive(PartialEq)]
    enum Row {
        Done,
        Skipped,
        Over,
    }
    fn sum_row(row: i32, sum: &mut i32, limit: i32) -> Row {
        for column in 0..10 {
            let product = row * column;
            match product {
                12 => return Row::Skipped,
                35 => return Row::Done,
                _ if product % 5 == 4 => continue,
                _ => {}
            }
            for extra in 0..3 {
                if extra == 1 && column == 9 {
                    return Row::Skipped;
                }
                if *sum > limit {
                    return Row::Over;
                }
                if extra < 2 {
                    *sum += extra + product;
                }
            }
        }
        Row::Done
    }
    let mut sum = 0;
    for row in 0..10 {
        match sum_row(row, &mut sum, limit) {
            Row::Over => break,
            Row::Skipped => {}
            Row::Done => sum += 1,
        }
    }
    sum
}

/// `'a: { … break 'a value; … }`
#[gpu_kernel]
pub fn labelled_blocks(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < x.len() {
        let class = 'class: {
            if x[i] < 10 {
                break 'class 1;
            }
            for k in 2..x[i] {
                if x[i] % k == 0 {
                    break 'class k;
                }
            }
            0
        };
        'nothing: {
            if class == 0 {
                break 'nothing;
            }
            out[i] = class;
        }
        out[i] += 100;
    }
}

fn labelled_blocks_have_values(bench: &Bench) {
    let x = vec![3, 11, 12, 35, 49, 97];
    let mut out = vec![-1; 6];
    launch!(bench, labelled_blocks(&x, &mut out), 1, 8);
    assert_eq!(out, [101, 99, 102, 105, 107, 99]);
}

/// Returns from the middle of loops and branches.
#[gpu_kernel]
pub fn early_return(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i >= x.len() {
        return;
    }
    if x[i] == 0 {
        out[i] = -1;
        return;
    }
    for k in 0..100 {
        if k * k > x[i] {
            out[i] = k;
            return;
        }
        let doubled = if k % 2 == 0 {
            k * 2
        } else if k == 7 {
            return;
        } else {
            k
        };
        out[i] += doubled;
    }
    out[i] = -2;
}

fn a_thread_may_return_early(bench: &Bench) {
    let x = vec![0, 1, 4, 30, 35, 36, 1000];
    let mut out = vec![0; 7];
    launch!(bench, early_return(&x, &mut out), 1, 32);
    // The last one gets to 7: the odd numbers before it count once and the even ones twice.
    assert_eq!(out, [-1, 2, 3, 6, 6, 7, 33]);
}

/// Conditions that are blocks with statements.
#[gpu_kernel]
pub fn effects(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < x.len() {
        let mut n = x[i];
        let mut rounds = 0;
        while {
            rounds += 1;
            n -= 3;
            n > 0
        } {
            if n == 6 {
                continue;
            }
            rounds += 10;
        }
        if {
            n += 5;
            n % 2 == 0
        } {
            rounds += 100;
        } else if {
            n *= 2;
            n > 7
        } {
            rounds += 200;
        } else {
            rounds += n * 1000;
        }
        out[i] = rounds;
    }
}

fn conditions_may_have_effects(bench: &Bench) {
    let mut out = vec![0; 4];
    launch!(bench, effects(&vec![1, 3, 9, 2], &mut out), 1, 4);
    // n ends at -2, 0, 0, -1; then 3 → 6, 5 → 10, 5, 4.
    assert_eq!(out, [1 + 6000, 1 + 200, 3 + 10 + 200, 1 + 100]);
}

/// Statements behind `break`, `continue`, `return`, and a loop that is never left but by `return`.
#[gpu_kernel]
#[allow(unreachable_code)]
pub fn jumps(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < x.len() {
        let mut n = 0u32;
        loop {
            n += 1;
            if n % 2 == 0 {
                continue;
                n += 1000;
            }
            out[i] += n;
            if n > x[i] {
                return;
                out[i] = 0;
            }
        }
    }
}

fn what_follows_a_jump_is_not_run(bench: &Bench) {
    let mut out = vec![0; 3];
    launch!(bench, jumps(&vec![0, 1, 4], &mut out), 1, 3);
    assert_eq!(out, [1, 4, 9]);
}

/// Of two lines with one name, rustc keeps one.
#[gpu_kernel]
pub fn configured(x: &[i32], #[cfg(any())] missing: &[i32], #[cfg(not(any()))] by: i32, out: &mut [i32]) {
    let i = grid_1d();
    if i < x.len() && i < out.len() {
        #[cfg(any())]
        let first = undeclared(x[i]);
        #[cfg(not(any()))]
        let first = x[i] * by;
        #[cfg(any())]
        {
            out[i] = 0;
        }
        let second = match x[i] {
            #[cfg(any())]
            1 => 7,
            #[cfg_attr(all(), allow(unused))]
            1 => 8,
            _ => 9,
        };
        out[i] = first + second * 100 + if cfg!(any()) { 1000 } else { 2000 };
    }
}

fn conditions_of_the_configuration_choose_code(bench: &Bench) {
    let mut out = vec![0; 2];
    launch!(bench, configured(&vec![1, 2], 3, &mut out), 1, 32);
    assert_eq!(out, [2803, 2906]);
}

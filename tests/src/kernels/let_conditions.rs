//! `if let`, `while let`, `let … else` and `matches!`.

use gpu_runtime::prelude::*;

use crate::bench::Bench;
use crate::{cases, launch};

cases![conditions_bind, loops_run_while_a_pattern_matches, a_let_may_have_another_way_out];

/// `if let`, alone, in chains, with every kind of `else`; `matches!`.
#[gpu_kernel]
pub fn conditions(x: &[i32], y: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if let 0..=99 = i
        && i < x.len()
        && let (a @ 1.., b) = (x[i], y[i])
        && a != b
        && let (q, 0) | (0, q) = (a / 2, a % 2)
    {
        out[i] = q;
    } else if i < x.len() && matches!(x[i], -9..=-1 | 0 if y[i] > 3) {
        out[i] = -1;
    } else if let (_, 7) = (i, y[i]) {
        out[i] = -7;
    } else {
        let both = matches!((x[i], y[i]), (1, 1) | (3, 3)) as i32;
        let name = if let n @ (1 | 5) = x[i] { n * 10 } else { 2 };
        out[i] = -2 - both - name;
    }
}

fn conditions_bind(bench: &Bench) {
    let x = vec![4, 1, 7, 1, 3, 0, -5, -5, 5, 2, 0];
    let y = vec![0, 0, 0, 1, 3, 4, 7, 2, 7, 2, 1];
    let mut out = vec![99; x.len()];
    launch!(bench, conditions(&x, &y, &mut out), 1, 11);
    assert_eq!(out, [2, 1, -4, -13, -5, -1, -1, -4, -7, -4, -4]);
}

/// The steps of a Collatz sequence, in two spellings.
#[gpu_kernel]
pub fn collatz(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < x.len() {
        let mut pair = (x[i], 0);
        while let (n @ 2.., count) = pair
            && let half = n / 2
            && count < 1000
        {
            pair = match n % 2 {
                0 => (half, count + 1),
                _ => (3 * n + 1, count + 1),
            };
        }
        let mut n = x[i];
        let mut count = 0;
        let steps = loop {
            n = match (n, n % 2) {
                (0 | 1, _) => break count,
                (_, 0) => n / 2,
                (..=1000, _) => {
                    count += 1;
                    n = 3 * n + 1;
                    continue;
                }
                _ => 3 * n + 1,
            };
            count += 1;
        };
        out[i] = pair.1 * 1000 + steps;
    }
}

fn loops_run_while_a_pattern_matches(bench: &Bench) {
    let x: Vec<u32> = (1..120).collect();
    let mut out = vec![0; x.len()];
    launch!(bench, collatz(&x, &mut out), 4, 32);
    fn steps(n: u32) -> u32 {
        if n == 1 { 0 } else { 1 + steps(if n.is_multiple_of(2) { n / 2 } else { 3 * n + 1 }) }
    }
    assert_eq!(out, x.iter().map(|&n| steps(n) * 1001).collect::<Vec<_>>());
}

/// `let … else`, which returns, goes on or breaks.
#[gpu_kernel]
pub fn ways_out(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    let true = i < x.len() else { return };
    let mut sum = 0;
    for k in 0..8 {
        let (n @ 0..=90, 1 | 2 | 0) = (x[i] + k, k % 4) else {
            if k == 7 {
                break;
            }
            continue;
        };
        sum += n;
    }
    let 1.. = sum else {
        out[i] = -1;
        return;
    };
    out[i] = sum;
}

fn a_let_may_have_another_way_out(bench: &Bench) {
    let x = vec![0, -3, -20, 88, 100];
    let mut out = vec![0; x.len()];
    launch!(bench, ways_out(&x, &mut out), 1, 32);
    assert_eq!(out, [18, 6, -1, 267, -1]);
}

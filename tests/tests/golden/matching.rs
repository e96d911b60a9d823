//! Patterns.

// The kernels are read, not launched.
#![allow(dead_code)]

use gpu_runtime::prelude::*;

#[gpu_kernel]
pub(crate) fn match_arms(a: &[i32], out: &mut [f32]) {
    const LIMIT: i32 = 40;
    let i = grid_1d();
    if i < out.len() {
        out[i] = match a[i] {
            0 => 0.5,
            1..=9 | -1 => {
                let half = 1.5;
                half * 2.0
            }
            LIMIT => return,
            n @ 100.. if n % 2 == 0 => n as f32,
            n if a[n as usize] > 3 => 1.0,
            mut n => {
                n += 1;
                n as f32
            }
        };
    }
}

#[gpu_kernel]
pub(crate) fn match_as_switch(a: &[u8], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        match a[i] {
            b'+' => out[i] += 1,
            b'-' => out[i] -= 1,
            b'<' | b'>' => {
                let n = out[i];
                out[i] = n * 2;
            }
            0 => return,
            other => out[i] = other as i32,
        }
        out[i] += 1;
    }
}

#[gpu_kernel]
pub(crate) fn taken_apart(a: &[u32], b: bool, out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = match (a[i], b) {
            (0, true) | (7, _) => 1,
            (n @ (2 | 3), false) => n,
            (k, true) => k * 2,
            _ => 4,
        };
        let pair = ([a[i], 2, 3], (1.5f32, b));
        if let ([1, .., last], (_, true)) = pair {
            out[i] += last;
        }
        let [first, ..] = pair.0;
        out[i] += first;
        out[i] += match pair {
            ([x, 2, ..], _) | ([.., x], _) => x,
        };
    }
}

#[gpu_kernel]
pub(crate) fn let_conditions(a: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    let 0..=999 = i else { return };
    if i < out.len()
        && let n @ 1..=5 = a[i]
        && n != out[i]
    {
        out[i] = n;
    } else if let 7 = out[i] {
        out[i] = 8;
    } else {
        out[i] = 9;
    }
    let mut k = a[0];
    while let 1.. = k
        && k < a[1]
    {
        k *= 2;
    }
    out[0] = if matches!(k, 3 | 5..9) { k } else { 0 };
}

#[gpu_device]
fn inverse(x: f32) -> Option<f32> {
    if x == 0.0 { None } else { Some(1.0 / x) }
}

#[gpu_kernel]
pub(crate) fn options(a: &[f32], n: &[i32], out: &mut [f32], sum: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        let mut best = None;
        if let Some(x) = inverse(a[i]) {
            best = Some(x * 2.0);
        }
        out[i] = best.unwrap_or(-1.0);
        let Some(product) = n[i].checked_mul(3) else { return };
        sum[i] = product + n[i].checked_add(1).unwrap();
        if best.is_some() {
            sum[i] += 1;
        }
    }
}

#[gpu_kernel]
pub(crate) fn guarded_alternatives(a: &[i32], b: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = match (a[i], b[i]) {
            (0, 0) => 1,
            (0..=9, x) | (x, 0..=9) if x > 5 => x,
            (1 | 2, _) if a[i] > b[i] => 2,
            _ => 0,
        };
    }
}

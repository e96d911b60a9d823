//! `match`, and every pattern of numbers, tuples and arrays.

use gpu_runtime::FailureCause;
use gpu_runtime::prelude::*;

use crate::bench::{Bench, Failure};
use crate::{cases, launch, try_launch};

cases![
    a_match_takes_the_first_arm_that_matches,
    ranges_have_their_ends,
    a_bytecode_program_runs,
    floats_are_matched_with_guards_and_ranges,
    guards_run_in_order_and_only_where_the_pattern_matches,
    arms_may_leave,
    bindings_may_be_changed,
    tuples_and_arrays_are_taken_apart,
    alternatives_bind_what_they_found,
    constants_are_compared_with,
    what_is_matched_is_evaluated_once,
    a_failure_in_an_arm_is_reported,
    barriers_in_arms_that_all_threads_take,
    what_is_matched_is_the_value_before_a_barrier_in_a_guard,
];

/// Literals, or-patterns and a name, as a value and as a statement.
#[gpu_kernel]
pub fn first_arm(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < x.len() {
        let name = match x[i] {
            0 => 100,
            1 | 2 | -3 => 200,
            7 => {
                let seven = x[i] * 10;
                seven + 1
            }
            -2147483648 => 300,
            other => other / 2,
        };
        match name {
            100 => out[i] = 1,
            200 => {
                out[i] = 2;
                out[i] += 1;
            }
            _ => out[i] = name,
        }
        out[i] += match x[i] > 1 {
            true => 1000,
            false => 0,
        };
    }
}

fn a_match_takes_the_first_arm_that_matches(bench: &Bench) {
    let x = vec![0, 1, 2, -3, 7, i32::MIN, 50, -9];
    let mut out = vec![0; x.len()];
    launch!(bench, first_arm(&x, &mut out), 1, 32);
    assert_eq!(out, [1, 3, 1003, 3, 1071, 300, 1025, -4]);
}

const LIMIT: u8 = 200;

/// The class of a byte, by ranges of every form.
#[gpu_kernel]
pub fn classes(bytes: &[u8], signed: &[i16], out: &mut [i32]) {
    let i = grid_1d();
    if i < bytes.len() && i < signed.len() {
        let class = match bytes[i] {
            0..=31 | 127 => 0,
            b'0'..=b'9' => 1,
            b'a'..=b'z' | b'A'..=b'Z' => 2,
            32..48 => 3,
            LIMIT.. => 4,
            128..LIMIT => 5,
            _ => 6,
        };
        let sign = match signed[i] {
            ..-100 => -2,
            -100..=-1 => -1,
            0 => 0,
            1..=i16::MAX => 1,
        };
        out[i] = class * 10 + sign;
    }
}

fn ranges_have_their_ends(bench: &Bench) {
    let bytes: Vec<u8> = (0..=255).collect();
    let signed: Vec<i16> = (0..256).map(|k| (k - 128) * 200).chain([-101, -100, -1, 0, 1, i16::MAX]).skip(6).collect();
    let mut out = vec![0; 256];
    launch!(bench, classes(&bytes, &signed, &mut out), 8, 32);
    let expected: Vec<i32> = (bytes.iter().zip(&signed))
        .map(|(&byte, &signed)| {
            let class = if byte.is_ascii_control() {
                0
            } else if byte.is_ascii_digit() {
                1
            } else if byte.is_ascii_alphabetic() {
                2
            } else if byte < 48 {
                3
            } else if byte >= 200 {
                4
            } else if byte >= 128 {
                5
            } else {
                6
            };
            class * 10 + if signed < -100 { -2 } else { i32::from(signed.signum()) }
        })
        .collect();
    assert_eq!(out, expected);
}

/// An interpreter: each thread runs the program on a number of its own.
#[gpu_kernel]
pub fn interpreter(code: &[u32], x: &[i64], out: &mut [i64]) {
    let i = grid_1d();
    if i < x.len() {
        let mut stack = [0i64; 8];
        let mut top = 0;
        let mut at = 0;
        let result = loop {
            let instruction = code[at];
            at += 1;
            match (instruction >> 24, instruction & 0xFFFFFF) {
                (0, _) => {
                    stack[top] = x[i];
                    top += 1;
                }
                (1, value) => {
                    stack[top] = value as i64;
                    top += 1;
                }
                (op @ 2..=5, _) => {
                    top -= 1;
                    let (a, b) = (stack[top - 1], stack[top]);
                    stack[top - 1] = match op {
                        2 => a + b,
                        3 => a - b,
                        4 => a * b,
                        _ if b == 0 => 0,
                        _ => a / b,
                    };
                }
                (6, target) => {
                    top -= 1;
                    if stack[top] > 0 {
                        at = target as usize;
                    }
                }
                (7, _) => {
                    stack[top] = stack[top - 1];
                    top += 1;
                }
                (8, _) => break stack[top - 1],
                _ => panic!("no such instruction"),
            }
        };
        out[i] = result;
    }
}

fn a_bytecode_program_runs(bench: &Bench) {
    let op = |code: u32, value: u32| code << 24 | value;
    // while { x -= 7; x > 0 } {}; x * 3 + 100
    let code = vec![op(0, 0), op(1, 7), op(3, 0), op(7, 0), op(6, 1), op(1, 3), op(4, 0), op(1, 100), op(2, 0), op(8, 0)];
    let x: Vec<i64> = (-20..60).collect();
    let mut out = vec![0; x.len()];
    launch!(bench, interpreter(&code, &x, &mut out), 3, 32);
    let run = |mut x: i64| {
        loop {
            x -= 7;
            if x <= 0 {
                return x * 3 + 100;
            }
        }
    };
    assert_eq!(out, x.iter().map(|&x| run(x)).collect::<Vec<_>>());
}

/// Floats: literals, ranges and guards.
#[gpu_kernel]
pub fn float_arms(x: &[f64], out: &mut [f32]) {
    let i = grid_1d();
    if i < x.len() {
        out[i] = match x[i] {
            0.0 => 0.0,
            1.5..=2.5 => 1.0,
            v if v.is_nan() => 2.0,
            v if v < -1.0 => v as f32,
            -1.0..0.0 => 4.0,
            f64::INFINITY => 5.0,
            _ => 6.0,
        };
    }
}

fn floats_are_matched_with_guards_and_ranges(bench: &Bench) {
    let x = vec![0.0, -0.0, 1.5, 2.5, 2.6, f64::NAN, -1.0, -7.5, -0.5, f64::INFINITY, f64::NEG_INFINITY, 0.1];
    let mut out = vec![9.0; x.len()];
    launch!(bench, float_arms(&x, &mut out), 1, 32);
    assert_eq!(out, [0.0, 0.0, 1.0, 1.0, 6.0, 2.0, 4.0, -7.5, 4.0, 5.0, f32::NEG_INFINITY, 6.0]);
}

/// Writes `mark` behind what is there, and says whether it is below a limit.
#[gpu_device]
fn noted(log: &mut [u32], mark: u32, limit: u32) -> bool {
    log[0] = log[0] * 10 + mark;
    mark < limit
}

/// Guards with effects.
#[gpu_kernel]
pub fn guards(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < x.len() {
        let mut log = [0u32; 1];
        let taken = match (x[i], x[i] % 3) {
            (0, _) if noted(&mut log, 1, 9) => 1,
            (n, 1) if noted(&mut log, n, 5) && x[(n as usize) % x.len()] != 4 => 2 + n,
            (n, 0 | 1) if n != 6 => 3,
            (n @ 4..=9, k) if noted(&mut log, 7, n + k) => n * 100,
            (_, k) => k + 50,
        };
        out[i] = taken * 100000 + log[0];
    }
}

fn guards_run_in_order_and_only_where_the_pattern_matches(bench: &Bench) {
    let x: Vec<u32> = (0..12).collect();
    let mut out = vec![0; x.len()];
    launch!(bench, guards(&x, &mut out), 1, 32);
    let expected: Vec<u32> = x
        .iter()
        .map(|&n| {
            let (mut log, k) = (0, n % 3);
            let mut note = |mark: u32, limit: u32| {
                log = log * 10 + mark;
                mark < limit
            };
            let taken = if n == 0 && note(1, 9) {
                1
            } else if k == 1 && note(n, 5) && n % 12 != 4 {
                2 + n
            } else if k < 2 && n != 6 {
                3
            } else if (4..=9).contains(&n) && note(7, n + k) {
                n * 100
            } else {
                k + 50
            };
            taken * 100_000 + log
        })
        .collect();
    assert_eq!(out, expected);
}

/// `return`, `break` and `continue`, with and without labels, in arms that a `switch` could be made of.
#[gpu_kernel]
pub fn leaving(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i >= x.len() {
        return;
    }
    let mut sum = 0;
    'rows: for row in 0..6 {
        let factor = match row {
            3 => continue,
            4 => 10,
            other => other,
        };
        for k in 0..10 {
            match (x[i] + k) % 10 {
                0 => continue,
                1 => sum += 1,
                2 => break,
                3 => continue 'rows,
                4 if row == 5 => break 'rows,
                5 => {
                    if sum > 200 {
                        out[i] = -sum;
                        return;
                    }
                }
                n => sum += n * factor,
            }
            match k {
                7 => sum += 2,
                8 => sum += 4,
                9 => continue,
                _ => {}
            }
            sum += 1;
        }
    }
    out[i] = sum;
}

fn arms_may_leave(bench: &Bench) {
    let x: Vec<i32> = (0..40).collect();
    let mut out = vec![0; x.len()];
    launch!(bench, leaving(&x, &mut out), 2, 32);
    fn run(x: i32) -> i32 {
        let mut sum = 0;
        'rows: for row in [0, 1, 2, 4, 5] {
            let factor = if row == 4 { 10 } else { row };
            for k in 0..10 {
                let n = (x + k) % 10;
                if n == 0 {
                    continue;
                } else if n == 1 {
                    sum += 1;
                } else if n == 2 {
                    break;
                } else if n == 3 {
                    continue 'rows;
                } else if n == 4 && row == 5 {
                    break 'rows;
                } else if n == 5 {
                    if sum > 200 {
                        return -sum;
                    }
                } else {
                    sum += n * factor;
                }
                if k == 9 {
                    continue;
                }
                sum += 1 + i32::from(k == 7) * 2 + i32::from(k == 8) * 4;
            }
        }
        sum
    }
    assert_eq!(out, x.iter().map(|&x| run(x)).collect::<Vec<_>>());
}

/// `mut` in patterns: each is a copy.
#[gpu_kernel]
pub fn changed_bindings(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < x.len() {
        let mut pair = (x[i], 1);
        match pair {
            (0, _) => pair.1 = 5,
            (mut n, more) if n > 2 => {
                n += 10;
                pair.0 = n + more;
                n += pair.0;
                pair.1 = n;
            }
            (n, mut k) => {
                pair.0 = 7;
                k += n;
                pair.1 = k;
            }
        }
        out[i] = pair.0 * 1000 + pair.1;
    }
}

fn bindings_may_be_changed(bench: &Bench) {
    let x = vec![0, 1, 2, 3, 9];
    let mut out = vec![0; x.len()];
    launch!(bench, changed_bindings(&x, &mut out), 1, 32);
    assert_eq!(out, [5, 7002, 7003, 14_027, 20_039]);
}

/// `..` in tuples and arrays, nested patterns, `x @ pattern`.
#[gpu_kernel]
pub fn parts(x: &[i32], out: &mut [i32]) {
    const N: usize = 4;
    let i = grid_1d();
    if i < x.len() {
        let nested = ((x[i], 2.5f32), [x[i], x[i] * 2, 5], true);
        let ((a, _), [b, .., c], _) = nested;
        let whole @ (first, ..) = (x[i], 2, 3);
        let mut four = [0; N];
        four[3] = x[i];
        let [.., last] = four;
        let kind = match nested {
            ((0, _), ..) => 1,
            ((n, f), [_, m @ 3.., ..], true) if f > 2.0 => n + m,
            (.., [1, 2, 5], _) => 3,
            (pair @ (..=-1, _), .., [.., z], _) => pair.0 - z,
            _ => 4,
        };
        out[i] = kind * 100 + a + b + c + first + whole.2 + last;
    }
}

fn tuples_and_arrays_are_taken_apart(bench: &Bench) {
    let x = vec![0, 1, 2, -4];
    let mut out = vec![0; x.len()];
    launch!(bench, parts(&x, &mut out), 1, 32);
    assert_eq!(out, [108, 312, 616, -908]);
}

/// Or-patterns with names, nested.
#[gpu_kernel]
pub fn alternatives(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < x.len() {
        let n = x[i];
        let (a, b) = match (n % 4, n / 4, [n, 7]) {
            (0, k, _) | (k, 0, _) => (k, 100),
            (1, k, [m, _]) | (k, 1, [_, m]) if m < 20 => (k, m),
            ((1 | 2) | 3, 2 | 3, [k, m]) => (k, m + 1),
            (_, k @ (4 | 6), _) | (k, ..) => (k, 9),
        };
        out[i] = a * 1000 + b;
    }
}

fn alternatives_bind_what_they_found(bench: &Bench) {
    let x: Vec<u32> = (0..32).collect();
    let mut out = vec![0; x.len()];
    launch!(bench, alternatives(&x, &mut out), 1, 32);
    let expected: Vec<u32> = x
        .iter()
        .map(|&n| {
            let (r, q) = (n % 4, n / 4);
            let (a, b) = if r == 0 {
                (q, 100)
            } else if q == 0 {
                (r, 100)
            } else if r == 1 && n < 20 {
                (q, n)
            } else if q == 1 {
                (r, 7)
            } else if q < 4 {
                (n, 8)
            } else if q == 4 || q == 6 {
                (q, 9)
            } else {
                (r, 9)
            };
            a * 1000 + b
        })
        .collect();
    assert_eq!(out, expected);
}

/// Constants of this module and others, of numbers' types and of the body.
#[gpu_kernel]
pub fn constant_arms(x: &[i64], out: &mut [i32]) {
    const HERE: i64 = 12;
    let i = grid_1d();
    if i < x.len() {
        out[i] = match x[i] {
            HERE => 1,
            far::AWAY | far::FARTHER => 2,
            i64::MAX => 3,
            far::FARTHER..=i64::MAX => 4,
            _ => 5,
        };
    }
}

mod far {
    pub(super) const AWAY: i64 = -5;
    pub(super) const FARTHER: i64 = 1 << 40;
}

fn constants_are_compared_with(bench: &Bench) {
    let x = vec![12, -5, 1 << 40, i64::MAX, (1 << 40) + 1, 0];
    let mut out = vec![0; x.len()];
    launch!(bench, constant_arms(&x, &mut out), 1, 32);
    assert_eq!(out, [1, 2, 2, 3, 4, 5]);
}

/// Counts how often it is called.
#[gpu_device]
fn counted(count: &mut [u32], n: u32) -> u32 {
    count[0] += 1;
    n % 5
}

/// The value of a `match`, its guards and its arms come in Rust's order, each once.
#[gpu_kernel]
pub fn order(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < x.len() {
        let mut count = [0u32; 1];
        let a = match counted(&mut count, x[i]) {
            0 => 10,
            1 | 2 => 20 + count[0],
            n => n + count[0],
        };
        let mut n = x[i];
        let b =
            n + match n {
                0..3 => {
                    n = 100;
                    n
                }
                k => {
                    n += 1;
                    n * k
                }
            } + n;
        let c = if let 3 | 4 = counted(&mut count, n) { count[0] } else { count[0] * 10 };
        out[i] = (a * 10000 + b) * 100 + c;
    }
}

fn what_is_matched_is_evaluated_once(bench: &Bench) {
    let x: Vec<u32> = (0..9).collect();
    let mut out = vec![0; x.len()];
    launch!(bench, order(&x, &mut out), 1, 32);
    let expected: Vec<u32> = x
        .iter()
        .map(|&x| {
            let a = [10, 21, 21, 4, 5][x as usize % 5];
            let (b, n) = if x < 3 { (x + 100 + 100, 100) } else { (x + (x + 1) * x + x + 1, x + 1) };
            let c = if n % 5 >= 3 { 2 } else { 20 };
            (a * 10_000 + b) * 100 + c
        })
        .collect();
    assert_eq!(out, expected);
}

const FAILING: u32 = line!() + 9;

/// Some arms fail.
#[gpu_kernel]
pub fn failing_arms(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < x.len() {
        out[i] = match x[i] {
            0..=8 => x[i] + 1,
            9 => panic!("nine is refused"),
            n => out[n as usize],
        };
    }
}

fn a_failure_in_an_arm_is_reported(bench: &Bench) {
    let mut out = vec![0; 3];
    assert_eq!(try_launch!(bench, failing_arms(&vec![1, 2, 3], &mut out), 1, 32), Ok(()));
    assert_eq!(out, [2, 3, 4]);
    let failure = |line, cause| Err(Failure { kernel: "failing_arms".to_owned(), line, cause, block: [0; 3], thread: [1, 0, 0] });
    let outcome = try_launch!(bench, failing_arms(&vec![1, 9, 3], &mut out), 1, 32);
    assert_eq!(outcome, failure(FAILING, FailureCause::Panic { message: "nine is refused" }));
    let outcome = try_launch!(bench, failing_arms(&vec![1, 12, 3], &mut out), 1, 32);
    assert_eq!(outcome, failure(FAILING + 1, FailureCause::IndexOutOfBounds { index: 12, len: 3 }));
}

/// Each block does what its number says, with barriers.
#[gpu_kernel]
pub fn barriers(x: &[f32], out: &mut [f32]) {
    let mut tile = shared::<[f32; 32]>();
    let t = thread_idx().x;
    match block_idx().x % 3 {
        0 => {
            tile[t] = x[t];
            sync_threads();
            out[grid_1d()] = tile[31 - t];
        }
        1 => {
            tile[t] = x[t] * 2.0;
            sync_threads();
            out[grid_1d()] = tile[t] + tile[(t + 1) % 32];
        }
        _ => out[grid_1d()] = 0.5,
    }
    if let 0 = block_idx().x {
        sync_threads();
    }
}

fn barriers_in_arms_that_all_threads_take(bench: &Bench) {
    let x: Vec<f32> = (0..32u8).map(f32::from).collect();
    let mut out = vec![0.0; 96];
    launch!(bench, barriers(&x, &mut out), 3, 32);
    assert_eq!(out[..32], (0..32u8).rev().map(f32::from).collect::<Vec<_>>());
    assert_eq!(out[32..64], (0..32).map(|t| x[t] * 2.0 + x[(t + 1) % 32] * 2.0).collect::<Vec<_>>());
    assert_eq!(out[64..], [0.5; 32]);
}

/// The second barrier is in a guard; then one thread writes to the place.
#[gpu_kernel(block = 64)]
pub fn guards_that_wait(out: &mut [u32]) {
    let mut s = shared::<[u32; 64]>();
    let (t, i) = (thread_idx().x, grid_1d());
    s[t] = 1;
    sync_threads();
    let first = match s[0] {
        v if {
            sync_threads();
            v > 0
        } =>
        {
            v
        }
        _ => 0,
    };
    if t == 0 {
        s[0] = 2;
        s[1] = 3;
    }
    sync_threads();
    let is_more = matches!(s[1], v if { sync_threads(); v > 3 });
    if t == 0 {
        s[1] = 4;
    }
    if i < out.len() {
        out[i] = 10 * first + is_more as u32;
    }
}

fn what_is_matched_is_the_value_before_a_barrier_in_a_guard(bench: &Bench) {
    let mut out = vec![0; 128];
    launch!(bench, guards_that_wait(&mut out), 2, 64);
    assert_eq!(out, [10; 128]);
}

//! Closures over everything that kernels have: structs, options, patterns, atomics, views, hinted loads.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use gpu_runtime::FailureCause::{AxisOutOfBounds, IndexOutOfBounds};
use gpu_runtime::prelude::*;

use crate::bench::{Bench, Failure, assert_same, view};
use crate::{cases, launch, try_launch, value_arguments};

cases![
    closures_match_patterns,
    closures_take_and_return_options,
    structs_are_captured_taken_and_returned,
    structs_are_moved_into_closures_as_copies,
    closures_count_with_captured_atomics,
    closures_read_views_and_hinted_slices,
    checks_of_captured_arrays_are_kept,
    closures_are_solved_within_closures,
    functions_call_closures_that_change_variables wraps = true,
];

#[gpu_kernel]
pub fn classifying(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    let class = |v: i32| match v {
        i32::MIN..=-1 => -1,
        0 | 1 => 0,
        n if n % 2 == 0 => {
            let half = n / 2;
            half * 10
        }
        n => n,
    };
    let sign_of_sum = |a: i32, b: i32| {
        let (0, sum) = (0, a.wrapping_add(b)) else {
            return 7;
        };
        if let 1.. = sum {
            1
        } else if let 0 = sum {
            0
        } else {
            -1
        }
    };
    if i < out.len() {
        out[i] = class(x[i]) * 10 + sign_of_sum(x[i], 3);
    }
}

fn closures_match_patterns(bench: &Bench) {
    let x = vec![-5, 0, 1, 2, 7, 100, -3];
    let mut out = vec![0; 7];
    launch!(bench, classifying(&x, &mut out), 1, 8);
    assert_eq!(out, [-11, 1, 1, 101, 71, 5001, -10]);
}

#[gpu_kernel]
pub fn optional(x: &[u8], out: &mut [u32]) {
    let i = grid_1d();
    let checked = |a: u8, b: u8| a.checked_add(b);
    let first = |wanted: u8| {
        for k in 0..x.len() {
            if x[k] == wanted {
                return Some(k);
            }
        }
        None
    };
    let or_zero = |found: Option<u8>| match found {
        Some(n) if n > 9 => n as u32,
        Some(_) => 9,
        None => 0,
    };
    if i < out.len() && i < x.len() {
        let at = if let Some(k) = first(x[i]) { k as u32 } else { 99 };
        out[i] = or_zero(checked(x[i], 100)) * 100 + at;
    }
}

fn closures_take_and_return_options(bench: &Bench) {
    let x = vec![1, 200, 1, 155, 156];
    let mut out = vec![0; 5];
    launch!(bench, optional(&x, &mut out), 1, 8);
    assert_eq!(out, [10_100, 1, 10_100, 25_503, 4]);
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Body {
    mass: f32,
    at: [f32; 2],
}

#[gpu_device]
impl Body {
    fn moved(self, by: f32) -> Body {
        Body { at: [self.at[0] + by, self.at[1] - by], ..self }
    }

    fn scale(&mut self, by: f32) {
        self.mass *= by;
    }
}

value_arguments![Body];

#[gpu_kernel(fmad = false)]
pub fn pulling(bodies: &[Body], sun: Body, out: &mut [Body]) {
    let i = grid_1d();
    let pull = |body: Body| sun.mass * body.mass / (body.at[0] - sun.at[0]);
    let scaled = |body: Body, by: f32| {
        let mut other = body;
        other.scale(by);
        other.at[1] = pull(body);
        other.moved(by)
    };
    if i < out.len() && i < bodies.len() {
        out[i] = scaled(bodies[i], 2.0);
        out[i].mass += pull(out[i]) * 0.5;
    }
}

fn structs_are_captured_taken_and_returned(bench: &Bench) {
    let bodies = vec![Body { mass: 3.0, at: [5.0, 1.0] }, Body { mass: -0.5, at: [2.0, 7.0] }];
    let sun = Body { mass: 10.0, at: [1.0, 0.0] };
    let mut out = vec![Body { mass: 0.0, at: [0.0; 2] }; 2];
    launch!(bench, pulling(&bodies, sun, &mut out), 1, 2);
    let pull = |body: Body| sun.mass * body.mass / (body.at[0] - sun.at[0]);
    let expected = bodies.iter().map(|&body| {
        let scaled = Body { mass: body.mass * 2.0, at: [body.at[0] + 2.0, pull(body) - 2.0] };
        Body { mass: scaled.mass + pull(scaled) * 0.5, ..scaled }
    });
    assert_eq!(out, expected.collect::<Vec<_>>());
}

#[gpu_kernel]
pub fn remembering(start: Body, out: &mut [f32]) {
    let i = grid_1d();
    let mut body = start;
    body.at[0] = i as f32;
    let before = move |by: f32| body.mass * by + body.at[0];
    body.mass = -1.0;
    body.scale(3.0);
    if i < out.len() {
        out[i] = before(10.0) * 100.0 + body.mass;
    }
}

fn structs_are_moved_into_closures_as_copies(bench: &Bench) {
    let mut out = vec![0.0; 3];
    launch!(bench, remembering(Body { mass: 2.0, at: [9.0, 9.0] }, &mut out), 1, 4);
    assert_eq!(out, [1997.0, 2097.0, 2197.0]);
}

#[gpu_device]
fn twice(f: impl Fn(u32) -> u32, x: u32) -> u32 {
    f(x) + f(x)
}

#[gpu_kernel(block = 32)]
pub fn counting(x: &[u32], counts: &[AtomicU32]) {
    let own = shared::<[AtomicU32; 4]>();
    let (t, i) = (thread_idx().x, grid_1d());
    if t < 4 {
        own[t].store(0, Relaxed);
    }
    sync_threads();
    let count = |bin: u32| own[bin as usize % 4].fetch_add(1, Relaxed) & 0;
    if i < x.len() {
        let _zero = twice(count, x[i]);
    }
    sync_threads();
    let flush = |bin: usize| counts[bin].fetch_add(own[bin].load(Relaxed), Relaxed);
    if t < 4 {
        flush(t);
    }
}

fn closures_count_with_captured_atomics(bench: &Bench) {
    let x: Vec<u32> = (0..100).map(|i| i * i).collect();
    let mut counts = vec![1, 0, 0, 0];
    launch!(bench, counting(&x, &mut counts), 4, 32);
    assert_eq!(counts, [101, 100, 0, 0]);
}

#[gpu_kernel(fmad = false)]
pub fn sampling(a: View<f32, 2>, weights: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    let clamped = |row: usize, column: usize| a[[row.min(a.shape()[0] - 1), column.min(a.shape()[1] - 1)]];
    let weight = |k: usize| weights.load_cached(k);
    if i < out.len() {
        let mut sum = 0.0;
        for k in 0..weights.len() {
            sum += clamped(i, k) * weight(k);
        }
        out[i] = sum;
    }
}

fn closures_read_views_and_hinted_slices(bench: &Bench) {
    let a: Vec<f32> = (0..6).map(|i| i as f32).collect();
    let mut out = vec![0.0; 3];
    launch!(bench, sampling(view(&a, [2, 3]), &vec![1.0, 10.0, 100.0, 0.5], &mut out), 1, 4);
    assert_same(&out, &[211.0, 545.5, 545.5]);
}

const ROW_LINE: u32 = line!() + 6;

#[gpu_kernel]
pub fn reaching(a: View<i32, 2>, x: &[i32], row: usize, at: usize, out: &mut [i32]) {
    let i = grid_1d();
    // Each on a line of its own.
    let in_view = |row: usize| a[[row, 1]];
    let in_slice = |at: usize| x[at];
    if i < out.len() {
        out[i] = in_view(row) + in_slice(at);
    }
}

fn checks_of_captured_arrays_are_kept(bench: &Bench) {
    let reach = |row, at| {
        let mut out = vec![0];
        try_launch!(bench, reaching(view(&vec![1, 2, 3, 4], [2, 2]), &vec![10, 20, 30], row, at, &mut out), 1, 1).map(|()| out[0])
    };
    let failure = |line, cause| Err(Failure { kernel: "reaching".to_owned(), line, cause, block: [0; 3], thread: [0; 3] });
    assert_eq!(reach(1, 2), Ok(34));
    assert_eq!(reach(2, 0), failure(ROW_LINE, AxisOutOfBounds { axis: 0, index: 2, extent: 2 }));
    assert_eq!(reach(0, 3), failure(ROW_LINE + 1, IndexOutOfBounds { index: 3, len: 3 }));
}

/// The root of a growing function between `low` and `high`.
#[gpu_device]
fn root<F: Fn(f64) -> f64>(f: F, low: f64, high: f64) -> f64 {
    let (mut low, mut high) = (low, high);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        match f(middle) {
            y if y > 0.0 => high = middle,
            _ => low = middle,
        }
    }
    low
}

#[gpu_device]
fn fourth(x: f64) -> f64 {
    x * x * x * x - 2.0
}

#[gpu_kernel(fmad = false)]
pub fn solving(x: &[f64], out: &mut [f64]) {
    let i = grid_1d();
    if i < out.len() {
        // A closure that solves, in one that is solved.
        let cube_root = |y: f64| root(|t| t * t * t - y, 0.0, 10.0);
        out[i] = root(|t| cube_root(t) - x[i], 0.0, 500.0) + root(fourth, 1.0, 2.0);
    }
}

fn closures_are_solved_within_closures(bench: &Bench) {
    let x = vec![1.0, 2.0, 4.5];
    let mut out = vec![0.0; 3];
    launch!(bench, solving(&x, &mut out), 1, 4);
    for (x, out) in x.iter().zip(out) {
        assert!((out - x * x * x - 2f64.powf(0.25)).abs() < 1e-9, "{out}");
    }
}

#[gpu_device]
fn each(n: u32, mut f: impl FnMut(u32)) {
    for k in 0..n {
        f(k);
    }
}

#[gpu_device]
fn total<F: FnMut(u32) -> u32>(n: u32, mut f: F) -> u32 {
    let mut sum = 0;
    for k in 0..n {
        sum += f(k);
    }
    sum
}

#[gpu_device]
fn each_pair<F>(n: u32, mut f: F)
where
    F: FnMut(u32, u32),
{
    each(n, |a: u32| each(n, |b: u32| f(a, b)));
}

#[gpu_device]
fn each_again(mut f: impl FnMut(u32)) {
    each(2, &mut f);
    each(3, |k: u32| f(k * 10));
    each(1, f);
}

/// A kernel, and a plain function of the same body.
macro_rules! kernel_and_oracle {
    ($kernel:ident, $oracle:ident, $x:ident, $i:ident, $body:block) => {
        #[gpu_kernel]
        pub fn $kernel($x: &[u32], out: &mut [u32]) {
            let $i = grid_1d();
            if $i < $x.len() && $i < out.len() {
                out[$i] = $body;
            }
        }

        fn $oracle($x: &[u32], $i: usize) -> u32 $body
    };
}

kernel_and_oracle!(changing, change_plainly, x, i, {
    let mut count = x[i];
    each(4, |k: u32| count += k);
    let mut squares = [0u32; 4];
    each(4, |k: u32| squares[k as usize] = k * k + count);
    let mut add = |k: u32| count += k;
    each(2, &mut add);
    add(100);
    each(3, add);
    each_pair(2, |a: u32, b: u32| {
        if a == b {
            return;
        }
        count += a * 2 + b;
    });
    each_again(|k: u32| count += k);
    // What is on the left is read before the call changes it.
    let mut next = 7;
    let sum: u32 = count
        + total(3, |k: u32| {
            count += k + next;
            next += 1;
            count
        });
    let product: u32 = squares[0]
        * total(count % 5, |k: u32| {
            squares[0] += k;
            count += 1;
            k
        })
        + squares[0];
    let row = [
        count,
        total(2, |k: u32| {
            count += k + 1;
            k
        }),
        count,
    ];
    let mut at = 0;
    squares[at] += total(1, |k: u32| {
        at = 1;
        k + 5
    });
    let mut steps = 0;
    if count > 3
        && total(2, |k: u32| {
            steps += 1;
            k
        }) > 0
        && steps == 2
    {
        count += 1000;
    }
    sum * 7 + product + row[0] * 3 + row[2] * 5 + squares[0] + squares[1] * 11 + count + next + at as u32
});

fn functions_call_closures_that_change_variables(bench: &Bench) {
    let x = vec![0, 1, 2, 900, 77];
    let mut out = vec![0; 5];
    launch!(bench, changing(&x, &mut out), 1, 32);
    assert_eq!(out, (0..5).map(|i| change_plainly(&x, i)).collect::<Vec<_>>());
}

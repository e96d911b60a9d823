//! What a thread reports when it cannot go on, and what is left afterwards.
//!
//! In most kernels one thread fails, so that the report is the same whatever runs first.

use gpu_runtime::FailureCause::{self, Assertion, DivisionByZero, DivisionOverflow, IndexOutOfBounds, Panic};
use gpu_runtime::prelude::*;

use crate::bench::{Bench, Failure};
use crate::{cases, launch, try_launch};

cases![
    an_index_past_the_end_is_reported,
    an_index_that_wrapped_below_zero_is_reported wraps = true,
    the_row_of_a_length_is_checked,
    local_and_shared_arrays_are_checked,
    a_panic_is_reported_with_its_message,
    an_assertion_is_reported_with_its_condition,
    debug_assertions_follow_the_build,
    division_by_zero_is_reported wraps = true,
    division_that_overflows_is_reported wraps = true,
    methods_that_divide_are_checked,
    limits_out_of_order_and_steps_of_zero_are_reported,
    a_device_function_reports_its_own_line,
    the_first_of_two_failures_is_reported,
    one_of_many_failing_threads_is_reported,
    a_failure_before_a_barrier_ends_the_block,
    memory_and_device_survive_a_failure,
];

/// The failure of the only thread that fails.
#[track_caller]
fn assert_fails(outcome: Result<(), Failure>, kernel: &str, line: u32, cause: FailureCause, (block, thread): (u32, u32)) {
    let expected = Failure { kernel: kernel.to_owned(), line, cause, block: [block, 0, 0], thread: [thread, 0, 0] };
    assert_eq!(outcome, Err(expected));
}

const READ_LINE: u32 = line!() + 8;
const WRITE_LINE: u32 = READ_LINE + 3;

/// Each thread reads a few elements on, and may write a few on.
#[gpu_kernel]
pub fn shifted(x: &[f32], reading: usize, writing: usize, out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let value = x[i + reading];

        // Where it goes is another matter.
        out[i + writing] = value;
    }
}

fn an_index_past_the_end_is_reported(bench: &Bench) {
    let x = vec![1.0; 70];
    let mut out = vec![0.0; 70];
    assert_eq!(try_launch!(bench, shifted(&x, 0, 0, &mut out), 3, 32), Ok(()));
    let outcome = try_launch!(bench, shifted(&x, 1, 0, &mut out), 3, 32);
    assert_fails(outcome, "shifted", READ_LINE, IndexOutOfBounds { index: 70, len: 70 }, (2, 5));
    let outcome = try_launch!(bench, shifted(&vec![1.0; 75], 5, 1, &mut out), 3, 32);
    assert_fails(outcome, "shifted", WRITE_LINE, IndexOutOfBounds { index: 70, len: 70 }, (2, 5));
    let outcome = try_launch!(bench, shifted(&Vec::new(), 0, 0, &mut vec![0.0]), 1, 32);
    assert_fails(outcome, "shifted", READ_LINE, IndexOutOfBounds { index: 0, len: 0 }, (0, 0));
}

const ROW_LENGTH_LINE: u32 = line!() + 9;

/// The length of a row is known without the row, but the row must be there, as in Rust.
#[gpu_kernel]
pub fn row_length(row: usize, out: &mut [usize]) {
    let rows = [[1, 2, 3], [4, 5, 6]];
    let i = grid_1d();
    if i < out.len() {
        // The elements count too.
        out[i] = rows[row].len() + rows[0][i % 3];
    }
}

fn the_row_of_a_length_is_checked(bench: &Bench) {
    let mut out = vec![0];
    assert_eq!(try_launch!(bench, row_length(1, &mut out), 1, 1), Ok(()));
    assert_eq!(out, [4]);
    let outcome = try_launch!(bench, row_length(2, &mut out), 1, 1);
    assert_fails(outcome, "row_length", ROW_LENGTH_LINE, IndexOutOfBounds { index: 2, len: 2 }, (0, 0));
}

const BEFORE_LINE: u32 = line!() + 7;

/// The element before.
#[gpu_kernel]
pub fn before(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i - 1];
    }
}

fn an_index_that_wrapped_below_zero_is_reported(bench: &Bench) {
    let outcome = try_launch!(bench, before(&vec![1; 40], &mut vec![0; 40]), 2, 32);
    assert_fails(outcome, "before", BEFORE_LINE, IndexOutOfBounds { index: u64::MAX, len: 40 }, (0, 0));
}

const LOCAL_LINE: u32 = line!() + 11;
const ROW_LINE: u32 = LOCAL_LINE + 1;
const TILE_LINE: u32 = LOCAL_LINE + 2;

/// Indices from memory, into three arrays.
#[gpu_kernel]
pub fn inner_arrays(at: &[usize], out: &mut [i32]) {
    let mut tile = shared::<[i32; 8]>();
    let local = [1, 2, 3];
    let rows = [[1, 2], [3, 4]];
    if grid_1d() == 0 {
        let a = local[at[0]];
        let b = rows[at[1]][at[2]];
        tile[at[3]] = a;
        out[0] = a + b;
    }
}

fn local_and_shared_arrays_are_checked(bench: &Bench) {
    let try_with = |a, b, c, d| try_launch!(bench, inner_arrays(&vec![a, b, c, d], &mut vec![0]), 2, 4);
    assert_eq!(try_with(2, 1, 1, 7), Ok(()));
    assert_fails(try_with(3, 1, 1, 7), "inner_arrays", LOCAL_LINE, IndexOutOfBounds { index: 3, len: 3 }, (0, 0));
    assert_fails(try_with(0, 2, 9, 7), "inner_arrays", ROW_LINE, IndexOutOfBounds { index: 2, len: 2 }, (0, 0));
    assert_fails(try_with(0, 1, 9, 7), "inner_arrays", ROW_LINE, IndexOutOfBounds { index: 9, len: 2 }, (0, 0));
    assert_fails(try_with(0, 1, 0, 8), "inner_arrays", TILE_LINE, IndexOutOfBounds { index: 8, len: 8 }, (0, 0));
}

const PANIC_LINE: u32 = line!() + 11;
const UNREACHABLE_LINE: u32 = PANIC_LINE + 2;

/// Negative numbers and the number 13 have no place here.
#[gpu_kernel]
pub fn panics(x: &[f64], out: &mut [f64]) {
    let i = grid_1d();
    if i < x.len() {
        out[i] = if x[i] >= 0.0 && x[i] != 13.0 {
            x[i].sqrt()
        } else if x[i] < 0.0 {
            panic!("the root of a negative number")
        } else {
            unreachable!()
        };
    }
}

fn a_panic_is_reported_with_its_message(bench: &Bench) {
    let mut x = vec![4.0; 100];
    let mut out = vec![0.0; 100];
    launch!(bench, panics(&x, &mut out), 2, 64);
    assert_eq!(out, [2.0; 100]);
    x[99] = -1.0;
    let outcome = try_launch!(bench, panics(&x, &mut out), 2, 64);
    assert_fails(outcome, "panics", PANIC_LINE, Panic { message: "the root of a negative number" }, (1, 35));
    x[99] = 13.0;
    let outcome = try_launch!(bench, panics(&x, &mut out), 2, 64);
    assert_fails(outcome, "panics", UNREACHABLE_LINE, Panic { message: "internal error: entered unreachable code" }, (1, 35));
}

const ASSERT_LINE: u32 = line!() + 7;

/// Three assertions.
#[gpu_kernel]
pub fn assertions(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < x.len() {
        assert!(x[i] < 100 || 1000 / (x[i] - 100) > 3);
        assert!(x[i] != 7, "seven is taken");
        let value = x[i];
        assert_eq!(value % 2, 1);
        out[i] = value;
    }
}

fn an_assertion_is_reported_with_its_condition(bench: &Bench) {
    let try_with = |value| {
        let mut x = vec![1; 50];
        x[49] = value;
        try_launch!(bench, assertions(&x, &mut vec![0; 50]), 2, 32)
    };
    assert_eq!(try_with(3), Ok(()));
    assert_eq!(try_with(101), Ok(()));
    let condition = "x[i] < 100 || 1000 / (x[i] - 100) > 3";
    assert_fails(try_with(501), "assertions", ASSERT_LINE, Assertion { message: condition }, (1, 17));
    assert_fails(try_with(7), "assertions", ASSERT_LINE + 1, Assertion { message: "seven is taken" }, (1, 17));
    assert_fails(try_with(8), "assertions", ASSERT_LINE + 3, Assertion { message: "value % 2 == 1" }, (1, 17));
    assert_fails(try_with(100), "assertions", ASSERT_LINE, DivisionByZero, (1, 17));
}

const DEBUG_LINE: u32 = line!() + 7;

/// An assertion of debug builds.
#[gpu_kernel]
pub fn debug_assertions(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        debug_assert!(x[i] != 0, "zero");
        out[i] = x[i] + 1;
    }
}

fn debug_assertions_follow_the_build(bench: &Bench) {
    let mut out = vec![0];
    let outcome = try_launch!(bench, debug_assertions(&vec![0], &mut out), 1, 1);
    if cfg!(debug_assertions) {
        assert_fails(outcome, "debug_assertions", DEBUG_LINE, Assertion { message: "zero" }, (0, 0));
    } else {
        assert_eq!((outcome, out), (Ok(()), vec![1]));
    }
}

macro_rules! division_kernels {
    ($($module:ident $T:ident)*) => {
        $(pub mod $module {
            use super::*;

            #[gpu_kernel]
            pub fn divide(x: &[$T], y: &[$T], out: &mut [$T]) {
                let i = grid_1d();
                if i < x.len() {
                    out[i] = x[i] / y[i];
                }
            }

            #[gpu_kernel]
            pub fn remainder(x: &[$T], y: &[$T], out: &mut [$T]) {
                let i = grid_1d();
                if i < x.len() {
                    out[i] = 1;
                    out[i] += x[i];
                    out[i] %= y[i];
                }
            }

            /// The causes of `x / y` and `(x + 1) % y`.
            pub fn causes(bench: &Bench, x: $T, y: $T) -> [Option<FailureCause>; 2] {
                let (x, y, mut out) = (vec![x], vec![y], vec![0]);
                let quotient = try_launch!(bench, divide(&x, &y, &mut out), 1, 1);
                let remainder = try_launch!(bench, remainder(&x, &y, &mut out), 1, 1);
                [quotient.err().map(|failure| failure.cause), remainder.err().map(|failure| failure.cause)]
            }
        })*

        fn division_by_zero_is_reported(bench: &Bench) {
            $(
                assert_eq!($module::causes(bench, 5, 0), [Some(DivisionByZero), Some(DivisionByZero)], stringify!($T));
                assert_eq!($module::causes(bench, <$T>::MIN, 0), [Some(DivisionByZero), Some(DivisionByZero)], stringify!($T));
                assert_eq!($module::causes(bench, <$T>::MAX, 1), [None, None], stringify!($T));
            )*
        }
    };
}

division_kernels! {
    on_i8 i8 on_i16 i16 on_i32 i32 on_i64 i64 on_isize isize
    on_u8 u8 on_u16 u16 on_u32 u32 on_u64 u64 on_usize usize
}

fn division_that_overflows_is_reported(bench: &Bench) {
    macro_rules! check {
        ($($module:ident $T:ident)*) => {
            $(
                assert_eq!($module::causes(bench, <$T>::MIN, -1), [Some(DivisionOverflow), None], stringify!($T));
                // Adding 1 to the largest number gives the smallest.
                assert_eq!($module::causes(bench, <$T>::MAX, -1), [None, Some(DivisionOverflow)], stringify!($T));
            )*
        };
    }
    check!(on_i8 i8 on_i16 i16 on_i32 i32 on_i64 i64 on_isize isize);
}

const METHODS_LINE: u32 = line!() + 7;

/// The methods that divide, chosen by a number.
#[gpu_kernel]
pub fn dividing_methods(x: i32, y: i32, which: u32, out: &mut [i32]) {
    if grid_1d() == 0 {
        if which == 0 {
            out[0] = x.div_euclid(y);
        } else if which == 1 {
            out[0] = x.rem_euclid(y);
        } else if which == 2 {
            out[0] = (x as u32).div_ceil(y as u32) as i32;
        } else {
            out[0] = FOUR / (y - y);
        }
    }
}

const FOUR: i32 = 4;

fn methods_that_divide_are_checked(bench: &Bench) {
    let mut out = vec![0];
    for which in 0..3 {
        let outcome = try_launch!(bench, dividing_methods(i32::MIN, 0, which, &mut out), 1, 1);
        assert_fails(outcome, "dividing_methods", METHODS_LINE + 2 * which, DivisionByZero, (0, 0));
    }
    for which in 0..2 {
        let outcome = try_launch!(bench, dividing_methods(i32::MIN, -1, which, &mut out), 1, 1);
        assert_fails(outcome, "dividing_methods", METHODS_LINE + 2 * which, DivisionOverflow, (0, 0));
    }
    let outcome = try_launch!(bench, dividing_methods(1, 1, 3, &mut out), 1, 1);
    assert_fails(outcome, "dividing_methods", METHODS_LINE + 6, DivisionByZero, (0, 0));
}

const CLAMP_LINE: u32 = line!() + 7;

/// Limits and a step from outside.
#[gpu_kernel]
pub fn limits(low: f32, high: f32, step: usize, out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = (i as f32).clamp(low, high);
        for k in (0..4usize).step_by(step) {
            out[i] += k as f32;
        }
    }
}

fn limits_out_of_order_and_steps_of_zero_are_reported(bench: &Bench) {
    let mut out = vec![0.0];
    launch!(bench, limits(1.0, 2.0, 3, &mut out), 1, 1);
    assert_eq!(out, [4.0]);
    let message = "the lower limit of `clamp` is at most the upper one";
    for (low, high) in [(2.0, 1.0), (f32::NAN, 1.0), (0.0, f32::NAN)] {
        let outcome = try_launch!(bench, limits(low, high, 1, &mut out), 1, 1);
        assert_fails(outcome, "limits", CLAMP_LINE, Assertion { message }, (0, 0));
    }
    let outcome = try_launch!(bench, limits(1.0, 2.0, 0, &mut out), 1, 1);
    assert_fails(outcome, "limits", CLAMP_LINE + 1, Panic { message: "the step of a range is zero" }, (0, 0));
}

const DEVICE_LINE: u32 = line!() + 5;

/// Fails in a row of calls.
#[gpu_device]
fn nested(x: &[u32], depth: u32) -> u32 {
    if depth == 0 { x[x.len()] } else { nested(x, depth - 1u32) + 1u32 }
}

/// Calls for a failure.
#[gpu_kernel]
pub fn calls(x: &[u32], out: &mut [u32]) {
    let local = [1u32; 5];
    let i = grid_1d();
    if i == 3 {
        out[i] = if x.is_empty() { nested(&local, 2u32) } else { nested(x, 0u32) };
    }
}

fn a_device_function_reports_its_own_line(bench: &Bench) {
    let outcome = try_launch!(bench, calls(&vec![1; 9], &mut vec![0; 9]), 1, 32);
    assert_fails(outcome, "calls", DEVICE_LINE, IndexOutOfBounds { index: 9, len: 9 }, (0, 3));
    let outcome = try_launch!(bench, calls(&Vec::new(), &mut vec![0; 9]), 1, 32);
    assert_fails(outcome, "calls", DEVICE_LINE, IndexOutOfBounds { index: 5, len: 5 }, (0, 3));
}

const TWO_LINE: u32 = line!() + 6;

/// Everything that can go wrong in one statement.
#[gpu_kernel]
pub fn two_failures(x: &[i32], zero: i32, out: &mut [i32]) {
    if grid_1d() == 0 {
        out[77] = x[55] / zero + x[66];
    }
}

fn the_first_of_two_failures_is_reported(bench: &Bench) {
    let try_with = |length, zero| try_launch!(bench, two_failures(&vec![1; length], zero, &mut vec![0; 7]), 1, 1);
    assert_fails(try_with(5, 0), "two_failures", TWO_LINE, IndexOutOfBounds { index: 55, len: 5 }, (0, 0));
    assert_fails(try_with(60, 0), "two_failures", TWO_LINE, DivisionByZero, (0, 0));
    assert_fails(try_with(60, 1), "two_failures", TWO_LINE, IndexOutOfBounds { index: 66, len: 60 }, (0, 0));
    assert_fails(try_with(70, 1), "two_failures", TWO_LINE, IndexOutOfBounds { index: 77, len: 7 }, (0, 0));
}

/// Every thread of a three-dimensional launch fails with an index of its own.
#[gpu_kernel]
pub fn all_fail(x: &[u8], out: &mut [u8]) {
    let (t, b) = (thread_idx(), block_idx());
    let place = t.x + 4 * (t.y + 3 * (t.z + 2 * (b.x + 5 * (b.y + 2 * b.z))));
    out[place] = x[1000 + place];
}

fn one_of_many_failing_threads_is_reported(bench: &Bench) {
    let failure = try_launch!(bench, all_fail(&vec![0; 10], &mut vec![0; 10]), (5, 2, 3), (4, 3, 2)).unwrap_err();
    let ([tx, ty, tz], [bx, by, bz]) = (failure.thread, failure.block);
    assert!(tx < 4 && ty < 3 && tz < 2 && bx < 5 && by < 2 && bz < 3, "{failure:?}");
    let place = tx + 4 * (ty + 3 * (tz + 2 * (bx + 5 * (by + 2 * bz))));
    assert_eq!(failure.cause, IndexOutOfBounds { index: 1000 + u64::from(place), len: 10 });
}

const BARRIER_LINE: u32 = line!() + 8;

/// One thread fails while the others wait for it.
#[gpu_kernel]
pub fn before_barrier(x: &[i32], out: &mut [i32]) {
    let mut tile = shared::<[i32; 32]>();
    let t = thread_idx().x;
    if x[t] == 5 {
        panic!("five");
    }
    tile[t] = x[t];
    sync_threads();
    out[t] = tile[31 - t];
}

fn a_failure_before_a_barrier_ends_the_block(bench: &Bench) {
    let x: Vec<i32> = (0..32).collect();
    let outcome = try_launch!(bench, before_barrier(&x, &mut vec![0; 32]), 1, 32);
    assert_fails(outcome, "before_barrier", BARRIER_LINE, Panic { message: "five" }, (0, 5));
}

/// Adds `x`, which must have no zero.
#[gpu_kernel]
pub fn careful(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        assert!(x[i] != 0);
        out[i] += x[i];
    }
}

fn memory_and_device_survive_a_failure(bench: &Bench) {
    let mut x = vec![1; 1000];
    let mut out = vec![10; 1000];
    launch!(bench, careful(&x, &mut out), 8, 128);
    x[500] = 0;
    let failure = try_launch!(bench, careful(&x, &mut out), 8, 128).unwrap_err();
    assert_eq!((failure.block, failure.thread), ([3, 0, 0], [116, 0, 0]));
    // Which of the other threads still ran is open, but each did all or nothing, and the one that failed did nothing.
    assert_eq!(out[500], 11);
    assert!(out.iter().all(|value| (11..=12).contains(value)), "{out:?}");
    x[500] = 5;
    let mut out = vec![10; 1000];
    launch!(bench, careful(&x, &mut out), 8, 128);
    let mut expected = vec![11; 1000];
    expected[500] = 15;
    assert_eq!(out, expected);
}

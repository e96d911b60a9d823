//! Methods of slices that become loops, of arrays, fields, rows and parts.
//!
//! Expected values are those of the same functions in plain Rust.

use gpu_runtime::FailureCause::Assertion;
use gpu_runtime::prelude::*;

use crate::bench::{Bench, Failure};
use crate::{cases, launch, try_launch};

cases![
    arrays_in_structs_and_rows_are_filled,
    elements_are_reversed_and_rotated,
    parts_have_the_methods_of_slices,
    options_in_arrays_and_structs_are_taken,
    methods_of_own_types_have_the_same_names,
    what_is_too_long_is_reported,
];

const HISTORY: usize = 4;

#[derive(Debug, Clone, Copy, DeviceType)]
#[repr(C)]
pub struct Track {
    history: [i32; HISTORY],
    best: Option<i32>,
    bag: Bag,
}

#[derive(Debug, Clone, Copy, DeviceType)]
#[repr(C)]
pub struct Bag {
    count: i32,
    items: [i32; 3],
}

/// Methods that arrays and options have too.
#[gpu_device]
impl Bag {
    pub fn fill(&mut self, count: i32) {
        self.count = count;
        self.items.fill(count + 1);
    }

    pub fn take(&mut self) -> i32 {
        let count = self.count;
        self.count = 0;
        count
    }

    pub fn contains(&self, count: &i32) -> bool {
        self.count == *count
    }

    pub fn reverse(&mut self) {
        self.items.reverse();
        self.count = -self.count;
    }

    pub fn or(&self, other: i32) -> i32 {
        self.count | other
    }
}

#[gpu_device]
impl Track {
    fn new(start: i32) -> Track {
        Track { history: [start; 4], best: None, bag: Bag { count: start, items: [1, 2, 3] } }
    }
}

#[gpu_device]
fn filled(n: i32) -> i32 {
    let mut track = Track::new(n);
    track.history.fill(n * 2);
    let mut grid = [[1i32; 4]; 3];
    grid[1].fill(n);
    grid[2].copy_from_slice(&track.history);
    grid[0][1..3].copy_from_slice(&track.history[2..]);
    let other = track;
    track.history[1..].fill(7);
    track.history.swap(0, 3);
    let mut sum = 0;
    for row in [grid[0], grid[1], grid[2], track.history, other.history] {
        for v in row {
            sum = (sum * 3 + v) % 10007;
        }
    }
    sum
}

#[gpu_device]
fn turned(n: i32) -> i32 {
    let mut a = [n, 2, 3, 4, 5, 6, 7];
    a.rotate_left(2);
    a[1..6].rotate_right(n as usize % 6);
    a[n as usize % 4..].reverse();
    let (left, right) = a.split_at_mut(3);
    left.reverse();
    right[..2].rotate_left(1);
    let found = a.contains(&n) as i32 + a[2..5].contains(&6) as i32 * 2;
    let mut sum = 0;
    for v in a {
        sum = (sum * 11 + v) % 10007;
    }
    sum + found
}

#[gpu_device]
fn parts(x: &[i32], n: i32) -> i32 {
    let at = n as usize % x.len();
    let part = &x[at..];
    let first = part.first().copied().unwrap_or(-1);
    let last = *part.last().unwrap_or(&-2);
    let third = part.get(2).copied().unwrap_or(-3);
    let (left, right) = x.split_at(at);
    let mut sum = first + last * 3 + third * 5 + left.len() as i32;
    if let Some(v) = left.last() {
        sum += v * 7;
    }
    if right.contains(&5) {
        sum += 1000;
    }
    sum + x[at..].first().map_or(0, |v| v * 9) + left.first().copied().unwrap_or(13)
}

#[gpu_device]
fn taken(n: i32) -> i32 {
    let mut options = [None, Some(n), Some(4)];
    let spare = Some(9);
    let chosen = options[0].or(spare);
    let old = options[1].take();
    let third = options[n as usize % 3].replace(n + 1);
    let mut track = Track::new(n);
    track.best = if n % 2 == 0 { Some(n) } else { None };
    let before = track.best.or(Some(17));
    let best = track.best.take();
    let mut sum = 0;
    for option in options {
        sum = sum * 3 + option.unwrap_or(-5);
    }
    let found = [chosen, old, third, before, best, track.best];
    for option in found {
        sum = sum * 3 + option.unwrap_or(-1);
    }
    sum
}

#[gpu_device]
fn own(n: i32) -> i32 {
    let mut track = Track::new(n);
    track.bag.fill(n + 3);
    track.bag.items.reverse();
    let contained = track.bag.contains(&(n + 3)) as i32 + track.bag.items.contains(&(n + 4)) as i32;
    track.bag.reverse();
    let mut bags = [track.bag, Track::new(2).bag];
    let two = bags[1].take();
    bags[0].items[n as usize % 3] += track.bag.or(64);
    contained + two * 5 + bags[0].items[0] * 7 + bags[1].count * 11 + bags[0].count * 13
}

/// The same without the attribute.
mod plain {
    use super::*;

    pub(super) fn filled(n: i32) -> i32 {
        let mut track = Track::new(n);
        track.history.fill(n * 2);
        let mut grid = [[1i32; 4]; 3];
        grid[1].fill(n);
        grid[2].copy_from_slice(&track.history);
        grid[0][1..3].copy_from_slice(&track.history[2..]);
        let other = track;
        track.history[1..].fill(7);
        track.history.swap(0, 3);
        let mut sum = 0;
        for row in [grid[0], grid[1], grid[2], track.history, other.history] {
            for v in row {
                sum = (sum * 3 + v) % 10007;
            }
        }
        sum
    }

    pub(super) fn turned(n: i32) -> i32 {
        let mut a = [n, 2, 3, 4, 5, 6, 7];
        a.rotate_left(2);
        a[1..6].rotate_right(n as usize % 6);
        a[n as usize % 4..].reverse();
        let (left, right) = a.split_at_mut(3);
        left.reverse();
        right[..2].rotate_left(1);
        let found = a.contains(&n) as i32 + a[2..5].contains(&6) as i32 * 2;
        let mut sum = 0;
        for v in a {
            sum = (sum * 11 + v) % 10007;
        }
        sum + found
    }

    pub(super) fn parts(x: &[i32], n: i32) -> i32 {
        let at = n as usize % x.len();
        let part = &x[at..];
        let first = part.first().copied().unwrap_or(-1);
        let last = *part.last().unwrap_or(&-2);
        let third = part.get(2).copied().unwrap_or(-3);
        let (left, right) = x.split_at(at);
        let mut sum = first + last * 3 + third * 5 + left.len() as i32;
        if let Some(v) = left.last() {
            sum += v * 7;
        }
        if right.contains(&5) {
            sum += 1000;
        }
        sum + x[at..].first().map_or(0, |v| v * 9) + left.first().copied().unwrap_or(13)
    }

    pub(super) fn taken(n: i32) -> i32 {
        let mut options = [None, Some(n), Some(4)];
        let spare = Some(9);
        let chosen = options[0].or(spare);
        let old = options[1].take();
        let third = options[n as usize % 3].replace(n + 1);
        let mut track = Track::new(n);
        track.best = if n % 2 == 0 { Some(n) } else { None };
        let before = track.best.or(Some(17));
        let best = track.best.take();
        let mut sum = 0;
        for option in options {
            sum = sum * 3 + option.unwrap_or(-5);
        }
        let found = [chosen, old, third, before, best, track.best];
        for option in found {
            sum = sum * 3 + option.unwrap_or(-1);
        }
        sum
    }

    pub(super) fn own(n: i32) -> i32 {
        let mut track = Track::new(n);
        track.bag.fill(n + 3);
        track.bag.items.reverse();
        let contained = track.bag.contains(&(n + 3)) as i32 + track.bag.items.contains(&(n + 4)) as i32;
        track.bag.reverse();
        let mut bags = [track.bag, Track::new(2).bag];
        let two = bags[1].take();
        bags[0].items[n as usize % 3] += track.bag.or(64);
        contained + two * 5 + bags[0].items[0] * 7 + bags[1].count * 11 + bags[0].count * 13
    }
}

macro_rules! kernels_of {
    ($($kernel:ident: $function:ident),*) => {
        $(#[gpu_kernel]
        pub fn $kernel(out: &mut [i32]) {
            let i = grid_1d();
            if i < out.len() {
                out[i] = $function(i as i32);
            }
        })*
    };
}

kernels_of![all_filled: filled, all_turned: turned, all_taken: taken, all_own: own];

macro_rules! compare {
    ($bench:expr, $kernel:ident, $function:ident) => {{
        let mut out = vec![0; 40];
        launch!($bench, $kernel(&mut out), 2, 32);
        assert_eq!(out, (0..40).map(plain::$function).collect::<Vec<_>>());
    }};
}

fn arrays_in_structs_and_rows_are_filled(bench: &Bench) {
    compare!(bench, all_filled, filled);
}

fn elements_are_reversed_and_rotated(bench: &Bench) {
    compare!(bench, all_turned, turned);
}

fn options_in_arrays_and_structs_are_taken(bench: &Bench) {
    compare!(bench, all_taken, taken);
}

fn methods_of_own_types_have_the_same_names(bench: &Bench) {
    compare!(bench, all_own, own);
}

#[gpu_kernel]
pub fn all_parts(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = parts(x, i as i32);
    }
}

fn parts_have_the_methods_of_slices(bench: &Bench) {
    let x: Vec<i32> = (0..9).map(|i| i * 5 % 7).collect();
    let mut out = vec![0; 40];
    launch!(bench, all_parts(&x, &mut out), 2, 32);
    assert_eq!(out, (0..40).map(|n| plain::parts(&x, n)).collect::<Vec<_>>());
}

#[gpu_kernel]
pub fn too_long(n: usize, out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        let mut a = [1, 2, 3];
        a.rotate_left(n);
        let (left, right) = a.split_at(n - 1);
        out[i] = left.len() as i32 * 10 + right.len() as i32;
    }
}

fn what_is_too_long_is_reported(bench: &Bench) {
    let mut out = vec![0; 3];
    launch!(bench, too_long(3, &mut out), 1, 32);
    assert_eq!(out, [21; 3]);
    let failure = try_launch!(bench, too_long(4, &mut out), 1, 32);
    assert!(matches!(failure, Err(Failure { cause: Assertion { .. }, .. })), "{failure:?}");
}

//! `==` and `<` of values that consist of others: structs, enums, tuples, arrays and options.

use std::cmp::Ordering;

use gpu_runtime::prelude::*;

use crate::bench::Bench;
use crate::{cases, launch};

cases![
    structs_are_compared,
    enums_are_compared,
    tuples_arrays_and_options_are_compared,
    types_have_their_own_equality,
    types_have_their_own_order,
    orders_are_values,
];

#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, DeviceType)]
#[repr(C)]
pub struct Version {
    major: u16,
    parts: [i8; 2],
    weight: f32,
}

/// One bit for each comparison.
macro_rules! comparisons {
    ($a:expr, $b:expr) => {
        ($a == $b) as u32
            | (($a != $b) as u32) << 1
            | (($a < $b) as u32) << 2
            | (($a <= $b) as u32) << 3
            | (($a > $b) as u32) << 4
            | (($a >= $b) as u32) << 5
    };
}

#[gpu_kernel]
pub fn struct_comparisons(x: &[Version], out: &mut [u32]) {
    let i = grid_1d();
    if i < x.len() * x.len() && i < out.len() {
        let (a, b) = (x[i / x.len()], x[i % x.len()]);
        let mut bits = (a == b) as u32 | ((a != b) as u32) << 1;
        if a < b {
            bits |= 4;
        }
        bits |= ((a <= b) as u32) << 3;
        bits |= ((x[i / x.len()] > b) as u32) << 4;
        bits |= ((a >= x[i % x.len()]) as u32) << 5;
        bits |= ((a.parts == b.parts) as u32) << 6;
        bits |= ((a.parts < b.parts) as u32) << 7;
        out[i] = bits;
    }
}

fn versions() -> Vec<Version> {
    let weights = [0.0, -0.0, 1.5, f32::NAN];
    let all = (0..16).map(|i: u8| Version { major: u16::from(i / 8), parts: [0, i as i8 % 3 - 1], weight: weights[usize::from(i % 4)] });
    all.collect()
}

fn structs_are_compared(bench: &Bench) {
    let x = versions();
    let mut out = vec![0; 256];
    launch!(bench, struct_comparisons(&x, &mut out), 8, 32);
    let expected = (0..256).map(|i| {
        let (a, b) = (x[i / 16], x[i % 16]);
        comparisons!(a, b) | u32::from(a.parts == b.parts) << 6 | u32::from(a.parts < b.parts) << 7
    });
    assert_eq!(out, expected.collect::<Vec<_>>());
}

#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, DeviceType)]
#[repr(u8)]
pub enum Color {
    Red = 7,
    Green = 0,
    Blue = 3,
}

#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, DeviceType)]
#[repr(C)]
pub enum Shape {
    Point,
    Circle { radius: f32, color: Color },
    Line(i32, i32),
}

#[gpu_kernel]
pub fn enum_comparisons(x: &[Shape], out: &mut [u32]) {
    let i = grid_1d();
    if i < x.len() * x.len() && i < out.len() {
        let (a, b) = (x[i / x.len()], x[i % x.len()]);
        let bits = (a == b) as u32 | ((a != b) as u32) << 1 | ((a < b) as u32) << 2 | ((a <= b) as u32) << 3;
        let mut colors = 0;
        if let Shape::Circle { color, .. } = a {
            colors = (color == Color::Blue) as u32 | ((color < Color::Red) as u32) << 1;
        }
        out[i] = bits | ((a > b) as u32) << 4 | ((a >= b) as u32) << 5 | ((a == Shape::Point) as u32) << 6 | colors << 7;
        // A variant without data on either side.
        out[i] |= ((Shape::Point == a) as u32) << 9 | ((a != Shape::Point) as u32) << 10 | ((Shape::Point != a) as u32) << 11;
        out[i] |= ((a < Shape::Point) as u32) << 12 | ((Shape::Point < a) as u32) << 13 | ((a >= Shape::Point) as u32) << 14;
        out[i] |= ((Shape::Point >= a) as u32) << 15 | ((Shape::Point <= Shape::Point) as u32) << 16;
        out[i] |= ((a.partial_cmp(&Shape::Point) == Some(Ordering::Greater)) as u32) << 17;
        out[i] |= ((Shape::Point.partial_cmp(&a) == Some(Ordering::Less)) as u32) << 18;
    }
}

fn enums_are_compared(bench: &Bench) {
    let circle = |radius, color| Shape::Circle { radius, color };
    let x = vec![
        Shape::Point,
        circle(1.0, Color::Red),
        circle(1.0, Color::Green),
        circle(f32::NAN, Color::Blue),
        circle(0.5, Color::Blue),
        Shape::Line(1, -1),
        Shape::Line(1, 2),
        Shape::Line(0, 5),
    ];
    let mut out = vec![0; 64];
    launch!(bench, enum_comparisons(&x, &mut out), 2, 32);
    let expected = (0..64).map(|i| {
        let (a, b) = (x[i / 8], x[i % 8]);
        let colors = match a {
            Shape::Circle { color, .. } => u32::from(color == Color::Blue) | u32::from(color < Color::Red) << 1,
            _ => 0,
        };
        let is_point = u32::from(a == Shape::Point);
        let of_points =
            is_point * (1 << 9 | 1 << 14 | 1 << 15) + (1 - is_point) * (1 << 10 | 1 << 11 | 1 << 13 | 1 << 14 | 1 << 17 | 1 << 18);
        comparisons!(a, b) | is_point << 6 | colors << 7 | of_points | 1 << 16
    });
    assert_eq!(out, expected.collect::<Vec<_>>());
}

#[gpu_kernel]
pub fn aggregate_comparisons(pairs: &[(i32, f32)], grids: &[[[u8; 2]; 2]], out: &mut [u32]) {
    let i = grid_1d();
    if i + 1 < pairs.len() && i + 1 < grids.len() && i < out.len() {
        let (a, b) = (pairs[i], pairs[i + 1]);
        let mut bits = (a == b) as u32 | ((a < b) as u32) << 1 | ((a >= (3, 0.5)) as u32) << 2;
        bits |= ((grids[i] == grids[i + 1]) as u32) << 3 | ((grids[i] < [[3, 4], [5, 6]]) as u32) << 4;
        let first = a.0.checked_mul(1_000_000_000);
        bits |= ((first == None) as u32) << 5 | ((first < b.0.checked_mul(1_000_000_000)) as u32) << 6;
        bits |= (((a.0, grids[i]) != (b.0, grids[i + 1])) as u32) << 7;
        out[i] = bits;
    }
}

fn tuples_arrays_and_options_are_compared(bench: &Bench) {
    let pairs: Vec<(i32, f32)> = (0..40).map(|i| (i % 5, if i % 7 == 0 { f32::NAN } else { (i % 3) as f32 * 0.5 })).collect();
    let grids: Vec<[[u8; 2]; 2]> = (0..40).map(|i| [[3, 4], [i / 10 + 3, i % 2 * 7]]).collect();
    let mut out = vec![0; 39];
    launch!(bench, aggregate_comparisons(&pairs, &grids, &mut out), 2, 32);
    let expected = pairs.windows(2).zip(grids.windows(2)).map(|(pairs, grids)| {
        let (a, b) = (pairs[0], pairs[1]);
        let first = a.0.checked_mul(1_000_000_000);
        let bits = [
            a == b,
            a < b,
            a >= (3, 0.5),
            grids[0] == grids[1],
            grids[0] < [[3, 4], [5, 6]],
            first.is_none(),
            first < b.0.checked_mul(1_000_000_000),
            (a.0, grids[0]) != (b.0, grids[1]),
        ];
        bits.iter().enumerate().map(|(bit, holds)| u32::from(*holds) << bit).sum::<u32>()
    });
    assert_eq!(out, expected.collect::<Vec<_>>());
}

/// An angle in degrees.
#[derive(Debug, Clone, Copy, DeviceType)]
#[repr(C)]
pub struct Angle {
    degrees: i32,
}

#[gpu_device]
impl PartialEq for Angle {
    fn eq(&self, other: &Self) -> bool {
        self.degrees.rem_euclid(360) == other.degrees.rem_euclid(360)
    }
}

#[gpu_kernel]
pub fn own_equality(x: &[Angle], out: &mut [u32]) {
    let i = grid_1d();
    if i < x.len() && i < out.len() {
        let straight = Angle { degrees: 180 };
        let mut bits = (x[i] == straight) as u32;
        if x[i] != x[0] {
            bits |= 2;
        }
        out[i] = bits;
    }
}

fn types_have_their_own_equality(bench: &Bench) {
    let x: Vec<Angle> = (-12..28).map(|i| Angle { degrees: i * 90 }).collect();
    let mut out = vec![0; 40];
    launch!(bench, own_equality(&x, &mut out), 2, 32);
    let expected = x.iter().map(|angle| u32::from(*angle == Angle { degrees: 180 }) | u32::from(*angle != x[0]) << 1);
    assert_eq!(out, expected.collect::<Vec<_>>());
    assert_eq!(out[..4], [0, 2, 3, 2]);
}

/// The greater priority comes first, then the smaller number; without a priority, it has no place.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Task {
    priority: f32,
    number: u32,
}

#[gpu_device]
impl PartialOrd for Task {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        let order = other.priority.partial_cmp(&self.priority)?;
        Some(order.then(self.number.cmp(&other.number)))
    }
}

/// Days of a week that begins on a Wednesday.
#[derive(Debug, Clone, Copy, PartialEq, Eq, DeviceType)]
#[repr(C)]
pub struct Day {
    number: u8,
}

#[gpu_device]
impl Ord for Day {
    fn cmp(&self, other: &Self) -> Ordering {
        ((self.number + 5) % 7).cmp(&((other.number + 5) % 7))
    }
}

#[gpu_device]
impl PartialOrd for Day {
    fn partial_cmp(&self, other: &Day) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[gpu_kernel]
pub fn own_orders(tasks: &[Task], days: &[Day], out: &mut [u32]) {
    let i = grid_1d();
    if i < tasks.len() * tasks.len() && i < out.len() {
        let (a, b) = (tasks[i / tasks.len()], tasks[i % tasks.len()]);
        let mut bits = (a < b) as u32 | ((a <= b) as u32) << 1 | ((a > b) as u32) << 2 | ((a >= b) as u32) << 3;
        if a.partial_cmp(&b).is_none() {
            bits |= 16;
        }
        if i / tasks.len() < days.len() && i % tasks.len() < days.len() {
            let a = &days[i / tasks.len()];
            let b = &days[i % tasks.len()];
            bits |= ((*a < *b) as u32) << 5 | ((a >= b) as u32) << 6;
            bits |= match a.cmp(b) {
                Ordering::Less => 128,
                Ordering::Equal => 256,
                Ordering::Greater => 512,
            };
        }
        out[i] = bits;
    }
}

fn types_have_their_own_order(bench: &Bench) {
    let task = |i: u32| Task { priority: if i == 5 { f32::NAN } else { (i % 3) as f32 }, number: i * 3 % 4 };
    let tasks: Vec<Task> = (0..9).map(task).collect();
    let days: Vec<Day> = (0..7).map(|number| Day { number }).collect();
    let mut out = vec![0; 81];
    launch!(bench, own_orders(&tasks, &days, &mut out), 3, 32);
    let expected = (0..81).map(|i| {
        let (a, b) = (tasks[i / 9], tasks[i % 9]);
        let place = |task: Task| (-task.priority, task.number);
        let (first, second) = (place(a), place(b));
        let mut bits = comparisons!(first, second) >> 2 | u32::from(first.partial_cmp(&second).is_none()) << 4;
        if let (Some(a), Some(b)) = (days.get(i / 9), days.get(i % 9)) {
            let [a, b] = [a, b].map(|day| (day.number + 5) % 7);
            bits |= u32::from(a < b) << 5 | u32::from(a >= b) << 6 | (256 << (a.cmp(&b) as i8 + 1) >> 1);
        }
        bits
    });
    assert_eq!(out, expected.collect::<Vec<_>>());
}

/// The number of an order.
#[gpu_device]
fn number(order: Ordering) -> i32 {
    match order {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    }
}

#[gpu_kernel]
pub fn orders(x: &[f32], versions: &[Version], out: &mut [[i32; 8]]) {
    let i = grid_1d();
    if i < x.len() * x.len() && i < out.len() && x.len() <= versions.len() {
        let (a, b) = (i / x.len(), i % x.len());
        let total = x[a].total_cmp(&x[b]);
        let partial = x[a].partial_cmp(&x[b]);
        let indices = (a % 3).cmp(&(b % 3));
        let by_index = indices.reverse().then_with(|| b.cmp(&1));
        let all = total.is_lt() as i32 | (total.is_le() as i32) << 1 | (total.is_gt() as i32) << 2 | (total.is_ge() as i32) << 3;
        let equal = (indices.is_eq() as i32) << 4 | (indices.is_ne() as i32) << 5 | ((indices != Ordering::Greater) as i32) << 6;
        let least = x.iter().copied().enumerate().min_by(|(i, p), (k, q)| (i % 4).cmp(&(k % 4)).reverse().then(q.total_cmp(p)));
        out[i] = [
            number(total),
            partial.map_or(7, |order| number(order)),
            number(versions[a].partial_cmp(&versions[b]).unwrap_or(Ordering::Less)),
            number(by_index),
            all | equal,
            least.map_or(0, |(place, _)| place as i32),
            number((versions[a].major, versions[a].parts).cmp(&(versions[b].major, versions[b].parts))),
            if (x[a] < 0.0).cmp(&(x[b] < 0.0)) == Ordering::Less && partial != Some(Ordering::Less) { 1 } else { 0 },
        ];
    }
}

fn orders_are_values(bench: &Bench) {
    let x = vec![0.0, -0.0, 1.5, f32::NAN, -f32::NAN, f32::NEG_INFINITY, -1.5, 1.5, f32::INFINITY];
    let versions = versions();
    let mut out = vec![[0; 8]; 81];
    launch!(bench, orders(&x, &versions, &mut out), 3, 32);
    let least = x.iter().enumerate().min_by(|(i, p), (k, q)| (i % 4).cmp(&(k % 4)).reverse().then(q.total_cmp(p)));
    let expected = (0..81).map(|i| {
        let (a, b) = (i / 9, i % 9);
        let (total, partial, indices) = (x[a].total_cmp(&x[b]), x[a].partial_cmp(&x[b]), (a % 3).cmp(&(b % 3)));
        let bits = [total.is_lt(), total.is_le(), total.is_gt(), total.is_ge(), indices.is_eq(), indices.is_ne(), indices.is_le()];
        let (v, w) = (versions[a], versions[b]);
        [
            total as i32,
            partial.map_or(7, |order| order as i32),
            v.partial_cmp(&w).unwrap_or(Ordering::Less) as i32,
            indices.reverse().then_with(|| b.cmp(&1)) as i32,
            bits.iter().enumerate().map(|(bit, holds)| i32::from(*holds) << bit).sum(),
            least.map_or(0, |(place, _)| place as i32),
            (v.major, v.parts).cmp(&(w.major, w.parts)) as i32,
            i32::from((x[a] < 0.0).cmp(&(x[b] < 0.0)).is_lt() && partial != Some(Ordering::Less)),
        ]
    });
    assert_eq!(out, expected.collect::<Vec<_>>());
}

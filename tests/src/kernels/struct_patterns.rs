//! Structs in patterns: their fields tested and named, alone, in each other, in tuples, arrays and options.

use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_same};
use crate::{cases, launch, value_arguments};

cases![points_are_told_apart, literals_have_the_type_of_the_field, structs_are_taken_apart,];

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Point {
    x: f32,
    y: f32,
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Pair(u8, f64);

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Cell {
    count: i8,
    flag: bool,
    wide: u64,
    at: Point,
    pairs: [Pair; 2],
}

value_arguments![Point];

pub const LIMIT: f32 = 0.1;

/// Where a point lies: the origin, on an axis, near an axis, in a quadrant, or nowhere.
#[gpu_kernel]
pub fn places(points: &[Point], corner: Point, out: &mut [i32]) {
    let i = grid_1d();
    if i >= points.len() || i >= out.len() {
        return;
    }
    let Point { x: width, y: height } = corner;
    out[i] = match points[i] {
        Point { x: 0.0, y: 0.0 } => 0,
        Point { x: 0.0, .. } | Point { y: 0.0, .. } => 1,
        Point { x: ..=LIMIT, y: 0.0..=0.1 } => 2,
        Point { x, y } if x > width || y > height => -1,
        Point { x, y: 0.0.. } if x > 0.0 => 3,
        point @ Point { x: other, .. } if other < 0.0 => {
            let mut place = 4;
            if let Point { y: ..0.0, .. } = point {
                place += 1;
            }
            place
        }
        Point { .. } => 6,
    };
}

fn points_are_told_apart(bench: &Bench) {
    let coordinates: [f32; 10] = [0.0, -0.0, 0.1, 0.05, 1.0, -1.0, 2.0, -5.0, f32::NAN, 0.100_000_01];
    let points: Vec<Point> = (0..100).map(|i| Point { x: coordinates[i % 10], y: coordinates[i / 10] }).collect();
    let mut out = vec![9; 100];
    launch!(bench, places(&points, Point { x: 1.5, y: 2.5 }, &mut out), 4, 32);
    for (Point { x, y }, place) in points.into_iter().zip(out) {
        let expected = if x == 0.0 && y == 0.0 {
            0
        } else if x == 0.0 || y == 0.0 {
            1
        } else if x <= 0.1 && (0.0..=0.1).contains(&y) {
            2
        } else if x > 1.5 || y > 2.5 {
            -1
        } else if x > 0.0 && y >= 0.0 {
            3
        } else if x < 0.0 {
            if y < 0.0 { 5 } else { 4 }
        } else {
            6
        };
        assert_eq!(place, expected, "({x}, {y})");
    }
}

/// Literals, ranges and negative numbers beside fields of each type.
#[gpu_kernel]
pub fn kinds(cells: &[Cell], out: &mut [u32]) {
    let i = grid_1d();
    if i >= cells.len() || i >= out.len() {
        return;
    }
    out[i] = match cells[i] {
        Cell { count: -128, .. } => 1,
        Cell { count: -5..0, flag: false, .. } => 2,
        Cell { wide: 0x1_0000_0000..=u64::MAX, flag: true, .. } => 3,
        Cell { at: Point { y: 0.1, .. }, .. } => 4,
        Cell { pairs: [Pair(200.., _), Pair(_, 0.1)], .. } => 5,
        Cell { pairs: [.., Pair(low @ ..=9, value)], flag, .. } if value > 0.5 || flag => 100 + low as u32,
        _ => 6,
    };
}

fn literals_have_the_type_of_the_field(bench: &Bench) {
    let plain = Cell { count: 1, flag: false, wide: 1, at: Point { x: 0.0, y: 0.0 }, pairs: [Pair(1, 0.25), Pair(7, 0.5)] };
    let cells = vec![
        plain,
        Cell { count: -128, ..plain },
        Cell { count: -5, ..plain },
        Cell { count: -6, ..plain },
        Cell { wide: 1 << 32, flag: true, ..plain },
        Cell { wide: (1 << 32) - 1, flag: true, ..plain },
        Cell { at: Point { x: 0.0, y: 0.1 }, ..plain },
        Cell { at: Point { x: 0.0, y: 0.100_000_01 }, ..plain },
        Cell { pairs: [Pair(200, 0.0), Pair(0, 0.1)], ..plain },
        Cell { pairs: [Pair(199, 0.0), Pair(0, 0.1)], ..plain },
        Cell { pairs: [Pair(255, 0.0), Pair(9, 0.75)], ..plain },
        Cell { pairs: [Pair(255, 0.0), Pair(10, 0.75)], ..plain },
    ];
    let mut out = vec![0; cells.len()];
    launch!(bench, kinds(&cells, &mut out), 1, 32);
    assert_eq!(out, [6, 1, 2, 6, 3, 107, 4, 6, 5, 6, 109, 6]);
}

#[gpu_device]
fn reversed(pair: Pair) -> Pair {
    let Pair(small, large) = pair;
    Pair(large as u8, small as f64)
}

/// Patterns of `let`, `let … else`, `while let`, tuples and options.
#[gpu_kernel]
pub fn taken_apart(cells: &mut [Cell], sums: &mut [f64]) {
    let i = grid_1d();
    if i >= cells.len() || i >= sums.len() {
        return;
    }
    let Cell { at: Point { x, mut y }, pairs: [first, Pair(byte, _)], .. } = cells[i];
    y += x;
    let Pair(turned, _): Pair = reversed(first);
    let mut sum = x as f64 + y as f64 * 100.0 + byte as f64 + turned as f64;
    while let Cell { count: 1.., wide, .. } = cells[i] {
        cells[i].count -= 1;
        sum += wide as f64;
    }
    let last = if cells[i].flag { Some(cells[i].pairs[1]) } else { None };
    let (Some(Pair(_, weight)), Point { .. }) = (last, cells[i].at) else {
        sums[i] = -sum;
        return;
    };
    sums[i] = sum * weight;
}

fn structs_are_taken_apart(bench: &Bench) {
    let cell = |i: u8| Cell {
        count: i as i8 - 2,
        flag: i.is_multiple_of(3),
        wide: u64::from(i) << 33,
        at: Point { x: f32::from(i), y: 0.5 },
        pairs: [Pair(i, 3.75 + f64::from(i)), Pair(i + 1, 2.0)],
    };
    let mut cells: Vec<Cell> = (0..40).map(cell).collect();
    let mut sums = vec![0.0; 40];
    launch!(bench, taken_apart(&mut cells, &mut sums), 2, 32);
    let expected: Vec<f64> = (0..40u8)
        .map(|i| {
            let (x, rounds) = (f64::from(i), i.saturating_sub(2));
            let sum = x + (x + 0.5) * 100.0 + x + 1.0 + (3.75 + x).floor() + (0..rounds).map(|_| x * (1u64 << 33) as f64).sum::<f64>();
            if i.is_multiple_of(3) { sum * 2.0 } else { -sum }
        })
        .collect();
    assert_same(&sums, &expected);
    assert!(cells.iter().all(|cell| cell.count <= 0));
}

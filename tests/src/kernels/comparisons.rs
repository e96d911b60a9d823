//! `==` and `<` of values that consist of others: structs, enums, tuples, arrays and options.

use gpu_runtime::prelude::*;

use crate::bench::Bench;
use crate::{cases, launch};

cases![structs_are_compared, enums_are_compared, tuples_arrays_and_options_are_compared, types_have_their_own_equality];

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
        comparisons!(a, b) | u32::from(a == Shape::Point) << 6 | colors << 7
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

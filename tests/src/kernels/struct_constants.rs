//! Constants of structs, tuples, arrays, vectors, complex numbers and enums with data.

use gpu_runtime::prelude::*;
use gpu_runtime::vector::{Float4, Uchar4};
use num_complex::Complex32;

use crate::bench::{Bench, assert_same};
use crate::{cases, launch};

cases![
    constants_of_structs_are_values,
    constants_belong_to_types_and_modules,
    constants_of_enums_keep_their_data,
    parts_of_constants_are_indices wraps = true,
    defaults_are_constants,
];

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Point {
    x: f32,
    y: f32,
}

impl Point {
    const ORIGIN: Point = Point { x: 0.25, y: -0.0 };
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(u8)]
pub enum Colour {
    Red,
    Green = 200,
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Scene {
    corners: [Point; 2],
    tag: (u8, u64, bool),
    colour: Colour,
    light: Light,
    limits: [[i16; 2]; 2],
    sky: Uchar4,
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(u8)]
pub enum Light {
    Off,
    Beam(Point, i8),
    Lamp { at: [f64; 2], colour: Colour },
}

impl Light {
    const DEFAULT: Light = Light::Beam(Point { x: f32::NEG_INFINITY, y: 2.5 }, -128);
    #[allow(non_upper_case_globals)]
    const Evening: Light = Light::Lamp { at: [0.1, -1e-300], colour: Colour::Green };
}

const SCENE: Scene = Scene {
    corners: [Point { x: 1.0, y: 2.0 }, Point::ORIGIN],
    tag: (255, 1 << 63, true),
    colour: Colour::Green,
    light: Light::DEFAULT,
    limits: [[i16::MIN, -1], [0, i16::MAX]],
    sky: Uchar4::new(1, 2, 3, 255),
};

#[gpu_kernel]
pub fn structs(out: &mut [Scene], points: &mut [Point], flags: &mut [bool]) {
    let i = grid_1d();
    if i < out.len() && i < points.len() && i < flags.len() {
        out[i] = SCENE;
        out[i].tag.0 -= i as u8;
        let scene: Scene = SCENE;
        points[i] = scene.corners[1];
        points[i].x += scene.corners[0].y;
        flags[i] = scene.colour == Colour::Green && scene.tag.2;
    }
}

fn constants_of_structs_are_values(bench: &Bench) {
    let empty = Scene { tag: (0, 0, false), light: Light::Off, colour: Colour::Red, ..SCENE };
    let (mut out, mut points, mut flags) = (vec![empty; 2], vec![Point { x: 0.0, y: 1.0 }; 2], vec![false; 2]);
    launch!(bench, structs(&mut out, &mut points, &mut flags), 1, 2);
    assert_eq!(out, [SCENE, Scene { tag: (254, 1 << 63, true), ..SCENE }]);
    assert_same(&[points[0].x, points[1].y], &[2.25, -0.0]);
    assert_eq!(flags, [true; 2]);
}

mod elsewhere {
    use super::{Complex32, Float4};

    pub(super) const ROOT: Complex32 = Complex32::new(0.6, -0.8);
    pub(super) const STEP: Float4 = Float4::new(0.5, -1.0, 1e-7, f32::INFINITY);
}

const STEP: (f32, u32) = (0.5, 3);

#[gpu_device]
fn shifted(p: Point) -> Point {
    let from: Point = Point::ORIGIN;
    Point { x: p.x - from.x, ..p }
}

#[gpu_kernel(fmad = false)]
pub fn paths(v: &mut [Float4], z: &mut [Complex32], pairs: &mut [(f32, u32)], points: &mut [Point]) {
    let i = grid_1d();
    if i < v.len() && i < z.len() && i < pairs.len() && i < points.len() {
        v[i] = v[i] * 2.0 + elsewhere::STEP;
        z[i] = z[i] * elsewhere::ROOT;
        let (step, count): (f32, u32) = STEP;
        pairs[i] = (pairs[i].0 + step, pairs[i].1 * count);
        points[i] = shifted(Point::ORIGIN);
    }
}

fn constants_belong_to_types_and_modules(bench: &Bench) {
    let (mut v, mut z) = (vec![Float4::splat(1.0)], vec![Complex32::new(1.0, 2.0)]);
    let (mut pairs, mut points) = (vec![(1.0, 7)], vec![Point { x: 1.0, y: 1.0 }]);
    launch!(bench, paths(&mut v, &mut z, &mut pairs, &mut points), 1, 1);
    assert_same(&v[0].to_array(), &[2.5, 1.0, 2.0 + 1e-7, f32::INFINITY]);
    assert_same(&[z[0].re, z[0].im], &[1.0 * 0.6 - 2.0 * -0.8, 1.0 * -0.8 + 2.0 * 0.6]);
    assert_eq!((pairs[0], points[0]), ((1.5, 21), Point { x: 0.0, y: 0.0 }));
}

#[gpu_kernel]
pub fn lights(out: &mut [Light], counts: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() && i < counts.len() {
        let light: Light = Light::DEFAULT;
        counts[i] = match light {
            Light::Off => 1,
            Light::Beam(_, strength) => strength as i32,
            Light::Lamp { .. } => 3,
        };
        if i % 3 == 0 {
            out[i] = light;
        } else if i % 3 == 1 {
            out[i] = Light::Evening;
        } else {
            out[i] = Light::Off;
        }
    }
}

const SHIFT: (usize, i32) = (2, -1);

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Window {
    width: usize,
    pair: (usize, usize),
}

const WINDOW: Window = Window { width: 3, pair: (1, 5) };
const WEIGHTS: [usize; 3] = [1, 10, 100];
const LIMIT: Colour = Colour::Green;

/// Indices that follow from parts of constants.
#[gpu_kernel]
pub fn indices(x: &[usize], colours: &[Colour], out: &mut [usize]) {
    let i = grid_1d();
    if i + 7 < x.len() && i < out.len() && i < colours.len() {
        let (shift, by): (usize, i32) = SHIFT;
        let window: Window = WINDOW;
        let weights: [usize; 3] = WEIGHTS;
        let (_, far) = window.pair;
        out[i] = x[i + shift] * weights[i % window.width] + x[i + window.pair.1] + x[i + far] - by as usize;
        if colours[i] == LIMIT || WEIGHTS[1] == LANES {
            out[i] += 1;
        }
        match colours[i] {
            LIMIT => out[i] += 1000,
            _ => {}
        }
    }
}

const LANES: usize = 32;

fn parts_of_constants_are_indices(bench: &Bench) {
    let x: Vec<usize> = (0..12).map(|i| i * i).collect();
    let colours = vec![Colour::Red, Colour::Green, Colour::Red, Colour::Green, Colour::Red];
    let mut out = vec![0; 5];
    launch!(bench, indices(&x, &colours, &mut out), 1, 8);
    let expected: Vec<usize> =
        (0..5).map(|i| x[i + 2] * [1, 10, 100][i % 3] + 2 * x[i + 5] + 1 + if i % 2 == 1 { 1001 } else { 0 }).collect();
    assert_eq!(out, expected);
}

fn constants_of_enums_keep_their_data(bench: &Bench) {
    let (mut out, mut counts) = (vec![Light::Off; 3], vec![0; 3]);
    launch!(bench, lights(&mut out, &mut counts), 1, 3);
    assert_eq!(out, [Light::DEFAULT, Light::Evening, Light::Off]);
    assert_eq!(counts, [-128; 3]);
}

#[derive(Debug, Clone, Copy, PartialEq, Default, DeviceType)]
#[repr(C)]
pub struct Settings {
    limits: [u16; 2],
    scale: f64,
    own: Own,
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Own {
    weight: f32,
    active: bool,
}

impl Default for Own {
    fn default() -> Self {
        Self { weight: 0.1 + 0.2, active: true }
    }
}

#[gpu_device]
fn weight(own: &Own) -> f32 {
    if own.active { own.weight } else { -1.0 }
}

#[gpu_kernel]
pub fn defaults(x: &[Own], settings: &mut [Settings], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() && i < settings.len() {
        let mut own = Settings::default();
        let copy = own.clone();
        own.limits[1] += 3;
        own.own = if i % 2 == 0 {
            x.get(i).copied().unwrap_or_default()
        } else if i < x.len() {
            x[i].clone()
        } else {
            Own::default()
        };
        settings[i] = own;
        out[i] = weight(&copy.own) + Own::default().weight + weight(&Own::default());
    }
}

fn defaults_are_constants(bench: &Bench) {
    let x: Vec<Own> = (0..10).map(|i| Own { weight: i as f32, active: i % 2 == 0 }).collect();
    let (mut settings, mut out) = (vec![Settings::default(); 20], vec![0.0; 20]);
    launch!(bench, defaults(&x, &mut settings, &mut out), 1, 32);
    let own = Own::default();
    let expected = (0..20).map(|i| Settings { limits: [0, 3], scale: 0.0, own: x.get(i).copied().unwrap_or_default() });
    assert_eq!(settings, expected.collect::<Vec<_>>());
    assert_eq!(out, [own.weight + own.weight + own.weight; 20]);
}

//! Generic enums, and variants by their names alone.

use gpu_runtime::prelude::*;

use crate::bench::Bench;
use crate::{cases, launch};

cases![generic_enums_have_instances, generic_enums_are_fields, variants_are_imported];

/// What a ray has met: of which kind, and how far away.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub enum Hit<T> {
    None,
    At(T, f32),
    Range { from: f32, to: f32, what: [T; 2] },
}

/// The same with a tag that is in each variant.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(u8)]
pub enum Either<A, B> {
    Left(A),
    Right { value: B },
}

#[gpu_device]
impl Hit<u16> {
    fn distance(&self) -> f32 {
        match *self {
            Hit::None => f32::INFINITY,
            Hit::At(_, distance) => distance,
            Hit::Range { from, .. } => from,
        }
    }

    fn nearer(self, other: Hit<u16>) -> Hit<u16> {
        if other.distance() < self.distance() { other } else { self }
    }
}

#[gpu_device]
fn sphere(x: f32, radius: f32) -> Hit<u16> {
    if x > radius {
        return Hit::None;
    }
    if x == 0.0 { Hit::Range { from: 0.5, to: radius, what: [1, 2] } } else { Hit::At(7, radius - x) }
}

#[gpu_kernel]
pub fn meets(x: &[f32], hits: &mut [Hit<u16>], sides: &mut [Either<u8, f64>]) {
    let i = grid_1d();
    if i < x.len() && i < hits.len() && i < sides.len() {
        let mut best: Hit<u16> = Hit::None;
        best = best.nearer(sphere(x[i], 2.0)).nearer(hits[i]);
        if let Hit::At(kind, distance) = best
            && kind == 7
            && let Either::Left(count) = sides[i]
        {
            sides[i] = Either::Right { value: distance as f64 + count as f64 };
        } else if let Hit::Range { to, what: [a, b], .. } = best {
            sides[i] = Either::Left((to as u8) + (a + b) as u8);
        }
        hits[i] = if best == Hit::At(9, 0.25) { Hit::None } else { best };
    }
}

fn generic_enums_have_instances(bench: &Bench) {
    let x = vec![1.5, 0.0, 5.0, 1.0, 3.0];
    let mut hits = vec![Hit::None, Hit::None, Hit::At(3, 1.0), Hit::At(9, 0.25), Hit::None];
    let mut sides = vec![Either::Left(4), Either::Left(1), Either::Left(2), Either::Right { value: 2.0 }, Either::Left(9)];
    launch!(bench, meets(&x, &mut hits, &mut sides), 1, 8);
    assert_eq!(hits, [Hit::At(7, 0.5), Hit::Range { from: 0.5, to: 2.0, what: [1, 2] }, Hit::At(3, 1.0), Hit::None, Hit::None]);
    assert_eq!(sides, [Either::Right { value: 4.5 }, Either::Left(5), Either::Left(2), Either::Right { value: 2.0 }, Either::Left(9)]);
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Ray {
    hit: Hit<u16>,
    other: Either<f32, Hit<u8>>,
}

#[gpu_kernel]
pub fn rays(x: &mut [Ray], out: &mut [f32]) {
    let i = grid_1d();
    if i < x.len() && i < out.len() {
        let ray = x[i];
        let far = match ray.hit {
            Hit::At(kind, distance) => distance + kind as f32,
            Hit::Range { from, what: [a, _], .. } => from * a as f32,
            Hit::<u16>::None => -1.0,
        };
        let inner = match x[i].other {
            Either::Left(value) => value,
            Either::Right { value: Hit::<u8>::None } => 0.5,
            Either::Right { value: Hit::At(kind, _) } => kind as f32,
            Either::<f32, Hit<u8>>::Right { value } => {
                if let Hit::Range { to, .. } = value {
                    to
                } else {
                    99.0
                }
            }
        };
        out[i] = far + inner * 16.0;
        if ray.hit == Hit::None {
            x[i].hit = Hit::At(i as u16, inner);
        } else {
            x[i] = Ray { hit: Hit::None, other: Either::Right { value: Hit::Range { from: far, to: inner, what: [1, 2] } } };
        }
    }
}

fn generic_enums_are_fields(bench: &Bench) {
    let hits = [Hit::None, Hit::At(3, 0.25), Hit::Range { from: 2.0, to: 3.0, what: [5, 6] }];
    let right = |value| Either::Right { value };
    let others = [Either::Left(1.5), right(Hit::None), right(Hit::At(4, 2.0)), right(Hit::Range { from: 0.0, to: 8.0, what: [0, 0] })];
    let mut x: Vec<Ray> = (0..12).map(|i| Ray { hit: hits[i % 3], other: others[i % 4] }).collect();
    let mut out = vec![0.0; 12];
    launch!(bench, rays(&mut x, &mut out), 1, 32);
    for i in 0..12 {
        let (far, inner) = ([-1.0, 3.25, 10.0][i % 3], [1.5, 0.5, 4.0, 8.0][i % 4]);
        let changed = Ray { hit: Hit::None, other: right(Hit::Range { from: far, to: inner, what: [1, 2] }) };
        let kept = Ray { hit: Hit::At(i as u16, inner), other: others[i % 4] };
        assert_eq!((out[i], x[i]), (far + inner * 16.0, if i % 3 == 0 { kept } else { changed }));
    }
}

mod signals {
    use gpu_runtime::prelude::*;

    #[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
    #[repr(u8)]
    pub enum Light {
        Red,
        Green = 4,
    }

    #[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
    #[repr(C)]
    pub enum Signal {
        Off,
        Steady(Light),
        Blinking { light: Light, rate: f32 },
    }
}

use signals::Light::{self, Green as Go, *};
use signals::Signal;

#[gpu_kernel]
pub fn follow(x: &[Signal], out: &mut [f32], next: &mut [Signal]) {
    use Signal::*;
    let i = grid_1d();
    if i < x.len() && i < out.len() && i < next.len() {
        let pass = |light: Light| if light == Red { 0.0 } else { 1.0 };
        out[i] = match x[i] {
            Off => -1.0,
            Steady(Go) => 2.0,
            Steady(light) => pass(light),
            Blinking { light, rate } if rate > 1.0 => pass(light) * rate,
            Blinking { .. } => 0.25,
        };
        next[i] = if i % 3 == 0 {
            Steady(Green)
        } else if i % 3 == 1 {
            Blinking { light: Red, rate: out[i] }
        } else {
            Off
        };
    }
}

fn variants_are_imported(bench: &Bench) {
    use Signal::{Blinking, Off, Steady};
    let x = vec![Off, Steady(Red), Steady(Green), Blinking { light: Green, rate: 3.0 }, Blinking { light: Red, rate: 0.5 }];
    let (mut out, mut next) = (vec![0.0; 5], vec![Off; 5]);
    launch!(bench, follow(&x, &mut out, &mut next), 1, 8);
    assert_eq!(out, [-1.0, 0.0, 2.0, 3.0, 0.25]);
    let red = |rate| Blinking { light: Red, rate };
    assert_eq!(Go, Green);
    assert_eq!(next, [Steady(Green), red(0.0), Off, Steady(Green), red(0.25)]);
}

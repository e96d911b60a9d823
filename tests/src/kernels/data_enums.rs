//! Enums with data: in arrays, parameters, variables, fields and what functions return, with each of the layouts.

use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_same};
use crate::{cases, launch, value_arguments};

cases![
    rays_meet_shapes,
    expressions_are_evaluated,
    particles_move_by_their_kind,
    every_layout_keeps_its_values wraps = true,
    variants_nest_in_structs_and_enums,
];

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Vector {
    x: f32,
    y: f32,
    z: f32,
}

/// What a ray can meet.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub enum Shape {
    Nothing,
    Sphere {
        centre: Vector,
        radius: f32,
    },
    /// The points whose product with the normal is the number.
    Plane(Vector, f32),
    Box {
        low: [f32; 3],
        high: [f32; 3],
    },
}

value_arguments![Vector, Shape];

#[gpu_device]
fn dot(a: Vector, b: Vector) -> f32 {
    a.x * b.x + a.y * b.y + a.z * b.z
}

/// How far along the ray from `origin` the shape is.
#[gpu_device]
pub fn distance(shape: Shape, origin: Vector, direction: Vector) -> Option<f32> {
    match shape {
        Shape::Nothing => None,
        Shape::Sphere { radius: 0.0, .. } => None,
        Shape::Sphere { centre: Vector { x, y, z }, radius } => {
            let to: Vector = Vector { x: x - origin.x, y: y - origin.y, z: z - origin.z };
            let middle: f32 = dot(to, direction);
            let length: f32 = dot(to, to);
            let under = radius * radius - (length - middle * middle);
            if under < 0.0 { None } else { Some(middle - under.sqrt()) }
        }
        Shape::Plane(normal, at) => {
            let (speed, start): (f32, f32) = (dot(normal, direction), dot(normal, origin));
            if speed == 0.0 { None } else { Some((at - start) / speed) }
        }
        Shape::Box { low, high } => {
            let from = [origin.x, origin.y, origin.z];
            let along = [direction.x, direction.y, direction.z];
            let (mut enter, mut leave) = (-1e30f32, 1e30f32);
            for k in 0..3 {
                let (a, b) = ((low[k] - from[k]) / along[k], (high[k] - from[k]) / along[k]);
                enter = enter.max(a.min(b));
                leave = leave.min(a.max(b));
            }
            if enter <= leave { Some(enter) } else { None }
        }
    }
}

/// The nearest shape before the origin of each ray, and how far it is.
#[gpu_kernel(fmad = false)]
pub fn trace(shapes: &[Shape], directions: &[Vector], more: Shape, nearest: &mut [Shape], far: &mut [f32]) {
    let i = grid_1d();
    if i >= directions.len() || i >= nearest.len() || i >= far.len() {
        return;
    }
    let origin = Vector { x: 0.5, y: 0.25, z: -4.0 };
    let (mut best, mut found) = (f32::INFINITY, Shape::Nothing);
    for k in 0..shapes.len() + 1 {
        let shape = if k < shapes.len() { shapes[k] } else { more };
        if let Some(at) = distance(shape, origin, directions[i])
            && at > 0.0
            && at < best
        {
            best = at;
            found = shape;
        }
    }
    nearest[i] = found;
    far[i] = best;
}

fn rays_meet_shapes(bench: &Bench) {
    let ball = |x: f32, y: f32, z: f32, radius: f32| Shape::Sphere { centre: Vector { x, y, z }, radius };
    let shapes = vec![
        Shape::Nothing,
        ball(0.0, 0.0, 0.0, 1.0),
        ball(1.5, 0.5, -1.0, 0.75),
        ball(0.5, 0.25, -3.0, 0.0),
        Shape::Plane(Vector { x: 0.0, y: 1.0, z: 0.0 }, -1.5),
    ];
    let more = Shape::Box { low: [-3.0, -1.0, 2.0], high: [-0.5, 2.0, 3.0] };
    let directions: Vec<Vector> = (0..400)
        .map(|i| {
            let (x, y, z) = ((i % 20) as f32 * 0.11 - 1.003, (i / 20) as f32 * 0.09 - 0.907, 1.0f32);
            let length = (x * x + y * y + z * z).sqrt();
            Vector { x: x / length, y: y / length, z: z / length }
        })
        .collect();
    let (mut nearest, mut far) = (vec![more; 400], vec![0.0; 400]);
    launch!(bench, trace(&shapes, &directions, more, &mut nearest, &mut far), 4, 128);
    let mut met = [0; 4];
    for (i, direction) in directions.iter().enumerate() {
        // A point of the ray a little before the end is outside of every shape, and the end is on the nearest.
        let at = |far: f32| [0.5 + direction.x * far, 0.25 + direction.y * far, -4.0 + direction.z * far].map(f64::from);
        let depth = |shape: &Shape, [x, y, z]: [f64; 3]| match *shape {
            Shape::Nothing => f64::MAX,
            Shape::Sphere { radius: 0.0, .. } => f64::MAX,
            Shape::Sphere { centre, radius } => {
                let to = [x - f64::from(centre.x), y - f64::from(centre.y), z - f64::from(centre.z)];
                to.iter().map(|part| part * part).sum::<f64>().sqrt() - f64::from(radius)
            }
            Shape::Plane(_, at) => y - f64::from(at),
            Shape::Box { low, high } => {
                let outside = [x, y, z].into_iter().enumerate().map(|(k, x)| (f64::from(low[k]) - x).max(x - f64::from(high[k])));
                outside.fold(f64::MIN, f64::max)
            }
        };
        met[match nearest[i] {
            Shape::Nothing => 0,
            Shape::Sphere { .. } => 1,
            Shape::Plane(..) => 2,
            Shape::Box { .. } => 3,
        }] += 1;
        if nearest[i] == Shape::Nothing {
            assert_eq!(far[i], f32::INFINITY);
        } else {
            assert!(depth(&nearest[i], at(far[i])).abs() < 1e-4, "{:?} at {}", nearest[i], far[i]);
        }
        for step in 1..100 {
            let point = at(far[i].min(20.0) * step as f32 / 101.0);
            assert!(shapes.iter().chain([&more]).all(|shape| depth(shape, point) > -1e-4), "ray {i} passes through a shape");
        }
    }
    assert!(met.iter().all(|count| *count > 5), "{met:?}");
}

/// A step of a computation on a stack.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(u8)]
pub enum Token {
    End,
    Number(f64),
    Argument {
        index: u32,
    },
    Add,
    Multiply,
    Negate,
    /// The sum of so many values, each times the factor.
    Sum {
        count: u16,
        factor: f64,
    },
}

/// Evaluates the expression at each argument.
#[gpu_kernel(fmad = false)]
pub fn evaluate(tokens: &[Token], x: &[f64], out: &mut [f64]) {
    let i = grid_1d();
    if i >= x.len() || i >= out.len() {
        return;
    }
    let mut stack = [0.0f64; 16];
    let mut top = 0usize;
    for k in 0..tokens.len() {
        match tokens[k] {
            Token::End => break,
            Token::Number(value) => {
                stack[top] = value;
                top += 1;
            }
            Token::Argument { index: 0 } => {
                stack[top] = x[i];
                top += 1;
            }
            Token::Argument { index } => {
                stack[top] = index as f64;
                top += 1;
            }
            Token::Negate => stack[top - 1] = -stack[top - 1],
            token @ (Token::Add | Token::Multiply) => {
                top -= 1;
                stack[top - 1] = match token {
                    Token::Add => stack[top - 1] + stack[top],
                    _ => stack[top - 1] * stack[top],
                };
            }
            Token::Sum { count: 0, .. } => panic!("nothing to sum"),
            Token::Sum { count, factor } => {
                let mut sum = 0.0;
                for _ in 0..count {
                    top -= 1;
                    sum += stack[top] * factor;
                }
                stack[top] = sum;
                top += 1;
            }
        }
    }
    out[i] = stack[0];
}

fn expressions_are_evaluated(bench: &Bench) {
    let argument = Token::Argument { index: 0 };
    // 2 * (x * x + -3 + 7), and what comes after the end.
    let tokens = vec![
        argument,
        argument,
        Token::Multiply,
        Token::Number(3.0),
        Token::Negate,
        Token::Argument { index: 7 },
        Token::Sum { count: 3, factor: 2.0 },
        Token::Number(0.5),
        Token::Add,
        Token::End,
        Token::Add,
    ];
    let x: Vec<f64> = (0..100).map(|i| f64::from(i) * 0.25 - 10.0).collect();
    let mut out = vec![0.0; 100];
    launch!(bench, evaluate(&tokens, &x, &mut out), 4, 32);
    let expected: Vec<f64> = x.iter().map(|x| 7.0 * 2.0 + -3.0 * 2.0 + x * x * 2.0 + 0.5).collect();
    assert_same(&out, &expected);
}

/// A particle is of a kind, and the kind says how it moves.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C, u8)]
pub enum Particle {
    Fixed,
    Free { at: [f32; 2], velocity: [f32; 2] },
    Orbiting { radius: f64, turns: u64 } = 9,
    Decaying(Life, f32),
    Gone(),
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(i16)]
pub enum Life {
    Old = -300,
    Young = 0,
}

#[gpu_device]
impl Particle {
    fn next(self, seconds: f32) -> Self {
        match self {
            Self::Free { at: [x, y], velocity } => Self::Free { velocity, at: [x + velocity[0] * seconds, y + velocity[1] * seconds] },
            Self::Orbiting { radius, turns } if turns < 2 => Particle::Orbiting { radius: radius * 0.5, turns: turns + 1 },
            Self::Decaying(Life::Young, left) => Self::Decaying(Life::Old, left - seconds),
            Self::Decaying(..) => Self::Gone(),
            other => other,
        }
    }

    fn is_there(&self) -> bool {
        !matches!(*self, Self::Gone() | Self::Fixed)
    }
}

#[gpu_kernel(fmad = false)]
pub fn step(particles: &mut [Particle], seconds: f32, there: &mut [u32]) {
    let i = grid_1d();
    if i < particles.len() && i < there.len() {
        let mut particle = particles[i];
        for _ in 0..2 {
            let next: Particle = particle.next(seconds);
            particle = next;
        }
        if let Particle::Orbiting { turns: 2, radius } = particle {
            particle = Particle::Orbiting { radius, turns: 1 << 40 };
        }
        particles[i] = particle;
        there[i] = if particle.is_there() { 1 } else { 0 };
    }
}

fn particles_move_by_their_kind(bench: &Bench) {
    let mut particles = vec![
        Particle::Fixed,
        Particle::Free { at: [1.0, 2.0], velocity: [0.5, -0.25] },
        Particle::Orbiting { radius: 8.0, turns: 0 },
        Particle::Orbiting { radius: 8.0, turns: 1 },
        Particle::Orbiting { radius: 8.0, turns: 5 },
        Particle::Decaying(Life::Young, 3.0),
        Particle::Decaying(Life::Old, 3.0),
        Particle::Gone(),
    ];
    let mut there = vec![7; 8];
    launch!(bench, step(&mut particles, 2.0, &mut there), 1, 32);
    assert_eq!(
        particles,
        [
            Particle::Fixed,
            Particle::Free { at: [3.0, 1.0], velocity: [0.5, -0.25] },
            Particle::Orbiting { radius: 2.0, turns: 1 << 40 },
            Particle::Orbiting { radius: 4.0, turns: 1 << 40 },
            Particle::Orbiting { radius: 8.0, turns: 5 },
            Particle::Gone(),
            Particle::Gone(),
            Particle::Gone(),
        ]
    );
    assert_eq!(there, [0, 1, 1, 1, 1, 0, 0, 0]);
}

/// Names and tags that C has trouble with.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(i64)]
#[allow(non_camel_case_types)]
pub enum Union {
    Zéro(u8) = 0,
    r#Default { r#int: u16, double: bool } = i64::MIN,
    Gr_tag { gr_tag: i8 } = -1,
    X__2([u8; 3]) = i64::MAX,
    Unit = 5,
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C, u32, align(16))]
pub enum Aligned {
    Zero,
    Byte(u8) = 3_000_000_000,
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(u64)]
pub enum Wide {
    One(bool) = u64::MAX,
    Zero() = 0,
}

#[gpu_kernel]
pub fn layouts(unions: &mut [Union], aligned: &mut [Aligned], wide: &mut [Wide]) {
    let i = grid_1d();
    if i >= unions.len() || i >= aligned.len() || i >= wide.len() {
        return;
    }
    unions[i] = match unions[i] {
        Union::Zéro(0) => Union::Unit,
        Union::Zéro(n) => Union::Zéro(n + 1),
        Union::Default { r#int, double: true } => Union::Default { double: false, r#int: int + 1 },
        Union::Default { double, .. } => Union::Gr_tag { gr_tag: if double { 1 } else { -1 } },
        Union::Gr_tag { gr_tag: gr_tag @ -5..=-1 } => Union::X__2([1, 2, (gr_tag + 10) as u8]),
        Union::Gr_tag { gr_tag } => Union::Gr_tag { gr_tag },
        Union::X__2([a, _, b]) => Union::X__2([b, 7, a]),
        Union::Unit => Union::Zéro(200),
    };
    aligned[i] = match aligned[i] {
        Aligned::Zero => Aligned::Byte(i as u8),
        Aligned::Byte(byte) if byte > 100 => Aligned::Zero {},
        Aligned::Byte(byte) => Aligned::Byte(byte * 2),
    };
    let Wide::One(flag) = wide[i] else {
        wide[i] = Wide::One(true);
        return;
    };
    wide[i] = if flag { Wide::One(!flag) } else { Wide::Zero() };
}

fn every_layout_keeps_its_values(bench: &Bench) {
    let mut unions = vec![
        Union::Zéro(0),
        Union::Zéro(255),
        Union::Default { r#int: 65535, double: true },
        Union::Default { r#int: 1, double: false },
        Union::Gr_tag { gr_tag: -5 },
        Union::Gr_tag { gr_tag: 5 },
        Union::X__2([1, 2, 3]),
        Union::Unit,
    ];
    let mut aligned = vec![Aligned::Zero; 8];
    aligned[0] = Aligned::Byte(101);
    aligned[3] = Aligned::Byte(50);
    let mut wide = vec![Wide::One(true); 8];
    (wide[1], wide[2]) = (Wide::One(false), Wide::Zero());
    launch!(bench, layouts(&mut unions, &mut aligned, &mut wide), 1, 8);
    assert_eq!(
        unions,
        [
            Union::Unit,
            Union::Zéro(0),
            Union::Default { r#int: 0, double: false },
            Union::Gr_tag { gr_tag: -1 },
            Union::X__2([1, 2, 5]),
            Union::Gr_tag { gr_tag: 5 },
            Union::X__2([3, 7, 1]),
            Union::Zéro(200),
        ]
    );
    let byte = Aligned::Byte;
    assert_eq!(aligned, [Aligned::Zero, byte(1), byte(2), byte(100), byte(4), byte(5), byte(6), byte(7)]);
    assert_eq!(wide[..4], [Wide::One(false), Wide::Zero(), Wide::One(true), Wide::One(false)]);
}

/// Enums in structs in enums.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Slot {
    id: u8,
    tokens: [Token; 2],
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(u32)]
pub enum Outer {
    Slots([Slot; 2]),
    Shape(Shape),
    Both { slot: Slot, life: Life },
}

#[gpu_kernel]
pub fn nested(outer: &mut [Outer], numbers: &mut [f64]) {
    let i = grid_1d();
    if i < outer.len() && i < numbers.len() {
        numbers[i] = match outer[i] {
            Outer::Slots([Slot { tokens: [Token::Number(value), _], .. }, Slot { id: 1 | 2, .. }]) => value,
            Outer::Slots([_, Slot { id, tokens: [.., last] }]) => match last {
                Token::Sum { count, factor } => factor * count as f64 + id as f64,
                _ => -1.0,
            },
            Outer::Shape(Shape::Plane(Vector { z, .. }, _) | Shape::Sphere { radius: z, .. }) => z as f64,
            Outer::Shape(_) => -2.0,
            Outer::Both { slot: Slot { tokens, id }, life: Life::Old } => {
                let mut slot = Slot { id: id + 1, tokens };
                slot.tokens[1] = Token::End;
                slot.tokens[0] = Token::Argument { index: id as u32 };
                outer[i] = Outer::Both { slot, life: Life::Young };
                -3.0
            }
            Outer::Both { .. } => -4.0,
        };
    }
}

fn variants_nest_in_structs_and_enums(bench: &Bench) {
    let slot = |id, first, second| Slot { id, tokens: [first, second] };
    let (value, sum) = (Token::Number(0.125), Token::Sum { count: 3, factor: 1.5 });
    let z = Vector { x: 1.0, y: 2.0, z: 3.0 };
    let both = |life| Outer::Both { slot: slot(4, value, sum), life };
    let mut outer = vec![
        Outer::Slots([slot(0, value, sum), slot(2, sum, sum)]),
        Outer::Slots([slot(0, value, sum), slot(3, value, sum)]),
        Outer::Slots([slot(0, sum, sum), slot(1, sum, value)]),
        Outer::Shape(Shape::Plane(z, 9.0)),
        Outer::Shape(Shape::Sphere { centre: z, radius: 9.0 }),
        Outer::Shape(Shape::Nothing),
        both(Life::Old),
        both(Life::Young),
    ];
    let mut expected = outer.clone();
    expected[6] = Outer::Both { slot: slot(5, Token::Argument { index: 4 }, Token::End), life: Life::Young };
    let mut numbers = vec![0.0; 8];
    launch!(bench, nested(&mut outer, &mut numbers), 1, 8);
    assert_eq!(outer, expected);
    assert_eq!(numbers, [0.125, 7.5, -1.0, 3.0, 9.0, -2.0, -3.0, -4.0]);
}

//! Vectors of numbers: loads and stores of 8 and 16 bytes, and arithmetic lane by lane.

use gpu_runtime::FailureCause::DivisionByZero;
use gpu_runtime::prelude::*;
use gpu_runtime::vector::{Char4, Double2, Float2, Float3, Float4, Int2, Int4, Uchar4, Uint2, Uint4, Ulonglong2, Ushort4};

use crate::bench::{Bench, assert_same, assert_ulps};
use crate::{cases, forall, launch, try_launch, value_arguments};

cases![
    four_elements_are_added_at_once,
    operators_go_lane_by_lane,
    integers_wrap_in_every_lane wraps = true,
    lanes_divide_as_their_numbers_do,
    a_lane_that_cannot_be_divided_is_reported,
    rows_are_normalised,
    vectors_lie_in_structs_tuples_and_arrays,
    colours_are_blended,
    directions_are_those_of_geometry,
];

value_arguments![Float4, Int2];

#[gpu_kernel(fmad = false)]
pub fn saxpy(a: f32, x: &[Float4], y: &mut [Float4]) {
    let i = grid_1d();
    if i < x.len() && i < y.len() {
        y[i] += a * x[i];
    }
}

fn lanes(vectors: &[Float4]) -> Vec<f32> {
    vectors.iter().flat_map(|vector| vector.to_array()).collect()
}

fn four_elements_are_added_at_once(bench: &Bench) {
    let n = bench.many() / 4 + 3;
    let x: Vec<Float4> = (0..n).map(|i| Float4::new(i as f32, 0.1, -1.5, (i % 7) as f32 * 0.3)).collect();
    let mut y = vec![Float4::new(1.0, 2.0, 3.0, 4.0); n];
    forall!(bench, saxpy(0.7, &x, &mut y), n);
    let expected: Vec<f32> = lanes(&x).iter().enumerate().map(|(i, x)| (i % 4 + 1) as f32 + 0.7 * x).collect();
    assert_same(&lanes(&y), &expected);
}

#[gpu_kernel(fmad = false)]
pub fn operators(x: &[Float4], by: Float4, out: &mut [Float4], sums: &mut [f32], flags: &mut [bool], pairs: &mut [Double2]) {
    let i = grid_1d();
    if i < x.len() {
        let v = x[i];
        let two: f32 = 2.0;
        out[6 * i] = (v + by) * (v - by);
        out[6 * i + 1] = 1.0 / v + two * by - v / 4.0;
        out[6 * i + 2] = v.min(by) + by.max(v) * two;
        out[6 * i + 3] = -v * Float4::new(1.0, v.y, -0.5, 2.0);
        out[6 * i + 4] = Float4::splat(v.w);
        out[6 * i + 4].y -= 0.1;
        let mut w: Float4 = by;
        w *= v;
        w -= 1.0;
        w /= Float4::splat(3.0);
        out[6 * i + 5] = w;
        sums[i] = v.dot(by) + (v + by).reduce_sum() + Float4::new(0.5, 1.0, v.x, 2.0).dot(v);
        flags[2 * i] = v == by;
        flags[2 * i + 1] = v != by;
        pairs[i] = pairs[i] * 0.1 + Double2 { x: v.x as f64, y: 1e-3 };
    }
}

fn operators_go_lane_by_lane(bench: &Bench) {
    let (x, by) = (vec![Float4::new(0.5, -3.0, 2.25, 7.0), Float4::new(1.0, 2.0, 3.0, 4.0)], Float4::new(1.0, 2.0, 3.0, 4.0));
    let (mut out, mut sums) = (vec![Float4::default(); 12], vec![0.0; 2]);
    let (mut flags, mut pairs) = (vec![false; 4], vec![Double2::new(3.0, -7.0); 2]);
    launch!(bench, operators(&x, by, &mut out, &mut sums, &mut flags, &mut pairs), 1, 2);
    for (i, v) in x.iter().enumerate() {
        let (a, b) = (v.to_array(), by.to_array());
        let lane = |f: &dyn Fn(f32, f32) -> f32| [0, 1, 2, 3].map(|k| f(a[k], b[k]));
        let factors = [1.0, a[1], -0.5, 2.0];
        let expected = [
            lane(&|a, b| (a + b) * (a - b)),
            lane(&|a, b| 1.0 / a + 2.0 * b - a / 4.0),
            lane(&|a, b| a.min(b) + b.max(a) * 2.0),
            [0, 1, 2, 3].map(|k| -a[k] * factors[k]),
            [a[3], a[3] - 0.1, a[3], a[3]],
            lane(&|a, b| (b * a - 1.0) / 3.0),
        ];
        for (k, expected) in expected.iter().enumerate() {
            assert_same(&out[6 * i + k].to_array(), expected);
        }
        let dot = |a: [f32; 4], b: [f32; 4]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
        let ones = lane(&|a, b| a + b);
        let sum = ones[0] + ones[1] + ones[2] + ones[3];
        assert_same(&sums[i..=i], &[dot(a, b) + sum + dot([0.5, 1.0, a[0], 2.0], a)]);
        assert_same(&[pairs[i].x, pairs[i].y], &[3.0 * 0.1 + f64::from(a[0]), -7.0 * 0.1 + 1e-3]);
    }
    assert_eq!(flags, [false, true, true, false]);
}

#[gpu_kernel]
pub fn wrap(x: &[Int4], y: &[Int4], out: &mut [Int4], bytes: &mut [Char4], wide: &mut [Ulonglong2], dots: &mut [i32]) {
    let i = grid_1d();
    if i < x.len() && i < y.len() && i < out.len() && i < bytes.len() && i < wide.len() && i < dots.len() {
        out[i] = x[i] * y[i] + 7 * x[i] - 1;
        out[i].x += 5;
        bytes[i] = -bytes[i] * 3 + Char4::new(1, 2, 3, 4);
        wide[i] *= Ulonglong2::new(1u64 << 40, 3);
        dots[i] = x[i].dot(y[i]) - x[i].max(y[i]).reduce_sum();
    }
}

fn integers_wrap_in_every_lane(bench: &Bench) {
    let (x, y) = (vec![Int4::new(i32::MAX, -5, 1 << 30, 9)], vec![Int4::new(3, i32::MIN, 8, -1)]);
    let (mut out, mut bytes) = (vec![Int4::default()], vec![Char4::new(100, -128, 0, 50)]);
    let (mut wide, mut dots) = (vec![Ulonglong2::new(1 << 30, u64::MAX)], vec![0]);
    launch!(bench, wrap(&x, &y, &mut out, &mut bytes, &mut wide, &mut dots), 1, 1);
    let (a, b) = (x[0].to_array(), y[0].to_array());
    let mut expected = [0, 1, 2, 3].map(|k| a[k].wrapping_mul(b[k]).wrapping_add(a[k].wrapping_mul(7)).wrapping_sub(1));
    expected[0] = expected[0].wrapping_add(5);
    assert_eq!(out[0].to_array(), expected);
    let old: [i8; 4] = [100, -128, 0, 50];
    assert_eq!(bytes[0].to_array(), [0, 1, 2, 3].map(|k| old[k].wrapping_neg().wrapping_mul(3).wrapping_add(k as i8 + 1)));
    assert_eq!(wide[0].to_array(), [0, u64::MAX.wrapping_mul(3)]);
    let dot = (0..4).fold(0i32, |sum, k| sum.wrapping_add(a[k].wrapping_mul(b[k])));
    let largest = (0..4).fold(0i32, |sum, k| sum.wrapping_add(a[k].max(b[k])));
    assert_eq!(dots, [dot.wrapping_sub(largest)]);
}

#[gpu_kernel]
pub fn divide(x: &mut [Int2], by: Int2, count: i32, quarters: &mut [Ushort4]) {
    let i = grid_1d();
    if i < x.len() && i < quarters.len() {
        x[i] = x[i] / by + 1000 / x[i] + x[i] / count;
        quarters[i] /= 4;
    }
}

fn lanes_divide_as_their_numbers_do(bench: &Bench) {
    let (mut x, mut quarters) = (vec![Int2::new(-17, 400)], vec![Ushort4::new(65_535, 7, 8, 0)]);
    launch!(bench, divide(&mut x, Int2::new(5, -7), -3, &mut quarters), 1, 1);
    assert_eq!(x, [Int2::new(-3 - 58 + 5, -57 + 2 - 133)]);
    assert_eq!(quarters, [Ushort4::new(16_383, 1, 2, 0)]);
}

fn a_lane_that_cannot_be_divided_is_reported(bench: &Bench) {
    for (x, by) in [(Int2::new(1, 1), Int2::new(1, 0)), (Int2::new(i32::MIN, 1), Int2::new(-1, 1))] {
        let failure = try_launch!(bench, divide(&mut vec![x], by, 1, &mut vec![Ushort4::default()]), 1, 1).unwrap_err();
        assert_eq!(failure.cause, if by.y == 0 { DivisionByZero } else { gpu_runtime::FailureCause::DivisionOverflow });
    }
}

/// Makes each row one of length 1: a block for each, whose threads take every 64th vector of it.
#[gpu_kernel(block = 64, fmad = false)]
pub fn normalise(rows: &mut [Float4], width: usize) {
    let mut sums = shared::<[Float4; 64]>();
    let (t, first) = (thread_idx().x, block_idx().x * width);
    let mut squares = Float4::splat(0.0);
    for k in (t..width).step_by(64) {
        let v = rows[first + k];
        squares += v * v;
    }
    sums[t] = squares;
    sync_threads();
    for k in 0..6 {
        let other = t + (32 >> k);
        if t < 32 >> k {
            sums[t] = sums[t] + sums[other];
        }
        sync_threads();
    }
    let norm = sums[0].reduce_sum().sqrt();
    for k in (t..width).step_by(64) {
        rows[first + k] /= norm;
    }
}

fn rows_are_normalised(bench: &Bench) {
    let (height, width) = (3, 100);
    let mut rows: Vec<Float4> =
        (0..height * width).map(|i| Float4::new((i % 5) as f32, 0.5, (i % 11) as f32 - 4.0, (i / width) as f32)).collect();
    let before = lanes(&rows);
    // The threads of a block share its row, which the proof does not see.
    launch!(bench, normalise(&mut rows, width), height as u32, 64);
    for (before, after) in before.chunks(4 * width).zip(lanes(&rows).chunks(4 * width)) {
        let norm = before.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>().sqrt();
        let expected: Vec<f32> = before.iter().map(|&x| (f64::from(x) / norm) as f32).collect();
        assert_ulps("a row", after, &expected, 4);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Body {
    place: Float4,
    tag: (u8, Float2),
    edges: [Uint2; 2],
}

#[gpu_device]
fn centre(a: Float4, b: Float4) -> Float4 {
    (a + b) * 0.5
}

#[gpu_device]
fn total(vectors: &[Float4]) -> Float4 {
    let mut sum = Float4::splat(0.0);
    for i in 0..vectors.len() {
        sum += vectors[i];
    }
    sum
}

#[gpu_kernel(fmad = false)]
pub fn nest(bodies: &mut [Body], pairs: &mut [(u8, Uint4)], counts: &mut [[Int2; 2]]) {
    let i = grid_1d();
    if i < bodies.len() && i < pairs.len() && i < counts.len() {
        let mut tile = shared::<[Float4; 8]>();
        tile[thread_idx().x] = bodies[i].place;
        bodies[i].place = centre(bodies[i].place, tile[thread_idx().x] * 2.0);
        bodies[i].place.z += 1.0;
        bodies[i].tag.1 = bodies[i].tag.1 * 2.0;
        bodies[i].edges[1] += Uint2::new(1, 2);
        pairs[i].1.w = 7;
        pairs[i] = (pairs[i].0 + 1, pairs[i].1 + 1);
        counts[i][1] = counts[i][0] * 2;
        let local = [bodies[i].place, Float4::splat(1.0)];
        bodies[i].place = total(&local);
    }
}

fn vectors_lie_in_structs_tuples_and_arrays(bench: &Bench) {
    let body = Body { place: Float4::new(1.0, 2.0, 3.0, 4.0), tag: (1, Float2::new(0.5, 0.25)), edges: [Uint2::new(1, 2); 2] };
    let (mut bodies, mut pairs, mut counts) = (vec![body; 2], vec![(1, Uint4::splat(5)); 2], vec![[Int2::new(3, 4); 2]; 2]);
    launch!(bench, nest(&mut bodies, &mut pairs, &mut counts), 1, 2);
    let place = Float4::new(2.5, 4.0, 6.5, 7.0);
    let expected = Body { place, tag: (1, Float2::new(1.0, 0.5)), edges: [Uint2::new(1, 2), Uint2::new(2, 4)] };
    assert_eq!(bodies, [expected; 2]);
    assert_eq!(pairs, [(2, Uint4::new(6, 6, 6, 8)); 2]);
    assert_eq!(counts, [[Int2::new(3, 4), Int2::new(6, 8)]; 2]);
}

/// Pixels of four bytes over others, by their last byte.
#[gpu_kernel]
pub fn blend(over: &[Uchar4], under: &mut [Uchar4]) {
    let i = grid_1d();
    if i < over.len() && i < under.len() {
        let (a, b) = (over[i], under[i]);
        let alpha = a.w as u32;
        let rest = 255 - alpha;
        under[i].x = ((a.x as u32 * alpha + b.x as u32 * rest) / 255) as u8;
        under[i].y = ((a.y as u32 * alpha + b.y as u32 * rest) / 255) as u8;
        under[i].z = ((a.z as u32 * alpha + b.z as u32 * rest) / 255) as u8;
        under[i].w = 255;
    }
}

fn colours_are_blended(bench: &Bench) {
    let over: Vec<Uchar4> = (0..50).map(|i| Uchar4::new(i * 5, 255 - i, 10, i * 4)).collect();
    let before: Vec<Uchar4> = (0..50).map(|i| Uchar4::new(200, i, i * 3, 255)).collect();
    let mut under = before.clone();
    forall!(bench, blend(&over, &mut under), 50);
    for (i, after) in under.iter().enumerate() {
        let mix = |a: u8, b: u8| ((u32::from(a) * u32::from(over[i].w) + u32::from(b) * (255 - u32::from(over[i].w))) / 255) as u8;
        let (a, b) = (over[i], before[i]);
        assert_eq!(*after, Uchar4::new(mix(a.x, b.x), mix(a.y, b.y), mix(a.z, b.z), 255));
    }
}

#[gpu_kernel(fmad = false)]
pub fn reflections(rays: &[Float3], normals: &[Float3], t: f32, out: &mut [Float3], lengths: &mut [f64]) {
    let i = grid_1d();
    if i < rays.len() && i < normals.len() && i < out.len() && i < lengths.len() {
        let normal = normals[i].normalize();
        let ray = rays[i];
        let reflected = ray - 2.0 * ray.dot(normal) * normal;
        let mut side = reflected.cross(normal);
        side.z = -side.z.max(0.25);
        side += reflected.lerp(ray, t) / 3.0;
        if side == ray || reflected != reflected.min(side) {
            side *= normal;
        }
        out[i] = side - Float3::splat(1.0);
        let flat = Double2::new(side.x as f64, side.y as f64);
        lengths[i] = flat.length() + flat.lerp(Double2::splat(1.0), 0.5).normalize().x + side.length() as f64;
    }
}

fn directions_are_those_of_geometry(bench: &Bench) {
    let rays: Vec<Float3> = (0..40).map(|i| Float3::new(i as f32 * 0.3 - 4.0, 1.5, (i % 7) as f32)).collect();
    let normals: Vec<Float3> = (0..40).map(|i| Float3::new(0.5, (i % 5) as f32 - 2.0, 0.1 * i as f32 + 0.2)).collect();
    let (mut out, mut lengths) = (vec![Float3::default(); 40], vec![0.0; 40]);
    launch!(bench, reflections(&rays, &normals, 0.75, &mut out, &mut lengths), 2, 32);
    for (i, (&ray, normal)) in rays.iter().zip(&normals).enumerate() {
        let normal = normal.normalize();
        let reflected = ray - 2.0 * ray.dot(normal) * normal;
        let mut side = reflected.cross(normal);
        side.z = -side.z.max(0.25);
        side += reflected.lerp(ray, 0.75) / 3.0;
        if side == ray || reflected != reflected.min(side) {
            side *= normal;
        }
        let flat = Double2::new(side.x.into(), side.y.into());
        let length = flat.length() + flat.lerp(Double2::splat(1.0), 0.5).normalize().x + f64::from(side.length());
        assert_eq!((out[i], lengths[i]), (side - Float3::splat(1.0), length));
    }
}

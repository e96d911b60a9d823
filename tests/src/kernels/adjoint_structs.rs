//! Gradients of kernels and functions with structs, tuples and arrays.

use gpu_runtime::prelude::*;

use super::adjoints::{BEFORE, Wave, check, numbers};
use crate::bench::{Bench, view, view_mut};
use crate::{cases, launch, value_arguments};

cases![
    variables_are_taken_apart,
    elements_have_gradients_of_their_type,
    all_threads_add_to_fields,
    views_of_structs,
    launchers_take_arrays_of_structs,
    functions_of_structs,
    functions_of_functions_of_structs,
    elements_that_are_written_twice,
    gradients_of_functions_of_structs,
    structs_of_other_modules,
];

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Vec3 {
    x: f64,
    y: f64,
    z: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Body {
    at: Vec3,
    speed: [f64; 2],
    kind: u32,
    mass: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Pair(f64, (f64, i32));

value_arguments!(Vec3, [f64; 2]);

/// What one field of all elements begins with.
fn fields<const N: usize>(count: usize) -> [Vec<f64>; N] {
    [(); N].map(|()| vec![BEFORE; count])
}

/// The fields of elements, one element after the other.
fn elements(fields: &[Vec<f64>]) -> Vec<f64> {
    (0..fields[0].len()).flat_map(|i| fields.iter().map(move |field| field[i])).collect()
}

fn vectors(numbers: &[f64]) -> Vec<Vec3> {
    numbers.chunks(3).map(|n| Vec3 { x: n[0], y: n[1], z: n[2] }).collect()
}

fn of_vectors(vectors: &[Vec3]) -> Vec<f64> {
    vectors.iter().flat_map(|v| [v.x, v.y, v.z]).collect()
}

fn bodies(numbers: &[f64]) -> Vec<Body> {
    let body = |(i, n): (usize, &[f64])| Body { at: vectors(n)[0], speed: [n[3], n[4]], kind: i as u32 % 4, mass: n[5] };
    numbers.chunks(6).enumerate().map(body).collect()
}

fn of_bodies(bodies: &[Body]) -> Vec<f64> {
    bodies.iter().flat_map(|b| [b.at.x, b.at.y, b.at.z, b.speed[0], b.speed[1], b.mass]).collect()
}

/// Fields that are read and overwritten, also as a whole, in branches and loops.
#[gpu_kernel(grad, fmad = false)]
pub fn of_variables(x: &[f64], y: &[f64], n: &[u32], out: &mut [f64]) {
    let i = grid_1d();
    if i >= out.len() {
        return;
    }
    let mut p = Vec3 { x: x[i], y: y[i], z: 0.5 };
    p.x = p.y * p.x;
    let q = p;
    p = Vec3 { x: p.y, y: p.x, ..p };
    p.z += q.x * p.y;
    let (a, b) = (p.x * q.y, p.z);
    let mut pair = (a, (b, n[i]));
    pair = (pair.1.0.sin(), (pair.0, pair.1.1 + 1));
    let mut body = Body { at: p, speed: [a, b], kind: n[i], mass: x[i] };
    for k in 0..body.kind as usize {
        body.at.x = body.at.x * body.speed[k % 2] + 0.1;
        if k % 2 == 0 {
            body.at = Vec3 { x: body.at.y, y: body.at.x, z: body.at.z * body.mass };
        }
        (body.speed[0], body.mass) = (body.speed[1], body.mass * body.speed[0]);
    }
    let picked = if x[i] > y[i] {
        body.at
    } else {
        let z = q.z + pair.0;
        Vec3 { z: z * z, ..q }
    };
    let Vec3 { x: px, y: py, .. } = picked;
    const SHIFT: Vec3 = Vec3 { x: 0.25, y: 1.5, z: -2.0 };
    let shift: Vec3 = SHIFT;
    let px = px + shift.y;
    let other = body;
    body.speed = [body.speed[1], body.speed[0]];
    let squares = [px * px; 3];
    out[i] = px * py + picked.z + pair.1.0 * (pair.1.1 as f64) + other.speed[0] * body.speed[0] * body.speed[1] + squares[2];
}

fn variables_are_taken_apart(bench: &Bench) {
    let (x, y, weights) = (numbers(12, 1), numbers(12, 3), numbers(12, 2));
    let n: Vec<u32> = (0..12).map(|i| i % 5).collect();
    let [mut dx, mut dy] = [(); 2].map(|()| vec![BEFORE; 12]);
    launch!(bench, of_variables::grad(&x, &y, &n, &weights, &mut dx, &mut dy), 1, 16);
    let forward = |x: &[Vec<f64>]| {
        let mut out = vec![7.0; 12];
        launch!(bench, of_variables(&x[0], &x[1], &n, &mut out), 1, 16);
        out
    };
    check(&[x, y], &weights, &forward, &[&dx, &dy]);
}

/// A step of time, of own elements.
#[gpu_kernel(grad, fmad = false)]
pub fn of_elements(bodies: &[Body], out: &mut [Body]) {
    let i = grid_1d();
    if i < out.len() {
        let b = bodies[i];
        let mut next = b;
        next.at.x += b.speed[0] * b.mass;
        next.speed[1] *= bodies[i].at.z;
        for k in 0..2 {
            next.speed[k] += b.speed[1 - k] * b.at.y;
        }
        next.kind = b.kind + 1;
        next.mass = b.mass * (b.kind as f64);
        out[i] = next;
    }
}

fn elements_have_gradients_of_their_type(bench: &Bench) {
    let (values, weights) = (numbers(36, 1), numbers(36, 2));
    let mut gradient = bodies(&[BEFORE; 36]);
    launch!(bench, of_elements::grad(&bodies(&values), &bodies(&weights), &mut gradient), 1, 8);
    let forward = |x: &[Vec<f64>]| {
        let mut out = bodies(&[0.0; 36]);
        launch!(bench, of_elements(&bodies(&x[0]), &mut out), 1, 8);
        of_bodies(&out)
    };
    check(&[values], &weights, &forward, &[&of_bodies(&gradient)]);
}

/// Every thread reads all elements, and the same parameters.
#[gpu_kernel(grad, fmad = false)]
pub fn of_all(points: &[Vec3], bodies: &[Body], rows: &[[f64; 3]], mut scale: Vec3, w: [f64; 2], out: &mut [f64]) {
    let i = grid_1d();
    if i < out.len() {
        scale.y *= scale.x;
        let own = points[i];
        let mut sum = 0.0;
        for j in 0..points.len() {
            let other = &points[j];
            let d = Vec3 { x: other.x - own.x, y: other.y - own.y, z: other.z - own.z };
            sum += scale.x * d.x * d.x + scale.y * d.y * d.z;
            sum += bodies[j].speed[j % 2] * bodies[j].at.z * rows[j][(i + j) % 3];
        }
        out[i] = sum * w[0] + w[1] * rows[i][0];
    }
}

fn all_threads_add_to_fields(bench: &Bench) {
    let values = [numbers(15, 1), numbers(30, 2), numbers(15, 3), numbers(3, 4), numbers(2, 5)];
    let weights = numbers(5, 6);
    let rows = |numbers: &[f64]| -> Vec<[f64; 3]> { numbers.chunks(3).map(|row| row.try_into().unwrap()).collect() };
    let [mut px, mut py, mut pz] = fields(5);
    let (mut d_speed, [mut d_at_z], mut d_rows) = (vec![BEFORE; 10], fields(5), vec![BEFORE; 15]);
    let ([mut sx, mut sy, mut sz], mut d_w) = (fields(1), vec![BEFORE; 2]);
    launch!(
        bench,
        of_all::grad(
            &vectors(&values[0]),
            &bodies(&values[1]),
            &rows(&values[2]),
            vectors(&values[3])[0],
            [values[4][0], values[4][1]],
            &weights,
            view_mut(&mut px, 5),
            view_mut(&mut py, 5),
            view_mut(&mut pz, 5),
            view_mut(&mut d_at_z, 5),
            view_mut(&mut d_speed, [5, 2]),
            view_mut(&mut d_rows, [5, 3]),
            view_mut(&mut sx, 1),
            view_mut(&mut sy, 1),
            view_mut(&mut sz, 1),
            view_mut(&mut d_w, [1, 2])
        ),
        1,
        8
    );
    let forward = |x: &[Vec<f64>]| {
        let mut out = vec![0.0; 5];
        let (scale, w) = (vectors(&x[3])[0], [x[4][0], x[4][1]]);
        launch!(bench, of_all(&vectors(&x[0]), &bodies(&x[1]), &rows(&x[2]), scale, w, &mut out), 1, 8);
        out
    };
    let untouched = [BEFORE; 5];
    let d_bodies = (0..5).flat_map(|i| [BEFORE, BEFORE, d_at_z[i], d_speed[2 * i], d_speed[2 * i + 1], untouched[i]]).collect::<Vec<_>>();
    check(&values, &weights, &forward, &[&elements(&[px, py, pz]), &d_bodies, &d_rows, &elements(&[sx, sy, sz]), &d_w]);
}

/// Rows that all threads read, and elements of their own.
#[gpu_kernel(grad, fmad = false)]
pub fn of_views(own: View<Pair, 2>, shared: View<Pair, 2>, mut out: ViewMut<Pair, 2>) {
    let (i, j) = grid_2d();
    if i < out.shape()[0] && j < out.shape()[1] {
        let mut sum = Pair(0.0, (0.0, 0));
        for k in 0..shared.shape()[0] {
            sum.0 += shared[[k, j]].0 * own[[i, j]].1.0;
            sum.1 = (sum.1.0 + shared[[k, 0]].1.0 * sum.0, sum.1.1 + shared[[k, 0]].1.1);
        }
        out[[i, j]] = sum;
    }
}

fn views_of_structs(bench: &Bench) {
    let values = [numbers(24, 1), numbers(16, 2)];
    let weights = numbers(24, 3);
    let pairs = |numbers: &[f64]| -> Vec<Pair> { numbers.chunks(2).map(|n| Pair(n[0], (n[1], 3))).collect() };
    let of_pairs = |pairs: &[Pair]| -> Vec<f64> { pairs.iter().flat_map(|pair| [pair.0, pair.1.0]).collect() };
    let mut d_own = pairs(&[BEFORE; 24]);
    let [mut first, mut second] = fields(8);
    launch!(
        bench,
        of_views::grad(
            view(&pairs(&values[0]), [3, 4]),
            view(&pairs(&values[1]), [2, 4]),
            view(&pairs(&weights), [3, 4]),
            view_mut(&mut d_own, [3, 4]),
            view_mut(&mut first, [2, 4]),
            view_mut(&mut second, [2, 4])
        ),
        1,
        (8, 4)
    );
    let forward = |x: &[Vec<f64>]| {
        let mut out = pairs(&[0.0; 24]);
        launch!(bench, of_views(view(&pairs(&x[0]), [3, 4]), view(&pairs(&x[1]), [2, 4]), view_mut(&mut out, [3, 4])), 1, (8, 4));
        of_pairs(&out)
    };
    check(&values, &weights, &forward, &[&of_pairs(&d_own), &elements(&[first, second])]);
}

/// The launcher of a gradient takes an array of structs, and the kernel the fields that all threads add to.
fn launchers_take_arrays_of_structs(bench: &Bench) {
    let Bench::Device(device) = bench else { return };
    let run = || -> gpu_runtime::Result<()> {
        let values = [numbers(15, 1), numbers(30, 2), numbers(15, 3)];
        let (points, bodies) = (device.to_device(&vectors(&values[0]))?, device.to_device(&bodies(&values[1]))?);
        let (w, of_out) = (device.to_device(&numbers(5, 4))?, device.to_device(&numbers(5, 5))?);
        let (mut d_points, mut d_bodies) = (device.zeros::<Vec3>(5)?, device.zeros::<Body>(5)?);
        let mut d_w = device.zeros::<f64>(5)?;
        each_with_all::grad(&points, &bodies, &w, &of_out, &mut d_points, &mut d_bodies, &mut d_w).forall(5)?;
        let (sums, of_out, w) = (bodies.to_host()?, of_out.to_host()?, w.to_host()?);
        let (points, all) = (points.to_host()?, of_out.iter().sum::<f64>());
        for (j, (gradient, body)) in d_points.to_host()?.into_iter().zip(d_bodies.to_host()?).enumerate() {
            assert_eq!((gradient.x, gradient.z), (0.0, 0.0));
            assert!((gradient.y - all * sums[j].speed[1] * w[j]).abs() < 1e-12, "{gradient:?}");
            assert!((body.speed[1] - all * points[j].y * w[j]).abs() < 1e-12, "{body:?}");
            assert_eq!((body.at.x, body.speed[0], body.kind, body.mass), (0.0, 0.0, 0, 0.0));
        }
        // Of a part of an array, only that part.
        let mut twice = device.zeros::<Vec3>(7)?;
        let mut d_bodies = device.zeros::<Body>(5)?;
        each_with_all::grad(
            &device.to_device(&points)?,
            &device.to_device(&sums)?,
            &device.to_device(&w)?,
            &device.to_device(&of_out)?,
            twice.slice_mut(1..6),
            &mut d_bodies,
            &mut d_w,
        )
        .forall(5)?;
        let parts = twice.to_host()?;
        assert_eq!((parts[0].y, parts[6].y), (0.0, 0.0));
        assert_eq!(parts[1..6].iter().map(|v| v.y).collect::<Vec<_>>(), d_points.to_host()?.iter().map(|v| v.y).collect::<Vec<_>>());
        Ok(())
    };
    run().unwrap();
}

#[gpu_kernel(grad)]
pub fn each_with_all(points: &[Vec3], bodies: &[Body], w: &[f64], out: &mut [f64]) {
    let i = grid_1d();
    if i < out.len() {
        let mut sum = 0.0;
        for j in 0..points.len() {
            sum += points[j].y * bodies[j].speed[1] * w[j];
        }
        out[i] = sum;
    }
}

#[gpu_device(grad)]
pub fn add(a: Vec3, b: Vec3) -> Vec3 {
    Vec3 { x: a.x + b.x, y: a.y + b.y, z: a.z + b.z }
}

#[gpu_device(grad)]
pub fn scaled(a: Vec3, by: f64) -> Vec3 {
    if by > 1.0 {
        return Vec3 { x: by * a.x, y: by * by * a.y, z: a.z };
    }
    let mut v = a;
    v.x *= by;
    Vec3 { z: v.x * v.z, ..v }
}

#[gpu_device(grad)]
pub fn dot(a: Vec3, b: Vec3) -> f64 {
    a.x * b.x + a.y * b.y + a.z * b.z
}

#[gpu_device(grad)]
pub fn norm(a: Vec3) -> f64 {
    dot(a, a).sqrt()
}

#[gpu_device(grad)]
pub fn unit_and_norm(a: Vec3) -> (Vec3, f64) {
    let n = norm(a);
    (scaled(a, 1.0 / n), n)
}

#[gpu_device(grad)]
pub fn moved(b: Body, by: f64) -> Body {
    let mut next = b;
    for k in 0..b.kind as usize {
        next.speed[k % 2] = next.speed[k % 2] * by + next.at.x;
    }
    next.at = add(b.at, Vec3 { x: b.speed[0], y: b.speed[1], z: 0.5 });
    next
}

#[gpu_device(grad)]
pub fn total(a: [f64; 3], b: (f64, u32)) -> [f64; 2] {
    [a[0] * a[1] + a[2], b.0 * (b.1 as f64)]
}

#[gpu_device(grad)]
pub fn volume(mut a: [f64; 3]) -> f64 {
    a[0] *= a[1];
    if a[0] > 1.5 { a[0] * a[2] } else { a[2] }
}

#[gpu_kernel(grad, fmad = false)]
pub fn of_functions(bodies: &[Body], v: &[Vec3], out: &mut [f64]) {
    let i = grid_1d();
    if i < out.len() {
        let b: Body = moved(bodies[i], 0.75);
        let mut sum: Vec3 = add(b.at, v[i]);
        for k in 0..3 {
            sum = add(scaled(sum, 0.9 + 0.1 * k as f64), v[(i + k) % v.len()]);
        }
        let (unit, n): (Vec3, f64) = unit_and_norm(sum);
        let t: [f64; 2] = total([b.speed[0], sum.x, n], (b.mass, b.kind));
        let edges = [v[i].x, v[i].y, sum.z];
        out[i] = dot(unit, v[i]) + norm(v[i]) * b.speed[1] + t[0] * t[1] + volume(edges);
    }
}

fn functions_of_structs(bench: &Bench) {
    let values = [numbers(72, 1), numbers(36, 2)];
    let weights = numbers(12, 3);
    let (mut d_bodies, [mut x, mut y, mut z]) = (bodies(&[BEFORE; 72]), fields(12));
    launch!(
        bench,
        of_functions::grad(
            &bodies(&values[0]),
            &vectors(&values[1]),
            &weights,
            &mut d_bodies,
            view_mut(&mut x, 12),
            view_mut(&mut y, 12),
            view_mut(&mut z, 12)
        ),
        1,
        16
    );
    let forward = |x: &[Vec<f64>]| {
        let mut out = vec![0.0; 12];
        launch!(bench, of_functions(&bodies(&x[0]), &vectors(&x[1]), &mut out), 1, 16);
        out
    };
    check(&values, &weights, &forward, &[&of_bodies(&d_bodies), &elements(&[x, y, z])]);
}

#[gpu_device(grad)]
fn times(a: Vec3, by: f64) -> Vec3 {
    Vec3 { x: by * a.x, y: by * a.y, z: by * a.z }
}

/// Numbers from structs, and back, in loops that need their values.
#[gpu_device(grad)]
fn orbit(start: (Vec3, Vec3), pull: f64, rounds: u32) -> (Vec3, Vec3) {
    let (mut at, mut speed) = start;
    for _ in 0..rounds {
        let distance = norm(at) + 0.5;
        let change = times(at, -pull / (distance * distance * distance));
        speed = add(speed, change);
        let steps = (at, speed);
        at = add(steps.0, times(steps.1, 0.125));
    }
    (at, speed)
}

#[gpu_kernel(grad, fmad = false)]
pub fn of_orbits(at: &[Vec3], speed: &[Vec3], pull: f64, rounds: u32, at_end: &mut [Vec3], energy: &mut [f64]) {
    let i = grid_1d();
    if i < at_end.len() && i < energy.len() {
        let (end, last): (Vec3, Vec3) = orbit((at[i], speed[i]), pull, rounds);
        at_end[i] = end;
        energy[i] = dot(last, last) * 0.5 - pull / (norm(end) + 0.5);
    }
}

fn functions_of_functions_of_structs(bench: &Bench) {
    let values = [numbers(18, 1), numbers(18, 2), numbers(1, 3)];
    let weights = numbers(24, 4);
    let (mut d_at, mut d_speed, mut d_pull) = (vectors(&[BEFORE; 18]), vectors(&[BEFORE; 18]), vec![BEFORE]);
    let (of_end, of_energy) = (vectors(&weights[..18]), weights[18..].to_vec());
    launch!(
        bench,
        of_orbits::grad(
            &vectors(&values[0]),
            &vectors(&values[1]),
            values[2][0],
            12,
            &of_end,
            &of_energy,
            &mut d_at,
            &mut d_speed,
            &mut d_pull
        ),
        1,
        8
    );
    let forward = |x: &[Vec<f64>]| {
        let (mut end, mut energy) = (vectors(&[0.0; 18]), vec![0.0; 6]);
        launch!(bench, of_orbits(&vectors(&x[0]), &vectors(&x[1]), x[2][0], 12, &mut end, &mut energy), 1, 8);
        [of_vectors(&end), energy].concat()
    };
    check(&values, &weights, &forward, &[&of_vectors(&d_at), &of_vectors(&d_speed), &d_pull]);
}

/// What is overwritten has no part in the result. Different fields of an element are no second write.
#[gpu_kernel(grad, fmad = false)]
pub fn twice(x: &[f64], out: &mut [Vec3], once: &mut [Vec3]) {
    let i = grid_1d();
    if i < out.len() && i < once.len() {
        let place = &mut out[i];
        place.x = x[i] * x[i];
        place.y = x[i] * 3.0;
        place.x = x[i] * 5.0;
        out[i].z = x[i].exp();
        once[i].z = x[i];
        once[i].y = x[i] * x[i];
    }
}

fn elements_that_are_written_twice(bench: &Bench) {
    let (values, weights) = ([numbers(6, 1)], numbers(36, 2));
    let (mut of_out, of_once, mut d_x) = (vectors(&weights[..18]), vectors(&weights[18..]), vec![BEFORE; 6]);
    launch!(bench, twice::grad(&values[0], &mut of_out, &of_once, &mut d_x), 1, 8);
    assert!(of_out.iter().all(|gradient| gradient.x == 0.0), "{of_out:?}");
    let forward = |x: &[Vec<f64>]| {
        let (mut out, mut once) = (vectors(&[0.0; 18]), vectors(&[0.0; 18]));
        launch!(bench, twice(&x[0], &mut out, &mut once), 1, 8);
        [of_vectors(&out), of_vectors(&once)].concat()
    };
    check(&values, &weights, &forward, &[&d_x]);
}

/// The gradient of a function of structs is one too.
#[gpu_kernel(fmad = false)]
pub fn of_one_function(v: &[Vec3], gradients: &mut [Vec3], values: &mut [f64]) {
    let i = grid_1d();
    if i + 1 < v.len() && i < gradients.len() && i < values.len() {
        let (value, by_a, by_b): (f64, Vec3, Vec3) = dot::value_and_grad(v[i], v[i + 1]);
        let of_norm: Vec3 = norm::grad(v[i]);
        gradients[i] = Vec3 { x: by_a.x, y: by_b.y, z: of_norm.z };
        values[i] = value;
    }
}

fn gradients_of_functions_of_structs(bench: &Bench) {
    let v = vectors(&numbers(12, 1));
    let (mut gradients, mut values) = (vectors(&[0.0; 9]), vec![0.0; 3]);
    launch!(bench, of_one_function(&v, &mut gradients, &mut values), 1, 4);
    for i in 0..3 {
        let (a, b) = (v[i], v[i + 1]);
        assert_eq!((gradients[i].x, gradients[i].y, values[i]), (b.x, a.y, dot(a, b)));
        assert!((gradients[i].z - a.z / norm(a)).abs() < 1e-15);
        assert_eq!(dot::grad(a, b), (b, a));
    }
}

mod shapes {
    use super::Vec3;
    use gpu_runtime::prelude::*;

    #[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
    #[repr(C)]
    pub struct Segment {
        pub ends: (Vec3, Vec3),
        pub width: f64,
    }
}

use shapes::Segment;

#[gpu_kernel(grad, fmad = false)]
pub fn of_other_modules(waves: &[Wave], segments: &[Segment], out: &mut [f64]) {
    let i = grid_1d();
    if i < out.len() && i < waves.len() && i < segments.len() {
        let (wave, segment) = (waves[i], segments[i]);
        let along: Vec3 = add(segment.ends.0, times(segment.ends.1, -1.0));
        out[i] = wave.height * (wave.phase + norm(along)).sin() * segment.width;
    }
}

fn structs_of_other_modules(bench: &Bench) {
    let (values, weights) = ([numbers(8, 1), numbers(28, 2)], numbers(4, 3));
    let waves = |numbers: &[f64]| -> Vec<Wave> { numbers.chunks(2).map(|n| Wave { phase: n[0], height: n[1] }).collect() };
    let segments = |numbers: &[f64]| -> Vec<Segment> {
        numbers.chunks(7).map(|n| Segment { ends: (vectors(&n[..3])[0], vectors(&n[3..6])[0]), width: n[6] }).collect()
    };
    let (mut d_waves, mut d_segments) = (waves(&[BEFORE; 8]), segments(&[BEFORE; 28]));
    launch!(bench, of_other_modules::grad(&waves(&values[0]), &segments(&values[1]), &weights, &mut d_waves, &mut d_segments), 1, 4);
    let forward = |x: &[Vec<f64>]| {
        let mut out = vec![0.0; 4];
        launch!(bench, of_other_modules(&waves(&x[0]), &segments(&x[1]), &mut out), 1, 4);
        out
    };
    let d_waves: Vec<f64> = d_waves.iter().flat_map(|wave| [wave.phase, wave.height]).collect();
    let of_segment = |segment: &Segment| [of_vectors(&[segment.ends.0, segment.ends.1]), vec![segment.width]].concat();
    check(&values, &weights, &forward, &[&d_waves, &d_segments.iter().flat_map(of_segment).collect::<Vec<_>>()]);
}

//! Two galaxies meet, as a PNG file: all bodies attract all others, and a block reads them through a tile in shared memory.
//!
//! ```sh
//! cargo run --release --example nbody -- --n 4096 --steps 64
//! ```

#[path = "drawing/mod.rs"]
mod drawing;

use std::f32::consts::TAU;

use drawing::Picture;
use gpu_examples::{Arguments, Comparison, Failure};
use gpu_runtime::prelude::*;
use gpu_runtime::rng::random_uniform_f32;
use gpu_runtime::vector::Float4;

/// Threads of a block, and bodies of a tile.
const BLOCK: usize = 128;
/// Keeps two bodies at one place from throwing each other out.
const SOFTENING: f32 = 0.02;
/// Time between two steps.
const STEP: f32 = 0.02;
/// What the middle of a galaxy weighs; all other bodies together weigh a tenth.
const MIDDLE: f32 = 1.0;

/// The acceleration of a body by another; `w` is the mass.
#[gpu_device]
fn attraction(here: Float4, there: Float4) -> Float4 {
    let (x, y, z) = (there.x - here.x, there.y - here.y, there.z - here.z);
    let square = x * x + y * y + z * z + SOFTENING * SOFTENING;
    let strength = there.w / (square * square.sqrt());
    Float4::new(x * strength, y * strength, z * strength, 0.0)
}

/// One step: `next` has the places and masses after it.
#[gpu_kernel(block = BLOCK)]
fn advance(now: &[Float4], velocity: &mut [Float4], next: &mut [Float4]) {
    let mut tile = shared::<[Float4; BLOCK]>();
    let (i, t) = (grid_1d(), thread_idx().x);
    let here = if i < now.len() { now[i] } else { Float4::splat(0.0) };
    let mut acceleration = Float4::splat(0.0);
    for first in (0..now.len()).step_by(BLOCK) {
        // Beyond the last body, there are bodies without mass.
        tile[t] = if first + t < now.len() { now[first + t] } else { Float4::splat(0.0) };
        sync_threads();
        for k in 0..BLOCK {
            acceleration += attraction(here, tile[k]);
        }
        sync_threads();
    }
    if i < velocity.len() && i < next.len() {
        let faster = velocity[i] + STEP * acceleration;
        velocity[i] = faster;
        next[i] = here + STEP * faster;
    }
}

/// The places and velocities of a disc of `n` bodies that turns around its heavy first one.
fn galaxy(n: usize, seed: u64, centre: Float4, drift: Float4, tilt: f32) -> (Vec<Float4>, Vec<Float4>) {
    let body = |k: usize| {
        if k == 0 {
            return (Float4::new(centre.x, centre.y, centre.z, MIDDLE), drift);
        }
        let random = |index: u64| random_uniform_f32(seed, k as u32, index);
        let (radius, angle) = (0.12 + 0.88 * random(0), TAU * random(1));
        let (sin, cos) = angle.sin_cos();
        let speed = ((MIDDLE + 0.1 * radius) / radius).sqrt();
        let turned = |x: f32, y: f32, z: f32, w: f32| Float4::new(x, y * tilt.cos() - z * tilt.sin(), y * tilt.sin() + z * tilt.cos(), w);
        let place = turned(radius * cos, radius * sin, 0.04 * (random(2) - 0.5), 0.1 / n as f32);
        (centre + place, drift + turned(-speed * sin, speed * cos, 0.0, 0.0))
    };
    (0..n).map(body).unzip()
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse("Draws two galaxies that meet into nbody.png.", &["--n", "--steps"]);
    let device = arguments.device()?;
    let n = arguments.number("--n").unwrap_or(if device.is_gpu() { 32 * 1024 } else { 4096 });
    let steps = arguments.number("--steps").unwrap_or(64);
    println!("moving {n} bodies by {steps} steps on {device}");

    let (left, right) = (n / 2, n - n / 2);
    let (mut places, mut velocities) = galaxy(left, 1, Float4::new(-1.3, -0.35, 0.0, 0.0), Float4::new(0.45, 0.05, 0.0, 0.0), 0.9);
    let (more_places, more_velocities) = galaxy(right, 2, Float4::new(1.3, 0.35, 0.0, 0.0), Float4::new(-0.45, -0.05, 0.0, 0.0), -0.5);
    places.extend(more_places);
    velocities.extend(more_velocities);

    let mut now = device.to_device(&places)?;
    let mut next = device.zeros::<Float4>(n)?;
    let grid = n.div_ceil(BLOCK);
    // Compiles the kernel, so that compiling is not timed: a step of nothing.
    advance(now.slice(..0), &mut device.zeros(1)?, &mut device.zeros(1)?).launch(1, BLOCK)?;
    let mut velocity = device.to_device(&velocities)?;
    device.synchronize()?;

    let mut comparison = Comparison::new("attractions");
    let bar = drawing::progress("steps", steps);
    for step in 0..steps {
        comparison.time(n * n, || {
            advance(&now, &mut velocity, &mut next).launch(grid, BLOCK)?;
            device.synchronize()
        })?;
        std::mem::swap(&mut now, &mut next);
        if step == 0 {
            check(&places, &velocities, &now.to_host()?, &mut comparison)?;
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    print!("{comparison}");
    draw(&now.to_host()?, left).write("nbody.png")
}

/// Computes the first step of some bodies in a loop on the host, and compares.
fn check(places: &[Float4], velocities: &[Float4], found: &[Float4], comparison: &mut Comparison) -> Result<(), Failure> {
    let samples: Vec<usize> = (0..places.len()).step_by(places.len().div_ceil(200)).collect();
    let expected: Vec<Float4> = comparison.time_plain(samples.len() * places.len(), || {
        let after = |&i: &usize| {
            let acceleration = places.iter().fold(Float4::splat(0.0), |sum, there| sum + attraction(places[i], *there));
            places[i] + STEP * (velocities[i] + STEP * acceleration)
        };
        samples.iter().map(after).collect()
    });
    for (&i, expected) in samples.iter().zip(expected) {
        let difference = found[i] - expected;
        if difference.dot(difference).sqrt() > 1e-4 {
            return Err(format!("body {i} is at {:?}, not at {expected:?}", found[i]).into());
        }
    }
    Ok(())
}

/// Each body as a spot of light: those of the first galaxy, `left`, are blue.
fn draw(places: &[Float4], left: usize) -> Picture {
    const RADIUS: isize = 4;
    let (width, height) = (720, 450);
    let mut light = vec![[0.0f32; 3]; width * height];
    let brightness = 1.4 * (4096.0 / places.len() as f32);
    for (i, place) in places.iter().enumerate() {
        let colour = if i < left { [0.35, 0.6, 1.0] } else { [1.0, 0.6, 0.3] };
        let (x, y) = (360.0 + 150.0 * place.x, 225.0 - 150.0 * place.y);
        for (dx, dy) in (-RADIUS..=RADIUS).flat_map(|dx| (-RADIUS..=RADIUS).map(move |dy| (dx, dy))) {
            let (column, row) = (x as isize + dx, y as isize + dy);
            if (0..width as isize).contains(&column) && (0..height as isize).contains(&row) {
                let square = (column as f32 - x).powi(2) + (row as f32 - y).powi(2);
                let spot = brightness * (-square / 1.2).exp() + 0.04 * brightness * (-square / 8.0).exp();
                let pixel = &mut light[row as usize * width + column as usize];
                pixel.iter_mut().zip(colour).for_each(|(sum, channel)| *sum += spot * channel);
            }
        }
    }
    let exposed = |pixel: &[f32; 3]| pixel.map(|light| (255.0 * (1.0 - (-light).exp())) as u8);
    Picture { width, height, pixels: light.iter().map(exposed).collect() }
}

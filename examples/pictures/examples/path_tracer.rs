//! Spheres of glass, metal and clay, as a PNG file: each thread follows rays of light backwards, from the camera to the sky.
//!
//! The scene is written in plain Rust: vectors with operators, an enum of materials, a trait of surfaces, and random numbers.
//!
//! ```sh
//! cargo run --release --example path_tracer -- --width 480 --samples 64
//! ```

#[path = "drawing/mod.rs"]
mod drawing;

use std::ops::{Add, Mul, Neg, Sub};

use drawing::Picture;
use gpu_examples::{Arguments, Comparison, Failure};
use gpu_runtime::prelude::*;
use gpu_runtime::rng::random_uniform_f32;

/// So often a ray is scattered before it counts as lost.
const BOUNCES: u32 = 10;
/// Nearer than this, a ray would hit the surface that it leaves.
const NEAR: f32 = 1e-3;

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
struct Vec3 {
    x: f32,
    y: f32,
    z: f32,
}

#[gpu_device]
impl Vec3 {
    fn new(x: f32, y: f32, z: f32) -> Self {
        Self { x, y, z }
    }

    fn dot(self, other: Self) -> f32 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    fn norm(self) -> f32 {
        (self.x * self.x + self.y * self.y + self.z * self.z).sqrt()
    }

    fn normalized(self) -> Self {
        let scale = 1.0 / (self.x * self.x + self.y * self.y + self.z * self.z).sqrt();
        Self { x: self.x * scale, y: self.y * scale, z: self.z * scale }
    }
}

#[gpu_device]
impl Add for Vec3 {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

#[gpu_device]
impl Sub for Vec3 {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

#[gpu_device]
impl Neg for Vec3 {
    type Output = Self;

    fn neg(self) -> Self {
        Self { x: -self.x, y: -self.y, z: -self.z }
    }
}

/// Colours filter each other.
#[gpu_device]
impl Mul for Vec3 {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self { x: self.x * other.x, y: self.y * other.y, z: self.z * other.z }
    }
}

#[gpu_device]
impl Mul<f32> for Vec3 {
    type Output = Self;

    fn mul(self, by: f32) -> Self {
        Self { x: self.x * by, y: self.y * by, z: self.z * by }
    }
}

/// A ray of light, whose direction has the length 1.
#[derive(Debug, Clone, Copy, DeviceType)]
#[repr(C)]
struct Ray {
    from: Vec3,
    to: Vec3,
}

/// What a surface does with light.
#[derive(Debug, Clone, Copy, DeviceType)]
#[repr(C)]
enum Material {
    Clay { colour: Vec3 },
    Metal { colour: Vec3, roughness: f32 },
    Glass { index: f32 },
}

/// The nearest point of a surface on a ray, or one at an infinite distance.
#[derive(Debug, Clone, Copy, DeviceType)]
#[repr(C)]
struct Hit {
    distance: f32,
    normal: Vec3,
    material: Material,
}

/// What rays can hit.
#[gpu_device]
trait Surface {
    /// How far away it is on the ray; infinite if the ray does not hit it.
    fn distance(self, ray: Ray) -> f32;
    /// The direction away from it at that point.
    fn normal(self, at: Vec3) -> Vec3;
    fn material(self, at: Vec3) -> Material;
}

#[derive(Debug, Clone, Copy, DeviceType)]
#[repr(C)]
struct Sphere {
    centre: Vec3,
    radius: f32,
    material: Material,
}

#[gpu_device]
impl Surface for Sphere {
    fn distance(self, ray: Ray) -> f32 {
        let to_ray: Vec3 = ray.from - self.centre;
        let b: f32 = to_ray.dot(ray.to);
        let c: f32 = to_ray.dot(to_ray) - self.radius * self.radius;
        let discriminant = b * b - c;
        if discriminant < 0.0 {
            return f32::INFINITY;
        }
        let (first, last) = (-b - discriminant.sqrt(), -b + discriminant.sqrt());
        if first > NEAR {
            first
        } else if last > NEAR {
            last
        } else {
            f32::INFINITY
        }
    }

    fn normal(self, at: Vec3) -> Vec3 {
        (at - self.centre) * (1.0 / self.radius)
    }

    fn material(self, _at: Vec3) -> Material {
        self.material
    }
}

/// A floor of tiles in two colours.
#[derive(Debug, Clone, Copy, DeviceType)]
#[repr(C)]
struct Floor {
    height: f32,
}

#[gpu_device]
impl Surface for Floor {
    fn distance(self, ray: Ray) -> f32 {
        let distance = (self.height - ray.from.y) / ray.to.y;
        if distance > NEAR { distance } else { f32::INFINITY }
    }

    fn normal(self, _at: Vec3) -> Vec3 {
        Vec3::new(0.0, 1.0, 0.0)
    }

    fn material(self, at: Vec3) -> Material {
        let (column, row) = (at.x.floor() as i32, at.z.floor() as i32);
        let light: f32 = if (column + row) % 2 == 0 { 0.75 } else { 0.25 };
        Material::Clay { colour: Vec3::new(light, light, light) }
    }
}

/// The nearer one of `hit` and where the ray hits `surface`.
#[gpu_device]
fn nearer<S: Surface>(surface: S, ray: Ray, hit: Hit) -> Hit {
    let distance: f32 = surface.distance(ray);
    if distance < hit.distance {
        let at: Vec3 = ray.from + ray.to * distance;
        Hit { distance, normal: surface.normal(at), material: surface.material(at) }
    } else {
        hit
    }
}

/// The random numbers of one ray.
#[derive(Debug, Clone, Copy, DeviceType)]
#[repr(C)]
struct Random {
    pixel: u32,
    index: u64,
}

#[gpu_device]
impl Random {
    /// From 0 to 1.
    fn uniform(&mut self) -> f32 {
        self.index += 1;
        let number: f32 = random_uniform_f32(7, self.pixel, self.index);
        number
    }

    /// A direction, all of them being equally likely.
    fn direction(&mut self) -> Vec3 {
        let z: f32 = 2.0 * self.uniform() - 1.0;
        let angle: f32 = std::f32::consts::TAU * self.uniform();
        let radius = (1.0 - z * z).max(0.0).sqrt();
        Vec3::new(radius * angle.cos(), radius * angle.sin(), z)
    }

    /// Where a ray in the direction `to` goes on from a surface.
    fn scattered(&mut self, to: Vec3, normal: Vec3, material: Material) -> Vec3 {
        let cosine: f32 = to.dot(normal);
        match material {
            Material::Clay { .. } => normal + self.direction() * 0.999,
            Material::Metal { roughness, .. } => to - normal * (2.0 * cosine) + self.direction() * roughness,
            Material::Glass { index } => {
                // Into the glass or out of it.
                let (ratio, cosine, normal): (f32, f32, Vec3) =
                    if cosine < 0.0 { (1.0 / index, -cosine, normal) } else { (index, cosine, -normal) };
                let square = 1.0 - ratio * ratio * (1.0 - cosine * cosine);
                // Schlick's approximation of how much light is reflected.
                let straight = ((1.0 - ratio) / (1.0 + ratio)).powi(2);
                let reflected = straight + (1.0 - straight) * (1.0 - cosine).powi(5);
                if square < 0.0 || self.uniform() < reflected {
                    to + normal * (2.0 * cosine)
                } else {
                    to * ratio + normal * (ratio * cosine - square.sqrt())
                }
            }
        }
    }
}

/// The light that arrives along a ray.
#[gpu_device]
fn radiance(spheres: &[Sphere], ray: Ray, random: Random) -> Vec3 {
    let (mut ray, mut random) = (ray, random);
    let mut light = Vec3::new(1.0, 1.0, 1.0);
    for _ in 0u32..BOUNCES {
        let nothing = Material::Glass { index: 1.0 };
        let mut hit = Hit { distance: f32::INFINITY, normal: Vec3::new(0.0, 0.0, 0.0), material: nothing };
        hit = nearer(Floor { height: 0.0 }, ray, hit);
        for k in 0..spheres.len() {
            hit = nearer(spheres[k], ray, hit);
        }
        if hit.distance == f32::INFINITY {
            // The sky, with a sun in it.
            let height = 0.5 + 0.5 * ray.to.y;
            let sun: f32 = ray.to.dot(Vec3::new(0.36, 0.8, 0.48)).max(0.0).powi(48) * 3.0;
            let sky: Vec3 = Vec3::new(1.0, 1.0, 1.0) * (1.0 - height) + Vec3::new(0.35, 0.55, 1.0) * height + Vec3::new(sun, sun, sun);
            return light * sky;
        }
        let colour: Vec3 = match hit.material {
            Material::Clay { colour } => colour,
            Material::Metal { colour, .. } => colour,
            Material::Glass { .. } => Vec3::new(0.97, 0.97, 0.97),
        };
        light = light * colour;
        let to: Vec3 = random.scattered(ray.to, hit.normal, hit.material);
        ray = Ray { from: ray.from + ray.to * hit.distance, to: to.normalized() };
    }
    Vec3::new(0.0, 0.0, 0.0)
}

/// The ray through a point of a pixel.
#[gpu_device]
fn through(column: f32, row: f32, width: f32, height: f32) -> Ray {
    let (x, y) = ((2.0 * column - width) / height, (height - 2.0 * row) / height);
    let direction = Vec3::new(0.55 * x, 0.55 * y - 0.22, -1.0);
    Ray { from: Vec3::new(0.0, 2.0, 6.4), to: direction.normalized() }
}

/// A pixel: the mean of the light along rays through it.
#[gpu_device]
fn pixel(spheres: &[Sphere], column: usize, row: usize, width: usize, height: usize, samples: u32) -> Vec3 {
    let mut sum = Vec3::new(0.0, 0.0, 0.0);
    for sample in 0..samples {
        let mut random = Random { pixel: (row * width + column) as u32, index: (sample as u64) << 16 };
        let (dx, dy): (f32, f32) = (random.uniform(), random.uniform());
        let ray: Ray = through(column as f32 + dx, row as f32 + dy, width as f32, height as f32);
        let light: Vec3 = radiance(spheres, ray, random);
        sum = sum + light;
    }
    sum * (1.0 / samples as f32)
}

/// The rows from `first` on, of which there are as many as `out` has pixels for.
#[gpu_kernel(block = (16, 8))]
fn trace(spheres: &[Sphere], width: usize, height: usize, first: usize, samples: u32, out: &mut [Vec3]) {
    let (column, row) = grid_2d();
    if column < width && row * width + column < out.len() {
        let light: Vec3 = pixel(spheres, column, first + row, width, height, samples);
        out[row * width + column] = light;
    }
}

/// A large sphere of each material, and small ones around them.
fn scene() -> Vec<Sphere> {
    let sphere = |x: f32, z: f32, radius: f32, material| Sphere { centre: Vec3::new(x, radius, z), radius, material };
    let mut spheres = vec![
        sphere(-2.1, -0.4, 1.0, Material::Clay { colour: Vec3::new(0.75, 0.25, 0.15) }),
        sphere(0.0, 0.0, 1.0, Material::Glass { index: 1.5 }),
        sphere(2.1, -0.4, 1.0, Material::Metal { colour: Vec3::new(0.85, 0.65, 0.35), roughness: 0.03 }),
    ];
    for k in 0..12 {
        let (angle, random) = (k as f32 * 0.524, |index| random_uniform_f32(3, k, index));
        let colour = Vec3::new(0.2 + 0.7 * random(0), 0.2 + 0.7 * random(1), 0.2 + 0.7 * random(2));
        let material = match k % 3 {
            0 => Material::Glass { index: 1.5 },
            1 => Material::Clay { colour },
            _ => Material::Metal { colour, roughness: 0.3 * random(3) },
        };
        spheres.push(sphere(3.6 * angle.cos(), 0.4 + 2.1 * angle.sin(), 0.2 + 0.12 * random(4), material));
    }
    spheres
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse("Draws spheres of three materials into path_tracer.png.", &["--width", "--samples"]);
    let device = arguments.device()?;
    let width = arguments.number("--width").unwrap_or(480);
    let height = (width * 5).div_ceil(8);
    let samples = arguments.number("--samples").unwrap_or(if device.is_gpu() { 1024 } else { 48 }) as u32;
    println!("drawing {width} × {height} pixels of {samples} rays on {device}");

    let spheres = scene();
    let on_device = device.to_device(&spheres)?;
    // Compiles the kernel, so that compiling is not timed.
    trace(&on_device, width, height, 0, 1, &mut device.zeros(1)?).launch(1, (16, 8))?;
    device.synchronize()?;

    let mut comparison = Comparison::new("rays");
    let mut light = Vec::with_capacity(width * height);
    let bar = drawing::progress("rows", height);
    for first in (0..height).step_by(16) {
        let rows = 16.min(height - first);
        light.extend(comparison.time(rows * width * samples as usize, || {
            let mut out = device.zeros::<Vec3>(rows * width)?;
            trace(&on_device, width, height, first, samples, &mut out).launch((width.div_ceil(16), 2), (16, 8))?;
            out.to_host()
        })?);
        bar.inc(rows as u64);
    }
    bar.finish_and_clear();

    check(&spheres, &light, [width, height], samples, &mut comparison)?;
    print!("{comparison}");
    let shown = |light: &Vec3| [light.x, light.y, light.z].map(|channel| (255.0 * channel.clamp(0.0, 1.0).sqrt()) as u8);
    Picture { width, height, pixels: light.iter().map(shown).collect() }.write("path_tracer.png")
}

/// Computes some pixels in a loop on the host, and compares the mean of their light.
fn check(
    spheres: &[Sphere],
    light: &[Vec3],
    [width, height]: [usize; 2],
    samples: u32,
    comparison: &mut Comparison,
) -> Result<(), Failure> {
    let places: Vec<usize> = (0..width * height).step_by(width * height / 500).collect();
    let samples_of_host = samples.min(24);
    let mut difference = Vec3::new(0.0, 0.0, 0.0);
    for &i in &places {
        let expected =
            comparison.time_plain(samples_of_host as usize, || pixel(spheres, i % width, i / width, width, height, samples_of_host));
        difference = difference + light[i] - expected;
    }
    // On a GPU, a ray can take another way after a sum that is rounded differently, and there are more rays.
    let difference = difference.norm() / places.len() as f32;
    if difference > 0.05 { Err(format!("the pixels differ by {difference} from those of a loop on the host").into()) } else { Ok(()) }
}

//! Structs in arrays, parameters, shared memory and bodies of kernels, on the CPU, and that NVRTC agrees with the layout.

use crate::nvrtc::has_nvrtc;
use gpu_runtime::prelude::*;

#[allow(unreachable_pub)]
mod shapes {
    use gpu_runtime::prelude::*;

    /// A type of the same name as one outside.
    #[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
    #[repr(C)]
    pub struct Point {
        pub x: f64,
        pub tag: u8,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
struct Particle {
    position: [f32; 3],
    mass: f32,
    count: i32,
    small: u8,
    fixed: bool,
    corner: Point,
    corners: [Point; 2],
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C, align(16))]
struct Pair(u8, f64);

/// Names that C or the generated code has for something else.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
#[allow(non_camel_case_types)]
struct float4 {
    r#type: i32,
    double: f32,
    unix: u16,
    naïve: i64,
    _hidden: i8,
}

type Real = f32;

const PARTICLE: Particle = Particle {
    position: [1.0, 2.0, 3.0],
    mass: 4.0,
    count: 5,
    small: 250,
    fixed: false,
    corner: Point { x: 0.25, y: 0.5 },
    corners: [Point { x: 1.0, y: 2.0 }, Point { x: 3.0, y: 4.0 }],
};

#[gpu_device]
fn length(p: Point) -> f32 {
    (p.x * p.x + p.y * p.y).sqrt()
}

#[gpu_device]
fn doubled(p: Point) -> Point {
    Point { x: p.x * 2.0, y: p.y * 2.0 }
}

#[gpu_device]
fn sum_of(points: &[Point]) -> Real {
    let mut sum = 0.0;
    for i in 0..points.len() {
        sum += points[i].x + points[i].y;
    }
    sum
}

#[gpu_kernel]
fn update(particles: &mut [Particle], offset: Point, index: &[usize]) {
    let i = grid_1d();
    if i < particles.len() {
        let mut p = particles[i];
        p.position[0] += 0.1;
        p.position[index[0]] *= 2.0;
        p.mass = -p.mass + 0.1 * p.mass;
        p.count = p.count / 2 + 7 % p.count;
        p.small += 10;
        p.fixed = !p.fixed && p.mass < 0.0;
        p.corner = Point { y: 9.0, ..offset };
        p.corners[1].x = p.corners[0].x.max(0.3).powi(2);
        particles[i] = p;
        particles[i].count -= 1;
        particles[i].corners[0] = doubled(particles[i].corners[0]);
        particles[i].corners[0].y = length(p.corner).clamp(0.0, 8.5);
        particles[i].position[2] = if p.count > 100 { p.mass } else { 0.7 };
    }
}

fn updated(mut p: Particle, offset: Point, index: usize) -> Particle {
    p.position[0] += 0.1;
    p.position[index] *= 2.0;
    p.mass = -p.mass + 0.1 * p.mass;
    p.count = p.count / 2 + 7 % p.count - 1;
    p.small = p.small.wrapping_add(10);
    p.fixed = !p.fixed && p.mass < 0.0;
    p.corner = Point { y: 9.0, ..offset };
    p.corners[1].x = p.corners[0].x.max(0.3).powi(2);
    p.corners[0] = Point { x: p.corners[0].x * 2.0, y: 8.5 };
    p.position[2] = 0.7;
    p
}

#[test]
fn a_kernel_reads_and_writes_fields() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let mut particles = device.to_device(&[PARTICLE; 3])?;
    let index = device.to_device(&[1usize])?;
    let offset = Point { x: 3.0, y: 1.0 };
    update(&mut particles, offset, &index).launch(1, 4)?;
    let mut expected = updated(PARTICLE, offset, 1);
    expected.corners[0].y = 9.0f32.hypot(3.0).clamp(0.0, 8.5);
    assert_eq!(particles.to_host()?, [expected; 3]);
    Ok(())
}

#[gpu_kernel]
fn mixed(points: &[shapes::Point], scale: Pair, out: &mut [Pair], names: &mut [float4]) {
    let i = grid_1d();
    if i < out.len() && i < names.len() {
        out[i] = Pair(points[i].tag + scale.0, points[i].x * scale.1);
        out[i].1 += 1e-3;
        let n = names[i];
        names[i] = float4 { r#type: n.r#type + 1, double: 0.1, unix: n.unix << 2, naïve: -5, _hidden: -128 };
    }
}

#[test]
fn types_of_one_name_and_awkward_names_are_told_apart() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let points = device.to_device(&[shapes::Point { x: 2.0, tag: 7 }])?;
    let mut out = device.zeros(1)?;
    let mut names = device.zeros::<float4>(1)?;
    mixed(&points, Pair(3, 1.5), &mut out, &mut names).launch(1, 1)?;
    assert_eq!(out.to_host()?, [Pair(10, 3.001)]);
    assert_eq!(names.to_host()?, [float4 { r#type: 1, double: 0.1, unix: 0, naïve: -5, _hidden: -128 }]);
    Ok(())
}

#[gpu_kernel(block = 4)]
fn shuffled(x: &[Point], rows: &mut [[f32; 3]], out: &mut [Real]) {
    let mut tile = shared::<[Point; 4]>();
    let t = thread_idx().x;
    let i = grid_1d();
    tile[t] = x[i];
    tile[t].y += 1.0;
    sync_threads();
    let other = tile[3 - t];
    out[i] = other.x + tile[t].y * 2.0 + sum_of(&tile);
    rows[i][1] += other.y;
}

#[test]
fn structs_and_arrays_are_in_shared_memory_and_slices() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let host: Vec<Point> = (0..4u8).map(|i| Point { x: f32::from(i), y: f32::from(i) * 10.0 }).collect();
    let x = device.to_device(&host)?;
    let mut rows = device.to_device(&[[1.0f32, 2.0, 3.0]; 4])?;
    let mut out = device.zeros(4)?;
    shuffled(&x, &mut rows, &mut out).launch(1, 4)?;
    assert_eq!(out.to_host()?, [3.0 + 2.0 + 70.0, 2.0 + 22.0 + 70.0, 1.0 + 42.0 + 70.0, 62.0 + 70.0]);
    assert_eq!(rows.to_host()?[0], [1.0, 2.0 + 31.0, 3.0]);
    Ok(())
}

#[test]
fn the_compiler_for_gpus_agrees_with_the_layout() {
    if !has_nvrtc("the_compiler_for_gpus_agrees_with_the_layout") {
        return;
    }
    for (name, source, cubin) in [
        ("update", update::cuda_source(), update::handle().cubin("sm_90")),
        ("mixed", mixed::cuda_source(), mixed::handle().cubin("sm_90")),
        ("shuffled", shuffled::cuda_source(), shuffled::handle().cubin("sm_90")),
    ] {
        if let Err(error) = cubin {
            panic!("kernel `{name}`: {error:?}\n{source}");
        }
    }
    assert!(!update::handle().ptx("sm_90").unwrap().contains(".f64"), "an f32 kernel computes in double precision");
}

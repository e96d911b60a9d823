//! Structs and tuples.

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
}

/// A struct with an operator.
mod addition {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Point {
        x: f32,
        y: f32,
    }

    impl std::ops::Add for Point {
        type Output = Point;
        fn add(self, other: Point) -> Point {
            Point { x: self.x + other.x, y: self.y + other.y }
        }
    }

    #[gpu_kernel]
    fn kernel(points: &[Point], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            let sum = points[i] + points[0]; //~
            out[i] = sum.x;
        }
    }
}

/// A struct with an operator of values, and none of references.
mod operators_of_references {
    use super::*;
    use std::ops::{Add, AddAssign, Neg};

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Distance {
        metres: f32,
    }

    #[gpu_device]
    impl Add for Distance {
        type Output = Distance;
        fn add(self, other: Distance) -> Distance {
            Distance { metres: self.metres + other.metres }
        }
    }

    #[gpu_device]
    impl AddAssign for Distance {
        fn add_assign(&mut self, other: Distance) {
            self.metres += other.metres;
        }
    }

    #[gpu_device]
    impl Neg for Distance {
        type Output = Distance;
        fn neg(self) -> Distance {
            Distance { metres: -self.metres }
        }
    }

    #[gpu_device]
    impl Add<(f32, f32)> for &mut Distance { //~
        type Output = f32;
        fn add(self, other: (f32, f32)) -> f32 {
            self.metres + other.0 + other.1
        }
    }

    #[gpu_kernel]
    fn kernel(distances: &[Distance], out: &mut [Distance]) {
        let i = grid_1d();
        if i < out.len() {
            let own = distances[i];
            let mut sum = own;
            for distance in distances {
                sum = sum + distance; //~
            }
            sum = &sum + &own; //~
            sum += &own; //~
            out[i] = -&sum; //~
        }
    }

    #[gpu_kernel]
    fn reference_to_literal(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = &2.0 * x[i]; //~
        }
    }
}

/// An array function is mapped over structs.
mod array_of_structs_as_numbers {
    use super::*;

    #[vectorize]
    fn twice(x: f32) -> f32 {
        x * 2.0
    }

    fn doubled(points: &DeviceArray<Point>) {
        let _ = twice::map(points).collect(); //~
    }
}

/// A field of an element of a `&[T]` is assigned.
#[gpu_kernel]
fn assigned_in_shared_slice(points: &[Point], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        points[i].x = 1.0; //~
        out[i] = 1.0;
    }
}

/// A struct without `PartialEq` is compared.
mod comparison {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Point {
        x: f32,
        y: f32,
    }

    #[gpu_kernel]
    fn kernel(points: &[Point], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            if points[i] == points[0] { //~
                out[i] = 1.0;
            }
        }
    }
}

/// A struct of no size.
mod empty {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Nothing; //~
}

/// An enum.
mod enumeration {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    enum Side { //~
        Left,
        Right,
    }
}

/// A kernel belongs to no type, and an attribute on the `impl` is for all of its functions.
mod attributes_in_impl {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Vector {
        x: f32,
    }

    #[gpu_device]
    impl Vector {
        #[gpu_device] //~
        fn norm(&self) -> f32 {
            self.x.abs()
        }

        #[vectorize] //~
        fn norms(x: f32) -> f32 {
            x.abs()
        }
    }
}

/// A method with a type parameter of its own.
mod generic_method {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Pair<T> {
        a: T,
        b: T,
    }

    #[gpu_device]
    impl<T: Num> Pair<T> {
        fn scaled<U: Num>(self, by: U) -> T { //~
            self.a * by.cast::<T>()
        }
    }
}

/// A literal of a generic struct where nothing tells which instance it is.
mod generic_without_arguments {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Pair<T> {
        a: T,
        b: T,
    }

    #[gpu_kernel]
    fn kernel(out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            let pair = Pair { a: 1.0f32, b: 2.0f32 }; //~
            out[i] = pair.a;
        }
    }
}

/// A struct that borrows from the host.
mod lifetime {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Named<'a> { //~
        name: &'a u8,
        x: f32,
    }
}

/// A field that the struct does not have.
#[gpu_kernel]
fn literal_of_unknown_field(points: &[Point], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let p = Point { x: 1.0, z: 2.0, ..points[i] }; //~
        out[i] = p.x;
    }
}

/// A method that the type of the field does not have.
mod method_of_field {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Point {
        x: f32,
        y: i32,
    }

    #[gpu_kernel]
    fn kernel(points: &[Point], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = points[i].y.sqrt() as f32; //~
        }
    }
}

/// A mistake in one method is not one in the kernels that call it or others.
mod method_with_mistake {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Vector {
        x: f32,
    }

    #[gpu_device]
    impl Vector {
        fn norm(&self) -> f32 {
            let scratch: Vec<f32> = Vec::new(); //~
            self.x
        }

        fn twice(&self, by: &[f32]) -> Vector {
            Vector { x: by[0] * self.x }
        }
    }

    #[gpu_kernel]
    fn kernel(v: &[Vector], by: &[f32], out: &mut [f32]) {
        out[0] = v[0].norm() + v[1].twice(by).norm();
    }
}

/// Functions of an `impl` that has no `#[gpu_device]`.
mod plain_impl {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Point {
        x: f32,
        y: f32,
    }

    impl Point {
        fn new(x: f32) -> Point {
            Point { x, y: 0.0 }
        }

        fn norm(&self) -> f32 {
            self.x.hypot(self.y)
        }
    }

    #[gpu_kernel]
    fn kernel(points: &mut [Point], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = points[i].norm(); //~
            points[i] = Point::new(1.0); //~
        }
    }
}

/// A struct that is moved.
mod not_copy {
    use super::*;

    #[derive(Clone, DeviceType)]
    #[repr(C)]
    struct Point { //~
        x: f32,
        y: f32,
    }
}

/// Device memory has no `Option` without a tag, and no `Result`.
mod option_field {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Limit {
        low: Option<bool>, //~
        high: Result<f32, u32>, //~
    }
}

/// A struct whose fields are not aligned.
mod packed {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C, packed)] //~
    struct Point {
        x: f32,
        y: f32,
    }
}

/// A field that is a reference.
mod reference_field {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Point {
        x: f32,
        y: &'static f32, //~
    }
}

/// A field that is on the heap.
mod string_field {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Point { //~
        x: f32,
        y: String, //~
    }
}

/// A tuple of more elements than kernels have names for.
#[gpu_kernel]
fn tuples_of_nine(x: &[(u8, u8, u8, u8, u8, u8, u8, u8, u8)], out: &mut [u8]) { //~
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i].8;
    }
}

/// An argument that the derive does not have.
mod unknown_argument {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    #[device_type(name = "p")] //~
    struct Point {
        x: f32,
        y: f32,
    }
}

/// A field that the struct does not have.
#[gpu_kernel]
fn unknown_field(points: &[Point], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = points[i].z; //~
    }
}

/// A struct that does not say what it is on a device.
mod without_derive {
    use super::*;

    #[derive(Clone, Copy)]
    #[repr(C)]
    struct Point {
        x: f32,
        y: f32,
    }

    #[gpu_kernel]
    fn kernel(points: &[Point], first: Point, out: &mut [f32]) { //~
        let i = grid_1d();
        if i < out.len() && i < points.len() {
            out[i] = points[i].x + first.y;
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let points = [Point { x: 1.0, y: 2.0 }];
        assert!(points[0].x < points[0].y);
        Device::cpu().to_device(&points).map(drop)
    }
}

/// A struct whose layout is rustc's own.
mod without_repr {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    struct Point { //~
        x: f32,
        y: f32,
    }
}

/// A field is of another type.
mod wrong_field_type {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Point {
        x: f32,
        y: f64,
    }

    #[gpu_kernel]
    fn kernel(points: &[Point], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = points[i].y; //~
        }
    }
}

fn main() {}

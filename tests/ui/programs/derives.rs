//! Types that lack a derive, and calls of their functions: one message for each type, where it is used first.

use gpu_runtime::prelude::*;

/// A struct without derives in every place that a kernel has.
mod struct_everywhere {
    use super::*;

    struct Point {
        x: f32,
        y: f32,
    }

    #[gpu_device]
    impl Point { //~
        fn norm(&self) -> f32 {
            self.x.hypot(self.y)
        }
    }

    #[gpu_device]
    impl std::ops::Add for Point {
        type Output = Point;
        fn add(self, other: Point) -> Point {
            Point { x: self.x + other.x, y: self.y + other.y }
        }
    }

    #[gpu_device]
    trait Area {
        fn area(&self) -> f32;
    }

    #[gpu_device]
    impl Area for Point {
        fn area(&self) -> f32 {
            self.x * self.y
        }
    }

    #[gpu_device]
    fn origin() -> Point {
        Point { x: 0.0, y: 0.0 }
    }

    #[gpu_kernel]
    fn kernel(points: &[Point], by: Point, out: &mut [f32]) {
        let mut tile = shared::<[Point; 32]>();
        tile[thread_idx().x] = by;
        let i = grid_1d();
        if i < out.len() && i < points.len() {
            let sum = points[i] + by + origin();
            out[i] = sum.norm() + sum.area() + points[i].x;
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let points = device.to_device(&[Point { x: 1.0, y: 2.0 }])?;
        let mut out = device.zeros::<f32>(1)?;
        kernel(&points, Point { x: 1.0, y: 2.0 }, &mut out).forall(1)
    }
}

/// An enum without `DeviceType`.
mod enum_of_rust {
    use super::*;

    #[derive(Clone, Copy)]
    enum Shape {
        Circle(f32),
        Square(f32),
    }

    #[gpu_kernel]
    fn kernel(shapes: &[Shape], out: &mut [f32]) { //~
        let i = grid_1d();
        if i < out.len() && i < shapes.len() {
            out[i] = match shapes[i] {
                Shape::Circle(r) => r * r * 3.14,
                Shape::Square(a) => a * a,
            };
        }
    }
}

/// A struct whose fields lack the derives too.
mod struct_of_structs {
    use super::*;

    struct Vector(f32, f32, f32);

    #[derive(Clone, Copy)]
    #[repr(C)]
    struct Ray {
        origin: Vector,
        direction: [Vector; 2],
    }

    #[gpu_kernel]
    fn kernel(rays: &[Ray], out: &mut [f32]) { //~
        let i = grid_1d();
        if i < out.len() && i < rays.len() {
            out[i] = rays[i].origin.0 + rays[i].direction[1].2;
        }
    }
}

/// The derive alone.
mod derive_alone {
    use super::*;

    #[derive(DeviceType)]
    struct Point { //~
        x: f32,
    }

    #[gpu_kernel]
    fn kernel(points: &[Point], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() && i < points.len() {
            let p = points[i];
            out[i] = p.x;
        }
    }
}

/// A field's type without the derive.
mod field {
    use super::*;

    #[derive(Clone, Copy)]
    struct Color {
        red: f32,
    }

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Light {
        color: Color, //~
        power: f32,
    }

    #[gpu_kernel]
    fn kernel(lights: &[Light], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() && i < lights.len() {
            out[i] = lights[i].color.red * lights[i].power;
        }
    }
}

/// What a struct cannot have: rustc says it of the field.
mod on_the_heap {
    use super::*;

    struct Mesh {
        vertices: Vec<f32>,
    }

    #[gpu_kernel]
    fn kernel(meshes: &[Mesh], out: &mut [f32]) { //~
        let i = grid_1d();
        if i < out.len() {
            out[i] = meshes.len() as f32;
        }
    }
}

/// Functions of types get the arguments that they take.
mod arguments {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Point {
        x: f32,
    }

    #[gpu_device]
    impl Point {
        fn new(x: f32) -> Point {
            Point { x }
        }

        fn scaled(&self, by: f32) -> f32 {
            self.x * by
        }
    }

    #[gpu_device]
    trait Area {
        fn area(self, height: f32) -> f32;
    }

    #[gpu_device]
    impl Area for Point {
        fn area(self, height: f32) -> f32 {
            self.x * height
        }
    }

    #[gpu_kernel]
    fn kernel(points: &[Point], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() && i < points.len() {
            out[i] = points[i].scaled(1.0, 2.0); //~
            out[i] += points[i].scaled(); //~
            out[i] += Point::new().x; //~
            out[i] += Point::scaled(&points[i]); //~
            out[i] += points[i].area(); //~
        }
    }
}

/// A field could be another one each time.
mod derefs {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Inner {
        x: u32,
    }

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Outer { //~
        inner: Inner,
    }

    impl std::ops::Deref for Outer {
        type Target = Inner;

        fn deref(&self) -> &Inner {
            &self.inner
        }
    }

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Either<T> { //~
        a: T,
    }

    impl std::ops::Deref for Either<f32> {
        type Target = f32;

        fn deref(&self) -> &f32 {
            &self.a
        }
    }

    #[gpu_kernel]
    fn kernel(p: Outer, out: &mut [u32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = p.x;
        }
    }
}

/// An enum with arrays is not an argument of a graph.
mod graph_data {
    use gpu_runtime::prelude::*;

    #[derive(GraphData)]
    enum Either { //~
        Weights(DeviceArray<f32>),
    }
}

fn main() {}

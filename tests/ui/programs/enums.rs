//! Enums, with and without data.

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
enum Shape {
    Empty,
    Circle { radius: f32 },
    Box(f32, f32),
}

/// Fields of a variant are device types.
mod data_of_no_device_type {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(u8)]
    enum Text {
        None,
        Some(&'static str), //~
    }
}

/// How an enum with data lies in memory is written above it.
mod data_without_repr {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    enum Shape { //~
        Empty,
        Circle { radius: f32 },
        Box(f32, f32),
    }
}

/// One variant is 0.
mod data_without_zero {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(u8)]
    enum Shape { //~
        Empty = 1,
        Circle { radius: f32 },
        Box(f32, f32),
    }
}

/// An enum that borrows.
mod borrowing {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    enum Found<'a> { //~
        No,
        Yes(&'a f32),
    }
}

/// A literal in a pattern has the type of the field.
#[gpu_kernel]
fn literal_of_another_type(shapes: &[Shape], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = match shapes[i] {
            Shape::Circle { radius: 1 } => 1.0, //~
            _ => 0.0,
        };
    }
}

/// A value has every field.
#[gpu_kernel]
fn missing_field_of_a_value(out: &mut [Shape]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = Shape::Circle {}; //~
    }
}

/// A `match` names every variant.
mod not_exhaustive {
    use super::*;

    #[derive(Clone, Copy, PartialEq, DeviceType)]
    #[repr(u8)]
    enum Kind {
        Red,
        Green,
        Blue,
    }

    #[gpu_kernel]
    fn kernel(x: &[u32], out: &mut [u32]) {
        let i = grid_1d();
        if i < out.len() {
            let kind = if x[i] > 1 { Kind::Red } else if x[i] > 0 { Kind::Blue } else { Kind::Green };
            out[i] = match kind { //~
                Kind::Red => 1,
                Kind::Blue => 2,
            };
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<u32>(8)?;
        let mut out = device.zeros::<u32>(8)?;
        kernel(&x, &mut out).launch(1, 8)
    }
}

/// Device memory has no `Option` without a tag.
mod option_in_a_variant {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(u8)]
    enum Limit {
        None,
        Both([Option<bool>; 2]), //~
    }
}

/// `..` stands at the end.
#[gpu_kernel]
fn rest_before_a_field(shapes: &[Shape], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = match shapes[i] {
            Shape::Box(.., height) => height, //~
            _ => 0.0,
        };
    }
}

/// A pattern names fields of the variant.
#[gpu_kernel]
fn unknown_field(shapes: &[Shape], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = match shapes[i] {
            Shape::Circle { diameter, .. } => diameter, //~
            _ => 0.0,
        };
    }
}

/// The number of a variant is the same wherever it is evaluated: `Self` in generated code is another type.
mod number_of_self {
    use super::*;

    trait Zero {
        const NUMBER: u8 = 0;
    }

    impl<T> Zero for T {}

    #[derive(Clone, Copy, DeviceType)]
    #[repr(u8)]
    enum Kind {
        Circle(f32) = Self::NUMBER, //~
        Square(u32) = 9,
    }

    impl Kind {
        const NUMBER: u8 = 7;
    }
}

/// A variant is one of the enum.
mod unknown_variant {
    use super::*;

    #[derive(Clone, Copy, PartialEq, DeviceType)]
    #[repr(u8)]
    enum Kind {
        Red,
        Green,
    }

    #[gpu_kernel]
    fn kernel(x: &[u32], out: &mut [u32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = Kind::Blue as u32 + Kind::Green as u32 + Kind::Red as u32; //~
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<u32>(8)?;
        let mut out = device.zeros::<u32>(8)?;
        kernel(&x, &mut out).launch(1, 8)
    }
}

/// A pattern names a variant of the enum.
#[gpu_kernel]
fn unknown_variant_with_data(shapes: &[Shape], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = match shapes[i] {
            Shape::Sphere { radius } => radius, //~
            _ => 0.0,
        };
    }
}

/// A `match` covers every variant with data.
#[gpu_kernel]
fn variant_not_covered(shapes: &[Shape], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = match shapes[i] { //~
            Shape::Empty => 0.0,
            Shape::Circle { radius } => radius,
        };
    }
}

/// An enum has a size of its own.
mod without_repr {
    use super::*;

    #[derive(Clone, Copy, PartialEq, DeviceType)]
    enum Kind { //~
        Red,
        Green,
    }

    #[gpu_kernel]
    fn kernel(x: &[u32], out: &mut [u32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = x[i];
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<u32>(8)?;
        let mut out = device.zeros::<u32>(8)?;
        kernel(&x, &mut out).launch(1, 8)
    }
}

/// One variant is 0.
mod without_zero {
    use super::*;

    #[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
    #[repr(u8)]
    enum Kind { //~
        Red = 1,
        Green,
    }

    #[gpu_kernel]
    fn kernel(x: &[u32], out: &mut [u32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = Kind::Green as u32 + x[i];
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<u32>(8)?;
        let mut out = device.zeros::<u32>(8)?;
        kernel(&x, &mut out).launch(1, 8)
    }
}

/// A pattern has as many fields as the variant.
#[gpu_kernel]
fn wrong_number_of_fields(shapes: &[Shape], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = match shapes[i] {
            Shape::Box(width) => width, //~
            _ => 0.0,
        };
    }
}

fn main() {}

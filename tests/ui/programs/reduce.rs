//! What `#[reduce]` refuses.

use gpu_runtime::prelude::*;

/// The identity is a constant.
mod identity_not_constant {
    use super::*;

    fn zero() -> f32 {
        0.0
    }

    #[reduce(identity = zero())] //~
    fn add(a: f32, b: f32) -> f32 {
        a + b
    }

    fn caller() -> gpu_runtime::Result<()> {
        println!("{:?}", add::accumulate(&[1.0])?.to_host()?);
        Ok(())
    }
}

/// The identity has the type of the elements.
#[reduce(identity = 0)] //~
fn identity_of_another_type(a: f32, b: f32) -> f32 {
    a + b
}

/// A reduction takes two elements.
#[reduce(identity = 0.0)]
fn one_parameter(x: f32) -> f32 { //~
    x * x
}

/// The components of two pairs, and not two pairs.
///
#[reduce]
fn pair_of_pairs(a: (f32, u32), b: (f32, u32)) -> (f32, u32) { //~ 2
    if a.0 > b.0 { a } else { b }
}

/// What is folded is of one type.
mod types_differ {
    use super::*;

    #[reduce]
    fn count(count: usize, x: f32) -> usize { //~
        if x > 0.0 { count + 1 } else { count }
    }

    fn caller() -> gpu_runtime::Result<()> {
        println!("{:?}", count::map(0, &[1.0f32]).to_host()?);
        Ok(())
    }
}

/// The arguments of the attribute.
#[reduce(initial = 0.0)] //~
fn unknown_argument(a: f32, b: f32) -> f32 {
    a + b
}

/// Whatever bits a thread that failed has left must be a value.
mod truth_values_in_a_struct {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Found {
        place: u32,
        is_there: bool,
    }

    #[reduce]
    fn first(a: Found, b: Found) -> Found { //~
        if b.is_there && (!a.is_there || b.place < a.place) { b } else { a }
    }
}

/// A block has room for so many items.
mod too_large {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Row {
        elements: [f64; 9],
    }

    #[reduce]
    fn first(a: Row, b: Row) -> Row { //~
        if b.elements[0] < a.elements[0] { b } else { a }
    }
}

// Callers of what was refused compile.

fn callers() -> gpu_runtime::Result<()> {
    println!("{:?}", identity_of_another_type::accumulate(&[1.0])?.to_host()?);
    println!("{:?}", one_parameter::map(&[1.0f32]).to_host()?);
    println!("{:?}", pair_of_pairs((1.0, 2), (3.0, 4)));
    println!("{:?}", unknown_argument::accumulate(&[1.0])?.to_host()?);
    Ok(())
}

fn main() {}

//! The parameters and bodies of functions of core arrays.

use gpu_runtime::prelude::*;

/// Elements are of the parameter's type.
mod argument_of_another_type {
    use super::*;

    #[guvectorize("(n)->()")]
    fn f(x: &[f32]) -> f32 {
        x[0]
    }

    fn caller() -> gpu_runtime::Result<()> {
        let x: Vec<f64> = vec![1.0, 2.0];
        let y = f::map(&x).to_host()?; //~
        println!("{y:?}");
        Ok(())
    }
}

/// Calls have nothing to wait for.
mod barrier {
    use super::*;

    #[guvectorize("(n)->()")]
    fn f(x: &[f32]) -> f32 {
        sync_threads(); //~
        x[0]
    }

    fn caller() -> gpu_runtime::Result<()> {
        let y = f::map(&[1.0, 2.0]).to_host()?;
        println!("{y:?}");
        Ok(())
    }
}

/// A function of core arrays does not know its thread.
mod coordinates {
    use super::*;

    #[guvectorize("(n)->()")]
    fn f(x: &[f32]) -> f32 {
        x[grid_1d()] //~
    }

    fn caller() -> gpu_runtime::Result<()> {
        let y = f::map(&[1.0, 2.0]).to_host()?;
        println!("{y:?}");
        Ok(())
    }
}

/// An output without core axes is returned.
mod element_as_mutable_slice {
    use super::*;

    #[guvectorize("(n)->()")]
    fn f(x: &[f32], out: &mut [f32]) { //~
        out[0] = x[0];
    }

    fn caller() -> gpu_runtime::Result<()> {
        let y = f::map(&[1.0, 2.0]).to_host()?;
        println!("{y:?}");
        Ok(())
    }
}

/// An extent is a `usize`.
mod extent_of_another_type {
    use super::*;

    #[guvectorize("(m,n)->(m)")]
    fn f(x: &[f32], out: &mut [f32], n: u32) { //~
        for i in 0..out.len() {
            out[i] = x[i * n as usize];
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let y = f::map(&[1.0, 2.0]).to_host()?;
        println!("{y:?}");
        Ok(())
    }
}

/// An extent is one parameter.
mod extent_twice {
    use super::*;

    #[guvectorize("(m,n)->(m)")]
    fn f(x: &[f32], out: &mut [f32], n: usize, n: usize) { //~
        for i in 0..out.len() {
            out[i] = x[i * n];
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let y = f::map(&[1.0, 2.0]).to_host()?;
        println!("{y:?}");
        Ok(())
    }
}

/// Elements are numbers, `bool` or structs.
mod tuples_as_elements {
    use super::*;

    #[guvectorize("(n)->()")]
    fn f(x: &[(f32, f32)]) -> f32 { //~
        x[0].0
    }

    fn caller() -> gpu_runtime::Result<()> {
        let y = f::map(&[1.0, 2.0]).to_host()?;
        println!("{y:?}");
        Ok(())
    }
}

/// A struct is an element if it is a device type.
mod struct_without_derive {
    use super::*;

    #[derive(Clone, Copy)]
    struct Point {
        x: f32,
    }

    #[guvectorize("(n)->()")]
    fn f(points: &[Point]) -> f32 { //~
        points[0].x
    }
}

/// The signature and the parameters of a generic function.
mod generic {
    use super::*;

    #[guvectorize("(n)->()")]
    fn f<T: Num>(x: T) -> T { //~
        x
    }

    fn caller() -> gpu_runtime::Result<()> {
        let y = f::map(&[1.0, 2.0]).to_host()?;
        println!("{y:?}");
        Ok(())
    }
}

/// A function of core arrays does not know its grid.
mod grid_stride_loop {
    use super::*;

    #[guvectorize("(n)->(n)")]
    fn f(x: &[f32], out: &mut [f32]) {
        for i in grid_stride(out.len()) { //~
            out[i] = x[i];
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let y = f::map(&[1.0, 2.0]).to_host()?;
        println!("{y:?}");
        Ok(())
    }
}

/// An output without core axes is returned.
mod missing_return_type {
    use super::*;

    #[guvectorize("(n)->()")]
    fn f(x: &[f32]) { //~
        let _y = x[0];
    }

    fn caller() -> gpu_runtime::Result<()> {
        let y = f::map(&[1.0, 2.0]).to_host()?;
        drop(y);
        Ok(())
    }
}

/// An input is only read.
mod mutable_input {
    use super::*;

    #[guvectorize("(n)->()")]
    fn f(x: &mut [f32]) -> f32 { //~
        x[0] = 1.0;
        x[0]
    }

    fn caller() -> gpu_runtime::Result<()> {
        let y = f::map(&[1.0, 2.0]).to_host()?;
        println!("{y:?}");
        Ok(())
    }
}

/// An input with core axes is a slice.
#[guvectorize("(n),(n)->(n)")]
fn number_for_an_array(x: &[f32], factor: f32, out: &mut [f32]) { //~
    for i in 0..out.len() {
        out[i] = x[i] * factor;
    }
}

/// Two outputs without core axes are a tuple.
mod one_return_value_for_two_outputs {
    use super::*;

    #[guvectorize("(n)->(),()")]
    fn f(x: &[f32]) -> f32 { //~
        x[0]
    }

    fn caller() -> gpu_runtime::Result<()> {
        let _ = f::map(&[1.0]);
        Ok(())
    }
}

/// An output with core axes is a parameter.
mod returned_array {
    use super::*;

    #[guvectorize("(n)->(n)")]
    fn f(x: &[f32], out: &mut [f32]) -> f32 { //~
        out[0] = x[0];
        x[0]
    }

    fn caller() -> gpu_runtime::Result<()> {
        let _ = f::map(&[1.0]);
        Ok(())
    }
}

/// Calls have nothing to share.
mod shared_memory {
    use super::*;

    #[guvectorize("(n)->()")]
    fn f(x: &[f32]) -> f32 {
        let mut tile = shared::<[f32; 4]>(); //~
        tile[0] = x[0];
        tile[0]
    }

    fn caller() -> gpu_runtime::Result<()> {
        let y = f::map(&[1.0, 2.0]).to_host()?;
        println!("{y:?}");
        Ok(())
    }
}

/// An output is written.
mod shared_output {
    use super::*;

    #[guvectorize("(n)->(n)")]
    fn f(x: &[f32], out: &[f32]) { //~
        let _sum = x[0] + out[0];
    }

    fn caller() -> gpu_runtime::Result<()> {
        let y = f::map(&[1.0, 2.0]).to_host()?;
        println!("{y:?}");
        Ok(())
    }
}

/// An input without core axes is one element.
#[guvectorize("(n),()->(n)")]
fn slice_for_an_element(x: &[f32], factor: &[f32], out: &mut [f32]) { //~
    for i in 0..out.len() {
        out[i] = x[i] * factor[0];
    }
}

/// A parameter for each operand.
#[guvectorize("(m,n),(n)->(m)")]
fn too_few_parameters(x: &[f32], out: &mut [f32]) { //~
    for i in 0..out.len() {
        out[i] = x[i];
    }
}

/// A parameter that is no operand.
mod too_many_parameters {
    use super::*;

    #[guvectorize("(n)->(n)")]
    fn f(x: &[f32], out: &mut [f32], factor: f32) { //~
        for i in 0..out.len() {
            out[i] = x[i] * factor;
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let y = f::map(&[1.0, 2.0]).to_host()?;
        println!("{y:?}");
        Ok(())
    }
}

/// An extent of no dimension.
mod unknown_extent {
    use super::*;

    #[guvectorize("(m,n)->(m)")]
    fn f(x: &[f32], out: &mut [f32], k: usize) { //~
        for i in 0..out.len() {
            out[i] = x[i * k];
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let y = f::map(&[1.0, 2.0]).to_host()?;
        println!("{y:?}");
        Ok(())
    }
}

// Callers of what was refused compile.

fn callers() -> gpu_runtime::Result<()> {
    println!("{:?}", number_for_an_array::map(&[1.0], &[2.0]).to_host()?);
    println!("{:?}", slice_for_an_element::map(&[1.0], 2.0).to_host()?);
    println!("{:?}", too_few_parameters::map(&[1.0], &[1.0]).to_host()?);
    Ok(())
}

fn main() {}

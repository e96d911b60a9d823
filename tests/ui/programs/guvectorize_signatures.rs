//! The signatures of `#[guvectorize]`.

use gpu_runtime::prelude::*;

/// A signature without operands.
mod empty_signature {
    use super::*;

    #[guvectorize("")] //~
    fn f(x: &[f32], out: &mut [f32]) {
        for i in 0..out.len() {
            out[i] = x[i];
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let y = f::map(&[1.0, 2.0]).to_host()?;
        println!("{y:?}");
        Ok(())
    }
}

/// Arguments are separated by commas.
mod missing_comma {
    use super::*;

    #[guvectorize("(n)->()" fmad = false)] //~
    fn f(x: &[f32]) -> f32 {
        x[0]
    }

    fn caller() -> gpu_runtime::Result<()> {
        let y = f::map(&[1.0, 2.0]).to_host()?;
        println!("{y:?}");
        Ok(())
    }
}

/// The signature is not optional.
mod missing_signature {
    use super::*;

    #[guvectorize] //~
    fn f(x: &[f32], out: &mut [f32]) {
        for i in 0..out.len() {
            out[i] = x[i];
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let y = f::map(&[1.0, 2.0]).to_host()?;
        println!("{y:?}");
        Ok(())
    }
}

/// Something must say how often the function is called.
#[guvectorize("->(4)")] //~
fn no_inputs(out: &mut [f32]) {
    out[0] = 1.0;
}

/// A function without results.
mod no_outputs {
    use super::*;

    #[guvectorize("(n)->")] //~
    fn f(x: &[f32]) {
        let _y = x[0];
    }

    fn caller() -> gpu_runtime::Result<()> {
        let _ = f::map(&[1.0]);
        Ok(())
    }
}

/// An attribute for functions.
mod on_struct {
    use super::*;

    #[guvectorize("(n)->()")]
    struct Matrix { //~
        x: f32,
    }

    fn caller() -> gpu_runtime::Result<()> {
        let _ = Matrix { x: 1.0 }.x;
        Ok(())
    }
}

/// NumPy's optional dimensions.
mod optional_dimension {
    use super::*;

    #[guvectorize("(n?)->()")] //~
    fn f(x: &[f32]) -> f32 {
        x[0]
    }

    fn caller() -> gpu_runtime::Result<()> {
        let y = f::map(&[1.0, 2.0]).to_host()?;
        println!("{y:?}");
        Ok(())
    }
}

/// The signature is a string.
mod signature_not_a_string {
    use super::*;

    #[guvectorize((n)->(n))] //~
    fn f(x: &[f32], out: &mut [f32]) {
        for i in 0..out.len() {
            out[i] = x[i];
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let y = f::map(&[1.0, 2.0]).to_host()?;
        println!("{y:?}");
        Ok(())
    }
}

/// A parenthesis is missing.
#[guvectorize("(m,n,(n)->(m)")] //~
fn syntax_error(a: &[f32], x: &[f32], out: &mut [f32]) {
    out[0] = a[0] * x[0];
}

/// An array has at most seven axes.
mod too_many_core_axes {
    use super::*;

    #[guvectorize("(a,b,c,d,e,f,g,h)->()")] //~
    fn f(x: &[f32]) -> f32 {
        x[0]
    }

    fn caller() -> gpu_runtime::Result<()> {
        let y = f::map(&[1.0, 2.0]).to_host()?;
        println!("{y:?}");
        Ok(())
    }
}

/// Results are at most four arrays.
mod too_many_outputs {
    use super::*;

    #[guvectorize("()->(),(),(),(),()")] //~
    fn f(x: f32) -> (f32, f32, f32, f32, f32) {
        (x, x, x, x, x)
    }

    fn caller() -> gpu_runtime::Result<()> {
        let _ = f::map(1.0);
        Ok(())
    }
}

/// An argument that does not exist.
mod unknown_argument {
    use super::*;

    #[guvectorize("(n)->()", block = 64)] //~
    fn f(x: &[f32]) -> f32 {
        x[0]
    }

    fn caller() -> gpu_runtime::Result<()> {
        let y = f::map(&[1.0, 2.0]).to_host()?;
        println!("{y:?}");
        Ok(())
    }
}

/// Nothing tells the extent of an output.
mod unknown_output_dimension {
    use super::*;

    #[guvectorize("(n)->(m)")] //~
    fn f(x: &[f32], out: &mut [f32]) {
        for i in 0..out.len() {
            out[i] = x[i];
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
    println!("{:?}", no_inputs::map().to_host()?);
    println!("{:?}", syntax_error::map(&[1.0], &[1.0]).to_host()?);
    Ok(())
}

fn main() {}

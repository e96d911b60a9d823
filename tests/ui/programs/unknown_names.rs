//! Names that rustc does not find, which it says where nothing was refused before.

use gpu_runtime::prelude::*;

/// Intrinsics keep their names: a renamed one is looked for among the device functions.
mod renamed_intrinsic {
    use gpu_runtime::intrinsics::grid_1d as position;
    use super::*;

    #[gpu_kernel]
    fn kernel(out: &mut [f32]) {
        let i = position(); //~
        if i < out.len() {
            out[i] = 1.0;
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let mut out = device.zeros::<f32>(8)?;
        // SAFETY: it does not compile.
        unsafe { kernel(&mut out).launch_unchecked(1, 8) }
    }
}

/// An argument that does not exist.
mod unknown_argument {
    use super::*;

    #[gpu_device]
    fn square(x: f32) -> f32 {
        x * x
    }

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = square(missing) + x[i]; //~
        }
    }
}

/// The type is not in scope.
mod not_imported {
    use gpu_runtime::gpu_kernel;
    use gpu_runtime::intrinsics::grid_1d;

    #[gpu_kernel]
    fn kernel(a: View<f32, 2>, out: &mut [f32]) { //~
        let i = grid_1d();
        if i < out.len() {
            out[i] = a[[0, i]];
        }
    }
}

/// A text that names no variable.
#[gpu_kernel]
fn print_unknown_variable(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        println!("{missing}"); //~
        out[i] = x[i];
    }
}

/// A constant that does not exist.
#[gpu_kernel]
fn unknown_constant(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] * SCALE; //~
    }
}

/// Only functions of two elements have an outer product.
mod outer_of_one {
    use super::*;

    #[vectorize]
    fn square(x: f32) -> f32 {
        x * x
    }

    fn caller() -> gpu_runtime::Result<()> {
        println!("{:?}", square::outer(&[1.0f32]).to_host()?); //~
        Ok(())
    }
}

// Callers of what was refused compile.

fn callers() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    print_unknown_variable(&x, &mut out).launch(1, 8)?;
    unknown_constant(&x, &mut out).launch(1, 8)?;
    Ok(())
}

/// A name for the text of `println!` is that of where the text is.
mod name_in_a_text {
    use super::*;

    macro_rules! printed {
        ($text:tt) => {
            #[gpu_kernel]
            fn kernel(out: &mut [u32]) {
                let count = out.len();
                println!($text);
            }
        };
    }

    printed!("{count}"); //~
}

/// The label of a loop around the macro's own.
mod labels {
    use super::*;

    macro_rules! inner {
        ($outer:lifetime, $i:ident, $leave:expr) => {
            #[gpu_kernel]
            fn kernel(out: &mut [u32]) {
                let i = grid_1d();
                let mut count = 0;
                $outer: for $i in 0..4u32 {
                    'a: for k in 0..4u32 {
                        count += k;
                        if count > 3 {
                            $leave
                        }
                        if count > 2 {
                            break 'a;
                        }
                    }
                    if count > 9 {
                        break $outer;
                    }
                }
                if i < out.len() {
                    out[i] = count;
                }
            }
        };
    }

    inner!('a, j, break 'a); //~
}

fn main() {}

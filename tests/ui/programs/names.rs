//! Variables and items.

use gpu_runtime::prelude::*;

/// `&[T]` is not written.
#[gpu_kernel]
fn immutable_slice(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        x[i] = out[i]; //~
    }
}

/// A variable without `mut` is not changed.
#[gpu_kernel]
fn immutable_variable(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let sum = 0.0;
        sum += x[i]; //~
        out[i] = sum;
    }
}

/// Other items inside a kernel are refused.
#[gpu_kernel]
fn nested_module(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        mod inner {} //~
        out[i] = x[i];
    }
}

/// A variable ends with its block.
#[gpu_kernel]
fn out_of_scope(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        {
            let doubled = x[i] * 2.0;
        }
        out[i] = doubled; //~
    }
}

/// A `static` is no constant.
#[gpu_kernel]
fn static_(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        static SCALE: f32 = 2.0; //~
        out[i] = x[i];
    }
}

/// Variables of one name that different macros made are two.
mod two_macros {
    use super::*;

    macro_rules! shift {
        ($kernel:ident, $i:ident, $value:expr) => {
            #[gpu_kernel]
            fn $kernel(ids: &[usize], out: &mut [usize]) {
                let i = grid_1d();
                if i < out.len() {
                    let $i = ids[i];
                    out[i] = $value;
                }
            }
        };
    }

    shift!(kernel, i, i + 1); //~

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let ids = device.zeros::<usize>(8)?;
        let mut out = device.zeros::<usize>(8)?;
        kernel(&ids, &mut out).launch(1, 8)
    }
}

/// A closure of a macro is not the function of that name where the macro is called.
mod closure_of_a_macro {
    use super::*;

    #[gpu_device]
    fn change(x: u32) -> u32 {
        x * 2
    }

    macro_rules! changed {
        ($kernel:ident, $x:ident, $i:ident, $value:expr) => {
            #[gpu_kernel]
            fn $kernel($x: &[u32], out: &mut [u32]) {
                let change = |v: u32| v + 1;
                let $i = grid_1d();
                if $i < out.len() {
                    out[$i] = change($value);
                }
            }
        };
    }

    changed!(kernel, x, i, change(x[i])); //~
}

/// One that is named where the macro is called is the same there, also in a chain of iterators.
mod closure_for_a_macro {
    use super::*;

    macro_rules! changed {
        ($x:ident, $change:ident, $value:expr) => {
            #[gpu_kernel]
            fn kernel($x: &[u32], out: &mut [u32]) {
                let $change = |v: u32| v + 1;
                let twice = |v: u32| 2 * v;
                let i = grid_1d();
                if i < out.len() {
                    out[i] = twice($value) + $x.iter().map(|v| twice($change(*v))).filter(|v| *v > $change(3)).sum::<u32>();
                }
            }
        };
    }

    changed!(x, change, x.iter().copied().map(change).map(|v| change(v)).max().unwrap_or(0));
}

/// The same without a call.
mod function_by_name {
    use super::*;

    #[gpu_device]
    fn change(x: u32) -> u32 {
        x * 2
    }

    macro_rules! changed {
        ($x:ident, $function:expr) => {
            #[gpu_kernel]
            fn kernel($x: &[u32], out: &mut [u32]) {
                let change = |v: u32| v + 1;
                let i = grid_1d();
                if i < out.len() {
                    out[i] = $x.iter().copied().map($function).sum::<u32>();
                }
            }
        };
    }

    changed!(x, change); //~
}

/// A label of the caller beside one of the macro.
mod labels_of_two_macros {
    use super::*;

    macro_rules! inner {
        ($outer:lifetime, $leave:expr) => {
            #[gpu_kernel]
            fn kernel(out: &mut [u32]) {
                let mut count = 0;
                $outer: for j in 0..4u32 {
                    'b: for k in 0..4u32 {
                        count += k + j;
                        if count > 3 {
                            $leave
                        }
                        if count > 5 {
                            break 'b;
                        }
                    }
                }
                if let Some(first) = out.get_mut(grid_1d()) {
                    *first = count;
                }
            }
        };
    }

    inner!('a, break 'a);
}

/// A variable is read before it has a value.
#[gpu_kernel]
fn uninitialised(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let sum: f32;
        if x[i] > 0.0 {
            sum = x[i];
        }
        out[i] = sum; //~
    }
}

/// A variable that does not exist.
#[gpu_kernel]
fn unknown_variable(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = y[i]; //~
    }
}

mod numbers {
    pub const WIDTH: u32 = 5;
}

const WIDTH: u32 = 7;

/// Methods that only an inner block is to see.
#[gpu_kernel]
fn trait_in_a_block(out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        use std::ops::Add as _; //~
        out[i] = 1;
    }
}

/// Which names an inner block gets, nobody knows.
#[gpu_kernel]
fn everything_in_a_block(out: &mut [u32]) {
    let i = grid_1d();
    let inner = {
        use numbers::*; //~
        WIDTH
    };
    if i < out.len() {
        out[i] = inner * WIDTH;
    }
}

/// What is printed is the `WIDTH` of the module.
#[gpu_kernel]
fn name_in_a_text(out: &mut [u32]) {
    let inner: u32 = {
        use numbers::WIDTH; //~
        WIDTH
    };
    out[0] = inner;
    println!("{WIDTH}");
}

/// The block has another `WIDTH`.
mod import_of_an_extent {
    use super::*;

    #[gpu_kernel(block = WIDTH)]
    fn kernel(out: &mut [u32]) {
        use numbers::WIDTH; //~
        let index = block_idx().x * WIDTH as usize + thread_idx().x;
        if index < out.len() {
            out[index] = 1;
        }
    }

    #[gpu_kernel(block = WIDTH)]
    fn kernel_with_all(out: &mut [u32]) {
        use numbers::*; //~
        let index = block_idx().x * WIDTH as usize + thread_idx().x;
        if index < out.len() {
            out[index] = 1;
        }
    }
}

/// Both parts would have one name.
mod parts_of_two_macros {
    use gpu_runtime::prelude::*;

    macro_rules! kernel {
        ($part:ident) => {
            #[gpu_kernel]
            fn hidden(x: &[u32], out: &mut [u32]) {
                let row = &x[0..1];
                let $part = &x[1..2];
                out[0] = row[0];
                out[1] = $part[0];
            }
        };
    }

    kernel!(row); //~
}

// Callers of what was refused compile.

fn callers() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    immutable_slice(&x, &mut out).launch(1, 8)?;
    immutable_variable(&x, &mut out).launch(1, 8)?;
    nested_module(&x, &mut out).launch(1, 8)?;
    out_of_scope(&x, &mut out).launch(1, 8)?;
    static_(&x, &mut out).launch(1, 8)?;
    uninitialised(&x, &mut out).launch(1, 8)?;
    unknown_variable(&x, &mut out).launch(1, 8)?;
    Ok(())
}

fn main() {}

//! Patterns.

use gpu_runtime::prelude::*;

/// The arms of a `match` agree.
#[gpu_kernel]
fn arms_differ(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = match x[i] {
            0 => 1,
            _ => true, //~
        };
    }
}

/// Every alternative binds the same names.
#[gpu_kernel]
fn bindings_differ(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        match (x[i], 1) {
            (a, 0) | (0, _) => out[i] = a, //~
            _ => out[i] = 2,
        }
    }
}

/// Kernels have no characters.
#[gpu_kernel]
fn char(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        match x[i] {
            'a' => out[i] = 1, //~
            _ => out[i] = 2,
        }
    }
}

/// The `else` of a `let` leaves.
#[gpu_kernel]
fn else_that_goes_on(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        let Some(sum) = x[i].checked_add(1) else { out[i] = 0; }; //~
        out[i] = sum;
    }
}

/// A `match` has arms.
#[gpu_kernel]
fn empty_match(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        match x[i] {} //~
        out[i] = 1;
    }
}

/// A guard does not change what is matched.
#[gpu_kernel]
fn guard_assigns(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        let mut n = x[i];
        match n {
            0 if { n = 1; true } => out[i] = 1, //~
            _ => out[i] = 2,
        }
    }
}

/// A `let` stands in a condition.
#[gpu_kernel]
fn let_in_a_value(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        let both = (let 1 = x[i]) && i > 0; //~ 2
        out[i] = both as i32;
    }
}

/// A `let` is joined by `&&`.
#[gpu_kernel]
fn let_in_an_or(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        if let 1 = x[i] || i > 0 { //~ 2
            out[i] = 1;
        }
    }
}

/// A constant in lower case is no pattern.
mod lower_case_constant {
    use super::*;

    #[allow(non_upper_case_globals)]
    const limit: i32 = 3;

    #[gpu_kernel]
    fn kernel(x: &[i32], out: &mut [i32]) {
        let i = grid_1d();
        if i < out.len() {
            match x[i] {
                limit => out[i] = limit, //~
            }
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<i32>(8)?;
        let mut out = device.zeros::<i32>(8)?;
        kernel(&x, &mut out).launch(1, 8)
    }
}

/// A pattern is written out.
mod macro_ {
    use super::*;

    macro_rules! one {
        () => {
            1
        };
    }

    #[gpu_kernel]
    fn kernel(x: &[i32], out: &mut [i32]) {
        let i = grid_1d();
        if i < out.len() {
            match x[i] {
                one!() => out[i] = 1, //~
                _ => out[i] = 2,
            }
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<i32>(8)?;
        let mut out = device.zeros::<i32>(8)?;
        kernel(&x, &mut out).launch(1, 8)
    }
}

/// A `match` covers every value.
#[gpu_kernel]
fn not_exhaustive(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = match x[i] { //~
            ..0 => -1,
            1.. => 1,
        };
    }
}

/// A `match` covers `None` too.
#[gpu_kernel]
fn not_exhaustive_option(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        match x[i].checked_add(1) { //~
            Some(sum) => out[i] = sum,
        }
    }
}

/// `ref` is refused.
#[gpu_kernel]
fn ref_(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let ref v = x[i]; //~
        out[i] = 1.0;
    }
}

/// A pattern has no `&`.
#[gpu_kernel]
fn reference(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        match x[i] {
            &0 => out[i] = 1, //~
            _ => out[i] = 2,
        }
    }
}

/// A `let` without `else` matches every value.
#[gpu_kernel]
fn refutable_let(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        let Some(sum) = x[i].checked_add(1); //~
        out[i] = sum;
    }
}

/// How many elements `..` stands for is known.
mod rest_of_an_unknown_tuple {
    use super::*;

    #[gpu_device]
    fn pair(x: i32) -> (i32, i32) {
        (x, 1)
    }

    #[gpu_kernel]
    fn kernel(x: &[i32], out: &mut [i32]) {
        let i = grid_1d();
        if i < out.len() {
            let (first, ..) = pair(x[i]); //~
            out[i] = first;
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<i32>(8)?;
        let mut out = device.zeros::<i32>(8)?;
        kernel(&x, &mut out).launch(1, 8)
    }
}

/// The rest of an array has no name.
#[gpu_kernel]
fn rest_with_a_name(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        let [first, rest @ ..] = [x[i], 2, 3]; //~
        out[i] = first;
    }
}

/// A slice is not taken apart where an element has a pattern with a name.
#[gpu_kernel]
fn slice(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        match x { //~
            [_low @ 1..=3, ..] => out[i] = 0,
            _ => out[i] = 1,
        }
    }
}

/// Kernels have no text.
#[gpu_kernel]
fn string(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        match x[i] {
            "a" => out[i] = 1, //~
            _ => out[i] = 2,
        }
    }
}

/// A tuple pattern has as many elements as the tuple.
#[gpu_kernel]
fn tuple_too_long(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let (a, b, c): (f32, f32) = (x[i], 2.0); //~
        out[i] = 1.0;
    }
}

/// A literal has the type of what is matched.
#[gpu_kernel]
fn types_differ(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        match x[i] {
            1.5 => out[i] = 1, //~
            _ => out[i] = 2,
        }
    }
}

// Callers of what was refused compile.

fn callers_1() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<i32>(8)?;
    let mut out = device.zeros::<i32>(8)?;
    arms_differ(&x, &mut out).launch(1, 8)?;
    bindings_differ(&x, &mut out).launch(1, 8)?;
    char(&x, &mut out).launch(1, 8)?;
    else_that_goes_on(&x, &mut out).launch(1, 8)?;
    empty_match(&x, &mut out).launch(1, 8)?;
    guard_assigns(&x, &mut out).launch(1, 8)?;
    let_in_a_value(&x, &mut out).launch(1, 8)?;
    let_in_an_or(&x, &mut out).launch(1, 8)?;
    not_exhaustive(&x, &mut out).launch(1, 8)?;
    not_exhaustive_option(&x, &mut out).launch(1, 8)?;
    reference(&x, &mut out).launch(1, 8)?;
    refutable_let(&x, &mut out).launch(1, 8)?;
    rest_with_a_name(&x, &mut out).launch(1, 8)?;
    slice(&x, &mut out).launch(1, 8)?;
    string(&x, &mut out).launch(1, 8)?;
    types_differ(&x, &mut out).launch(1, 8)?;
    Ok(())
}

fn callers_2() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    ref_(&x, &mut out).launch(1, 8)?;
    tuple_too_long(&x, &mut out).launch(1, 8)?;
    Ok(())
}

fn main() {}

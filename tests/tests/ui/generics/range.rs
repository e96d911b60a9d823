//! A range of a type parameter.

use gpu_runtime::prelude::*;

#[gpu_device]
fn sum<T: Num>(n: T) -> T {
    let mut sum = T::ZERO;
    for i in T::ZERO..n {
        sum += i;
    }
    sum
}

fn main() {}

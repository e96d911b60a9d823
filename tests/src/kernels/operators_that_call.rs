//! Operators of users' types that call functions, methods and functions of traits.

use std::ops::{Add, AddAssign, Neg, Sub};

use gpu_runtime::prelude::*;

use crate::bench::Bench;
use crate::{cases, launch};

cases![operators_call_functions];

/// A number modulo 97, with operators that call functions, methods and functions of traits.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Remaining {
    value: u32,
}

#[gpu_device]
fn reduced(value: u32) -> u32 {
    if value < 97 { value } else { reduced(value - 97) }
}

#[gpu_device]
fn applied<T: Copy>(f: impl Fn(T) -> T, x: T) -> T {
    f(x)
}

#[gpu_device]
trait Ring: Sized {
    fn negated(self) -> Self;

    fn doubled(self) -> Self;
}

#[gpu_device]
impl Ring for Remaining {
    fn negated(self) -> Self {
        Remaining::from(97 - self.value)
    }

    fn doubled(self) -> Self {
        self + self
    }
}

#[gpu_device]
impl From<u32> for Remaining {
    fn from(value: u32) -> Self {
        Self { value: reduced(value) }
    }
}

#[gpu_device]
impl Remaining {
    fn abs(self) -> Self {
        Remaining::from(self.reduced())
    }

    fn reduced(&self) -> u32 {
        if self.value < 97 {
            self.value
        } else {
            let less = Self { value: self.value - 97 };
            reduced(less.value)
        }
    }

    fn times(&self, count: u32) -> u32 {
        if count == 0 { 0 } else { self.value + self.times(count - 1) }
    }
}

#[gpu_device]
impl Add for Remaining {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { value: applied::<u32>(reduced, self.value + other.value) }
    }
}

#[gpu_device]
impl Sub for Remaining {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        (self + other.negated()).abs()
    }
}

#[gpu_device]
impl AddAssign<u32> for Remaining {
    fn add_assign(&mut self, by: u32) {
        self.value = reduced(self.value + applied::<u32>(|x: u32| reduced(2 * x), by)) + self.times(0);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Doubling<R> {
    of: R,
}

#[gpu_device]
impl<R: Ring> Neg for Doubling<R> {
    type Output = Self;

    fn neg(self) -> Self {
        Self { of: self.of.negated().doubled() }
    }
}

#[gpu_kernel]
pub fn remainders(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        let (mut a, b) = (Remaining::from(x[i]), Remaining::from(5));
        a += 60;
        let c = -Doubling::<Remaining> { of: a - b };
        out[i] = c.of.value;
    }
}

fn operators_call_functions(bench: &Bench) {
    let (x, mut out): (Vec<u32>, _) = ((0..200).collect(), vec![0; 200]);
    launch!(bench, remainders(&x, &mut out), 7, 32);
    let expected: Vec<u32> = x.iter().map(|x| (97 - (x + 120 - 5) % 97) * 2 % 97).collect();
    assert_eq!(out, expected);
}

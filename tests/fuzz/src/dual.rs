//! What plain Rust has for gradients: derivatives along one direction.

use std::cmp::Ordering;
use std::ops::{Add, AddAssign, Mul, Neg, Rem, Sub, SubAssign};

/// A number, and its derivative.
#[derive(Clone, Copy)]
pub(crate) struct Dual {
    value: f64,
    slope: f64,
}

impl Dual {
    pub(crate) fn constant(value: f64) -> Self {
        Self { value, slope: 0.0 }
    }

    pub(crate) fn abs(self) -> Self {
        let sign = if self.value == 0.0 { 0.0 } else { self.value.signum() };
        Self { value: self.value.abs(), slope: sign * self.slope }
    }
}

pub(crate) fn stop_gradient(x: Dual) -> Dual {
    Dual::constant(x.value)
}

/// Comparisons compare values.
impl PartialEq for Dual {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl PartialOrd for Dual {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.value.partial_cmp(&other.value)
    }
}

impl Neg for Dual {
    type Output = Self;

    fn neg(self) -> Self {
        Self { value: -self.value, slope: -self.slope }
    }
}

impl Add for Dual {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { value: self.value + other.value, slope: self.slope + other.slope }
    }
}

impl Sub for Dual {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Dual {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self { value: self.value * other.value, slope: self.slope * other.value + self.value * other.slope }
    }
}

impl Rem<f64> for Dual {
    type Output = Self;

    fn rem(self, divisor: f64) -> Self {
        Self { value: self.value % divisor, ..self }
    }
}

impl AddAssign for Dual {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Dual {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

/// The gradient of the sum of the elements that `run` writes, times `weights`, by the elements of three arrays, an element at a time.
pub(crate) fn gradient(weights: &[f64], arrays: [&[f64]; 3], gradients: [&mut [f64]; 3], run: impl Fn(&[Vec<Dual>; 3], &mut [Dual])) {
    let constants = arrays.map(|array| array.iter().map(|value| Dual::constant(*value)).collect::<Vec<_>>());
    for (array, gradient) in gradients.into_iter().enumerate() {
        for (element, derivative) in gradient.iter_mut().enumerate() {
            let mut moved = constants.clone();
            moved[array][element].slope = 1.0;
            let mut out = vec![Dual::constant(0.0); weights.len()];
            run(&moved, &mut out);
            *derivative = out.iter().zip(weights).fold(0.0, |sum, (out, weight)| sum + out.slope * weight);
        }
    }
}

//! Lengths of vectors of two to four components on the CPU, for [`DeviceMath`](super::DeviceMath).

use super::special::ldexp;

pub(super) fn hypot3(x: f64, y: f64, z: f64) -> f64 {
    length(&[x, y, z])
}

pub(super) fn hypot4(x: f64, y: f64, z: f64, w: f64) -> f64 {
    length(&[x, y, z, w])
}

pub(super) fn rhypot(x: f64, y: f64) -> f64 {
    reciprocal_length(&[x, y])
}

pub(super) fn rhypot3(x: f64, y: f64, z: f64) -> f64 {
    reciprocal_length(&[x, y, z])
}

pub(super) fn rhypot4(x: f64, y: f64, z: f64, w: f64) -> f64 {
    reciprocal_length(&[x, y, z, w])
}

/// A length as `(root + rest) · 2^exponent`, where `root` is from 1 to 4.
struct Length {
    root: f64,
    rest: f64,
    exponent: i32,
}

impl Length {
    /// Of a vector that is neither 0 nor has a component that is no number.
    fn of(components: &[f64], largest: f64) -> Self {
        let exponent = super::special::ilogb(largest);
        let (mut sum, mut lost) = (0.0f64, 0.0f64);
        for &component in components {
            // So that no square is beyond the range, and none that counts below it.
            let scaled = ldexp(component, -exponent);
            let square = scaled * scaled;
            let larger = sum + square;
            let part = larger - sum;
            lost += (sum - (larger - part)) + (square - part) + scaled.mul_add(scaled, -square);
            sum = larger;
        }
        let root = sum.sqrt();
        let rest = ((-root).mul_add(root, sum) + lost) / (2.0 * root);
        Self { root, rest, exponent }
    }
}

/// The length, if it is that of no proper vector: infinite beside NaN too, as that of `hypot` is.
fn largest_or_length(components: &[f64]) -> Result<f64, f64> {
    let largest = components.iter().fold(0.0f64, |largest, component| largest.max(component.abs()));
    if largest.is_infinite() {
        return Err(largest);
    }
    if components.iter().any(|component| component.is_nan()) {
        return Err(f64::NAN);
    }
    if largest == 0.0 { Err(0.0) } else { Ok(largest) }
}

fn length(components: &[f64]) -> f64 {
    match largest_or_length(components) {
        Err(length) => length,
        Ok(largest) => {
            let Length { root, rest, exponent } = Length::of(components, largest);
            ldexp(root + rest, exponent)
        }
    }
}

fn reciprocal_length(components: &[f64]) -> f64 {
    match largest_or_length(components) {
        Err(length) => 1.0 / length,
        Ok(largest) => {
            let Length { root, rest, exponent } = Length::of(components, largest);
            ldexp(reciprocal(root, rest), -exponent)
        }
    }
}

/// `1 / (root + rest)`, where `rest` is what rounding the root lost.
pub(super) fn reciprocal(root: f64, rest: f64) -> f64 {
    let first = 1.0 / root;
    first + first * ((-root).mul_add(first, 1.0) - rest * first)
}

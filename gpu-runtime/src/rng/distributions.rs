//! Arrays of random numbers of other distributions than the uniform and the normal one.
//!
//! Each element takes as many numbers of Philox as it needs: number `k` of element `i` is that with the index `i + 2⁴⁰ k`. All is computed in
//! `f64`.

use super::arrays::{RandomArrays, RandomFloat};
use super::{random_normal_f64, random_uniform_f64};
use crate::arrays::{Selections, Sorting};
use crate::memory::{DeviceArray, Shape};
use crate::scalar::Num;
use crate::source::Element;
use crate::ufunc::{ArrayLike, Elementwise as _, Reductions as _, Scans as _, iota};
use crate::{Result, gpu_device, vectorize};
use std::f64::consts::TAU;

/// Distributions with parameters. The functions have names of NumPy's; scales and means are factors and summands of the results.
impl RandomArrays<'_> {
    /// Numbers of the exponential distribution with mean 1: `rng.standard_exponential(shape)`.
    ///
    /// # Errors
    ///
    /// As for [`collect`](crate::Lazy::collect).
    // Large, and compiled only where it is used, as all functions here.
    #[inline]
    #[track_caller]
    pub fn exponential<T: RandomFloat>(&mut self, shape: impl Into<Shape>) -> Result<DeviceArray<T>> {
        let (seed, stream) = self.next();
        exponential::map(seed, stream, iota(shape).cast::<u64>()).cast::<T>().on(self.device()).collect()
    }

    /// Numbers of the gamma distribution with this shape parameter and scale 1, by Marsaglia and Tsang: `rng.standard_gamma(alpha, shape)`.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let x = Device::cpu().random(1).gamma::<f64>(3.0, 10_000)?;
    /// assert!((x.mean()? - 3.0).abs() < 0.1 && (x.var(0)? - 3.0).abs() < 0.2);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If `alpha` is not positive and finite.
    ///
    /// # Errors
    ///
    /// As for [`collect`](crate::Lazy::collect).
    #[inline]
    #[track_caller]
    pub fn gamma<T: RandomFloat>(&mut self, alpha: f64, shape: impl Into<Shape>) -> Result<DeviceArray<T>> {
        assert!(alpha > 0.0 && alpha.is_finite(), "the shape parameter of a gamma distribution is positive, not {alpha}");
        let (seed, stream) = self.next();
        gamma::map(seed, stream, iota(shape).cast::<u64>(), alpha).cast::<T>().on(self.device()).collect()
    }

    /// Numbers from 0 to 1 of the beta distribution: `rng.beta(a, b, shape)`.
    ///
    /// # Panics
    ///
    /// If `a` or `b` is not positive and finite.
    ///
    /// # Errors
    ///
    /// As for [`collect`](crate::Lazy::collect).
    #[inline]
    #[track_caller]
    pub fn beta<T: RandomFloat>(&mut self, a: f64, b: f64, shape: impl Into<Shape>) -> Result<DeviceArray<T>> {
        assert!(a > 0.0 && a.is_finite(), "the first parameter of a beta distribution is positive, not {a}");
        assert!(b > 0.0 && b.is_finite(), "the second parameter of a beta distribution is positive, not {b}");
        let ((seed, first), (_, second)) = (self.next(), self.next());
        beta::map(seed, first, second, iota(shape).cast::<u64>(), a, b).cast::<T>().on(self.device()).collect()
    }

    /// Numbers of the Poisson distribution with mean `mean`: `rng.poisson(mean, shape)`.
    ///
    /// # Panics
    ///
    /// If `mean` is negative, NaN, or more than 10¹⁵.
    ///
    /// # Errors
    ///
    /// As for [`collect`](crate::Lazy::collect).
    #[inline]
    #[track_caller]
    pub fn poisson(&mut self, mean: f64, shape: impl Into<Shape>) -> Result<DeviceArray<u64>> {
        assert!((0.0..=1e15).contains(&mean), "the mean of a Poisson distribution is between 0 and 1e15, not {mean}");
        let (seed, stream) = self.next();
        poisson::map(seed, stream, iota(shape).cast::<u64>(), mean).on(self.device()).collect()
    }

    /// How many of `n` trials succeed, each with probability `p`: `rng.binomial(n, p, shape)`.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let heads = Device::cpu().random(1).binomial(10, 0.5, 10_000)?;
    /// assert!(heads.max()? <= 10 && (heads.mean()? - 5.0).abs() < 0.1);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If `p` is not between 0 and 1, or `n` more than 10¹⁵.
    ///
    /// # Errors
    ///
    /// As for [`collect`](crate::Lazy::collect).
    #[inline]
    #[track_caller]
    pub fn binomial(&mut self, n: u64, p: f64, shape: impl Into<Shape>) -> Result<DeviceArray<u64>> {
        assert!((0.0..=1.0).contains(&p), "a probability is between 0 and 1, not {p}");
        assert!(n <= 1_000_000_000_000_000, "a binomial distribution has at most 1e15 trials, not {n}");
        let (seed, stream) = self.next();
        let rarer = binomial::map(seed, stream, iota(shape).cast::<u64>(), n as f64, p.min(1.0 - p));
        if p <= 0.5 { rarer.on(self.device()).collect() } else { (n - rarer.on(self.device())).collect() }
    }

    /// So many elements of `x` along axis 0, each as likely as its weight says: `rng.choice(x, count, p=weights / weights.sum())`.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let device = Device::cpu();
    /// let (x, weights) = (device.to_device(&[10i32, 20, 30])?, device.to_device(&[0.0f32, 3.0, 1.0])?);
    /// let chosen = device.random(1).choice_by(&x, &weights, 10_000)?;
    /// assert_eq!(chosen.unique()?.to_host()?, [20, 30]);
    /// assert!((chosen.mean()? - 22.5).abs() < 0.2);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If a weight is negative, or the sum of all is not positive and finite.
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`](crate::Error::ShapeMismatch) if there is not a weight for each element, and as for
    /// [`take`](crate::Selections::take).
    #[inline]
    #[track_caller]
    pub fn choice_by<A: ArrayLike<Item: Element>>(
        &mut self,
        x: A,
        weights: impl ArrayLike<Item: Num>,
        count: usize,
    ) -> Result<DeviceArray<A::Item>> {
        let (x, weights) = (x.lazy(), weights.lazy());
        let (shape, of_weights) = (x.shape()?, weights.shape()?);
        if of_weights.rank() != 1 || shape.extents().first() != of_weights.extents().first() {
            return Err(crate::Error::shape_mismatch("choice_by", shape, of_weights, "there is a weight for each element along axis 0"));
        }
        let weights = weights.stored_near(Some(self.device()))?;
        let weights = weights.view().cast::<f64>();
        let negative = (&weights).lt(0.0).count()?;
        assert!(negative == 0, "`choice_by` has {negative} negative weights");
        let ends = weights.cumsum()?;
        let total = if ends.is_empty() { 0.0 } else { ends.get(ends.len() - 1)? };
        assert!(total > 0.0 && total.is_finite(), "the weights of `choice_by` have the sum {total}");
        // A product that is rounded up to the total would be after the last element.
        let at = (self.uniform::<f64>(count)? * total).minimum(total.next_down()).collect()?;
        x.take_axis(&ends.searchsorted_right(&at)?, 0)
    }
}

/// Uniform number `k` of element `i`, from 0 up to, but not including, 1.
#[gpu_device]
fn uniform(seed: u64, stream: u32, i: u64, k: u64) -> f64 {
    random_uniform_f64(seed, stream, i.wrapping_add(k << 40))
}

#[vectorize]
fn exponential(seed: u64, stream: u32, i: u64) -> f64 {
    -(-uniform(seed, stream, i, 0)).ln_1p()
}

/// A number of the gamma distribution for `alpha`, or for `alpha + 1` if it is below 1: Marsaglia and Tsang, "A simple method for generating
/// gamma variables" (2000).
#[gpu_device]
fn larger_gamma(seed: u64, stream: u32, i: u64, alpha: f64) -> f64 {
    let d = if alpha < 1.0 { alpha + 1.0 - 1.0 / 3.0 } else { alpha - 1.0 / 3.0 };
    let c = 1.0 / (9.0 * d).sqrt();
    let mut k = 1u64;
    loop {
        let x = random_normal_f64(seed, stream, i.wrapping_add(k << 40));
        let u = uniform(seed, stream, i, k + 1);
        k += 2;
        let v = 1.0 + c * x;
        let v = v * v * v;
        if v > 0.0 && (1.0 - u).ln() < 0.5 * x * x + d * (1.0 - v + v.ln()) {
            return d * v;
        }
    }
}

/// The logarithm of a uniform number. Its quotient by an `alpha` below 1 is that of the factor that makes of a [`larger_gamma`] one for
/// `alpha`.
#[gpu_device]
fn log_of_factor(seed: u64, stream: u32, i: u64, alpha: f64) -> f64 {
    if alpha < 1.0 { (1.0 - uniform(seed, stream, i, 0)).ln() } else { 0.0 }
}

#[vectorize]
fn gamma(seed: u64, stream: u32, i: u64, alpha: f64) -> f64 {
    larger_gamma(seed, stream, i, alpha) * (log_of_factor(seed, stream, i, alpha) / alpha).exp()
}

/// `x / (x + y)` of two gamma numbers by their logarithms: both are 0 for most elements if the parameters are small, and their sum is beyond
/// the range if they are large.
#[vectorize]
fn beta(seed: u64, first: u32, second: u32, i: u64, a: f64, b: f64) -> f64 {
    let larger = (larger_gamma(seed, second, i, b) / larger_gamma(seed, first, i, a)).ln();
    // The quotients by `a` and `b`, times the smaller one: they may be infinite, but not their difference.
    let smaller = a.min(b);
    let of_factors = log_of_factor(seed, second, i, b) * (smaller / b) - log_of_factor(seed, first, i, a) * (smaller / a);
    1.0 / (1.0 + (larger + of_factors / smaller).exp())
}

/// What Stirling's formula leaves of `x.lgamma()`, from 1 on: for 1 within 2e-5, and for larger numbers much closer.
#[gpu_device]
fn stirling_rest(x: f64) -> f64 {
    let inner = x + 195.0 / 371.0 / (x + 22999.0 / 22737.0 / x);
    1.0 / 12.0 / (x + 1.0 / 30.0 / (x + 53.0 / 210.0 / inner))
}

/// Small means by a product of uniform numbers, large ones by Hörmann, "The transformed rejection method for generating Poisson random
/// variables" (1993).
#[vectorize]
fn poisson(seed: u64, stream: u32, i: u64, mean: f64) -> u64 {
    if mean < 10.0 {
        let (end, mut product, mut count) = ((-mean).exp(), 1.0 - uniform(seed, stream, i, 0), 0u64);
        while product > end {
            count += 1;
            product *= 1.0 - uniform(seed, stream, i, count);
        }
        return count;
    }
    let b = 0.931 + 2.53 * mean.sqrt();
    let a = -0.059 + 0.02483 * b;
    let inverse = 1.1239 + 1.1328 / (b - 3.4);
    let certain = 0.9277 - 3.6224 / (b - 2.0);
    let mut k = 0u64;
    loop {
        let (u, v) = (uniform(seed, stream, i, k) - 0.5, 1.0 - uniform(seed, stream, i, k + 1));
        k += 2;
        let near = 0.5 - u.abs();
        let count = ((2.0 * a / near + b) * u + mean + 0.43).floor();
        let is_certain = near >= 0.07 && v <= certain;
        let is_possible = count >= 0.0 && (near >= 0.013 || v <= near);
        // The logarithm of the probability, `count * mean.ln() - mean - x.lgamma()`. Its terms are large, and near each other.
        let x = count + 1.0;
        let bound = x - mean - (x - 0.5) * ((x - mean) / mean).ln_1p() - 0.5 * (TAU * mean).ln() - stirling_rest(x);
        if is_certain || is_possible && (v * inverse / (a / (near * near) + b)).ln() <= bound {
            return count as u64;
        }
    }
}

/// For `p` up to a half. Few successes by adding up probabilities, many by Hörmann, "The generation of binomial random variates" (1993).
#[vectorize]
fn binomial(seed: u64, stream: u32, i: u64, n: f64, p: f64) -> u64 {
    let odds = p / (1.0 - p);
    if n * p < 10.0 {
        let (mut left, mut count) = (uniform(seed, stream, i, 0), 0.0);
        let mut probability = (n * (-p).ln_1p()).exp();
        while left > probability && count < n {
            left -= probability;
            count += 1.0;
            probability *= odds * (n + 1.0 - count) / count;
        }
        return count as u64;
    }
    let deviation = (n * p * (1.0 - p)).sqrt();
    let b = 1.15 + 2.53 * deviation;
    let a = -0.0873 + 0.0248 * b + 0.01 * p;
    let certain = 0.92 - 4.2 / b;
    let alpha = (2.83 + 5.1 / b) * deviation;
    let mode = ((n + 1.0) * p).floor();
    let (top, left) = (mode + 1.0, n - mode + 1.0);
    let slope = (odds * left / top).ln();
    let of_mode = stirling_rest(top) + stirling_rest(left);
    let mut k = 0u64;
    loop {
        let (u, v) = (uniform(seed, stream, i, k) - 0.5, 1.0 - uniform(seed, stream, i, k + 1));
        k += 2;
        let near = 0.5 - u.abs();
        let count = ((2.0 * a / near + b) * u + n * p + 0.5).floor();
        if near >= 0.07 && v <= certain {
            return count as u64;
        }
        if count >= 0.0 && count <= n {
            // The logarithm of the probability divided by that of the mode, whose terms are large, and near each other:
            // `top.lgamma() + left.lgamma() - x.lgamma() - y.lgamma() + more * odds.ln()`.
            let (x, y, more) = (count + 1.0, n - count + 1.0, count - mode);
            let of_count = stirling_rest(x) + stirling_rest(y);
            let bound = more * slope - (x - 0.5) * (more / top).ln_1p() - (y - 0.5) * (-more / left).ln_1p() + of_mode - of_count;
            if (v * alpha / (a / (near * near) + b)).ln() <= bound {
                return count as u64;
            }
        }
    }
}

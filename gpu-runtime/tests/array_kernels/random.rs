//! Random arrays: the generators' numbers, and the moments of their distributions.

use gpu_runtime::Result;
use gpu_runtime::prelude::*;
use gpu_runtime::rng::{random_normal_f64, random_uniform_f32};

use super::support::devices;

#[test]
fn random_arrays_are_the_same_on_every_device() -> Result<()> {
    for device in devices("random_arrays_are_the_same_on_every_device") {
        let mut random = device.random(7);
        let uniform: DeviceArray<f32> = random.uniform([3, 5])?;
        assert_eq!(uniform.to_host()?, (0..15).map(|i| random_uniform_f32(7, 0, i)).collect::<Vec<_>>());
        let normal = random.normal::<f64>(100)?.to_host()?;
        assert!(normal.iter().zip(0..).all(|(x, i)| (x - random_normal_f64(7, 1, i)).abs() < 1e-14));
        let integers = random.integers(-3i8..4, 10_000)?;
        assert_eq!(integers.to_host()?, Device::cpu().random(7).skip_two().integers(-3i8..4, 10_000)?.to_host()?);
        // Ranges of all forms.
        let mut ranges = device.random(8);
        assert_eq!(ranges.integers(u64::MAX..=u64::MAX, 3)?.to_host()?, [u64::MAX; 3]);
        assert_eq!(ranges.integers(-2i64..=1, 10_000)?.unique()?.to_host()?, [-2, -1, 0, 1]);
        assert_eq!(ranges.integers::<u8>(.., 30_000)?.unique()?.len(), 256);
        let counts = (&integers + 3).bincount(7)?.to_host()?;
        assert!(counts.iter().all(|&count| (1300..1560).contains(&count)), "{counts:?}");
        assert_eq!(random.integers(u64::MAX - 1..u64::MAX, 3)?.to_host()?, [u64::MAX - 1; 3]);
        // A third of a wide range has a third of the numbers.
        let cpu = Device::cpu();
        let mut of_cpu = cpu.random(1);
        let mut random = device.random(1);
        for end in [3u64 << 62, 3 << 40, 3 << 30, 3] {
            let numbers = random.integers(0..end, 30_000)?;
            let share = numbers.lt(end / 3).count()? as f64 / 30_000.0;
            assert!((share - 1.0 / 3.0).abs() < 0.015, "{device}: {share} of {end}");
            assert_eq!(numbers.to_host()?, of_cpu.integers(0..end, 30_000)?.to_host()?, "{end}");
        }
        let of_all = random.integers(i64::MIN..i64::MAX, 30_000)?;
        let negative = of_all.lt(0).count()? as f64 / 30_000.0;
        assert!((negative - 0.5).abs() < 0.015, "{device}: {negative} of all integers are negative");
    }
    Ok(())
}

#[test]
#[should_panic(expected = "`choice_by` has 1 negative weights")]
fn weights_are_not_negative() {
    let device = Device::cpu();
    let _ = device.random(1).choice_by(lazy(&[10, 20, 30]), lazy(&[2.0, -1.0, 1.0]), 3);
}

#[test]
fn random_numbers_have_the_moments_of_their_distributions() -> Result<()> {
    const N: usize = 20_000;
    for device in devices("random_numbers_have_the_moments_of_their_distributions") {
        let mut rng = device.random(3);
        let check = |name: &str, x: DeviceArray<f64>, mean: f64, variance: f64| -> Result<()> {
            let (found, of_variance) = (x.mean()?, x.var(0)?);
            assert!((found - mean).abs() <= 5.0 * (variance / N as f64).sqrt(), "{device}, {name}: the mean is {found}, not {mean}");
            assert!((of_variance - variance).abs() <= 0.1 * variance, "{device}, {name}: the variance is {of_variance}, not {variance}");
            Ok(())
        };
        let numbers = rng.exponential::<f64>(N)?;
        let tail = numbers.gt(1.0).count()? as f64 / N as f64;
        assert!((tail - (-1.0f64).exp()).abs() < 0.02, "{tail}");
        check("exponential", numbers, 1.0, 1.0)?;
        check("exponential of f32", rng.exponential::<f32>(N)?.cast::<f64>().collect()?, 1.0, 1.0)?;
        for alpha in [0.5, 1.0, 7.5] {
            let numbers = rng.gamma::<f64>(alpha, N)?;
            assert!(numbers.min()? > 0.0);
            check("gamma", numbers, alpha, alpha)?;
        }
        let numbers = rng.beta::<f64>(2.0, 3.0, N)?;
        assert!(numbers.min()? > 0.0 && numbers.max()? < 1.0);
        check("beta", numbers, 0.4, 0.04)?;
        for mean in [0.0, 0.5, 9.9, 10.0, 400.0, 1e9] {
            let numbers = rng.poisson(mean, [N / 4, 4])?;
            let zeros = numbers.eq(0u64).count()? as f64 / N as f64;
            assert!((zeros - (-mean).exp()).abs() < 0.02, "{mean}: {zeros}");
            check(&format!("Poisson {mean}"), numbers.cast::<f64>().collect()?, mean, mean)?;
        }
        for (n, p) in [(5, 0.0), (5, 1.0), (1, 0.3), (10, 0.5), (1000, 0.001), (1000, 0.3), (1000, 0.9), (1 << 40, 1e-9)] {
            let numbers = rng.binomial(n, p, N)?;
            assert!(numbers.max()? <= n);
            let mean = n as f64 * p;
            check(&format!("binomial {n} {p}"), numbers.cast::<f64>().collect()?, mean, mean * (1.0 - p))?;
        }
        let x = device.arange(0u32, 10, 1)?.reshape([5, 2])?;
        let chosen = rng.choice_by(&x, lazy(&[1u8, 0, 2, 0, 1]), N)?;
        assert_eq!(chosen.shape(), [N, 2]);
        let counts = chosen.part((.., 0)).bincount(9)?.to_host()?;
        let close = |row: usize, share: f64| (counts[2 * row] as f64 / N as f64 - share).abs() < 0.02;
        assert!(close(0, 0.25) && close(2, 0.5) && close(4, 0.25), "{counts:?}");
        assert_eq!([counts[2], counts[6]], [0, 0]);
    }
    Ok(())
}

/// Probabilities are quotients of numbers that have more digits than a float.
#[test]
fn counts_of_many_events_have_the_variance_of_their_distributions() -> Result<()> {
    const N: usize = 200_000;
    for device in devices("counts_of_many_events_have_the_variance_of_their_distributions") {
        let mut rng = device.random(11);
        let check = |name: &str, x: DeviceArray<u64>, mean: f64, variance: f64| -> Result<()> {
            // Whole numbers near the mean, so that their squares lose nothing.
            let x = (x.cast::<f64>() - mean.floor()).collect()?;
            let (found, of_variance) = (x.mean()? - mean.fract(), x.var(0)?);
            assert!(found.abs() <= 5.0 * (variance / N as f64).sqrt(), "{device}, {name}: the mean is {found} too large");
            assert!((of_variance / variance - 1.0).abs() <= 0.02, "{device}, {name}: the variance is {of_variance}, not {variance}");
            Ok(())
        };
        for mean in [10.0, 30.0, 1e6, 1e13, 1e15] {
            check(&format!("Poisson {mean}"), rng.poisson(mean, N)?, mean, mean)?;
        }
        for (n, p) in [(40, 0.3), (1_000_000, 0.01), (10_000_000_000_000, 0.5), (1_000_000_000_000_000, 0.5), (1_000_000_000_000_000, 1e-3)]
        {
            let mean = n as f64 * p;
            check(&format!("binomial {n} {p}"), rng.binomial(n, p, N)?, mean, mean * (1.0 - p))?;
        }
    }
    Ok(())
}

#[test]
fn beta_numbers_of_small_and_large_parameters_are_shares() -> Result<()> {
    const N: usize = 20_000;
    for device in devices("beta_numbers_of_small_and_large_parameters_are_shares") {
        let mut rng = device.random(5);
        let pairs = [(0.5, 0.5), (0.3, 4.0), (1e-3, 1e-3), (1e-3, 2e-3), (1e-4, 3.0), (5.0, 1e-5), (1e-200, 1e-200), (5e-324, 1.5e-323)];
        for (a, b) in pairs.into_iter().chain([(1e15, 2e15), (1e308, 1e308), (1e308, 1e-308), (f64::MAX, f64::MAX / 4.0)]) {
            let x = rng.beta::<f64>(a, b, N)?;
            assert!(x.ge(0.0).count()? == N && x.le(1.0).count()? == N, "{device}: beta {a} {b}");
            let mean = 1.0 / (1.0 + b / a);
            let variance = mean * (1.0 - mean) / (a + b + 1.0);
            let (found, of_variance) = (x.mean()?, x.var(0)?);
            assert!((found - mean).abs() <= 5.0 * (variance / N as f64).sqrt() + 1e-12, "{device}: beta {a} {b} has mean {found}");
            // Where almost all elements are 0, or almost all 1, too few tell the variance.
            let tolerance = if mean * (1.0 - mean) < 0.01 { 1.0 } else { 0.1 * variance + 1e-24 };
            assert!((of_variance - variance).abs() <= tolerance, "{device}: beta {a} {b} has variance {of_variance}");
        }
    }
    Ok(())
}

/// The generator after two arrays.
trait SkipTwo {
    fn skip_two(self) -> Self;
}

impl SkipTwo for gpu_runtime::rng::RandomArrays<'_> {
    fn skip_two(mut self) -> Self {
        let _: [DeviceArray<f32>; 2] = [self.uniform(1).unwrap(), self.uniform(1).unwrap()];
        self
    }
}

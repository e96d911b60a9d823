//! Operators and methods of arrays and lazy arrays.
#![deny(warnings)]
#![allow(clippy::op_ref, reason = "references have operators of their own")]

use std::ops::DivAssign;

use crate::support::{devices, gpu_or_skip};
use gpu_runtime::prelude::*;
use gpu_runtime::{Error, Result, functions, matmul};

const N: usize = 1000;

/// Numbers from −5 to 5.
fn numbers() -> Vec<f32> {
    (0..N).map(|i| i as f32 / N as f32 * 10.0 - 5.0).collect()
}

/// Whether the numbers are the same, or all but the same: a GPU rounds `a * b + c` once.
fn assert_close(found: &[f32], expected: impl IntoIterator<Item = f32>) {
    let expected: Vec<f32> = expected.into_iter().collect();
    assert_eq!(found.len(), expected.len());
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!((found - expected).abs() <= 2e-6 * expected.abs().max(1.0), "element {i} is {found}, not {expected}");
    }
}

/// How many arrays are read in CUDA C, each time that they are, and how many kernels it has.
fn reads_and_kernels(source: &str) -> (usize, usize) {
    (source.lines().filter(|line| line.contains(" = in.p") && line.contains('[')).count(), source.matches("__global__").count())
}

#[test]
fn a_literal_has_the_type_of_the_array() -> Result<()> {
    for device in devices("a_literal_has_the_type_of_the_array") {
        let host = numbers();
        let (x, mut y) = (device.to_device(&host)?, device.to_device(&host)?);
        let a = 2.0;
        let check = |found: Vec<f32>| assert_close(&found, host.iter().map(|x| a * x + x));
        check((&x * 2.0 + &y).to_host()?);
        check((2.0 * &x + &y).to_host()?);
        check((a * &x + &y).to_host()?);
        check((a * x.view() + y.slice(..)).to_host()?);
        let (view, slice) = (x.view(), y.slice(..));
        check((slice + &view * a).to_host()?);
        check((&slice + a * x.slice(..)).to_host()?);
        check((lazy(&x) * a + host.as_slice()).to_host()?);
        let exclusive = y.slice_mut(..);
        check((&exclusive + &x + &host).to_host()?);
        assert_eq!((1 - lazy(&[1u8, 2])).on(&device).to_host()?, [0, 255]);
    }
    Ok(())
}

#[test]
fn a_lazy_array_can_be_used_twice() -> Result<()> {
    let x = Device::cpu().to_device(&[1.0, 2.0])?;
    let double = lazy(&x) + &x;
    assert_eq!((&double * &double - 1.0 / &double).to_host()?, [3.5, 15.75]);
    assert_eq!((double - double).to_host()?, [0.0, 0.0]);
    assert_eq!((-&double).to_host()?, [-2.0, -4.0]);
    Ok(())
}

#[test]
fn every_operator_is_that_of_rust() -> Result<()> {
    for device in devices("every_operator_is_that_of_rust") {
        let (a, b) = ([7i32, -7, i32::MAX, 12], [2i32, 3, 5, -4]);
        let (x, y) = (device.to_device(&a)?, device.to_device(&b)?);
        let each = |function: fn(i32, i32) -> i32| a.iter().zip(&b).map(|(a, b)| function(*a, *b)).collect::<Vec<_>>();
        assert_eq!((&x + &y).to_host()?, each(i32::wrapping_add));
        assert_eq!((&x - &y).to_host()?, each(i32::wrapping_sub));
        assert_eq!((&x * &y).to_host()?, each(i32::wrapping_mul));
        assert_eq!((&x / &y).to_host()?, each(|a, b| a / b));
        assert_eq!((&x % &y).to_host()?, each(|a, b| a % b));
        assert_eq!((&x & &y).to_host()?, each(|a, b| a & b));
        assert_eq!((&x | &y).to_host()?, each(|a, b| a | b));
        assert_eq!((&x ^ &y).to_host()?, each(|a, b| a ^ b));
        assert_eq!((&x << 3).to_host()?, each(|a, _| a << 3));
        assert_eq!((&x >> lazy(&y).cast::<u32>()).to_host()?, each(|a, b| a.wrapping_shr(b as u32)));
        assert_eq!((-&x).to_host()?, each(|a, _| -a));
        assert_eq!((!&x).to_host()?, each(|a, _| !a));
        assert_eq!((100 / &y).to_host()?, each(|_, b| 100 / b));
        assert_eq!((100 % y.view()).to_host()?, each(|_, b| 100 % b));
        assert_eq!((lazy(&x).gt(0) & !lazy(&y).lt(0)).to_host()?, [true, false, true, false]);
    }
    Ok(())
}

#[test]
fn selu_is_one_kernel_that_reads_once() -> Result<()> {
    const ALPHA: f32 = 1.673_263_2;
    const LAMBDA: f32 = 1.050_701;
    for device in devices("selu_is_one_kernel_that_reads_once") {
        let host = numbers();
        let x = device.to_device(&host)?;
        let selu = LAMBDA * lazy(&x).gt(0.0).select(&x, ALPHA * (lazy(&x).exp() - 1.0));
        assert_close(&selu.to_host()?, host.iter().map(|&x| LAMBDA * if x > 0.0 { x } else { ALPHA * (x.exp() - 1.0) }));
        assert_eq!(reads_and_kernels(&selu.cuda_source()?), (1, 1), "{}", selu.cuda_source()?);
    }
    Ok(())
}

#[test]
fn a_discriminant_is_one_kernel_that_reads_each_array_once() -> Result<()> {
    for device in devices("a_discriminant_is_one_kernel_that_reads_each_array_once") {
        let coefficients = |offset: f32| (0..N).map(|i| i as f32 / N as f32 + offset).collect::<Vec<_>>();
        let (host_a, host_b, host_c) = (coefficients(0.0), coefficients(10.0), coefficients(1.0));
        let (a, b, c) = (device.to_device(&host_a)?, device.to_device(&host_b)?, device.to_device(&host_c)?);
        let root = (&b * &b - 4.0 * &a * &c).sqrt();
        assert_close(&root.to_host()?, (0..N).map(|i| (host_b[i] * host_b[i] - 4.0 * host_a[i] * host_c[i]).sqrt()));
        assert_eq!(reads_and_kernels(&root.cuda_source()?), (3, 1), "{}", root.cuda_source()?);
    }
    Ok(())
}

#[test]
fn softmax_is_a_few_lines() -> Result<()> {
    for device in devices("softmax_is_a_few_lines") {
        let host = numbers();
        let x = device.to_device(&host)?;
        let largest = host.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let powers = (lazy(&x) - largest).exp().collect()?;
        let sum: f32 = powers.to_host()?.iter().sum();
        let softmax = (&powers / sum).to_host()?;
        assert_close(&softmax, host.iter().map(|x| (x - largest).exp() / sum));
        assert!((softmax.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    }
    Ok(())
}

#[test]
fn methods_take_arrays_lazy_arrays_and_numbers() -> Result<()> {
    let device = Device::cpu();
    let x = device.to_device(&[1.0f64, -2.0, f64::NAN])?;
    assert_eq!(x.lazy().powi(2).to_host()?[..2], [1.0, 4.0]);
    assert_eq!(x.lazy().powi(&[0, 1, 2]).to_host()?[..2], [1.0, -2.0]);
    assert_eq!(x.view().lazy().mul_add(2.0, &x).to_host()?[..2], [3.0, -6.0]);
    assert_eq!(x.slice(..2).lazy().clamp(-1.0, lazy(&[0.5, 0.25])).to_host()?, [0.5, -1.0]);
    assert_eq!(x.lazy().is_nan().to_host()?, [false, false, true]);
    assert_eq!(x.lazy().eq(&x).to_host()?, [true, true, false]);
    assert_eq!(x.lazy().max_with(0.0).to_host()?, [1.0, 0.0, 0.0]);
    assert!(x.lazy().maximum(0.0).to_host()?[2].is_nan());
    assert_eq!(iota(4).rem_euclid(3).eq(0).select(1, iota(4) * 10).on(&device).to_host()?, [1, 10, 20, 1]);
    Ok(())
}

#[test]
fn a_zero_divisor_is_reported_with_the_function_and_the_element() -> Result<()> {
    for device in devices("a_zero_divisor_is_reported_with_the_function_and_the_element") {
        let (x, y) = (device.to_device(&[1, 2, 3])?, device.to_device(&[1, 0, 3])?);
        let quotient = (&x / &y).collect()?;
        let error = quotient.to_host().unwrap_err();
        assert!(matches!(error, Error::KernelFailed(_)), "{error}");
        let message = error.to_string();
        assert!(message.contains("`div`") && message.contains("division by zero (element 1)"), "{message}");
        // Floats have infinity.
        assert_eq!((lazy(&[1.0]) / 0.0).on(&device).to_host()?, [f64::INFINITY]);
    }
    Ok(())
}

#[test]
fn comparisons_are_those_of_rust() -> Result<()> {
    use num_complex::Complex;
    let (a, b) = ([1.0f32, 2.0, 3.0, f32::NAN], [2.0f32, 2.0, 2.0, f32::NAN]);
    for device in devices("comparisons_are_those_of_rust") {
        let (x, y) = (device.to_device(&a)?, device.to_device(&b)?);
        assert_eq!(lazy(&x).lt(&y).to_host()?, [true, false, false, false]);
        assert_eq!(lazy(&x).le(&y).to_host()?, [true, true, false, false]);
        assert_eq!(lazy(&x).gt(&y).to_host()?, [false, false, true, false]);
        assert_eq!(lazy(&x).ge(&y).to_host()?, [false, true, true, false]);
        assert_eq!(lazy(&x).eq(&y).to_host()?, [false, true, false, false]);
        assert_eq!(lazy(&x).ne(&y).to_host()?, [true, false, true, true]);
        let (less, equal) = (x.lt(&y).collect()?, x.eq(&y).collect()?);
        assert_eq!(less.eq(&equal).to_host()?, [false, false, true, true]);
        assert_eq!(less.ne(true).to_host()?, [false, true, true, true]);
        let z = device.to_device(&[Complex::new(1.0, f32::NAN), Complex::new(0.0, -0.0), Complex::i()])?;
        assert_eq!(z.eq(z.conj()).to_host()?, [false, true, false]);
        assert_eq!(z.cast::<Complex<f64>>().ne(Complex::i()).to_host()?, [true, true, false]);
    }
    Ok(())
}

/// Three results of three sizes.
#[vectorize]
fn digits(x: i32, by: i32) -> (i64, i32, bool) {
    ((x / by) as i64, x % by, x % by == 0)
}

#[test]
fn several_results_go_to_targets_of_different_layouts() -> Result<()> {
    for device in devices("several_results_go_to_targets_of_different_layouts") {
        for [rows, columns] in [[1, 1], [3, 5], [37, 70], [0, 4]] {
            let host: Vec<i32> = (0..rows * columns).map(|i| (i as i32 * 7919) % 1000 - 500).collect();
            let expected = |part: fn((i64, i32, bool)) -> i64| host.iter().map(|&x| part(digits(x, 10))).collect::<Vec<_>>();
            let x = device.to_device(&host)?.reshape([rows, columns])?;
            // In C order, turned, and every second column from the end, of which the others stay as they are.
            let mut quotients = device.full([rows, columns], 77i64)?;
            let mut rests = device.full([columns, rows], 77)?;
            let mut flags = device.full([rows, 2 * columns], true)?;
            let every_second = |flags: &DeviceArray<bool>| flags.view().slice_axis_step(1, .., -2).to_host();
            let targets = (&mut quotients, rests.view_mut().t(), flags.view_mut().slice_axis_step(1, .., -2));
            digits::map(&x, 10).collect_into(targets)?;
            assert_eq!(quotients.to_host()?, expected(|digits| digits.0), "{rows} × {columns} on {device}");
            let turned: Vec<i64> = rests.view().t().to_host()?.into_iter().map(i64::from).collect();
            assert_eq!(turned, expected(|digits| digits.1.into()), "{rows} × {columns} on {device}");
            let written: Vec<i64> = every_second(&flags)?.into_iter().map(i64::from).collect();
            assert_eq!(written, expected(|digits| digits.2.into()), "{rows} × {columns} on {device}");
            assert!(flags.view().slice_axis_step(1, .., 2).to_host()?.into_iter().all(|flag| flag), "{rows} × {columns} on {device}");

            // From a turned operand, so that no target is laid out as it is.
            let targets = (quotients.view_mut().t(), &mut rests, flags.view_mut().slice_axis_step(1, .., -2).t());
            digits::map(x.view().t(), 7).collect_into(targets)?;
            assert!(quotients.to_host()?.iter().zip(&host).all(|(&found, &x)| found == digits(x, 7).0), "{rows} × {columns} on {device}");
            assert!(
                rests.view().t().to_host()?.iter().zip(&host).all(|(&found, &x)| found == digits(x, 7).1),
                "{rows} × {columns} on {device}"
            );
            assert!(every_second(&flags)?.iter().zip(&host).all(|(&found, &x)| found == digits(x, 7).2), "{rows} × {columns} on {device}");
            // One of another shape is refused before anything is written.
            let targets = (&mut quotients, &mut rests, flags.view_mut().slice_axis_step(1, .., -2));
            let refused = digits::map(&x, 10).collect_into(targets);
            assert_eq!(matches!(refused, Err(Error::TargetShape { function: "digits", .. })), rows != columns, "{rows} × {columns}");
        }
    }
    Ok(())
}

/// The functions are device functions too.
#[gpu_kernel]
fn distances(x: &[f32], y: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = functions::hypot(x[i], y[i]);
    }
}

#[test]
fn a_kernel_can_call_a_ready_made_function() -> Result<()> {
    for device in devices("a_kernel_can_call_a_ready_made_function") {
        let (x, y) = (device.to_device(&[3.0])?, device.to_device(&[4.0])?);
        let mut out = device.zeros(1)?;
        distances(&x, &y, &mut out).forall(1)?;
        assert_close(&out.to_host()?, [5.0]);
    }
    Ok(())
}

#[test]
fn arrays_on_different_devices_are_refused_with_their_numbers() -> Result<()> {
    let Some(gpu) = gpu_or_skip("arrays_on_different_devices_are_refused_with_their_numbers") else { return Ok(()) };
    let cpu = Device::cpu().to_string();
    let (here, there) = (Device::cpu().to_device(&[1.0f32])?, gpu.to_device(&[2.0f32])?);
    let error = (lazy(1.0) * &here + &there).sum().unwrap_err();
    assert!(matches!(error, Error::ArraysOnDifferentDevices { .. }), "{error}");
    let message = error.to_string();
    assert!(message.contains(&format!(": argument 2 is on {cpu}, but argument 3 is on {gpu};")), "{message}");
    let error = there.view().reshape([1, 1])?.solve(&here).unwrap_err();
    assert!(matches!(error, Error::ArraysOnDifferentDevices { function: "solve", .. }), "{error}");
    let mut out = gpu.zeros::<f32>(1)?;
    let message = here.lazy().sqrt().collect_into(&mut out).unwrap_err().to_string();
    assert!(message.contains(&format!("argument 1 is on {cpu}, but the array for the result is on {gpu};")), "{message}");
    let message = there.lazy().sqrt().on(&Device::cpu()).to_host().unwrap_err().to_string();
    assert!(message.contains(&format!("argument 1 is on {gpu}, but `on(…)` is on {cpu};")), "{message}");
    Ok(())
}

/// Each form of an operand with each kind of number, against the numbers of num-complex.
#[test]
fn complex_numbers_have_operators_with_each_other_and_with_real_ones() -> Result<()> {
    use num_complex::Complex;
    type Z = Complex<f64>;
    for device in devices("complex_numbers_have_operators_with_each_other_and_with_real_ones") {
        let host: Vec<Z> = (0..12).map(|k| Z::new(f64::from(k) - 5.5, f64::from(k * k % 7) - 2.5)).collect();
        let real: Vec<f64> = (0..12).map(|k| f64::from(k) * 0.75 + 1.0).collect();
        let (z, x) = (device.to_device(&host)?, device.to_device(&real)?);
        let i = Z::i();
        let check = |found: Vec<Z>, expected: &dyn Fn(Z, f64) -> Z| {
            assert_eq!(found.len(), 12);
            for (k, found) in found.into_iter().enumerate() {
                let expected = expected(host[k], real[k]);
                assert!((found - expected).norm() <= 1e-14 * expected.norm().max(1.0), "element {k} is {found}, not {expected}");
            }
        };
        check((&z * &z).to_host()?, &|z, _| z * z);
        check((&z / &x - &z * &x + &x).to_host()?, &|z, x| z / x - z * x + x);
        check((2.0 * &z - 1.0).to_host()?, &|z, _| 2.0 * z - 1.0);
        check((i * &z + Z::new(1.0, -2.0)).to_host()?, &|z, _| i * z + Z::new(1.0, -2.0));
        check((i * &x + 1.0).to_host()?, &|_, x| i * x + 1.0);
        check((1.0 / (&z + &real)).to_host()?, &|z, x| 1.0 / (z + x));
        check((-z.view() + lazy(&host) * z.slice(..)).to_host()?, &|z, _| z * z - z);
        let sum = &z + &z.conj();
        check((&sum * &sum - sum).to_host()?, &|z, _| 4.0 * z.re * z.re - 2.0 * Z::from(z.re));
        check((z.exp() + z.sqrt() * z.ln() - z.recip() + z.powi(3)).to_host()?, &|z, _| z.exp() + z.sqrt() * z.ln() - z.inv() + z.powi(3));
        check((i * z.im() + z.re()).to_host()?, &|z, _| z);
        check(((i * z.arg()).exp() * z.abs() - z.norm_sqr()).to_host()?, &|z, _| z - z.norm_sqr());

        // Views of any strides, and one element that is broadcast.
        let matrix = z.view().reshape([3, 4])?;
        let turned = (matrix.t() * 2.0 + x.view().reshape([3, 4])?.t()).t().collect()?;
        check(turned.to_host()?, &|z, x| z * 2.0 + x);
        check((matrix * device.to_device(&[i])?).to_host()?, &|z, _| z * i);

        let mut target = device.to_device(&host)?;
        target += &z;
        target *= &x;
        target -= i;
        target.slice_mut(..).view_mut().div_assign(2.0);
        check(target.to_host()?, &|z, x| ((z + z) * x - i) / 2.0);
        target.fill(i)?;
        check(target.to_host()?, &|_, _| i);

        let expected = (host.iter().sum::<Z>(), host.iter().product::<Z>());
        let found = (z.sum()?, (&z * 1.0).prod()?);
        assert!((found.0 - expected.0).norm() < 1e-12 && (found.1 / expected.1 - 1.0).norm() < 1e-12, "{found:?}, {expected:?}");
        let dot = z.conj().dot(&z)?;
        assert!((dot.re - z.norm_sqr().sum()?).abs() < 1e-12 && dot.im.abs() < 1e-12);
        let rows: Vec<Z> = host.chunks(4).map(|row| row.iter().sum()).collect();
        assert_eq!(matrix.sum_axis(1)?.to_host()?, rows);
        let product = matmul(matrix, matrix.t()).collect()?;
        check((&product * 2.0 - &product).to_host()?.into_iter().take(1).chain(host[1..].iter().copied()).collect(), &|z, _| {
            if z == host[0] { host[..4].iter().map(|z| z * z).sum() } else { z }
        });

        // One kernel, which reads each array once.
        let fused = &z * &x + i * &z;
        assert_eq!(reads_and_kernels(&fused.cuda_source()?), (2, 1), "{}", fused.cuda_source()?);
    }
    Ok(())
}

mod functions_of_other_numbers {
    use gpu_runtime::prelude::*;
    use half::{bf16, f16};
    use num_complex::Complex;

    /// A step of the iteration of a Julia set.
    #[vectorize]
    pub(super) fn step(z: Complex<f64>, c: num_complex::Complex64) -> Complex<f64> {
        z * z + c
    }

    #[vectorize]
    pub(super) fn polar(z: Complex<f32>) -> (f32, f32) {
        (z.norm(), z.arg())
    }

    #[vectorize]
    pub(super) fn turned(angle: f32, z: Complex<f32>) -> (Complex<f32>, bool) {
        (z * Complex::<f32>::cis(angle), angle > 0.0)
    }

    #[vectorize]
    pub(super) fn turned_by(z: Complex<f64>, by: Complex<f64>) -> Complex<f64> {
        z * by
    }

    #[vectorize]
    pub(super) fn together(z: Complex<f32>, w: Complex<f32>) -> Complex<f32> {
        z + w
    }

    #[vectorize]
    pub(super) fn total(x: f16, y: f16) -> f16 {
        f16::from_f32(x.to_f32() + y.to_f32())
    }

    #[vectorize]
    pub(super) fn product(x: f16, y: bf16) -> f16 {
        f16::from_f32(x.to_f32() * y.to_f32())
    }
}

#[test]
fn array_functions_take_complex_numbers_and_halves() -> Result<()> {
    use functions_of_other_numbers::{polar, product, step, turned};
    use half::{bf16, f16};
    use num_complex::Complex;
    for device in devices("array_functions_take_complex_numbers_and_halves") {
        let host: Vec<Complex<f64>> = (0..9).map(|k| Complex::new(f64::from(k) - 4.0, f64::from(k) * 0.5)).collect();
        let z = device.to_device(&host)?;
        let c = Complex::new(-0.5, 0.25);
        let twice: Vec<Complex<f64>> = host.iter().map(|&z| step(step(z, c), c)).collect();
        let found = step::map(step::map(&z, c), c);
        assert!(found.to_host()?.iter().zip(&twice).all(|(a, b)| (a - b).norm() <= 1e-14 * b.norm()), "{:?}", found.to_host()?);
        assert_eq!(step::outer(&z, &z).collect()?.shape(), [9, 9]);
        assert!(found.cuda_source()?.contains("step(x.v0, in.p1)"), "{}", found.cuda_source()?);

        let narrow: Vec<Complex<f32>> = host.iter().map(|z| Complex::new(z.re as f32, z.im as f32)).collect();
        let (norm, angle) = polar::map(&device.to_device(&narrow)?).to_host()?;
        assert_close(&norm, narrow.iter().map(|z| z.norm()));
        assert_close(&angle, narrow.iter().map(|z| z.arg()));
        let (found, positive) = turned::map(&[0.0, 1.0, -1.0], &narrow[..3]).on(&device).to_host()?;
        assert!(found.iter().zip([0.0, 1.0, -1.0]).zip(&narrow).all(|((a, t), z)| (a - z * Complex::cis(t)).norm() < 1e-5));
        assert_eq!(positive, [false, true, false]);

        let (x, y) = (device.to_device(&[1.5, -2.0].map(f16::from_f32))?, device.to_device(&[3.0, 0.25].map(bf16::from_f32))?);
        assert_eq!(product::map(&x, &y).to_host()?, [4.5, -0.5].map(f16::from_f32));
    }
    Ok(())
}

mod functions_of_structs {
    use gpu_runtime::prelude::*;
    use gpu_runtime::vector::Float4;

    #[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
    #[repr(C)]
    pub(super) struct Particle {
        pub(super) position: [f64; 2],
        pub(super) velocity: [f64; 2],
        pub(super) mass: f32,
        pub(super) fixed: bool,
    }

    /// Three bytes, of an alignment of 1.
    #[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
    #[repr(C)]
    pub(super) struct Color {
        pub(super) rgb: [u8; 3],
    }

    pub(super) mod other {
        use super::*;

        /// A struct of the same name.
        #[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
        #[repr(C, align(32))]
        pub(crate) struct Particle {
            pub(crate) energy: f64,
        }
    }

    #[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
    #[repr(C)]
    pub(super) struct Pair<T> {
        pub(super) a: T,
        pub(super) b: T,
    }

    #[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
    #[repr(u8)]
    pub(super) enum Side {
        Left,
        Right,
    }

    pub(super) type Real = f64;

    #[vectorize]
    pub(super) fn moved(particle: Particle, seconds: Real) -> Particle {
        let mut particle = particle;
        if !particle.fixed {
            for axis in 0..2 {
                particle.position[axis] += particle.velocity[axis] * seconds;
            }
        }
        particle
    }

    #[vectorize]
    pub(super) fn energy(particle: Particle) -> other::Particle {
        let [vx, vy] = particle.velocity;
        other::Particle { energy: f64::from(particle.mass) * (vx * vx + vy * vy) / 2.0 }
    }

    #[vectorize]
    pub(super) fn joule(energy: other::Particle) -> f64 {
        energy.energy
    }

    #[vectorize]
    pub(super) fn at_least(energy: other::Particle, least: other::Particle) -> (other::Particle, Side) {
        if energy.energy < least.energy { (least, Side::Left) } else { (energy, Side::Right) }
    }

    /// Both particles as one.
    #[vectorize]
    pub(super) fn merged(a: Particle, b: Particle) -> Particle {
        let mut sum = a;
        sum.mass += b.mass;
        for axis in 0..2 {
            sum.position[axis] += b.position[axis];
        }
        sum.fixed = a.fixed || b.fixed;
        sum
    }

    #[vectorize]
    pub(super) fn lighter(a: Color, b: Color) -> Color {
        let mut color = a;
        for channel in 0..3 {
            color.rgb[channel] = color.rgb[channel].max(b.rgb[channel]);
        }
        color
    }

    #[vectorize]
    pub(super) fn sums<T: Num>(a: Pair<T>, b: Pair<T>) -> Pair<T> {
        Pair { a: a.a + b.a, b: a.b + b.b }
    }

    #[vectorize]
    pub(super) fn gray(color: Color) -> u8 {
        ((u32::from(color.rgb[0]) + u32::from(color.rgb[1]) + u32::from(color.rgb[2])) / 3) as u8
    }

    #[vectorize]
    pub(super) fn paired<T: Num>(a: T, b: T) -> Pair<T> {
        Pair { a, b }
    }

    #[vectorize]
    pub(super) fn swapped<T: Num>(pair: Pair<T>) -> Pair<T> {
        Pair { a: pair.b, b: pair.a }
    }

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Bounds {
        low: f32,
        high: f32,
    }

    #[vectorize]
    fn bounds_around(middle: f32, by: f32) -> Bounds {
        Bounds { low: middle - by, high: middle + by }
    }

    #[vectorize]
    fn clamped(x: f32, bounds: Bounds) -> f32 {
        x.clamp(bounds.low, bounds.high)
    }

    /// A struct that nothing outside of the module can name.
    pub(super) fn near_five(x: &DeviceArray<f32>, by: f32) -> gpu_runtime::Result<Vec<f32>> {
        clamped::map(x, bounds_around::map(5.0, by)).to_host()
    }

    #[vectorize]
    pub(super) fn scaled(vector: Float4, by: f32) -> Float4 {
        vector * by
    }
}

#[test]
fn scattered_updates_take_elements_of_any_size() -> Result<()> {
    use functions_of_other_numbers::{together, total, turned_by};
    use functions_of_structs::{Color, Pair, Particle, lighter, merged, sums};
    use half::f16;
    use num_complex::Complex;

    /// What a loop makes of the elements, whole numbers of which any order gives the same.
    fn looped<T: Copy>(start: T, values: &[T], indices: &[u32], f: fn(T, T) -> T) -> Vec<T> {
        let mut elements = vec![start; 7];
        indices.iter().zip(values).for_each(|(&i, &value)| elements[i as usize] = f(elements[i as usize], value));
        elements
    }

    let indices: Vec<u32> = (0..3000).map(|i: u32| i * i % 7).collect();
    let numbers = || (0..3000).map(|i| i % 5);
    for device in devices("scattered_updates_take_elements_of_any_size") {
        macro_rules! check {
            ($f:path, $at:path, $start:expr, $values:expr) => {{
                let (start, values) = ($start, $values.collect::<Vec<_>>());
                let mut found = device.to_device(&[start; 7])?;
                $at(&mut found, &device.to_device(&indices)?, &device.to_device(&values)?)?;
                assert!(found.to_host()? == looped(start, &values, &indices, $f), stringify!($f));
            }};
        }
        let rest = Particle { position: [0.0; 2], velocity: [1.0; 2], mass: 0.0, fixed: false };
        let particle = |i| Particle { position: [f64::from(i), 1.0], mass: i as f32, fixed: i == 4, ..rest };
        check!(merged, merged::at, rest, numbers().map(particle));
        check!(lighter, lighter::at, Color { rgb: [1; 3] }, numbers().map(|i| Color { rgb: [i as u8, 7 * i as u8, 0] }));
        check!(sums, sums::at, Pair { a: 1i64, b: 2 }, numbers().map(|i| Pair { a: i64::from(i), b: 1 }));
        check!(sums, sums::at, Pair { a: 1u16, b: 2 }, numbers().map(|i| Pair { a: i as u16, b: 1 }));
        check!(sums, sums::at, Pair { a: 1i32, b: 2 }, numbers().map(|i| Pair { a: i, b: 1 }));
        check!(turned_by, turned_by::at, Complex::new(1.0, 2.0), numbers().map(|_| Complex::<f64>::I));
        check!(together, together::at, Complex::new(0.5, 0.0), numbers().map(|i| Complex::new(i as f32, 1.0)));
        check!(total, total::at, f16::ONE, numbers().map(|i| f16::from_f32((i % 2) as f32)));
    }
    Ok(())
}

#[test]
fn array_functions_take_structs_and_enums() -> Result<()> {
    use functions_of_structs::*;
    use gpu_runtime::vector::Float4;
    let particles: Vec<Particle> = (0..5000)
        .map(|i| {
            let x = f64::from(i);
            Particle { position: [x, -x], velocity: [0.5 * x, 2.0], mass: 2.0, fixed: i % 3 == 0 }
        })
        .collect();
    for device in devices("array_functions_take_structs_and_enums") {
        let array = device.to_device(&particles)?;
        let twice: Vec<Particle> = particles.iter().map(|&particle| moved(moved(particle, 0.5), 1.0)).collect();
        let found = moved::map(moved::map(&array, 0.5), 1.0);
        assert!(found.to_host()? == twice);
        assert!(found.collect()?.to_host()? == twice);
        assert!(moved::map(moved::map(&particles, 0.5), 1.0).on(&device).to_host()? == twice);
        let source = found.cuda_source()?;
        assert!(source.contains("typedef Particle gr_type0;") && source.contains("struct Particle {"), "{source}");

        let joules: Vec<f64> = particles.iter().map(|&particle| joule(energy(particle))).collect();
        let energies = energy::map(&array);
        assert_eq!(joule::map(energies).to_host()?, joules);
        assert!((joule::map(energies).sum()? - joules.iter().sum::<f64>()).abs() < 1e-3);
        // Two structs of one name, one of which is aligned to more than the words of a launch, as a value.
        let least = other::Particle { energy: 9.0 };
        let (found, sides) = at_least::map(energies, least).to_host()?;
        assert!(found.iter().zip(&joules).all(|(found, &joules)| found.energy == joules.max(9.0)));
        assert!(sides.iter().zip(&joules).all(|(side, &joules)| (*side == Side::Left) == (joules < 9.0)));

        // Views of any strides, as operands and as targets, and broadcasting.
        let matrix = device.to_device(&particles)?.reshape([50, 100])?;
        let column = (0..50).map(f64::from).collect::<Vec<_>>();
        let column = device.to_device(&column)?.reshape([1, 50])?;
        let turned = moved::map(matrix.view().t(), &column).collect()?;
        assert_eq!(turned.shape(), [100, 50]);
        let expected = |row: usize, at: usize| moved(particles[at * 100 + row], at as f64);
        assert!(turned.to_host()?.iter().enumerate().all(|(i, &found)| found == expected(i / 50, i % 50)));
        let mut target = device.to_device(&particles)?.reshape([100, 50])?;
        moved::map(&matrix, 1.0).collect_into(target.view_mut().t())?;
        assert!(target.view().t().to_host()?.iter().zip(&particles).all(|(&found, &particle)| found == moved(particle, 1.0)));

        let colors: Vec<Color> = (0..3000).map(|i| Color { rgb: [i as u8, (i / 7) as u8, 255] }).collect();
        let array = device.to_device(&colors)?;
        let every_second = array.view().slice_axis_step(0, .., 2);
        assert!(gray::map(every_second).to_host()?.iter().zip(colors.iter().step_by(2)).all(|(&found, &color)| found == gray(color)));

        let pairs = swapped::map(paired::map(&[1, 2, 3], 7)).on(&device).to_host()?;
        assert_eq!(pairs, [1, 2, 3].map(|b| Pair { a: 7, b }));
        let vectors = device.to_device(&[Float4::new(1.0, 2.0, 3.0, 4.0); 3])?;
        assert_eq!(scaled::map(&vectors, &[1.0, 2.0, 3.0]).to_host()?[2], Float4::new(3.0, 6.0, 9.0, 12.0));
        assert_eq!(near_five(&device.to_device(&[0.0, 4.5, 9.0])?, 1.0)?, [4.0, 4.5, 6.0]);
        let is_dark = |color: &Color| color.rgb[0] < 100;
        let mask = device.to_device(&colors.iter().map(is_dark).collect::<Vec<_>>())?;
        let dark: Vec<Color> = colors.iter().copied().filter(is_dark).collect();
        assert!(array.filter(&mask)?.to_host()? == dark);
        assert!(array.take(&device.to_device(&[7u32, 2999])?)?.to_host()? == [colors[7], colors[2999]]);
    }
    Ok(())
}

//! Operators and methods of arrays and lazy arrays.
#![deny(warnings)]

mod support;

use gpu_runtime::prelude::*;
use gpu_runtime::{Error, functions};
use support::devices;

const N: usize = 1000;

/// Numbers from −5 to 5.
fn numbers() -> Vec<f32> {
    (0..N).map(|i| i as f32 / N as f32 * 10.0 - 5.0).collect()
}

/// How many expressions read memory, and how many kernels there are, in CUDA C.
fn reads_and_kernels(source: &str) -> (usize, usize) {
    (source.matches("[i]").count() - source.matches("out.p0[i]").count(), source.matches("__global__").count())
}

#[test]
fn a_literal_has_the_type_of_the_array() -> gpu_runtime::Result<()> {
    for device in devices("a_literal_has_the_type_of_the_array") {
        let host = numbers();
        let (x, y) = (device.to_device(&host)?, device.to_device(&host)?);
        let a = 2.0;
        let expected: Vec<f32> = host.iter().map(|x| a * x + x).collect();
        assert_eq!((&x * 2.0 + &y).to_vec()?, expected);
        assert_eq!((2.0 * &x + &y).to_vec()?, expected);
        assert_eq!((a * &x + &y).to_vec()?, expected);
        assert_eq!((a * x.view() + y.slice(..)).to_vec()?, expected);
        assert_eq!((y.slice(..) + a * x.slice(..)).to_vec()?, expected);
        assert_eq!((lazy(&x) * a + host.as_slice()).to_vec()?, expected);
        assert_eq!((1 - lazy(&[1u8, 2])).on(&device).to_vec()?, [0, 255]);
    }
    Ok(())
}

#[test]
fn selu_is_one_kernel() -> gpu_runtime::Result<()> {
    const ALPHA: f32 = 1.673_263_2;
    const LAMBDA: f32 = 1.050_701;
    for device in devices("selu_is_one_kernel") {
        let host = numbers();
        let x = device.to_device(&host)?;
        let selu = LAMBDA * lazy(&x).gt(0.0).select(&x, ALPHA * (lazy(&x).exp() - 1.0));
        for (found, x) in selu.to_vec()?.into_iter().zip(&host) {
            let expected = LAMBDA * if *x > 0.0 { *x } else { ALPHA * (x.exp() - 1.0) };
            assert!((found - expected).abs() <= 1e-6, "selu({x}) is {found}, not {expected}");
        }
        println!("{}", selu.cuda_source()?);
        assert_eq!(reads_and_kernels(&selu.cuda_source()?), (1, 1));
    }
    Ok(())
}

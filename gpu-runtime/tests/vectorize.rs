//! The attributes of array functions, run on the CPU: every rule of the generated Rust.
#![deny(warnings)]

use gpu_runtime::prelude::*;

#[vectorize]
fn trig(x: f32) -> f32 {
    x.cos().powi(2) + x.sin().powi(2)
}

#[vectorize]
fn add<T: Num>(a: T, b: T) -> T {
    a + b
}

#[test]
fn works() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.to_device(&[1.0f32, 2.0])?;
    assert_eq!(trig(1.0), 1.0f32.cos().powi(2) + 1.0f32.sin().powi(2));
    assert_eq!(add::map(&x, 1.0).to_vec()?, [2.0, 3.0]);
    assert_eq!(add::map(&x, add::map(&x, &[1.0f32, 5.0])).to_vec()?, [3.0, 9.0]);
    let _ = trig::map(&x).collect()?;
    assert_eq!(add::outer(&x, &x).to_vec()?, [2.0, 3.0, 3.0, 4.0]);
    Ok(())
}

//! The gradient by the wind, and a wind that it finds.

use gpu_runtime::Result;
use gpu_runtime::cluster::Communicator;
use gpu_runtime::prelude::*;
use lattice_boltzmann::Fluid;
use lattice_boltzmann::adjoint::Tunnel;
use lattice_boltzmann::kernels::{FLUID, WALL, WIND};

const EXTENTS: [usize; 3] = [24, 16, 1];
const STEPS: usize = 60;
const VISCOSITY: f32 = 0.05;

/// A body behind the inflow.
fn kind([x, y, _]: [usize; 3]) -> u8 {
    match x {
        _ if (x as f32 - 9.0).hypot(y as f32 - 7.4) < 3.0 => WALL,
        0 | 23 => WIND,
        _ => FLUID,
    }
}

fn tunnel(device: &Device) -> Result<Tunnel> {
    let [nx, ny, nz] = EXTENTS;
    let kinds: Vec<u8> = (0..nx * ny * nz).map(|i| kind([i % nx, i / nx % ny, i / nx / ny])).collect();
    Ok(Tunnel::new(device.to_device(&kinds)?.reshape([nz, ny, nx])?, VISCOSITY, STEPS))
}

/// Two jets.
fn jets() -> Vec<f32> {
    let jet = |y: f32, middle: f32| 0.05 * (-((y - middle) / 2.0).powi(2)).exp();
    (0..EXTENTS[1]).map(|y| 0.02 + jet(y as f32, 4.0) + jet(y as f32, 11.0)).collect()
}

#[test]
fn the_flow_is_that_of_the_steps_in_place() -> Result<()> {
    let device = Device::cpu();
    let wind = device.to_device(&[0.06f32; EXTENTS[1]])?;
    let found = tunnel(&device)?.velocity(&wind)?.to_host()?;
    let alone = Communicator::alone(&device);
    let fluid = Fluid::<f32>::new(&alone, EXTENTS, VISCOSITY, kind, |_| [0.0; 4])?;
    let mut fluid = fluid.with_velocity(Float3::new(0.06, 0.0, 0.0));
    fluid.step(STEPS)?;
    for ((at, [_, expected, ..]), found) in fluid.flow()?.all().zip(found) {
        assert!((expected - found).abs() < 1e-5, "at {at:?}: {found} instead of {expected}");
    }
    Ok(())
}

#[test]
fn the_gradient_is_that_of_differences() -> Result<()> {
    let device = Device::cpu();
    let tunnel = tunnel(&device)?;
    let target = tunnel.velocity(&device.to_device(&jets())?)?;
    let wind = vec![0.04f32; EXTENTS[1]];
    let gradient = tunnel.value_and_grad(&device.to_device(&wind)?, &target)?.1.to_host()?;
    let value = |y: usize, moved: f32| {
        let mut wind = wind.clone();
        wind[y] += moved;
        let difference = (tunnel.velocity(&device.to_device(&wind)?)? - &target).collect()?;
        Ok::<f32, gpu_runtime::Error>(difference.square().sum()? / 2.0)
    };
    for (y, found) in gradient.into_iter().enumerate().step_by(3) {
        let expected = (value(y, 2e-3)? - value(y, -2e-3)?) / 4e-3;
        assert!((found - expected).abs() < 0.01 * expected.abs().max(0.05), "by the wind at {y}: {found} for {expected}");
    }
    Ok(())
}

#[test]
fn a_wind_is_found_from_its_flow() -> Result<()> {
    let device = Device::cpu();
    let tunnel = tunnel(&device)?;
    let target = tunnel.velocity(&device.to_device(&jets())?)?;
    let mut wind = device.full(EXTENTS[1], 0.04f32)?;
    for _ in 0..30 {
        let (_, gradient) = tunnel.value_and_grad(&wind, &target)?;
        wind -= gradient * 0.05;
    }
    for (found, expected) in wind.to_host()?.into_iter().zip(jets()) {
        assert!((found - expected).abs() < 1e-3, "{found} instead of {expected}");
    }
    Ok(())
}

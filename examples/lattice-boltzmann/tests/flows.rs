//! Flows whose solution is known, at small size.

use std::f32::consts::TAU;

use gpu_runtime::Result;
use gpu_runtime::cluster::Communicator;
use gpu_runtime::prelude::*;
use half::f16;
use lattice_boltzmann::kernels::{FLUID, Storage, WALL, step};
use lattice_boltzmann::{Fluid, ghia};

const N: usize = 32;
const SPEED: f32 = 0.03;
const VISCOSITY: f32 = 0.02;

/// A vortex of Taylor and Green in the plane of these axes: its density less 1 and velocity.
fn vortex(axes: [usize; 2]) -> impl Fn([usize; 3]) -> [f32; 4] {
    move |at| {
        let [(sin_a, cos_a), (sin_b, cos_b)] = axes.map(|axis| (TAU * at[axis] as f32 / N as f32).sin_cos());
        let mut flow = [0.0; 4];
        flow[0] = -1.5 * SPEED * SPEED * (1.0 - sin_a * sin_a - sin_b * sin_b);
        flow[1 + axes[0]] = -SPEED * cos_a * sin_b;
        flow[1 + axes[1]] = SPEED * sin_a * cos_b;
        flow
    }
}

/// How far the vortex is from its decay, as a part of its speed, after more steps than an axis has cells.
fn error_of_decay<S: Storage>(axes: [usize; 2]) -> Result<f32> {
    let mut extents = [1; 3];
    axes.iter().for_each(|axis| extents[*axis] = N);
    let alone = Communicator::alone(&Device::cpu());
    let mut fluid = Fluid::<S>::new(&alone, extents, VISCOSITY, |_| FLUID, vortex(axes))?;
    let steps = 500;
    fluid.step(steps)?;
    let wave = TAU / N as f32;
    let decay = (-2.0 * VISCOSITY * wave * wave * steps as f32).exp();
    let start = vortex(axes);
    let flow = fluid.flow()?;
    let errors = flow.all().flat_map(|(at, now)| [1, 2, 3].map(|plane| (now[plane] - decay * start(at)[plane]).abs()));
    Ok(errors.fold(0.0, f32::max) / (decay * SPEED))
}

#[test]
fn a_vortex_decays_as_viscosity_says_in_every_plane() -> Result<()> {
    for axes in [[0, 1], [1, 2], [2, 0]] {
        let error = error_of_decay::<f32>(axes)?;
        assert!(error < 0.01, "{axes:?}: {error}");
    }
    Ok(())
}

#[test]
fn sixteen_bits_keep_the_vortex() -> Result<()> {
    let error = error_of_decay::<f16>([0, 1])?;
    assert!(error < 0.02, "{error}");
    Ok(())
}

#[test]
fn the_flow_under_a_lid_is_that_of_ghia_and_others() -> Result<()> {
    for ghia::Row { place, expected, found } in ghia::cavity::<f32>(&Device::cpu(), 40)?.concat() {
        assert!((found - expected).abs() < 0.015, "at {place}: {found} instead of {expected}");
    }
    Ok(())
}

/// Around an obstacle in a periodic box: what is turned around at a wall is not lost.
#[test]
fn mass_is_kept() -> Result<()> {
    let inside = |[x, y, z]: [usize; 3]| if (6..9).contains(&x) && (3..7).contains(&y) && z > 4 { WALL } else { FLUID };
    let start = |[x, y, z]: [usize; 3]| [0.01 * (x as f32).sin(), 0.02 * (y as f32).cos(), 0.01 * (z as f32).sin(), 0.03];
    let alone = Communicator::alone(&Device::cpu());
    let mut fluid = Fluid::<f32>::new(&alone, [13, 11, 9], 0.05, inside, start)?;
    let mass = |fluid: &Fluid<f32>| Ok::<f64, gpu_runtime::Error>(fluid.flow()?.all().map(|(_, flow)| f64::from(flow[0])).sum());
    let before = mass(&fluid)?;
    fluid.step(100)?;
    let after = mass(&fluid)?;
    assert!((before - after).abs() < 1e-3, "{before} and {after}");
    Ok(())
}

/// What a launch runs that shows its shapes to match. A check would be a call that reports it.
#[test]
fn no_index_is_checked_on_a_gpu() -> Result<()> {
    for source in [step::handle::<f32>().unchecked_source(), step::handle::<f16>().unchecked_source()] {
        assert!(!source.contains("gr_panic("), "{source}");
    }
    let nvrtc = gpu_runtime::nvrtc_status();
    if let gpu_runtime::NvrtcStatus::Missing { .. } = nvrtc {
        assert!(std::env::var_os("GPU_RUNTIME_REQUIRE").is_none(), "{nvrtc}");
        eprintln!("skipped the compilation of `no_index_is_checked_on_a_gpu`: {nvrtc}");
        return Ok(());
    }
    step::handle::<f32>().cubin("sm_90")?;
    step::handle::<f16>().cubin("sm_90")?;
    Ok(())
}

//! Several ranks compute the same bits as one.

use gpu_runtime::Result;
use gpu_runtime::cluster::{Communicator, on_devices};
use gpu_runtime::prelude::*;
use half::f16;
use lattice_boltzmann::Fluid;
use lattice_boltzmann::kernels::{FLUID, MOVING_WALL, Storage, WALL, WIND};

/// More steps than a rank has layers, in a box with cells of every kind, also between ranks.
fn bits<S: Storage>(ranks: &Communicator) -> Result<Vec<u32>> {
    let kind = |[x, y, z]: [usize; 3]| match (x, y, z) {
        (0, ..) => WIND,
        (_, 0, _) => MOVING_WALL,
        (3..6, 2..4, 1..6) => WALL,
        _ => FLUID,
    };
    let start = |[x, y, z]: [usize; 3]| [0.01 * (x as f32).sin(), 0.02 * (y as f32).cos(), 0.01 * (z as f32).sin(), 0.03];
    let fluid = Fluid::<S>::new(ranks, [9, 6, 7], 0.05, kind, start)?;
    let mut fluid = fluid.with_velocity(Float3::new(0.03, 0.0, 0.02));
    fluid.step(20)?;
    Ok(fluid.flow()?.all().flat_map(|(_, flow)| flow.map(f32::to_bits)).collect())
}

fn is_the_same_on_ranks<S: Storage>() -> Result<()> {
    let alone = bits::<S>(&Communicator::alone(&Device::cpu()))?;
    for ranks in [2, 3, 7] {
        for (rank, bits) in on_devices(&vec![Device::cpu(); ranks], bits::<S>)?.into_iter().enumerate() {
            assert!(bits == alone, "rank {rank} of {ranks} has another flow than one alone");
        }
    }
    Ok(())
}

#[test]
fn ranks_compute_the_bits_of_one() -> Result<()> {
    is_the_same_on_ranks::<f32>()?;
    is_the_same_on_ranks::<f16>()
}

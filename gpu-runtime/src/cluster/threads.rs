//! Ranks as threads of one process, one for each device.

use std::net::{Ipv4Addr, TcpListener};
use std::thread;

use super::communicator::Communicator;
use super::connect;
use super::failure::ClusterError;
use super::world::{World, timeout_of_env};
use crate::Result;
use crate::backend::cuda::gpu_count;
use crate::device::Device;

/// Runs `work` as every rank of a job, wherever its devices are: the same program for one GPU, all GPUs of a host, and a cluster.
///
/// * Under a launcher (`srun`, `mpirun`, `torchrun`, `scripts/launch-local`), this process is one of the ranks: [`Communicator::from_env`].
/// * Otherwise, all GPUs of this host are ranks, each with a thread of this process: [`on_devices`].
/// * On a machine without a GPU, the CPU is the only rank.
///
/// Returns what `work` returned on the ranks of this process.
///
/// # Errors
///
/// The first error of a rank of this process.
///
/// ```
/// use gpu_runtime::cluster::{Operation, on_all_devices};
///
/// let sums = on_all_devices(|ranks| {
///     let mut x = ranks.device().to_device(&[ranks.rank() + 1])?;
///     ranks.all_reduce(&mut x, Operation::Sum)?;
///     Ok((ranks.size(), x.to_host()?[0]))
/// })?;
/// assert!(sums.iter().all(|(size, sum)| *sum == size * (size + 1) / 2));
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
pub fn on_all_devices<R: Send>(work: impl Fn(&Communicator) -> Result<R> + Sync) -> Result<Vec<R>> {
    let world = World::from_env()?;
    if world.size() > 1 {
        return Ok(vec![work(&world.connect()?)?]);
    }
    let devices = match gpu_count()? {
        Ok(count) => (0..count).map(Device::gpu).collect::<Result<Vec<_>>>()?,
        Err(_) => vec![Device::cpu()],
    };
    on_devices(&devices, work)
}

/// Runs `work` for each device, on a thread of its own, as the ranks of a communicator: `jax.pmap`. Several handles to the CPU are several
/// ranks, which is how a program for many GPUs is tested without one.
///
/// Returns what `work` returned, in the order of the devices.
///
/// # Errors
///
/// The first error of a rank. When a rank returns early, the calls of the others fail.
///
/// # Panics
///
/// If `work` panics.
///
/// ```
/// use gpu_runtime::cluster::{Operation, on_devices};
/// use gpu_runtime::prelude::*;
///
/// let largest = on_devices(&[Device::cpu(), Device::cpu(), Device::cpu()], |ranks| {
///     let mut x = ranks.device().to_device(&[ranks.rank() as f32])?;
///     ranks.all_reduce(&mut x, Operation::Max)?;
///     Ok(x.to_host()?[0])
/// })?;
/// assert_eq!(largest, [2.0, 2.0, 2.0]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
pub fn on_devices<R: Send>(devices: &[Device], work: impl Fn(&Communicator) -> Result<R> + Sync) -> Result<Vec<R>> {
    if let [device] = devices {
        return Ok(vec![work(&Communicator::alone(device))?]);
    }
    let failed = |error: std::io::Error| ClusterError::Environment(format!("the ranks of this process cannot connect: {error}"));
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?.to_string();
    connect::serve_threads(listener).map_err(failed)?;
    let timeout = timeout_of_env()?;
    let run = |rank: usize| work(&connect::thread(rank, devices, &address, timeout)?);
    let run = &run;
    let outcomes: Vec<Result<R>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..devices.len()).map(|rank| scope.spawn(move || run(rank))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    first_cause(outcomes)
}

/// All results, or the error that made the others fail.
fn first_cause<R>(outcomes: Vec<Result<R>>) -> Result<Vec<R>> {
    let is_own = |error: &crate::Error| !matches!(error, crate::Error::Cluster(ClusterError::Failed(_)));
    let (mut results, mut errors) = (Vec::new(), Vec::new());
    for outcome in outcomes {
        match outcome {
            Ok(result) => results.push(result),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() {
        return Ok(results);
    }
    let first = errors.iter().position(is_own).unwrap_or(0);
    Err(errors.swap_remove(first))
}

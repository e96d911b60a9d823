//! What goes from rank to rank in a step.
//!
//! The layers of a rank are periodic to themselves: what leaves its last layer upwards lies where its first layer looks for it in the next step.
//! That is what it would be in a box of this rank alone. In a box of several, it goes to the next rank, and what the rank before sends
//! takes its place. The same holds for what leaves the first layer downwards.
//!
//! ```text
//! rank 0    ┌─▶ first layer … last layer ─┐        alone, ┌─▶ first layer … last layer ─┐
//! rank 1    └───────────────────────────┐ │ …             └─────────────────────────────┘
//! ```

use gpu_runtime::cluster::Communicator;
use gpu_runtime::prelude::*;
use gpu_runtime::{Result, Stream};

use crate::kernels::Storage;

/// The populations that move up along z.
const UP: [usize; 5] = [5, 11, 14, 15, 18];
/// And down.
const DOWN: [usize; 5] = [6, 12, 13, 16, 17];

/// What leaves the layers of a rank, and what enters them: first what moves up, then what moves down.
pub struct Halo<S: Storage> {
    /// Of the first and the last layer.
    pub stream: Stream,
    leaves: DeviceArray<S>,
    enters: DeviceArray<S>,
}

impl<S: Storage> Halo<S> {
    pub fn new(populations: &DeviceArray<S>) -> Result<Self> {
        let ([_, _, ny, nx], device) = ([0, 1, 2, 3].map(|axis| populations.shape()[axis]), populations.device());
        let zeros = || device.zeros::<S>([UP.len() + DOWN.len(), ny, nx]);
        // Loading a kernel may wait for the device, which must not wait for other ranks meanwhile.
        take::handle::<S>().prepare(device)?;
        put::handle::<S>().prepare(device)?;
        Ok(Self { stream: device.stream_with_priority(1)?, leaves: zeros()?, enters: zeros()? })
    }

    /// Takes what has left the outer layers in step `step`.
    pub fn take(&mut self, step: usize, populations: &DeviceArray<S>) -> Result<()> {
        let ([up, down], (grid, block)) = (self.places(step, populations), self.grid());
        take(up, down, populations, &mut self.leaves).on(&self.stream).launch(grid, block)
    }

    /// Sends it to the ranks above and below, on the stream of the outer layers.
    pub fn exchange(&mut self, ranks: &Communicator) -> Result<()> {
        let (above, below) = ((ranks.rank() + 1) % ranks.size(), (ranks.rank() + ranks.size() - 1) % ranks.size());
        let half = self.leaves.len() / 2;
        let (up, down) = (self.leaves.slice(..half).on(&self.stream), self.leaves.slice(half..).on(&self.stream));
        let (from_below, from_above) = self.enters.split_at_mut(half);
        // Where both neighbours are one rank, the order says which is which.
        let sends = ranks.group().send(up, above).send(down, below);
        sends.recv(from_below.on(&self.stream), below).recv(from_above.on(&self.stream), above).run()
    }

    /// Puts what has come where the outer layers look for it in the step after `step`.
    pub fn put(&mut self, step: usize, populations: &mut DeviceArray<S>) -> Result<()> {
        let ([up, down], (grid, block)) = (self.places(step, populations), self.grid());
        put(up, down, &self.enters, populations).launch(grid, block)
    }

    /// Where in memory what leaves upwards and downwards in a step lies.
    fn places(&self, step: usize, populations: &DeviceArray<S>) -> [usize; 2] {
        let layers = populations.shape()[1];
        let shift = step % layers;
        [layers - 1 - shift, shift]
    }

    fn grid(&self) -> ((usize, usize), (usize, usize)) {
        let [ny, nx] = [1, 2].map(|axis| self.leaves.shape()[axis]);
        ((nx.div_ceil(32), ny.div_ceil(4)), (32, 4))
    }
}

#[gpu_kernel]
fn take<S: Storage>(up: usize, down: usize, f: View<S, 4>, leaves: ViewMut<S, 3>) {
    let (x, y) = grid_2d();
    let [_, ny, nx] = leaves.shape();
    if x < nx && y < ny {
        #[unroll]
        for k in 0..5 {
            leaves[[k, y, x]] = f[[UP[k], up, y, x]];
            leaves[[k + 5, y, x]] = f[[DOWN[k], down, y, x]];
        }
    }
}

#[gpu_kernel]
fn put<S: Storage>(up: usize, down: usize, enters: View<S, 3>, f: ViewMut<S, 4>) {
    let (x, y) = grid_2d();
    let [_, ny, nx] = enters.shape();
    if x < nx && y < ny {
        #[unroll]
        for k in 0..5 {
            f[[UP[k], up, y, x]] = enters[[k, y, x]];
            f[[DOWN[k], down, y, x]] = enters[[k + 5, y, x]];
        }
    }
}

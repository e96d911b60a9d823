//! A box of fluid on the devices of all ranks.

use std::ops::Range;

use gpu_runtime::cluster::Communicator;
use gpu_runtime::prelude::*;
use gpu_runtime::{Result, Stream};

use crate::halo::Halo;
use crate::kernels::{FLUID, Shift, Storage, fill, measure, step};

/// A box of cells, whose sides are periodic, and its populations, stored as `S`. Each rank has some of its layers along z.
pub struct Fluid<'r, S: Storage> {
    /// Along x, y and z, of all ranks.
    pub extents: [usize; 3],
    ranks: &'r Communicator,
    /// Those of this rank.
    layers: Range<usize>,
    populations: DeviceArray<S>,
    cells: DeviceArray<u8>,
    /// What goes to other ranks, and comes from them. One rank alone has both sides of the box.
    halo: Option<Halo<S>>,
    /// The relaxation rate 1 / τ: the part of the distance to equilibrium that a step covers.
    omega: f32,
    /// Of moving walls and of wind.
    velocity: Float3,
    steps: usize,
    block: (usize, usize, usize),
}

/// The density less 1 and the velocity of each cell, x first.
#[derive(Clone, Debug)]
pub struct Flow {
    extents: [usize; 3],
    planes: Vec<f32>,
}

impl<'r, S: Storage> Fluid<'r, S> {
    /// Fluid of this kinematic viscosity, in lattice units. `cell` is the kind of each cell, and `start` its density less 1 and velocity.
    ///
    /// # Errors
    ///
    /// A device has too little memory, or fails.
    ///
    /// # Panics
    ///
    /// If there are fewer layers than ranks.
    pub fn new(
        ranks: &'r Communicator,
        extents: [usize; 3],
        viscosity: f32,
        cell: impl Fn([usize; 3]) -> u8,
        start: impl Fn([usize; 3]) -> [f32; 4],
    ) -> Result<Self> {
        let ([nx, ny, nz], device) = (extents, ranks.device());
        assert!(nz >= ranks.size(), "{} ranks share {nz} layers", ranks.size());
        let layers = ranks.part(nz);
        let own = [nx, ny, layers.len()];
        let in_box = |[x, y, z]: [usize; 3]| [x, y, layers.start + z];
        let flow = Flow::new(own, |at| start(in_box(at)));
        let kinds: Vec<u8> = positions(own).map(|at| cell(in_box(at))).collect();
        let mut fluid = Self {
            extents,
            ranks,
            populations: device.zeros::<S>([19, layers.len(), ny, nx])?,
            cells: device.to_device(&kinds)?.reshape([layers.len(), ny, nx])?,
            halo: None,
            layers,
            omega: 1.0 / (3.0 * viscosity + 0.5),
            velocity: Float3::splat(0.0),
            steps: 0,
            block: block(extents),
        };
        let flow = device.to_device(&flow.planes)?.reshape([4, own[2], ny, nx])?;
        let grid = fluid.grid(own[2]);
        fill(&flow, &mut fluid.populations).launch(grid, fluid.block)?;
        if ranks.size() > 1 {
            fluid.halo = Some(Halo::new(&fluid.populations)?);
        }
        Ok(fluid)
    }

    /// A box full of fluid at rest.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn at_rest(ranks: &'r Communicator, extents: [usize; 3], viscosity: f32) -> Result<Self> {
        Self::new(ranks, extents, viscosity, |_| FLUID, |_| [0.0; 4])
    }

    /// Moving walls and wind have this velocity.
    #[must_use]
    pub fn with_velocity(mut self, velocity: Float3) -> Self {
        self.velocity = velocity;
        self
    }

    /// Steps of all ranks.
    ///
    /// # Errors
    ///
    /// A device fails.
    pub fn step(&mut self, steps: usize) -> Result<()> {
        for _ in 0..steps {
            let mut halo = self.halo.take();
            let stepped = match &mut halo {
                Some(halo) => self.step_with(halo),
                None => self.compute(0..self.layers.len(), None),
            };
            self.halo = halo;
            stepped?;
            self.steps += 1;
        }
        Ok(())
    }

    /// One step of several ranks: what leaves the first and the last layer goes to the neighbours while the layers between are computed.
    fn step_with(&mut self, halo: &mut Halo<S>) -> Result<()> {
        let last = self.layers.len() - 1;
        self.compute(0..1, Some(&halo.stream))?;
        self.compute(last.max(1)..last + 1, Some(&halo.stream))?;
        halo.take(self.steps, &self.populations)?;
        self.compute(1..last, None)?;
        halo.exchange(self.ranks)?;
        halo.put(self.steps, &mut self.populations)
    }

    /// A step of some layers of this rank, on the stream of the device unless another is given.
    fn compute(&mut self, layers: Range<usize>, stream: Option<&Stream>) -> Result<()> {
        if layers.is_empty() {
            return Ok(());
        }
        let ([sx, sy, sz], grid) = (self.shifts(), self.grid(layers.len()));
        let sz = sz.counted_from(layers.start, self.layers.len());
        let launch = step(self.omega, self.velocity, sx, sy, sz, layers.start, &self.cells, &mut self.populations);
        match stream {
            Some(stream) => launch.on(stream).launch(grid, self.block),
            None => launch.launch(grid, self.block),
        }
    }

    /// Sends once more what has left the outer layers: how long ranks take for that alone.
    ///
    /// # Errors
    ///
    /// A device fails.
    pub fn exchange_again(&mut self) -> Result<()> {
        self.halo.as_mut().map_or(Ok(()), |halo| halo.exchange(self.ranks))
    }

    /// The flow now, of all ranks. (That of a wall means nothing.)
    ///
    /// # Errors
    ///
    /// A device fails.
    pub fn flow(&self) -> Result<Flow> {
        let ([nx, ny, nz], [sx, sy, sz]) = (self.extents, self.shifts());
        // Loading a kernel may wait for the device, which may wait for other ranks.
        self.ranks.barrier()?;
        let zeros = |layers: usize| self.ranks.device().zeros::<f32>([4, layers, ny, nx]);
        let mut own = zeros(self.layers.len())?;
        measure(sx, sy, sz, &self.populations, &mut own).launch(self.grid(self.layers.len()), self.block)?;
        let (mut planes, mut own) = (vec![Vec::new(); 4], Some(own));
        for rank in 0..self.ranks.size() {
            let layers = self.ranks.part_of(rank, nz).len();
            let mut part = own.take_if(|_| rank == self.ranks.rank()).map_or_else(|| zeros(layers), Ok)?;
            self.ranks.broadcast(&mut part, rank)?;
            planes.iter_mut().zip(part.to_host()?.chunks(layers * ny * nx)).for_each(|(plane, part)| plane.extend_from_slice(part));
        }
        Ok(Flow { extents: self.extents, planes: planes.concat() })
    }

    fn shifts(&self) -> [Shift; 3] {
        let [nx, ny, _] = self.extents;
        [nx, ny, self.layers.len()].map(|extent| Shift::after(self.steps, extent))
    }

    /// Of threads for the cells of so many layers.
    fn grid(&self, layers: usize) -> (usize, usize, usize) {
        let [nx, ny, _] = self.extents;
        (nx.div_ceil(self.block.0), ny.div_ceil(self.block.1), layers.div_ceil(self.block.2))
    }
}

/// A row of cells, as long as suits GPUs.
fn block([nx, ..]: [usize; 3]) -> (usize, usize, usize) {
    (nx.next_multiple_of(32).min(256), 1, 1)
}

fn positions([nx, ny, nz]: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    (0..nx * ny * nz).map(move |i| [i % nx, i / nx % ny, i / nx / ny])
}

impl Flow {
    fn new(extents: [usize; 3], of: impl Fn([usize; 3]) -> [f32; 4]) -> Self {
        let cells: usize = extents.iter().product();
        let mut planes = vec![0.0; 4 * cells];
        for (i, at) in positions(extents).enumerate() {
            for (plane, value) in of(at).into_iter().enumerate() {
                planes[plane * cells + i] = value;
            }
        }
        Self { extents, planes }
    }

    /// The density less 1, and the velocity.
    #[must_use]
    pub fn at(&self, [x, y, z]: [usize; 3]) -> [f32; 4] {
        let [nx, ny, _] = self.extents;
        let i = (z * ny + y) * nx + x;
        [0, 1, 2, 3].map(|plane| self.planes[plane * (self.planes.len() / 4) + i])
    }

    /// Of all cells, x first.
    pub fn all(&self) -> impl Iterator<Item = ([usize; 3], [f32; 4])> {
        positions(self.extents).map(|at| (at, self.at(at)))
    }

    /// Twice the rate at which the fluid turns around z, from the cells around; 0 at the sides.
    #[must_use]
    pub fn vorticity(&self, [x, y, z]: [usize; 3]) -> f32 {
        let [nx, ny, _] = self.extents;
        if x == 0 || y == 0 || x + 1 == nx || y + 1 == ny {
            return 0.0;
        }
        let along_x = self.at([x + 1, y, z])[2] - self.at([x - 1, y, z])[2];
        let along_y = self.at([x, y + 1, z])[1] - self.at([x, y - 1, z])[1];
        (along_x - along_y) / 2.0
    }
}

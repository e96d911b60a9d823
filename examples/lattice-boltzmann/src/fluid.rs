//! A box of fluid on a device.

use gpu_runtime::Result;
use gpu_runtime::prelude::*;

use crate::kernels::{FLUID, Shift, Storage, fill, measure, step};

/// A box of cells, whose sides are periodic, and its populations, stored as `S`.
pub struct Fluid<S: Storage> {
    /// Along x, y and z.
    pub extents: [usize; 3],
    populations: DeviceArray<S>,
    cells: DeviceArray<u8>,
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

impl<S: Storage> Fluid<S> {
    /// Fluid of this kinematic viscosity, in lattice units. `cell` is the kind of each cell, and `start` its density less 1 and velocity.
    ///
    /// # Errors
    ///
    /// The device has too little memory, or fails.
    pub fn new(
        device: &Device,
        extents: [usize; 3],
        viscosity: f32,
        cell: impl Fn([usize; 3]) -> u8,
        start: impl Fn([usize; 3]) -> [f32; 4],
    ) -> Result<Self> {
        let [nx, ny, nz] = extents;
        let flow = Flow::new(extents, start);
        let kinds: Vec<u8> = positions(extents).map(cell).collect();
        let mut fluid = Self {
            extents,
            populations: device.zeros::<S>([19, nz, ny, nx])?,
            cells: device.to_device(&kinds)?.reshape([nz, ny, nx])?,
            omega: 1.0 / (3.0 * viscosity + 0.5),
            velocity: Float3::splat(0.0),
            steps: 0,
            block: block(extents),
        };
        let flow = device.to_device(&flow.planes)?.reshape([4, nz, ny, nx])?;
        let grid = fluid.grid();
        fill(&flow, &mut fluid.populations).launch(grid, fluid.block)?;
        Ok(fluid)
    }

    /// A box full of fluid at rest.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn at_rest(device: &Device, extents: [usize; 3], viscosity: f32) -> Result<Self> {
        Self::new(device, extents, viscosity, |_| FLUID, |_| [0.0; 4])
    }

    /// Moving walls and wind have this velocity.
    #[must_use]
    pub fn with_velocity(mut self, velocity: Float3) -> Self {
        self.velocity = velocity;
        self
    }

    /// # Errors
    ///
    /// The device fails.
    pub fn step(&mut self, steps: usize) -> Result<()> {
        for _ in 0..steps {
            let ([sx, sy, sz], grid) = (self.shifts(), self.grid());
            step(self.omega, self.velocity, sx, sy, sz, &self.cells, &mut self.populations).launch(grid, self.block)?;
            self.steps += 1;
        }
        Ok(())
    }

    /// The flow now. (That of a wall means nothing.)
    ///
    /// # Errors
    ///
    /// The device fails.
    pub fn flow(&self) -> Result<Flow> {
        let ([nx, ny, nz], [sx, sy, sz]) = (self.extents, self.shifts());
        let mut flow = self.populations.device().zeros::<f32>([4, nz, ny, nx])?;
        measure(sx, sy, sz, &self.populations, &mut flow).launch(self.grid(), self.block)?;
        Ok(Flow { extents: self.extents, planes: flow.to_host()? })
    }

    fn shifts(&self) -> [Shift; 3] {
        self.extents.map(|extent| Shift::after(self.steps, extent))
    }

    fn grid(&self) -> (usize, usize, usize) {
        let [nx, ny, nz] = self.extents;
        (nx.div_ceil(self.block.0), ny.div_ceil(self.block.1), nz.div_ceil(self.block.2))
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

//! The gradient of a flow by the wind that blows into it.
//!
//! `#[gpu_kernel(grad)]` refuses [`kernels::step`](fn@crate::kernels::step): it is generic, has structs as parameters, keeps the populations of a cell in an
//! array, and writes to the places that it has read, whose values the gradient needs. So this is the same scheme from one array to another, with
//! populations of 32 bits. A thread computes one population of a cell: what the cell that it comes from sends to it.
//!
//! ```text
//! start ──step──▶ state 1 ──step──▶ … ──step──▶ state n ──along_x──▶ velocities ──▶ half of the squared distance from the target
//!           wind ───┴─────────────────────┘
//!       ◀─step::grad─        …       ◀─step::grad─        ◀─along_x::grad─        the difference
//! ```

use gpu_runtime::Result;
use gpu_runtime::prelude::*;

use crate::kernels::{WALL, WIND};

/// The directions of the populations, each with the opposite one beside it.
const X: [i32; 19] = [0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0];
const Y: [i32; 19] = [0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1];
const Z: [i32; 19] = [0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1];

/// One step. The wind along x blows from cells of the kind `WIND`, and has a speed for each y.
#[gpu_kernel(grad)]
fn step(omega: f32, wind: &[f32], cells: View<u8, 3>, now: View<f32, 4>, next: ViewMut<f32, 4>) {
    let (x, y, layer) = grid_3d();
    let [_, nz, ny, nx] = next.shape();
    if x >= nx || y >= ny || layer >= 19 * nz || wind.len() < ny {
        return;
    }
    let (q, z) = (layer % 19, layer / 19);
    let from_x = (x as i32 - X[q] + nx as i32) as usize % nx;
    let from_y = (y as i32 - Y[q] + ny as i32) as usize % ny;
    let from_z = (z as i32 - Z[q] + nz as i32) as usize % nz;
    let kind = cells[[from_z, from_y, from_x]];
    if kind == WALL {
        let opposite = if q == 0 { 0 } else { (q - 1 ^ 1) + 1 };
        next[[q, z, y, x]] = now[[opposite, from_z, from_y, from_x]];
        return;
    }
    let mut rho = 0.0;
    let mut ux = 0.0;
    let mut uy = 0.0;
    let mut uz = 0.0;
    for p in 0..19 {
        let h = now[[p, from_z, from_y, from_x]];
        rho += h;
        ux += X[p] as f32 * h;
        uy += Y[p] as f32 * h;
        uz += Z[p] as f32 * h;
    }
    let mut towards = omega;
    ux /= 1.0 + rho;
    uy /= 1.0 + rho;
    uz /= 1.0 + rho;
    if kind == WIND {
        rho = 0.0;
        ux = wind[from_y];
        uy = 0.0;
        uz = 0.0;
        towards = 1.0;
    }
    let along = X[q] as f32 * ux + Y[q] as f32 * uy + Z[q] as f32 * uz;
    let weight = if q == 0 {
        1.0 / 3.0
    } else if q < 7 {
        1.0 / 18.0
    } else {
        1.0 / 36.0
    };
    let moved = 3.0 * along + 4.5 * along * along - 1.5 * (ux * ux + uy * uy + uz * uz);
    let equilibrium = weight * (rho + (1.0 + rho) * moved);
    let before = now[[q, from_z, from_y, from_x]];
    next[[q, z, y, x]] = before + towards * (equilibrium - before);
}

/// The velocity along x.
#[gpu_kernel(grad)]
fn along_x(f: View<f32, 4>, u: ViewMut<f32, 3>) {
    let (x, y, z) = grid_3d();
    let [nz, ny, nx] = u.shape();
    if x < nx && y < ny && z < nz {
        let mut rho = 0.0;
        let mut ux = 0.0;
        for p in 0..19 {
            rho += f[[p, z, y, x]];
            ux += X[p] as f32 * f[[p, z, y, x]];
        }
        u[[z, y, x]] = ux / (1.0 + rho);
    }
}

/// A wind tunnel, in which the fluid is at rest at first.
pub struct Tunnel {
    /// The relaxation rate, as that of [`Fluid`](crate::Fluid).
    omega: f32,
    /// Along z, y and x.
    cells: DeviceArray<u8>,
    steps: usize,
}

impl Tunnel {
    /// With cells of these kinds along z, y and x, of which walls do not move, and so many steps.
    #[must_use]
    pub fn new(cells: DeviceArray<u8>, viscosity: f32, steps: usize) -> Self {
        Self { omega: 1.0 / (3.0 * viscosity + 0.5), cells, steps }
    }

    /// The velocity along x of each cell after all steps.
    ///
    /// # Errors
    ///
    /// The device fails.
    pub fn velocity(&self, wind: &DeviceArray<f32>) -> Result<DeviceArray<f32>> {
        self.velocity_of(&self.states(wind)?[self.steps])
    }

    /// Half of the sum of the squared differences of the velocity from `target`, and its gradient by the wind.
    ///
    /// # Errors
    ///
    /// The device fails.
    pub fn value_and_grad(&self, wind: &DeviceArray<f32>, target: &DeviceArray<f32>) -> Result<(f32, DeviceArray<f32>)> {
        let states = self.states(wind)?;
        let difference = (self.velocity_of(&states[self.steps])? - target).collect()?;
        let (device, (grid, block)) = (wind.device(), self.launch(1));
        let mut by_next = device.zeros_like(&states[0])?;
        along_x::grad(&states[self.steps], &difference, &mut by_next).launch(grid, block)?;
        let (mut by_omega, mut by_wind) = (device.zeros::<f32>(1)?, device.zeros_like(wind)?);
        let (grid, block) = self.launch(19);
        for now in states[..self.steps].iter().rev() {
            let mut by_now = device.zeros_like(now)?;
            step::grad(self.omega, wind, &self.cells, now, &by_next, &mut by_omega, &mut by_wind, &mut by_now).launch(grid, block)?;
            by_next = by_now;
        }
        Ok((difference.square().sum()? / 2.0, by_wind))
    }

    /// The populations before the first step, and after each.
    fn states(&self, wind: &DeviceArray<f32>) -> Result<Vec<DeviceArray<f32>>> {
        let (device, [nz, ny, nx], (grid, block)) = (wind.device(), self.extents(), self.launch(19));
        let mut states = vec![device.zeros::<f32>([19, nz, ny, nx])?];
        for t in 0..self.steps {
            let mut next = device.zeros_like(&states[t])?;
            step(self.omega, wind, &self.cells, &states[t], &mut next).launch(grid, block)?;
            states.push(next);
        }
        Ok(states)
    }

    fn velocity_of(&self, state: &DeviceArray<f32>) -> Result<DeviceArray<f32>> {
        let (mut u, (grid, block)) = (state.device().zeros::<f32>(self.extents())?, self.launch(1));
        along_x(state, &mut u).launch(grid, block)?;
        Ok(u)
    }

    fn extents(&self) -> [usize; 3] {
        [0, 1, 2].map(|axis| self.cells.shape()[axis])
    }

    /// The grid and block of so many threads for each cell.
    fn launch(&self, threads: usize) -> ((usize, usize, usize), (usize, usize, usize)) {
        let [nz, ny, nx] = self.extents();
        ((nx.div_ceil(32), ny.div_ceil(4), threads * nz), (32, 4, 1))
    }
}

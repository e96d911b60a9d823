//! The kernels: one step of all cells, and the density and velocity of each.

use gpu_runtime::prelude::*;
use half::f16;

/// The kinds of cells.
pub const FLUID: u8 = 0;
pub const WALL: u8 = 1;
/// A wall that moves along itself, such as the lid of a box.
pub const MOVING_WALL: u8 = 2;
/// Fluid of a given velocity, at the ends of a wind tunnel.
pub const WIND: u8 = 3;
/// Nothing comes out of it: it keeps walls apart that periodic sides would make neighbours.
pub const OUTSIDE: u8 = 4;

/// How a population is stored: as the difference from its weight, which is its value in a fluid at rest, times `SCALE`.
#[gpu_device]
pub trait Storage {
    const SCALE: f32;

    fn expand(self) -> f32;
    fn compress(value: f32) -> Self;
}

#[gpu_device]
impl Storage for f32 {
    const SCALE: f32 = 1.0;

    fn expand(self) -> f32 {
        self
    }

    fn compress(value: f32) -> Self {
        value
    }
}

/// The differences are below 2, and most of them would be below the smallest normal number of 16 bits.
#[gpu_device]
impl Storage for f16 {
    const SCALE: f32 = 32768.0;

    fn expand(self) -> f32 {
        self.to_f32()
    }

    fn compress(value: f32) -> Self {
        f16::from_f32(value)
    }
}

/// Where the populations of a cell are along an axis: those that move in its direction are `forth` cells before the cell, and those that move in the
/// other direction are `back` cells before it, modulo the extent. Those that do not move along it are at the cell.
#[derive(Clone, Copy, Debug, DeviceType)]
#[repr(C)]
pub struct Shift {
    pub forth: usize,
    pub back: usize,
}

impl Shift {
    /// A population that moves stays where it is, so that after `steps` its cell is so many cells on.
    #[must_use]
    pub fn after(steps: usize, extent: usize) -> Self {
        let forth = steps % extent;
        Self { forth, back: (extent - forth) % extent }
    }

    /// The same for cells that are counted from `first`.
    #[must_use]
    pub fn counted_from(self, first: usize, extent: usize) -> Self {
        let [forth, back] = [self.forth, self.back].map(|by| (by + extent - first) % extent);
        Self { forth, back }
    }
}

/// The density less 1, and the velocity, of populations times `scale`.
#[gpu_device]
fn flow_of(h: [f32; 19], scale: f32) -> (f32, f32, f32, f32) {
    let sides = (h[1] + h[2]) + (h[3] + h[4]) + (h[5] + h[6]);
    let edges = (h[7] + h[8]) + (h[9] + h[10]) + (h[11] + h[12]) + (h[13] + h[14]) + (h[15] + h[16]) + (h[17] + h[18]);
    let (xy, yx, xz) = (h[7] - h[8], h[9] - h[10], h[11] - h[12]);
    let (zx, yz, zy) = (h[13] - h[14], h[15] - h[16], h[17] - h[18]);
    let x = (h[1] - h[2]) + (xy + yx) + (xz + zx);
    let y = (h[3] - h[4]) + (xy - yx) + (yz + zy);
    let z = (h[5] - h[6]) + (xz - zx) + (yz - zy);
    let mass = h[0] + sides + edges;
    let over = 1.0 / (scale + mass);
    (mass * (1.0 / scale), x * over, y * over, z * over)
}

/// The equilibrium of the two populations that move in opposite directions along a line; `along` is the component of the velocity there.
#[gpu_device]
fn line(weight: f32, rest: f32, mass: f32, along: f32) -> (f32, f32) {
    let odd = 3.0 * weight * mass * along;
    let even = weight * rest + odd * (1.5 * along);
    (even + odd, even - odd)
}

/// The populations in equilibrium at a density and velocity, less their weights, times `scale`.
#[gpu_device]
fn equilibrium(rho: f32, x: f32, y: f32, z: f32, scale: f32) -> [f32; 19] {
    let mass = scale * (1.0 + rho);
    let rest = scale * rho - 1.5 * mass * (x * x + y * y + z * z);
    let (middle, side, edge) = (1.0 / 3.0f32, 1.0 / 18.0f32, 1.0 / 36.0f32);
    let (e1, e2) = line(side, rest, mass, x);
    let (e3, e4) = line(side, rest, mass, y);
    let (e5, e6) = line(side, rest, mass, z);
    let (e7, e8) = line(edge, rest, mass, x + y);
    let (e9, e10) = line(edge, rest, mass, x - y);
    let (e11, e12) = line(edge, rest, mass, x + z);
    let (e13, e14) = line(edge, rest, mass, x - z);
    let (e15, e16) = line(edge, rest, mass, y + z);
    let (e17, e18) = line(edge, rest, mass, y - z);
    [middle * rest, e1, e2, e3, e4, e5, e6, e7, e8, e9, e10, e11, e12, e13, e14, e15, e16, e17, e18]
}

/// One step of the cells of some layers along z, which are counted from `first`; so is `sz`. The places of the 19 populations of a cell are its own
/// during the step: it reads them, and writes what leaves it to the same places, where the next step's `Shift` has the cells that it moves to look for it.
#[gpu_kernel(deny(bounds_checks))]
#[allow(clippy::too_many_arguments, reason = "kernels have no structs of views")]
pub fn step<S: Storage>(omega: f32, u: Float3, sx: Shift, sy: Shift, sz: Shift, first: usize, cells: View<u8, 3>, f: ViewMut<S, 4>) {
    let (x, y, layer) = grid_3d();
    let [_, nz, ny, nx] = f.shape();
    let are_shifts = sx.forth < nx && sx.back < nx && sy.forth < ny && sy.back < ny && sz.forth < nz && sz.back < nz;
    if x < nx && y < ny && first < nz && layer < nz - first && are_shifts {
        let e = if x < sx.forth { x + (nx - sx.forth) } else { x - sx.forth };
        let w = if x < sx.back { x + (nx - sx.back) } else { x - sx.back };
        let n = if y < sy.forth { y + (ny - sy.forth) } else { y - sy.forth };
        let s = if y < sy.back { y + (ny - sy.back) } else { y - sy.back };
        let z = first + layer;
        let t = if layer < sz.forth { layer + (nz - sz.forth) } else { layer - sz.forth };
        let b = if layer < sz.back { layer + (nz - sz.back) } else { layer - sz.back };
        let h = [
            f[[0, z, y, x]].expand(),
            f[[1, z, y, e]].expand(),
            f[[2, z, y, w]].expand(),
            f[[3, z, n, x]].expand(),
            f[[4, z, s, x]].expand(),
            f[[5, t, y, x]].expand(),
            f[[6, b, y, x]].expand(),
            f[[7, z, n, e]].expand(),
            f[[8, z, s, w]].expand(),
            f[[9, z, s, e]].expand(),
            f[[10, z, n, w]].expand(),
            f[[11, t, y, e]].expand(),
            f[[12, b, y, w]].expand(),
            f[[13, b, y, e]].expand(),
            f[[14, t, y, w]].expand(),
            f[[15, t, n, x]].expand(),
            f[[16, b, s, x]].expand(),
            f[[17, b, n, x]].expand(),
            f[[18, t, s, x]].expand(),
        ];
        let after: [f32; 19] = after_step(cells[[z, y, x]], h, omega, u, S::SCALE);
        f[[0, z, y, x]] = S::compress(after[0]);
        f[[1, z, y, e]] = S::compress(after[1]);
        f[[2, z, y, w]] = S::compress(after[2]);
        f[[3, z, n, x]] = S::compress(after[3]);
        f[[4, z, s, x]] = S::compress(after[4]);
        f[[5, t, y, x]] = S::compress(after[5]);
        f[[6, b, y, x]] = S::compress(after[6]);
        f[[7, z, n, e]] = S::compress(after[7]);
        f[[8, z, s, w]] = S::compress(after[8]);
        f[[9, z, s, e]] = S::compress(after[9]);
        f[[10, z, n, w]] = S::compress(after[10]);
        f[[11, t, y, e]] = S::compress(after[11]);
        f[[12, b, y, w]] = S::compress(after[12]);
        f[[13, b, y, e]] = S::compress(after[13]);
        f[[14, t, y, w]] = S::compress(after[14]);
        f[[15, t, n, x]] = S::compress(after[15]);
        f[[16, b, s, x]] = S::compress(after[16]);
        f[[17, b, n, x]] = S::compress(after[17]);
        f[[18, t, s, x]] = S::compress(after[18]);
    }
}

/// The density less 1, and the velocity, of all cells: `flow` has a plane for each of the four.
#[gpu_kernel(deny(bounds_checks))]
pub fn measure<S: Storage>(sx: Shift, sy: Shift, sz: Shift, f: View<S, 4>, flow: ViewMut<f32, 4>) {
    let (x, y, z) = grid_3d();
    let [_, nz, ny, nx] = f.shape();
    let are_shifts = sx.forth < nx && sx.back < nx && sy.forth < ny && sy.back < ny && sz.forth < nz && sz.back < nz;
    if x < nx && y < ny && z < nz && are_shifts {
        let e = if x < sx.forth { x + (nx - sx.forth) } else { x - sx.forth };
        let w = if x < sx.back { x + (nx - sx.back) } else { x - sx.back };
        let n = if y < sy.forth { y + (ny - sy.forth) } else { y - sy.forth };
        let s = if y < sy.back { y + (ny - sy.back) } else { y - sy.back };
        let t = if z < sz.forth { z + (nz - sz.forth) } else { z - sz.forth };
        let b = if z < sz.back { z + (nz - sz.back) } else { z - sz.back };
        let h = [
            f[[0, z, y, x]].expand(),
            f[[1, z, y, e]].expand(),
            f[[2, z, y, w]].expand(),
            f[[3, z, n, x]].expand(),
            f[[4, z, s, x]].expand(),
            f[[5, t, y, x]].expand(),
            f[[6, b, y, x]].expand(),
            f[[7, z, n, e]].expand(),
            f[[8, z, s, w]].expand(),
            f[[9, z, s, e]].expand(),
            f[[10, z, n, w]].expand(),
            f[[11, t, y, e]].expand(),
            f[[12, b, y, w]].expand(),
            f[[13, b, y, e]].expand(),
            f[[14, t, y, w]].expand(),
            f[[15, t, n, x]].expand(),
            f[[16, b, s, x]].expand(),
            f[[17, b, n, x]].expand(),
            f[[18, t, s, x]].expand(),
        ];
        let (rho, ux, uy, uz): (f32, f32, f32, f32) = flow_of(h, S::SCALE);
        flow[[0, z, y, x]] = rho;
        flow[[1, z, y, x]] = ux;
        flow[[2, z, y, x]] = uy;
        flow[[3, z, y, x]] = uz;
    }
}

/// The populations, before the first step, of a fluid in equilibrium at each cell.
#[gpu_kernel(deny(bounds_checks))]
pub fn fill<S: Storage>(flow: View<f32, 4>, f: ViewMut<S, 4>) {
    let (x, y, z) = grid_3d();
    let [_, nz, ny, nx] = f.shape();
    if x < nx && y < ny && z < nz {
        let h: [f32; 19] = equilibrium(flow[[0, z, y, x]], flow[[1, z, y, x]], flow[[2, z, y, x]], flow[[3, z, y, x]], S::SCALE);
        for q in 0..19 {
            f[[q, z, y, x]] = S::compress(h[q]);
        }
    }
}

/// What leaves a cell. Walls turn it around; what is not fluid has a velocity of its own, and no memory.
#[gpu_device]
fn after_step(kind: u8, h: [f32; 19], omega: f32, u: Float3, scale: f32) -> [f32; 19] {
    if kind == WALL || kind == MOVING_WALL {
        let moving = if kind == MOVING_WALL { scale } else { 0.0 };
        bounced(h, moving * u.x, moving * u.y, moving * u.z)
    } else {
        let (mut rho, mut x, mut y, mut z): (f32, f32, f32, f32) = flow_of(h, scale);
        let mut towards = omega;
        if kind != FLUID {
            let blows = if kind == WIND { 1.0 } else { 0.0 };
            (rho, x, y, z, towards) = (0.0, blows * u.x, blows * u.y, blows * u.z, 1.0);
        }
        relaxed(h, equilibrium(rho, x, y, z, towards * scale), 1.0 - towards)
    }
}

/// The part that stays, and the part of the equilibrium that comes.
#[gpu_device]
fn relaxed(h: [f32; 19], comes: [f32; 19], stays: f32) -> [f32; 19] {
    let mut after = comes;
    #[unroll]
    for q in 0..19 {
        after[q] += stays * h[q];
    }
    after
}

/// Each population turned around; a wall that moves adds momentum, six times the weight times the part of its velocity in the direction.
#[gpu_device]
fn bounced(h: [f32; 19], x: f32, y: f32, z: f32) -> [f32; 19] {
    let (side, edge) = (6.0 / 18.0f32, 6.0 / 36.0f32);
    let (sx, sy, sz) = (side * x, side * y, side * z);
    let (xy, yx, xz) = (edge * (x + y), edge * (x - y), edge * (x + z));
    let (zx, yz, zy) = (edge * (x - z), edge * (y + z), edge * (y - z));
    [
        h[0],
        h[2] + sx,
        h[1] - sx,
        h[4] + sy,
        h[3] - sy,
        h[6] + sz,
        h[5] - sz,
        h[8] + xy,
        h[7] - xy,
        h[10] + yx,
        h[9] - yx,
        h[12] + xz,
        h[11] - xz,
        h[14] + zx,
        h[13] - zx,
        h[16] + yz,
        h[15] - yz,
        h[18] + zy,
        h[17] - zy,
    ]
}

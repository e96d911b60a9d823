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

/// How a population is stored: as the difference from its weight, which is its value in a fluid at rest.
#[gpu_device]
pub trait Storage {
    fn expand(self) -> f32;
    fn compress(value: f32) -> Self;
}

#[gpu_device]
impl Storage for f32 {
    fn expand(self) -> f32 {
        self
    }

    fn compress(value: f32) -> Self {
        value
    }
}

/// The differences are below 2, and most of them below the smallest normal number of 16 bits: their range is moved.
const SCALE: f32 = 32768.0;

#[gpu_device]
impl Storage for f16 {
    fn expand(self) -> f32 {
        self.to_f32() * (1.0 / SCALE)
    }

    fn compress(value: f32) -> Self {
        f16::from_f32(value * SCALE)
    }
}

/// Where the populations of a cell are along an axis, after `t` steps and modulo the extent: those that move in its direction `forth`, which
/// is `-t`, from the cell, and those that move in the other direction `back`, which is `t`, from it. Those that do not move along it are at the cell.
#[derive(Clone, Copy, Debug, DeviceType)]
#[repr(C)]
pub struct Shift {
    pub forth: usize,
    pub back: usize,
}

impl Shift {
    #[must_use]
    pub fn after(steps: usize, extent: usize) -> Self {
        let back = steps % extent;
        Self { forth: extent - back, back }
    }
}

/// The density less 1, and the velocity.
#[gpu_device]
fn flow_of(h: [f32; 19]) -> (f32, f32, f32, f32) {
    let rho = h[0]
        + ((h[1] + h[2]) + (h[3] + h[4]) + (h[5] + h[6]))
        + ((h[7] + h[8]) + (h[9] + h[10]) + (h[11] + h[12]))
        + ((h[13] + h[14]) + (h[15] + h[16]) + (h[17] + h[18]));
    let over = 1.0 / (1.0 + rho);
    let x = (h[1] - h[2]) + (h[7] - h[8]) + (h[9] - h[10]) + (h[11] - h[12]) + (h[13] - h[14]);
    let y = (h[3] - h[4]) + (h[7] - h[8]) - (h[9] - h[10]) + (h[15] - h[16]) + (h[17] - h[18]);
    let z = (h[5] - h[6]) + (h[11] - h[12]) - (h[13] - h[14]) + (h[15] - h[16]) - (h[17] - h[18]);
    (rho, x * over, y * over, z * over)
}

/// What is in equilibrium at this density and velocity, of the populations along a line with `along`, the velocity's part in its direction.
#[gpu_device]
fn line(weight: f32, rho: f32, rest: f32, along: f32) -> (f32, f32) {
    let even = weight * (rest + 4.5 * (1.0 + rho) * along * along);
    let odd = weight * 3.0 * (1.0 + rho) * along;
    (even + odd, even - odd)
}

/// The populations in equilibrium at a density and velocity, less their weights.
#[gpu_device]
pub fn equilibrium(rho: f32, x: f32, y: f32, z: f32) -> [f32; 19] {
    let rest = rho - 1.5 * (1.0 + rho) * (x * x + y * y + z * z);
    let (side, edge) = (1.0 / 18.0f32, 1.0 / 36.0f32);
    let (e1, e2) = line(side, rho, rest, x);
    let (e3, e4) = line(side, rho, rest, y);
    let (e5, e6) = line(side, rho, rest, z);
    let (e7, e8) = line(edge, rho, rest, x + y);
    let (e9, e10) = line(edge, rho, rest, x - y);
    let (e11, e12) = line(edge, rho, rest, x + z);
    let (e13, e14) = line(edge, rho, rest, x - z);
    let (e15, e16) = line(edge, rho, rest, y + z);
    let (e17, e18) = line(edge, rho, rest, y - z);
    [rest / 3.0, e1, e2, e3, e4, e5, e6, e7, e8, e9, e10, e11, e12, e13, e14, e15, e16, e17, e18]
}

/// One step of all cells. The places of the 19 populations of a cell are its own during the step: it reads them, and writes what leaves it to the same
/// places, where the next step's `Shift` has the cells that it moves to look for it.
#[gpu_kernel]
pub fn step<S: Storage>(omega: f32, u: Float3, sx: Shift, sy: Shift, sz: Shift, cells: View<u8, 3>, f: ViewMut<S, 4>) {
    let (x, y, z) = grid_3d();
    let [_, nz, ny, nx] = f.shape();
    if x < nx && y < ny && z < nz {
        let (e, w) = ((x + sx.forth) % nx, (x + sx.back) % nx);
        let (n, s) = ((y + sy.forth) % ny, (y + sy.back) % ny);
        let (t, b) = ((z + sz.forth) % nz, (z + sz.back) % nz);
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
        let after: [f32; 19] = after_step(cells[[z, y, x]], h, omega, u);
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
#[gpu_kernel]
pub fn measure<S: Storage>(sx: Shift, sy: Shift, sz: Shift, f: View<S, 4>, flow: ViewMut<f32, 4>) {
    let (x, y, z) = grid_3d();
    let [_, nz, ny, nx] = f.shape();
    if x < nx && y < ny && z < nz {
        let (e, w) = ((x + sx.forth) % nx, (x + sx.back) % nx);
        let (n, s) = ((y + sy.forth) % ny, (y + sy.back) % ny);
        let (t, b) = ((z + sz.forth) % nz, (z + sz.back) % nz);
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
        let (rho, ux, uy, uz): (f32, f32, f32, f32) = flow_of(h);
        flow[[0, z, y, x]] = rho;
        flow[[1, z, y, x]] = ux;
        flow[[2, z, y, x]] = uy;
        flow[[3, z, y, x]] = uz;
    }
}

/// The populations, before the first step, of a fluid in equilibrium at each cell.
#[gpu_kernel]
pub fn fill<S: Storage>(flow: View<f32, 4>, f: ViewMut<S, 4>) {
    let (x, y, z) = grid_3d();
    let [_, nz, ny, nx] = f.shape();
    if x < nx && y < ny && z < nz {
        let h: [f32; 19] = equilibrium(flow[[0, z, y, x]], flow[[1, z, y, x]], flow[[2, z, y, x]], flow[[3, z, y, x]]);
        for q in 0..19 {
            f[[q, z, y, x]] = S::compress(h[q]);
        }
    }
}

#[gpu_device]
fn after_step(kind: u8, h: [f32; 19], omega: f32, u: Float3) -> [f32; 19] {
    if kind == WALL {
        bounced(h, Float3::splat(0.0))
    } else if kind == MOVING_WALL {
        bounced(h, u)
    } else if kind == WIND {
        equilibrium(0.0, u.x, u.y, u.z)
    } else if kind == OUTSIDE {
        [0.0; 19]
    } else {
        relaxed(h, omega)
    }
}

/// Towards the equilibrium.
#[gpu_device]
fn relaxed(h: [f32; 19], omega: f32) -> [f32; 19] {
    let (rho, x, y, z): (f32, f32, f32, f32) = flow_of(h);
    let e: [f32; 19] = equilibrium(rho, x, y, z);
    let mut after = h;
    #[unroll]
    for q in 0..19 {
        after[q] = h[q] + omega * (e[q] - h[q]);
    }
    after
}

/// Each population turned around; a wall that moves with `u` adds momentum.
#[gpu_device]
fn bounced(h: [f32; 19], u: Float3) -> [f32; 19] {
    let (a, b) = (6.0 / 18.0f32, 6.0 / 36.0f32);
    let (xy, yx, xz, zx, yz, zy) = (b * (u.x + u.y), b * (u.x - u.y), b * (u.x + u.z), b * (u.x - u.z), b * (u.y + u.z), b * (u.y - u.z));
    [
        h[0],
        h[2] + a * u.x, h[1] - a * u.x,
        h[4] + a * u.y, h[3] - a * u.y,
        h[6] + a * u.z, h[5] - a * u.z,
        h[8] + xy, h[7] - xy,
        h[10] + yx, h[9] - yx,
        h[12] + xz, h[11] - xz,
        h[14] + zx, h[13] - zx,
        h[16] + yz, h[15] - yz,
        h[18] + zy, h[17] - zy,
    ]
}

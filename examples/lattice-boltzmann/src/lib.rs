//! Flow of a fluid by the lattice Boltzmann method: D3Q19, a single relaxation time, one array of populations that stream in place.
//!
//! The README of this folder explains the scheme and names its sources.

pub mod adjoint;
mod fluid;
pub mod ghia;
mod halo;
pub mod kernels;

pub use fluid::{Flow, Fluid};

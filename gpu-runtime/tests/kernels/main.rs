//! Kernels, written by the attribute and by hand, their arguments and their launches.

mod atomics;
mod cpu_backend;
mod data;
mod dynamic_shared;
mod forall;
mod hand_expanded;
mod launch;
#[path = "../support/nvrtc.rs"]
mod nvrtc;
mod structs;
#[path = "../support/mod.rs"]
mod support;
mod views;

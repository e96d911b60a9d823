//! Devices, arrays and views.

mod arrays;
mod device;
mod ndarray;
#[path = "../support/mod.rs"]
mod support;
mod view_properties;
mod views;

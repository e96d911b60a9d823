//! The runtime trusts what generated code says of a type. Other code needs `unsafe` to say it, though the traits can be named.
#![allow(non_camel_case_types)]

use gpu_runtime::__private as hidden;
use gpu_runtime::calls;
use gpu_runtime::prelude::*;

#[derive(Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
struct Byte {
    bits: u8,
}

/// A device function that is written by hand: its twin could do anything with the handles that it gets.
mod by_hand {
    pub struct gpu_device;
}

impl<Explicit, Evidence> calls::DeviceFunction<Explicit, Evidence> for by_hand::gpu_device { //~
    type Output = ();
    type Instance = calls::Refused;
}

impl<Explicit> calls::NamedFunction<Explicit> for by_hand::gpu_device { //~
    type Instance = calls::Refused;
}

impl calls::DeviceInstance for Byte { //~
    const UNIT: &'static hidden::SourceUnit = &hidden::SourceUnit::NONE;
}

struct Code;

impl calls::AssociatedFunction for Code { //~
    type Output = f32;
    type Instance = calls::Refused;
}

/// CUDA C would read 8 bytes where there is one.
impl calls::NumberName<f64> for Byte {} //~

/// A check against the count is the only one.
impl calls::Elements for Byte { //~
    const BYTES: usize = 1;
    fn count(&self) -> usize {
        usize::MAX
    }
    fn first(&self) -> usize {
        0
    }
}

impl hidden::AxesOfElements<2> for Byte { //~
    const BYTES: usize = 1;
    fn extents(&self) -> [usize; 2] {
        [usize::MAX; 2]
    }
    fn address(&self, _: [usize; 2]) -> usize {
        0
    }
}

/// Any CUDA C.
impl hidden::TableElement for Byte { //~
    fn c_type() -> String {
        "u64".to_owned()
    }
    fn initialiser(&self) -> String {
        "*(u64*)0x1000".to_owned()
    }
}

/// A device function that waits for other threads.
#[gpu_device]
async fn wait() {
    sync_threads();
}

/// And one that does not.
#[gpu_device]
fn go_on() {}

/// Its callers are not known to wait.
impl calls::missing::Awaited for wait::gpu_device { //~
    type Output = Byte;
}

impl calls::missing::IsAsync for go_on::gpu_device { //~
    type Output = Byte;
}

fn main() {}

//! The type of an input picks its register, in a method too.

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Wide {
    x: u64,
}

#[gpu_device]
impl Wide {
    fn low(self) -> u32 {
        unsafe { ptx!("cvt.u32.u64 {}, {};", out(u32), in(self.x), else { 0 }) }
    }
}

fn main() {
    assert_eq!(Wide { x: 1 }.low(), 0);
}

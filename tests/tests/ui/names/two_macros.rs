//! Variables of one name that different macros made are two.

use gpu_runtime::prelude::*;

macro_rules! shift {
    ($kernel:ident, $i:ident, $value:expr) => {
        #[gpu_kernel]
        fn $kernel(ids: &[usize], out: &mut [usize]) {
            let i = grid_1d();
            if i < out.len() {
                let $i = ids[i];
                out[i] = $value;
            }
        }
    };
}

shift!(kernel, i, i + 1);

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let ids = device.zeros::<usize>(8)?;
    let mut out = device.zeros::<usize>(8)?;
    kernel(&ids, &mut out).launch(1, 8)
}

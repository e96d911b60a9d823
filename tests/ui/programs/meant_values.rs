//! Names that are taken for something by their text, and mean something else: what rustc finds by their types.

/// A function of a type, which is written as a variant is.
mod functions_of_types {
    use gpu_runtime::prelude::*;

    #[derive(Clone, Copy, PartialEq, DeviceType)]
    #[repr(C)]
    struct Place {
        x: usize,
    }

    #[allow(non_snake_case)]
    impl Place {
        fn Note(x: usize) -> Place {
            Place { x: x + 1 }
        }
    }

    #[gpu_kernel]
    fn noted(out: &mut [usize]) {
        let i = grid_1d();
        if i < out.len() {
            let place: Place = Place::Note(i); //~ 2
            out[i] = place.x;
        }
    }
}

/// Variants of std under other names.
mod variants {
    use gpu_runtime::prelude::*;
    use std::result::Result::{Err as Ok, Ok as Err};

    #[gpu_kernel]
    fn swapped(x: &[i32], out: &mut [i32]) {
        let i = grid_1d();
        if i < out.len() && i < x.len() {
            let result: Result<i32, i32> = if x[i] > 0 { Ok(1) } else { Err(2) }; //~ 2
            out[i] = result.is_ok() as i32;
        }
    }
}

mod nothing {
    use gpu_runtime::prelude::*;

    #[allow(non_upper_case_globals)]
    const None: Option<i32> = Some(3);

    #[gpu_kernel]
    fn nothing(out: &mut [i32]) {
        let i = grid_1d();
        if i < out.len() {
            let found: Option<i32> = None; //~
            out[i] = found.unwrap_or(7);
        }
    }
}

/// A function that is imported by its name, beside a device function of that name.
mod functions {
    use gpu_runtime::prelude::*;

    mod helpers {
        use gpu_runtime::prelude::*;

        #[gpu_device]
        pub(super) fn scale(x: i32) -> i32 {
            x.wrapping_mul(2)
        }
    }

    mod other {
        #[allow(dead_code)]
        pub(super) fn scale(x: i32) -> i32 {
            x.wrapping_mul(3)
        }
    }

    #[allow(unused_imports)]
    use helpers::*;
    #[allow(unused_imports)]
    use other::scale;

    #[gpu_kernel]
    fn scaled(x: &mut [i32]) {
        let i = grid_1d();
        if i < x.len() {
            x[i] = scale(x[i]); //~
        }
    }
}

/// The same in another module, and a constant.
mod imported_functions {
    use gpu_runtime::prelude::*;

    mod helpers {
        use gpu_runtime::prelude::*;

        #[gpu_device]
        pub(super) fn scale(x: i32) -> i32 {
            x.wrapping_mul(2)
        }
    }

    mod other {
        pub(super) fn scale(x: i32) -> i32 {
            x.wrapping_mul(3)
        }
    }

    mod facade {
        #[allow(unused_imports)]
        pub(super) use super::helpers::*;
        pub(super) use super::other::scale;
    }

    #[gpu_kernel]
    fn scaled(x: &mut [i32]) {
        let i = grid_1d();
        if i < x.len() {
            x[i] = facade::scale(x[i]); //~
        }
    }

    mod by_glob {
        use super::facade::*;
        use gpu_runtime::prelude::*;

        #[gpu_kernel]
        fn scaled(x: &mut [i32]) {
            let i = grid_1d();
            if i < x.len() {
                x[i] = scale(x[i]); //~
            }
        }
    }

    mod constants {
        use super::helpers::*;
        use gpu_runtime::prelude::*;

        #[allow(non_upper_case_globals)]
        const scale: fn(i32) -> i32 = super::other::scale;

        #[gpu_kernel]
        fn scaled(x: &mut [i32]) {
            let i = grid_1d();
            if i < x.len() {
                x[i] = scale(x[i]); //~
            }
        }
    }
}

/// One that hides an intrinsic.
mod intrinsics {
    use gpu_runtime::prelude::*;

    fn lane_id() -> usize {
        0
    }

    #[gpu_kernel]
    fn lanes(x: &mut [usize]) {
        let i = grid_1d();
        if i < x.len() {
            x[i] = lane_id(); //~
        }
    }
}

/// The same behind a glob.
mod imported_intrinsics {
    mod facade {
        pub use gpu_runtime::prelude::*;
        pub use others::grid_1d;

        mod others {
            pub fn grid_1d() -> usize {
                0
            }
        }
    }
    use facade::*;

    #[gpu_kernel]
    fn first(x: &mut [usize]) {
        let i = grid_1d(); //~
        if i < x.len() {
            x[i] = 1;
        }
    }

    #[gpu_kernel]
    fn first_by_path(x: &mut [usize]) {
        let i = facade::grid_1d(); //~
        if i < x.len() {
            x[i] = 1;
        }
    }
}

/// A number beside another type: a comparison and a conversion of the user's.
mod numbers {
    use gpu_runtime::prelude::*;

    #[derive(Clone, Copy, PartialEq, DeviceType)]
    #[repr(u32)]
    enum Level {
        Low = 0,
        High = 4,
    }

    impl PartialEq<Level> for u32 {
        fn eq(&self, _: &Level) -> bool {
            *self == 7
        }
    }

    impl From<Level> for u32 {
        fn from(level: Level) -> u32 {
            if level == Level::Low { 100 } else { 200 }
        }
    }

    #[gpu_kernel]
    fn compared(levels: &[Level], x: &mut [u32]) {
        let i = grid_1d();
        if i < x.len() && i < levels.len() && x[i] == levels[i] { //~
            x[i] = 1;
        }
    }

    #[gpu_kernel]
    fn converted(levels: &[Level], x: &mut [u32]) {
        let i = grid_1d();
        if i < x.len() && i < levels.len() {
            x[i] = u32::from(levels[i]); //~
        }
    }
}

fn main() {}

//! Names that are taken for something by their text, and mean something else: what rustc finds when it looks for them.

/// A function with the name of a struct that comes from elsewhere.
mod constructors {
    use gpu_runtime::prelude::*;

    mod shapes {
        #[derive(Clone, Copy, PartialEq, gpu_runtime::DeviceType)]
        #[repr(C)]
        pub(super) struct Pair(pub(super) i32, pub(super) i32);
    }
    use shapes::*;

    #[allow(non_snake_case)]
    fn Pair(a: i32, b: i32) -> shapes::Pair {
        shapes::Pair { 0: b, 1: a }
    }

    #[gpu_kernel]
    fn first(out: &mut [i32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = Pair(1, 2).0; //~
        }
    }
}

/// A function with the name of a variant of std.
mod variants {
    use gpu_runtime::prelude::*;

    #[allow(non_snake_case)]
    fn Some<T>(_: T) -> Option<T> {
        None
    }

    #[gpu_kernel]
    fn chosen(x: &[i32], out: &mut [i32]) {
        let i = grid_1d();
        if i < out.len() && i < x.len() {
            let found = Some(x[i]); //~
            out[i] = found.unwrap_or(7);
        }
    }
}

/// A macro with the name of one of std.
mod macros {
    use gpu_runtime::prelude::*;

    macro_rules! mine {
        ($($token:tt)*) => {
            true
        };
    }
    use mine as matches;

    #[gpu_kernel]
    fn matching(x: &[i32], out: &mut [i32]) {
        let i = grid_1d();
        if i < out.len() && i < x.len() && matches!(x[i], 3) { //~
            out[i] = 1;
        }
    }
}

/// A derivative that would see another constant than its function.
mod gradients {
    use gpu_runtime::prelude::*;

    #[allow(dead_code)]
    const RATE: f64 = 1.0;

    fn inside() {
        const RATE: f64 = 100.0;

        #[vectorize(grad)]
        fn scaled(x: f64) -> f64 { //~
            x * RATE
        }

        #[gpu_kernel(grad)]
        fn scale(x: &[f64], out: &mut [f64]) { //~
            let i = grid_1d();
            if i < out.len() {
                out[i] = x[i] * RATE;
            }
        }

        // It names nothing around it.
        #[vectorize(grad)]
        fn square(x: f64) -> f64 {
            let (a, b) = (x, x);
            a * b
        }
        assert_eq!(square::grad(1.0), 2.0);
    }
}

fn main() {}

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
        pub(super) fn double<T: Num, const N: usize>(x: T, _: [T; N]) -> T {
            x + x
        }

        #[gpu_device]
        pub(super) fn scale(x: i32) -> i32 {
            x.wrapping_mul(2)
        }
    }

    mod other {
        pub(super) fn scale(x: i32) -> i32 {
            x.wrapping_mul(3)
        }
        pub(super) fn double<T: gpu_runtime::Num, const N: usize>(x: T, _: [T; N]) -> T {
            x + x + x
        }
    }

    mod facade {
        #[allow(unused_imports)]
        pub(super) use super::helpers::*;
        pub(super) use super::other::{double, scale};
    }

    #[gpu_kernel]
    fn doubled(x: &mut [i32]) {
        let i = grid_1d();
        if i < x.len() {
            x[i] = facade::double(x[i], [0; 2]); //~
            x[i] = helpers::double::<i32, 1>(x[i], [0]);
        }
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

/// A method of the type itself, which Rust prefers to that of a trait.
mod methods_of_types {
    use gpu_runtime::prelude::*;

    #[gpu_device]
    trait Shape {
        fn area(&self) -> f32;
        fn side(&self) -> f32;
        fn name(&self) -> u32;
    }

    #[derive(Clone, Copy, PartialEq, DeviceType)]
    #[repr(C)]
    struct Square {
        side: f32,
    }

    #[gpu_device]
    impl Shape for Square {
        fn area(&self) -> f32 { //~
            self.side * self.side
        }
        // The method of this name has the attribute too, and is called here and there.
        fn side(&self) -> f32 {
            self.side
        }
        // This name nobody else sees.
        fn name(&self) -> u32 {
            4
        }
    }

    #[gpu_device]
    impl Square {
        fn side(&self) -> f32 {
            -self.side
        }
    }

    mod elsewhere {
        impl super::Square {
            pub(super) fn area(&self) -> f32 {
                100.0
            }
            #[allow(dead_code)]
            fn name(&self) -> u32 {
                5
            }
        }
    }

    #[gpu_kernel]
    fn areas(squares: &[Square], out: &mut [f32]) {
        let i = grid_1d();
        if i < squares.len() && i < out.len() {
            out[i] = squares[i].area() + squares[i].side();
        }
    }

    // In a block, types have no path.
    fn inside() {
        #[derive(Clone, Copy, PartialEq, DeviceType)]
        #[repr(C)]
        struct Cube {
            side: f32,
        }

        #[gpu_device]
        impl Shape for Cube {
            fn area(&self) -> f32 {
                self.side * 6.0
            }
            fn side(&self) -> f32 { //~
                self.side
            }
            fn name(&self) -> u32 {
                8
            }
        }

        impl Cube {
            fn side(self) -> f32 {
                0.0
            }
        }
    }
}

/// The same of traits of std.
mod functions_of_std_traits {
    use gpu_runtime::prelude::*;

    #[derive(Clone, Copy, PartialEq, DeviceType)]
    #[repr(C)]
    struct Length {
        metres: f32,
    }

    #[gpu_device]
    impl Default for Length {
        fn default() -> Length { //~
            Length { metres: 1.0 }
        }
    }

    #[gpu_device]
    impl From<f32> for Length {
        fn from(metres: f32) -> Length { //~
            Length { metres }
        }
    }

    mod elsewhere {
        use super::Length;

        impl Length {
            pub(super) fn default() -> Length {
                Length { metres: 2.0 }
            }
            pub(super) fn from(_: f32) -> Length {
                Length { metres: 3.0 }
            }
        }
    }

    #[gpu_kernel]
    fn lengths(out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = Length::default().metres + Length::from(7.0).metres;
        }
    }
}

/// Methods of arrays, which come before those of slices.
mod methods_of_arrays {
    use gpu_runtime::prelude::*;

    trait Polynomial {
        fn len(&self) -> usize;
        fn swap(&mut self, a: usize, b: usize);
        fn contains(self, x: &f32) -> bool;
        fn iter(&self) -> std::iter::Empty<f32>;
    }

    impl<const N: usize> Polynomial for [f32; N] {
        fn len(&self) -> usize {
            77
        }
        fn swap(&mut self, _: usize, _: usize) {}
        fn contains(self, _: &f32) -> bool {
            true
        }
        fn iter(&self) -> std::iter::Empty<f32> {
            std::iter::empty()
        }
    }

    #[gpu_device]
    fn of_arrays<const N: usize>(mut a: [f32; N]) -> f32 {
        a.swap(0, 1); //~
        let mut sum = a.len() as f32; //~
        for x in a.iter() { //~
            sum += x;
        }
        for x in &a {
            sum += x;
        }
        if a.contains(&2.0) { sum } else { a[0] } //~
    }

    #[gpu_device]
    fn of_others(x: &[f32], y: [i32; 4]) -> usize {
        x.len() + y.len()
    }
}

/// Methods of references, which come before those of the number behind.
mod methods_of_references {
    use gpu_runtime::prelude::*;

    trait Magnitude {
        fn abs(&self) -> f32;
        fn exp(self) -> f32;
    }

    impl Magnitude for f32 {
        fn abs(&self) -> f32 {
            77.0
        }
        fn exp(self) -> f32 {
            78.0
        }
    }

    trait Level {
        fn sqrt(self) -> f32;
        fn floor(&self) -> f32;
    }

    impl Level for &f32 {
        fn sqrt(self) -> f32 {
            79.0
        }
        fn floor(&self) -> f32 {
            80.0
        }
    }

    #[gpu_device]
    fn magnitude(v: &f32) -> f32 {
        v.abs() + v.exp() //~
    }

    #[gpu_device]
    fn levels(v: &f32, w: &mut f32) -> f32 {
        *w = w.sqrt() + w.floor();
        v.sqrt() //~
            + v.floor() //~
            + (*v).sqrt()
    }

    #[gpu_kernel]
    fn of_elements(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() && i < x.len() {
            for v in x {
                out[i] += v.abs(); //~
            }
            out[i] += x.iter().map(|v| v.sqrt()).sum::<f32>(); //~
            out[i] += x[i].abs() + magnitude(&x[i]);
        }
    }
}

/// What the operator of a type does not say.
mod operators {
    use gpu_runtime::prelude::*;
    use std::ops::{Add, AddAssign};

    #[derive(Clone, Copy, PartialEq, DeviceType)]
    #[repr(C)]
    struct Money {
        cents: i32,
    }

    #[gpu_device]
    impl Add for Money {
        type Output = Money;
        fn add(self, other: Money) -> Money {
            Money { cents: self.cents + other.cents }
        }
    }

    impl AddAssign for Money {
        fn add_assign(&mut self, _: Money) {
            self.cents = 0;
        }
    }

    #[gpu_kernel]
    fn sums(x: &[Money], out: &mut [Money]) {
        let i = grid_1d();
        if i < out.len() && i < x.len() {
            out[i] = out[i] + x[i];
            out[i] += x[i]; //~
        }
    }
}

fn main() {}

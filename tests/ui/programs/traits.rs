//! Traits of device functions.

use gpu_runtime::prelude::*;

/// An argument of a trait's method that has another type.
mod argument_of_another_type {
    use super::*;

    #[gpu_device]
    trait Shape {
        fn area(self) -> f32;
        fn scaled(&self, by: f32) -> Self;
    }

    #[gpu_device]
    fn twice<S: Shape>(s: S, by: i32) -> S {
        s.scaled(by) //~
    }
}

/// An array function is generic over numbers.
mod array_function {
    use super::*;

    #[gpu_device]
    trait Shape {
        fn area(self) -> f32;
        fn scaled(&self, by: f32) -> Self;
    }

    #[vectorize]
    fn area<S: Shape>(x: S) -> f32 { //~
        x.area()
    }
}

/// A method of a trait in which threads wait.
mod async_method {
    use super::*;

    #[gpu_device]
    trait Shape {
        async fn area(self) -> f32; //~
    }
}

/// A bound of std, whose functions have no CUDA C.
mod bound_of_std {
    use super::*;

    #[gpu_device]
    trait Shape {
        fn area(self) -> f32;
        fn scaled(&self, by: f32) -> Self;
    }

    #[gpu_device]
    fn larger<S: Shape + PartialOrd>(a: S, b: S) -> S { //~
        if a < b { b } else { a }
    }
}

/// A bound in a `where` clause on anything but a type parameter.
mod bound_on_associated_type {
    use super::*;

    #[gpu_device]
    trait Shape {
        fn area(self) -> f32;
        fn scaled(&self, by: f32) -> Self;
    }

    #[gpu_device]
    trait Container {
        type Item: DeviceType;
        fn item(self) -> Self::Item;
    }

    #[gpu_device]
    fn area<C>(c: C) -> f32
    where
        C: Container,
        C::Item: Shape, //~
    {
        c.item().area()
    }
}

/// A method of a trait with type parameters.
mod generic_method {
    use super::*;

    #[gpu_device]
    trait Shape {
        fn scaled<T: Float>(self, by: T) -> Self; //~
    }
}

/// A trait with a body and a type parameter without a bound.
mod generic_trait {
    use super::*;

    #[gpu_device]
    trait Integrand<T> { //~
        fn at(self, x: T) -> T;

        fn twice(self, _x: T) -> T {
            _x
        }

        fn same(self, _x: T) -> T {
            _x
        }
    }
}

/// An `impl` of such a trait that has no `#[gpu_device]`.
mod impl_without_attribute {
    use super::*;

    #[gpu_device]
    trait Shape: DeviceType {
        const SIDES: u32;
    }

    impl Shape for f32 { //~
        const SIDES: u32 = 0;
    }
}

/// A method that the bound does not have.
mod method_not_in_bound {
    use super::*;

    #[gpu_device]
    trait Shape {
        fn area(self) -> f32;
        fn scaled(&self, by: f32) -> Self;
    }

    #[gpu_device]
    fn total<S: Shape>(s: S) -> f32 {
        s.volume() //~
    }
}

/// A method that a number does not have.
#[gpu_device]
fn method_of_no_trait(x: f32) -> f32 {
    x.area_of_circle() //~
}

/// A parameter that device functions do not have.
mod parameter_of_method {
    use super::*;

    #[gpu_device]
    trait Shape {
        fn join(self, others: Vec<f32>) -> f32; //~
    }
}

/// A trait object has no type that CUDA C is compiled for.
mod trait_object {
    use super::*;

    trait Shape {
        fn area(&self) -> f32;
    }

    #[gpu_device]
    fn total(s: &dyn Shape) -> f32 { //~
        s.area()
    }
}

/// A trait that has no `#[gpu_device]`.
mod trait_without_attribute {
    use super::*;

    trait Plain: DeviceType {
        const SIDES: u32;
        fn area(self) -> f32;
        fn scaled(&self, by: f32) -> Self;
    }

    #[gpu_device]
    impl Plain for f32 { //~
        const SIDES: u32 = 1;

        fn area(self) -> f32 {
            self * self
        }

        fn scaled(&self, by: f32) -> f32 {
            *self * by
        }
    }

    #[gpu_device]
    fn sides<S: Plain>(s: S) -> f32 { //~
        s.scaled(2.0).area() * S::SIDES as f32
    }

    #[gpu_kernel]
    fn kernel<S: Plain>(shapes: &[S], out: &mut [f32]) { //~
        let i = grid_1d();
        if i < out.len() {
            out[i] = sides(shapes[i]) + shapes[i].area();
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<f32>(8)?;
        let mut out = device.zeros::<f32>(8)?;
        kernel(&x, &mut out).launch(1, 8)
    }
}

/// Two bounds of numbers beside one of the user.
mod two_classes {
    use super::*;

    #[gpu_device]
    trait Shape {
        fn area(self) -> f32;
        fn scaled(&self, by: f32) -> Self;
    }

    #[gpu_device]
    fn twice<T: Shape + Num + Float>(x: T) -> T { //~
        x + x
    }
}

/// Two bounds with a method of one name.
mod two_traits_of_one_method {
    use super::*;

    #[gpu_device]
    trait Shape {
        fn size(self) -> f32;
    }

    #[gpu_device]
    trait Weighed {
        fn size(self) -> f32;
    }

    #[gpu_device]
    fn total<S: Shape + Weighed>(s: S) -> f32 {
        s.size() //~
    }
}

/// A mistake in a default method is no mistake of those who implement or call the trait.
mod mistake_in_default {
    use super::*;

    #[gpu_device]
    trait Measured {
        fn size(&self) -> f32;
        fn twice(&self) -> f32 {
            let text = "two"; //~
            self.size() * 2.0
        }
        fn half(&self) -> f32 {
            self.size() * 0.5
        }
    }

    #[gpu_device]
    impl Measured for f32 {
        fn size(&self) -> f32 {
            *self
        }
    }

    #[gpu_kernel]
    fn kernel<S: Measured>(x: &[S], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = x[i].twice() + x[i].half();
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<f32>(8)?;
        let mut out = device.zeros::<f32>(8)?;
        kernel(&x, &mut out).launch(1, 8)
    }
}

/// A mistake in an `impl` of a trait is no mistake of those who call it.
mod mistake_in_impl {
    use super::*;

    #[gpu_device]
    trait Measured {
        fn size(&self) -> f32;
    }

    #[gpu_device]
    impl Measured for f32 {
        fn size(&self) -> f32 {
            let text = "size"; //~
            *self
        }
    }

    #[gpu_kernel]
    fn kernel<S: Measured>(x: &[S], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = x[i].size();
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<f32>(8)?;
        let mut out = device.zeros::<f32>(8)?;
        kernel(&x, &mut out).launch(1, 8)
    }
}

fn main() {}

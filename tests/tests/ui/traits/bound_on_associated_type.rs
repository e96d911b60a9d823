//! A bound in a `where` clause on anything but a type parameter.

use gpu_runtime::prelude::*;

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
    C::Item: Shape,
{
    c.item().area()
}

fn main() {}

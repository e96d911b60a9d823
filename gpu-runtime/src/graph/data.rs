//! Data with arrays that a graph borrows as one argument: structs of a program, and lists.

use std::marker::PhantomData;

use super::argument::Borrowed;
use super::key::{Key, Part};
use crate::backend::Access;
use crate::device::Device;
use crate::memory::{DeviceArray, Layout};
use crate::source::DeviceType;

/// Data whose references are arguments of graphs: arrays, numbers, lists of these, and structs with `#[derive(GraphData)]`.
///
/// A model is then one argument, however many arrays it has:
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// #[derive(GraphData)]
/// struct Layer {
///     weights: DeviceArray<f32>,
///     bias: DeviceArray<f32>,
/// }
///
/// #[derive(GraphData)]
/// struct Model {
///     layers: Vec<Layer>,
///     scale: f32,
/// }
///
/// fn forward(model: &Model, x: &mut DeviceArray<f32>) -> gpu_runtime::Result<()> {
///     for layer in &model.layers {
///         let y = ((matmul(&*x, &layer.weights) + &layer.bias) * model.scale).collect()?;
///         x.copy_from(&y)?;
///     }
///     Ok(())
/// }
///
/// # fn main() -> gpu_runtime::Result<()> {
/// let device = Device::best()?;
/// let layer = || Ok::<_, gpu_runtime::Error>(Layer { weights: device.eye(2)?, bias: device.ones(2)? });
/// let mut model = Model { layers: vec![layer()?, layer()?], scale: 2.0 };
/// let mut x = device.to_device(&[1.0, 2.0])?.reshape([1, 2])?;
///
/// let mut step = Graph::record(&device, (&model, &mut x), |(model, x)| forward(model, x))?;
/// step.launch((&model, &mut x))?;
/// assert_eq!(x.to_host()?, [10.0, 14.0]);
/// model.scale = 1.0; // another number: the closure runs again
/// step.launch((&model, &mut x))?;
/// assert_eq!(x.to_host()?, [12.0, 16.0]);
/// # Ok(())
/// # }
/// ```
///
/// What a graph only reads, and what stays the same as long as the graph lives, it can [capture](crate::Graph::record_with).
///
/// # Safety
///
/// [`list_memory`](Self::list_memory) must add all device memory that code with a reference to the value can use, and what
/// [`add_to_key`](Self::add_to_key) adds must differ whenever this memory does. As long as a shared reference to the value lives, both must stay
/// the same. The derive takes them from the fields.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be part of an argument of a graph",
    label = "not an array, a number, or a list of these",
    note = "write `#[derive(GraphData)]` above a struct whose fields are arrays, numbers, lists, and other such structs"
)]
pub unsafe trait GraphData {
    /// A key tells values of one type apart, so there is no `dyn GraphData`.
    #[doc(hidden)]
    const IS_ONE_TYPE: () = ();

    /// Adds what distinguishes it from other values of its type.
    #[doc(hidden)]
    fn add_to_key(&self, key: &mut Key);

    /// Adds the memory of each array in it.
    #[doc(hidden)]
    fn list_memory<'s>(&'s self, memory: &mut Borrowed<'s>);
}

// SAFETY: an array has one part of memory.
unsafe impl<T: DeviceType> GraphData for DeviceArray<T> {
    #[inline]
    fn add_to_key(&self, key: &mut Key) {
        key.add(Part::Array { first: self.slice(..).address(), layout: Layout::c_order(self.shape()) });
    }

    #[inline]
    fn list_memory<'s>(&'s self, memory: &mut Borrowed<'s>) {
        memory.add(self.device(), self.slice(..).memory_use(memory.access));
    }
}

/// Implements [`GraphData`] for what has its parts in a list.
macro_rules! lists {
    ($($(const $N:ident)? $List:ty;)*) => {$(
        // SAFETY: all of its parts are listed.
        unsafe impl<D: GraphData $(, const $N: usize)?> GraphData for $List {
            fn add_to_key(&self, key: &mut Key) {
                let parts = self.iter();
                key.add(Part::Number(parts.len() as u64));
                parts.for_each(|part| part.add_to_key(key));
            }

            fn list_memory<'s>(&'s self, memory: &mut Borrowed<'s>) {
                self.iter().for_each(|part| part.list_memory(memory));
            }
        }
    )*};
}

lists! {
    [D];
    Vec<D>;
    const N [D; N];
    Option<D>;
}

/// Implements [`GraphData`] for what leads to other data.
macro_rules! pointers {
    ($($Pointer:ty, $memory:ident $change:block;)*) => {$(
        // SAFETY: it is what it leads to.
        unsafe impl<D: GraphData + ?Sized> GraphData for $Pointer {
            fn add_to_key(&self, key: &mut Key) {
                (**self).add_to_key(key);
            }

            fn list_memory<'s>(&'s self, $memory: &mut Borrowed<'s>) {
                let outer = $memory.access;
                $change
                (**self).list_memory($memory);
                $memory.access = outer;
            }
        }
    )*};
}

pointers! {
    Box<D>, memory {};
    // What is behind it is read, also in data that is written.
    &D, memory { memory.access = Access::Read };
}

/// Implements [`GraphData`] for what has no memory of a device, and is the same if it is equal.
macro_rules! without_memory {
    ($([$($T:ident)?] $Data:ty, |$data:ident| $($part:expr)?;)*) => {$(
        // SAFETY: it has no memory of a device.
        unsafe impl$(<$T: ?Sized>)? GraphData for $Data {
            fn add_to_key(&self, _key: &mut Key) {
                $(
                    let $data = self;
                    _key.add($part);
                )?
            }

            fn list_memory<'s>(&'s self, _: &mut Borrowed<'s>) {}
        }
    )*};
}

without_memory! {
    [] (), |_data|;
    [] String, |text| Part::Text(text.clone());
    [] Device, |device| Part::Device(device.clone());
    [T] PhantomData<T>, |_data|;
}

/// Implements [`GraphData`] for tuples.
macro_rules! tuples {
    ($($($D:ident $position:tt)*;)*) => {$(
        // SAFETY: all of its parts are listed.
        unsafe impl<$($D: GraphData),*> GraphData for ($($D,)*) {
            fn add_to_key(&self, key: &mut Key) {
                $(self.$position.add_to_key(key);)*
            }

            fn list_memory<'s>(&'s self, memory: &mut Borrowed<'s>) {
                $(self.$position.list_memory(memory);)*
            }
        }
    )*};
}

tuples! {
    A 0;
    A 0 B 1;
    A 0 B 1 C 2;
    A 0 B 1 C 2 D 3;
}

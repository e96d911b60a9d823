//! The tree of a lazy array, as a type: borrowed arrays at its leaves, functions above.

use std::marker::PhantomData;
use std::sync::Arc;

use super::code::{Call, Code, Index, Load, Value};
use super::input::{Inputs, Place};
use super::{ArrayFunction, Item, Lazy};
use crate::device::Device;
use crate::memory::{DeviceArray, DeviceView, Layout, Shape};
use crate::source::Element;

/// The tree of a [`Lazy`] array. Array functions and operators create it; other code does not need to name it. Its clones have the same
/// arrays.
///
/// # Safety
///
/// `inputs` hands over the inputs that `Code` names, in that order, each of the type that it expects there.
pub unsafe trait Expression: Clone {
    /// The type of one element.
    type Item: Item;
    /// The tree without its borrowed arrays.
    #[doc(hidden)]
    type Code: Code<Item = Self::Item>;

    /// Adds the inputs to `inputs`.
    #[doc(hidden)]
    fn inputs<'s>(&'s self, inputs: &mut Inputs<'s>);
}

/// An array on a device.
#[derive(Clone, Copy)]
pub struct ArrayInput<'a, T: Element>(pub(crate) DeviceView<'a, T>);

// SAFETY: one array of `T`, which is what `Load<T>` reads.
unsafe impl<T: Element> Expression for ArrayInput<'_, T> {
    type Item = T;
    type Code = Load<T>;

    fn inputs<'s>(&'s self, inputs: &mut Inputs<'s>) {
        inputs.array(&self.0);
    }
}

/// An array on a device that the expression owns, together with its clones.
pub struct OwnedInput<T: Element>(pub(crate) Arc<DeviceArray<T>>);

impl<T: Element> Clone for OwnedInput<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

// SAFETY: one array of `T`, which is what `Load<T>` reads.
unsafe impl<T: Element> Expression for OwnedInput<T> {
    type Item = T;
    type Code = Load<T>;

    fn inputs<'s>(&'s self, inputs: &mut Inputs<'s>) {
        inputs.array(&self.0.view());
    }
}

/// An array in host memory.
#[derive(Clone, Copy)]
pub struct HostInput<'a, T: Element> {
    first: *const T,
    layout: Layout,
    /// The number of axes, if it is more than there can be.
    excess_rank: Option<usize>,
    elements: PhantomData<&'a [T]>,
}

impl<'a, T: Element> HostInput<'a, T> {
    /// All elements of `slice`, in one dimension.
    pub(crate) fn flat(slice: &'a [T]) -> Self {
        Self { first: slice.as_ptr(), layout: Layout::c_order(slice.len().into()), excess_rank: None, elements: PhantomData }
    }

    /// The elements of an array of any strides.
    #[cfg(feature = "ndarray")]
    pub(crate) fn of_ndarray<D: ndarray::Dimension>(array: &'a ndarray::ArrayRef<T, D>) -> Self {
        let shape = crate::memory::Shape::from_extents(array.shape());
        let excess_rank = shape.is_none().then(|| array.ndim());
        let layout = shape.map_or(Layout::c_order(0.into()), |shape| Layout::new(shape, array.strides()));
        Self { first: array.as_ptr(), layout, excess_rank, elements: PhantomData }
    }
}

// SAFETY: it is what a `&[T]` is.
unsafe impl<T: Element> Send for HostInput<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Element> Sync for HostInput<'_, T> {}

// SAFETY: one array of `T`, which is what `Load<T>` reads.
unsafe impl<T: Element> Expression for HostInput<'_, T> {
    type Item = T;
    type Code = Load<T>;

    fn inputs<'s>(&'s self, inputs: &mut Inputs<'s>) {
        inputs.host(self.first, self.layout);
        inputs.too_many_axes = inputs.too_many_axes.or(self.excess_rank);
    }
}

/// One value, which goes with every shape.
#[derive(Clone, Copy)]
pub struct ScalarInput<T: Element>(pub(crate) T);

// SAFETY: one value of `T`, which is what `Value<T>` reads.
unsafe impl<T: Element> Expression for ScalarInput<T> {
    type Item = T;
    type Code = Value<T>;

    fn inputs<'s>(&'s self, inputs: &mut Inputs<'s>) {
        inputs.scalar(&self.0);
    }
}

/// Indices along an axis: see [`iota`].
#[derive(Clone, Copy)]
pub struct IndexInput {
    layout: Layout,
}

impl IndexInput {
    /// The numbers of the elements of an array of that shape, in C order.
    pub(crate) fn of_elements(shape: Shape) -> Self {
        Self { layout: Layout::c_order(shape) }
    }

    /// The indices along `axis` of an array of that shape.
    pub(crate) fn along(shape: Shape, axis: usize) -> Self {
        let mut strides = vec![0; shape.rank()];
        strides[axis] = 1;
        Self { layout: Layout::new(shape, &strides) }
    }
}

// SAFETY: one input without memory, which is what `Index` reads.
unsafe impl Expression for IndexInput {
    type Item = usize;
    type Code = Index;

    fn inputs<'s>(&'s self, inputs: &mut Inputs<'s>) {
        inputs.index(self.layout);
    }
}

/// The indices of the elements of an array of this shape, in C order: `np.arange(n).reshape(shape)`. It takes no memory.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// let device = Device::cpu();
/// assert_eq!(iota(4).on(&device).to_host()?, [0, 1, 2, 3]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
pub fn iota(shape: impl Into<Shape>) -> Lazy<IndexInput> {
    Lazy::new(IndexInput::of_elements(shape.into()))
}

/// A function of expressions.
pub struct Apply<F, A> {
    arguments: A,
    function: PhantomData<fn() -> F>,
}

impl<F, A> Apply<F, A> {
    /// For generated code.
    #[doc(hidden)]
    pub fn new(arguments: A) -> Self {
        Self { arguments, function: PhantomData }
    }

    pub(crate) fn arguments(&self) -> &A {
        &self.arguments
    }
}

impl<F, A: Clone> Clone for Apply<F, A> {
    fn clone(&self) -> Self {
        Self::new(self.arguments.clone())
    }
}

impl<F, A: Copy> Copy for Apply<F, A> {}

macro_rules! apply {
    ($($E:ident $index:tt),*) => {
        // SAFETY: the inputs of each argument in order, which is how `Call` counts them.
        unsafe impl<F, $($E: Expression<Item: Element>),*> Expression for Apply<F, ($($E,)*)>
        where
            F: ArrayFunction<Args = ($($E::Item,)*)>,
        {
            type Item = F::Output;
            type Code = Call<F, ($($E::Code,)*)>;

            fn inputs<'s>(&'s self, inputs: &mut Inputs<'s>) {
                $(self.arguments.$index.inputs(inputs);)*
            }
        }
    };
}

apply!(A 0);
apply!(A 0, B 1);
apply!(A 0, B 1, C 2);
apply!(A 0, B 1, C 2, D 3);
apply!(A 0, B 1, C 2, D 3, E 4);
apply!(A 0, B 1, C 2, D 3, E 4, G 5);
apply!(A 0, B 1, C 2, D 3, E 4, G 5, H 6);
apply!(A 0, B 1, C 2, D 3, E 4, G 5, H 6, I 7);

/// The left argument of an outer product: `E` with more axes of extent 1 at the end.
#[derive(Clone, Copy)]
pub struct AppendAxes<E> {
    pub(crate) inner: E,
    pub(crate) axes: usize,
}

/// `F` of every element of `a` with every element of `b`: for generated code.
pub fn outer<F, A: Expression, B: Expression>(a: Lazy<A>, b: Lazy<B>) -> Lazy<Apply<F, (AppendAxes<A>, B)>> {
    let axes = b.rank();
    Lazy::new(Apply::new((a.append_axes(axes).into_inner(), b.into_inner())))
}

// SAFETY: the inputs of the inner expression, and its code.
unsafe impl<E: Expression> Expression for AppendAxes<E> {
    type Item = E::Item;
    type Code = E::Code;

    fn inputs<'s>(&'s self, inputs: &mut Inputs<'s>) {
        inputs.with_appended_axes(self.axes, |inputs| self.inner.inputs(inputs));
    }
}

/// An expression that runs on the device that the user selected.
#[derive(Clone, Copy)]
pub struct OnDevice<'d, E> {
    pub(crate) inner: E,
    pub(crate) device: &'d Device,
}

// SAFETY: the inputs of the inner expression, and its code.
unsafe impl<E: Expression> Expression for OnDevice<'_, E> {
    type Item = E::Item;
    type Code = E::Code;

    fn inputs<'s>(&'s self, inputs: &mut Inputs<'s>) {
        inputs.choose(Place::On, self.device);
        self.inner.inputs(inputs);
    }
}

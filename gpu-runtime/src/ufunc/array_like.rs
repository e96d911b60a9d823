//! What is an array: on a device, a view of one, or a lazy array.
//!
//! ```text
//! &DeviceArray  DeviceView  DeviceSlice …  Lazy<E>
//!       └──────────┴────────────┴─────────────┘
//!                     │ ArrayLike::lazy
//!                     ▼
//!  Elementwise   Reductions   Scans   …      one trait for each topic, for every array
//! ```
//!
//! Each topic has a trait with provided methods, in the module of the functions behind it, and the prelude has all of them. So an array, a
//! view and an expression have the same methods, by one definition. A method begins with [`ArrayLike::lazy`]; from there on, it is a
//! function of a [`Lazy`] array. Functions without fusion, such as sorting, start by storing the elements where they are not stored yet.

use super::expression::ArrayInput;
use super::{Expression, IntoLazy, Item, Lazy};
use crate::memory::{DeviceArray, DeviceSlice, DeviceSliceMut, DeviceView, DeviceViewMut};
use crate::source::Element;

/// An array: `&` of a [`DeviceArray`], a view or part of one, or a [`Lazy`] array. The bound of functions that take any of them.
///
/// The methods of arrays are in a trait for each topic, [`Elementwise`](super::Elementwise), [`Reductions`](super::Reductions) and
/// others, which every type of arrays has. The prelude contains them. A function with this bound begins with [`lazy`](Self::lazy).
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// fn norm(x: impl ArrayLike<Item = f32>) -> gpu_runtime::Result<f32> {
///     Ok(x.lazy().square().sum()?.sqrt())
/// }
///
/// let x = Device::cpu().to_device(&[3.0f32, 4.0, 12.0])?;
/// assert_eq!(norm(&x)?, 13.0);
/// assert_eq!(norm(x.slice(..2))?, 5.0);
/// assert_eq!(norm(2.0 * x.view())?, 26.0);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "functions of arrays take references to arrays on a device, views and lazy arrays, not `{Self}`",
    label = "a reference to an array, a view or a lazy array is needed here",
    note = "pass an array as a reference, `&array`",
    note = "write `lazy(&x)` for an array or a `Vec` of the host, and for a number `lazy(x)`"
)]
pub trait ArrayLike: Sized {
    /// The type of its elements.
    type Item: Item;
    /// Its type in an expression.
    type Expression: Expression<Item = Self::Item>;

    /// It as a lazy array, which computes nothing.
    fn lazy(self) -> Lazy<Self::Expression>;
}

impl<E: Expression> ArrayLike for Lazy<E> {
    type Item = E::Item;
    type Expression = E;

    fn lazy(self) -> Self {
        self
    }
}

impl<E: Expression> ArrayLike for &Lazy<E> {
    type Item = E::Item;
    type Expression = E;

    fn lazy(self) -> Lazy<E> {
        self.clone()
    }
}

/// Arrays in the memory of a device.
macro_rules! arrays {
    ($($Array:ty;)*) => {$(
        impl<'a, T: Element> ArrayLike for $Array {
            type Item = T;
            type Expression = ArrayInput<'a, T>;

            fn lazy(self) -> Lazy<ArrayInput<'a, T>> {
                self.into_lazy()
            }
        }
    )*};
}

arrays! {
    &'a DeviceArray<T>;
    DeviceView<'a, T>;
    &DeviceView<'a, T>;
    &'a DeviceViewMut<'_, T>;
    DeviceSlice<'a, T>;
    &DeviceSlice<'a, T>;
    &'a DeviceSliceMut<'_, T>;
}

/// An array of a list that is borrowed: `concatenate(&[&x, &y], 0)`.
impl<'a, T: Element> ArrayLike for &&'a DeviceArray<T> {
    type Item = T;
    type Expression = ArrayInput<'a, T>;

    fn lazy(self) -> Lazy<ArrayInput<'a, T>> {
        (*self).into_lazy()
    }
}

/// Gives a trait of provided methods to every array. Implementing it for all `A: ArrayLike` at once would make rustc offer the methods
/// for numbers too.
macro_rules! give_to_arrays {
    ($Trait:ident) => {
        impl<E: $crate::ufunc::Expression> $Trait for $crate::ufunc::Lazy<E> {}
        impl<E: $crate::ufunc::Expression> $Trait for &$crate::ufunc::Lazy<E> {}
        give_to_arrays! { $Trait: &DeviceArray<T>, DeviceView<'_, T>, &DeviceView<'_, T>, &DeviceViewMut<'_, T> }
        give_to_arrays! { $Trait: DeviceSlice<'_, T>, &DeviceSlice<'_, T>, &DeviceSliceMut<'_, T> }
    };
    ($Trait:ident: $($Array:ty),*) => {
        const _: () = {
            #[allow(unused_imports, reason = "each of them is in one of the lists")]
            use $crate::memory::{DeviceArray, DeviceSlice, DeviceSliceMut, DeviceView, DeviceViewMut};
            $(impl<T: $crate::source::Element> $Trait for $Array {})*
        };
    };
}
pub(crate) use give_to_arrays;

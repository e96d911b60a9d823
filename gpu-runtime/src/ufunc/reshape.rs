//! `reshape` of lazy arrays: other strides for each input where there are such, and a copy of the input where there are none.

use std::any::TypeId;
use std::panic::Location;
use std::sync::Arc;

use super::input::{Input, InputKind, Inputs};
use super::rearrange::list_with_repeated;
use super::{Expression, Lazy, lazy};
use crate::memory::{DeviceArray, DeviceView, Layout, Shape, check_reshape};
use crate::source::Element;
use crate::{Error, Result};

/// An expression with another shape: see [`Lazy::reshape`].
#[derive(Clone)]
pub struct Reshaped<E> {
    inner: E,
    shape: Shape,
    /// The inputs that had to be copied, by number.
    copies: Arc<[Option<Box<dyn Copied>>]>,
}

/// The elements of an input in C order.
trait Copied: Send + Sync {
    fn input<'s>(&'s self, inputs: &mut Inputs<'s>);
}

impl<T: Element> Copied for DeviceArray<T> {
    fn input<'s>(&'s self, inputs: &mut Inputs<'s>) {
        inputs.array(&self.view());
    }
}

impl<T: Element> Copied for Vec<T> {
    fn input<'s>(&'s self, inputs: &mut Inputs<'s>) {
        inputs.host(self.as_ptr(), Layout::c_order(self.len().into()));
    }
}

// SAFETY: the inputs of the inner expression, each with another layout or as a copy with elements of the same type, and its code.
unsafe impl<E: Expression> Expression for Reshaped<E> {
    type Item = E::Item;
    type Code = E::Code;

    fn inputs<'s>(&'s self, inputs: &mut Inputs<'s>) {
        let change = |list: &mut [Input<'s>]| {
            for (number, (input, layout)) in list_with_repeated(list).enumerate() {
                if let Some(Some(copy)) = self.copies.get(number) {
                    let mut copied = Inputs::default();
                    copy.input(&mut copied);
                    *input = copied.list.remove(0);
                    input.layout = Layout::c_order(self.shape);
                } else {
                    input.layout = layout.reshape(self.shape).expect("an input that cannot be reshaped was copied");
                }
            }
        };
        inputs.rearranged(|inputs| self.inner.inputs(inputs), change);
    }
}

impl<E: Expression> Lazy<E> {
    /// The same elements in the same (C) order with another shape: `x.reshape(shape)`.
    ///
    /// It computes nothing, and copies an input only where no strides give its elements in that order, such as a row that is repeated: as
    /// NumPy does.
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`] if `shape` has more or fewer elements, [`Error::BroadcastMismatch`] if the shapes of the inputs do not fit,
    /// [`Error::NotContiguous`] if an input that would have to be copied has structs for elements, and those of [`collect`](Self::collect)
    /// for a copy.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let device = Device::cpu();
    /// assert_eq!(iota(6).reshape([2, 3])?.t().on(&device).to_host()?, [0, 3, 1, 4, 2, 5]);
    /// let (column, row) = (device.to_device(&[10, 20])?.reshape([2, 1])?, device.to_device(&[1, 2, 3])?);
    /// assert_eq!((&column + &row).reshape(6)?.to_host()?, [11, 12, 13, 21, 22, 23]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    #[track_caller]
    pub fn reshape(self, shape: impl Into<Shape> /* `x.reshape([rows, columns])?` */) -> Result<Lazy<Reshaped<E>>> {
        let (old, shape) = (self.shape()?, shape.into());
        check_reshape(old, shape)?;
        let mut inputs = self.inputs();
        let mut copies = Vec::new();
        for (input, layout) in list_with_repeated(&mut inputs.list) {
            let copy = match layout.reshape(shape) {
                Some(_) => None,
                None => Some(copied(input, layout, shape)?),
            };
            copies.push(copy);
        }
        drop(inputs);
        Ok(Lazy::new(Reshaped { inner: self.expression, shape, copies: copies.into() }))
    }
}

/// The elements of an input with that layout in C order, which are to have the shape `shape`.
#[track_caller]
fn copied(input: &Input<'_>, layout: Layout, shape: Shape) -> Result<Box<dyn Copied>> {
    if let InputKind::Index { first } = input.kind {
        let mut numbers = Vec::with_capacity(layout.len());
        layout.for_each_offset(|offset| numbers.push(first.wrapping_add_signed(offset)));
        return Ok(Box::new(numbers));
    }
    macro_rules! copy_of_type {
        ($($T:ty)*) => {$(
            if input.element == TypeId::of::<$T>() {
                // SAFETY: the input has elements of this type, and is as large as its layout, which this one repeats.
                return unsafe { copy::<$T>(input, layout) };
            }
        )*};
    }
    copy_of_type! { f32 f64 i32 i64 u32 u64 usize isize bool u8 i8 u16 i16 }
    #[cfg(feature = "half")]
    copy_of_type! { half::f16 half::bf16 }
    #[cfg(feature = "complex")]
    copy_of_type! { num_complex::Complex<f32> num_complex::Complex<f64> }
    Err(Error::NotContiguous {
        operation: format!("reshape to {shape}, without copying,"),
        shape: Box::new(layout.shape),
        strides: layout.strides().to_vec(),
        help: "`collect()` it first, and reshape the result",
        location: Location::caller(),
    })
}

/// # Safety
///
/// The input has elements of type `T`, all those of the layout.
#[track_caller]
unsafe fn copy<T: Element>(input: &Input<'_>, layout: Layout) -> Result<Box<dyn Copied>> {
    match input.kind {
        InputKind::Device { owner, pointer } => {
            // SAFETY: the caller guarantees the elements, which the input borrows.
            let array: DeviceArray<T> = lazy(unsafe { DeviceView::<T>::new(owner, pointer.cast(), layout) }).collect()?;
            Ok(Box::new(array))
        }
        InputKind::Host { pointer } | InputKind::Uploaded { pointer } | InputKind::Scalar { pointer } => {
            let mut elements = Vec::with_capacity(layout.len());
            // SAFETY: the caller guarantees the elements, in memory of the host: only a launch uploads inputs.
            layout.for_each_offset(|offset| elements.push(unsafe { *pointer.cast::<T>().wrapping_offset(offset) }));
            Ok(Box::new(elements))
        }
        InputKind::Deferred { .. } | InputKind::Index { .. } => {
            unreachable!("what was deferred is computed, and indices are numbers of their own")
        }
    }
}

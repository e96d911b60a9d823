//! Array functions that are not element by element: selection, sorting, groups, products of matrices, attention, convolution.
//!
//! They are kernels in this crate's own language, `#[gpu_kernel]`s like those of users, so the CPU runs their twins. A function
//! has these steps:
//!
//! ```text
//! ArrayLike ──stored──▶ Stored: the view that it is, or the new array that it is collected into
//!     │ shapes are checked, the result is allocated on the device of the arrays
//!     ▼
//! kernel(view.view(), …, &mut result).forall(n)
//! ```
//!
//! An expression is stored first, because kernels read elements more than once, or in another order. Where the CPU is much faster
//! with loops of another shape than a kernel's, it has a function of its own ([`matmul`]).

mod attention;
mod codes;
mod einsum;
mod filters;
#[cfg(feature = "fft")]
mod fourier;
mod groups;
mod keys;
mod label;
#[cfg(feature = "linalg")]
mod linalg;
mod matmul;
mod matrices;
mod merge_sort;
mod normalize;
#[cfg(feature = "npy")]
mod npy;
mod order;
mod put;
mod quantiles;
mod radix;
mod recursive;
mod repeat;
mod sample;
mod search;
mod select;
mod sets;
mod signal;
mod sort;
mod sparse;
mod statistics;
mod words;

pub(crate) use attention::attention_gradients;
pub use attention::{AttentionElement, Mask};
pub(crate) use einsum::Labels;
pub use einsum::{einsum, einsum_of};
pub use filters::Filters;
#[cfg(feature = "fft")]
pub use fourier::{Fourier, FourierElement, FourierFloat};
pub use groups::Groups;
#[cfg(feature = "linalg")]
pub use linalg::{LinearAlgebra, LinearFloat};
pub(crate) use matmul::add_product;
pub use matmul::{MatrixElement, Precision, Product, Products, matmul, matmul_with};
pub use matrices::Matrices;
pub(crate) use matrices::diagonals;
pub use normalize::Normalizations;
pub(crate) use normalize::row_axis;
#[cfg(feature = "npy")]
pub use npy::NpzFile;
pub(crate) use radix::{Carried, DIGIT_BITS, sort_codes};
pub use repeat::{Pad, Repetitions};
pub use sample::Interpolation;
pub use select::Selections;
pub use sets::{Sets, lexsort};
pub use signal::Signals;
pub use sort::{SortElement, Sorting};
pub use sparse::CsrMatrix;
pub use statistics::{CovarianceElement, Statistics};

use crate::Result;
use crate::compile::used;
use crate::device::Device;
use crate::memory::{DeviceArray, DeviceView};
use crate::source::Element;
use crate::ufunc::{Expression, Lazy, Stored};

/// Elements in C order.
enum Contiguous<'a, T: Element> {
    Borrowed(DeviceView<'a, T>),
    Copied(DeviceArray<T>),
}

impl<'a, T: Element> Contiguous<'a, T> {
    /// Those of `stored`, copied if they are not in C order.
    #[track_caller]
    fn of(stored: &'a Stored<'_, T>) -> Result<Self> {
        let view = stored.view();
        if view.is_contiguous() {
            return Ok(Self::Borrowed(view));
        }
        Ok(Self::Copied(crate::ufunc::lazy(view).collect()?))
    }

    fn view(&self) -> DeviceView<'_, T> {
        match self {
            Self::Borrowed(view) => *view,
            Self::Copied(array) => array.view(),
        }
    }

    fn slice(&self) -> crate::memory::DeviceSlice<'_, T> {
        self.view().as_slice().expect("the elements are in C order")
    }
}

/// The elements in a new array.
#[track_caller]
fn collected<T: Element, E: Expression<Item = T>>(lazy: Lazy<E>) -> Result<DeviceArray<T>> {
    lazy.collect()
}

/// Whether functions that have a way of their own on the CPU go that of a GPU: on one, and where [somebody asks](used::kernels_of) for the
/// kernels of that, which then run on the CPU.
fn by_kernels(device: &Device) -> bool {
    device.is_gpu() || used::is_asked()
}

#[cfg(test)]
mod tests;

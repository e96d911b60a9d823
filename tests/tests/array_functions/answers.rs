//! Results of any type as shapes and floats.

use gpu_runtime::prelude::*;
use gpu_runtime::{ArrayLike, DeviceSlice, DeviceView, Element, Result};
use num_complex::Complex;

use super::Array;

/// The result of a row.
pub(super) trait Answer {
    fn array(self) -> Result<Array>;
}

/// Elements as `f64`, which holds all numbers of the tables: complex numbers as two.
pub(super) trait AsFloat: Copy {
    fn as_float(self) -> f64;

    fn append_to(self, floats: &mut Vec<f64>) {
        floats.push(self.as_float());
    }
}

impl AsFloat for Complex<f64> {
    fn as_float(self) -> f64 {
        self.re
    }

    fn append_to(self, floats: &mut Vec<f64>) {
        floats.extend([self.re, self.im]);
    }
}

impl AsFloat for Complex<f32> {
    fn as_float(self) -> f64 {
        self.re.into()
    }

    fn append_to(self, floats: &mut Vec<f64>) {
        floats.extend([self.re, self.im].map(f64::from));
    }
}

macro_rules! scalars {
    ($($T:ty),*) => {$(
        impl AsFloat for $T {
            fn as_float(self) -> f64 {
                self as f64
            }
        }

        impl Answer for $T {
            fn array(self) -> Result<Array> {
                Ok((Vec::new(), vec![self.as_float()]))
            }
        }
    )*};
}

scalars!(f32, f64, i32, i64, u32, u64, usize);

impl Answer for Complex<f64> {
    fn array(self) -> Result<Array> {
        Ok((Vec::new(), vec![self.re, self.im]))
    }
}

impl AsFloat for bool {
    fn as_float(self) -> f64 {
        f64::from(u8::from(self))
    }
}

impl Answer for bool {
    fn array(self) -> Result<Array> {
        Ok((Vec::new(), vec![self.as_float()]))
    }
}

impl<E, T: Element + DeviceType + AsFloat> Answer for Lazy<E>
where
    Self: ArrayLike<Item = T>,
{
    fn array(self) -> Result<Array> {
        let lazy = self.lazy();
        let mut floats = Vec::new();
        let extents = lazy.shape()?.extents().to_vec();
        lazy.to_host()?.into_iter().for_each(|element| element.append_to(&mut floats));
        Ok((extents, floats))
    }
}

impl<T: Element + DeviceType + AsFloat> Answer for &DeviceArray<T> {
    fn array(self) -> Result<Array> {
        self.lazy().array()
    }
}

impl<T: Element + DeviceType + AsFloat> Answer for DeviceArray<T> {
    fn array(self) -> Result<Array> {
        self.lazy().array()
    }
}

impl<T: Element + DeviceType + AsFloat> Answer for DeviceView<'_, T> {
    fn array(self) -> Result<Array> {
        self.lazy().array()
    }
}

impl<T: Element + DeviceType + AsFloat> Answer for DeviceSlice<'_, T> {
    fn array(self) -> Result<Array> {
        self.lazy().array()
    }
}

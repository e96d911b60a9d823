//! Arrays of numbers as arrays of vectors or of other numbers, and arrays of vectors as arrays of numbers.

use std::any::type_name;

use super::{DeviceArray, DeviceSlice, DeviceSliceMut};
use crate::scalar::Num;
use crate::source::DeviceType;
use crate::vector::Vector;
use crate::{Error, Result};

/// The number of vectors that the elements make.
fn count_vectors<V: Vector>(address: usize, len: usize) -> Result<usize> {
    let (align, lanes) = (align_of::<V>(), V::LANES);
    match address % align {
        0 if len.is_multiple_of(lanes) => Ok(len / lanes),
        0 => Err(Error::PartOfVector { len, lanes }),
        past => Err(Error::UnalignedVectors { past, align }),
    }
}

/// The number of values of another type that are as many bytes as `len` numbers.
fn count_numbers<T: Num, U: Num>(address: usize, len: usize) -> Result<usize> {
    let (align, group) = (align_of::<U>(), (size_of::<U>() / size_of::<T>()).max(1));
    match address % align {
        0 if len.is_multiple_of(group) => Ok(len * size_of::<T>() / size_of::<U>()),
        0 => Err(Error::PartOfNumber { len, from: name_of::<T>(), to: name_of::<U>(), group }),
        past => Err(Error::UnalignedNumbers { past, align, to: name_of::<U>() }),
    }
}

/// The name of a type of numbers, without its module.
fn name_of<T: Num>() -> &'static str {
    let name = type_name::<T>();
    name.rsplit_once("::").map_or(name, |(_, name)| name)
}

impl<'a, T: Num> DeviceSlice<'a, T> {
    /// The same bytes as numbers of another type, in the same memory: see [`DeviceArray::view_as`].
    ///
    /// # Errors
    ///
    /// [`Error::PartOfNumber`] if the bytes are not a whole number of elements, and [`Error::UnalignedNumbers`] if the first element is not
    /// aligned for the other type. The first element of a whole array is always aligned.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let x = Device::cpu().to_device(&[1.0f32, 2.0, 3.0, 4.0])?;
    /// let error = x.slice(..3).view_as::<f64>().unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "3 elements of type `f32` are not a whole number of `f64`, each of which takes the bytes of 2; take a part of them, such as `slice(..2)`"
    /// );
    /// let error = x.slice(1..3).view_as::<f64>().unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "elements of type `f64` must be aligned to 8 bytes, but the first element is 4 bytes past such an address; start at an element whose address is a multiple of 8"
    /// );
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    pub fn view_as<U: Num>(&self) -> Result<DeviceSlice<'a, U>> {
        let len = count_numbers::<T, U>(self.address() as usize, self.len())?;
        // SAFETY: integers and floats have no padding, and any bytes are one. The length and the alignment were checked.
        Ok(unsafe { self.cast(len) })
    }
}

impl<'a, T: Num> DeviceSliceMut<'a, T> {
    /// The same bytes as numbers of another type, in the same memory, to write: see [`DeviceArray::view_as`].
    ///
    /// # Errors
    ///
    /// As for [`DeviceSlice::view_as`].
    pub fn view_as_mut<U: Num>(&mut self) -> Result<DeviceSliceMut<'_, U>> {
        self.reborrow().into_numbers()
    }

    fn into_numbers<U: Num>(self) -> Result<DeviceSliceMut<'a, U>> {
        let len = count_numbers::<T, U>(self.address() as usize, self.len())?;
        // SAFETY: integers and floats have no padding, and any bytes are one. The length and the alignment were checked, and the borrow is
        // exclusive.
        Ok(unsafe { self.cast(len) })
    }
}

impl<T: Num> DeviceArray<T> {
    /// Its bytes as numbers of another type, in the same memory: `array.view(dtype)`, `reinterpret_cast`. Elements are taken in C order.
    ///
    /// # Errors
    ///
    /// [`Error::PartOfNumber`] if the bytes are not a whole number of elements.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let mut x = Device::cpu().to_device(&[1.0f32, -2.0])?;
    /// assert_eq!(x.view_as::<u32>()?.to_host()?, [0x3f80_0000, 0xc000_0000]);
    /// x.view_as_mut::<u64>()?.copy_from_host(&[0])?;
    /// assert_eq!(x.to_host()?, [0.0, 0.0]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    pub fn view_as<U: Num>(&self) -> Result<DeviceSlice<'_, U>> {
        self.shared().view_as()
    }

    /// Its bytes as numbers of another type, in the same memory, to write: see [`view_as`](Self::view_as).
    ///
    /// # Errors
    ///
    /// As for [`view_as`](Self::view_as).
    pub fn view_as_mut<U: Num>(&mut self) -> Result<DeviceSliceMut<'_, U>> {
        self.exclusive().into_numbers()
    }
}

impl<'a, T: DeviceType> DeviceSlice<'a, T> {
    /// The same elements as vectors, in the same memory: `reinterpret_cast<const float4*>(x)` in CUDA C.
    ///
    /// # Errors
    ///
    /// [`Error::PartOfVector`] if the length is not a multiple of the vector's lanes, and [`Error::UnalignedVectors`] if the first element
    /// is not aligned for a vector. The first element of a whole array is always aligned.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    /// use gpu_runtime::vector::{Float2, Float4};
    ///
    /// let array = Device::cpu().to_device(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
    /// assert_eq!(array.slice(..4).as_vectors::<Float4>()?.to_host()?, [Float4::new(1.0, 2.0, 3.0, 4.0)]);
    /// assert_eq!(array.slice(2..).as_vectors::<Float2>()?.len(), 2);
    ///
    /// let error = array.as_vectors::<Float4>().unwrap_err();
    /// assert_eq!(error.to_string(), "6 elements are not a whole number of vectors of 4; take a part of them, such as `slice(..4)`");
    /// let error = array.slice(1..5).as_vectors::<Float4>().unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "these vectors must be aligned to 16 bytes, but the first element is 4 bytes past such an address; start at an element whose address is a multiple of 16"
    /// );
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    pub fn as_vectors<V: Vector<Element = T>>(&self) -> Result<DeviceSlice<'a, V>> {
        let len = count_vectors::<V>(self.address() as usize, self.len())?;
        // SAFETY: a vector consists of its elements, of which the view has that many, and its alignment was checked.
        Ok(unsafe { self.cast(len) })
    }
}

impl<'a, V: Vector> DeviceSlice<'a, V> {
    /// The lanes of the vectors as elements, in the same memory.
    #[must_use]
    pub fn as_elements(&self) -> DeviceSlice<'a, V::Element> {
        // SAFETY: a vector consists of its elements, and is aligned as they are or more.
        unsafe { self.cast(self.len() * V::LANES) }
    }
}

impl<T: DeviceType> DeviceSliceMut<'_, T> {
    /// The same elements as vectors, in the same memory, to write.
    ///
    /// # Errors
    ///
    /// The same as for [`DeviceSlice::as_vectors`].
    pub fn as_vectors_mut<V: Vector<Element = T>>(&mut self) -> Result<DeviceSliceMut<'_, V>> {
        let len = count_vectors::<V>(self.address() as usize, self.len())?;
        // SAFETY: a vector consists of its elements, of which the view has that many, and its alignment was checked. The borrow is
        // exclusive.
        Ok(unsafe { self.exclusive().cast(len) })
    }
}

impl<V: Vector> DeviceSliceMut<'_, V> {
    /// The lanes of the vectors as elements, in the same memory, to write.
    #[must_use]
    pub fn as_elements_mut(&mut self) -> DeviceSliceMut<'_, V::Element> {
        let len = self.len() * V::LANES;
        // SAFETY: a vector consists of its elements, and is aligned as they are or more. The borrow is exclusive.
        unsafe { self.exclusive().cast(len) }
    }
}

impl<T: DeviceType> DeviceArray<T> {
    /// Its elements as vectors, in the same memory: `reinterpret_cast<const float4*>(x)` in CUDA C. Elements are taken in C order, whatever
    /// the shape.
    ///
    /// # Errors
    ///
    /// [`Error::PartOfVector`] if the length is not a multiple of the vector's lanes.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    /// use gpu_runtime::vector::Int2;
    ///
    /// let array = Device::cpu().to_device(&[1, 2, 3, 4])?;
    /// let vectors = array.as_vectors::<Int2>()?;
    /// assert_eq!(vectors.to_host()?, [Int2::new(1, 2), Int2::new(3, 4)]);
    /// assert_eq!(vectors.as_elements().to_host()?, [1, 2, 3, 4]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    pub fn as_vectors<V: Vector<Element = T>>(&self) -> Result<DeviceSlice<'_, V>> {
        self.slice(..).as_vectors()
    }

    /// Its elements as vectors, in the same memory, to write.
    ///
    /// # Errors
    ///
    /// The same as for [`as_vectors`](Self::as_vectors).
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    /// use gpu_runtime::vector::Double2;
    ///
    /// let mut array = Device::cpu().zeros::<f64>(4)?;
    /// array.as_vectors_mut()?.slice_mut(1..).copy_from_host(&[Double2::splat(0.5)])?;
    /// assert_eq!(array.to_host()?, [0.0, 0.0, 0.5, 0.5]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    pub fn as_vectors_mut<V: Vector<Element = T>>(&mut self) -> Result<DeviceSliceMut<'_, V>> {
        let len = count_vectors::<V>(self.shared().address() as usize, self.len())?;
        // SAFETY: a vector consists of its elements, of which the array has that many, and its alignment was checked. The borrow is
        // exclusive.
        Ok(unsafe { self.exclusive().cast(len) })
    }
}

impl<V: Vector> DeviceArray<V> {
    /// The lanes of its vectors as elements, in the same memory.
    #[must_use]
    pub fn as_elements(&self) -> DeviceSlice<'_, V::Element> {
        self.slice(..).as_elements()
    }

    /// The lanes of its vectors as elements, in the same memory, to write.
    #[must_use]
    pub fn as_elements_mut(&mut self) -> DeviceSliceMut<'_, V::Element> {
        let len = self.len() * V::LANES;
        // SAFETY: a vector consists of its elements, and is aligned as they are or more. The borrow is exclusive.
        unsafe { self.exclusive().cast(len) }
    }
}

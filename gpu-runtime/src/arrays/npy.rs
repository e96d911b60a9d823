//! NumPy's files of arrays, `.npy` and `.npz`, by the crate ndarray-npy.

use std::fmt::{self, Display};
use std::fs::File;
use std::path::{Path, PathBuf};

use ndarray::{ArrayD, IxDyn, OwnedRepr};
use ndarray_npy::{NpzReader, NpzWriter, ReadableElement, WritableElement};

use super::collected;
use crate::device::Device;
use crate::memory::{DeviceArray, DeviceView};
use crate::source::{DeviceType, Element};
use crate::ufunc::ArrayLike;
use crate::{Error, Result};

impl<T: DeviceType + ReadableElement> DeviceArray<T> {
    /// The array in a `.npy` file on `device`: `np.load(path)`.
    ///
    /// Elements that are in Fortran order in the file are put in C order.
    ///
    /// # Errors
    ///
    /// [`Error::FileOfArrays`] if there is no such file, or it has elements of another type; and as for
    /// [`from_ndarray`](Self::from_ndarray).
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let path = folder.path().join("x.npy");
    /// let device = Device::cpu();
    /// let x = device.to_device(&[1.0f32, 2.0, 3.0, 4.0])?.reshape([2, 2])?;
    /// x.view().t().write_npy(&path)?;
    /// let read = DeviceArray::<f32>::read_npy(&device, &path)?;
    /// assert_eq!((read.shape().to_string(), read.to_host()?), ("(2, 2)".to_owned(), vec![1.0, 3.0, 2.0, 4.0]));
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    pub fn read_npy(device: &Device, path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let array: ArrayD<T> = ndarray_npy::read_npy(path).map_err(|error| problem(path, error))?;
        Self::from_ndarray(device, &array)
    }

    /// The array of this name in a `.npz` file on `device`: `np.load(path)[name]`.
    ///
    /// # Errors
    ///
    /// Those of [`read_npy`](Self::read_npy), also if there is no array of this name.
    pub fn read_npz(device: &Device, path: impl AsRef<Path>, name: &str) -> Result<Self> {
        let path = path.as_ref();
        let file = File::open(path).map_err(|error| problem(path, error))?;
        let mut arrays = NpzReader::new(file).map_err(|error| problem(path, error))?;
        let array = arrays.by_name::<OwnedRepr<T>, IxDyn>(name).map_err(|error| problem(path, format!("`{name}`: {error}")))?;
        Self::from_ndarray(device, &array)
    }
}

impl<T: DeviceType + WritableElement> DeviceArray<T> {
    /// Writes it to a `.npy` file: `np.save(path, x)`. Waits for all earlier operations on the device. A file that exists is replaced.
    ///
    /// # Errors
    ///
    /// [`Error::FileOfArrays`] if the file cannot be written, and [`Error::KernelFailed`] if a kernel failed since the last report.
    pub fn write_npy(&self, path: impl AsRef<Path>) -> Result<()> {
        self.view().write_npy(path)
    }
}

impl<T: DeviceType + WritableElement> DeviceView<'_, T> {
    /// Writes its elements in C order, like [`DeviceArray::write_npy`] those of a whole array.
    ///
    /// # Errors
    ///
    /// Those of [`DeviceArray::write_npy`].
    pub fn write_npy(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        ndarray_npy::write_npy(path, &self.to_ndarray()?).map_err(|error| problem(path, error))
    }
}

/// A `.npz` file that is being written: `np.savez(path, x=x, y=y)`.
///
/// ```
/// use gpu_runtime::NpzFile;
/// use gpu_runtime::prelude::*;
///
/// # let folder = tempfile::tempdir().expect("a folder");
/// # let path = folder.path().join("model.npz");
/// let device = Device::cpu();
/// let (weights, steps) = (device.eye::<f64>(2)?, device.to_device(&[7u32])?);
/// let mut file = NpzFile::create(&path)?;
/// file.add("weights", &weights)?;
/// file.add("steps", &steps + 1)?;
/// file.finish()?;
/// assert_eq!(DeviceArray::<f64>::read_npz(&device, &path, "weights")?.to_host()?, [1.0, 0.0, 0.0, 1.0]);
/// assert_eq!(DeviceArray::<u32>::read_npz(&device, &path, "steps")?.to_host()?, [8]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
pub struct NpzFile {
    path: PathBuf,
    arrays: NpzWriter<File>,
}

impl NpzFile {
    /// A file without arrays. One that exists is replaced.
    ///
    /// # Errors
    ///
    /// [`Error::FileOfArrays`] if it cannot be created.
    pub fn create(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref().to_owned();
        let file = File::create(&path).map_err(|error| problem(&path, error))?;
        Ok(Self { path, arrays: NpzWriter::new(file) })
    }

    /// Adds an array, a view or a lazy array under this name. Waits for all earlier operations on the device.
    ///
    /// # Errors
    ///
    /// Those of [`DeviceArray::write_npy`], also if there is an array of this name.
    #[track_caller]
    pub fn add<T: Element + WritableElement>(&mut self, name: &str, array: impl ArrayLike<Item = T>) -> Result<()> {
        let array = collected(array.lazy())?.to_ndarray()?;
        self.arrays.add_array(name, &array).map_err(|error| problem(&self.path, format!("`{name}`: {error}")))
    }

    /// Writes the list of its arrays, without which the file cannot be read. Dropping it does the same, and says nothing of errors.
    ///
    /// # Errors
    ///
    /// [`Error::FileOfArrays`] if it cannot be written.
    pub fn finish(self) -> Result<()> {
        self.arrays.finish().map(drop).map_err(|error| problem(&self.path, error))
    }
}

impl fmt::Debug for NpzFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NpzFile").field("path", &self.path).finish_non_exhaustive()
    }
}

fn problem(path: &Path, problem: impl Display) -> Error {
    Error::FileOfArrays { path: path.to_owned(), problem: problem.to_string() }
}

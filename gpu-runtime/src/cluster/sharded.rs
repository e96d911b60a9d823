//! Arrays whose rows are divided among devices of one process.

use std::ops::Range;
use std::panic::Location;
use std::thread;

use super::tcp::part;
use crate::device::Device;
use crate::functions::mul;
use crate::memory::{DeviceArray, DeviceSlice, DeviceView, Shape};
use crate::source::DeviceType;
use crate::ufunc::{Accumulator, Expression, Lazy, Max, Min, Number, ReduceFunction, Sum, lazy, reduce_each};
use crate::{Error, Result};

/// An array whose rows, the parts along axis 0, are divided among devices: a `jax.Array` with a `NamedSharding`, an array of Dask.
///
/// Each device has a *shard*: its rows, as evenly as possible, and a *halo*, which are copies of some rows of the devices before and after
/// it. Kernels and array functions run for each shard ([`map`](Self::map), [`for_each`](Self::for_each)); on GPUs, the calls return before
/// they are done, so the devices work at the same time. [`exchange_halos`](Self::exchange_halos) copies rows between neighbours, directly
/// where one GPU can [access](Device::can_access) the other. Several handles to the CPU are several shards, which is how this is tested without GPUs.
///
/// ```
/// use gpu_runtime::cluster::Sharded;
/// use gpu_runtime::prelude::*;
///
/// let devices = [Device::cpu(), Device::cpu()]; // or the GPUs among `Device::all()`
/// let x = Sharded::to_devices(&devices, &[1.0f32, 2.0, 3.0, 4.0, 5.0], 5, 0)?;
/// let squares = x.map(|rows| (rows.lazy() * rows.lazy()).collect())?;
/// assert_eq!(squares.to_host()?, [1.0, 4.0, 9.0, 16.0, 25.0]);
/// assert_eq!((squares.sum()?, x.dot(&x)?, x.max()?), (55.0, 55.0, 5.0));
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
#[derive(Debug)]
pub struct Sharded<T: DeviceType> {
    shape: Shape,
    halo: usize,
    shards: Vec<Shard<T>>,
}

/// The part of a [`Sharded`] array on one device.
#[derive(Debug)]
pub struct Shard<T: DeviceType> {
    array: DeviceArray<T>,
    rows: Range<usize>,
    halo: usize,
    /// The elements of a row.
    width: usize,
}

impl<T: DeviceType> Shard<T> {
    /// Which rows of the whole array are those of this device.
    #[must_use]
    pub fn rows(&self) -> Range<usize> {
        self.rows.clone()
    }

    /// The elements with the halo: `halo` rows, those of this device, `halo` rows.
    #[must_use]
    pub fn array(&self) -> &DeviceArray<T> {
        &self.array
    }

    /// The same, to write.
    #[must_use]
    pub fn array_mut(&mut self) -> &mut DeviceArray<T> {
        &mut self.array
    }

    /// The elements without the halo.
    #[must_use]
    pub fn own(&self) -> DeviceSlice<'_, T> {
        self.array.slice(self.own_elements())
    }

    fn own_elements(&self) -> Range<usize> {
        let start = self.halo * self.width;
        start..start + self.rows.len() * self.width
    }

    /// The same in their shape.
    fn own_view(&self) -> DeviceView<'_, T> {
        self.array.view().slice_axis(0, self.halo..self.halo + self.rows.len())
    }
}

impl<T: DeviceType> Sharded<T> {
    /// An array of zeros, with so many rows of halo on either side of each shard.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`] if a device has no room for its shard, and [`Error::ShapeMismatch`] if a device would have fewer rows than its
    /// neighbours need for their halos.
    ///
    /// # Panics
    ///
    /// If there are no devices, or `shape` has no axis.
    #[track_caller]
    pub fn zeros(devices: &[Device], shape: impl Into<Shape>, halo: usize) -> Result<Self> {
        let shape = shape.into();
        let [rows, row @ ..] = shape.extents() else { panic!("rows are divided among devices, and a scalar has none") };
        assert!(!devices.is_empty(), "an array needs a device");
        if halo > rows / devices.len() {
            let help =
                format!("{} devices have {} rows each or one more, fewer than a halo of {halo}", devices.len(), rows / devices.len());
            return Err(Error::shape_mismatch("Sharded::zeros", shape, devices.len().into(), help));
        }
        let width = row.iter().product();
        let shard = |(index, device): (usize, &Device)| {
            let rows = part(*rows, devices.len(), index);
            let extents: Vec<usize> = std::iter::once(rows.len() + 2 * halo).chain(row.iter().copied()).collect();
            let array = DeviceArray::zeroed(device, Shape::from_extents(&extents).expect("as many axes as before"))?;
            Ok(Shard { array, rows, halo, width })
        };
        Ok(Self { shape, halo, shards: devices.iter().enumerate().map(shard).collect::<Result<_>>()? })
    }

    /// An array with the elements of `host`. The halos have their copies of the neighbours' rows, and zeros before the first row and after
    /// the last.
    ///
    /// # Errors
    ///
    /// Those of [`zeros`](Self::zeros), and [`Error::LengthMismatch`] if `host` has more or fewer elements than `shape`.
    ///
    /// # Panics
    ///
    /// If there are no devices, or `shape` has no axis.
    #[track_caller]
    pub fn to_devices(devices: &[Device], host: &[T], shape: impl Into<Shape>, halo: usize) -> Result<Self> {
        let mut sharded = Self::zeros(devices, shape, halo)?;
        let len = sharded.shape.checked_len().unwrap_or(usize::MAX);
        if host.len() != len {
            return Err(Error::LengthMismatch { device: len, host: host.len(), location: Location::caller() });
        }
        for shard in &mut sharded.shards {
            let elements = shard.rows.start * shard.width..shard.rows.end * shard.width;
            let own = shard.own_elements();
            shard.array.slice_mut(own).copy_from_host(&host[elements])?;
        }
        sharded.exchange_halos()?;
        Ok(sharded)
    }

    /// The shape of the whole array.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// How many rows of its neighbours a device has, on either side.
    #[must_use]
    pub fn halo(&self) -> usize {
        self.halo
    }

    /// The shards, in the order of their rows.
    #[must_use]
    pub fn shards(&self) -> &[Shard<T>] {
        &self.shards
    }

    /// All elements, in the order of the rows.
    ///
    /// # Errors
    ///
    /// [`Error::KernelFailed`] if a kernel failed on a device.
    pub fn to_host(&self) -> Result<Vec<T>> {
        let shards = self.shards.iter().map(|shard| shard.own().to_host()).collect::<Result<Vec<_>>>()?;
        Ok(shards.concat())
    }

    /// Updates the copies that devices have of their neighbours' rows. Does not wait for GPUs: what uses the halos comes after the copies.
    ///
    /// # Errors
    ///
    /// [`Error::Driver`] if a GPU does not work.
    pub fn exchange_halos(&mut self) -> Result<()> {
        for after in 1..self.shards.len() {
            let (before, after) = self.shards.split_at_mut(after);
            let (Some(one), Some(other)) = (before.last_mut(), after.first_mut()) else { continue };
            let halo = self.halo * one.width;
            let (of_one, of_other) = (one.own_elements(), other.own_elements());
            other.array.slice_mut(..halo).copy_from_device(one.array.slice(of_one.end - halo..of_one.end))?;
            one.array.slice_mut(of_one.end..).copy_from_device(other.array.slice(of_other.start..of_other.start + halo))?;
        }
        Ok(())
    }

    /// What `work` makes of the rows of each device, without halos, as one array. Each result must have as many rows, of one shape on all
    /// devices.
    ///
    /// # Errors
    ///
    /// Those of `work`, and [`Error::ShapeMismatch`] if it returns another number of rows, or rows of several shapes.
    #[track_caller]
    pub fn map<U: DeviceType>(&self, work: impl Fn(DeviceView<'_, T>) -> Result<DeviceArray<U>>) -> Result<Sharded<U>> {
        let map = |shard: &Shard<T>| {
            let (array, rows) = (work(shard.own_view())?, shard.rows.clone());
            if array.shape().extents().first() != Some(&rows.len()) {
                let help = "each device must return as many rows as it has";
                return Err(Error::shape_mismatch("Sharded::map", array.shape(), shard.own_view().shape(), help));
            }
            let width = array.shape().extents()[1..].iter().product();
            Ok(Shard { array, rows, halo: 0, width })
        };
        let shards = self.shards.iter().map(map).collect::<Result<Vec<_>>>()?;
        let first = shards[0].array.shape();
        let row = &first.extents()[1..];
        if let Some(other) = shards.iter().map(|shard| shard.array.shape()).find(|shape| shape.extents()[1..] != *row) {
            return Err(Error::shape_mismatch("Sharded::map", other, first, "each device must return rows of the same shape"));
        }
        let extents: Vec<usize> = self.shape.extents()[..1].iter().chain(row).copied().collect();
        let shape = Shape::from_extents(&extents).expect("as many axes as a result");
        Ok(Sharded { shape, halo: 0, shards })
    }

    /// Calls `work`, which may launch kernels, with each shard of this array and the same one of `target`, which has the same rows.
    ///
    /// # Errors
    ///
    /// Those of `work`, and [`Error::ShapeMismatch`] if the rows of `target` are divided in another way.
    #[track_caller]
    pub fn for_each<U: DeviceType>(&self, target: &mut Sharded<U>, work: impl Fn(&Shard<T>, &mut Shard<U>) -> Result<()>) -> Result<()> {
        let rows = |shard: &Shard<T>, other: &Shard<U>| shard.rows == other.rows;
        if self.shards.len() != target.shards.len() || !self.shards.iter().zip(&target.shards).all(|(a, b)| rows(a, b)) {
            return Err(Error::shape_mismatch(
                "Sharded::for_each",
                self.shape,
                target.shape,
                "the rows must be divided among as many devices",
            ));
        }
        self.shards.iter().zip(&mut target.shards).try_for_each(|(shard, target)| work(shard, target))
    }
}

/// Reductions: on all devices at the same time, then of their results in the order of the rows.
impl<T: Number> Sharded<T> {
    /// The sum of all elements; 0 for no elements.
    ///
    /// # Errors
    ///
    /// [`Error::KernelFailed`] if a kernel failed.
    #[track_caller]
    pub fn sum(&self) -> Result<T> {
        Ok(T::rounded(self.reduce::<Sum<T::Sum>, _>(|shard| self.summands(shard), Accumulator::plus)?))
    }

    /// The largest element, or NaN if there is one.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyReduction`] of nothing, and [`Error::KernelFailed`] if a kernel failed.
    #[track_caller]
    pub fn max(&self) -> Result<T> {
        self.reduce::<Max<T>, _>(|shard| lazy(self.shards[shard].own()), |a, b| if b > a || b.is_not_a_number() { b } else { a })
    }

    /// The smallest element, or NaN if there is one.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyReduction`] of nothing, and [`Error::KernelFailed`] if a kernel failed.
    #[track_caller]
    pub fn min(&self) -> Result<T> {
        self.reduce::<Min<T>, _>(|shard| lazy(self.shards[shard].own()), |a, b| if b < a || b.is_not_a_number() { b } else { a })
    }

    /// The sum of the products of the elements of both arrays.
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`] if they have other shapes or are divided in another way, and [`Error::KernelFailed`] if a kernel failed.
    #[track_caller]
    pub fn dot(&self, other: &Self) -> Result<T> {
        if self.shape != other.shape || self.shards.len() != other.shards.len() {
            return Err(Error::shape_mismatch("Sharded::dot", self.shape, other.shape, "both must be divided in the same way"));
        }
        let sum = self.reduce::<Sum<T::Sum>, _>(|shard| mul::map(self.summands(shard), other.summands(shard)), Accumulator::plus)?;
        Ok(T::rounded(sum))
    }

    /// The elements of a shard, as sums have them.
    fn summands(&self, shard: usize) -> Lazy<impl Expression<Item = T::Sum> + use<'_, T>> {
        T::widened(lazy(self.shards[shard].own()))
    }

    /// Folds what `of` makes of each shard that has elements.
    fn reduce<F, E>(&self, of: impl Fn(usize) -> Lazy<E>, combine: impl Fn(F::Output, F::Output) -> F::Output) -> Result<F::Output>
    where
        F: ReduceFunction,
        E: Expression<Item = F::Output>,
    {
        let mut shards: Vec<usize> = (0..self.shards.len()).filter(|shard| !self.shards[*shard].own().is_empty()).collect();
        if shards.is_empty() {
            shards.push(0);
        }
        let values = reduce_each::<F, E>(&mut shards.into_iter().map(of)).into_iter().collect::<Result<Vec<F::Output>>>()?;
        Ok(values.into_iter().reduce(combine).expect("a shard"))
    }
}

/// Work for several devices: `devices.par_map(…)`.
pub trait ParMap {
    /// What `work` returns for each device, called on a thread of its own for each.
    ///
    /// # Errors
    ///
    /// The first error, in the order of the devices.
    ///
    /// # Panics
    ///
    /// If `work` panics.
    ///
    /// ```
    /// use gpu_runtime::cluster::ParMap;
    /// use gpu_runtime::prelude::*;
    ///
    /// let lengths = Device::all().par_map(|device| Ok(device.zeros::<f32>(1000)?.len()))?;
    /// assert!(lengths.iter().all(|len| *len == 1000));
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    fn par_map<R: Send>(&self, work: impl Fn(&Device) -> Result<R> + Sync) -> Result<Vec<R>>;
}

impl ParMap for [Device] {
    fn par_map<R: Send>(&self, work: impl Fn(&Device) -> Result<R> + Sync) -> Result<Vec<R>> {
        let work = &work;
        thread::scope(|scope| {
            let threads: Vec<_> = self.iter().map(|device| scope.spawn(move || work(device))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ufunc::Reductions;

    fn cpus(count: usize) -> Vec<Device> {
        (0..count).map(|_| Device::cpu()).collect()
    }

    #[test]
    fn rows_and_halos_are_where_they_belong() {
        let host: Vec<i32> = (0..22).collect();
        let mut x = Sharded::to_devices(&cpus(3), &host, [11, 2], 1).unwrap();
        let rows: Vec<_> = x.shards().iter().map(Shard::rows).collect();
        assert_eq!(rows, [0..4, 4..8, 8..11]);
        assert_eq!(x.shards()[1].array().to_host().unwrap(), (6..18).collect::<Vec<_>>());
        assert_eq!(x.shards()[0].array().to_host().unwrap()[..3], [0, 0, 0]);
        assert_eq!(x.shards()[2].array().to_host().unwrap()[8..], [0, 0]);
        x.shards[0].array_mut().slice_mut(8..10).copy_from_host(&[-1, -2]).unwrap();
        x.exchange_halos().unwrap();
        assert_eq!(x.shards()[1].array().to_host().unwrap()[..3], [-1, -2, 8]);
    }

    #[test]
    fn results_do_not_depend_on_the_number_of_devices() {
        let host: Vec<i64> = (0..30).map(|i| i * 7 % 11).collect();
        for count in 1..5 {
            let x = Sharded::to_devices(&cpus(count), &host, [10, 3], 1).unwrap();
            assert_eq!(x.to_host().unwrap(), host);
            assert_eq!(x.sum().unwrap(), host.iter().sum::<i64>());
            assert_eq!((x.min().unwrap(), x.max().unwrap()), (0, 10));
            assert_eq!(x.dot(&x).unwrap(), host.iter().map(|x| x * x).sum::<i64>());
            let rows = x.map(|rows| rows.sum_axis(1)).unwrap();
            assert_eq!((rows.shape(), rows.sum().unwrap()), (10.into(), x.sum().unwrap()));
        }
    }

    #[test]
    fn rows_of_several_shapes_are_no_array() {
        let x = Sharded::<i32>::zeros(&cpus(2), [4, 3], 0).unwrap();
        let columns = std::cell::Cell::new(0);
        let error = x.map(|_| Device::cpu().zeros::<i32>([2, columns.replace(5)])).unwrap_err();
        assert!(error.to_string().contains("each device must return rows of the same shape"), "{error}");
        let error = x.map(|_| Device::cpu().zeros::<i32>([3, 3])).unwrap_err();
        assert!(error.to_string().contains("each device must return as many rows as it has"), "{error}");
    }

    #[test]
    fn nan_and_devices_without_rows_do_not_change_a_reduction() {
        for count in 1..5 {
            let of = |host: &[f64]| Sharded::to_devices(&cpus(count), host, host.len(), 0).unwrap();
            for x in [of(&[f64::NAN, 1.0, 2.0]), of(&[1.0, 2.0, f64::NAN])] {
                assert!(x.max().unwrap().is_nan() && x.min().unwrap().is_nan(), "{count} devices");
            }
            assert_eq!((of(&[3.0]).max().unwrap(), of(&[3.0]).sum().unwrap(), of(&[]).sum().unwrap()), (3.0, 3.0, 0.0));
            assert!(matches!(of(&[]).max(), Err(Error::EmptyReduction { .. })), "{count} devices");
        }
    }

    #[test]
    fn a_halo_has_rows_of_the_next_neighbour_only() {
        let error = Sharded::<f32>::zeros(&cpus(4), [7, 5], 2).unwrap_err();
        assert!(error.to_string().contains("4 devices have 1 rows each or one more"), "{error}");
    }
}

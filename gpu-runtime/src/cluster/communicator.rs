//! The calls that all ranks make together.

use std::any::TypeId;
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use super::call::{Call, State, Transport};
use super::failure::ClusterError;
use super::group::Group;
use super::hub::lock;
use super::reduce::{Operation, Reducible};
use super::tcp::part;
use super::world::World;
use super::{connect, gpu, tcp};
use crate::Result;
use crate::backend::recording::{self, Unrecordable};
use crate::backend::{Access, MemoryUse};
use crate::device::Device;
use crate::memory::{DeviceSlice, DeviceSliceMut, IntoDeviceSlice, IntoDeviceSliceMut};
use crate::source::DeviceType;

/// Processes that exchange elements of arrays, one for each device: `MPI_Comm`, `ncclComm_t`, a process group of PyTorch.
///
/// Each process has a number, its *rank*. All ranks make the same calls in the same order, with the same element type and as many elements.
/// Before each call, the ranks tell each other what they call. A rank that calls something else, ends, drops its communicator or does not come within the
/// time-out makes the call fail on all ranks, with an error that names the rank and the call. Afterwards, all calls fail with this error.
///
/// Arrays are arguments as those of kernels are: `&x` to read, `&mut x` to write, also parts (`x.slice_mut(1..3)`), on a stream if they are
/// [given one](crate::DeviceArray::on).
///
/// * Between CPUs, elements go over TCP, and a call returns when it is done. Elements are combined in the order of the ranks, so results have
///   the same bits on all ranks and in every run.
/// * Between GPUs, NVIDIA's NCCL exchanges elements, on the stream of the first array: a call returns when it is put on the stream, and work
///   that uses the arrays comes after it. The ranks compare their calls meanwhile. If a call cannot end or differs, it is aborted, within a
///   second or after the time-out, and the error comes from whoever waits for the stream or reads the array, and from all later calls. A call that differs
///   and yet ends may have given wrong elements before: [`barrier`](Self::barrier) returns when all calls before it were compared. Where not all
///   bytes are values of the element type, as for `bool`, a call is compared before it is put on the stream, and so is the launch of a graph with such calls.
/// * A [`Graph`](crate::Graph) takes all calls but [`barrier`](Self::barrier) and [`split`](Self::split). All ranks record it at the same time, and
///   each launch of it counts as one call, which the ranks compare.
/// * Ranks on GPUs that have several communicators must use them in the same order. The kernels of two collectives in different orders on
///   two GPUs would wait for each other until the time-out. Ranks that are threads of one process ([`on_devices`](super::on_devices)) launch each of
///   their kernels once before the first collective: the driver may wait for the GPU, and make other threads wait, while it loads a kernel.
///
/// ```
/// use gpu_runtime::cluster::{Communicator, Operation};
///
/// // One process: started by `srun`, `mpirun` or `torchrun`, it would be one of many.
/// let ranks = Communicator::from_env()?;
/// let mut sum = ranks.device().to_device(&[1.0f64, 2.0])?;
/// ranks.all_reduce(&mut sum, Operation::Sum)?;
/// assert_eq!(sum.to_host()?, [1.0 * ranks.size() as f64, 2.0 * ranks.size() as f64]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
///
/// Elements go from rank to rank as bytes, so a struct without a field for some of its bytes does not compile:
///
/// ```compile_fail,E0080
/// use gpu_runtime::cluster::Communicator;
/// use gpu_runtime::prelude::*;
///
/// #[derive(Clone, Copy, DeviceType)]
/// #[repr(C)]
/// struct Padded {
///     one: u8,
///     other: u32,
/// }
///
/// let device = Device::cpu();
/// Communicator::alone(&device).broadcast(&mut device.zeros::<Padded>(1)?, 0)?;
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
pub struct Communicator {
    pub(super) rank: usize,
    pub(super) size: usize,
    pub(super) local_rank: usize,
    pub(super) device: Device,
    pub(super) timeout: Duration,
    pub(super) state: Mutex<State>,
    pub(super) identity: connect::Identity,
}

impl Communicator {
    /// All processes that the launcher of this one has started: [`World::from_env`] and [`World::connect`].
    ///
    /// # Errors
    ///
    /// Those of the two.
    pub fn from_env() -> Result<Self> {
        World::from_env()?.connect()
    }

    /// This process alone, with a device. All calls work, and nothing is sent.
    #[must_use]
    pub fn alone(device: &Device) -> Self {
        let (rank, size, timeout) = (0, 1, Duration::ZERO);
        let state = State { rank, size, timeout, control: None, transport: Transport::None, transfers: HashMap::new() };
        let identity = connect::Identity::default();
        Self { rank, size, local_rank: 0, device: device.clone(), timeout, state: Mutex::new(state), identity }
    }

    /// The number of this process, from 0.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// How many ranks there are.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// The part of `len` things that this rank has if all ranks share them as evenly as possible, in the order of ranks.
    ///
    /// ```
    /// use gpu_runtime::{Device, cluster::Communicator};
    ///
    /// assert_eq!(Communicator::alone(&Device::cpu()).part(10), 0..10);
    /// ```
    #[must_use]
    pub fn part(&self, len: usize) -> Range<usize> {
        self.part_of(self.rank, len)
    }

    /// The part of `len` things that a rank has: see [`part`](Self::part).
    ///
    /// # Panics
    ///
    /// If there is no such rank.
    #[must_use]
    pub fn part_of(&self, rank: usize, len: usize) -> Range<usize> {
        assert!(rank < self.size, "there is no rank {rank} of {}", self.size);
        part(len, self.size, rank)
    }

    /// The number of this process among those on its host, as its launcher counts.
    #[must_use]
    pub fn local_rank(&self) -> usize {
        self.local_rank
    }

    /// The device of this rank.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// How long a call waits for the other ranks.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Replaces the elements on every rank by the combined elements of all ranks: `MPI_Allreduce`, `dist.all_reduce`.
    ///
    /// # Errors
    ///
    /// [`ClusterError::Failed`], as [above](Self).
    pub fn all_reduce<'a, T: Reducible>(&self, array: impl IntoDeviceSliceMut<'a, T>, operation: Operation) -> Result<()> {
        let mut array = array.into_device_slice_mut();
        self.check_device(array.device())?;
        let what = format!("all_reduce of {}, {operation}", elements::<T>(array.len()));
        self.call(what, &[array.memory_use(Access::Write)], |call| match call.state.transport {
            Transport::None => Ok(()),
            Transport::Tcp(_) => tcp::all_reduce(call, &mut array, operation),
            Transport::Nccl(_) => gpu::all_reduce(call, &array, operation),
        })
    }

    /// Replaces the elements on rank `root` by the combined elements of all ranks: `MPI_Reduce`, `dist.reduce`. The others keep theirs.
    ///
    /// # Errors
    ///
    /// [`ClusterError::RankOutOfRange`], and [`ClusterError::Failed`], as [above](Self).
    pub fn reduce<'a, T: Reducible>(&self, array: impl IntoDeviceSliceMut<'a, T>, operation: Operation, root: usize) -> Result<()> {
        let mut array = array.into_device_slice_mut();
        self.check_rank(root)?;
        self.check_device(array.device())?;
        let what = format!("reduce of {} to rank {root}, {operation}", elements::<T>(array.len()));
        self.call(what, &[array.memory_use(Access::Write)], |call| match call.state.transport {
            Transport::None => Ok(()),
            Transport::Tcp(_) => tcp::reduce(call, &mut array, operation, root),
            Transport::Nccl(_) => gpu::reduce(call, &array, operation, root),
        })
    }

    /// Replaces the elements on every rank by those of rank `root`: `MPI_Bcast`, `dist.broadcast`.
    ///
    /// # Errors
    ///
    /// [`ClusterError::RankOutOfRange`], and [`ClusterError::Failed`], as [above](Self).
    pub fn broadcast<'a, T: DeviceType>(&self, array: impl IntoDeviceSliceMut<'a, T>, root: usize) -> Result<()> {
        let array = array.into_device_slice_mut();
        self.check_rank(root)?;
        self.check_device(array.device())?;
        let what = format!("broadcast of {} from rank {root}", elements::<T>(array.len()));
        let mut array = bytes_mut(array);
        self.call(what, &[array.memory_use(Access::Write)], |call| match call.state.transport {
            Transport::None => Ok(()),
            Transport::Tcp(_) => tcp::broadcast(call, &mut array, root),
            Transport::Nccl(_) => gpu::broadcast(call, &array, root),
        })
    }

    /// Puts the elements of all ranks into `all`, one rank after the other: `MPI_Allgather`, `dist.all_gather_into_tensor`.
    ///
    /// # Errors
    ///
    /// [`ClusterError::Parts`] if `all` does not have `size` times the elements, and [`ClusterError::Failed`], as [above](Self).
    pub fn all_gather<'a, T: DeviceType>(&self, array: impl IntoDeviceSlice<'a, T>, all: impl IntoDeviceSliceMut<'a, T>) -> Result<()> {
        let (array, all) = (array.into_device_slice(), all.into_device_slice_mut());
        self.check_parts("all_gather", array.len(), all.len())?;
        self.check_device(array.device())?;
        self.check_device(all.device())?;
        let what = format!("all_gather of {}", elements::<T>(array.len()));
        let (array, mut all) = (bytes(array), bytes_mut(all));
        self.call(what, &[array.memory_use(Access::Read), all.memory_use(Access::Write)], |call| match call.state.transport {
            Transport::None => all.copy_from_device(array),
            Transport::Tcp(_) => tcp::all_gather(call, array, &mut all),
            Transport::Nccl(_) => gpu::all_gather(call, array, &all),
        })
    }

    /// Combines the elements of all ranks, and puts part `r` of the result into `part` of rank `r`: `MPI_Reduce_scatter_block`,
    /// `dist.reduce_scatter_tensor`.
    ///
    /// # Errors
    ///
    /// [`ClusterError::Parts`] if `array` does not have `size` times the elements, and [`ClusterError::Failed`], as [above](Self).
    pub fn reduce_scatter<'a, T: Reducible>(
        &self,
        array: impl IntoDeviceSlice<'a, T>,
        part: impl IntoDeviceSliceMut<'a, T>,
        operation: Operation,
    ) -> Result<()> {
        let (array, mut part) = (array.into_device_slice(), part.into_device_slice_mut());
        self.check_parts("reduce_scatter", part.len(), array.len())?;
        self.check_device(array.device())?;
        self.check_device(part.device())?;
        let what = format!("reduce_scatter of {}, {operation}", elements::<T>(array.len()));
        self.call(what, &[array.memory_use(Access::Read), part.memory_use(Access::Write)], |call| match call.state.transport {
            Transport::None => part.copy_from_device(array),
            Transport::Tcp(_) => tcp::reduce_scatter(call, array, &mut part, operation),
            Transport::Nccl(_) => gpu::reduce_scatter(call, array, &part, operation),
        })
    }

    /// Puts part `r` of `source` into `target` of rank `r`, in which part `s` comes from rank `s`: `MPI_Alltoall`,
    /// `dist.all_to_all_single`.
    ///
    /// # Errors
    ///
    /// [`ClusterError::Parts`] if the arrays do not have a part for each rank, and [`ClusterError::Failed`], as [above](Self).
    pub fn all_to_all<'a, T: DeviceType>(&self, source: impl IntoDeviceSlice<'a, T>, target: impl IntoDeviceSliceMut<'a, T>) -> Result<()> {
        let (source, target) = (source.into_device_slice(), target.into_device_slice_mut());
        self.check_parts("all_to_all", source.len() / self.size, source.len())?;
        self.check_parts("all_to_all", source.len() / self.size, target.len())?;
        self.check_device(source.device())?;
        self.check_device(target.device())?;
        let what = format!("all_to_all of {}", elements::<T>(source.len()));
        let (source, mut target) = (bytes(source), bytes_mut(target));
        self.call(what, &[source.memory_use(Access::Read), target.memory_use(Access::Write)], |call| match call.state.transport {
            Transport::None => target.copy_from_device(source),
            Transport::Tcp(_) => tcp::all_to_all(call, source, &mut target),
            Transport::Nccl(_) => gpu::all_to_all(call, source, &target),
        })
    }

    /// Sends the elements to rank `to`, which must call [`recv`](Self::recv): `MPI_Send`, `dist.send`.
    ///
    /// Both calls wait for each other. Ranks that send to each other at the same time use a [`group`](Self::group).
    ///
    /// # Errors
    ///
    /// [`ClusterError::RankOutOfRange`], [`ClusterError::OwnRank`], and [`ClusterError::Failed`], as [above](Self).
    pub fn send<'a, T: DeviceType>(&self, array: impl IntoDeviceSlice<'a, T>, to: usize) -> Result<()> {
        self.group().send(array, to).run()
    }

    /// Receives the elements that rank `from` sends: `MPI_Recv`, `dist.recv`.
    ///
    /// # Errors
    ///
    /// [`ClusterError::RankOutOfRange`], [`ClusterError::OwnRank`], and [`ClusterError::Failed`], as [above](Self).
    pub fn recv<'a, T: DeviceType>(&self, array: impl IntoDeviceSliceMut<'a, T>, from: usize) -> Result<()> {
        self.group().recv(array, from).run()
    }

    /// Transfers that are made at the same time: see [`Group`].
    pub fn group<'a>(&self) -> Group<'_, 'a> {
        Group::new(self)
    }

    /// Waits for the device of this rank, and then until all ranks have called this: `MPI_Barrier`, `dist.barrier`.
    ///
    /// # Errors
    ///
    /// [`Error::KernelFailed`](crate::Error::KernelFailed) if a kernel failed on this rank, and [`ClusterError::Failed`], as [above](Self).
    pub fn barrier(&self) -> Result<()> {
        recording::refuse(Unrecordable::Wait)?;
        self.call("barrier".to_owned(), &[], |call| {
            call.local(self.device.synchronize())?;
            call.meet(Vec::new()).map(drop)
        })
    }

    /// A communicator of all ranks that call this with the same `color`, ordered by `key` and then by rank: `MPI_Comm_split`.
    ///
    /// # Errors
    ///
    /// [`ClusterError::Failed`], as [above](Self).
    ///
    /// ```
    /// use gpu_runtime::cluster::Communicator;
    ///
    /// let ranks = Communicator::from_env()?;
    /// let row = ranks.split(ranks.rank() / 2, ranks.rank())?; // of a grid with two columns
    /// assert!(row.size() <= 2);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    pub fn split(&self, color: usize, key: usize) -> Result<Self> {
        connect::split(self, color, key)
    }

    /// Makes a call of all ranks, which uses the memory of arrays.
    fn call(&self, description: String, uses: &[MemoryUse<'_>], work: impl FnOnce(&mut Call<'_>) -> Result<()>) -> Result<()> {
        self.in_graph(uses, || work(&mut self.lock().call(description, uses)))
    }

    /// Does `work`, which uses the memory of arrays. The code of a graph runs once on the CPU to be checked, without that, and then at each launch.
    pub(super) fn in_graph(&self, uses: &[MemoryUse<'_>], work: impl FnOnce() -> Result<()>) -> Result<()> {
        if recording::is_active() && !self.device.is_gpu() { self.device.queue().ordered(uses, work) } else { work() }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    pub(super) fn check_rank(&self, rank: usize) -> Result<()> {
        if rank < self.size { Ok(()) } else { Err(ClusterError::RankOutOfRange { rank, size: self.size }.into()) }
    }

    /// NCCL takes memory of the rank's own GPU. TCP takes any.
    pub(super) fn check_device(&self, device: &Device) -> Result<()> {
        if *device == self.device || !self.device.is_gpu() {
            return Ok(());
        }
        Err(ClusterError::OtherDevice { array: device.to_string(), rank: self.device.to_string() }.into())
    }

    fn check_parts(&self, call: &'static str, part: usize, len: usize) -> Result<()> {
        if part.checked_mul(self.size) == Some(len) { Ok(()) } else { Err(ClusterError::Parts { call, size: self.size, part, len }.into()) }
    }
}

impl fmt::Debug for Communicator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Communicator(rank {} of {} on {})", self.rank, self.size, self.device)
    }
}

/// `10 f32`. Two types of the user can have the same name, in two blocks of a function. For these the text also contains what decides whether
/// their bytes may be exchanged: the size, or the `TypeId` if not all bits are values.
pub(super) fn elements<T: DeviceType>(count: usize) -> String {
    let (name, size) = (std::any::type_name::<T>(), size_of::<T>());
    match (name.contains("::"), T::ANY_BITS) {
        (false, _) => format!("{count} {name}"),
        (true, true) => format!("{count} {name} of {size} bytes"),
        (true, false) => format!("{count} {name} ({:?})", TypeId::of::<T>()),
    }
}

/// How many bytes an element is. Does not compile where some of them may have no value.
const fn bytes_of<T: DeviceType>() -> usize {
    const {
        assert!(!T::MAY_HAVE_PADDING, "ranks exchange elements as bytes: add a field for each byte of padding of the struct");
    };
    size_of::<T>()
}

/// The same memory as bytes.
pub(super) fn bytes<T: DeviceType>(array: DeviceSlice<'_, T>) -> DeviceSlice<'_, u8> {
    // SAFETY: an element is that many bytes, each of them a value.
    unsafe { array.cast(array.len() * bytes_of::<T>()) }
}

/// The same for memory to be overwritten, by the bytes of elements of the same type: the ranks compare what [`elements`] says of it.
pub(super) fn bytes_mut<T: DeviceType>(array: DeviceSliceMut<'_, T>) -> DeviceSliceMut<'_, u8> {
    let len = array.len() * bytes_of::<T>();
    // SAFETY: as above.
    unsafe { array.cast(len) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_one_name_are_told_apart_where_their_bytes_differ() {
        let bools = {
            #[derive(Clone, Copy, gpu_macros::DeviceType)]
            #[repr(C)]
            struct Pair {
                one: bool,
                other: bool,
            }
            (std::any::type_name::<Pair>(), elements::<Pair>(3))
        };
        let bytes = {
            #[derive(Clone, Copy, gpu_macros::DeviceType)]
            #[repr(C)]
            struct Pair {
                one: u8,
                other: u8,
            }
            (std::any::type_name::<Pair>(), elements::<Pair>(3))
        };
        assert_eq!(bools.0, bytes.0);
        assert_ne!(bools.1, bytes.1);
        assert_eq!(elements::<[bool; 2]>(10), "10 [bool; 2]");
    }
}

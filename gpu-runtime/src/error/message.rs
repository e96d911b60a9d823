//! The messages of [`Error`].

use std::fmt;

use super::Error;
use crate::memory::MAX_RANK;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DriverNotFound { searched } => write!(
                f,
                "no NVIDIA driver was found: the loader found none of {}; install the NVIDIA driver, or use `Device::cpu()`",
                shortened(searched)
            ),
            Self::DriverIsStub => f.write_str(
                "the NVIDIA driver library that the loader finds is the CUDA toolkit's stub; remove its `stubs` folder from the library \
                 path, or install the NVIDIA driver",
            ),
            Self::DriverTooOld { found, needed } => write!(
                f,
                "the NVIDIA driver supports CUDA {}.{}, but CUDA {}.{} or later is needed; update the driver",
                found.0, found.1, needed.0, needed.1
            ),
            Self::NoGpu => f.write_str(
                "the NVIDIA driver is installed but sees no GPU; check `nvidia-smi` and CUDA_VISIBLE_DEVICES, or use `Device::cpu()`",
            ),
            Self::Forked => f.write_str(
                "this process is a fork of one that has used a device, and neither CUDA nor the workers of the CPU live on in a fork; fork before \
                 the first use of a device, or start a program instead (in Python, `multiprocessing.set_start_method(\"spawn\")`)",
            ),
            Self::GpuOutOfRange { ordinal, count } => write!(f, "there is no GPU {ordinal}: this machine has {count}, numbered from 0"),
            Self::TooManyStreams { device, most } => write!(f, "{device} has {most} streams in use; drop those that are not needed"),
            Self::EventsOfDifferentDevices => {
                f.write_str("the events are of different devices: only the time between events of one device is known")
            }
            Self::NotExchangeable { problem } => write!(f, "the array cannot be shared with another library: {problem}"),
            Self::NotRecordable { operation, help } => write!(f, "a graph cannot record {operation}: {help}"),
            Self::NotGivenToGraph { device, writes } => write!(
                f,
                "the recorded code {} an array on {device} that is not an argument of the graph; pass the array to `Graph::record` and to \
                 `launch`{}",
                if *writes { "writes" } else { "reads" },
                if *writes { ", as `&mut array`" } else { "" }
            ),
            Self::KeptByGraph { arrays } => write!(
                f,
                "the recorded code keeps {arrays} of the arrays that it creates, but their memory belongs to the graph; for results, pass \
                 `&mut array` to the graph"
            ),
            Self::GraphOfOtherDevice { graph, other } => {
                write!(f, "the graph is recorded for {graph}, but it uses {other}; a graph has one device")
            }
            Self::Driver { call, code, name, message } => {
                write!(f, "{call} failed: {name} ({code}), {message}")?;
                match self.is_device_lost() {
                    true => f.write_str("; this process can no longer use the GPU, and the arrays there are lost"),
                    false => Ok(()),
                }
            }
            Self::LibraryNotFound { library, searched, help, variable } => write!(
                f,
                "{library} was not found\n  searched:\n{}  help: {help}, or set {variable} to the library or its folder",
                crate::compile::list(searched)
            ),
            Self::Library { library, call, status, name } => write!(f, "{call} of {library} failed: {name} ({status})"),
            #[cfg(feature = "cluster")]
            Self::Cluster(inner) => fmt::Display::fmt(inner, f),
            Self::NotLoaded { kernel, is_array_function, reason } => {
                write!(f, "{} `{kernel}` could not be loaded: {reason}", kind(*is_array_function))
            }
            Self::NotLaunched { kernel, is_array_function, grid, block, shared_bytes, reason } => write!(
                f,
                "{} `{kernel}` could not be launched with a grid of {grid} and a block of {block}{}: {reason}",
                kind(*is_array_function),
                with_shared(*shared_bytes)
            ),
            Self::OutOfMemory { device, bytes: usize::MAX } => {
                write!(f, "the size of the array for {device}, in bytes, overflows `usize`; check its shape")
            }
            Self::OutOfMemory { device, bytes } => write!(f, "{device} could not provide {bytes} bytes of memory"),
            Self::NotHostMemory { device } => write!(
                f,
                "the array is in the memory of {device}, which the host cannot access; create it with `device.managed(…)` or \
                 `device.mapped(…)`, or copy it with `to_host`"
            ),
            Self::LengthMismatch { device, host, location } => {
                write!(f, "the copy at {location} needs two equal lengths: the device array has {device} elements, the host slice has {host}")
            }
            Self::PartOfVector { len, lanes } => write!(
                f,
                "{len} elements are not a whole number of vectors of {lanes}; take a part of them, such as `slice(..{})`",
                len / lanes * lanes
            ),
            Self::UnalignedVectors { past, align } => write!(
                f,
                "these vectors must be aligned to {align} bytes, but the first element is {past} bytes past such an address; start at an \
                 element whose address is a multiple of {align}"
            ),
            Self::ShapeMismatch { operation, from, to, help, location } => {
                write!(f, "array function `{operation}` at {location}: shapes {from} and {to} do not match: {help}")
            }
            Self::TooManyAxes { rank } => {
                write!(f, "an array has at most {MAX_RANK} axes, but this one has {rank}; merge some of them before the copy")
            }
            Self::NotContiguous { operation, shape, strides, help, location } => {
                write!(f, "at {location}: cannot {operation} a view of shape {shape} with strides {strides:?}; {help}")
            }
            Self::UnsuitableMatrix { function, shape, problem, location } => {
                write!(f, "array function `{function}` at {location}: the array of shape {shape} {problem}")
            }
            Self::OutsideMatrix { element, row, column, shape, location } => write!(
                f,
                "array function `from_coo` at {location}: element {element} of the sparse matrix is in row {row} and column {column}, but \
                 the matrix has shape {shape}"
            ),
            Self::BroadcastMismatch { function, first, second, location } => write!(
                f,
                "array function `{function}` at {location}: shapes {first} and {second} cannot be broadcast together; on each axis, counted from the \
                 last, extents must be equal or 1"
            ),
            Self::ArraysOnDifferentDevices { function, first, first_device, second, second_device, location } => write!(
                f,
                "array function `{function}` at {location}: {first} is on {first_device}, but {second} is on {second_device}; copy one of them to the \
                 other's device"
            ),
            Self::TargetShape { function, result, target, location } => {
                write!(f, "array function `{function}` at {location}: the result has shape {result}, but the array for it has shape {target}")
            }
            Self::Signature { function, signature, message, location } => {
                write!(f, "generalized function `{function}` at {location}, `{signature}`: {message}")
            }
            Self::EmptyReduction { function, location } => write!(
                f,
                "array function `{function}` at {location}: there are no elements, and `{function}` of no elements has no value; check the length first"
            ),
            Self::ResultTooManyAxes { function, rank, location } => {
                write!(f, "array function `{function}` at {location}: the result would have {rank} axes, but an array has at most {MAX_RANK}")
            }
            Self::TooManyElements { function, shape, location } => write!(
                f,
                "array function `{function}` at {location}: the number of elements of shape {shape} overflows `usize`; check the shapes of \
                 the arguments"
            ),
            Self::AxisOutOfRange { function, axis, shape, location } => {
                write!(f, "array function `{function}` at {location}: there is no axis {axis} in an array of shape {shape}; axes are numbered from 0")
            }
            Self::RepeatedAxis { function, axis, location } => {
                write!(f, "array function `{function}` at {location}: axis {axis} is named twice; name each axis once")
            }
            Self::NoAxes { function, location } => {
                write!(f, "array function `{function}` at {location}: no axis is named; name at least one")
            }
            Self::NoIdentity { function, location } => {
                write!(f, "array function `{function}` at {location}: there are no elements, and the function has no identity to return")
            }
            Self::EmptyGroup { function, group, location } => {
                write!(f, "array function `{function}` at {location}: group {group} has no elements, and the function has no identity; give it one, `#[reduce(identity = …)]`")
            }
            Self::Bins { function, bins, first, last, reason, location } => {
                write!(f, "array function `{function}` at {location}: {bins} bins from {first} to {last}: {reason}")
            }
            Self::DifferentDevices { kernel, first, first_device, second, second_device } => write!(
                f,
                "kernel `{kernel}`: `{first}` is on {first_device}, but `{second}` is on {second_device}; copy one of them to the other's \
                 device"
            ),
            Self::RankMismatch { kernel, argument, rank, shape } => write!(
                f,
                "kernel `{kernel}`: `{argument}` is a view with {}, but the argument has the shape {shape}; reshape it, or pass a part \
                 with `index_axis`",
                counted_axes(*rank)
            ),
            Self::ParametersTooLarge { kernel, bytes, most } => write!(
                f,
                "kernel `{kernel}`: its parameters take {bytes} bytes, but a launch can pass at most {most}; put large ones into an array"
            ),
            Self::NoDevice { kernel } => {
                write!(f, "kernel `{kernel}` has no array argument that determines the device; add `.on_device(&device)` before the launch")
            }
            Self::EmptyGrid { kernel, grid } => {
                write!(f, "kernel `{kernel}`: a grid of {grid} has no blocks; every extent must be at least 1")
            }
            Self::EmptyBlock { kernel, block } => {
                write!(f, "kernel `{kernel}`: a block of {block} has no threads; every extent must be at least 1")
            }
            Self::GridOutOfRange { kernel, grid, most } => write!(
                f,
                "kernel `{kernel}`: a grid of {grid} is out of range; the device takes 1 to ({}, {}, {}) blocks",
                most[0], most[1], most[2]
            ),
            Self::BlockOutOfRange { kernel, block, most, threads } => write!(
                f,
                "kernel `{kernel}`: a block of {block} is out of range; the device takes 1 to ({}, {}, {}) threads and at most {threads} \
                 in all",
                most[0], most[1], most[2]
            ),
            Self::GridNotResident { kernel, blocks, block, shared_bytes, most, device } => write!(
                f,
                "kernel `{kernel}`: `sync_grid()` synchronizes all {blocks} blocks of the grid, but {device} holds at most {most} blocks \
                 of {block}{} at a time; launch at most that many ({}) and let each thread compute several elements: `for i in \
                 grid_stride(n)`",
                with_shared(*shared_bytes),
                count_of_resident_blocks(kernel, *shared_bytes)
            ),
            Self::BlockNeedsTooMuch { kernel, block, threads, most } => write!(
                f,
                "kernel `{kernel}`: a block of {block} has {threads} threads, but its registers and shared memory allow at most {most}; \
                 use a smaller block"
            ),
            Self::DynamicSharedTooLarge { kernel, bytes, most } => write!(
                f,
                "kernel `{kernel}`: its dynamic shared arrays take {bytes} bytes for this launch, but a block has at most {most} on this \
                 device; make them shorter, or use a smaller block"
            ),
            Self::DynamicSharedLength { kernel } => write!(
                f,
                "kernel `{kernel}`: the length of a dynamic shared array overflows or divides by zero for this launch; check the \
                 arguments that it is computed from"
            ),
            Self::BlockExceedsLaunchBounds { kernel, block, threads, most } => write!(
                f,
                "kernel `{kernel}` is declared with `launch_bounds` of at most {most} threads, but was launched with a block of {block}, \
                 which has {threads} threads; use a smaller block, or raise the bound"
            ),
            Self::NoMachineCode { kernel, device } => {
                write!(f, "kernel `{kernel}` has no machine code on {device}; ask for its attributes on a GPU")
            }
            Self::NotTheDeclaredBlock { kernel, declared, block } => write!(
                f,
                "kernel `{kernel}` is declared with `block = {declared}`, but was launched with a block of {block}; the two must be equal"
            ),
            Self::ForallNeedsOneDimension { kernel, declared } => write!(
                f,
                "kernel `{kernel}` is declared with `block = {declared}`, but `forall` is one-dimensional; use `launch(grid, block)`"
            ),
            Self::NotProvedForShape { kernel, grid, block, proved_for } => write!(
                f,
                "kernel `{kernel}` is proved free of data races for {} and {} only, but was launched with a grid of {grid} and a block of \
                 {block}; launch it along those axes only, or index with all axes of the launch, as `grid_2d()` does",
                axes("grid", "block", proved_for.grid_axes),
                axes("block", "thread", proved_for.block_axes)
            ),
            Self::NotProvedForArguments { kernel, grid, block, condition, access, unmet } => write!(
                f,
                "kernel `{kernel}` is proved free of data races only if `{condition}`, for {access}, but {unmet} with a grid of {grid} \
                 and a block of {block}; launch another shape, or use `launch_unchecked` if no two threads use the same element"
            ),
            Self::NoThreads { function } => write!(
                f,
                "array function `{function}` calls a function that uses the thread index, but array functions have none; pass the index \
                 of the element, `iota(n)`, as an argument"
            ),
            Self::Compile(inner) => fmt::Display::fmt(inner, f),
            Self::Architecture(inner) => fmt::Display::fmt(inner, f),
            Self::KernelFailed(inner) => fmt::Display::fmt(inner, f),
        }
    }
}

/// The same as `Display`, so that a `main` that returns this error prints the message, not the fields.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The first few names, and how many more there are.
fn shortened(names: &[String]) -> String {
    const SHOWN: usize = 3;
    match names.len().checked_sub(SHOWN) {
        Some(more @ 1..) => format!("{} and {more} other names", names[..SHOWN].join(", ")),
        _ => names.join(", "),
    }
}

fn kind(is_array_function: bool) -> &'static str {
    if is_array_function { "array function" } else { "kernel" }
}

/// The shared memory of a block, as a part of a message.
fn with_shared(bytes: u32) -> String {
    match bytes {
        0 => String::new(),
        bytes => format!(" with {bytes} bytes of dynamic shared memory"),
    }
}

/// How to find out the number of resident blocks, for blocks with this much dynamic shared memory.
fn count_of_resident_blocks(kernel: &str, shared_bytes: u32) -> String {
    match shared_bytes {
        0 => format!("`{kernel}::handle().max_resident_blocks` returns this number"),
        _ => format!("`{kernel}::handle().max_resident_blocks` does not count dynamic shared memory"),
    }
}

fn counted_axes(rank: usize) -> String {
    if rank == 1 { "1 axis".to_owned() } else { format!("{rank} axes") }
}

/// "a one-dimensional grid", or "a grid of one block" for no axis at all.
fn axes(shape: &str, unit: &str, axes: u8) -> String {
    match axes {
        0 => format!("a {shape} of one {unit}"),
        1 => format!("a one-dimensional {shape}"),
        2 => format!("a {shape} of at most two dimensions"),
        _ => format!("any {shape}"),
    }
}

//! The one error type of this crate.

mod conversion;
mod matrix;
mod message;

pub use matrix::MatrixProblem;

use std::panic::Location;

use message::{at_line, axes, count_of_resident_blocks, counted_axes, kind, of_lost_device, out_of_memory, shortened, with_shared};

use crate::compile::{CompileError, ParseArchitectureError};
use crate::dims::{BlockDim, GridDim, ProvedFor};
use crate::failure::KernelFailure;
use crate::memory::{MAX_RANK, Shape};

/// The result of every fallible call of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Everything that can go wrong, from finding a device to a panic inside a kernel.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system's loader does not find NVIDIA's driver library.
    #[error(
        "no NVIDIA driver was found: the loader found none of {}; install the NVIDIA driver, or use `Device::cpu()`",
        shortened(.searched)
    )]
    DriverNotFound {
        /// The library names that were tried, in order.
        searched: Vec<String>,
    },

    /// The loader finds the CUDA toolkit's stub instead of NVIDIA's driver. The stub exists only to link programs.
    #[error(
        "the NVIDIA driver library that the loader finds is the CUDA toolkit's stub; remove its `stubs` folder from the library \
         path, or install the NVIDIA driver"
    )]
    DriverIsStub,

    /// The driver is older than the oldest version that this crate supports.
    #[error(
        "the NVIDIA driver supports CUDA {}.{}, but CUDA {}.{} or later is needed; update the driver",
        .found.0, .found.1, .needed.0, .needed.1
    )]
    DriverTooOld {
        /// The CUDA version of the installed driver: major, minor.
        found: (u32, u32),
        /// The CUDA version that is needed: major, minor.
        needed: (u32, u32),
    },

    /// The driver works, but there is no GPU that it may use.
    #[error("the NVIDIA driver is installed but sees no GPU; check `nvidia-smi` and CUDA_VISIBLE_DEVICES, or use `Device::cpu()`")]
    NoGpu,

    /// This process is a fork of one that has used a device. No device works in it.
    #[error(
        "this process is a fork of one that has used a device, and neither CUDA nor the workers of the CPU live on in a fork; fork \
         before the first use of a device, or start a program instead (in Python, `multiprocessing.set_start_method(\"spawn\")`)"
    )]
    Forked,

    /// There is no GPU with this number.
    #[error("there is no GPU {ordinal}: this machine has {count}, numbered from 0")]
    GpuOutOfRange {
        /// The requested number.
        ordinal: usize,
        /// How many GPUs there are.
        count: usize,
    },

    /// A GPU has as many streams as this crate can tell apart.
    #[error("{device} has {most} streams in use; drop those that are not needed")]
    TooManyStreams {
        /// The device.
        device: String,
        /// How many there can be.
        most: usize,
    },

    /// The time between events of different devices is not known.
    #[error("the events are of different devices: only the time between events of one device is known")]
    EventsOfDifferentDevices,

    /// A DLPack tensor cannot be the array that was asked for, or an array has no counterpart in other libraries.
    #[error("the array cannot be shared with another library: {problem}")]
    NotExchangeable {
        /// What is wrong.
        problem: String,
    },

    /// A file of arrays cannot be read or written.
    #[cfg(feature = "npy")]
    #[error("the file of arrays {}: {problem}", path.display())]
    FileOfArrays {
        /// The file.
        path: std::path::PathBuf,
        /// What is wrong.
        problem: String,
    },

    /// `jvp` is asked for the derivative of a function of which only the gradient is known.
    #[error(
        "`{function}` at {location} has a gradient and no derivative along a direction, so `jvp` cannot use it; write `grad` or `vjp`, or \
         compute the result by operations of traced arrays"
    )]
    NoForwardMode {
        /// The function.
        function: &'static str,
        /// The line of the call.
        location: &'static Location<'static>,
    },

    /// `hvp` is asked for the second derivative of a function of which only the first is known.
    #[error(
        "`{function}` has no second derivative, so `hvp` at {location} cannot use it; of your own function of one or two floats, write \
         `#[vectorize(grad = 2)]`"
    )]
    NoSecondDerivative {
        /// The function.
        function: &'static str,
        /// The line of the call.
        location: &'static Location<'static>,
    },

    /// The derivative of what depends on the arrays of a `grad` or `jvp` around the call.
    #[error(
        "`{function}` at {location} is of what depends on an array of the `grad` or `jvp` around it, and its result would be a constant there: \
         derivatives of derivatives are not supported; if a constant is meant, write `stop_gradient` on that array"
    )]
    NestedDerivative {
        /// The function.
        function: &'static str,
        /// The line of the call.
        location: &'static Location<'static>,
    },

    /// The code of a graph asks for something that a graph cannot record.
    #[error("a graph cannot record {operation}: {help}")]
    NotRecordable {
        /// What it asks for.
        operation: &'static str,
        /// What to do instead.
        help: &'static str,
    },

    /// The code of a graph uses an array that is not an argument of the graph.
    #[error(
        "the recorded code{} {} an array on {device} that is not an argument of the graph; pass the array to `Graph::record` and to \
         `launch`, {}",
        at_line(*.location),
        if *.writes { "writes" } else { "reads" },
        if *.writes { "as `&mut array`" } else { "or to `Graph::record_with` as what the code only reads" }
    )]
    NotGivenToGraph {
        /// The device.
        device: String,
        /// Whether the array is written.
        writes: bool,
        /// The line of the kernel or the array function that uses it, if it is one.
        location: Option<&'static Location<'static>>,
    },

    /// The code of a graph keeps arrays that it has created.
    #[error(
        "the recorded code keeps {arrays} of the arrays that it creates, but their memory belongs to the graph; for results, pass \
         `&mut array` to the graph"
    )]
    KeptByGraph {
        /// How many arrays.
        arrays: usize,
    },

    /// The code or an argument of a graph uses another device than the graph.
    #[error("the graph is recorded for {graph}, but it uses {other}; a graph has one device")]
    GraphOfOtherDevice {
        /// The device of the graph.
        graph: String,
        /// The other device.
        other: String,
    },

    /// A call into NVIDIA's driver failed for a reason that no other variant describes.
    #[error("{call} failed: {name} ({code}), {message}{}", of_lost_device(*.code))]
    Driver {
        /// The driver's name for the call.
        call: &'static str,
        /// The driver's number for the error.
        code: u32,
        /// The driver's name for the error, such as `CUDA_ERROR_ILLEGAL_ADDRESS`.
        name: String,
        /// The driver's description of the error.
        message: String,
    },

    /// A library of NVIDIA's that an array function calls on a GPU is not installed.
    #[error(
        "{library} was not found\n  searched:\n{}  help: {help}, or set {variable} to the library or its folder",
        crate::compile::list(.searched)
    )]
    LibraryNotFound {
        /// What the library is called.
        library: &'static str,
        /// Every place that was searched, in order, and what was wrong with it.
        searched: Vec<String>,
        /// What to install.
        help: &'static str,
        /// The environment variable that can name it.
        variable: &'static str,
    },

    /// A call into a library of NVIDIA's failed.
    #[error("{call} of {library} failed: {name} ({status})")]
    Library {
        /// What the library is called.
        library: &'static str,
        /// The name of the function.
        call: &'static str,
        /// The library's number for the error.
        status: i32,
        /// The library's name for the error.
        name: &'static str,
    },

    /// A call of a [`Communicator`](crate::cluster::Communicator) failed, or the processes of a job do not find each other.
    #[cfg(feature = "cluster")]
    #[error("{0}")]
    Cluster(crate::cluster::ClusterError),

    /// The driver did not load a compiled kernel.
    #[error("{} `{kernel}` could not be loaded: {reason}", kind(*.is_array_function))]
    NotLoaded {
        /// The kernel or array function.
        kernel: &'static str,
        /// Whether it is an array function.
        is_array_function: bool,
        /// The [`Driver`](Self::Driver) error.
        reason: Box<Error>,
    },

    /// The driver refused a launch, or reported an earlier failure that had not been reported yet.
    #[error(
        "{} `{kernel}` could not be launched with a grid of {grid} and a block of {block}{}: {reason}",
        kind(*.is_array_function), with_shared(*.shared_bytes)
    )]
    NotLaunched {
        /// The kernel or array function.
        kernel: &'static str,
        /// Whether it is an array function.
        is_array_function: bool,
        /// The grid.
        grid: GridDim,
        /// The block.
        block: BlockDim,
        /// The bytes of dynamic shared memory of each block.
        shared_bytes: u32,
        /// The [`Driver`](Self::Driver) error.
        reason: Box<Error>,
    },

    /// The device does not have enough free memory.
    #[error("{}", out_of_memory(.device, *.bytes))]
    OutOfMemory {
        /// The name of the device.
        device: String,
        /// The requested number of bytes; `usize::MAX` if the number does not fit.
        bytes: usize,
    },

    /// The host cannot access the elements of an array where they are.
    #[error(
        "the array is in the memory of {device}, which the host cannot access; create it with `device.managed(…)` or \
         `device.mapped(…)`, or copy it with `to_host`"
    )]
    NotHostMemory {
        /// The device.
        device: String,
    },

    /// A copy between the host and a device had two different lengths.
    #[error("the copy at {location} needs two equal lengths: the device array has {device} elements, the host slice has {host}")]
    LengthMismatch {
        /// How many elements the device array has.
        device: usize,
        /// How many elements the host slice has.
        host: usize,
        /// The line of the call.
        location: &'static Location<'static>,
    },

    /// The number of elements is not a multiple of the lanes of a [vector](crate::vector).
    #[error(
        "{len} elements are not a whole number of vectors of {lanes}; take a part of them, such as `slice(..{})`",
        .len / .lanes * .lanes
    )]
    PartOfVector {
        /// How many elements there are.
        len: usize,
        /// How many elements a vector has.
        lanes: usize,
    },

    /// The first element is not aligned for a [vector](crate::vector).
    #[error(
        "these vectors must be aligned to {align} bytes, but the first element is {past} bytes past such an address; start at an \
         element whose address is a multiple of {align}"
    )]
    UnalignedVectors {
        /// How many bytes the first element is past an aligned address.
        past: usize,
        /// The alignment of a vector, in bytes.
        align: usize,
    },

    /// The bytes of an array, as numbers of [another type](crate::DeviceArray::view_as), are not a whole number of them.
    #[error(
        "{len} elements of type `{from}` are not a whole number of `{to}`, each of which takes the bytes of {group}; take a part of them, \
         such as `slice(..{})`",
        .len / .group * .group
    )]
    PartOfNumber {
        /// How many elements there are.
        len: usize,
        /// Their type.
        from: &'static str,
        /// The other type.
        to: &'static str,
        /// How many elements have the bytes of a number of the other type.
        group: usize,
    },

    /// The first element is not aligned for numbers of [another type](crate::DeviceSlice::view_as).
    #[error(
        "elements of type `{to}` must be aligned to {align} bytes, but the first element is {past} bytes past such an address; start at an \
         element whose address is a multiple of {align}"
    )]
    UnalignedNumbers {
        /// How many bytes the first element is past an aligned address.
        past: usize,
        /// The alignment of the other type, in bytes.
        align: usize,
        /// The other type.
        to: &'static str,
    },

    /// The shapes of two arrays do not match.
    #[error("array function `{operation}` at {location}: shapes {from} and {to} do not match: {help}")]
    ShapeMismatch {
        /// The function, such as `reshape`.
        operation: &'static str,
        /// The shape of the first array.
        from: Box<Shape>,
        /// The shape of the second, or the one that is asked for.
        to: Box<Shape>,
        /// The condition that the two shapes must meet.
        help: String,
        /// The line of the call.
        location: &'static Location<'static>,
    },

    /// A host array has more axes than a device array can have.
    #[error("an array has at most {} axes, but this one has {rank}; merge some of them before the copy", MAX_RANK)]
    TooManyAxes {
        /// How many axes it has.
        rank: usize,
    },

    /// The operation needs contiguous elements, but those of the view are not contiguous in the order of their indices.
    #[error("at {location}: cannot {operation} a view of shape {shape} with strides {strides:?}; {help}")]
    NotContiguous {
        /// The operation, up to the view.
        operation: String,
        /// The shape of the view.
        shape: Box<Shape>,
        /// The distance between neighbours along each axis, in elements.
        strides: Vec<isize>,
        /// What to do instead.
        help: &'static str,
        /// The line of the call.
        location: &'static Location<'static>,
    },

    /// A function of matrices or vectors got an array for which it has no result.
    #[error("array function `{function}` at {location}: the array of shape {shape} {problem}")]
    UnsuitableMatrix {
        /// The function.
        function: &'static str,
        /// The shape of the array.
        shape: Box<Shape>,
        /// What is wrong with it.
        problem: MatrixProblem,
        /// The line of the call.
        location: &'static Location<'static>,
    },

    /// An element of a sparse matrix is in a row or column that the matrix does not have.
    #[error(
        "array function `from_coo` at {location}: element {element} of the sparse matrix is in row {row} and column {column}, but \
         the matrix has shape {shape}"
    )]
    OutsideMatrix {
        /// Its number in the arrays.
        element: usize,
        /// Its row.
        row: u32,
        /// Its column.
        column: u32,
        /// Rows and columns of the matrix.
        shape: Box<Shape>,
        /// The line of the call.
        location: &'static Location<'static>,
    },

    /// The shapes of the arrays of one array function cannot be broadcast together.
    #[error(
        "array function `{function}` at {location}: shapes {first} and {second} cannot be broadcast together; on each axis, counted \
         from the last, extents must be equal or 1"
    )]
    BroadcastMismatch {
        /// The outermost function of the expression.
        function: &'static str,
        /// The broadcast shape of the arrays before.
        first: Box<Shape>,
        /// The shape that does not fit.
        second: Box<Shape>,
        /// The line of the call.
        location: &'static Location<'static>,
    },

    /// The arrays of one array function are on different devices.
    #[error(
        "array function `{function}` at {location}: {first} is on {first_device}, but {second} is on {second_device}; copy one of \
         them to the other's device"
    )]
    ArraysOnDifferentDevices {
        /// The outermost function of the expression.
        function: &'static str,
        /// `argument 1`, where arguments are counted in the order in which they are written, including those of inner functions; `on(…)`;
        /// or the array for the result.
        first: Box<str>,
        /// Where that is.
        first_device: String,
        /// The array on another device, named in the same way.
        second: Box<str>,
        /// Where that is.
        second_device: String,
        /// The line of the call.
        location: &'static Location<'static>,
    },

    /// The array for the result of an array function has the wrong shape.
    #[error("array function `{function}` at {location}: the result has shape {result}, but the array for it has shape {target}")]
    TargetShape {
        /// The outermost function of the expression.
        function: &'static str,
        /// The shape of the result.
        result: Box<Shape>,
        /// The shape of the array.
        target: Box<Shape>,
        /// The line of the call.
        location: &'static Location<'static>,
    },

    /// The shapes of the arguments of a generalized function do not match its signature.
    #[error("generalized function `{function}` at {location}, `{signature}`: {message}")]
    Signature {
        /// The function.
        function: &'static str,
        /// Its signature.
        signature: &'static str,
        /// Which shapes do not match.
        message: String,
        /// The line of the call.
        location: &'static Location<'static>,
    },

    /// A reduction of no elements, whose function has no result for no elements.
    #[error(
        "array function `{function}` at {location}: there are no elements, and `{function}` of no elements has no value; check the \
         length first"
    )]
    EmptyReduction {
        /// The function that folds.
        function: &'static str,
        /// The line of the call.
        location: &'static Location<'static>,
    },

    /// An array would have more axes than the maximum.
    #[error("array function `{function}` at {location}: the result would have {rank} axes, but an array has at most {}", MAX_RANK)]
    ResultTooManyAxes {
        /// The outermost function of the expression.
        function: &'static str,
        /// How many axes it would have.
        rank: usize,
        /// The line of the call.
        location: &'static Location<'static>,
    },

    /// The result of an array function would have more elements than a `usize` can count.
    #[error(
        "array function `{function}` at {location}: the number of elements of shape {shape} overflows `usize`; check the shapes of \
         the arguments"
    )]
    TooManyElements {
        /// The outermost function of the expression.
        function: &'static str,
        /// The shape of the result.
        shape: Box<Shape>,
        /// The line of the call.
        location: &'static Location<'static>,
    },

    /// An array function was called with an axis that the array does not have.
    #[error(
        "array function `{function}` at {location}: there is no axis {axis} in an array of shape {shape}; axes are numbered from 0, and \
         from -1 backwards"
    )]
    AxisOutOfRange {
        /// The function.
        function: &'static str,
        /// The requested axis.
        axis: isize,
        /// The shape of the array.
        shape: Shape,
        /// The line of the call.
        location: &'static Location<'static>,
    },

    /// An axis is named twice.
    #[error("array function `{function}` at {location}: axis {axis} is named twice; name each axis once")]
    RepeatedAxis {
        /// The function.
        function: &'static str,
        /// The axis.
        axis: usize,
        /// The line of the call.
        location: &'static Location<'static>,
    },

    /// No axes are named for a function that needs one.
    #[error("array function `{function}` at {location}: no axis is named; name at least one")]
    NoAxes {
        /// The function.
        function: &'static str,
        /// The line of the call.
        location: &'static Location<'static>,
    },

    /// A reduction of no elements, with a function that has no identity.
    #[error("array function `{function}` at {location}: there are no elements, and the function has no identity to return")]
    NoIdentity {
        /// The function.
        function: &'static str,
        /// The line of the call.
        location: &'static Location<'static>,
    },

    /// A group of a reduction by key has no elements, and the function has no identity.
    #[error(
        "array function `{function}` at {location}: group {group} has no elements, and the function has no identity; give it one, \
         `#[reduce(identity = …)]`"
    )]
    EmptyGroup {
        /// The function.
        function: &'static str,
        /// The number of the group.
        group: usize,
        /// The line of the call.
        location: &'static Location<'static>,
    },

    /// The bins of a histogram are not valid.
    #[error("array function `{function}` at {location}: {bins} bins from {first} to {last}: {reason}")]
    Bins {
        /// The function.
        function: &'static str,
        /// The requested number of bins.
        bins: usize,
        /// The first edge.
        first: f64,
        /// The last edge.
        last: f64,
        /// What is wrong with them.
        reason: &'static str,
        /// The line of the call.
        location: &'static Location<'static>,
    },

    /// The arguments of one launch are on different devices.
    #[error(
        "kernel `{kernel}`: `{first}` is on {first_device}, but `{second}` is on {second_device}; copy one of them to the other's \
         device"
    )]
    DifferentDevices {
        /// The kernel.
        kernel: &'static str,
        /// The first argument, or `on_device(…)`.
        first: &'static str,
        /// Where the first argument is.
        first_device: String,
        /// The argument on another device.
        second: &'static str,
        /// Where that is.
        second_device: String,
    },

    /// An argument for a `View` or `ViewMut` has another number of axes.
    #[error(
        "kernel `{kernel}`: `{argument}` is a view with {}, but the argument has the shape {shape}; reshape it, or pass a part with \
         `index_axis`",
        counted_axes(*.rank)
    )]
    RankMismatch {
        /// The kernel.
        kernel: &'static str,
        /// The argument.
        argument: &'static str,
        /// How many axes the kernel declares.
        rank: usize,
        /// The shape of the argument.
        shape: Box<Shape>,
    },

    /// The parameters of a kernel take more memory than a launch can pass.
    #[error("kernel `{kernel}`: its parameters take {bytes} bytes, but a launch can pass at most {most}; put large ones into an array")]
    ParametersTooLarge {
        /// The kernel.
        kernel: &'static str,
        /// How many bytes the parameters take.
        bytes: usize,
        /// The most bytes that a launch passes.
        most: usize,
    },

    /// A kernel without array arguments was launched without a device.
    #[error("kernel `{kernel}` has no array argument that determines the device; add `.on_device(&device)` before the launch")]
    NoDevice {
        /// The kernel.
        kernel: &'static str,
    },

    /// An extent of the grid is zero, and no argument that the kernel can write, a `&mut` array or one of atomics, is empty.
    #[error("kernel `{kernel}`: a grid of {grid} has no blocks; every extent must be at least 1")]
    EmptyGrid {
        /// The kernel.
        kernel: &'static str,
        /// The grid that was asked for.
        grid: GridDim,
    },

    /// An extent of the block is zero.
    #[error("kernel `{kernel}`: a block of {block} has no threads; every extent must be at least 1")]
    EmptyBlock {
        /// The kernel.
        kernel: &'static str,
        /// The block that was asked for.
        block: BlockDim,
    },

    /// The grid is negative or larger than the device supports.
    #[error(
        "kernel `{kernel}`: a grid of {grid} is out of range; the device takes 1 to ({}, {}, {}) blocks",
        .most[0], .most[1], .most[2]
    )]
    GridOutOfRange {
        /// The kernel.
        kernel: &'static str,
        /// The grid that was asked for.
        grid: GridDim,
        /// The most blocks along each axis.
        most: [u32; 3],
    },

    /// The block is negative or larger than the device supports.
    #[error(
        "kernel `{kernel}`: a block of {block} is out of range; the device takes 1 to ({}, {}, {}) threads and at most {threads} in \
         all",
        .most[0], .most[1], .most[2]
    )]
    BlockOutOfRange {
        /// The kernel.
        kernel: &'static str,
        /// The block that was asked for.
        block: BlockDim,
        /// The most threads along each axis.
        most: [u32; 3],
        /// The most threads in a block.
        threads: u32,
    },

    /// The threads of the grid synchronize, but the device cannot hold all blocks of the grid at the same time.
    #[error(
        "kernel `{kernel}`: `sync_grid()` synchronizes all {blocks} blocks of the grid, but {device} holds at most {most} blocks of \
         {block}{} at a time; launch at most that many ({}) and let each thread compute several elements: `for i in grid_stride(n)`",
        with_shared(*.shared_bytes), count_of_resident_blocks(.kernel, *.shared_bytes)
    )]
    GridNotResident {
        /// The kernel.
        kernel: &'static str,
        /// The requested number of blocks.
        blocks: u64,
        /// The requested block.
        block: BlockDim,
        /// The bytes of dynamic shared memory of each block.
        shared_bytes: u32,
        /// The maximum number of blocks of this kernel that the device holds, with this much shared memory each.
        most: u64,
        /// The device.
        device: String,
    },

    /// The device supports a block of this size, but not with the registers or shared memory that this kernel needs.
    #[error(
        "kernel `{kernel}`: a block of {block} has {threads} threads, but its registers and shared memory allow at most {most}; use \
         a smaller block"
    )]
    BlockNeedsTooMuch {
        /// The kernel.
        kernel: &'static str,
        /// The block that was asked for.
        block: BlockDim,
        /// How many threads that is.
        threads: u32,
        /// The most threads of a block of this kernel on this device.
        most: u32,
    },

    /// The dynamic shared arrays of a kernel need more memory than a block of the device has.
    #[error(
        "kernel `{kernel}`: its dynamic shared arrays take {bytes} bytes for this launch, but a block has at most {most} on this \
         device; make them shorter, or use a smaller block"
    )]
    DynamicSharedTooLarge {
        /// The kernel.
        kernel: &'static str,
        /// How many bytes they need in each block; `usize::MAX` if the number does not fit.
        bytes: usize,
        /// How many bytes a block has, without the kernel's static shared arrays.
        most: usize,
    },

    /// The length of a dynamic shared array cannot be computed for this launch.
    #[error(
        "kernel `{kernel}`: the length of a dynamic shared array overflows or divides by zero for this launch; check the arguments \
         that it is computed from"
    )]
    DynamicSharedLength {
        /// The kernel.
        kernel: &'static str,
    },

    /// The kernel is compiled for blocks up to a maximum size, and the launch has a larger block.
    #[error(
        "kernel `{kernel}` is declared with `launch_bounds` of at most {most} threads, but was launched with a block of {block}, \
         which has {threads} threads; use a smaller block, or raise the bound"
    )]
    BlockExceedsLaunchBounds {
        /// The kernel.
        kernel: &'static str,
        /// The block that was asked for.
        block: BlockDim,
        /// How many threads that is.
        threads: u32,
        /// The most threads that the kernel's attribute allows.
        most: u32,
    },

    /// Only machine code has registers, and this kernel has no machine code on a CPU.
    #[error("kernel `{kernel}` has no machine code on {device}; ask for its attributes on a GPU")]
    NoMachineCode {
        /// The kernel.
        kernel: &'static str,
        /// The name of the device.
        device: String,
    },

    /// The kernel declares its block, and the launch has another block.
    #[error("kernel `{kernel}` is declared with `block = {declared}`, but was launched with a block of {block}; the two must be equal")]
    NotTheDeclaredBlock {
        /// The kernel.
        kernel: &'static str,
        /// The block in its attribute.
        declared: BlockDim,
        /// The block that was asked for.
        block: BlockDim,
    },

    /// `forall` has fewer numbers than the block that the kernel declares has axes.
    #[error(
        "kernel `{kernel}` is declared with `block = {declared}`; write the number of threads along each axis, `forall((columns, rows))`"
    )]
    ForallNeedsMoreAxes {
        /// The kernel.
        kernel: &'static str,
        /// The block in its attribute.
        declared: BlockDim,
    },

    /// The kernel is proved free of data races, but not for a launch of this shape.
    #[error(
        "kernel `{kernel}` is proved free of data races for {} and {} only, but was launched with a grid of {grid} and a block of \
         {block}; launch it along those axes only, or index with all axes of the launch, as `grid_2d()` does",
        axes("grid", "block", .proved_for.grid_axes), axes("block", "thread", .proved_for.block_axes)
    )]
    NotProvedForShape {
        /// The kernel.
        kernel: &'static str,
        /// The grid that was asked for.
        grid: GridDim,
        /// The block that was asked for.
        block: BlockDim,
        /// The shape of launch that the proof covers.
        proved_for: ProvedFor,
    },

    /// The kernel is proved free of data races under a condition that these arguments and dimensions do not meet: an index could wrap
    /// around, or be equal to that of another thread.
    #[error(
        "kernel `{kernel}` is proved free of data races only if `{condition}`, for {access}, but {unmet} with a grid of {grid} and a \
         block of {block}; launch another shape, or use `launch_unchecked` if no two threads use the same element"
    )]
    NotProvedForArguments {
        /// The kernel.
        kernel: &'static str,
        /// The grid that was asked for.
        grid: GridDim,
        /// The block that was asked for.
        block: BlockDim,
        /// The condition, such as `block_dim().x <= w`.
        condition: &'static str,
        /// The access whose proof needs it, such as ``line 12: `out[y * w + x]` ``.
        access: &'static str,
        /// The numbers that do not meet the condition, such as `32 > 16`.
        unmet: String,
    },

    /// An array function calls a device function that asks for its thread, for example with `grid_1d()`, or uses an atomic.
    #[error(
        "array function `{function}` calls a function that uses the thread index or an atomic, but array functions have no threads; pass \
         the index of the element, `iota(n)`, as an argument"
    )]
    NoThreads {
        /// The outermost function of the expression.
        function: &'static str,
    },

    /// A kernel with tiles calls a device function that not all threads of a block can run together: it asks which thread it is, uses an
    /// atomic, prints, or can fail.
    #[error("kernel `{kernel}` has tiles, which all threads of a block compute together, but calls `{function}`, which {does}")]
    NotForTiles {
        /// The kernel's name.
        kernel: &'static str,
        /// The function's name.
        function: &'static str,
        /// What it does, and what to do instead.
        does: &'static str,
    },

    /// The kernel could not be compiled for the GPU.
    #[error("{0}")]
    Compile(CompileError),

    /// The name of an architecture is not valid.
    #[error("{0}")]
    Architecture(ParseArchitectureError),

    /// A thread of an earlier launch failed: an index out of bounds, a panic, a division by zero.
    ///
    /// The device and its memory are intact and the next launch works, but arrays that the failed kernel was writing
    /// are incomplete.
    #[error("{0}")]
    KernelFailed(Box<KernelFailure>),
}

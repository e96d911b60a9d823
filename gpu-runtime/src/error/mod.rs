//! The one error type of this crate.

mod conversion;
mod matrix;
mod message;

pub use matrix::MatrixProblem;

use std::panic::Location;

use crate::compile::{CompileError, ParseArchitectureError};
use crate::dims::{BlockDim, GridDim, ProvedFor};
use crate::failure::KernelFailure;
use crate::memory::Shape;

/// The result of every fallible call of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Everything that can go wrong, from finding a device to a panic inside a kernel.
#[non_exhaustive]
pub enum Error {
    /// The system's loader does not find NVIDIA's driver library.
    DriverNotFound {
        /// The library names that were tried, in order.
        searched: Vec<String>,
    },

    /// The loader finds the CUDA toolkit's stub instead of NVIDIA's driver. The stub exists only to link programs.
    DriverIsStub,

    /// The driver is older than the oldest version that this crate supports.
    DriverTooOld {
        /// The CUDA version of the installed driver: major, minor.
        found: (u32, u32),
        /// The CUDA version that is needed: major, minor.
        needed: (u32, u32),
    },

    /// The driver works, but there is no GPU that it may use.
    NoGpu,

    /// This process is a fork of one that has used a device. No device works in it.
    Forked,

    /// There is no GPU with this number.
    GpuOutOfRange {
        /// The requested number.
        ordinal: usize,
        /// How many GPUs there are.
        count: usize,
    },

    /// A GPU has as many streams as this crate can tell apart.
    TooManyStreams {
        /// The device.
        device: String,
        /// How many there can be.
        most: usize,
    },

    /// The time between events of different devices is not known.
    EventsOfDifferentDevices,

    /// A DLPack tensor cannot be the array that was asked for, or an array has no counterpart in other libraries.
    NotExchangeable {
        /// What is wrong.
        problem: String,
    },

    /// The code of a graph asks for something that a graph cannot record.
    NotRecordable {
        /// What it asks for.
        operation: &'static str,
        /// What to do instead.
        help: &'static str,
    },

    /// The code of a graph uses an array that is not an argument of the graph.
    NotGivenToGraph {
        /// The device.
        device: String,
        /// Whether the array is written.
        writes: bool,
    },

    /// The code of a graph keeps arrays that it has created.
    KeptByGraph {
        /// How many arrays.
        arrays: usize,
    },

    /// The code or an argument of a graph uses another device than the graph.
    GraphOfOtherDevice {
        /// The device of the graph.
        graph: String,
        /// The other device.
        other: String,
    },

    /// A call into NVIDIA's driver failed for a reason that no other variant describes.
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
    Cluster(crate::cluster::ClusterError),

    /// The driver did not load a compiled kernel.
    NotLoaded {
        /// The kernel or array function.
        kernel: &'static str,
        /// Whether it is an array function.
        is_array_function: bool,
        /// The [`Driver`](Self::Driver) error.
        reason: Box<Error>,
    },

    /// The driver refused a launch, or reported an earlier failure that had not been reported yet.
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
    OutOfMemory {
        /// The name of the device.
        device: String,
        /// The requested number of bytes; `usize::MAX` if the number does not fit.
        bytes: usize,
    },

    /// The host cannot access the elements of an array where they are.
    NotHostMemory {
        /// The device.
        device: String,
    },

    /// A copy between the host and a device had two different lengths.
    LengthMismatch {
        /// How many elements the device array has.
        device: usize,
        /// How many elements the host slice has.
        host: usize,
        /// The line of the call.
        location: &'static Location<'static>,
    },

    /// The number of elements is not a multiple of the lanes of a [vector](crate::vector).
    PartOfVector {
        /// How many elements there are.
        len: usize,
        /// How many elements a vector has.
        lanes: usize,
    },

    /// The first element is not aligned for a [vector](crate::vector).
    UnalignedVectors {
        /// How many bytes the first element is past an aligned address.
        past: usize,
        /// The alignment of a vector, in bytes.
        align: usize,
    },

    /// The shapes of two arrays do not match.
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
    TooManyAxes {
        /// How many axes it has.
        rank: usize,
    },

    /// The operation needs contiguous elements, but those of the view are not contiguous in the order of their indices.
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

    /// A function of linear algebra got a matrix for which it has no result.
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
    EmptyReduction {
        /// The function that folds.
        function: &'static str,
        /// The line of the call.
        location: &'static Location<'static>,
    },

    /// An array would have more axes than the maximum.
    ResultTooManyAxes {
        /// The outermost function of the expression.
        function: &'static str,
        /// How many axes it would have.
        rank: usize,
        /// The line of the call.
        location: &'static Location<'static>,
    },

    /// The result of an array function would have more elements than a `usize` can count.
    TooManyElements {
        /// The outermost function of the expression.
        function: &'static str,
        /// The shape of the result.
        shape: Box<Shape>,
        /// The line of the call.
        location: &'static Location<'static>,
    },

    /// An array function was called with an axis that the array does not have.
    AxisOutOfRange {
        /// The function.
        function: &'static str,
        /// The requested axis.
        axis: usize,
        /// The shape of the array.
        shape: Shape,
        /// The line of the call.
        location: &'static Location<'static>,
    },

    /// An axis is named twice.
    RepeatedAxis {
        /// The function.
        function: &'static str,
        /// The axis.
        axis: usize,
        /// The line of the call.
        location: &'static Location<'static>,
    },

    /// No axes are named for a function that needs one.
    NoAxes {
        /// The function.
        function: &'static str,
        /// The line of the call.
        location: &'static Location<'static>,
    },

    /// A reduction of no elements, with a function that has no identity.
    NoIdentity {
        /// The function.
        function: &'static str,
        /// The line of the call.
        location: &'static Location<'static>,
    },

    /// A group of a reduction by key has no elements, and the function has no identity.
    EmptyGroup {
        /// The function.
        function: &'static str,
        /// The number of the group.
        group: usize,
        /// The line of the call.
        location: &'static Location<'static>,
    },

    /// The bins of a histogram are not valid.
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
    ParametersTooLarge {
        /// The kernel.
        kernel: &'static str,
        /// How many bytes the parameters take.
        bytes: usize,
        /// The most bytes that a launch passes.
        most: usize,
    },

    /// A kernel without array arguments was launched without a device.
    NoDevice {
        /// The kernel.
        kernel: &'static str,
    },

    /// An extent of the grid is zero, and no argument that the kernel can write, a `&mut` array or one of atomics, is empty.
    EmptyGrid {
        /// The kernel.
        kernel: &'static str,
        /// The grid that was asked for.
        grid: GridDim,
    },

    /// An extent of the block is zero.
    EmptyBlock {
        /// The kernel.
        kernel: &'static str,
        /// The block that was asked for.
        block: BlockDim,
    },

    /// The grid is negative or larger than the device supports.
    GridOutOfRange {
        /// The kernel.
        kernel: &'static str,
        /// The grid that was asked for.
        grid: GridDim,
        /// The most blocks along each axis.
        most: [u32; 3],
    },

    /// The block is negative or larger than the device supports.
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
    DynamicSharedTooLarge {
        /// The kernel.
        kernel: &'static str,
        /// How many bytes they need in each block; `usize::MAX` if the number does not fit.
        bytes: usize,
        /// How many bytes a block has, without the kernel's static shared arrays.
        most: usize,
    },

    /// The length of a dynamic shared array cannot be computed for this launch.
    DynamicSharedLength {
        /// The kernel.
        kernel: &'static str,
    },

    /// The kernel is compiled for blocks up to a maximum size, and the launch has a larger block.
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
    NoMachineCode {
        /// The kernel.
        kernel: &'static str,
        /// The name of the device.
        device: String,
    },

    /// The kernel declares its block, and the launch has another block.
    NotTheDeclaredBlock {
        /// The kernel.
        kernel: &'static str,
        /// The block in its attribute.
        declared: BlockDim,
        /// The block that was asked for.
        block: BlockDim,
    },

    /// `forall` is one-dimensional, and the kernel declares a block with more dimensions.
    ForallNeedsOneDimension {
        /// The kernel.
        kernel: &'static str,
        /// The block in its attribute.
        declared: BlockDim,
    },

    /// The kernel is proved free of data races, but not for a launch of this shape.
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

    /// An array function calls a device function that uses the thread index, for example with `grid_1d()`.
    NoThreads {
        /// The outermost function of the expression.
        function: &'static str,
    },

    /// The kernel could not be compiled for the GPU.
    Compile(CompileError),

    /// The name of an architecture is not valid.
    Architecture(ParseArchitectureError),

    /// A thread of an earlier launch failed: an index out of bounds, a panic, a division by zero.
    ///
    /// The device and its memory are intact and the next launch works, but arrays that the failed kernel was writing
    /// are incomplete.
    KernelFailed(Box<KernelFailure>),
}

//! Failures of kernels: the report that a user sees, the same for both backends.

use std::fmt;
use std::panic::Location;

use crate::source::{Place, Site, SiteKind};

mod called;
mod overflow;

pub(crate) use called::{Call, called, called_or};
pub use overflow::{IntegerOperation, IntegerOverflow};

/// A check that failed in a GPU thread: which kernel, where in the Rust source, why, and in which thread.
///
/// The failed launch does not finish, so the arrays that it was writing contain a mixture of old and new values. The device and all arrays
/// on it stay usable.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelFailure {
    /// The kernel's name, or that of the array function that was called: `sum_by or mean_by` if it was one of them, which run the same on a GPU.
    pub kernel: &'static str,
    /// The Rust file that holds the failed check, as `file!()` gives it. For a check in a function of this crate, such as
    /// [`block_sum`](crate::block::block_sum), the place of its call, if the kernel calls it once.
    pub file: &'static str,
    /// The line of the check, from 1.
    pub line: u32,
    /// The column of the check, from 1.
    pub column: u32,
    /// What went wrong.
    pub cause: FailureCause,
    /// The block's coordinates in the grid: x, y, z (CUDA's `blockIdx`).
    pub block: [u32; 3],
    /// The thread's coordinates in its block: x, y, z (CUDA's `threadIdx`).
    pub thread: [u32; 3],
    /// The line that launched the kernel or called the array function. Several, if a GPU ran the same from several lines since the program
    /// last waited: any of them may have failed. None for a launch of a graph, and where there were more than eight.
    pub calls: Box<[&'static Location<'static>]>,
    /// How many threads have failed on the stream since its last report. The report is about the first of them. On the CPU, a launch ends
    /// with its first failure, so each launch counts as one.
    pub failed_threads: u32,
    work: Work,
}

/// What was running, which determines how the place of a failure is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// A kernel.
    Kernel,
    /// An array function in which thread `i % width` of block `i / width` computes the element with index `i`.
    Elements { width: u16 },
    /// An array function in which a thread computes many elements.
    Fold,
}

impl Work {
    /// That of an array function whose blocks have `width` threads, at most 1024, each with an element.
    pub(crate) fn elements(width: u32) -> Self {
        Self::Elements { width: width as u16 }
    }

    /// That of a kernel in `file`. One of this crate is what an array function launches.
    pub(crate) fn of_kernel_in(file: &str) -> Self {
        if is_of_this_crate(file) { Self::Fold } else { Self::Kernel }
    }
}

/// What went wrong in a GPU thread.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FailureCause {
    /// An index at or past the end of a slice or array.
    IndexOutOfBounds {
        /// The index.
        index: u64,
        /// How many elements there are.
        len: u64,
    },
    /// An index at or past the end of an axis of a view.
    AxisOutOfBounds {
        /// The axis, from 0.
        axis: u8,
        /// The index.
        index: u64,
        /// How many indices the axis has.
        extent: u64,
    },
    /// The kernel called `panic!`.
    Panic {
        /// Its message.
        message: &'static str,
    },
    /// An `assert!` found its condition false.
    Assertion {
        /// Its message, or the text of the condition if it has none.
        message: &'static str,
    },
    /// The divisor of an integer division or remainder was zero.
    DivisionByZero,
    /// The quotient does not fit its type: `MIN / -1` or `MIN % -1`.
    DivisionOverflow,
    /// A divergent barrier: threads of one block waited at different calls of `sync_threads()`.
    DivergentBarrier {
        /// The file where the other threads wait; [`KernelFailure::file`] is the file where this thread waits.
        other_file: &'static str,
        /// The line where they do.
        other_line: u32,
        /// The column where they do.
        other_column: u32,
    },
    /// A divergent grid barrier: threads of the grid waited at different calls of `sync_grid()`.
    DivergentGridBarrier {
        /// The file where other threads wait; [`KernelFailure::file`] is the file where this thread waits.
        other_file: &'static str,
        /// The line where they do.
        other_line: u32,
        /// The column where they do.
        other_column: u32,
    },
    /// A divergent warp: threads of one warp waited at different places.
    DivergentWarp {
        /// The file where another thread of the warp waits; [`KernelFailure::file`] is the file where this thread waits.
        other_file: &'static str,
        /// The line where it does.
        other_line: u32,
        /// The column where it does.
        other_column: u32,
    },
    /// A data race, found by a [checked device](crate::Device::checked_cpu): this thread and another access an element, at least one of
    /// them writes it, and nothing orders the two.
    DataRace(Box<DataRace>),
    /// A read of an element of a shared array that no thread of the block has written, found by a
    /// [checked device](crate::Device::checked_cpu).
    NotInitialized {
        /// The index of the element.
        index: u64,
    },
    /// The result of an integer's operator does not fit its type, found by a [checked device](crate::Device::checked_cpu) in a program that
    /// is compiled with debug assertions. Without a checker it wraps around.
    IntegerOverflow(Box<IntegerOverflow>),
    /// The mask of a warp function is wrong: other threads in the mask pass another mask, or the calling thread is not in it.
    WarpMask {
        /// The mask.
        lanes: u32,
    },
}

/// Two accesses to an element that nothing orders: [`FailureCause::DataRace`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DataRace {
    /// The name of the parameter; empty for a shared array.
    pub array: &'static str,
    /// The index of the element; of a view, counted from its first element in memory.
    pub index: u64,
    /// What this thread does.
    pub access: AccessKind,
    /// What the other thread does.
    pub other_access: AccessKind,
    /// The file of the other access; [`KernelFailure::file`] is the file of this one.
    pub other_file: &'static str,
    /// The line of the other access.
    pub other_line: u32,
    /// The column of the other access.
    pub other_column: u32,
    /// The other thread's block.
    pub other_block: [u32; 3],
    /// The other thread's coordinates in its block.
    pub other_thread: [u32; 3],
}

/// What a thread does with an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessKind {
    /// It reads it.
    Read,
    /// It writes it.
    Write,
    /// It reads and writes it, as `x[i] += 1` does.
    Update,
    /// It uses it with an atomic operation.
    Atomic,
}

impl fmt::Display for AccessKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "reads",
            Self::Write => "writes",
            Self::Update => "reads and writes",
            Self::Atomic => "uses with an atomic operation",
        })
    }
}

impl KernelFailure {
    /// Creates the report from the site of the failed check and the two values that it recorded.
    pub(crate) fn from_site(kernel: &'static str, work: Work, site: Site, values: [u64; 2], block: [u32; 3], thread: [u32; 3]) -> Self {
        Self::new(kernel, work, site.place(), FailureCause::from_site(site, values), block, thread)
    }

    /// Creates the report of a failure at a place.
    pub(crate) fn new(
        kernel: &'static str,
        work: Work,
        (file, line, column): Place,
        cause: FailureCause,
        block: [u32; 3],
        thread: [u32; 3],
    ) -> Self {
        Self { kernel, file, line, column, cause, block, thread, calls: Box::default(), failed_threads: 1, work }
    }

    /// The same of what this thread launched or called in this line.
    pub(crate) fn of_call(self, line: &'static Location<'static>) -> Self {
        self.of_calls(&[Call::of_line(line)])
    }

    /// The same of one of these calls.
    pub(crate) fn of_calls(self, calls: &[Call]) -> Self {
        let kernel = if self.work == Work::Kernel { self.kernel } else { called::name_of(self.kernel, calls) };
        Self { kernel, calls: calls.iter().map(|call| call.line).collect(), ..self }
    }

    /// The same, reported at another place.
    pub(crate) fn at(self, (file, line, column): Place) -> Self {
        Self { file, line, column, ..self }
    }

    /// Whether a kernel of the program failed in a function of this crate.
    pub(crate) fn is_in_ready_made_function(&self) -> bool {
        self.work == Work::Kernel && is_of_this_crate(self.file)
    }

    /// The index, in C order, of the element that an array function failed to compute. `None` for a kernel, and if a thread reduces many
    /// elements.
    #[must_use]
    pub fn element(&self) -> Option<u64> {
        match self.work {
            Work::Elements { width } => Some(u64::from(self.block[0]) * u64::from(width) + u64::from(self.thread[0])),
            Work::Kernel | Work::Fold => None,
        }
    }
}

impl FailureCause {
    /// Gives the recorded `values` the meaning that `site` assigns to them.
    pub(crate) fn from_site(site: Site, values: [u64; 2]) -> Self {
        match (site.kind(), values) {
            (SiteKind::Index, [index, len]) => Self::IndexOutOfBounds { index, len },
            (SiteKind::AxisIndex(axis), [index, extent]) => Self::AxisOutOfBounds { axis, index, extent },
            (SiteKind::Division, [0, _]) => Self::DivisionByZero,
            (SiteKind::Division, _) => Self::DivisionOverflow,
            (SiteKind::Panic(message), _) => Self::Panic { message },
            (SiteKind::Assert(message), _) => Self::Assertion { message },
            (SiteKind::Print(_), _) => unreachable!("a thread that prints goes on"),
            (SiteKind::Barrier | SiteKind::GridBarrier, _) => Self::divergence(site, site),
            // A mask, as it was recorded.
            (SiteKind::Warp, [lanes, _]) => Self::WarpMask { lanes: lanes as u32 },
        }
    }

    /// A thread waits at `site`, but the threads that it waits for wait at `other`.
    pub(crate) fn divergence(site: Site, other: Site) -> Self {
        let (other_file, other_line, other_column) = (other.file(), other.line(), other.column());
        match site.kind() {
            SiteKind::Warp => Self::DivergentWarp { other_file, other_line, other_column },
            SiteKind::GridBarrier if other.kind() == SiteKind::GridBarrier => {
                Self::DivergentGridBarrier { other_file, other_line, other_column }
            }
            _ => Self::DivergentBarrier { other_file, other_line, other_column },
        }
    }
}

impl fmt::Display for KernelFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kernel, file, line, column, cause, block, thread, work, .. } = self;
        let calls = self.calls.iter().filter(|call| !is_of_this_crate(call.file()));
        let calls: Vec<String> = calls.map(ToString::to_string).collect();
        let is_kernel = *work == Work::Kernel;
        match is_kernel {
            true => write!(f, "kernel `{kernel}`")?,
            false => write!(f, "array function `{}`", kernel.split("::<").next().unwrap_or(kernel).replace(" or ", "` or `"))?,
        }
        if !is_kernel && !calls.is_empty() {
            write!(f, " at {}", calls.join(" or "))?;
        }
        // A line of this crate says nothing to who has called a function of it.
        if is_kernel || calls.is_empty() || !is_of_this_crate(file) {
            write!(f, " failed at {file}:{line}:{column}")?;
        }
        write!(f, ": {cause}")?;
        match (self.element(), is_kernel) {
            (Some(element), _) => write!(f, " (element {element})"),
            (None, true) => write!(f, " (block {}, thread {})", Triple(block), Triple(thread)),
            (None, false) => Ok(()),
        }
    }
}

/// Whether a file is one of this crate's sources.
pub(crate) fn is_of_this_crate(file: &str) -> bool {
    file!().strip_suffix("failure.rs").is_some_and(|sources| file.starts_with(sources))
}

impl fmt::Display for FailureCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IndexOutOfBounds { index, len } => write!(f, "index {} is out of bounds for length {len}", Wrapped(*index)),
            Self::AxisOutOfBounds { axis, index, extent } => {
                write!(f, "index {} is out of bounds for axis {axis} of extent {extent}", Wrapped(*index))
            }
            Self::Panic { message } => write!(f, "panicked: {message}"),
            Self::Assertion { message } => write!(f, "assertion failed: {message}"),
            Self::DivisionByZero => f.write_str("integer division by zero"),
            Self::DivisionOverflow => f.write_str("integer division overflows"),
            Self::DivergentBarrier { other_file, other_line, other_column } => write!(
                f,
                "divergent barrier: this thread waits here, but other threads of its block wait at {other_file}:{other_line}:{other_column}; all threads of the block must reach the same `sync_threads()`"
            ),
            Self::DivergentGridBarrier { other_file, other_line, other_column } => write!(
                f,
                "divergent barrier: this thread waits here, but other threads of the grid wait at {other_file}:{other_line}:{other_column}; all threads of the grid must reach the same `sync_grid()`"
            ),
            Self::DivergentWarp { other_file, other_line, other_column } => write!(
                f,
                "divergent warp: this thread waits here, but another thread of its warp waits at {other_file}:{other_line}:{other_column}; all threads of the warp, or of the mask, must reach the same call"
            ),
            Self::DataRace(race) => {
                let DataRace { array, index, access, other_access, other_file, other_line, other_column, other_block, other_thread } =
                    &**race;
                let (block, thread) = (Triple(other_block), Triple(other_thread));
                match *array {
                    "" => write!(f, "data race on element {index} of a shared array")?,
                    array => write!(f, "data race on `{array}[{index}]`")?,
                }
                write!(
                    f,
                    ": this thread {access} it, and thread {thread} of block {block} {other_access} it at {other_file}:{other_line}:{other_column}; nothing orders the two accesses"
                )
            }
            Self::NotInitialized { index } => {
                write!(f, "element {index} of a shared array is read, but no thread of the block has written it")
            }
            Self::IntegerOverflow(overflow) => overflow.fmt(f),
            Self::WarpMask { lanes } => write!(
                f,
                "the mask {lanes:#010x} contains threads of the warp that do not reach this call; a mask must contain the calling thread, and all threads of a mask must pass the same mask"
            ),
        }
    }
}

impl std::error::Error for KernelFailure {}

/// An index. `i - 1` at 0 wraps around to a huge number: the user means -1.
struct Wrapped(u64);

impl fmt::Display for Wrapped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.cast_signed() {
            negative @ ..0 => write!(f, "{} ({negative} before it wrapped around)", self.0),
            index => write!(f, "{index}"),
        }
    }
}

/// Coordinates as `(x, y, z)`.
struct Triple<'a>(&'a [u32; 3]);

impl fmt::Display for Triple<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.0;
        write!(f, "({x}, {y}, {z})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(work: Work, kind: SiteKind, values: [u64; 2]) -> KernelFailure {
        let site = Site::of_test("src/main.rs", 12, 9, kind);
        KernelFailure::from_site("add", work, site, values, [1, 2, 3], [7, 0, 0])
    }

    fn message(kind: SiteKind, values: [u64; 2]) -> String {
        failure(Work::Kernel, kind, values).to_string()
    }

    #[test]
    fn an_array_function_fails_at_an_element() {
        let failed = failure(Work::Elements { width: 256 }, SiteKind::Division, [0, 0]);
        assert_eq!(failed.to_string(), "array function `add` failed at src/main.rs:12:9: integer division by zero (element 263)");
        assert_eq!(failed.element(), Some(263));
        let folded = failure(Work::Fold, SiteKind::Division, [0, 0]).to_string();
        assert_eq!(folded, "array function `add` failed at src/main.rs:12:9: integer division by zero");
    }

    #[test]
    fn a_message_names_the_kernel_the_place_the_numbers_and_the_thread() {
        assert_eq!(
            message(SiteKind::Index, [7, 5]),
            "kernel `add` failed at src/main.rs:12:9: index 7 is out of bounds for length 5 (block (1, 2, 3), thread (7, 0, 0))"
        );
    }

    #[test]
    fn an_index_below_zero_is_named_as_such() {
        let text = message(SiteKind::Index, [u64::MAX, 5]);
        assert!(text.contains("index 18446744073709551615 (-1 before it wrapped around) is out of bounds for length 5"), "{text}");
    }

    #[test]
    fn an_index_of_a_view_is_told_with_its_axis() {
        let text = message(SiteKind::AxisIndex(1), [7, 5]);
        assert!(text.contains("index 7 is out of bounds for axis 1 of extent 5"), "{text}");
        let text = message(SiteKind::AxisIndex(0), [u64::MAX, 5]);
        assert!(text.contains("(-1 before it wrapped around) is out of bounds for axis 0 of extent 5"), "{text}");
    }

    #[test]
    fn each_kind_of_site_gives_its_own_cause() {
        assert!(message(SiteKind::Division, [0, 0]).contains("division by zero"));
        assert!(message(SiteKind::Division, [1, 0]).contains("division overflows"));
        assert!(message(SiteKind::Panic("no root"), [0, 0]).contains("panicked: no root"));
        assert!(message(SiteKind::Assert("x > 0"), [0, 0]).contains("assertion failed: x > 0"));
        let masked = message(SiteKind::Warp, [5, 0]);
        assert!(masked.contains("the mask 0x00000005 contains threads"), "{masked}");
    }

    #[test]
    fn threads_that_missed_each_other_are_told_both_places() {
        let site = |line, kind| Site::of_test("src/main.rs", line, 9, kind);
        for kind in [SiteKind::Barrier, SiteKind::Warp] {
            let cause = FailureCause::divergence(site(12, kind), site(20, SiteKind::Barrier));
            let failure = KernelFailure::new("add", Work::Kernel, site(12, kind).place(), cause, [0; 3], [0; 3]).to_string();
            assert!(failure.contains("main.rs:12:9") && failure.contains("main.rs:20:9"), "{failure}");
        }
    }
}

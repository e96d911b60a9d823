//! Small kernels with one fault each, as a table: what the checker reports, and which tool of compute-sanitizer finds it on a GPU.
//!
//! The places that a report must name are marked in the source: a line with `//~ here` is that of the thread that fails, and a line with
//! `//~ other` that of the other access. One line may be both. Which of two racing threads is reported depends on the order in which they
//! run, so the two lines of a race may be exchanged.

pub mod block;
pub mod other;
pub mod overflow;
pub mod warp;

use gpu_runtime::{Device, FailureCause, Result};

/// A kernel with a fault.
pub struct Fault {
    /// The kernel's name.
    pub name: &'static str,
    /// What is wrong with it.
    pub description: &'static str,
    /// What the checker reports.
    pub expected: Expected,
    /// The tool of compute-sanitizer that finds it.
    pub tool: Option<Tool>,
    /// The file of the kernel, and its text.
    pub source: (&'static str, &'static str),
    /// Runs it with one launch, and waits.
    pub run: fn(&Device) -> Result<()>,
}

/// A kind of report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    Race,
    NotInitialized,
    Overflow,
    DivergentBarrier,
    DivergentWarp,
    WarpMask,
}

impl Expected {
    /// Whether a report is of this kind.
    #[must_use]
    pub fn is(self, cause: &FailureCause) -> bool {
        matches!(
            (self, cause),
            (Self::Race, FailureCause::DataRace(_))
                | (Self::NotInitialized, FailureCause::NotInitialized { .. })
                | (Self::Overflow, FailureCause::IntegerOverflow(_))
                | (Self::DivergentBarrier, FailureCause::DivergentBarrier { .. })
                | (Self::DivergentWarp, FailureCause::DivergentWarp { .. })
                | (Self::WarpMask, FailureCause::WarpMask { .. })
        )
    }
}

/// A tool of compute-sanitizer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// Hazards in shared memory.
    Racecheck,
    /// Divergent barriers.
    Synccheck,
}

impl Tool {
    /// What `compute-sanitizer --tool` calls it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Racecheck => "racecheck",
            Self::Synccheck => "synccheck",
        }
    }
}

/// All faults that this build finds.
pub fn faults() -> impl Iterator<Item = &'static Fault> {
    let of_debug_builds = if cfg!(debug_assertions) { overflow::FAULTS } else { &[] };
    block::FAULTS.iter().chain(warp::FAULTS).chain(other::FAULTS).chain(of_debug_builds)
}

/// The numbers of the lines with `mark` in the kernel `name`, or with both words elsewhere, from 1.
#[must_use]
pub fn marked_lines(source: &str, name: &str, mark: &str) -> Vec<u32> {
    let mut within = false;
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(source.lines()) {
        within = if within { line != "}" } else { line.starts_with(&format!("fn {name}(")) };
        let has = |word| line.split("//~").nth(1).is_some_and(|marks| marks.split_whitespace().any(|found| found == word));
        if has(mark) && (within || has(name)) {
            lines.push(number);
        }
    }
    lines
}

/// The table of a module, whose kernels all take `x` and `out`.
macro_rules! faults {
    ($($expected:ident $($tool:ident)?, $name:ident<$grid:literal, $block:literal>: $description:literal;)+) => {
        /// The faults of this module.
        pub const FAULTS: &[$crate::Fault] = &[$($crate::Fault {
            name: stringify!($name),
            description: $description,
            expected: $crate::Expected::$expected,
            tool: [$(Some($crate::Tool::$tool),)? None][0],
            source: (file!(), SOURCE),
            run: |device| {
                let x = device.to_device(&(0..256).collect::<Vec<u32>>())?;
                let mut out = device.zeros::<u32>(256)?;
                // SAFETY: there is none. The checker ends the launch before a race; on a GPU, the elements are integers that nobody trusts.
                unsafe { $name(&x, &mut out).launch_unchecked($grid, $block)? };
                device.synchronize()
            },
        }),+];
    };
}
pub(crate) use faults as fault_table;

//! Kernels: their definition by the macros, their arguments, and their launch.

mod argument;
mod arguments;
mod code_report;
mod definition;
mod dimensions;
mod forall;
mod handle;
mod launch;
mod launched;
mod loaded;
mod parameters;
mod race_free;
mod report;
mod run;
mod tile_report;

pub use argument::{Argument, Arguments, Pointer, Ranked};
pub use arguments::ArgumentBinder;
pub use definition::{KernelDefinition, KernelMeta, Shown};
pub(crate) use handle::in_parallel;
pub use handle::{KernelHandle, prepare};
pub use launch::Launch;
pub use launched::Launched;
pub(crate) use parameters::Parameters;
pub use race_free::{RaceFree, Unmet};
pub use report::{KernelReport, VariantReport};
pub use tile_report::TileReport;

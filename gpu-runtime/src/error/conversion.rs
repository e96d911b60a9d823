//! What an error is made of, and what it says of the device.

use std::panic::Location;

use super::{Error, MatrixProblem};
use crate::compile::{CompileError, ParseArchitectureError};
use crate::failure::{KernelFailure, called_or, is_of_this_crate};
use crate::memory::Shape;

#[cfg(feature = "cluster")]
impl From<crate::cluster::ClusterError> for Error {
    fn from(error: crate::cluster::ClusterError) -> Self {
        Self::Cluster(error)
    }
}

impl From<CompileError> for Error {
    fn from(error: CompileError) -> Self {
        Self::Compile(error)
    }
}

impl From<ParseArchitectureError> for Error {
    fn from(error: ParseArchitectureError) -> Self {
        Self::Architecture(error)
    }
}

impl From<KernelFailure> for Error {
    fn from(failure: KernelFailure) -> Self {
        Self::KernelFailed(Box::new(failure))
    }
}

impl Error {
    /// Whether this process can no longer use the GPU: a kernel has ended with a fault that the checks of this crate do not see, such as an
    /// illegal address in CUDA C or PTX, or the GPU itself has failed. All arrays there are lost, and every later call fails with such an
    /// error. The CPU and other GPUs work.
    ///
    /// A failure that this crate reports, [`KernelFailed`](Self::KernelFailed), loses nothing.
    #[must_use]
    pub fn is_device_lost(&self) -> bool {
        match self {
            Self::Driver { code, .. } => loses_device(*code),
            Self::NotLaunched { reason, .. } | Self::NotLoaded { reason, .. } => reason.is_device_lost(),
            _ => false,
        }
    }

    /// The line of the call, if it is an error of one.
    fn location(&mut self) -> Option<&mut &'static Location<'static>> {
        match self {
            Self::ShapeMismatch { location, .. }
            | Self::NotContiguous { location, .. }
            | Self::NoForwardMode { location, .. }
            | Self::NoSecondDerivative { location, .. }
            | Self::NestedDerivative { location, .. }
            | Self::OutsideMatrix { location, .. }
            | Self::BroadcastMismatch { location, .. }
            | Self::ArraysOnDifferentDevices { location, .. }
            | Self::TargetShape { location, .. }
            | Self::Signature { location, .. }
            | Self::EmptyReduction { location, .. }
            | Self::ResultTooManyAxes { location, .. }
            | Self::TooManyElements { location, .. }
            | Self::AxisOutOfRange { location, .. }
            | Self::RepeatedAxis { location, .. }
            | Self::NoAxes { location, .. }
            | Self::EmptyGroup { location, .. }
            | Self::NoIdentity { location, .. }
            | Self::Bins { location, .. }
            | Self::LengthMismatch { location, .. }
            | Self::UnsuitableMatrix { location, .. } => Some(location),
            _ => None,
        }
    }

    /// The same for a call in that line, if it is an error of a call.
    pub(crate) fn of_call(mut self, line: &'static Location<'static>) -> Self {
        if let Some(location) = self.location() {
            *location = line;
        }
        self
    }

    /// The same for a call in that line, if the line that it has is one of this crate: `#[track_caller]` does not reach into closures.
    pub(crate) fn of_call_from(mut self, line: &'static Location<'static>) -> Self {
        if let Some(location) = self.location()
            && is_of_this_crate(location.file())
        {
            *location = line;
        }
        self
    }

    /// The function `function` was called in the line of the caller with an array of that shape, which it is not for.
    #[track_caller]
    pub(crate) fn unsuitable(function: &'static str, shape: Shape, problem: MatrixProblem) -> Self {
        Self::UnsuitableMatrix { function: called_or(function), shape: Box::new(shape), problem, location: Location::caller() }
    }

    /// The function `operation` was called in the line of the caller with arrays whose shapes do not match.
    #[track_caller]
    pub(crate) fn shape_mismatch(operation: &'static str, from: Shape, to: Shape, help: impl Into<String>) -> Self {
        let operation = called_or(operation);
        Self::ShapeMismatch { operation, from: Box::new(from), to: Box::new(to), help: help.into(), location: Location::caller() }
    }
}

/// Whether an error of the driver ends the context: the values of `CUresult` of which its documentation says so.
pub(super) fn loses_device(code: u32) -> bool {
    // ECC and NVLink; an address, a timeout, a destroyed context, an assertion; a fault of the stack, an instruction, an alignment, an address
    // space, a program counter, a launch; a contained fault.
    matches!(code, 214 | 220 | 700 | 702 | 709 | 710 | 714..=719 | 721)
}

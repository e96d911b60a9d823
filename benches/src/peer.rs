//! The same work by a library of Python, measured by a program that prints a name and the seconds of one call in each line.

use std::collections::HashMap;

use gpu_runtime::Device;

use crate::Result;
use crate::measure::{Sample, repeat, seconds_in_python, seconds_per_call};
use crate::report::{Better, Figure, Target};

/// How the programs time a call.
const MEASURE: &str = include_str!("peer.py");

/// What a library took.
#[derive(Debug)]
pub struct Peer {
    name: &'static str,
    seconds: HashMap<String, f64>,
}

impl Peer {
    /// Runs the program, which calls `measure` of `peer.py`.
    ///
    /// # Errors
    ///
    /// The program cannot be started or fails.
    pub fn measure(name: &'static str, program: &str) -> Result<Self> {
        Ok(Self { name, seconds: seconds_in_python(&format!("{MEASURE}{program}"))? })
    }

    /// Times `call`, so many times in a row, against the work that the library calls `work`: our time shall be at most `bar` times its.
    ///
    /// # Errors
    ///
    /// The call fails, or the library did not do the work.
    pub fn compare(
        &self,
        device: &Device,
        case: &str,
        work: &str,
        (calls, bar): (u32, f64),
        mut call: impl FnMut() -> Result<()>,
    ) -> Result<Figure> {
        call()?;
        let ours = repeat(|| seconds_per_call(calls, &mut call, || Ok(device.synchronize()?)))?;
        let seconds = *self.seconds.get(work).ok_or_else(|| format!("{} did not measure {work}", self.name))?;
        let reference = Sample { median: seconds, lowest: seconds, highest: seconds };
        let (ms, target) = (|seconds: f64| seconds * 1e3, Some(Target::Ratio(bar)));
        let (ours, reference) = (ours.map(ms), (self.name, reference.map(ms)));
        Ok(Figure { case: case.to_owned(), unit: "ms", better: Better::Less, ours, reference, limit: None, target })
    }
}

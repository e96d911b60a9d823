//! Timing: two alternatives alternately, so that clocks, heat and neighbours treat both alike.

use std::collections::HashMap;
use std::process::Command;
use std::time::Instant;

use crate::{Result, check};

/// What a number of rounds gave.
#[derive(Debug, Clone, Copy)]
pub struct Sample {
    /// The middle one: what a benchmark reports.
    pub median: f64,
    /// The lowest one.
    pub lowest: f64,
    /// The highest one.
    pub highest: f64,
}

impl Sample {
    fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        Self { median: values[values.len() / 2], lowest: values[0], highest: values[values.len() - 1] }
    }

    /// The same in another unit. A conversion that turns the order around, such as from seconds to a rate, is fine.
    #[must_use]
    pub fn map(self, convert: impl Fn(f64) -> f64) -> Self {
        let (lowest, highest) = (convert(self.lowest), convert(self.highest));
        Self { median: convert(self.median), lowest: lowest.min(highest), highest: highest.max(lowest) }
    }
}

/// Whether the program was asked for fewer rounds, with the argument `--quick`.
#[must_use]
pub fn is_quick() -> bool {
    std::env::args().any(|argument| argument == "--quick")
}

/// How many rounds to measure: 9, or 3 where that shall be quick.
#[must_use]
pub fn rounds() -> usize {
    if is_quick() { 3 } else { 9 }
}

/// Measures once to warm up, then [`rounds`] times.
pub fn repeat(mut measure: impl FnMut() -> Result<f64>) -> Result<Sample> {
    measure()?;
    Ok(Sample::of((0..rounds()).map(|_| measure()).collect::<Result<_>>()?))
}

/// Measures both once to warm up, then [`rounds`] times each, in turn. Who goes first alternates too.
pub fn alternate(mut ours: impl FnMut() -> Result<f64>, mut reference: impl FnMut() -> Result<f64>) -> Result<(Sample, Sample)> {
    ours()?;
    reference()?;
    let (mut our_values, mut reference_values) = (Vec::new(), Vec::new());
    for round in 0..rounds() {
        if round % 2 == 0 {
            our_values.push(ours()?);
            reference_values.push(reference()?);
        } else {
            reference_values.push(reference()?);
            our_values.push(ours()?);
        }
    }
    Ok((Sample::of(our_values), Sample::of(reference_values)))
}

/// Seconds that `work` takes: of the processor, for all threads, if `PROCESSOR_TIME` is in the environment.
pub fn seconds(work: impl FnOnce() -> Result<()>) -> Result<f64> {
    let (start, of_processor) = (Instant::now(), processor_seconds());
    work()?;
    Ok(match (of_processor, processor_seconds()) {
        (Some(start), Some(end)) => end - start,
        _ => start.elapsed().as_secs_f64(),
    })
}

/// The processor time of this process, if it is asked for, and known.
fn processor_seconds() -> Option<f64> {
    std::env::var_os("PROCESSOR_TIME")?;
    #[cfg(target_os = "linux")]
    {
        use std::ffi::{c_int, c_long};

        #[repr(C)]
        struct Time {
            seconds: i64,
            nanoseconds: c_long,
        }
        // Of the C library, which std links anyway.
        unsafe extern "C" {
            fn clock_gettime(clock: c_int, time: *mut Time) -> c_int;
        }
        const PROCESS: c_int = 2;
        let mut time = Time { seconds: 0, nanoseconds: 0 };
        // SAFETY: `time` is what the function fills.
        let known = unsafe { clock_gettime(PROCESS, &raw mut time) } == 0;
        known.then_some(time.seconds as f64 + time.nanoseconds as f64 * 1e-9)
    }
    #[cfg(not(target_os = "linux"))]
    None
}

/// Seconds that `work` takes after a few times in a row: with its own data in the caches and its threads awake, as in a script that
/// does nothing else.
pub fn seconds_in_a_row(mut work: impl FnMut() -> Result<()>) -> Result<f64> {
    for _ in 0..4 {
        work()?;
    }
    seconds(work)
}

/// Seconds for each of `calls` calls that queue work, `wait` for all of it included.
pub fn seconds_per_call(calls: u32, mut call: impl FnMut() -> Result<()>, wait: impl FnOnce() -> Result<()>) -> Result<f64> {
    let all = seconds(|| {
        for _ in 0..calls {
            call()?;
        }
        wait()
    })?;
    Ok(all / f64::from(calls))
}

/// The seconds that a program in Python prints for each piece of work: a line has a name, a space and a number.
///
/// # Errors
///
/// The program cannot be started or fails.
pub fn seconds_in_python(program: &str) -> Result<HashMap<String, f64>> {
    let output = Command::new("python3").args(["-c", program]).output()?;
    check(output.status.success(), &String::from_utf8_lossy(&output.stderr))?;
    let lines = String::from_utf8(output.stdout)?;
    let entry = |line: &str| -> Option<(String, f64)> {
        let (name, seconds) = line.split_once(' ')?;
        Some((name.to_owned(), seconds.parse().ok()?))
    };
    Ok(lines.lines().filter_map(entry).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_the_middle_and_both_ends() {
        let sample = Sample::of(vec![3.0, 1.0, 2.0]);
        assert_eq!((sample.lowest, sample.median, sample.highest), (1.0, 2.0, 3.0));
    }

    #[test]
    fn a_rate_keeps_its_ends_in_order() {
        let rate = Sample::of(vec![1.0, 2.0, 4.0]).map(|seconds| 8.0 / seconds);
        assert_eq!((rate.lowest, rate.median, rate.highest), (2.0, 4.0, 8.0));
    }

    #[test]
    fn both_alternatives_are_measured_equally_often() {
        let (mut ours, mut reference) = (0, 0);
        let counted = alternate(
            || {
                ours += 1;
                Ok(f64::from(ours))
            },
            || {
                reference += 1;
                Ok(1.0)
            },
        );
        counted.unwrap();
        assert_eq!(ours, reference);
    }
}

//! Choosing the fastest of several ways to do the same work, once for each device.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::compile::{Cache, cache};
use crate::device::Device;
use crate::{Error, Result};

/// A candidate runs so often, or until it has taken [`PATIENCE`].
const RUNS: usize = 10;
const PATIENCE: Duration = Duration::from_millis(50);

/// What was chosen in this process.
static CHOSEN: Mutex<Option<HashMap<String, usize>>> = Mutex::new(None);

/// The fastest of `candidates` for some work on `device`: block sizes, const parameters, or whole algorithms. Triton and Numba users know it
/// as `autotune`.
///
/// `run` does the work with a candidate. It is called several times for each, and the shortest time counts, on a GPU by events. So the work
/// must be repeatable: its last run decides what is in its arrays. A candidate that fails is left out.
///
/// The result is kept in the [cache](crate::cache) on disk, by the name of the device, `work`, and the candidates. Later calls return it
/// without running anything, so `work` must say what the best candidate depends on, such as the kernel and the sizes: `"blur 4096x4096"`.
///
/// Debug builds, such as those of `cargo test`, take the first candidate and run nothing. The environment variable `GPU_RUNTIME_AUTOTUNE`
/// changes this: `on` measures in every build, `again` also where a result is known, and `off` never.
///
/// # Errors
///
/// The error of the first candidate, if all fail.
///
/// # Panics
///
/// If there are no candidates.
///
/// ```
/// use gpu_runtime::autotune;
/// use gpu_runtime::prelude::*;
///
/// #[gpu_kernel]
/// fn scale<const PER_THREAD: usize>(x: &mut [f32], by: f32) {
///     let first = grid_1d() * PER_THREAD;
///     for k in 0..PER_THREAD {
///         if first + k < x.len() {
///             x[first + k] *= by;
///         }
///     }
/// }
///
/// let device = Device::best()?;
/// let mut x = device.zeros::<f32>(10_000)?;
/// let mut run = |&(per_thread, block): &(usize, usize)| {
///     let blocks = 10_000usize.div_ceil(per_thread * block);
///     match per_thread {
///         1 => scale::<1>(&mut x, 2.0).launch(blocks, block),
///         _ => scale::<4>(&mut x, 2.0).launch(blocks, block),
///     }
/// };
/// let candidates = [(1, 128), (1, 256), (4, 128), (4, 256)];
/// let best = autotune(&device, "scale 10000", &candidates, &mut run)?;
/// run(best)?;
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
pub fn autotune<'c, C: fmt::Debug>(
    device: &Device,
    work: &str,
    candidates: &'c [C],
    mut run: impl FnMut(&C) -> Result<()>,
) -> Result<&'c C> {
    assert!(!candidates.is_empty(), "autotune needs candidates");
    let mode = Mode::of(std::env::var("GPU_RUNTIME_AUTOTUNE").ok().as_deref());
    let key = format!("{}\n{work}\n{candidates:?}", device.name());
    let chosen = choose(mode, cache, &key, candidates.len(), &mut |index| time(device, || run(&candidates[index])))?;
    Ok(&candidates[chosen])
}

/// When candidates are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Never,
    IfUnknown,
    Always,
}

impl Mode {
    #[inline]
    fn of(variable: Option<&str>) -> Self {
        match variable {
            Some("off") => Self::Never,
            Some("on") => Self::IfUnknown,
            Some("again") => Self::Always,
            _ if cfg!(debug_assertions) => Self::Never,
            _ => Self::IfUnknown,
        }
    }
}

/// The number of the candidate to take, of so many. `time` runs one.
#[inline]
fn choose(
    mode: Mode,
    cache: fn() -> Option<Cache>,
    key: &str,
    count: usize,
    time: &mut dyn FnMut(usize) -> Result<Duration>,
) -> Result<usize> {
    if mode == Mode::Never {
        return Ok(0);
    }
    if mode == Mode::IfUnknown {
        let known = chosen().get_or_insert_default().get(key).copied().or_else(|| cache()?.choice(key));
        if let Some(known) = known.filter(|known| *known < count) {
            return Ok(known);
        }
    }
    let fastest = fastest((0..count).map(time))?;
    chosen().get_or_insert_default().insert(key.to_owned(), fastest);
    if let Some(cache) = cache() {
        cache.keep_choice(key, fastest);
    }
    Ok(fastest)
}

#[inline]
fn chosen() -> MutexGuard<'static, Option<HashMap<String, usize>>> {
    CHOSEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The number of the shortest time; the first error if there are only errors.
#[inline]
fn fastest(times: impl Iterator<Item = Result<Duration>>) -> Result<usize> {
    let (mut best, mut error) = (None::<(usize, Duration)>, None::<Error>);
    for (index, time) in times.enumerate() {
        match time {
            Ok(time) if best.is_none_or(|(_, shortest)| time < shortest) => best = Some((index, time)),
            Ok(_) => {}
            Err(failed) => error = error.or(Some(failed)),
        }
    }
    match (best, error) {
        (Some((index, _)), _) => Ok(index),
        (None, Some(error)) => Err(error),
        (None, None) => unreachable!("there are candidates"),
    }
}

/// The shortest time of some runs. The first one, which may compile, does not count.
#[inline]
fn time(device: &Device, mut run: impl FnMut() -> Result<()>) -> Result<Duration> {
    run()?;
    device.synchronize()?;
    let shortest = shortest(|| {
        let start = device.record()?;
        run()?;
        device.record()?.elapsed(&start)
    })?;
    device.synchronize()?;
    Ok(shortest)
}

/// The shortest of some measurements: fewer where they take long.
#[inline]
fn shortest(mut measure: impl FnMut() -> Result<Duration>) -> Result<Duration> {
    let (mut shortest, mut total) = (Duration::MAX, Duration::ZERO);
    for _ in 0..RUNS {
        let took = measure()?;
        shortest = shortest.min(took);
        total += took;
        if total > PATIENCE {
            break;
        }
    }
    Ok(shortest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed() -> Result<Duration> {
        Err(Error::NoThreads { function: "f" })
    }

    #[test]
    fn the_shortest_time_is_chosen_and_failures_are_left_out() {
        let millis = |millis| Ok(Duration::from_millis(millis));
        assert_eq!(fastest([millis(3), failed(), millis(1), millis(2)].into_iter()).unwrap(), 2);
        assert!(fastest([failed(), failed()].into_iter()).is_err());
    }

    #[test]
    fn debug_builds_measure_only_if_the_environment_says_so() {
        let default = if cfg!(debug_assertions) { Mode::Never } else { Mode::IfUnknown };
        let modes = [None, Some("off"), Some("on"), Some("again")].map(Mode::of);
        assert_eq!(modes, [default, Mode::Never, Mode::IfUnknown, Mode::Always]);
    }

    #[test]
    fn what_was_chosen_is_not_measured_again() {
        let runs = std::cell::Cell::new(0);
        let choose = |mode, count| {
            let mut time = |index: usize| {
                runs.set(runs.get() + 1);
                Ok(Duration::from_millis(10 - index as u64))
            };
            (choose(mode, || None, "what_was_chosen_is_not_measured_again", count, &mut time).unwrap(), runs.take())
        };
        assert_eq!(choose(Mode::Never, 3), (0, 0));
        assert_eq!(choose(Mode::IfUnknown, 3), (2, 3));
        assert_eq!(choose(Mode::IfUnknown, 3), (2, 0));
        assert_eq!(choose(Mode::Always, 4), (3, 4));
        assert_eq!(choose(Mode::IfUnknown, 2), (1, 2), "of other candidates");
    }

    #[test]
    fn a_choice_is_kept_on_disk_until_the_cache_is_cleared() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::in_folder(folder.path());
        assert_eq!(cache.choice("blur"), None);
        cache.keep_choice("blur", 1);
        cache.keep_choice("blur", 2);
        cache.keep_choice("blur 2", 3);
        assert_eq!(["blur", "blur 2", "other"].map(|key| cache.choice(key)), [Some(2), Some(3), None]);
        assert!(cache.entries().is_empty(), "a choice is no kernel");
        cache.clear().unwrap();
        assert_eq!((cache.choice("blur"), std::fs::read_dir(folder.path()).unwrap().count()), (None, 0));
    }

    #[test]
    fn the_shortest_of_several_times_counts() {
        let of = |times: &[Duration]| {
            let mut rest = times.iter().copied();
            let shortest = shortest(|| rest.next().ok_or(Error::NoThreads { function: "f" }));
            (shortest.ok(), times.len() - rest.len())
        };
        let shorter: Vec<_> = (0..RUNS as u64).map(|n| Duration::from_micros(20 - n)).collect();
        assert_eq!(of(&shorter), (Some(Duration::from_micros(21 - RUNS as u64)), RUNS));
        assert_eq!(of(&[PATIENCE / 2, PATIENCE, Duration::ZERO]), (Some(PATIENCE / 2), 2), "what takes long is measured less often");
        assert_eq!(of(&[Duration::ZERO]), (None, 1), "a failure ends it");
    }

    /// Of the times themselves nothing is known on a machine that others use.
    #[test]
    fn a_candidate_runs_once_more_than_it_is_timed() {
        let device = Device::cpu();
        let (mut runs, mut failing) = (0, 0);
        let run = |runs: &mut usize| {
            *runs += 1;
            Ok(())
        };
        time(&device, || run(&mut runs)).unwrap();
        assert!((2..=RUNS + 1).contains(&runs), "{runs}");
        let fail_when_timed = || if failing == 1 { failed().map(drop) } else { run(&mut failing) };
        assert!(time(&device, fail_when_timed).is_err());
    }
}

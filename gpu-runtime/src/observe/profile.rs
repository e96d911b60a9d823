//! The profile of a run: what was done, counted by name for the table, and one after the other for the trace.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::exit::at_exit;
use super::{Activity, format, trace_file};

/// The most events of a trace. What comes later is only in the table.
const MAX_EVENTS: usize = 1_000_000;

/// Where something is done.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Track {
    /// On a thread of the host.
    Host(String),
    /// On a GPU, by its number, and a stream of it.
    Gpu { ordinal: usize, stream: usize },
}

impl Track {
    pub(super) fn this_thread() -> Self {
        let thread = std::thread::current();
        Self::Host(thread.name().map_or_else(|| format!("{:?}", thread.id()), str::to_owned))
    }
}

/// Something that was done.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    pub(crate) activity: Activity,
    pub(crate) name: String,
    pub(crate) start: Instant,
    pub(crate) duration: Duration,
    /// Of arrays, 0 if that is not known.
    pub(crate) bytes: u64,
    /// The share of the GPU's threads that are resident while the kernel runs, if that is known.
    pub(crate) occupancy: Option<f64>,
    pub(crate) track: Track,
}

/// All records of an activity and a name.
#[derive(Debug)]
pub(super) struct Total {
    pub(super) activity: Activity,
    pub(super) name: String,
    pub(super) calls: u64,
    pub(super) time: Duration,
    pub(super) bytes: u64,
    /// Seconds of full occupancy that would have the same resident threads. `None` if nothing is known.
    pub(super) occupied: Option<f64>,
}

/// What the environment asks for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Wanted {
    table: bool,
    trace: Option<String>,
}

impl Wanted {
    fn parse(value: &str) -> Self {
        let parts = || value.split(',').map(str::trim);
        Self { table: parts().any(|part| part == "table"), trace: parts().find(|part| part.ends_with(".json")).map(str::to_owned) }
    }
}

pub(super) struct Profile {
    pub(super) began: Instant,
    /// In the order of activities and names.
    pub(super) totals: Vec<Total>,
    pub(super) events: Vec<Record>,
    wanted: Wanted,
    /// Called before the profile is written: they add what they know.
    before_end: Vec<fn()>,
}

impl Profile {
    fn new(wanted: Wanted) -> Self {
        Self { began: Instant::now(), totals: Vec::new(), events: Vec::new(), wanted, before_end: Vec::new() }
    }

    pub(super) fn add(&mut self, record: Record) {
        let total = self.total(record.activity, &record.name);
        total.calls += 1;
        total.time += record.duration;
        total.bytes += record.bytes;
        if let Some(occupancy) = record.occupancy {
            *total.occupied.get_or_insert(0.0) += occupancy * record.duration.as_secs_f64();
        }
        if self.wanted.trace.is_some() && self.events.len() < MAX_EVENTS {
            self.events.push(record);
        }
    }

    fn total(&mut self, activity: Activity, name: &str) -> &mut Total {
        let found = self.totals.binary_search_by(|total| (total.activity, total.name.as_str()).cmp(&(activity, name)));
        let at = found.unwrap_or_else(|at| {
            self.totals.insert(at, Total { activity, name: name.to_owned(), calls: 0, time: Duration::ZERO, bytes: 0, occupied: None });
            at
        });
        &mut self.totals[at]
    }
}

static PROFILE: Mutex<Option<Profile>> = Mutex::new(None);

fn profile() -> MutexGuard<'static, Option<Profile>> {
    PROFILE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts the profile that the environment asks for: whether it asks for one.
pub(super) fn start() -> bool {
    let wanted = Wanted::parse(&std::env::var("GPU_RUNTIME_PROFILE").unwrap_or_default());
    if wanted == Wanted::default() {
        return false;
    }
    let mut profile = profile();
    if profile.is_none() {
        if let Some(trace) = &wanted.trace {
            trace_file::remove(Path::new(trace));
        }
        *profile = Some(Profile::new(wanted));
        at_exit(finish);
    }
    true
}

/// Adds to the profile, if there is one and it is not written yet.
pub(crate) fn record(record: Record) {
    if let Some(profile) = profile().as_mut() {
        profile.add(record);
    }
}

/// Calls `function` before the profile is written, before what libraries do at the end that were loaded so far.
pub(crate) fn before_end(function: fn()) {
    if let Some(profile) = profile().as_mut().filter(|profile| !profile.before_end.contains(&function)) {
        profile.before_end.push(function);
        at_exit(finish);
    }
}

/// Writes the profile. Only the first call has one to write.
extern "C" fn finish() {
    // A panic must not leave the function.
    let _ = std::panic::catch_unwind(|| {
        let before_end = profile().as_mut().map_or_else(Vec::new, |profile| std::mem::take(&mut profile.before_end));
        before_end.into_iter().for_each(|function| function());
        let Some(profile) = profile().take() else { return };
        if profile.wanted.table {
            eprint!("{}", format::table(&profile));
        }
        if let Some(file) = &profile.wanted.trace
            && let Err(error) = trace_file::write(Path::new(file), &format::trace(&profile))
        {
            eprintln!("GPU_RUNTIME_PROFILE: {file}: {error}");
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(activity: Activity, name: &str, start: Instant, micros: u64, bytes: u64, track: Track) -> Record {
        let occupancy = (activity == Activity::Kernel).then_some(if micros == 20 { 1.0 } else { 0.25 });
        Record { activity, name: name.to_owned(), start, duration: Duration::from_micros(micros), bytes, occupancy, track }
    }

    fn example() -> Profile {
        let mut profile = Profile::new(Wanted::parse("table, out.json"));
        let at = |micros| profile_start(&profile) + Duration::from_micros(micros);
        let gpu = |stream| Track::Gpu { ordinal: 0, stream };
        let records = [
            record(Activity::Kernel, "add", at(10), 20, 60_000_000, gpu(1)),
            record(Activity::Kernel, "add", at(40), 40, 60_000_000, gpu(2)),
            record(Activity::Copy, "to the host", at(100), 1000, 0, Track::Host("main \"1\"".to_owned())),
        ];
        records.into_iter().for_each(|record| profile.add(record));
        profile
    }

    fn profile_start(profile: &Profile) -> Instant {
        profile.began
    }

    #[test]
    fn the_environment_asks_for_a_table_a_trace_or_both() {
        let wanted = |table, trace: Option<&str>| Wanted { table, trace: trace.map(str::to_owned) };
        for (value, expected) in [
            ("", wanted(false, None)),
            ("off", wanted(false, None)),
            ("table", wanted(true, None)),
            ("a/run.json", wanted(false, Some("a/run.json"))),
            ("table, run.json", wanted(true, Some("run.json"))),
        ] {
            assert_eq!(Wanted::parse(value), expected, "{value}");
        }
    }

    #[test]
    fn the_table_has_a_row_for_each_name() {
        let table = format::table(&example());
        let row = |name: &str| -> Vec<String> {
            let line = table.lines().find(|line| line.contains(name)).unwrap_or_else(|| panic!("no {name} in {table}"));
            line.split_whitespace().map(str::to_owned).collect()
        };
        // 120 MB in 60 µs.
        let add = row("add");
        assert_eq!([&add[..3], &add[3..7]], [&["kernel", "add", "2"][..], &["60.0", "µs", "30.0", "µs"]], "{table}");
        // Full for 20 µs, and a quarter for 40.
        assert_eq!(add[add.len() - 2..], ["2000.0", "50%"], "{table}");
        let copy = row("to the host");
        assert!(copy.contains(&"1.0".to_owned()) && copy.last().unwrap() == "-", "{table}");
        let place = |name: &str| table.find(name).unwrap();
        assert!(place("to the host") < place("add"), "the longest first: {table}");
    }

    #[test]
    fn the_trace_has_an_event_for_each_record_on_its_track() {
        let trace = format::trace(&example());
        assert!(trace.starts_with("{\"traceEvents\":[") && trace.trim_end().ends_with("]}"), "{trace}");
        assert_eq!(trace.matches("\"ph\":\"X\"").count(), 3);
        assert!(trace.contains("\"name\":\"add\",\"cat\":\"kernel\",\"ph\":\"X\",\"ts\":10.000,\"dur\":20.000"), "{trace}");
        for track in ["GPU 0, stream 1", "GPU 0, stream 2", "main \\\"1\\\""] {
            assert!(trace.contains(&format!("\"args\":{{\"name\":\"{track}\"}}")), "no {track} in {trace}");
        }
        assert_eq!(trace.matches(['{', '[']).count(), trace.matches(['}', ']']).count());
    }
}

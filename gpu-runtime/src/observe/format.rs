//! The two forms of a profile: a table for people, and a trace for Perfetto and `chrome://tracing`.

use std::fmt::Write as _;
use std::time::Duration;

use super::profile::{Profile, Record, Total, Track};
use crate::insertion_sort::insertion_sort;

/// A row for each name, the longest time first.
pub(super) fn table(profile: &Profile) -> String {
    let run = profile.began.elapsed();
    let mut rows: Vec<_> = profile.totals.iter().collect();
    insertion_sort(&mut rows, |a, b| a.time > b.time);
    let width = rows.iter().map(|total| total.name.chars().count()).max().unwrap_or(0).max("name".len());
    let mut text = format!("profile of {}:\n", time(run).trim());
    let _ = writeln!(
        text,
        "{:<8} {:<width$} {:>9} {:>10} {:>10} {:>7} {:>8} {:>9}",
        "activity", "name", "calls", "total", "mean", "share", "GB/s", "occupancy"
    );
    for total in rows {
        let mean = total.time.div_f64(total.calls as f64);
        let share = 100.0 * total.time.as_secs_f64() / run.as_secs_f64();
        let _ = writeln!(
            text,
            "{:<8} {:<width$} {:>9} {:>10} {:>10} {share:>6.1}% {:>8} {:>9}",
            total.activity.name(),
            total.name,
            total.calls,
            time(total.time),
            time(mean),
            bandwidth(total),
            occupancy(total)
        );
    }
    text
}

/// With the unit in which it has at most four digits.
fn time(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    let (factor, unit) = match seconds {
        0.0..1e-3 => (1e6, "µs"),
        1e-3..1.0 => (1e3, "ms"),
        _ => (1.0, "s"),
    };
    format!("{:.1} {unit}", seconds * factor)
}

fn bandwidth(total: &Total) -> String {
    if total.bytes == 0 || total.time.is_zero() {
        return "-".to_owned();
    }
    format!("{:.1}", total.bytes as f64 / total.time.as_secs_f64() / 1e9)
}

/// The mean over the time.
fn occupancy(total: &Total) -> String {
    match total.occupied {
        Some(seconds) if !total.time.is_zero() => format!("{:.0}%", 100.0 * seconds / total.time.as_secs_f64()),
        _ => "-".to_owned(),
    }
}

/// Chrome's trace event format: a complete event for each record, on a row for its thread or stream.
pub(super) fn trace(profile: &Profile) -> String {
    let tracks = tracks(&profile.events);
    let mut lines: Vec<String> = tracks.iter().enumerate().map(|(number, track)| track_name(number, track)).collect();
    lines.extend(profile.events.iter().map(|record| {
        let track = tracks.binary_search(&&record.track).expect("the track of every event was collected");
        event(profile, record, track)
    }));
    format!("{{\"traceEvents\":[\n{}\n]}}\n", lines.join(",\n"))
}

/// Each track once, in their order.
fn tracks(events: &[Record]) -> Vec<&Track> {
    let mut tracks = Vec::new();
    for record in events {
        if let Err(at) = tracks.binary_search(&&record.track) {
            tracks.insert(at, &record.track);
        }
    }
    tracks
}

fn track_name(number: usize, track: &Track) -> String {
    let name = match track {
        Track::Host(thread) => string(thread),
        Track::Gpu { ordinal, stream } => format!("GPU {ordinal}, stream {stream}"),
    };
    format!("{{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":{number},\"args\":{{\"name\":\"{name}\"}}}}")
}

fn event(profile: &Profile, record: &Record, track: usize) -> String {
    let Record { activity, name, start, duration, bytes, .. } = record;
    let micros = |duration: Duration| duration.as_secs_f64() * 1e6;
    format!(
        "{{\"name\":\"{}\",\"cat\":\"{}\",\"ph\":\"X\",\"ts\":{:.3},\"dur\":{:.3},\"pid\":1,\"tid\":{track},\"args\":{{\"bytes\":{bytes}}}}}",
        string(name),
        activity.name(),
        micros(start.saturating_duration_since(profile.began)),
        micros(*duration),
    )
}

/// The inside of a JSON string.
fn string(text: &str) -> String {
    let escaped = text.chars().map(|c| match c {
        '"' => "\\\"".to_owned(),
        '\\' => "\\\\".to_owned(),
        c if c.is_control() => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    });
    escaped.collect()
}

//! What a program is told through `tracing` and by a profile: warnings about host arrays that are copied to a GPU again and again, which
//! name the line of the program that does so, and spans of what is done.

#[path = "support/messages.rs"]
mod messages;
mod support;

use std::process::Command;
use std::sync::{Arc, Mutex};

use gpu_runtime::prelude::*;
use messages::Messages;
use support::gpu_or_skip;

#[guvectorize("(n)->()")]
fn total(x: &[f32]) -> f32 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += x[i];
    }
    sum
}

/// What is warned of while `work` runs, twice.
fn warnings(work: impl Fn() -> gpu_runtime::Result<()>) -> Vec<String> {
    let messages = Messages::default();
    tracing::subscriber::with_default(messages.clone(), || {
        work().unwrap();
        work().unwrap();
    });
    messages.take().into_iter().filter(|message| message.contains("host arrays")).collect()
}

#[test]
fn each_line_that_copies_a_host_array_again_is_warned_of_by_its_name() {
    let Some(device) = gpu_or_skip("each_line_that_copies_a_host_array_again_is_warned_of_by_its_name") else { return };
    let x = vec![1.0f32; 100_000];
    let first = line!() + 2;
    let found = warnings(|| {
        total::map(&x).on(&device).to_host()?;
        total::map(&x).on(&device).collect()?;
        let mut out = device.zeros::<f32>([])?;
        total::map(&x).on(&device).collect_into(&mut out)?;
        lazy(&x).on(&device).sum()?;
        lazy(&x).on(&device).collect()?;
        Ok(())
    });
    let lines = [first, first + 1, first + 3, first + 4, first + 5];
    assert_eq!(found.len(), lines.len(), "{found:?}");
    for (message, line) in found.iter().zip(lines) {
        assert!(message.contains(&format!("advice.rs:{line}:")), "line {line}: {message}");
    }
}

#[gpu_kernel]
fn doubled(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = 2.0 * x[i];
    }
}

/// Copies, two launches and an array function.
fn double_twice(device: &Device) -> gpu_runtime::Result<Vec<f32>> {
    let x = device.to_device(&[1.0f32; 1000])?;
    let mut out = device.zeros::<f32>(1000)?;
    doubled(&x, &mut out).launch(4, 256)?;
    doubled(&x, &mut out).forall(1000)?;
    (&out + 1.0).to_host()
}

/// The spans on a thread, each with its first field.
#[derive(Clone, Default)]
struct Spans(Arc<Mutex<Vec<String>>>);

impl tracing::Subscriber for Spans {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.target() == "gpu_runtime"
    }

    fn new_span(&self, span: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        let mut text = span.metadata().name().to_owned();
        span.record(&mut |field: &tracing::field::Field, value: &dyn std::fmt::Debug| {
            text.push_str(&format!(" {field}={value:?}"));
        });
        self.0.lock().unwrap().push(text);
        tracing::span::Id::from_u64(1)
    }

    fn event(&self, _: &tracing::Event<'_>) {}
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

#[test]
fn launches_and_copies_are_spans() {
    let spans = Spans::default();
    tracing::subscriber::with_default(spans.clone(), || double_twice(&Device::cpu())).unwrap();
    let found = std::mem::take(&mut *spans.0.lock().unwrap());
    let expected =
        ["copy direction=\"to the device\" bytes=4000", "launch kernel=\"doubled\"", "launch kernel=\"doubled\"", "launch kernel=\"add\""];
    assert_eq!(found[..4], expected, "{found:?}");
}

#[test]
#[ignore = "run by the_environment_asks_for_a_profile, in a process of its own"]
fn profiled_program() {
    let device = Device::best().unwrap();
    assert_eq!(double_twice(&device).unwrap(), [3.0; 1000]);
}

#[test]
fn the_environment_asks_for_a_profile() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.json");
    let run = |profile: &str| {
        let mut program = Command::new(std::env::current_exe().unwrap());
        program.args(["--ignored", "--exact", "profiled_program"]).env("GPU_RUNTIME_PROFILE", profile);
        let output = program.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let table = run(&format!("table,{}", file.display()));
    // On a GPU, `doubled` is also compiled and loaded.
    let row = |activity: &str, name: &str| {
        let is_row = |line: &&str| line.starts_with(activity) && line.contains(name);
        let line = table.lines().find(is_row).unwrap_or_else(|| panic!("no {activity} {name} in {table}"));
        line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    // A row for each line that launches it.
    let at_line = |launch: &str| {
        let before = include_str!("advice.rs").split_once(launch).expect("the launch is in this file").0;
        format!("{}:{}", file!(), before.lines().count())
    };
    let (first, second) = (at_line(".launch(4, 256)"), at_line(".forall(1000)"));
    let kernel = row("kernel", &first);
    assert_eq!(kernel[..5], ["kernel", "doubled", "at", &first, "1"], "{table}");
    assert_eq!(row("kernel", &second)[..5], ["kernel", "doubled", "at", &second, "1"], "{table}");
    row("kernel", "add at ");
    let [.., bandwidth, occupancy] = &kernel[..] else { panic!("{table}") };
    assert!(bandwidth.parse::<f64>().is_ok_and(|bandwidth| bandwidth >= 0.0), "{table}");
    // Which only a GPU has.
    assert!(occupancy == "-" || occupancy.ends_with('%'), "{table}");
    assert_eq!(row("copy", "to the device")[..5], ["copy", "to", "the", "device", "1"], "{table}");
    let trace = std::fs::read_to_string(&file).unwrap();
    assert_eq!(trace.matches(&format!("\"name\":\"doubled at {first}\",\"cat\":\"kernel\",\"ph\":\"X\"")).count(), 1, "{trace}");

    assert!(!run("").contains("profile of"), "no profile is asked for");
}

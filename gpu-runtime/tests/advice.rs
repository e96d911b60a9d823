//! Warnings about host arrays that are copied to a GPU again and again: they name the line of the program that does so.

mod support;

use std::fmt;
use std::sync::{Arc, Mutex};

use gpu_runtime::prelude::*;
use support::gpu_or_skip;
use tracing::field::{Field, Visit};
use tracing::{Event, Metadata, Subscriber, span};

#[guvectorize("(n)->()")]
fn total(x: &[f32]) -> f32 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += x[i];
    }
    sum
}

/// The messages of the events on a thread.
#[derive(Clone, Default)]
struct Messages(Arc<Mutex<Vec<String>>>);

impl Subscriber for Messages {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "gpu_runtime"
    }

    fn event(&self, event: &Event<'_>) {
        event.record(&mut Message(&self.0));
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

struct Message<'m>(&'m Mutex<Vec<String>>);

impl Visit for Message<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.0.lock().unwrap().push(format!("{value:?}"));
        }
    }
}

/// What is warned of while `work` runs, twice.
fn warnings(work: impl Fn() -> gpu_runtime::Result<()>) -> Vec<String> {
    let messages = Messages::default();
    tracing::subscriber::with_default(messages.clone(), || {
        work().unwrap();
        work().unwrap();
    });
    let messages = messages.0.lock().unwrap();
    messages.iter().filter(|message| message.contains("host arrays")).cloned().collect()
}

#[test]
fn each_line_that_copies_a_host_array_again_is_warned_of_by_its_name() {
    let Some(device) = gpu_or_skip("each_line_that_copies_a_host_array_again_is_warned_of_by_its_name") else { return };
    let x = vec![1.0f32; 100_000];
    let first = line!() + 2;
    let found = warnings(|| {
        total::map(&x).on(&device).to_vec()?;
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

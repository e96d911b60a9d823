//! The warnings that a program gets.

use std::fmt;
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::{Event, Metadata, Subscriber, span};

/// The messages of the events on a thread.
#[derive(Clone, Default)]
pub(crate) struct Messages(Arc<Mutex<Vec<String>>>);

impl Messages {
    /// Those so far.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

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

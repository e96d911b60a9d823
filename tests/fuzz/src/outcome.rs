//! What a run left behind.

use std::cell::Cell;
use std::fmt::{Debug, Write as _};
use std::panic::{self, AssertUnwindSafe};

use gpu_tests::bench::Failure;

/// What a run of a kernel left behind, in a form that can be compared and printed.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Where it failed, if it did.
    failure: Option<Place>,
    /// Whether one thread of several at the same time failed. How far the others came then is not determined.
    in_team: bool,
    /// The arrays, an element after the other.
    arrays: String,
}

/// A line of the generated text; `None` for one inside std, which fails on behalf of its caller.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Place(Option<u32>);

thread_local! {
    /// Where the last panic of this thread came from.
    static PANICKED: Cell<Option<Place>> = const { Cell::new(None) };
    /// Whether it was in one of the threads that this one had started.
    static IN_TEAM: Cell<bool> = const { Cell::new(false) };
}

/// Notes that a thread has failed which this one had started.
pub(crate) fn note_failure_in_team() {
    IN_TEAM.set(true);
}

impl Outcome {
    /// Of a launch.
    #[must_use]
    pub fn of_launch(result: Result<(), Failure>) -> Self {
        Self { failure: result.err().map(|failure| Place(Some(failure.line))), in_team: false, arrays: String::new() }
    }

    /// Of a call of plain Rust.
    pub fn of_call(call: impl FnOnce()) -> Self {
        PANICKED.set(None);
        IN_TEAM.set(false);
        let panicked = panic::catch_unwind(AssertUnwindSafe(call)).is_err();
        let failure = panicked.then(|| PANICKED.get().unwrap_or(Place(None)));
        Self { failure, in_team: IN_TEAM.get(), arrays: String::new() }
    }

    /// Adds an array that the run wrote.
    pub fn add<T: Debug>(&mut self, array: &[T]) {
        // Rust prints as many digits as tell a float from its neighbours; all NaNs are one.
        let _ = write!(self.arrays, "{array:?} ");
    }

    /// Whether the other is the same.
    #[must_use]
    pub fn agrees_with(&self, other: &Self) -> bool {
        let same_place = match (self.failure, other.failure) {
            (None, None) => true,
            (Some(Place(Some(a))), Some(Place(Some(b)))) => a == b,
            (Some(_), Some(_)) => true,
            _ => false,
        };
        same_place && (self.in_team || other.in_team || self.arrays == other.arrays)
    }

    #[must_use]
    pub fn failed(&self) -> bool {
        self.failure.is_some()
    }
}

/// Makes panics of generated code remember where they came from, silently. Others are reported as ever.
pub fn silence_generated_panics() {
    let ordinary = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let line = info.location().filter(|location| location.file().ends_with("plain.rs")).map(std::panic::Location::line);
        let in_std = info.location().is_some_and(|location| location.file().starts_with("/rustc/"));
        if line.is_some() || in_std {
            PANICKED.set(Some(Place(line)));
        } else {
            ordinary(info);
        }
    }));
}

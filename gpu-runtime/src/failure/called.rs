//! Which array function the program has called. The kernels behind a ready-made function have names that its caller does not know, so an
//! error is told as one of the function that was called.

use std::cell::Cell;
use std::panic::Location;
use std::sync::{Mutex, PoisonError};

thread_local! {
    static CALLED: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// While it lives, what this thread launches belongs to an array function.
#[must_use]
pub(crate) struct Called {
    before: Option<&'static str>,
}

/// Until the result is dropped, errors of what this thread does are those of the array function `name`, also where that calls others.
pub(crate) fn called(name: &'static str) -> Called {
    let before = CALLED.get();
    CALLED.set(before.or(Some(name)));
    Called { before }
}

/// The array function that the program has called, if this thread is in one, else `name`.
pub(crate) fn called_or(name: &'static str) -> &'static str {
    CALLED.get().unwrap_or(name)
}

impl Drop for Called {
    fn drop(&mut self) {
        CALLED.set(self.before);
    }
}

/// A line of the program that launches a kernel or calls an array function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Call {
    pub(super) line: &'static Location<'static>,
    /// The array function, if it is not the one that has the name of the kernel.
    pub(super) function: Option<&'static str>,
}

impl Call {
    /// The one that this thread is in, of that line.
    pub(crate) fn of_line(line: &'static Location<'static>) -> Self {
        Self { line, function: CALLED.get() }
    }
}

/// The array function whose `kernel` these calls run. Several functions may run one kernel: any of them may be the one that is meant.
pub(super) fn name_of(kernel: &'static str, calls: &[Call]) -> &'static str {
    static SEVERAL: Mutex<Vec<&str>> = Mutex::new(Vec::new());
    let mut names: Vec<&str> = Vec::new();
    for name in calls.iter().map(|call| call.function.unwrap_or(kernel)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    match names[..] {
        [] => kernel,
        [name] => name,
        _ => {
            // Few functions share a kernel, so few lists of names are kept.
            let (name, mut known) = (names.join(" or "), SEVERAL.lock().unwrap_or_else(PoisonError::into_inner));
            known.iter().find(|known| **known == name).copied().unwrap_or_else(|| {
                let name = &*name.leak();
                known.push(name);
                name
            })
        }
    }
}

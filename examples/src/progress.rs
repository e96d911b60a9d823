//! A progress bar for runs that take a while.

use std::io::{IsTerminal as _, Write as _};

/// A line such as `[#########           ]  45 %` on standard error, if that is a terminal.
#[derive(Debug)]
pub struct Progress {
    total: usize,
    shown: Option<usize>,
}

const WIDTH: usize = 40;

impl Progress {
    /// A bar for `total` steps. Without `wanted` it shows nothing.
    #[must_use]
    pub fn new(total: usize, wanted: bool) -> Self {
        Self { total, shown: (wanted && std::io::stderr().is_terminal()).then_some(usize::MAX) }
    }

    /// Says that `done` steps of the total are done.
    pub fn update(&mut self, done: usize) {
        let percent = percent(done, self.total);
        if self.shown.is_some_and(|shown| shown != percent) {
            self.shown = Some(percent);
            eprint!("\r{}", bar(percent));
            let _ = std::io::stderr().flush();
        }
    }
}

/// Wipes the bar off the screen.
impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown.is_some_and(|shown| shown != usize::MAX) {
            eprint!("\r{:width$}\r", "", width = bar(100).len());
        }
    }
}

fn percent(done: usize, total: usize) -> usize {
    (done.min(total) * 100).checked_div(total).unwrap_or(100)
}

fn bar(percent: usize) -> String {
    format!("[{:<WIDTH$}] {percent:>3} %", "#".repeat(percent * WIDTH / 100))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_full_as_the_work() {
        assert_eq!(bar(percent(0, 7)), format!("[{}]   0 %", " ".repeat(40)));
        assert_eq!(bar(percent(1, 2)), format!("[{}{}]  50 %", "#".repeat(20), " ".repeat(20)));
        assert_eq!(bar(percent(9, 7)), format!("[{}] 100 %", "#".repeat(40)));
        assert_eq!(percent(0, 0), 100);
    }
}

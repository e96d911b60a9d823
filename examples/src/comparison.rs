//! How much faster than plain Rust a device is.

use std::fmt;
use std::time::{Duration, Instant};

/// The speed of a device, compared with that of plain Rust on one core.
#[derive(Debug, Clone)]
pub struct Comparison {
    what: &'static str,
    device: Work,
    plain: Work,
}

/// So many pieces of work took so long.
#[derive(Debug, Clone, Default)]
struct Work {
    pieces: usize,
    time: Duration,
}

impl Work {
    fn add<T>(&mut self, pieces: usize, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.time += start.elapsed();
        self.pieces += pieces;
        result
    }

    /// Millions of pieces a second.
    fn speed(&self) -> f64 {
        self.pieces as f64 / self.time.as_secs_f64() / 1e6
    }
}

impl Comparison {
    /// Of work that consists of `what`.
    #[must_use]
    pub fn new(what: &'static str) -> Self {
        Self { what, device: Work::default(), plain: Work::default() }
    }

    /// Times `work` of so many pieces on the device, which must wait for its end.
    pub fn time<T>(&mut self, pieces: usize, work: impl FnOnce() -> T) -> T {
        self.device.add(pieces, work)
    }

    /// Times work of the same kind as a loop on the host.
    pub fn time_plain<T>(&mut self, pieces: usize, work: impl FnOnce() -> T) -> T {
        self.plain.add(pieces, || std::hint::black_box(work()))
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, device, plain } = self;
        let seconds = device.time.as_secs_f64();
        writeln!(f, "{:.1} million {what} a second, in {:.3} ms", device.speed(), seconds * 1e3)?;
        let ratio = device.speed() / plain.speed();
        writeln!(f, "plain Rust on one core: {:.1} million; the device is {ratio:.2} × as fast", plain.speed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_are_compared_by_the_piece() {
        let work = |pieces, milliseconds| Work { pieces, time: Duration::from_millis(milliseconds) };
        let comparison = Comparison { what: "rays", device: work(9_000_000, 1500), plain: work(1_000_000, 500) };
        assert_eq!(
            comparison.to_string(),
            "6.0 million rays a second, in 1500.000 ms\nplain Rust on one core: 2.0 million; the device is 3.00 × as fast\n"
        );
    }
}

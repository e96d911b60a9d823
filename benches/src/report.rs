//! What a benchmark prints: JSON lines for programs on stdout, a table for people on stderr.

use std::fmt::Write as _;

use crate::measure::Sample;

/// Which numbers are good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// Times.
    Less,
    /// Rates.
    More,
}

/// What our number should be at most, or at least where more is better.
#[derive(Debug, Clone, Copy)]
pub enum Target {
    /// This many times the reference.
    Ratio(f64),
    /// This many units.
    Value(f64),
    /// This many times what each of these peers takes, which are measured by programs of their own.
    Peers(&'static [(&'static str, f64)]),
    /// This many times the limit.
    Limit(f64),
}

/// One result: ours, what it is compared with, and the limit that nobody can pass.
#[derive(Debug, Clone)]
pub struct Figure {
    /// What was measured, within the benchmark.
    pub case: String,
    /// The unit of all numbers.
    pub unit: &'static str,
    /// Whether less or more of it is better.
    pub better: Better,
    /// What our kernel took.
    pub ours: Sample,
    /// What the same work took otherwise, and how it was done.
    pub reference: (&'static str, Sample),
    /// What the work takes at least, or at most where more is better, and what sets that limit.
    pub limit: Option<(&'static str, f64)>,
    /// What we hold ourselves to.
    pub target: Option<Target>,
}

impl Figure {
    /// Ours over the reference.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.ours.median / self.reference.1.median
    }

    /// Whether the target is met; `None` if there is none, or if it cannot be determined on this machine.
    #[must_use]
    pub fn meets_target(&self) -> Option<bool> {
        let (found, wanted) = match self.target? {
            Target::Ratio(wanted) => (self.ratio(), wanted),
            Target::Value(wanted) => (self.ours.median, wanted),
            Target::Limit(wanted) => (self.ours.median / self.limit?.1, wanted),
            Target::Peers(_) => return None,
        };
        Some(match self.better {
            Better::Less => found <= wanted,
            Better::More => found >= wanted,
        })
    }

    fn json(&self, bench: &str) -> String {
        let (reference_name, reference) = &self.reference;
        // The strings are our own, without characters that JSON and Rust escape differently.
        let mut line = format!("{{\"bench\":{bench:?},\"case\":{:?},\"unit\":{:?}", self.case, self.unit);
        let _ = write!(line, ",\"better\":\"{}\"", if self.better == Better::Less { "less" } else { "more" });
        for (name, sample) in [("ours", &self.ours), ("reference", reference)] {
            let Sample { median, lowest, highest } = sample;
            let _ = write!(line, ",\"{name}\":{median},\"{name}_lowest\":{lowest},\"{name}_highest\":{highest}");
        }
        let _ = write!(line, ",\"reference_name\":{reference_name:?},\"ratio\":{}", self.ratio());
        if let Some((name, limit)) = self.limit {
            let _ = write!(line, ",\"limit\":{limit},\"limit_name\":{name:?}");
        }
        match self.target {
            Some(Target::Ratio(wanted)) => _ = write!(line, ",\"target_ratio\":{wanted}"),
            Some(Target::Value(wanted)) => _ = write!(line, ",\"target_value\":{wanted}"),
            Some(Target::Limit(wanted)) => _ = write!(line, ",\"target_limit\":{wanted}"),
            Some(Target::Peers(wanted)) => {
                let wanted: Vec<String> = wanted.iter().map(|(peer, ratio)| format!("{peer:?}:{ratio}")).collect();
                let _ = write!(line, ",\"target_peers\":{{{}}}", wanted.join(","));
            }
            None => {}
        }
        if let Some(met) = self.meets_target() {
            let _ = write!(line, ",\"target_met\":{met}");
        }
        line.push('}');
        line
    }

    fn row(&self) -> String {
        let (reference_name, reference) = &self.reference;
        let Self { case, unit, .. } = self;
        let mut row = format!("  {case:<24} {:>9} {unit}", significant(self.ours.median));
        let spread = (self.ours.highest - self.ours.lowest) / self.ours.median * 100.0;
        let _ = write!(row, " (spread {spread:.1} %); {reference_name} {}; ratio {:.3}", significant(reference.median), self.ratio());
        if let Some((name, limit)) = self.limit {
            let _ = write!(row, "; limit {} ({name})", significant(limit));
        }
        let (verb, number) = match (self.better, self.target) {
            (_, None | Some(Target::Peers(_))) => return row,
            (Better::Less, Some(Target::Limit(wanted))) => ("times the limit at most", wanted),
            (Better::More, Some(Target::Limit(wanted))) => ("times the limit at least", wanted),
            (Better::Less, Some(Target::Ratio(wanted))) => ("ratio at most", wanted),
            (Better::More, Some(Target::Ratio(wanted))) => ("ratio at least", wanted),
            (Better::Less, Some(Target::Value(wanted))) => ("at most", wanted),
            (Better::More, Some(Target::Value(wanted))) => ("at least", wanted),
        };
        let verdict = if self.meets_target() == Some(true) { "met" } else { "MISSED" };
        let _ = write!(row, "; target {verb} {number}: {verdict}");
        row
    }
}

/// Collects the figures of one benchmark.
#[derive(Debug)]
pub struct Report {
    bench: &'static str,
    figures: Vec<Figure>,
}

impl Report {
    pub(crate) fn new(bench: &'static str) -> Self {
        Self { bench, figures: Vec::new() }
    }

    /// Prints the figure as a line of JSON, and keeps it for the table.
    pub fn add(&mut self, figure: Figure) {
        println!("{}", figure.json(self.bench));
        self.figures.push(figure);
    }

    pub(crate) fn print_table(&self) {
        for figure in &self.figures {
            eprintln!("{}", figure.row());
        }
    }
}

/// `value` with four significant digits.
fn significant(value: f64) -> String {
    let digits = if value == 0.0 { 0 } else { value.abs().log10().floor() as i32 };
    format!("{value:.*}", usize::try_from(3 - digits).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(better: Better, ours: f64, target: Target) -> Figure {
        let sample = |median| Sample { median, lowest: median, highest: median };
        Figure {
            case: "case".to_owned(),
            unit: "ms",
            better,
            ours: sample(ours),
            reference: ("by hand", sample(2.0)),
            limit: Some(("memory", 1.5)),
            target: Some(target),
        }
    }

    #[test]
    fn a_time_meets_its_target_from_below_and_a_rate_from_above() {
        assert_eq!(figure(Better::Less, 2.2, Target::Ratio(1.15)).meets_target(), Some(true));
        assert_eq!(figure(Better::Less, 2.4, Target::Ratio(1.15)).meets_target(), Some(false));
        assert_eq!(figure(Better::More, 1.9, Target::Ratio(0.9)).meets_target(), Some(true));
        assert_eq!(figure(Better::More, 1.7, Target::Ratio(0.9)).meets_target(), Some(false));
        assert_eq!(figure(Better::Less, 9.0, Target::Value(10.0)).meets_target(), Some(true));
        assert_eq!(figure(Better::Less, 2.2, Target::Limit(1.5)).meets_target(), Some(true));
        assert_eq!(figure(Better::Less, 2.3, Target::Limit(1.5)).meets_target(), Some(false));
        assert_eq!(figure(Better::Less, 9.0, Target::Peers(&[("Numba", 1.0)])).meets_target(), None);
    }

    #[test]
    fn the_json_has_every_number() {
        let line = figure(Better::Less, 1.0, Target::Ratio(1.15)).json("bench");
        assert_eq!(
            line,
            r#"{"bench":"bench","case":"case","unit":"ms","better":"less","ours":1,"ours_lowest":1,"ours_highest":1,"reference":2,"reference_lowest":2,"reference_highest":2,"reference_name":"by hand","ratio":0.5,"limit":1.5,"limit_name":"memory","target_ratio":1.15,"target_met":true}"#
        );
    }

    #[test]
    fn the_json_names_the_peers() {
        let line = figure(Better::More, 1.0, Target::Peers(&[("PyTorch", 1.0), ("Numba", 1.6)])).json("bench");
        assert!(line.ends_with(r#""target_peers":{"PyTorch":1,"Numba":1.6}}"#), "{line}");
    }

    #[test]
    fn numbers_are_printed_with_four_digits() {
        assert_eq!(
            [0.0, 0.012345, 1.0, 12.3456, 3412.3, 123_456.0].map(significant),
            ["0.000", "0.01235", "1.000", "12.35", "3412", "123456"]
        );
    }
}

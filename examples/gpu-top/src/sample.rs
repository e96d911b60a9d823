//! What is known about a GPU at a time.

use std::collections::VecDeque;
use std::fmt;

/// How many samples are kept for the curves.
const KEPT: usize = 240;

/// A GPU at a time. What a GPU does not tell is `None`.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Sample {
    pub(crate) index: u32,
    pub(crate) name: String,
    /// The share of the time in which a kernel ran, in percent.
    pub(crate) utilization: Option<u32>,
    /// Bytes: those in use, and all.
    pub(crate) memory: Option<(u64, u64)>,
    /// MHz: of the multiprocessors, and of the memory.
    pub(crate) clocks: [Option<u32>; 2],
    /// Watts: at present, and at most.
    pub(crate) power: [Option<f64>; 2],
    /// Degrees Celsius.
    pub(crate) temperature: Option<u32>,
    /// KB/s on the bus: to the GPU, and from it.
    pub(crate) traffic: [Option<u32>; 2],
    pub(crate) processes: Vec<Process>,
}

/// A process that uses a GPU.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Process {
    pub(crate) pid: u32,
    pub(crate) name: String,
    /// Bytes, if the driver tells.
    pub(crate) memory: Option<u64>,
}

impl Sample {
    /// Clocks, power, temperature and traffic in one line.
    pub(crate) fn details(&self) -> String {
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        let number = |value: Option<u32>| or_dash(value.map(|value| value.to_string()));
        let watts = |value: Option<f64>| or_dash(value.map(|value| format!("{value:.0}")));
        let rate = |value: Option<u32>| or_dash(value.map(|value| format!("{:.2}", f64::from(value) / 1e6)));
        let ([core, memory], [power, limit], [there, back]) = (self.clocks, self.power, self.traffic);
        format!(
            "{} / {} MHz   {} of {} W   {} °C   PCIe {} / {} GB/s",
            number(core),
            number(memory),
            watts(power),
            watts(limit),
            number(self.temperature),
            rate(there),
            rate(back)
        )
    }

    /// GiB: in use, and all.
    pub(crate) fn memory_text(&self) -> String {
        self.memory.map_or_else(|| "-".to_owned(), |(used, total)| format!("{:.1} of {:.1} GiB", gibibytes(used), gibibytes(total)))
    }
}

pub(crate) fn gibibytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 30)
}

/// Some lines, for scripts.
impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let utilization = self.utilization.map_or_else(|| "-".to_owned(), |percent| format!("{percent} %"));
        write!(f, "GPU {} ({}): {utilization}   {}   {}", self.index, self.name, self.memory_text(), self.details())?;
        self.processes.iter().try_for_each(|Process { pid, name, memory }| {
            let memory = memory.map_or_else(|| "-".to_owned(), |bytes| format!("{:.1} GiB", gibibytes(bytes)));
            write!(f, "\n  {pid} {name}: {memory}")
        })
    }
}

/// The last samples of each GPU.
#[derive(Debug, Default)]
pub(crate) struct History {
    pub(crate) now: Vec<Sample>,
    /// Of each GPU, its utilization in percent, the latest last.
    utilization: Vec<VecDeque<u64>>,
}

impl History {
    pub(crate) fn add(&mut self, samples: Vec<Sample>) {
        self.utilization.resize(samples.len(), VecDeque::new());
        for (curve, sample) in self.utilization.iter_mut().zip(&samples) {
            if curve.len() == KEPT {
                curve.pop_front();
            }
            curve.push_back(sample.utilization.unwrap_or(0).into());
        }
        self.now = samples;
    }

    /// The last utilizations of a GPU, at most `width` of them.
    pub(crate) fn utilization(&self, gpu: usize, width: usize) -> Vec<u64> {
        let curve = &self.utilization[gpu];
        curve.iter().skip(curve.len().saturating_sub(width)).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_a_dash() {
        assert_eq!(Sample::default().to_string(), "GPU 0 (): -   -   - / - MHz   - of - W   - °C   PCIe - / - GB/s");
    }

    #[test]
    fn the_history_keeps_the_latest() {
        let mut history = History::default();
        for percent in 0..300 {
            history.add(vec![Sample { utilization: Some(percent), ..Sample::default() }]);
        }
        assert_eq!(history.utilization(0, 3), [297, 298, 299]);
        assert_eq!(history.utilization(0, 1000).len(), KEPT);
    }
}

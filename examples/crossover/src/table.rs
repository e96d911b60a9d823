//! What was measured, and who wins where.

use std::fmt;

/// The times of one array function.
pub(crate) struct Table {
    pub(crate) title: &'static str,
    /// Those of the CPU first: one core, then all.
    pub(crate) ways: Vec<&'static str>,
    pub(crate) rows: Vec<Row>,
}

/// How long each way takes for arrays of one length.
pub(crate) struct Row {
    pub(crate) len: usize,
    pub(crate) seconds: Vec<f64>,
}

impl Row {
    /// The time of `way` over that of the fastest way of the CPU that comes before it.
    fn ratio(&self, way: usize) -> f64 {
        self.seconds[way] / self.seconds[..way.min(2)].iter().copied().fold(f64::INFINITY, f64::min)
    }
}

impl Table {
    /// Whether `way` beats the CPU at each length. The median of three neighbouring lengths decides: a disturbance of one does not.
    fn beats_cpu(&self, way: usize) -> Vec<bool> {
        let ratios: Vec<f64> = self.rows.iter().map(|row| row.ratio(way)).collect();
        let last = ratios.len().saturating_sub(1);
        let around = |i: usize| vec![ratios[i.saturating_sub(1)], ratios[i], ratios[(i + 1).min(last)]];
        (0..ratios.len()).map(|i| median(around(i)) < 1.0).collect()
    }

    /// The first and the last length of the longest stretch of rows on which `way` beats the CPU.
    fn crossover(&self, way: usize) -> Option<(usize, usize)> {
        let rows: Vec<(bool, usize)> = self.beats_cpu(way).into_iter().zip(self.rows.iter().map(|row| row.len)).collect();
        let stretches = rows.chunk_by(|a, b| a.0 == b.0).filter(|rows| rows[0].0);
        stretches.max_by_key(|rows| rows.len()).map(|rows| (rows[0].1, rows[rows.len() - 1].1))
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, µs\n{:>9}", self.title, "length")?;
        self.ways.iter().try_for_each(|way| write!(f, "{way:>15}"))?;
        writeln!(f, "  fastest")?;
        for row in &self.rows {
            write!(f, "{:>9}", row.len)?;
            row.seconds.iter().try_for_each(|seconds| write!(f, "{:>15.2}", seconds * 1e6))?;
            let fastest = row.seconds.iter().zip(&self.ways).min_by(|a, b| a.0.total_cmp(b.0));
            writeln!(f, "  {}", fastest.map_or("", |(_, way)| way))?;
        }
        let longest = self.rows.last().map_or(0, |row| row.len);
        for (way, name) in self.ways.iter().enumerate().skip(1) {
            let rival = if way == 1 { "one core" } else { "the CPU" };
            match self.crossover(way) {
                None => writeln!(f, "{name} does not beat {rival} up to length {longest}")?,
                Some((first, last)) if last == longest => writeln!(f, "{name} beats {rival} from length {first} on")?,
                Some((first, last)) => writeln!(f, "{name} beats {rival} from length {first} to {last}")?,
            }
        }
        Ok(())
    }
}

/// The middle one of some values.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table of lengths 1, 2, 4… from the microseconds of each way.
    fn table(rows: &[[f64; 3]]) -> Table {
        let row = |(i, seconds): (usize, &[f64; 3])| Row { len: 1 << i, seconds: seconds.iter().map(|us| us / 1e6).collect() };
        Table { title: "x", ways: vec!["loop", "cores", "gpu"], rows: rows.iter().enumerate().map(row).collect() }
    }

    #[test]
    fn a_table_names_the_fastest_of_each_length_and_the_crossovers() {
        let text = table(&[[1.0, 5.0, 9.0], [8.0, 7.0, 9.0], [64.0, 20.0, 9.25]]).to_string();
        let words: Vec<Vec<_>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(words[2], ["1", "1.00", "5.00", "9.00", "loop"]);
        assert_eq!(words[3], ["2", "8.00", "7.00", "9.00", "cores"]);
        assert_eq!(words[4], ["4", "64.00", "20.00", "9.25", "gpu"]);
        assert!(text.ends_with("cores beats one core from length 2 on\ngpu beats the CPU from length 4 on\n"), "{text}");
    }

    #[test]
    fn the_gpu_must_beat_the_faster_way_of_the_cpu() {
        assert_eq!(table(&[[9.0, 5.0, 7.0], [5.0, 9.0, 7.0], [7.0, 7.0, 7.0]]).crossover(2), None);
    }

    #[test]
    fn one_disturbed_length_is_no_crossover() {
        let (lost, won) = ([1.0, 1.0, 2.0], [3.0, 3.0, 2.0]);
        assert_eq!(table(&[lost, lost, won, lost, lost]).crossover(2), None);
        let table = table(&[lost, won, lost, won, won, lost, lost]);
        assert_eq!(table.crossover(2), Some((4, 16)));
        assert!(table.to_string().ends_with("gpu beats the CPU from length 4 to 16\n"));
    }

    #[test]
    fn a_median_is_the_middle_value() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
    }
}

//! The picture of the GPUs.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Style};
use ratatui::widgets::{Block, Gauge, Paragraph, Row, Sparkline, Table};

use crate::sample::{History, Process, Sample, gibibytes};

/// Lines of a GPU: its frame, memory, details, and three of the curve.
const HEIGHT: u16 = 7;

/// A box for each GPU, and the processes of all of them below.
pub(crate) fn draw(frame: &mut Frame<'_>, history: &History) {
    let heights = history.now.iter().map(|_| Constraint::Length(HEIGHT)).chain([Constraint::Min(3)]);
    let areas = Layout::vertical(heights).split(frame.area());
    for (gpu, (sample, area)) in history.now.iter().zip(areas.iter()).enumerate() {
        draw_gpu(frame, sample, &history.utilization(gpu, area.width.saturating_sub(2).into()), *area);
    }
    if let Some(area) = areas.last() {
        draw_processes(frame, &history.now, *area);
    }
}

fn draw_gpu(frame: &mut Frame<'_>, sample: &Sample, curve: &[u64], area: Rect) {
    let utilization = sample.utilization.map_or_else(|| "-".to_owned(), |percent| format!("{percent} %"));
    let block = Block::bordered().title(format!(" GPU {}: {} ", sample.index, sample.name)).title(format!(" {utilization} "));
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let [memory, details, utilization] = Layout::vertical([Constraint::Length(1), Constraint::Length(1), Constraint::Min(1)]).areas(inner);
    let share = sample.memory.map_or(0.0, |(used, total)| used as f64 / total.max(1) as f64);
    let gauge = Gauge::default().ratio(share.clamp(0.0, 1.0)).label(sample.memory_text()).gauge_style(Style::new().fg(Color::Blue));
    frame.render_widget(gauge, memory);
    frame.render_widget(Paragraph::new(sample.details()), details);
    frame.render_widget(Sparkline::default().data(curve).max(100).style(Style::new().fg(Color::Green)), utilization);
}

fn draw_processes(frame: &mut Frame<'_>, samples: &[Sample], area: Rect) {
    let rows = samples.iter().flat_map(|sample| {
        sample.processes.iter().map(|Process { pid, name, memory }| {
            let memory = memory.map_or_else(|| "-".to_owned(), |bytes| format!("{:.2} GiB", gibibytes(bytes)));
            Row::new([sample.index.to_string(), pid.to_string(), memory, name.clone()])
        })
    });
    let widths = [Constraint::Length(4), Constraint::Length(9), Constraint::Length(12), Constraint::Min(10)];
    let table = Table::new(rows, widths).header(Row::new(["GPU", "PID", "memory", "process"]));
    frame.render_widget(table.block(Block::bordered().title(" processes ").title_bottom(" q: quit ")), area);
}

#[cfg(test)]
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::*;

    #[test]
    fn the_picture_has_each_gpu_and_process() {
        let mut history = History::default();
        let processes = vec![Process { pid: 4242, name: "heat".to_owned(), memory: Some(3 << 29) }];
        let first = Sample {
            name: "NVIDIA H200".to_owned(),
            utilization: Some(75),
            memory: Some((35 << 30, 140 << 30)),
            power: [Some(420.4), Some(700.0)],
            processes,
            ..Sample::default()
        };
        history.add(vec![first, Sample { index: 1, name: "other".to_owned(), ..Sample::default() }]);
        let mut terminal = Terminal::new(TestBackend::new(90, 20)).unwrap();
        terminal.draw(|frame| draw(frame, &history)).unwrap();
        let picture = terminal.backend().to_string();
        for text in
            ["GPU 0: NVIDIA H200", "75 %", "35.0 of 140.0 GiB", "420 of 700 W", "GPU 1: other", "4242", "1.50 GiB", "heat", "q: quit"]
        {
            assert!(picture.contains(text), "no {text} in\n{picture}");
        }
    }

    #[test]
    fn a_small_terminal_is_no_error() {
        let mut history = History::default();
        history.add(vec![Sample::default(); 8]);
        let mut terminal = Terminal::new(TestBackend::new(5, 3)).unwrap();
        terminal.draw(|frame| draw(frame, &history)).unwrap();
    }
}

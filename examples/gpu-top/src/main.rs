//! What the GPUs of this machine do, in a terminal: utilization, memory, clocks, power, traffic on the bus, and processes. `q` ends it.
//!
//! ```sh
//! cargo run --release --manifest-path examples/gpu-top/Cargo.toml
//! cargo run --release --manifest-path examples/gpu-top/Cargo.toml -- --once # a table, for scripts
//! ```

mod nvml;
mod sample;
mod view;

use std::process::ExitCode;
use std::time::Duration;

use nvml::Nvml;
use ratatui::crossterm::event::{self, Event, KeyCode};
use sample::History;

/// How often the GPUs are asked.
const PERIOD: Duration = Duration::from_millis(500);

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    let once = std::env::args().skip(1).any(|argument| argument == "--once");
    let outcome = Nvml::load().and_then(|nvml| if once { print(&nvml) } else { watch(&nvml) });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("gpu-top: {error}");
            ExitCode::FAILURE
        }
    }
}

fn print(nvml: &Nvml) -> Result<()> {
    nvml.samples()?.iter().for_each(|sample| println!("{sample}"));
    Ok(())
}

fn watch(nvml: &Nvml) -> Result<()> {
    let mut terminal = ratatui::init();
    let outcome = draw_until_quit(nvml, &mut terminal);
    // The terminal is as it was before the error is printed.
    ratatui::restore();
    outcome
}

fn draw_until_quit(nvml: &Nvml, terminal: &mut ratatui::DefaultTerminal) -> Result<()> {
    let mut history = History::default();
    loop {
        history.add(nvml.samples()?);
        terminal.draw(|frame| view::draw(frame, &history))?;
        if event::poll(PERIOD)?
            && let Event::Key(key) = event::read()?
            && matches!(key.code, KeyCode::Char('q') | KeyCode::Esc)
        {
            return Ok(());
        }
    }
}

//! Draws the losses that trainings have printed: `curve LOG… CURVE.svg`, each log a line with the name of its file.

use std::path::Path;

use plotters::prelude::*;

type Failure = Box<dyn std::error::Error>;

/// Colours that people who confuse red and green can distinguish.
const COLOURS: [RGBColor; 3] = [RGBColor(0, 114, 178), RGBColor(230, 120, 0), RGBColor(0, 158, 115)];

/// The loss of a step is drawn as the mean of so many, as batches differ.
const WINDOW: usize = 9;

fn main() -> Result<(), Failure> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let Some((svg, logs)) = paths.split_last().filter(|(_, logs)| !logs.is_empty()) else {
        return Err("usage: curve LOG… CURVE.svg".into());
    };
    let curves = logs.iter().map(|log| losses(log)).collect::<Result<Vec<_>, _>>()?;
    let steps = curves.iter().map(Vec::len).max().unwrap_or(0);
    let highest = curves.iter().flatten().copied().fold(0.0, f64::max);
    let area = SVGBackend::new(svg, (720, 360)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .margin(12)
        .margin_right(24)
        .x_label_area_size(44)
        .y_label_area_size(52)
        .build_cartesian_2d(0..steps, 0.0..highest)?;
    chart.configure_mesh().max_light_lines(1).label_style(("sans-serif", 15)).x_desc("step").y_desc("loss").draw()?;
    for ((log, curve), colour) in logs.iter().zip(&curves).zip(COLOURS.iter().cycle()) {
        let name = Path::new(log).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let line = LineSeries::new(smooth(curve), colour.stroke_width(2));
        let key = move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2));
        chart.draw_series(line)?.label(name).legend(key);
    }
    chart.configure_series_labels().position(SeriesLabelPosition::UpperRight).label_font(("sans-serif", 15)).draw()?;
    area.present()?;
    println!("drawn in {svg}");
    Ok(())
}

/// Of lines such as `step 1: loss 10.811, …`.
fn losses(log: &str) -> Result<Vec<f64>, Failure> {
    let text = std::fs::read_to_string(log)?;
    let of_line = |line: &str| line.strip_prefix("step ")?.split_once(": loss ")?.1.split(',').next()?.parse().ok();
    let losses: Vec<f64> = text.lines().filter_map(of_line).collect();
    if losses.is_empty() { Err(format!("{log} has no losses").into()) } else { Ok(losses) }
}

/// The mean of the losses around each step.
fn smooth(losses: &[f64]) -> impl Iterator<Item = (usize, f64)> {
    (0..losses.len()).map(|step| {
        let around = &losses[step.saturating_sub(WINDOW / 2)..losses.len().min(step + WINDOW / 2 + 1)];
        (step + 1, around.iter().sum::<f64>() / around.len() as f64)
    })
}

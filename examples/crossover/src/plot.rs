//! The times over the length, as SVG.

use std::error::Error;

use plotters::prelude::*;

use super::table::{Row, Table};

/// Line colours that stay apart for people who confuse red and green.
const COLORS: [RGBColor; 4] = [RGBColor(0, 0, 0), RGBColor(0, 114, 178), RGBColor(213, 94, 0), RGBColor(230, 159, 0)];

/// One panel per table, side by side, with logarithmic axes.
pub(crate) fn draw(tables: &[Table]) -> Result<String, Box<dyn Error>> {
    let mut svg = String::new();
    let area = SVGBackend::with_string(&mut svg, (640 * tables.len() as u32, 480)).into_drawing_area();
    area.fill(&WHITE)?;
    for (panel, table) in area.split_evenly((1, tables.len())).iter().zip(tables) {
        let times = || table.rows.iter().flat_map(|row| &row.seconds).map(|seconds| seconds * 1e6);
        let microseconds = times().fold(f64::INFINITY, f64::min) / 2.0..times().fold(0.0, f64::max) * 2.0;
        let ends = [table.rows.first(), table.rows.last()].map(|row| row.map_or(1.0, |row| row.len as f64));
        let mut chart = ChartBuilder::on(panel)
            .caption(table.title, ("sans-serif", 26))
            .margin(12)
            .margin_right(24)
            .x_label_area_size(44)
            .y_label_area_size(64)
            .build_cartesian_2d((ends[0]..ends[1]).log_scale().base(2.0), microseconds.log_scale())?;
        chart
            .configure_mesh()
            .max_light_lines(1)
            .label_style(("sans-serif", 16))
            .x_desc("length")
            .y_desc("µs")
            .x_label_formatter(&|len| format!("2^{}", len.log2().round()))
            .y_label_formatter(&ToString::to_string)
            .draw()?;
        for (way, (name, color)) in table.ways.iter().zip(COLORS).enumerate() {
            let point = |row: &Row| (row.len as f64, row.seconds[way] * 1e6);
            let line = chart.draw_series(LineSeries::new(table.rows.iter().map(point), color.stroke_width(2)))?;
            line.label(*name).legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], color.stroke_width(2)));
        }
        let mut legend = chart.configure_series_labels();
        legend
            .position(SeriesLabelPosition::UpperLeft)
            .label_font(("sans-serif", 18))
            .background_style(WHITE)
            .border_style(BLACK)
            .draw()?;
    }
    area.present()?;
    drop(area);
    Ok(svg)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_of_every_table_has_a_line_and_a_name() {
        let rows = || vec![Row { len: 16, seconds: vec![1e-6, 3e-6] }, Row { len: 4096, seconds: vec![1e-3, 4e-6] }];
        let table = |title| Table { title, ways: vec!["slow", "fast"], rows: rows() };
        let svg = draw(&[table("left"), table("right")]).unwrap();
        assert_eq!(["left", "right", "slow", "fast"].map(|word| svg.matches(word).count()), [1, 1, 2, 2]);
        assert!(svg.trim_end().ends_with("</svg>"));
    }
}

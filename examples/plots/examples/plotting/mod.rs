//! What the examples that draw plots share.

use gpu_examples::Failure;
use plotters::prelude::*;

/// Colours that people who confuse red and green can distinguish.
pub(crate) const BLUE: RGBColor = RGBColor(0, 114, 178);
#[allow(dead_code, reason = "not every example has two groups")]
pub(crate) const ORANGE: RGBColor = RGBColor(230, 120, 0);
#[allow(dead_code, reason = "or three")]
pub(crate) const GREEN: RGBColor = RGBColor(0, 158, 115);

/// A plot with linear axes.
pub(crate) type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Axis, Axis>>;
type Axis = plotters::coord::types::RangedCoordf64;

/// The title, and of each axis its name and its ends.
pub(crate) struct Labels {
    pub(crate) title: String,
    pub(crate) x: (&'static str, [f64; 2]),
    pub(crate) y: (&'static str, [f64; 2]),
}

/// Draws what belongs between the axes.
pub(crate) type Draw<'a> = dyn Fn(&mut Chart<'_, '_>) -> Result<(), Failure> + 'a;

/// Draws one plot beside the other into an SVG file.
pub(crate) fn write<const N: usize>(path: &str, plots: [(Labels, &Draw<'_>); N]) -> Result<(), Failure> {
    let area = SVGBackend::new(path, (560 * N as u32, 420)).into_drawing_area();
    area.fill(&WHITE)?;
    for (panel, (labels, draw)) in area.split_evenly((1, N)).iter().zip(plots) {
        let ([left, right], [bottom, top]) = (labels.x.1, labels.y.1);
        let mut chart = ChartBuilder::on(panel)
            .caption(&labels.title, ("sans-serif", 22))
            .margin(12)
            .margin_right(24)
            .x_label_area_size(44)
            .y_label_area_size(64)
            .build_cartesian_2d(left..right, bottom..top)?;
        let mut mesh = chart.configure_mesh();
        mesh.max_light_lines(1).label_style(("sans-serif", 15)).x_desc(labels.x.0).y_desc(labels.y.0);
        mesh.draw()?;
        draw(&mut chart)?;
    }
    area.present()?;
    println!("drawn in {path}");
    Ok(())
}

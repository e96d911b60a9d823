//! Expressions with a broadcast row or column, a strided or a transposed operand on the CPU, against the same expression of arrays in C order.

use std::process::ExitCode;

use gpu_benches::measure::{alternate, seconds_in_a_row};
use gpu_benches::report::{Better, Figure, Report, Target};
use gpu_benches::{Result, cpu_benchmark};
use gpu_runtime::prelude::*;

const LEN: usize = 3_200_000;

fn main() -> ExitCode {
    cpu_benchmark("cpu_broadcast", run)
}

fn run(report: &mut Report) -> Result<()> {
    let device = Device::cpu();
    for [rows, columns] in [[1000, 3200], [100_000, 32], [32, 100_000]] {
        let ramp = |shape: [usize; 2]| iota(shape).cast::<f32>().on(&device).collect();
        let (x, y): (DeviceArray<f32>, DeviceArray<f32>) = (ramp([rows, columns])?, ramp([rows, columns])?);
        let (row, column): (DeviceArray<f32>, DeviceArray<f32>) = (ramp([1, columns])?, ramp([rows, 1])?);
        let (turned, wide): (DeviceArray<f32>, DeviceArray<f32>) = (ramp([columns, rows])?, ramp([rows, 2 * columns])?);
        let mut bench = Bench { report, x: &x, y: &y, out: device.zeros(LEN)?.reshape([rows, columns])? };
        let shape = format!("{rows} × {columns}");
        bench.compare(&format!("row, {shape}"), row.view())?;
        bench.compare(&format!("column, {shape}"), column.view())?;
        bench.compare(&format!("every second, {shape}"), wide.view().slice_axis_step(1, .., 2))?;
        bench.compare(&format!("reversed, {shape}"), y.view().reverse_axis(1))?;
        bench.compare(&format!("transposed, {shape}"), turned.view().t())?;
    }
    Ok(())
}

struct Bench<'b> {
    report: &'b mut Report,
    x: &'b DeviceArray<f32>,
    y: &'b DeviceArray<f32>,
    out: DeviceArray<f32>,
}

impl Bench<'_> {
    fn compare(&mut self, case: &str, operand: DeviceView<'_, f32>) -> Result<()> {
        let (x, y) = (self.x, self.y);
        let mut plain = Device::cpu().zeros::<f32>(LEN)?.reshape(x.shape())?;
        let (ours, reference) = alternate(
            || seconds_in_a_row(|| Ok((x * operand + 1.0).collect_into(&mut self.out)?)),
            || seconds_in_a_row(|| Ok((x * y + 1.0).collect_into(&mut plain)?)),
        )?;
        let ms = |seconds: f64| seconds * 1e3;
        self.report.add(Figure {
            case: case.to_owned(),
            unit: "ms",
            better: Better::Less,
            ours: ours.map(ms),
            reference: ("all in C order", reference.map(ms)),
            limit: None,
            target: Some(Target::Ratio(1.2)),
        });
        Ok(())
    }
}

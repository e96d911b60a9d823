//! The Mandelbrot set, as a PNG file: each thread iterates z² + c for one pixel.
//!
//! ```sh
//! cargo run --release --example mandelbrot -- --width 960
//! ```

#[path = "drawing/mod.rs"]
mod drawing;

use drawing::Picture;
use gpu_examples::{Arguments, Comparison, Failure};
use gpu_runtime::prelude::*;
use gpu_runtime::vector::Float2;

/// Points that have not left the circle of radius 16 by then count as inside.
const LIMIT: u32 = 400;

/// The number of iterations until z leaves the circle, with a fraction that makes the colours continuous; 0 inside of the set.
#[gpu_device]
fn iterations(c: Float2) -> f32 {
    let (mut x, mut y) = (0.0f32, 0.0f32);
    for i in 0u32..LIMIT {
        let square = x * x + y * y;
        if square > 256.0 {
            return i as f32 + 4.0 - square.log2().log2();
        }
        (x, y) = (x * x - y * y + c.x, 2.0 * x * y + c.y);
    }
    0.0
}

/// The rows from `first` on of a picture that is `width` pixels wide; `step` is the distance between two pixels.
#[gpu_kernel(block = (32, 8))]
fn mandelbrot(width: usize, first: usize, corner: Float2, step: f32, out: &mut [f32]) {
    let (column, row) = grid_2d();
    if column < width && row * width + column < out.len() {
        let c = Float2::new(corner.x + step * column as f32, corner.y + step * (first + row) as f32);
        out[row * width + column] = iterations(c);
    }
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse("Draws the Mandelbrot set into mandelbrot.png.", &["--width"]);
    let device = arguments.device()?;
    let width = arguments.number("--width").unwrap_or(960);
    let height = (width * 2).div_ceil(3);
    let (corner, step) = (Float2::new(-2.2, -1.0), 3.0 / width as f32);
    println!("drawing {width} × {height} pixels of the Mandelbrot set on {device}");

    // Compiles the kernel, so that compiling is not timed.
    mandelbrot(width, 0, corner, step, &mut device.zeros::<f32>(width)?).launch(1, (32, 8))?;
    device.synchronize()?;

    let mut comparison = Comparison::new("pixels");
    let mut pixels = Vec::with_capacity(width * height);
    let bands = drawing::progress("rows", height);
    for first in (0..height).step_by(32) {
        let rows = 32.min(height - first);
        let band = comparison.time(rows * width, || {
            let mut band = device.zeros::<f32>(rows * width)?;
            mandelbrot(width, first, corner, step, &mut band).launch((width.div_ceil(32), 4), (32, 8))?;
            band.to_host()
        })?;
        pixels.extend(band);
        bands.inc(rows as u64);
    }
    bands.finish_and_clear();

    // A device function is also a function of the host.
    let different = (0..height).step_by(16).map(|row| {
        let point = |column: usize| Float2::new(corner.x + step * column as f32, corner.y + step * row as f32);
        let expected: Vec<f32> = comparison.time_plain(width, || (0..width).map(|column| iterations(point(column))).collect());
        expected.iter().zip(&pixels[row * width..]).filter(|(expected, found)| (*expected - *found).abs() > 0.5).count()
    });
    let different: usize = different.sum();
    print!("{comparison}");
    // On a GPU, x * x + y * y is rounded once less, which shows at the border of the set.
    if different * 100 > width * height.div_ceil(16) {
        return Err(format!("{different} pixels differ from those of a loop on the host").into());
    }

    let colour = |pixel: &f32| {
        let wave = |phase: f32| (127.5 - 127.5 * ((pixel / 16.0).sqrt() * 2.6 + phase).cos()) as u8;
        if *pixel == 0.0 { [0, 0, 0] } else { [wave(0.0), wave(0.6), wave(1.4)] }
    };
    Picture { width, height, pixels: pixels.iter().map(colour).collect() }.write("mandelbrot.png")
}

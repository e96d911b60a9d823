//! Heat spreads over a plate, as a GIF file: each thread computes one point of the next moment from its neighbours.
//!
//! ```sh
//! cargo run --release --example heat -- --frames 48
//! ```

#[path = "drawing/mod.rs"]
mod drawing;

use std::fs::File;
use std::io::BufWriter;

use gif::{Encoder, Frame, Repeat};
use gpu_examples::{Arguments, Comparison, Failure};
use gpu_runtime::prelude::*;

const WIDTH: usize = 160;
const HEIGHT: usize = 104;
/// Steps of time between two frames.
const STEPS: usize = 24;
/// The colours of the animation, from cold to hot.
const COLOURS: usize = 32;

/// A point after one step: it approaches the mean of its four neighbours.
#[gpu_device]
fn step(here: f32, left: f32, right: f32, above: f32, below: f32) -> f32 {
    here + 0.2 * (left + right + above + below - 4.0 * here)
}

/// One step of the plate, whose border keeps its temperature.
#[gpu_kernel(block = (32, 8))]
fn spread(now: View<f32, 2>, next: ViewMut<f32, 2>) {
    let (x, y) = grid_2d();
    let (height, width) = (next.shape()[0], next.shape()[1]);
    if x < width && y < height && now.shape()[0] == height && now.shape()[1] == width {
        next[[y, x]] = if x == 0 || y == 0 || x + 1 == width || y + 1 == height {
            now[[y, x]]
        } else {
            step(now[[y, x]], now[[y, x - 1]], now[[y, x + 1]], now[[y - 1, x]], now[[y + 1, x]])
        };
    }
}

/// The same step as a loop.
fn spread_plain(now: &[f32], next: &mut [f32]) {
    for y in 1..HEIGHT - 1 {
        for x in 1..WIDTH - 1 {
            let i = y * WIDTH + x;
            next[i] = step(now[i], now[i - 1], now[i + 1], now[i - WIDTH], now[i + WIDTH]);
        }
    }
}

/// A plate with a hot rim on the left, and a hot ring with a hot middle.
fn plate() -> Vec<f32> {
    let temperature = |i: usize| {
        let (x, y) = ((i % WIDTH) as f32, (i / WIDTH) as f32);
        let from_middle = ((x - 92.0).powi(2) + (y - 52.0).powi(2)).sqrt();
        let is_hot = x == 0.0 || (from_middle - 32.0).abs() < 7.0 || from_middle < 7.0;
        if is_hot { 1.0 } else { 0.0 }
    };
    (0..WIDTH * HEIGHT).map(temperature).collect()
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse("Draws how heat spreads over a plate into heat.gif.", &["--frames"]);
    let device = arguments.device()?;
    let frames = arguments.number("--frames").unwrap_or(48);
    println!("computing {frames} × {STEPS} steps of {WIDTH} × {HEIGHT} points on {device}");

    let mut plain = plate();
    let mut now = device.to_device(&plain)?.reshape([HEIGHT, WIDTH])?;
    let mut next = device.to_device(&plain)?.reshape([HEIGHT, WIDTH])?;
    let (grid, block) = ((WIDTH.div_ceil(32), HEIGHT.div_ceil(8)), (32, 8));
    // Compiles the kernel, so that compiling is not timed. The same step again changes nothing.
    spread(&now, &mut next).launch(grid, block)?;
    device.synchronize()?;

    let mut animation = Animation::new("heat.gif")?;
    let mut comparison = Comparison::new("points");
    let bar = drawing::progress("frames", frames);
    for frame in 0..frames {
        animation.add(&now.to_host()?)?;
        comparison.time(STEPS * WIDTH * HEIGHT, || {
            for _ in 0..STEPS {
                spread(&now, &mut next).launch(grid, block)?;
                std::mem::swap(&mut now, &mut next);
            }
            device.synchronize()
        })?;
        if frame == 0 {
            check(&mut plain, &now.to_host()?, &mut comparison)?;
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    print!("{comparison}");
    println!("drawn in heat.gif");
    Ok(())
}

/// Computes the steps of the first frame as a loop, and compares.
fn check(plain: &mut Vec<f32>, found: &[f32], comparison: &mut Comparison) -> Result<(), Failure> {
    let mut next = plain.clone();
    comparison.time_plain(STEPS * WIDTH * HEIGHT, || {
        for _ in 0..STEPS {
            spread_plain(plain, &mut next);
            std::mem::swap(plain, &mut next);
        }
    });
    match plain.iter().zip(found).position(|(expected, found)| (expected - found).abs() > 1e-5) {
        Some(i) => Err(format!("point {i} has the temperature {}, not {}", found[i], plain[i]).into()),
        None => Ok(()),
    }
}

/// A GIF file that repeats for ever.
struct Animation(Encoder<BufWriter<File>>);

impl Animation {
    fn new(path: &str) -> Result<Self, Failure> {
        let file = File::create(path).map_err(|error| format!("{path}: {error}"))?;
        let palette: Vec<u8> = (0..COLOURS).flat_map(|i| glow(i as f32 / (COLOURS - 1) as f32)).collect();
        let mut encoder = Encoder::new(BufWriter::new(file), WIDTH as u16, HEIGHT as u16, &palette)?;
        encoder.set_repeat(Repeat::Infinite)?;
        Ok(Self(encoder))
    }

    /// A frame of the temperatures, shown for 0.05 s.
    fn add(&mut self, temperatures: &[f32]) -> Result<(), Failure> {
        let colour = |temperature: &f32| (temperature.sqrt() * (COLOURS - 1) as f32).round() as u8;
        let pixels: Vec<u8> = temperatures.iter().map(colour).collect();
        let frame = Frame { delay: 5, ..Frame::from_indexed_pixels(WIDTH as u16, HEIGHT as u16, pixels, None) };
        Ok(self.0.write_frame(&frame)?)
    }
}

/// Black, red, yellow, white.
fn glow(heat: f32) -> [u8; 3] {
    [0.0, 1.0, 2.0].map(|channel| ((3.0 * heat - channel).clamp(0.0, 1.0) * 255.0) as u8)
}

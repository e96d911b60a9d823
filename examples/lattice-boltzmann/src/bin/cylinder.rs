//! Draws the vortices behind a cylinder.

use std::fs::File;
use std::io::BufWriter;

use gpu_examples::{Arguments, Failure};
use gpu_runtime::cluster::Communicator;
use gpu_runtime::prelude::*;
use lattice_boltzmann::kernels::{FLUID, WALL, WIND};
use lattice_boltzmann::{Flow, Fluid};

const WIND_SPEED: f32 = 0.08;
const REYNOLDS: f32 = 150.0;

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse("Draws the vortices behind a cylinder into cylinder.png.", &["--height", "--steps"]);
    let device = arguments.device()?;
    let height = arguments.number("--height").unwrap_or(120);
    let (width, diameter) = (3 * height, height as f32 / 8.0);
    let steps = arguments.number("--steps").unwrap_or(12 * (width as f32 / WIND_SPEED) as usize / 3);
    println!("{width} × {height} cells, {steps} steps on {device}");

    // A little above the middle, so that the vortices begin.
    let middle = (height as f32, height as f32 / 2.0 + 0.6);
    let kind = |[x, y, _]: [usize; 3]| {
        let from_middle = (x as f32 - middle.0).hypot(y as f32 - middle.1);
        match x {
            _ if from_middle < diameter / 2.0 => WALL,
            0 => WIND,
            x if x == width - 1 => WIND,
            _ => FLUID,
        }
    };
    let viscosity = WIND_SPEED * diameter / REYNOLDS;
    let wind = Float3::new(WIND_SPEED, 0.0, 0.0);
    let alone = Communicator::alone(&device);
    let fluid = Fluid::<f32>::new(&alone, [width, height, 1], viscosity, kind, |_| [0.0, WIND_SPEED, 0.0, 0.0])?;
    let mut fluid = fluid.with_velocity(wind);
    fluid.step(steps)?;
    draw("cylinder.png", &fluid.flow()?, [width, height], |x, y| kind([x, y, 0]) == WALL)?;
    println!("drawn in cylinder.png");
    Ok(())
}

/// What turns left is blue, what turns right is red.
fn draw(path: &str, flow: &Flow, [width, height]: [usize; 2], is_wall: impl Fn(usize, usize) -> bool) -> Result<(), Failure> {
    let scale = height as f32 / 8.0 / WIND_SPEED / 3.0;
    let colour = |x: usize, y: usize| {
        if is_wall(x, y) {
            return [70; 3];
        }
        let turn = (flow.vorticity([x, y, 0]) * scale).clamp(-1.0, 1.0);
        let fade = (255.0 * (1.0 - turn.abs().sqrt())) as u8;
        if turn > 0.0 { [fade, fade, 255] } else { [255, fade, fade] }
    };
    let pixels: Vec<u8> = (0..height).rev().flat_map(|y| (0..width).map(move |x| (x, y))).flat_map(|(x, y)| colour(x, y)).collect();
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(path)?), width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::High);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&pixels)?;
    Ok(writer.finish()?)
}

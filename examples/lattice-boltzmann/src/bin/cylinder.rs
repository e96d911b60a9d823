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
/// Vortices that leave one side in the time in which the wind passes the cylinder's diameter.
const STROUHAL: f32 = 0.19;

/// The colours of an animation, as an odd number, and that of walls after them.
const COLOURS: usize = 31;

fn main() -> Result<(), Failure> {
    let about = "Draws the vortices behind a cylinder into cylinder.png, or so many frames of two vortices into cylinder.gif.";
    let arguments = Arguments::parse(about, &["--height", "--steps", "--frames"]);
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
    let is_wall = |x: usize, y: usize| kind([x, y, 0]) == WALL;
    let Some(frames) = arguments.number("--frames") else {
        return picture("cylinder.png", [width, height], &turns(&fluid.flow()?, [width, height], is_wall));
    };
    let period = diameter / WIND_SPEED / STROUHAL;
    let mut animation = Animation::new("cylinder.gif", [width, height])?;
    for frame in 0..frames {
        animation.add(&turns(&fluid.flow()?, [width, height], is_wall))?;
        let until = |frame: usize| (frame as f32 / frames as f32 * period) as usize;
        fluid.step(until(frame + 1) - until(frame))?;
    }
    println!("drawn in cylinder.gif");
    Ok(())
}

/// How fast each cell turns left, between -1 and 1, row by row from above; nothing for walls.
fn turns(flow: &Flow, [width, height]: [usize; 2], is_wall: impl Fn(usize, usize) -> bool) -> Vec<Option<f32>> {
    let scale = height as f32 / 8.0 / WIND_SPEED / 3.0;
    let turn = |(x, y)| (!is_wall(x, y)).then(|| (flow.vorticity([x, y, 0]) * scale).clamp(-1.0, 1.0));
    (0..height).rev().flat_map(|y| (0..width).map(move |x| (x, y))).map(turn).collect()
}

/// What turns left is blue, what turns right is red.
fn colour(turn: Option<f32>) -> [u8; 3] {
    let Some(turn) = turn else { return [70; 3] };
    let fade = (255.0 * (1.0 - turn.abs().sqrt())) as u8;
    if turn > 0.0 { [fade, fade, 255] } else { [255, fade, fade] }
}

fn picture(path: &str, [width, height]: [usize; 2], turns: &[Option<f32>]) -> Result<(), Failure> {
    let pixels: Vec<u8> = turns.iter().flat_map(|turn| colour(*turn)).collect();
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(path)?), width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::High);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&pixels)?;
    writer.finish()?;
    println!("drawn in {path}");
    Ok(())
}

/// A GIF file that repeats for ever.
struct Animation {
    size: [usize; 2],
    encoder: gif::Encoder<BufWriter<File>>,
}

impl Animation {
    fn new(path: &str, [width, height]: [usize; 2]) -> Result<Self, Failure> {
        // The colours are those of equal steps of the root of the speed, as its square is what differs little.
        let root = |i: usize| 2.0 * i as f32 / (COLOURS - 1) as f32 - 1.0;
        let turns = (0..COLOURS).map(|i| Some(root(i) * root(i).abs())).chain([None]);
        let palette: Vec<u8> = turns.flat_map(colour).collect();
        let mut encoder = gif::Encoder::new(BufWriter::new(File::create(path)?), width as u16, height as u16, &palette)?;
        encoder.set_repeat(gif::Repeat::Infinite)?;
        Ok(Self { size: [width, height], encoder })
    }

    fn add(&mut self, turns: &[Option<f32>]) -> Result<(), Failure> {
        let index = |turn: &Option<f32>| match turn {
            Some(turn) => ((turn.signum() * turn.abs().sqrt() + 1.0) / 2.0 * (COLOURS - 1) as f32).round() as u8,
            None => COLOURS as u8,
        };
        let [width, height] = self.size.map(|size| size as u16);
        let buffer = turns.iter().map(index).collect();
        Ok(self.encoder.write_frame(&gif::Frame { width, height, buffer, delay: 6, ..gif::Frame::default() })?)
    }
}

//! A picture blurred, sharpened, and its edges: convolutions with a tile in shared memory, and an array function.
//!
//! The blur is a Gaussian filter. Edges are the lengths of Sobel's gradients: Gonzalez and Woods, *Digital Image Processing*, 4th edition,
//! section 10.2.
//!
//! ```sh
//! cargo run --release --example image_filters -- --rounds 10
//! ```

#[path = "drawing/mod.rs"]
mod drawing;

use drawing::Picture;
use gpu_examples::{Arguments, Comparison, Failure};
use gpu_runtime::prelude::*;
use gpu_runtime::vector::Float3;

/// The picture of the example `path_tracer`.
const PICTURE: &[u8] = include_bytes!("../../../docs/src/pictures/path_tracer.png");

const TILE: usize = 16;
/// How far a filter reaches.
const RADIUS: usize = 3;
/// A tile with the pixels around it that its filters need.
const SIDE: usize = TILE + 2 * RADIUS;

/// The weights of a Gaussian with a standard deviation of 1.5 pixels.
const GAUSSIAN: [f32; 2 * RADIUS + 1] = [0.0366, 0.1113, 0.2167, 0.2708, 0.2167, 0.1113, 0.0366];

/// The index of a coordinate that is `RADIUS` too large. Beyond its edge, the picture continues with the pixels of the edge.
#[gpu_device]
fn inside(coordinate: usize, extent: usize) -> usize {
    coordinate.saturating_sub(RADIUS).min(extent - 1)
}

/// Each pixel becomes the mean of the pixels around it.
#[gpu_kernel(block = (TILE, TILE))]
fn blur(picture: View<Float3, 2>, out: ViewMut<Float3, 2>) {
    let mut tile = shared::<[[Float3; SIDE]; SIDE]>();
    let [height, width] = picture.shape();
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    for y in (ty..SIDE).step_by(TILE) {
        for x in (tx..SIDE).step_by(TILE) {
            let (row, column) = (block_idx().y * TILE + y, block_idx().x * TILE + x);
            tile[y][x] = picture[[inside(row, height), inside(column, width)]];
        }
    }
    sync_threads();
    let (column, row) = grid_2d();
    if row < out.shape()[0] && column < out.shape()[1] {
        let mut sum = Float3::splat(0.0);
        for dy in 0..GAUSSIAN.len() {
            for dx in 0..GAUSSIAN.len() {
                sum += tile[ty + dy][tx + dx] * (GAUSSIAN[dy] * GAUSSIAN[dx]);
            }
        }
        out[[row, column]] = sum;
    }
}

/// How fast the brightness changes, from the eight pixels around, row by row.
#[gpu_device]
fn gradient(around: [f32; 9]) -> f32 {
    let [a, b, c, d, _, f, g, h, i] = around;
    let (x, y) = (c + 2.0 * f + i - a - 2.0 * d - g, g + 2.0 * h + i - a - 2.0 * b - c);
    x.hypot(y)
}

#[gpu_device]
fn brightness(pixel: Float3) -> f32 {
    0.299 * pixel.x + 0.587 * pixel.y + 0.114 * pixel.z
}

/// The edges of a picture. Pixels at its border are black.
#[gpu_kernel(block = (TILE, TILE))]
fn edges(picture: View<Float3, 2>, out: ViewMut<Float3, 2>) {
    let (column, row) = grid_2d();
    let [height, width] = out.shape();
    if row < height && column < width {
        let mut edge = 0.0;
        if row > 0 && column > 0 && row + 1 < height && column + 1 < width {
            let around: [f32; 9] = std::array::from_fn(|k| brightness(picture[[row + k / 3 - 1, column + k % 3 - 1]]));
            edge = gradient(around);
        }
        out[[row, column]] = Float3::splat(edge.min(1.0));
    }
}

/// A number of the original, moved away from the blurred one.
#[vectorize]
fn sharpened(original: f32, blurred: f32) -> f32 {
    (original + 2.0 * (original - blurred)).clamp(0.0, 1.0)
}

/// The same filters as loops.
fn filters_plain(picture: &[Float3], width: usize) -> [Vec<Float3>; 3] {
    let height = picture.len() / width;
    let at = |row: usize, column: usize| picture[inside(row, height) * width + inside(column, width)];
    let pixels =
        |pixel: &dyn Fn(usize, usize) -> Float3| -> Vec<Float3> { (0..picture.len()).map(|i| pixel(i / width, i % width)).collect() };
    let blurred = pixels(&|row, column| {
        let mut sum = Float3::splat(0.0);
        for (dy, y) in GAUSSIAN.iter().enumerate() {
            for (dx, x) in GAUSSIAN.iter().enumerate() {
                sum += at(row + dy, column + dx) * (y * x);
            }
        }
        sum
    });
    let sharp = |x: Float3, y: Float3| Float3::new(sharpened(x.x, y.x), sharpened(x.y, y.y), sharpened(x.z, y.z));
    let sharp = picture.iter().zip(&blurred).map(|(x, y)| sharp(*x, *y)).collect();
    let edges = pixels(&|row, column| {
        let is_inner = row > 0 && column > 0 && row + 1 < height && column + 1 < width;
        let around = std::array::from_fn(|k| brightness(at(row + RADIUS + k / 3 - 1, column + RADIUS + k % 3 - 1)));
        Float3::splat(if is_inner { gradient(around).min(1.0) } else { 0.0 })
    });
    [blurred, sharp, edges]
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse("Filters a picture into image_filters.png.", &["--rounds"]);
    let device = arguments.device()?;
    let rounds = arguments.number("--rounds").unwrap_or(10);
    let Picture { width, height, pixels } = Picture::read(PICTURE)?;
    println!("filtering {width} × {height} pixels on {device}");
    let host: Vec<Float3> = pixels.iter().map(|p| Float3::new(f32::from(p[0]), f32::from(p[1]), f32::from(p[2])) / 255.0).collect();

    let original = device.to_device(&host)?.reshape([height, width])?;
    let [mut blurred, mut sharp, mut outlines] =
        [device.zeros_like(&original)?, device.zeros_like(&original)?, device.zeros_like(&original)?];
    let grid = (width.div_ceil(TILE), height.div_ceil(TILE));
    let mut filter = || {
        blur(&original, &mut blurred).launch(grid, (TILE, TILE))?;
        edges(&original, &mut outlines).launch(grid, (TILE, TILE))?;
        sharpened::map(original.as_elements(), blurred.as_elements()).collect_into(sharp.as_elements_mut())?;
        device.synchronize()
    };
    // Compiles the kernels, so that compiling is not timed.
    filter()?;
    let mut comparison = Comparison::new("pixels");
    let mut expected = Default::default();
    let bar = drawing::progress("rounds", rounds);
    for _ in 0..rounds {
        comparison.time(host.len(), &mut filter)?;
        expected = comparison.time_plain(host.len(), || filters_plain(&host, width));
        bar.inc(1);
    }
    bar.finish_and_clear();
    print!("{comparison}");

    let filtered = [blurred.to_host()?, sharp.to_host()?, outlines.to_host()?];
    for (found, expected) in filtered.iter().flatten().zip(expected.iter().flatten()) {
        let difference = *found - *expected;
        if difference.dot(difference) > 1e-8 {
            return Err(format!("a pixel is {found:?}, not {expected:?}").into());
        }
    }

    // The original and the blurred one above the sharpened one and the edges.
    let [blurred, sharp, outlines] = &filtered;
    let row = |left: &[Float3], right: &[Float3]| -> Vec<Float3> {
        left.chunks_exact(width).zip(right.chunks_exact(width)).flat_map(|(left, right)| [left, right].concat()).collect()
    };
    let colour = |pixel: &Float3| [pixel.x, pixel.y, pixel.z].map(|part| (part * 255.0 + 0.5) as u8);
    let pixels = [row(&host, blurred), row(sharp, outlines)].concat().iter().map(colour).collect();
    Picture { width: 2 * width, height: 2 * height, pixels }.write("image_filters.png")
}

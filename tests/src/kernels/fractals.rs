//! Complex numbers as a struct with methods: the sets of Mandelbrot and Julia, and transposes of complex matrices.

use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_same, view, view_mut};
use crate::{cases, launch};

cases![mandelbrot_counts_to_the_escape, julia_is_coloured_smoothly, complex_matrices_are_transposed, wide_numbers_are_transposed];

/// A complex number.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Complex {
    re: f64,
    im: f64,
}

#[gpu_device]
impl Complex {
    /// The square of the distance from 0 beyond which orbits do not return.
    const FAR: f64 = 4.0;

    fn new(re: f64, im: f64) -> Self {
        Self { re, im }
    }

    fn plus(self, other: Self) -> Self {
        Self::new(self.re + other.re, self.im + other.im)
    }

    fn times(self, other: Self) -> Complex {
        Complex { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }

    fn norm_squared(&self) -> f64 {
        self.re * self.re + self.im * self.im
    }

    fn conjugate(&mut self) {
        self.im = -self.im;
    }
}

/// A part of the complex plane: where its corner is, and how large a pixel.
#[derive(Debug, Clone, Copy, DeviceType)]
#[repr(C)]
pub struct Window {
    corner: Complex,
    pixel: Complex,
}

crate::value_arguments![Complex, Window];

#[gpu_device]
impl Window {
    fn at(self, x: usize, y: usize) -> Complex {
        let corner: Complex = self.corner;
        corner.plus(Complex::new(x as f64 * self.pixel.re, y as f64 * self.pixel.im))
    }
}

/// After how many rounds of z² + c a point is farther than 2 from 0, if it ever is.
#[gpu_device]
fn escape(c: Complex, most: u16) -> Option<u16> {
    let mut z = Complex { re: 0.0, im: 0.0 };
    let mut rounds = 0;
    while rounds < most {
        let square: Complex = z.times(z);
        z = square.plus(c);
        rounds += 1;
        if z.norm_squared() > Complex::FAR {
            return Some(rounds);
        }
    }
    None
}

#[gpu_kernel(fmad = false)]
pub fn mandelbrot(window: Window, most: u16, image: ViewMut<u16, 2>) {
    let (x, y) = grid_2d();
    let [height, width] = image.shape();
    if x < width && y < height {
        image[[y, x]] = match escape(window.at(x, y), most) {
            Some(rounds) => rounds,
            None => 0,
        };
    }
}

fn mandelbrot_counts_to_the_escape(bench: &Bench) {
    let (width, height, most) = (61, 37, 80);
    let window = Window { corner: Complex::new(-2.25, -1.3125), pixel: Complex::new(0.05, 0.0729) };
    let mut image = vec![9999; width * height];
    launch!(bench, mandelbrot(window, most, view_mut(&mut image, [height, width])), (4, 5), (16, 8));
    let mut inside = 0;
    for (at, &rounds) in image.iter().enumerate() {
        let (x, y) = ((at % width) as f64 * 0.05 - 2.25, (at / width) as f64 * 0.0729 - 1.3125);
        let orbit = std::iter::successors(Some((x, y)), |(re, im)| Some((re * re - im * im + x, re * im + im * re + y)));
        let expected = orbit.take(usize::from(most)).position(|(re, im)| re * re + im * im > 4.0).map_or(0, |round| round as u16 + 1);
        assert_eq!(rounds, expected, "{x} + {y}i");
        // The cardioid and the disc beside it never escape.
        let q = (x - 0.25).powi(2) + y * y;
        if q * (q + x - 0.25) < 0.25 * y * y || (x + 1.0).powi(2) + y * y < 1.0 / 16.0 {
            assert_eq!(rounds, 0, "{x} + {y}i");
            inside += 1;
        }
    }
    assert!(inside > 200, "only {inside} points of the set were seen");
}

/// A complex number in single precision, as a tuple struct with the same methods.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C, align(8))]
pub struct Complex32(f32, f32);

crate::value_arguments![Complex32];

#[gpu_device]
impl Complex32 {
    fn times(self, other: Self) -> Self {
        let (re, im) = (other.0, other.1);
        Self(self.0 * re - self.1 * im, self.0 * im + self.1 * re)
    }

    fn plus(mut self, other: Complex32) -> Self {
        self.0 += other.0;
        self.1 += other.1;
        self
    }

    fn norm(self) -> f32 {
        self.0.hypot(self.1)
    }
}

/// The rounds to the escape and what was left of it, as a grey level; beyond `most` rounds, black.
#[gpu_kernel(fmad = false)]
pub fn julia(c: Complex32, half_width: f32, width: usize, height: usize, most: u32, grey: &mut [f32]) {
    let (x, y) = grid_2d();
    if x >= width || y >= height {
        return;
    }
    let scale = 2.0 * half_width / width as f32;
    let mut z = Complex32((x as f32 - 0.5 * width as f32) * scale, (y as f32 - 0.5 * height as f32) * scale);
    grey[y * width + x] = 'colour: {
        for round in 0..most {
            let norm = z.norm();
            if norm > 16.0 {
                break 'colour round as f32 + 1.0 - norm.log2().log2();
            }
            let square: Complex32 = z.times(z);
            z = square.plus(c);
        }
        0.0
    };
}

fn julia_is_coloured_smoothly(bench: &Bench) {
    let (width, height, most) = (45, 29, 60);
    let (re, im) = (-0.8f32, 0.156f32);
    let mut grey = vec![-1.0; width * height];
    launch!(bench, julia(Complex32(re, im), 1.6, width, height, most, &mut grey), (3, 4), (16, 8));
    for (at, &grey) in grey.iter().enumerate() {
        let scale = 2.0 * 1.6 / width as f32;
        let (mut x, mut y) = (((at % width) as f32 - 22.5) * scale, ((at / width) as f32 - 14.5) * scale);
        let mut expected = 0.0;
        for round in 0..most {
            let norm = (f64::from(x).powi(2) + f64::from(y).powi(2)).sqrt();
            if norm > 16.0 {
                expected = f64::from(round) + 1.0 - norm.ln().ln() / std::f64::consts::LN_2 - (1.0 / std::f64::consts::LN_2).log2();
                break;
            }
            (x, y) = (x * x - y * y + re, x * y + y * x + im);
        }
        assert!((f64::from(grey) - expected).abs() < 1e-4, "point {at} is {grey}, not {expected}");
    }
    // The set has the symmetry of z → -z, where the window has it too.
    assert!(grey.iter().any(|&grey| grey > 10.0) && grey.contains(&0.0), "all is black or white");
}

const TILE: usize = 8;

/// The conjugate transpose, through a tile whose rows are padded by one element.
#[gpu_kernel(block = (TILE, TILE))]
pub fn adjoint(x: View<f64, 3>, out: &mut [Complex], rows: usize, columns: usize) {
    let mut tile = shared::<[[Complex; TILE + 1]; TILE]>();
    let (t, b) = (thread_idx(), block_idx());
    let (column, row) = grid_2d();
    if row < rows && column < columns {
        tile[t.y][t.x] = Complex::new(x[[row, column, 0]], x[[row, column, 1]]);
        tile[t.y][t.x].conjugate();
    }
    sync_threads();
    let (column, row) = (b.y * TILE + t.x, b.x * TILE + t.y);
    if row < columns && column < rows {
        out[row * rows + column] = tile[t.x][t.y];
    }
}

fn complex_matrices_are_transposed(bench: &Bench) {
    let (rows, columns) = (19, 29);
    let numbers: Vec<f64> = (0..2 * rows * columns).map(|i| i as f64 * 0.5 - 100.0).collect();
    let mut out = vec![Complex::new(0.0, 0.0); rows * columns];
    launch!(bench, adjoint(view(&numbers, [rows, columns, 2]), &mut out, rows, columns), (4, 3), (8, 8));
    for row in 0..rows {
        for column in 0..columns {
            let from = 2 * (row * columns + column);
            assert_eq!(out[column * rows + row], Complex { re: numbers[from], im: -numbers[from + 1] });
        }
    }
}

/// Four rows of the tile for each row of threads.
#[gpu_kernel(block = (16, 4))]
pub fn transpose(x: &[f64], width: usize, height: usize, out: &mut [f64]) {
    let mut tile = shared::<[[f64; 17]; 16]>();
    let (t, b) = (thread_idx(), block_idx());
    let column = b.x * 16 + t.x;
    #[unroll]
    for j in (0..16).step_by(4) {
        let row = b.y * 16 + t.y + j;
        if column < width && row < height {
            tile[t.y + j][t.x] = x[row * width + column];
        }
    }
    sync_threads();
    let column = b.y * 16 + t.x;
    #[unroll]
    for j in (0..16).step_by(4) {
        let row = b.x * 16 + t.y + j;
        if column < height && row < width {
            out[row * height + column] = tile[t.x][t.y + j];
        }
    }
}

fn wide_numbers_are_transposed(bench: &Bench) {
    let (width, height) = (37, 50);
    let x: Vec<f64> = (0..width * height).map(|i| (i as f64).sqrt()).collect();
    let mut out = vec![0.0; x.len()];
    launch!(bench, transpose(&x, width, height, &mut out), (3, 4), (16, 4));
    assert_same(&out, &(0..x.len()).map(|at| x[at % height * width + at / height]).collect::<Vec<_>>());
}

//! Structs as parameters, whose numbers all threads of a launch agree on, and the launch compares.

use gpu_runtime::prelude::*;

use crate::bench::Bench;
use crate::{cases, launch, value_arguments};

cases![fields_are_numbers_that_threads_agree_on, launches_compare_the_numbers_in_structs];

value_arguments![Settings, Layout, Size];

/// What all threads of a launch agree on.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Settings {
    steps: u32,
    turns_back: bool,
    step: f32,
}

/// Passes numbers around the block: the macro reads the types of the fields where the struct is declared, so their conditions are those of numbers.
#[gpu_kernel(block = 64)]
pub fn pass_around(settings: Settings, x: &mut [f32]) {
    let mut near = shared::<[f32; 64]>();
    let (t, i) = (thread_idx().x, grid_1d());
    near[t] = if i < x.len() { x[i] } else { 0.0 };
    for _ in 0..settings.steps {
        sync_threads();
        let next = near[(t + 1) % 64];
        sync_threads();
        near[t] = next + settings.step.sqrt();
    }
    if settings.turns_back && settings.steps > 0 {
        sync_threads();
        let before = near[(t + 63) % 64];
        sync_threads();
        near[t] = before;
    }
    if i < x.len() {
        x[i] = near[t];
    }
}

fn fields_are_numbers_that_threads_agree_on(bench: &Bench) {
    for (turns_back, shift) in [(false, 3), (true, 2)] {
        let mut x: Vec<f32> = (0..128).map(|i| i as f32).collect();
        launch!(bench, pass_around(Settings { steps: 3, turns_back, step: 4.0 }, &mut x), 2, 64);
        let expected: Vec<f32> = (0..128).map(|i| (i / 64 * 64 + (i + shift) % 64) as f32 + 6.0).collect();
        assert_eq!(x, expected);
    }
}

/// Where a picture stands in an array.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Layout {
    size: Size,
    /// Before the first element of the picture.
    offset: i32,
    margin: Margin,
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Size {
    width: usize,
    height: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Margin(u8);

/// A picture in the middle of a larger one: the launch compares numbers of the struct with its shape and the lengths.
#[gpu_kernel]
pub fn frame(x: &[f32], layout: Layout, out: &mut [f32]) {
    let (column, row) = grid_2d();
    let Layout { size, margin: Margin(margin), .. } = layout;
    let height = size.height as usize;
    if column < size.width && row < height && layout.offset >= 0 {
        let value = if column >= margin as usize && row >= margin as usize { x[row * layout.size.width + column] } else { -1.0 };
        out[layout.offset as usize + row * size.width + column] = value;
    }
}

/// Rows of which no thread compares its column: the launch does.
#[gpu_kernel(block = 4)]
pub fn fill_rows(size: Size, out: &mut [u32]) {
    let column = grid_1d();
    for row in 0..size.height as usize {
        out[row * size.width + column] = row as u32;
    }
}

/// Sums of blocks, each over as many elements as the struct says.
#[gpu_kernel]
pub fn sums_of(x: &[f32], layout: Layout, out: &mut [f32]) {
    let t = thread_idx().x;
    let width = layout.size.width;
    let mut near = dynamic_shared::<f32>(width + layout.margin.0 as usize);
    for i in (t..width).step_by(block_dim().x) {
        near[i] = x[block_idx().x * width + i];
    }
    sync_threads();
    if t == 0 {
        let mut sum = 0.0;
        for i in 0..width {
            sum += near[i];
        }
        out[block_idx().x] = sum;
    }
}

fn launches_compare_the_numbers_in_structs(bench: &Bench) {
    let x: Vec<f32> = (0..40).map(|i| i as f32).collect();
    for (width, height, offset) in [(5, 4, 0), (8, 5, 3), (1, 7, 1)] {
        let mut out = vec![0.0; 48];
        let layout = Layout { size: Size { width, height }, offset, margin: Margin(1) };
        launch!(bench, frame(&x, layout, &mut out), (4, 2), (4, 4));
        for (i, value) in out.iter().enumerate() {
            let at = i.wrapping_sub(offset as usize);
            let expected = match (at % width, at / width) {
                (_, row) if i < offset as usize || row >= height as usize => 0.0,
                (0, _) | (_, 0) => -1.0,
                _ => x[at],
            };
            assert_eq!(*value, expected, "{layout:?}, element {i}");
        }
    }
    let mut rows = Device::cpu().zeros::<u32>(24).unwrap();
    let error = fill_rows(Size { width: 7, height: 3 }, &mut rows).launch(2, 4).unwrap_err().to_string();
    assert!(error.contains("only if `4 * grid_dim().x <= size.width`, for line"), "{error}");
    assert!(error.contains("but 8 > 7 with a grid of 2"), "{error}");
    let layout = Layout { size: Size { width: 8, height: 5 }, offset: 0, margin: Margin(2) };
    let mut sums = vec![0.0; 5];
    launch!(bench, sums_of(&x, layout, &mut sums), 5, 4);
    assert_eq!(sums, [28.0, 92.0, 156.0, 220.0, 284.0]);
    let mut rows = vec![9; 24];
    launch!(bench, fill_rows(Size { width: 8, height: 3 }, &mut rows), 2, 4);
    assert_eq!(rows, (0..24).map(|i| i / 8).collect::<Vec<_>>());
}

//! Tiles: values of a block, in kernels without threads.

use gpu_runtime::prelude::*;

#[gpu_kernel(block = 128)]
fn kernel(a: View<f32, 2>, b: View<f32, 2>, c: ViewMut<f32, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<f32, 64, 64>::zeros();
    for k in 0..a.tiles(1, 32) {
        sum += a.tile::<64, 32>(i, k).dot(b.tile::<32, 64>(k, j));
    }
    c.tile_mut(i, j).store(sum);
}

/// A tile without a size.
#[gpu_kernel(block = 128)]
fn no_size(a: View<f32, 2>, c: ViewMut<f32, 2>) {
    c.tile_mut(block_idx().x, 0).store(a.tile(block_idx().x, 0)); //~
}

/// A size that no instruction has.
#[gpu_kernel(block = 128)]
fn odd_size(a: View<f32, 2>, c: ViewMut<f32, 2>) {
    let x = a.tile::<64, 100>(block_idx().x, 0); //~
    c.tile_mut(block_idx().x, 0).store(x);
}

/// The same in a type.
#[gpu_kernel(block = 128)]
fn odd_size_of_zeros(c: ViewMut<f32, 2>) {
    c.tile_mut(block_idx().x, 0).store(Tile::<f32, 8, 64>::zeros()); //~
}

/// A block that is not declared.
#[gpu_kernel]
fn no_block(a: View<f32, 2>, c: ViewMut<f32, 2>) {
    let x = a.tile::<64, 64>(block_idx().x, 0); //~
    c.tile_mut(block_idx().x, 0).store(x);
}

/// A block that is no number of warps.
#[gpu_kernel(block = 100)] //~
fn odd_block(a: View<f32, 2>, c: ViewMut<f32, 2>) {
    c.tile_mut(block_idx().x, 0).store(a.tile::<64, 64>(block_idx().x, 0));
}

/// A block of two axes.
#[gpu_kernel(block = (16, 16))] //~
fn block_of_two_axes(a: View<f32, 2>, c: ViewMut<f32, 2>) {
    c.tile_mut(block_idx().x, 0).store(a.tile::<64, 64>(block_idx().x, 0));
}

/// What blocks write cannot be read.
#[gpu_kernel(block = 128)]
fn load_of_output(c: ViewMut<f32, 2>) {
    let x = c.tile::<64, 64>(block_idx().x, 0); //~
    c.tile_mut(block_idx().x, 0).store(x);
}

/// A `View` is not written.
#[gpu_kernel(block = 128)]
fn store_to_view(a: View<f32, 2>, c: View<f32, 2>) {
    c.tile_mut(block_idx().x, 0).store(a.tile::<64, 64>(block_idx().x, 0)); //~
}

/// A tile of one axis.
#[gpu_kernel(block = 128)]
fn one_axis(a: View<f32, 1>, c: ViewMut<f32, 2>) {
    let x = a.tile::<64, 64>(block_idx().x, 0); //~
    c.tile_mut(block_idx().x, 0).store(x);
}

/// Another number of indices than axes.
#[gpu_kernel(block = 128)]
fn three_axes(a: View<f32, 3>, c: ViewMut<f32, 2>) {
    let x = a.tile::<64, 64>(block_idx().x, 0); //~
    c.tile_mut(block_idx().x, 0).store(x);
}

/// There are no threads.
#[gpu_kernel(block = 128)]
fn threads(a: View<f32, 2>, c: ViewMut<f32, 2>) {
    let i = grid_1d(); //~
    c.tile_mut(i, 0).store(a.tile::<64, 64>(i, 0));
}

/// There are no barriers.
#[gpu_kernel(block = 128)]
fn barrier(a: View<f32, 2>, c: ViewMut<f32, 2>) {
    let i = block_idx().x;
    sync_threads(); //~
    c.tile_mut(i, 0).store(a.tile::<64, 64>(i, 0));
}

/// An element is not written by itself.
#[gpu_kernel(block = 128)]
fn element(a: View<f32, 2>, c: ViewMut<f32, 2>, n: &mut [u32]) {
    let i = block_idx().x;
    n[i] = 1; //~
    c.tile_mut(i, 0).store(a.tile::<64, 64>(i, 0));
}

/// Two sizes of tiles of one view.
#[gpu_kernel(block = 128)]
fn two_sizes(a: View<f32, 2>, c: ViewMut<f32, 2>) {
    let i = block_idx().x;
    c.tile_mut(i, 0).store(a.tile::<64, 64>(i, 0));
    c.tile_mut(i, 1).store(a.tile::<32, 64>(i, 1)); //~
}

/// A tile that is borrowed.
#[gpu_kernel(block = 128)]
fn borrowed(a: View<f32, 2>, c: ViewMut<f32, 2>) {
    let i = block_idx().x;
    let place = c.tile_mut(i, 0); //~
}

/// A method that tiles do not have.
#[gpu_kernel(block = 128)]
fn unknown_method(a: View<f32, 2>, c: ViewMut<f32, 2>) {
    let x = a.tile::<64, 64>(block_idx().x, 0);
    let y = x.sum(); //~
    c.tile_mut(block_idx().x, 0).store(x);
}

/// A method that only numbers have.
#[gpu_kernel(block = 128)]
fn method_of_numbers(a: View<f32, 2>, c: ViewMut<f32, 2>) {
    let x = a.tile::<64, 64>(block_idx().x, 0);
    c.tile_mut(block_idx().x, 0).store(x.max(1.0)); //~
}

/// Operators that tiles do not have.
#[gpu_kernel(block = 128)]
fn operators(a: View<f32, 2>, c: ViewMut<f32, 2>) {
    let i = block_idx().x;
    let mut x = a.tile::<64, 64>(i, 0);
    x %= 2.0; //~
    x = x % a.tile::<64, 64>(i, 1); //~
    if x > 0.0 {} //~
    c.tile_mut(i, 0).store(x);
}

/// Constructors without a size, whose values are used.
#[gpu_kernel(block = 128)]
fn zeros_without_size(a: View<f32, 2>, c: ViewMut<f32, 2>) {
    let i = block_idx().x;
    let mut sum = Tile::zeros(); //~
    let largest = Column::splat(f32::MIN); //~
    sum += a.tile::<64, 64>(i, 0).dot(a.tile::<64, 64>(0, 0));
    c.tile_mut(i, 0).store(sum.map(|x| x + 1.0));
}

/// A computed tile, transposed.
#[gpu_kernel(block = 128)]
fn transposed_too_late(a: View<f32, 2>, c: ViewMut<f32, 2>) {
    let x = a.tile::<64, 64>(block_idx().x, 0);
    c.tile_mut(block_idx().x, 0).store((x + 1.0).transpose()); //~
}

#[gpu_device]
fn doubled(x: f32) -> f32 {
    2.0 * x
}

/// A function by its name.
#[gpu_kernel(block = 128)]
fn function_by_name(a: View<f32, 2>, c: ViewMut<f32, 2>) {
    c.tile_mut(block_idx().x, 0).store(a.tile::<64, 64>(block_idx().x, 0).map(doubled)); //~
}

/// A cast to nothing.
#[gpu_kernel(block = 128)]
fn cast_to_nothing(a: View<f32, 2>, c: ViewMut<f32, 2>) {
    c.tile_mut(block_idx().x, 0).store(a.tile::<64, 64>(block_idx().x, 0).cast()); //~
}

/// A column is no tile.
#[gpu_kernel(block = 128)]
fn column(a: View<f32, 2>, c: ViewMut<f32, 2>) {
    c.tile_mut(block_idx().x, 0).store(a.tile::<64, 64>(block_idx().x, 0).row_max()); //~
}

/// A quotient of integers.
#[gpu_kernel(block = 128)]
fn quotient(a: View<i32, 2>, c: ViewMut<i32, 2>) {
    c.tile_mut(block_idx().x, 0).store(a.tile::<64, 64>(block_idx().x, 0) / 2); //~
}

/// Elements whose products no instruction sums.
#[gpu_kernel(block = 128)]
fn product_of_words(a: View<u32, 2>, c: ViewMut<u32, 2>) {
    let x = a.tile::<64, 64>(block_idx().x, 0);
    c.tile_mut(block_idx().x, 0).store(x.dot(x)); //~
}

/// A tile in a closure.
#[gpu_kernel(block = 128)]
fn in_a_closure(a: View<f32, 2>, c: ViewMut<f32, 2>) {
    let x = a.tile::<64, 64>(block_idx().x, 0);
    let f = |i: usize| x.row_max(); //~
    c.tile_mut(block_idx().x, 0).store(x);
}

/// Shapes that do not fit.
#[gpu_kernel(block = 128)]
fn shapes(a: View<f32, 2>, c: ViewMut<f32, 2>) {
    let (x, y) = (a.tile::<64, 32>(block_idx().x, 0), a.tile::<64, 64>(0, block_idx().x));
    c.tile_mut(block_idx().x, 0).store(x.dot(y)); //~
}

/// Elements of two types.
#[gpu_kernel(block = 128)]
fn elements(a: View<f32, 2>, c: ViewMut<f64, 2>) {
    c.tile_mut(block_idx().x, 0).store(a.tile::<64, 64>(block_idx().x, 0)); //~
}

/// A tile that two blocks store.
mod two_blocks {
    use super::*;

    #[gpu_kernel(block = 128)]
    fn kernel(a: View<f32, 2>, c: ViewMut<f32, 2>) {
        c.tile_mut(block_idx().x / 2, 0).store(a.tile::<64, 64>(block_idx().x, 0));
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let a = device.zeros::<f32>([8, 8])?;
        let mut c = device.zeros::<f32>([8, 8])?;
        kernel(&a, &mut c).launch(2, 128) //~
    }
}

/// The same, where each store alone has its own tiles.
mod two_stores {
    use super::*;

    #[gpu_kernel(block = 128)]
    fn kernel(a: View<f32, 2>, c: ViewMut<f32, 2>) {
        let i = block_idx().x;
        c.tile_mut(i, 0).store(a.tile::<64, 64>(i, 0));
        c.tile_mut(i + 1, 0).store(a.tile::<64, 64>(i, 1));
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let a = device.zeros::<f32>([8, 8])?;
        let mut c = device.zeros::<f32>([8, 8])?;
        kernel(&a, &mut c).launch(2, 128) //~
    }
}

/// A product that some threads only may reach.
mod condition_of_a_function {
    use super::*;

    #[gpu_device]
    fn is_first() -> bool {
        thread_idx().x == 0
    }

    #[gpu_kernel(block = 128)]
    fn kernel(a: View<f32, 2>, c: ViewMut<f32, 2>) {
        let i = block_idx().x;
        let mut x = a.tile::<64, 64>(i, 0);
        if is_first() {
            x = x.dot(x);
        }
        c.tile_mut(i, 0).store(x);
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let a = device.zeros::<f32>([8, 8])?;
        let mut c = device.zeros::<f32>([8, 8])?;
        kernel(&a, &mut c).launch(2, 128) //~
    }
}

/// A store that some threads only may reach.
mod store_on_condition_of_a_function {
    use super::*;

    #[gpu_device]
    fn is_first() -> bool {
        thread_idx().x == 0
    }

    #[gpu_kernel(block = 128)]
    fn kernel(a: View<f32, 2>, c: ViewMut<f32, 2>) {
        let i = block_idx().x;
        let x = a.tile::<64, 64>(i, 0);
        if is_first() {
            c.tile_mut(i, 0).store(x);
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let a = device.zeros::<f32>([8, 8])?;
        let mut c = device.zeros::<f32>([8, 8])?;
        kernel(&a, &mut c).launch(2, 128) //~
    }
}

/// A closure runs for all elements of the tile, also for those outside of the array.
#[gpu_kernel(block = 128)]
fn index_in_a_closure(a: View<f32, 2>, bias: &[f32], c: ViewMut<f32, 2>) {
    let j = block_idx().x;
    c.tile_mut(0, j).store(a.tile::<64, 64>(0, j).map_at(|_, column, x| x + bias[j * 64 + column])); //~
}

/// The same in a closure that is called by another.
#[gpu_kernel(block = 128)]
fn index_in_a_closure_by_name(a: View<f32, 2>, bias: &[f32], c: ViewMut<f32, 2>) {
    let of = |column: usize| bias[column]; //~
    c.tile_mut(0, block_idx().x).store(a.tile::<64, 64>(0, 0).map_at(|_, column, x| x + of(column)));
}

/// A quotient in a closure.
#[gpu_kernel(block = 128)]
fn quotient_in_a_closure(a: View<i32, 2>, n: i32, c: ViewMut<i32, 2>) {
    c.tile_mut(0, block_idx().x).store(a.tile::<64, 64>(0, 0).map(|x| n / x)); //~
}

/// A condition that not all elements meet.
#[gpu_kernel(block = 128)]
fn assertion_in_a_closure(a: View<f32, 2>, c: ViewMut<f32, 2>) {
    c.tile_mut(0, block_idx().x).store(a.tile::<64, 64>(0, 0).map(|x| {
        assert!(x < 3.0); //~
        if x < 2.0 { x } else { panic!() } //~
    }));
}

/// Limits that may be in the wrong order.
#[gpu_kernel(block = 128)]
fn limits_in_a_closure(a: View<f32, 2>, most: f32, c: ViewMut<f32, 2>) {
    c.tile_mut(0, block_idx().x).store(a.tile::<64, 64>(0, 0).map(|x| x.clamp(0.0, most))); //~
}

/// A part of an array.
#[gpu_kernel(block = 128)]
fn part_in_a_closure(a: View<f32, 2>, x: &[f32], c: ViewMut<f32, 2>) {
    c.tile_mut(0, block_idx().x).store(a.tile::<64, 64>(0, 0).map_at(|row, _, v| v + total(&x[row..row + 2]))); //~
}

#[gpu_device]
fn total(x: &[f32]) -> f32 {
    x.iter().sum()
}

/// What cannot fail.
#[gpu_kernel(block = 128)]
fn closures_that_cannot_fail(a: View<f32, 2>, bias: &[f32], c: ViewMut<f32, 2>, d: ViewMut<i32, 2>) {
    let j = block_idx().x;
    let x = a.tile::<64, 64>(0, j).map_at(|_, column, x| {
        let k = j * 64 + column;
        let bias = if k < bias.len() { bias[k] } else { 0.0 };
        ((x + bias) / x).clamp(-1.5, 6.0)
    });
    d.tile_mut(0, j).store(x.map(|v| -> i32 { (v as i32 / 3) % 7 + [1, 2, 3, 4][(v as usize) % 4] }));
    c.tile_mut(0, j).store(x.zip(x, |v, w| v / w));
}

fn main() {}

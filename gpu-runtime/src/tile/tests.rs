use super::{Column, Tile};
use crate::{View, ViewMut};

/// Numbers that are all different, and small enough that sums of products are exact.
fn numbers(count: usize) -> Vec<f32> {
    (0..count).map(|i| (i * 7 % 23) as f32 - 11.0).collect()
}

#[test]
fn a_tile_of_a_view_is_zero_outside_of_it() {
    let elements = numbers(17 * 5);
    let view = View::from_slice(&elements, [17, 5]);
    assert_eq!([view.tiles(0, 16), view.tiles(1, 16)], [2, 1]);
    let tile: Tile<f32, 16, 16> = view.tile(1, 0);
    for row in 0..16 {
        for column in 0..16 {
            let expected = if row == 0 && column < 5 { elements[16 * 5 + column] } else { 0.0 };
            assert_eq!(tile.at(row, column), expected);
        }
    }
}

#[test]
fn a_tile_far_outside_of_a_view_is_empty() {
    let elements = numbers(32);
    let view = View::from_slice(&elements, [4, 8]);
    // 16 times this is 0 again.
    assert_eq!(view.tile::<16, 16>(1 << 60, 0), Tile::zeros());
    let mut out = numbers(32);
    ViewMut::from_slice(&mut out, [4, 8]).tile_mut(1 << 60, 0).store(Tile::<f32, 16, 16>::splat(1.0));
    assert_eq!(out, elements);
}

#[test]
fn a_store_writes_what_is_in_the_view() {
    let mut out = vec![0.0; 17 * 5];
    ViewMut::from_slice(&mut out, [17, 5]).tile_mut(1, 0).store(Tile::<f32, 16, 16>::from_fn(|row, column| (row * 100 + column) as f32));
    assert_eq!(out[16 * 5..], [0.0, 1.0, 2.0, 3.0, 4.0]);
    assert!(out[..16 * 5].iter().all(|element| *element == 0.0));
}

#[test]
fn a_product_is_the_sum_of_products() {
    let (a, b) = (numbers(16 * 32), numbers(32 * 64));
    let product = View::from_slice(&a, [16, 32]).tile::<16, 32>(0, 0).dot(View::from_slice(&b, [32, 64]).tile::<32, 64>(0, 0));
    for row in 0..16 {
        for column in 0..64 {
            let sum: f32 = (0..32).map(|k| a[row * 32 + k] * b[k * 64 + column]).sum();
            assert_eq!(product.at(row, column), sum);
        }
    }
}

#[test]
fn products_of_small_integers_do_not_wrap_around() {
    let product = Tile::<i8, 16, 16>::splat(-128).dot(Tile::<i8, 16, 16>::splat(-128));
    assert_eq!(product, Tile::<i32, 16, 16>::splat(16 * 128 * 128));
}

#[cfg(feature = "half")]
#[test]
fn products_of_halves_are_summed_as_singles() {
    use half::{bf16, f16};
    // In 16 bits, 2048 + 1 is 2048.
    let product = Tile::<f16, 16, 256>::splat(f16::from_f32(1.0)).dot(Tile::<f16, 256, 16>::splat(f16::from_f32(9.0)));
    assert_eq!(product, Tile::splat(2304.0));
    let product = Tile::<bf16, 16, 256>::splat(bf16::from_f32(1.0)).dot(Tile::<bf16, 256, 16>::splat(bf16::from_f32(3.0)));
    assert_eq!(product, Tile::splat(768.0));
    assert_eq!(product.cast::<bf16>(), Tile::splat(bf16::from_f32(768.0)));
}

#[test]
fn a_column_is_combined_with_each_row() {
    let tile = Tile::<f32, 16, 32>::from_fn(|row, column| (row * 32 + column) as f32);
    let (largest, sum) = (tile.clone().row_max(), tile.clone().row_sum());
    assert_eq!((largest.at(3), sum.at(0)), (127.0, 496.0));
    let shifted = tile - largest.clone();
    assert_eq!((shifted.at(0, 0), shifted.at(15, 31)), (-31.0, 0.0));
    let scaled = Column::splat(2.0) * shifted / 4.0;
    assert_eq!(scaled.at(7, 0), -15.5);
    assert_eq!((1.0 - largest).at(0), -30.0);
}

#[test]
fn elements_know_where_they_are() {
    let lower = Tile::<f32, 16, 16>::splat(1.0).map_at(|row, column, x| if column <= row { x } else { 0.0 });
    let sums = lower.row_sum();
    assert!((0..16).all(|row| sums.at(row) == (row + 1) as f32));
}

//! Products of matrices with what follows them, which one kernel computes on a GPU with tensor cores.

use gpu_runtime::prelude::*;
use gpu_runtime::{Num, Precision, Result, Shape, matmul, matmul_with};
use half::{bf16, f16};

use crate::support::devices;

/// Whole numbers from -4 to 4, so that sums of products are exact in any order.
fn numbers<T: Num>(device: &Device, seed: usize, shape: impl Into<Shape>) -> DeviceArray<T> {
    let shape = shape.into();
    let numbers = (iota(shape) + seed) * 7919 % 23 % 9;
    (numbers.cast::<i32>() - 4).cast::<T>().on(device).collect().unwrap()
}

#[vectorize(grad)]
fn squashed(x: f32) -> f32 {
    x / (1.0 + x.abs())
}

#[vectorize]
fn may_fail(x: f32) -> f32 {
    assert!(x < 1e30);
    x + 1.0
}

/// `$expression` of a product that is not computed yet, `$p`, and of one that is.
macro_rules! same {
    ($lazy:expr, $product:expr, |$p:ident| $expression:expr) => {{
        let (found, expected) = (
            {
                let $p = $lazy;
                $expression
            },
            {
                let $p = &$product;
                $expression
            },
        );
        assert_eq!(found.shape(), expected.shape());
        assert!(found.eq(&expected).all()?, "{}", stringify!($expression));
    }};
}

macro_rules! check_expressions {
    ($device:expr, $T:ty, [$rows:expr, $inner:expr, $columns:expr], $matmul:expr) => {{
        let (device, rows, inner, columns) = ($device, $rows, $inner, $columns);
        let (a, b) = (numbers::<$T>(device, 1, [rows, inner]), numbers::<$T>(device, 2, [inner, columns]));
        let (bias, of_rows) = (numbers::<$T>(device, 3, columns), numbers::<f32>(device, 4, [rows, 1]));
        let (other, turned) = (numbers::<$T>(device, 5, [rows, columns]), numbers::<f32>(device, 6, [columns, rows]));
        let product = a.matmul(&b)?;
        let lazy_product = || $matmul(&a, &b);
        same!(lazy_product(), product, |p| (p + &bias).collect()?);
        same!(lazy_product(), product, |p| squashed::map(p.cast::<f32>() + bias.cast::<f32>()).cast::<$T>().collect()?);
        same!(lazy_product(), product, |p| (p.cast::<f32>() * &of_rows + 0.5).collect()?);
        same!(lazy_product(), product, |p| (p + &other).collect()?);
        same!(lazy_product(), product, |p| (p.cast::<f32>() * turned.view().t() + other.cast::<f32>()).collect()?);
        same!(lazy_product(), product, |p| (p.cast::<f32>() + iota([rows, columns]).cast::<f32>() + other.cast::<f32>()).collect()?);
        same!(lazy_product(), product, |p| p.cast::<f32>().gt(0.0).collect()?);
        same!(lazy_product(), product, |p| may_fail::map(p.cast::<f32>()).collect()?);
        // A right operand that lies by columns.
        let by_columns = b.view().t().collect()?;
        assert!(a.matmul(by_columns.view().t())?.eq(&product).all()?);
        same!($matmul(&a, by_columns.view().t()), product, |p| (p.cast::<f32>() * &of_rows + other.cast::<f32>()).collect()?);
        // Views and clones of it, two of them, and one that is repeated.
        same!(lazy_product(), product, |p| (p.lazy().t().cast::<f32>() + 1.0).collect()?);
        same!(lazy_product(), product, |p| ((&p).lazy() + (&p).lazy()).collect()?);
        same!(lazy_product(), product, |p| (p.lazy().slice_axis(0, 3..).cast::<f32>() + 1.0).collect()?);
        let several = numbers::<$T>(device, 7, [2, rows, columns]);
        same!(lazy_product(), product, |p| (p + &several).collect()?);
        same!(lazy_product(), product, |p| (p.lazy().cast::<f32>() + 1.0).sum_axis(0)?);
        // Into the part of an array, and an operand of another product.
        let mut out = device.zeros::<f32>([rows, columns + 3])?;
        (lazy_product().cast::<f32>() * 2.0).collect_into(out.view_mut().slice_axis(1, 1..columns + 1))?;
        assert!((product.cast::<f32>() * 2.0).eq(out.view().slice_axis(1, 1..columns + 1)).all()?);
        assert_eq!(out.view().index_axis(1, 0).abs().max()?, 0.0);
        let next = numbers::<$T>(device, 8, [columns, 64]);
        let hidden = (lazy_product() + &bias).collect()?;
        same!(lazy_product() + &bias, hidden, |p| matmul(p.lazy(), &next).collect()?);
    }};
}

/// 11 by 11 tiles, which keep an H200 busy: tiles that are whole, and others; rows that begin at multiples of 16 bytes, and others. The CPU has no tiles.
fn sizes(device: &Device) -> &'static [[usize; 3]] {
    if device.is_gpu() { &[[1408, 128, 2816], [1300, 72, 2776], [1290, 67, 2801]] } else { &[[33, 5, 41]] }
}

macro_rules! tests {
    ($($test:ident, $T:ty, $matmul:expr;)*) => {$(
        #[test]
        fn $test() -> Result<()> {
            for device in devices(stringify!($test)) {
                for &[rows, inner, columns] in sizes(&device) {
                    check_expressions!(&device, $T, [rows, inner, columns], $matmul);
                }
            }
            Ok(())
        }
    )*};
}

tests! {
    what_follows_a_product_of_bf16_is_the_same_in_one_kernel, bf16, matmul;
    what_follows_a_product_of_f16_is_the_same_in_one_kernel, f16, matmul;
    what_follows_a_product_in_tf32_is_the_same_in_one_kernel, f32, |a, b| matmul_with(a, b, Precision::Tf32);
}

#[test]
fn batches_are_multiplied_with_what_follows() -> Result<()> {
    for device in devices("batches_are_multiplied_with_what_follows") {
        let [rows, inner, columns] = if device.is_gpu() { [600, 72, 1528] } else { [33, 5, 41] };
        for of_b in [Shape::from([5, inner, columns]), [inner, columns].into(), [1, inner, columns].into()] {
            let (a, b) = (numbers::<bf16>(&device, 1, [5, rows, inner]), numbers::<bf16>(&device, 2, of_b));
            let (of_matrix, bias) = (numbers::<bf16>(&device, 3, [5, 1, columns]), numbers::<bf16>(&device, 4, [rows, 1]));
            let product = a.matmul(&b)?;
            same!(matmul(&a, &b), product, |p| (p + &of_matrix).collect()?);
            same!(matmul(&a, &b), product, |p| (p * &bias).collect()?);
            same!(matmul(&a, &b), product, |p| (p * bf16::from_f32(2.0)).collect()?);
            same!(matmul(a.view().reverse_axis(0), &b), a.view().reverse_axis(0).matmul(&b)?, |p| (p + bf16::ONE).collect()?);
        }
    }
    Ok(())
}

#[derive(Clone, Copy, Debug, Default, PartialEq, DeviceType)]
#[repr(C)]
struct Rgb {
    r: u8,
    g: u8,
    b: u8,
}

#[vectorize]
fn tint(x: f32, by: Rgb) -> f32 {
    x + by.r as f32 - by.b as f32
}

#[vectorize]
fn colour(x: f32) -> Rgb {
    Rgb { r: x as u8, g: 0, b: 255 - x as u8 }
}

/// As many elements as a piece of the product has are no whole pieces of their own.
#[test]
fn elements_of_three_bytes_follow_a_product() -> Result<()> {
    for device in devices("elements_of_three_bytes_follow_a_product") {
        let &[rows, inner, columns] = &sizes(&device)[0];
        let (a, b) = (numbers::<bf16>(&device, 1, [rows, inner]), numbers::<bf16>(&device, 2, [inner, columns]));
        let colours: Vec<Rgb> = (0..columns).map(|column| Rgb { r: column as u8, g: 1, b: (column / 3) as u8 }).collect();
        let (colours, product) = (device.to_device(&colours)?, a.matmul(&b)?);
        same!(matmul(&a, &b), product, |p| tint::map(p.cast::<f32>(), &colours).collect()?);
        assert_eq!(colour::map(matmul(&a, &b).cast::<f32>()).to_host()?, colour::map(product.cast::<f32>()).to_host()?);
        let coloured = colour::map(matmul(&a, &b).cast::<f32>()).collect()?;
        assert_eq!(coloured.to_host()?, colour::map(product.cast::<f32>()).to_host()?);
    }
    Ok(())
}

/// No matrices, which no block multiplies.
#[test]
fn nothing_is_multiplied_with_what_follows() -> Result<()> {
    for device in devices("nothing_is_multiplied_with_what_follows") {
        let (a, b) = (numbers::<bf16>(&device, 1, [0, 128, 64]), numbers::<bf16>(&device, 2, [0, 64, 256]));
        assert_eq!((matmul(&a, &b) + bf16::ONE).collect()?.shape(), [0, 128, 256]);
    }
    Ok(())
}

#[test]
fn one_kernel_multiplies_and_computes_the_rest() -> Result<()> {
    let device = Device::cpu();
    let (a, b) = (numbers::<bf16>(&device, 1, [2048, 64]), numbers::<bf16>(&device, 2, [64, 2048]));
    let bias = numbers::<bf16>(&device, 3, 2048);
    let layer = || squashed::map(matmul(&a, &b).cast::<f32>() + bias.cast::<f32>()).cast::<bf16>();
    let source = layer().cuda_source()?;
    assert!(source.contains("gr_tile_add_dots(") && source.contains("gr_tile_store_each("), "{source}");
    // A derivative with a quotient of dual numbers, which cannot fail; weights that lie by columns, which are not copied.
    let (product, x) = (matmul(&a, &b).cast::<f32>(), numbers::<f32>(&device, 6, [2048, 2048]));
    assert!((product * squashed::grad::map(&x)).cuda_source()?.contains("gr_tile_add_dots("));
    let by_columns = b.view().t().collect()?;
    let source = (matmul(&a, by_columns.view().t()) + &bias).cuda_source()?;
    assert!(source.contains("gr_tile_add_dots(") && source.contains("gr_tile_transpose(gr_tile_at<256, 64"), "{source}");
    // A clone that may be used later; a product that is small; one that nothing follows.
    let product = matmul(&a, &b);
    let is_with_product = |source: String| source.contains("gr_tile_add_dots(");
    assert!(!is_with_product((&product + &bias).cuda_source()?));
    let few = bias.slice(..64);
    let small = matmul(few.view().reshape([1, 64])?, &b);
    assert!(!is_with_product((small + &bias).cuda_source()?));
    assert!(!is_with_product(matmul(&a, &b).cuda_source()?));
    if std::env::var("GPU_RUNTIME_REQUIRE").is_ok_and(|required| required.contains("nvrtc")) {
        let (of_rows, other) = (numbers::<f32>(&device, 4, [2048, 1]), numbers::<f16>(&device, 5, [2048, 2048]));
        for architecture in ["sm_80", "sm_90a", "sm_120"] {
            layer().cubin(architecture)?;
            colour::map(matmul(&a, &b).cast::<f32>()).cubin(architecture)?;
            (matmul(&a, by_columns.view().t()) + &bias).cubin(architecture)?;
            (matmul(&a, &b).cast::<f32>() * &of_rows + other.cast::<f32>()).cubin(architecture)?;
            let (a, b) = (a.cast::<f32>().collect()?, b.cast::<f32>().collect()?);
            (matmul_with(&a, &b, Precision::Tf32) + bias.cast::<f32>()).cubin(architecture)?;
        }
    }
    Ok(())
}
